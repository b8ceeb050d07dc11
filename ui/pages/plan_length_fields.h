// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_form.h"

namespace tailmark::ui {

/// The lengths of the workload, or of one part of its mix, which has to be there.
struct LengthsPlace
{
    int part = -1; ///< below 0: the workload's own

    template <typename M> auto& operator()(M& matrix) const
    {
        auto& lengths = matrix.workload.lengths;
        return part < 0 ? lengths : lengths.parts[static_cast<std::size_t>(part)].lengths;
    }
};

/// Adds the fields of all kinds of lengths but the kind itself, under "lengths."; returns that of the file.
PlanLineEdit* addLengthFields(PlanForm& form, LengthsPlace at);
/// Shows those that this kind has.
void showLengthFields(PlanForm& form, LengthsKind kind);

} // namespace tailmark::ui
