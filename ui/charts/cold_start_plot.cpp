// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/cold_start_plot.h"

#include "models/format.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tailmark::ui {

namespace {

constexpr qreal kMarker = 8;

} // namespace

ColdStartPlot::ColdStartPlot(QWidget* parent) : PlotView(parent)
{
    setTitles(tr("request"), metricHead(Metric::Ttft));
    setFit({0, 1, false}, {0, 1, false});
    setAccessibleName(tr("Time to first token of the requests of the cold start, in their order"));
}

void ColdStartPlot::setSummary(const ColdStartSummary& summary)
{
    m_summary = summary;
    double high = 0;
    for (const std::optional<double>& ttft : summary.ttftMs)
        high = std::max(high, ttft.value_or(0));
    setFit({0, static_cast<double>(summary.ttftMs.size()) + 1, false},
           high > 0 ? fitScale(0, high, false, 0, 0.12) : Scale{0, 1, false});
    restyle();
    updateMarks();
}

void ColdStartPlot::restyle()
{
    Line line{{}, style().seriesColor(0), 1.8, Qt::SolidLine};
    for (std::size_t i = 0; i < m_summary.ttftMs.size(); ++i)
        if (m_summary.ttftMs[i])
            line.points.append({static_cast<double>(i + 1), *m_summary.ttftMs[i]});
    setLines({line});
    QList<LegendEntry> legend{
        {tr("one request"), style().seriesColor(0), MarkerShape::Circle, Qt::SolidLine}};
    if (m_summary.steadyTtftMs)
        legend.append({tr("steady at %1").arg(formatMetric(Metric::Ttft, m_summary.steadyTtftMs)),
                       style().operating, std::nullopt, Qt::DashLine});
    if (m_summary.steadyRequest)
        legend.append({tr("from request %1 on").arg(*m_summary.steadyRequest), style().muted, std::nullopt,
                       Qt::DotLine});
    setLegend(legend);
}

void ColdStartPlot::paintBelow(QPainter& painter)
{
    const QRectF area = plotArea();
    if (m_summary.steadyRequest) {
        const qreal x = toView({static_cast<double>(*m_summary.steadyRequest), 0}).x();
        QColor shade = style().operating;
        shade.setAlphaF(0.08f);
        painter.fillRect(QRectF(QPointF(x, area.top()), area.bottomRight()), shade);
        painter.setPen(QPen(style().muted, 1.2, Qt::DotLine));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    }
    if (m_summary.steadyTtftMs) {
        const qreal y = toView({0, *m_summary.steadyTtftMs}).y();
        painter.setPen(QPen(style().operating, 1.6, Qt::DashLine));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
}

void ColdStartPlot::paintMarks(QPainter& painter)
{
    for (std::size_t i = 0; i < m_summary.ttftMs.size(); ++i) {
        const auto number = static_cast<double>(i + 1);
        if (const std::optional<double>& ttft = m_summary.ttftMs[i]) {
            drawMarker(painter, toView({number, *ttft}), kMarker, MarkerShape::Circle, MarkerState::Passing,
                       style().seriesColor(0), style().background);
            continue;
        }
        const QPointF at(toView({number, 0}).x(), plotArea().top() + 8);
        painter.setPen(QPen(style().slo, 1.6));
        painter.drawLine(at + QPointF(-4, -4), at + QPointF(4, 4));
        painter.drawLine(at + QPointF(-4, 4), at + QPointF(4, -4));
    }
}

std::optional<PlotView::Hover> ColdStartPlot::hoverAt(QPointF view) const
{
    const auto i = static_cast<qsizetype>(std::lround(toValue(view).x())) - 1;
    if (i < 0 || i >= static_cast<qsizetype>(m_summary.ttftMs.size()))
        return Hover{view, {}};
    const std::optional<double>& ttft = m_summary.ttftMs[static_cast<std::size_t>(i)];
    return Hover{ttft ? toView({static_cast<double>(i + 1), *ttft}) : view,
                 ttft ? tr("Request %1: %2").arg(i + 1).arg(formatMetric(Metric::Ttft, ttft))
                      : tr("Request %1 failed").arg(i + 1)};
}

} // namespace tailmark::ui
