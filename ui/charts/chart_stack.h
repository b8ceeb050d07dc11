// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/plot_view.h"

#include <QWidget>

class QVBoxLayout;

namespace tailmark::ui {

/// Charts above one another with one x axis: zoom and pan of one move all, and their left edges are aligned.
class ChartStack : public QWidget
{
    Q_OBJECT

public:
    explicit ChartStack(QWidget* parent = nullptr);

    const QList<PlotView*>& plots() const { return m_plots; }

protected:
    void add(PlotView* plot, int stretch);
    /// To be called after new data: labels may have become wider.
    void align();
    void resizeEvent(QResizeEvent* event) override;

private:
    QVBoxLayout* m_column;
    QList<PlotView*> m_plots;
};

} // namespace tailmark::ui
