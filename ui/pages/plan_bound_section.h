// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/bound.h"
#include "pages/plan_section.h"

#include <vector>

namespace tailmark::ui {

/// What the hardware bounds: accelerator and model by name from the tables, or typed; where a name is chosen,
/// the fields that are left empty say what the table has. Below it what follows from them.
class PlanBoundSection : public PlanSection
{
    Q_OBJECT

public:
    PlanBoundSection(PlanDocument& document, QWidget* parent = nullptr);

private:
    /// A figure that is 0 where nobody stated it: the field is empty then, and its placeholder tells the
    /// table's.
    void addFigure(PlanForm* form, const std::string& path, const QString& label, const QString& unit,
                   double BoundInput::*member, double BoundFigures::*looked, const QString& help);
    void showLookedUp();

    struct Figure
    {
        PlanLineEdit* field;
        double BoundFigures::*looked;
    };
    std::vector<Figure> m_figures;
    QLabel* m_words;
};

} // namespace tailmark::ui
