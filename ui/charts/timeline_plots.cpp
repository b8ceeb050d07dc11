// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/timeline_plots.h"

#include "models/format.h"

#include <QPaintEngine>
#include <QPainter>
#include <QPixmap>
#include <QSet>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailmark::ui {

namespace {

constexpr qreal kDot = 4.5;
constexpr qreal kSteadyBar = 3;

QColor faded(QColor color, qreal alpha)
{
    color.setAlphaF(alpha);
    return color;
}

} // namespace

// ---- what all have

Scale TimePlot::fitTime() const
{
    return {0, m_data.endS > 0 ? m_data.endS : 1, false};
}

void TimePlot::paintBelow(QPainter& painter)
{
    const QRectF area = plotArea();
    const auto x = [&](double s) { return toView({s, yScale().max}).x(); };
    if (m_data.windowEndS > m_data.windowStartS) {
        const qreal from = x(m_data.windowStartS), to = x(m_data.windowEndS);
        painter.fillRect(QRectF(from, area.top(), to - from, area.height()), faded(style().window, 0.07));
        painter.setPen(QPen(faded(style().window, 0.55), 1));
        painter.drawLine(QPointF(from, area.top()), QPointF(from, area.bottom()));
        painter.drawLine(QPointF(to, area.top()), QPointF(to, area.bottom()));
    }
    painter.setPen(QPen(style().muted, 1, Qt::DotLine));
    for (qsizetype i = 1; i < m_data.phases.size(); ++i) {
        const qreal at = x(m_data.phases[i].startS);
        painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
    }
}

void TimePlot::paintLabels(QPainter& painter)
{
    if (!m_namesPhases)
        return;
    const QRectF area = plotArea();
    const auto x = [&](double s) {
        return std::clamp(toView({s, yScale().max}).x(), area.left(), area.right());
    };
    if (isSteadyKnown())
        painter.fillRect(QRectF(QPointF(x(m_data.steadyFromS), area.top() - kSteadyBar - 2),
                                QPointF(x(m_data.steadyToS), area.top() - 2)),
                         style().operating);
    const QFontMetricsF metrics(painter.font());
    const QRectF strip = topStrip();
    painter.setPen(style().muted);
    for (qsizetype i = 0; i < m_data.phases.size(); ++i) {
        const qreal from = x(m_data.phases[i].startS) + 2;
        const qreal to = i + 1 < m_data.phases.size() ? x(m_data.phases[i + 1].startS) - 4 : area.right();
        if (to - from > 20)
            painter.drawText(QRectF(from, strip.top(), to - from, strip.height()),
                             Qt::AlignLeft | Qt::AlignVCenter,
                             metrics.elidedText(m_data.phases[i].name, Qt::ElideRight, to - from));
    }
}

QList<PlotView::LegendEntry> TimePlot::timeLegend() const
{
    QList<LegendEntry> legend;
    if (!m_namesPhases)
        return legend;
    if (m_data.phases.isEmpty() && m_data.windowEndS > m_data.windowStartS)
        legend.append({tr("window"), faded(style().window, 0.35), MarkerShape::Square, Qt::NoPen});
    if (isSteadyKnown())
        legend.append({tr("steady from %1 s on").arg(formatNumber(m_data.steadyFromS, 3)), style().operating,
                       std::nullopt, Qt::SolidLine});
    return legend;
}

// ---- rates

RatesPlot::RatesPlot(const QString& title, const QString& unit, const QList<Curve>& curves, bool atEnd,
                     QWidget* parent)
    : TimePlot(parent), m_unit(unit), m_curves(curves), m_atEnd(atEnd)
{
    setMinimumSize(220, 56);
    setTitles({}, unit.isEmpty() ? title : QStringLiteral("%1 [%2]").arg(title, unit));
    setFit({0, 1, false}, {0, 1, false});
    restyle();
}

void RatesPlot::setData(const TimelineData& data)
{
    setTimes(data);
    setTopStrip(m_namesPhases && !data.phases.isEmpty());
    double high = 0;
    for (const TimelineBin& bin : data.bins)
        for (const Curve& curve : m_curves)
            high = std::max(high, bin.*curve.value);
    setFit(fitTime(), high > 0 ? fitScale(0, high, false, 0, 0.12) : Scale{0, 1, false});
    restyle();
    updateMarks();
}

