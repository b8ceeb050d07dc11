// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "run/run_event.h"

#include <string>

namespace tailmark::ui {

/// One of the two targets of a matrix with the card that is typed for it. The second is there in a paired
/// matrix only.
struct MatrixSide
{
    Side side = Side::A;

    bool exists(const Matrix& matrix) const { return side == Side::A || matrix.pairedWith; }
    /// "target" -> "paired_with.target" of the second.
    std::string path(const std::string& key) const { return side == Side::A ? key : "paired_with." + key; }

    // Where it exists. M: Matrix, const or not.
    template <typename M> auto& target(M& matrix) const
    {
        return side == Side::A ? matrix.target : matrix.pairedWith->target;
    }
    template <typename M> auto& card(M& matrix) const
    {
        return side == Side::A ? matrix.card : matrix.pairedWith->card;
    }
};

} // namespace tailmark::ui
