// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_form.h"

namespace tailmark::ui {

/// The fields of one test; which are shown depends on its kind.
class PlanTestForm : public PlanForm
{
    Q_OBJECT

public:
    PlanTestForm(PlanDocument& document, QWidget* parent = nullptr);

    /// Row of the matrix's tests; -1 = none.
    void setRow(int row);
    int row() const { return m_row; }

private:
    void fitFields();

    PlanDocument& m_document;
    int m_row = -1;
};

} // namespace tailmark::ui
