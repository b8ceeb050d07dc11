// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/bound_data.h"

#include <QWidget>

class QLabel;
class QStackedWidget;

namespace tailmark::ui {

class BoundPlot;
class TableView;

/// What the hardware allows a test, and what was measured of it: the picture, the levels, and the formula.
class BoundPanel : public QWidget
{
    Q_OBJECT

public:
    explicit BoundPanel(QWidget* parent = nullptr);
    /// Without a known bound: `message` says why and what to do.
    void setData(const BoundData& data, const QString& message);
    void selectPoint(int index);

signals:
    void pointChosen(int index);

private:
    QStackedWidget* m_stack;
    QLabel* m_message;
    BoundPlot* m_plot;
    QLabel* m_claim;
    TableView* m_table;
    QLabel* m_formula;
};

} // namespace tailmark::ui
