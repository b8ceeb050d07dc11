// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_section.h"

namespace tailmark::ui {

/// The service level objective: limits on percentiles, each said in words as well.
class PlanSloSection : public PlanSection
{
    Q_OBJECT

public:
    PlanSloSection(PlanDocument& document, QWidget* parent = nullptr);

private:
    struct Row
    {
        QWidget* box = nullptr;
        PlanForm* form = nullptr;
        PlanLineEdit* limit = nullptr;
        QLabel* sentence = nullptr;
    };
    Row makeRow(int index);
    void fitRows();

    QVBoxLayout* m_column;
    std::vector<Row> m_rows;
};

} // namespace tailmark::ui