void RatesPlot::restyle()
{
    QList<Line> lines;
    QList<LegendEntry> legend;
    for (const Curve& curve : m_curves) {
        if (curve.onlyWhenPresent &&
            std::none_of(data().bins.begin(), data().bins.end(),
                         [&](const TimelineBin& bin) { return bin.*curve.value > 0; }))
            continue;
        Line line{{}, style().seriesColor(curve.color), curve.width, curve.style};
        line.points.reserve(data().bins.size());
        for (const TimelineBin& bin : data().bins)
            line.points.append({bin.startS + data().binS * (m_atEnd ? 1 : 0.5), bin.*curve.value});
        lines.append(line);
        legend.append({curve.name, line.color, std::nullopt, curve.style});
    }
    setLines(lines);
    setLegend(legend + timeLegend());
}

std::optional<PlotView::Hover> RatesPlot::hoverAt(QPointF view) const
{
    const double s = toValue(view).x();
    const auto& bins = data().bins;
    const auto i = static_cast<qsizetype>(std::floor(s / data().binS));
    if (i < 0 || i >= bins.size())
        return Hover{view, {}};
    QStringList lines{tr("%1 after the start").arg(formatValue(bins[i].startS, "s"))};
    for (const Curve& curve : m_curves)
        lines << QStringLiteral("%1: %2").arg(curve.name,
                                              formatValue(bins[i].*curve.value, m_unit.toStdString()));
    return Hover{view, lines.join(QLatin1Char('\n'))};
}

// ---- the engine's own counters

ServerPlot::ServerPlot(const QString& title, const QString& unit, const QList<Curve>& curves, QWidget* parent)
    : TimePlot(parent), m_unit(unit), m_curves(curves)
{
    setMinimumSize(220, 48);
    setTitles({}, unit.isEmpty() ? title : QStringLiteral("%1 [%2]").arg(title, unit));
    setFit({0, 1, false}, {0, 1, false});
    restyle();
}

void ServerPlot::setData(const TimelineData& data)
{
    setTimes(data);
    double high = 0;
    bool told = false;
    for (const TimelineData::ServerState& state : data.server)
        for (const Curve& curve : m_curves)
            if (const std::optional<double>& value = state.*curve.value) {
                told = true;
                high = std::max(high, *value);
            }
    setFit(fitTime(), high > 0 ? fitScale(0, high, false, 0, 0.12) : Scale{0, 1, false});
    restyle();
    updateMarks();
    setVisible(told);
}

void ServerPlot::restyle()
{
    QList<Line> lines;
    QList<LegendEntry> legend;
    for (const Curve& curve : m_curves) {
        Line line{{}, style().seriesColor(curve.color), 1.8, Qt::SolidLine};
        for (const TimelineData::ServerState& state : data().server)
            if (const std::optional<double>& value = state.*curve.value)
                line.points.append({state.atS, *value});
        if (line.points.isEmpty())
            continue;
        lines.append(line);
        legend.append({curve.name, line.color, std::nullopt, line.style});
    }
    setLines(lines);
    setLegend(legend);
}

std::optional<PlotView::Hover> ServerPlot::hoverAt(QPointF view) const
{
    const double s = toValue(view).x();
    const auto& states = data().server;
    const auto nearest = std::min_element(states.begin(), states.end(), [&](const auto& a, const auto& b) {
        return std::abs(a.atS - s) < std::abs(b.atS - s);
    });
    if (nearest == states.end() || std::abs(nearest->atS - s) > 2)
        return Hover{view, {}};
    QStringList lines{tr("%1 after the start").arg(formatValue(nearest->atS, "s"))};
    for (const Curve& curve : m_curves)
        if (const std::optional<double>& value = (*nearest).*curve.value)
            lines << QStringLiteral("%1: %2").arg(curve.name, formatValue(*value, m_unit.toStdString()));
    return Hover{view, lines.join(QLatin1Char('\n'))};
}

// ---- dots

