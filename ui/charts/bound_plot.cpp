// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/bound_plot.h"

#include "models/format.h"

#include <QLineF>
#include <QPainter>

#include <algorithm>
#include <limits>

namespace tailmark::ui {

namespace {

constexpr qreal kMarker = 9;
constexpr qreal kNear = 30;

} // namespace

BoundPlot::BoundPlot(QWidget* parent) : PlotView(parent)
{
    setMinimumSize(260, 120);
    setAccessibleName(tr("Output tokens per second over the batch: bounds and measured levels"));
    setTitles(tr("batch [sequences]"), tr("output [tok/s]"));
    setFit({1, 100, true}, {1, 1000, true});
}

void BoundPlot::setData(const BoundData& data)
{
    m_data = data;
    double lowX = std::numeric_limits<double>::infinity(), highX = 0, lowY = lowX, highY = 0;
    const auto take = [&](QPointF p) {
        if (p.x() <= 0 || p.y() <= 0)
            return;
        lowX = std::min(lowX, p.x());
        highX = std::max(highX, p.x());
        lowY = std::min(lowY, p.y());
        highY = std::max(highY, p.y());
    };
    for (const QPointF& p : data.bandwidth)
        take(p);
    for (const BoundData::Level& level : data.levels)
        take(level.at);
    // Where arithmetic binds far above everything else, the frame does not follow it.
    if (highX > 0)
        setFit(fitScale(lowX, highX, true, 0.02, 0.04), fitScale(lowY, highY, true, 0.06, 0.1));
    restyle();
    setAccessibleDescription(data.claim);
    updateMarks();
}

void BoundPlot::restyle()
{
    QList<Line> lines;
    QList<LegendEntry> legend;
    if (m_data.known()) {
        lines.append({m_data.bandwidth, style().operating, 2, Qt::SolidLine});
        legend.append({tr("memory bound"), style().operating, std::nullopt, Qt::SolidLine});
    }
    if (!m_data.compute.isEmpty()) {
        lines.append({m_data.compute, style().slo, 1.6, Qt::DashLine});
        legend.append({tr("compute bound"), style().slo, std::nullopt, Qt::DashLine});
    }
    if (!m_data.levels.isEmpty())
        legend.append({tr("measured"), style().seriesColor(0), MarkerShape::Circle});
    setLines(lines);
    setLegend(legend);
}

void BoundPlot::paintMarks(QPainter& painter)
{
    for (const BoundData::Level& level : m_data.levels)
        if (xScale().canShow(level.at.x()) && yScale().canShow(level.at.y()))
            drawMarker(painter, toView(level.at), kMarker, MarkerShape::Circle,
                       level.valid ? MarkerState::Passing : MarkerState::Invalid, style().seriesColor(0),
                       style().background);
}

std::optional<PlotView::Hover> BoundPlot::hoverAt(QPointF view) const
{
    const BoundData::Level* nearest = nullptr;
    qreal least = kNear;
    for (const BoundData::Level& level : m_data.levels) {
        if (!xScale().canShow(level.at.x()) || !yScale().canShow(level.at.y()))
            continue;
        const qreal distance = QLineF(toView(level.at), view).length();
        if (distance < least) {
            least = distance;
            nearest = &level;
        }
    }
    if (nearest)
        return Hover{toView(nearest->at), tr("%1\nbatch %2, %3 tok/s")
                                              .arg(nearest->details, formatNumber(nearest->at.x(), 3),
                                                   formatNumber(nearest->at.y()))};
    const QPointF value = toValue(view);
    return Hover{view, tr("batch %1, %2 tok/s").arg(formatNumber(value.x(), 3), formatNumber(value.y(), 3))};
}

} // namespace tailmark::ui
