// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/distribution_plots.h"

#include "models/format.h"

#include <QPainter>

#include <algorithm>

namespace tailmark::ui {

namespace {

constexpr double kMarked[] = {50, 90, 99};

} // namespace

Scale PercentilePlot::fitValues() const
{
    if (m_data.ecdf.isEmpty())
        return {0, 1, false};
    return fitScale(m_data.ecdf.first().x(), m_data.ecdf.last().x(), m_data.logarithmic, 0.03, 0.05);
}

void PercentilePlot::paintMarks(QPainter& painter)
{
    if (!m_data.summary)
        return;
    painter.setPen(QPen(style().operating, 1.2, Qt::DashLine));
    for (double percent : kMarked)
        if (const auto* q = m_data.summary->at(percent); q && xScale().canShow(q->value)) {
            const qreal x = toView({q->value, yScale().max}).x();
            painter.drawLine(QPointF(x, plotArea().top()), QPointF(x, plotArea().bottom()));
        }
}

// ---- distribution function

EcdfPlot::EcdfPlot(QWidget* parent) : PercentilePlot(parent)
{
    setMinimumSize(220, 100);
    setTitles({}, tr("share not above [%]"));
    setFit({0, 1, false}, {0, 103, false});
}

void EcdfPlot::setData(const DistributionData& data)
{
    setValues(data);
    setFit(fitValues(), {0, 103, false});
    restyle();
    updateMarks();
}

void EcdfPlot::restyle()
{
    Line line{{}, style().seriesColor(0), 2};
    for (const QPointF& p : data().ecdf)
        line.points.append({p.x(), p.y() * 100});
    setLines({line});
}

void EcdfPlot::paintLabels(QPainter& painter)
{
    if (!data().summary)
        return;
    const QRectF area = plotArea();
    QList<QRectF> taken;
    for (double percent : kMarked) {
        const auto* q = data().summary->at(percent);
        if (!q || !xScale().canShow(q->value))
            continue;
        const qreal x = toView({q->value, percent}).x();
        if (x < area.left() || x > area.right())
            continue;
        QString label =
            QStringLiteral("%1 = %2").arg(percentileName(percent), formatMetric(data().metric, q->value));
        if (q->weak)
            label += tr(" (weak)");
        const QSizeF size = chipSize(painter.font(), label);
        const qreal left = x + 5 + size.width() < area.right() ? x + 5 : x - 5 - size.width();
        QRectF box(QPointF(left, area.bottom() - size.height() - 6), size);
        for (const QRectF& other : std::as_const(taken))
            if (other.intersects(box))
                box.moveBottom(other.top() - 3);
        taken.append(drawChip(painter, box.topLeft(), label, style().operating, style().background,
                              style().operating));
    }
}

std::optional<PlotView::Hover> EcdfPlot::hoverAt(QPointF view) const
{
    const double x = toValue(view).x();
    const auto& steps = data().ecdf;
    const auto above =
        std::upper_bound(steps.begin(), steps.end(), x, [](double v, const QPointF& p) { return v < p.x(); });
    const double share = above == steps.begin() ? 0 : std::prev(above)->y();
    return Hover{view, tr("%1 are not above %2").arg(formatShare(share), formatMetric(data().metric, x))};
}

// ---- histogram

HistogramPlot::HistogramPlot(QWidget* parent) : PercentilePlot(parent)
{
    setMinimumSize(220, 84);
    setFit({0, 1, false}, {0, 1, false});
}

void HistogramPlot::setData(const DistributionData& data)
{
    setValues(data);
    const bool gaps = metricInfo(data.metric).scope == MetricScope::Chunk;
    setTitles(withUnit(text(metricInfo(data.metric).title), data.metric), data.metric == Metric::Itl
                                                                              ? tr("tokens")
                                                                          : gaps ? tr("gaps")
                                                                                 : tr("requests"));
    double high = 0;
    for (const auto& bar : data.histogram)
        high = std::max(high, bar.count);
    setFit(fitValues(), {0, high > 0 ? high * 1.1 : 1, false});
    updateMarks();
}

void HistogramPlot::paintBelow(QPainter& painter)
{
    QColor fill = style().seriesColor(0);
    fill.setAlphaF(0.55f);
    for (const auto& bar : data().histogram) {
        if (bar.count <= 0 || !xScale().canShow(bar.low))
            continue;
        const QPointF topLeft = toView({bar.low, bar.count}), bottomRight = toView({bar.high, 0});
        painter.fillRect(QRectF(topLeft, bottomRight).adjusted(0.5, 0, -0.5, 0), fill);
    }
}

std::optional<PlotView::Hover> HistogramPlot::hoverAt(QPointF view) const
{
    const double x = toValue(view).x();
    for (const auto& bar : data().histogram)
        if (x >= bar.low && x < bar.high)
            return Hover{view, tr("%1 between %2 and %3")
                                   .arg(formatCount(static_cast<std::uint64_t>(bar.count)),
                                        formatNumber(bar.low), formatMetric(data().metric, bar.high))};
    return Hover{view, {}};
}

} // namespace tailmark::ui