DotsPlot::DotsPlot(QWidget* parent) : TimePlot(parent)
{
    setMinimumSize(220, 84);
    setFit({0, 1, false}, {1, 1000, true});
    restyle();
}

void DotsPlot::setData(const TimelineData& data)
{
    setTimes(data);
    setTitles(tr("seconds since the start of the point"), metricHead(data.latency));
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const QPointF& dot : data.dots)
        if (dot.y() > 0) {
            low = std::min(low, dot.y());
            high = std::max(high, dot.y());
        }
    setFit(fitTime(), high > 0 ? fitScale(low, high, true, 0.06, 0.12) : Scale{1, 1000, true});
    restyle();
    updateMarks();
}

void DotsPlot::restyle()
{
    QList<LegendEntry> legend{
        {tr("one request, at its intended start"), style().seriesColor(0), MarkerShape::Circle, Qt::NoPen}};
    if (!data().failures.isEmpty())
        legend.append(
            {tr("%1 failed (×)").arg(formatCount(static_cast<std::uint64_t>(data().failures.size()))),
             style().slo, std::nullopt, Qt::NoPen});
    setLegend(legend);
}

void drawDots(QPainter& painter, const QList<QPointF>& at, const QRectF& within, qreal size,
              const QColor& color)
{
    const QPaintEngine* engine = painter.paintEngine();
    if (engine && engine->type() != QPaintEngine::Raster) {
        QPen pen(color, size, Qt::SolidLine, Qt::RoundCap);
        painter.setPen(pen);
        for (const QPointF& p : at)
            if (within.contains(p))
                painter.drawPoint(p);
        return;
    }
    const qreal ratio = painter.device() ? painter.device()->devicePixelRatioF() : 1;
    QPixmap dot((QSizeF(size + 1, size + 1) * ratio).toSize());
    dot.setDevicePixelRatio(ratio);
    dot.fill(Qt::transparent);
    {
        QPainter brush(&dot);
        brush.setRenderHint(QPainter::Antialiasing);
        brush.setPen(Qt::NoPen);
        brush.setBrush(color);
        brush.drawEllipse(QRectF(0.5, 0.5, size, size));
    }
    QSet<qint64> taken; // what lies on the same pixel is drawn once
    const QPointF corner(-(size + 1) / 2, -(size + 1) / 2);
    for (const QPointF& p : at) {
        if (!within.contains(p))
            continue;
        const qint64 place = (static_cast<qint64>(p.x()) << 32) | static_cast<qint64>(p.y());
        if (taken.contains(place))
            continue;
        taken.insert(place);
        painter.drawPixmap(p + corner, dot);
    }
}

void DotsPlot::paintMarks(QPainter& painter)
{
    QList<QPointF> at;
    at.reserve(data().dots.size());
    for (const QPointF& dot : data().dots)
        if (yScale().canShow(dot.y()))
            at.append(toView(dot));
    drawDots(painter, at, plotArea(), kDot,
             faded(style().seriesColor(0), data().dots.size() > 2000 ? 0.35 : 0.6));
    painter.setPen(QPen(style().slo, 1.4));
    const qreal y = plotArea().top() + 6;
    for (double s : data().failures) {
        const qreal x = toView({s, yScale().max}).x();
        painter.drawLine(QPointF(x - 3, y - 3), QPointF(x + 3, y + 3));
        painter.drawLine(QPointF(x - 3, y + 3), QPointF(x + 3, y - 3));
    }
}

std::optional<PlotView::Hover> DotsPlot::hoverAt(QPointF view) const
{
    qreal best = 14;
    Hover hover{view, {}};
    for (const QPointF& dot : data().dots) {
        if (!yScale().canShow(dot.y()))
            continue;
        const QPointF at = toView(dot);
        if (const qreal d = std::hypot(at.x() - view.x(), at.y() - view.y()); d < best) {
            best = d;
            hover = {at, tr("Intended %1 after the start\n%2: %3")
                             .arg(formatValue(dot.x(), "s"), text(metricInfo(data().latency).title),
                                  formatMetric(data().latency, dot.y()))};
        }
    }
    return hover;
}

} // namespace tailmark::ui
