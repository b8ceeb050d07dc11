// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_stack.h"

#include <QVBoxLayout>

#include <algorithm>

namespace tailmark::ui {

ChartStack::ChartStack(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
}

void ChartStack::add(PlotView* plot, int stretch)
{
    for (PlotView* other : std::as_const(m_plots)) {
        connect(plot, &PlotView::xScaleChanged, other, &PlotView::followXScale);
        connect(other, &PlotView::xScaleChanged, plot, &PlotView::followXScale);
    }
    m_plots.append(plot);
    m_column->addWidget(plot, stretch);
}

void ChartStack::align()
{
    qreal widest = 0;
    for (const PlotView* plot : std::as_const(m_plots))
        widest = std::max(widest, plot->neededLeftMargin());
    for (PlotView* plot : std::as_const(m_plots))
        plot->setLeftMargin(widest);
}

void ChartStack::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    align();
}

} // namespace tailmark::ui
