// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_form.h"

#include <vector>

class QVBoxLayout;

namespace tailmark::ui {

/// The parts of a mix, a row each: name, weight, lengths, and a prefix of its own where it has one; added and
/// removed.
class PlanMixRows : public QWidget
{
    Q_OBJECT

public:
    explicit PlanMixRows(PlanDocument& document, QWidget* parent = nullptr);

signals:
    void formAdded(tailmark::ui::PlanForm* form);
    void formRemoved(tailmark::ui::PlanForm* form);

private:
    struct Row
    {
        QWidget* box = nullptr;
        PlanForm* form = nullptr;
    };

    Row makeRow(int index);
    void fitRows();

    PlanDocument& m_document;
    QVBoxLayout* m_column;
    QLabel* m_empty; ///< says what a mix without parts lacks
    std::vector<Row> m_rows;
};

} // namespace tailmark::ui
