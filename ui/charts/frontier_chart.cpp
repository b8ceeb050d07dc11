// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/frontier_chart.h"

#include "charts/label_place.h"
#include "models/format.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailmark::ui {

namespace {

constexpr qreal kMarker = 10;
constexpr qreal kRing = 6;  // around the operating point
constexpr qreal kGrab = 5;  // half the height in which the SLO line can be taken
constexpr qreal kNear = 30; // how far the crosshair looks for a point
constexpr qreal kSloStep = 1.05;

/// Three significant digits: a limit set by hand should read like one.
double rounded(double value)
{
    const double magnitude = std::pow(10.0, std::floor(std::log10(value)) - 2);
    return std::round(value / magnitude) * magnitude;
}

QColor faded(QColor color, qreal alpha)
{
    color.setAlphaF(alpha);
    return color;
}

} // namespace

FrontierChart::FrontierChart(QWidget* parent) : PlotView(parent)
{
    setMinimumSize(320, 150);
    setAxes(m_axes, false);
}

void FrontierChart::setAxes(const FrontierAxes& axes, bool logarithmic)
{
    m_axes = axes;
    m_log = logarithmic;
    setTitles(withUnit(text(metricInfo(axes.x).title), axes.x),
              withUnit(quantileName(axes.y, axes.percent), axes.y));
    fit();
    describe();
}

void FrontierChart::setSeries(const QList<FrontierSeries>& series)
{
    m_series = series;
    restyle();
    fit();
    describe();
    updateMarks();
}

void FrontierChart::setSlo(std::optional<double> limit, bool movable)
{
    if (m_draggingSlo)
        return; // the hand on the line knows better than an answer to where it was
    m_slo = limit;
    m_sloMovable = movable;
    fit();
    updateMarks();
}

void FrontierChart::setLive(const std::optional<LiveMark>& live)
{
    m_live = live;
    fit();
    updateMarks();
}

void FrontierChart::setSelected(PointIndex point)
{
    m_selected = point;
    updateMarks();
}

void FrontierChart::restyle()
{
    QList<Line> lines;
    QList<LegendEntry> legend;
    for (int i = 0; i < m_series.size(); ++i) {
        lines.append({m_series[i].line, style().seriesColor(i), 2});
        if (!m_series[i].bound.isEmpty())
            lines.append({m_series[i].bound, style().operating, 1.6, Qt::DashDotLine});
        if (m_series.size() > 1)
            legend.append({m_series[i].name, style().seriesColor(i), ChartStyle::seriesShape(i)});
    }
    if (std::any_of(m_series.begin(), m_series.end(),
                    [](const FrontierSeries& s) { return !s.bound.isEmpty(); }))
        legend.append({tr("bound of the hardware"), style().operating, std::nullopt, Qt::DashDotLine});
    setLines(lines);
    setLegend(legend);
}

void FrontierChart::fit()
{
    if (m_draggingSlo)
        return;
    double right = 0, low = std::numeric_limits<double>::infinity(), high = 0;
    const auto take = [&](double y) {
        if (std::isfinite(y) && y > 0) {
            low = std::min(low, y);
            high = std::max(high, y);
        }
    };
    for (const FrontierSeries& s : m_series)
        for (const FrontierPoint& p : s.points) {
            right = std::max(right, p.x);
            take(p.y);
            if (p.interval) {
                take(p.interval->low);
                take(p.interval->high);
            }
        }
    for (const FrontierSeries& s : m_series)
        for (const QPointF& p : s.bound)
            right = std::max(right, p.x());
    if (m_live)
        for (const QPointF& p : m_live->trail) {
            right = std::max(right, p.x());
            take(p.y());
        }
    if (m_slo)
        take(*m_slo);
    if (high <= 0) {
        setFit({0, 1, false}, m_log ? Scale{1, 1000, true} : Scale{0, 1000, false});
        return;
    }
    setFit(fitScale(0, right > 0 ? right : 1, false, 0, 0.1),
           m_log ? fitScale(low, high, true, 0.08, 0.1) : fitScale(0, high, false, 0, 0.1));
}

void FrontierChart::describe()
{
    setAccessibleName(tr("Frontier: %1 against %2")
                          .arg(text(metricInfo(m_axes.x).title), quantileName(m_axes.y, m_axes.percent)));
    QStringList lines;
    for (const FrontierSeries& s : m_series) {
        if (!s.name.isEmpty())
            lines << s.name;
        for (const FrontierPoint& p : s.points)
            lines << QStringLiteral("%1: %2, %3")
                         .arg(formatLoad(p.load), formatMetric(m_axes.x, p.x), formatMetric(m_axes.y, p.y));
        if (s.mark)
            lines << s.mark->label;
    }
    setAccessibleDescription(lines.join(QLatin1Char('\n')));
}

// ---- painting

void FrontierChart::paintBelow(QPainter& painter)
{
    const QRectF area = plotArea();
    for (int i = 0; i < m_series.size(); ++i) {
        const auto& mark = m_series[i].mark;
        if (!mark || !mark->bracket)
            continue;
        const QColor color = m_series.size() > 1 ? style().seriesColor(i) : style().operating;
        const qreal left = toView({mark->bracket->low, yScale().min}).x();
        const qreal right = toView({mark->bracket->high, yScale().min}).x();
        painter.fillRect(QRectF(left, area.top(), right - left, area.height()), faded(color, 0.10));
        painter.setPen(QPen(faded(color, 0.45), 1, Qt::DotLine));
        painter.drawLine(QPointF(left, area.top()), QPointF(left, area.bottom()));
        painter.drawLine(QPointF(right, area.top()), QPointF(right, area.bottom()));
    }
}

void FrontierChart::paintMark(QPainter& painter, const FrontierMark& mark, int series) const
{
    const QColor color = m_series.size() > 1 ? style().seriesColor(series) : style().operating;
    for (double x : mark.crossings) {
        const QPointF at = toView({x, m_slo.value_or(yScale().max)});
        painter.setPen(QPen(color, 1.4, Qt::DashLine));
        painter.drawLine(QPointF(at.x(), plotArea().bottom()), at);
        if (!m_slo)
            continue;
        if (mark.uncertain) {
            const qreal low = toView({mark.uncertain->low, *m_slo}).x(),
                        high = toView({mark.uncertain->high, *m_slo}).x();
            painter.setPen(QPen(color, 2));
            painter.drawLine(QPointF(low, at.y()), QPointF(high, at.y()));
            for (qreal end : {low, high})
                painter.drawLine(QPointF(end, at.y() - 4), QPointF(end, at.y() + 4));
        }
        painter.setPen(QPen(color, 2));
        painter.setBrush(style().background);
        painter.drawEllipse(at, kRing, kRing);
        painter.setBrush(color);
        painter.drawEllipse(at, 2, 2);
    }
}

void FrontierChart::paintMarks(QPainter& painter)
{
    const QRectF area = plotArea();
    for (int i = 0; i < m_series.size(); ++i) {
        painter.setPen(QPen(faded(style().seriesColor(i), 0.65), 1.3));
        for (const FrontierPoint& p : m_series[i].points) {
            if (!p.interval)
                continue;
            const qreal x = toView({p.x, p.y}).x();
            const double lowest = yScale().log ? std::max(p.interval->low, yScale().min) : p.interval->low;
            const qreal low = toView({p.x, lowest}).y(), high = toView({p.x, p.interval->high}).y();
            painter.drawLine(QPointF(x, low), QPointF(x, high));
            for (qreal end : {low, high})
                painter.drawLine(QPointF(x - 4, end), QPointF(x + 4, end));
        }
    }
    if (m_slo) {
        const qreal y = toView({xScale().min, *m_slo}).y();
        painter.setPen(QPen(style().slo, m_draggingSlo ? 2.2 : 1.6, Qt::DashLine));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    for (int i = 0; i < m_series.size(); ++i)
        if (m_series[i].mark)
            paintMark(painter, *m_series[i].mark, i);
    for (int i = 0; i < m_series.size(); ++i)
        for (const FrontierPoint& p : m_series[i].points) {
            const MarkerState state = !p.valid   ? MarkerState::Invalid
                                      : p.passes ? MarkerState::Passing
                                                 : MarkerState::Failing;
            const QPointF at = toView({p.x, p.y});
            if (i == 0 && p.point == m_selected) {
                painter.setPen(QPen(style().selection, 1.6));
                painter.setBrush(Qt::NoBrush);
                painter.drawEllipse(at, kMarker * 0.95, kMarker * 0.95);
            }
            drawMarker(painter, at, kMarker, ChartStyle::seriesShape(i), state,
                       p.valid ? style().seriesColor(i) : style().muted, style().background);
        }
    if (m_live && !m_live->trail.isEmpty()) {
        QPolygonF trail;
        for (const QPointF& p : m_live->trail)
            if (xScale().canShow(p.x()) && yScale().canShow(p.y()))
                trail << toView(p);
        if (!trail.isEmpty()) {
            const QColor color = style().seriesColor(1);
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(faded(color, 0.45), 1.6));
            painter.drawPolyline(trail);
            painter.setPen(QPen(faded(color, 0.5), 2));
            painter.drawEllipse(trail.last(), kMarker, kMarker);
            painter.setPen(QPen(style().background, 1.2));
            painter.setBrush(color);
            painter.drawEllipse(trail.last(), kMarker / 2, kMarker / 2);
        }
    }
}

void FrontierChart::paintPointLabels(QPainter& painter, QList<QRectF>& taken) const
{
    const QFontMetricsF metrics(painter.font());
    const QRectF room = plotArea().adjusted(0, -metrics.height() * 0.3, 14, 0);
    const QList<QLineF> lines = drawnLines();
    for (int i = 0; i < m_series.size(); ++i) {
        painter.setPen(m_series.size() > 1 ? style().seriesColor(i) : style().text);
        QString before;
        for (const FrontierPoint& p : m_series[i].points) {
            const QPointF at = toView({p.x, p.y});
            const QString label = formatLoadValue(p.load);
            if (!plotArea().contains(at) || label == before)
                continue; // repeats of a level share one label
            const QSizeF size(metrics.horizontalAdvance(label), metrics.height() * 0.85);
            const qreal gap = i == 0 && p.point == m_selected ? kMarker : kMarker * 0.5 + 3;
            const auto box = labelPlace(at, size, gap, room, taken, lines);
            if (!box)
                continue;
            painter.drawText(QPointF(box->left(), box->bottom() - metrics.descent() * 0.6), label);
            taken.append(*box);
            before = label;
        }
    }
}

/// What a label had better not lie over: the curves and the limit.
QList<QLineF> FrontierChart::drawnLines() const
{
    QList<QLineF> lines;
    for (const FrontierSeries& s : m_series)
        for (const QList<QPointF>* curve : {&s.line, &s.bound})
            for (qsizetype i = 1; i < curve->size(); ++i)
                if (yScale().canShow((*curve)[i - 1].y()) && yScale().canShow((*curve)[i].y()))
                    lines.append(QLineF(toView((*curve)[i - 1]), toView((*curve)[i])));
    if (m_slo)
        lines.append(QLineF(toView({xScale().min, *m_slo}), toView({xScale().max, *m_slo})));
    return lines;
}

/// Where the points with their whiskers and the operating point are: no label may hide them.
QList<QRectF> FrontierChart::pointPlaces() const
{
    QList<QRectF> places;
    for (const FrontierSeries& s : m_series)
        for (const FrontierPoint& p : s.points) {
            const QPointF at = toView({p.x, p.y});
            places.append(QRectF(at.x() - kMarker / 2, at.y() - kMarker / 2, kMarker, kMarker));
            if (p.interval)
                places.append(
                    QRectF(QPointF(at.x() - 4, toView({p.x, p.interval->high}).y()),
                           QPointF(at.x() + 4, toView({p.x, std::max(p.interval->low, yScale().min)}).y())));
        }
    for (const FrontierSeries& s : m_series)
        if (s.mark && m_slo)
            for (double x : s.mark->crossings) {
                const QPointF at = toView({x, *m_slo});
                places.append(QRectF(at.x() - kRing - 1, at.y() - kRing - 1, 2 * kRing + 2, 2 * kRing + 2));
                if (s.mark->uncertain)
                    places.append(QRectF(QPointF(toView({s.mark->uncertain->low, *m_slo}).x(), at.y() - 4),
                                         QPointF(toView({s.mark->uncertain->high, *m_slo}).x(), at.y() + 4)));
            }
    return places;
}

void FrontierChart::paintLabels(QPainter& painter)
{
    const QRectF area = plotArea();
    QList<QRectF> taken = pointPlaces();
    const auto chip = [&](QPointF corner, const QString& label, const QColor& color) {
        const QSizeF size = chipSize(painter.font(), label);
        corner.setX(std::clamp(corner.x(), area.left() + 2,
                               std::max(area.left() + 2, area.right() - size.width() - 2)));
        QRectF box(corner, size);
        const auto blocking = [&] {
            return std::find_if(taken.cbegin(), taken.cend(),
                                [&](const QRectF& r) { return r.intersects(box); });
        };
        for (auto other = blocking(); other != taken.cend() && box.top() > area.top(); other = blocking())
            box.moveBottom(other->top() - 3);
        if (box.top() < area.top()) // no room above: rather over something than out of the chart
            box.moveTop(corner.y());
        taken.append(drawChip(painter, box.topLeft(), label, color, style().background, color));
    };
    if (m_slo) {
        const qreal y = toView({xScale().min, *m_slo}).y();
        if (y >= area.top() - 1 && y <= area.bottom() + 1) {
            const QString label =
                tr("SLO %1 ≤ %2").arg(quantileName(m_axes.y, m_axes.percent), formatMetric(m_axes.y, *m_slo));
            const qreal height = chipSize(painter.font(), label).height();
            const bool above = y - height - 4 > area.top();
            chip({area.left() + 8, above ? y - height - 3 : y + 3}, label, style().slo);
        }
    }
    for (int i = 0; i < m_series.size(); ++i) {
        const auto& mark = m_series[i].mark;
        if (!mark || mark->label.isEmpty() || mark->crossings.isEmpty())
            continue;
        const qreal x = toView({mark->crossings.first(), yScale().min}).x();
        if (x < area.left() || x > area.right())
            continue;
        // Left above the crossing the chart is empty: the curve comes from below and leaves upwards to the
        // right.
        const QSizeF size = chipSize(painter.font(), mark->label);
        const qreal y = m_slo ? toView({xScale().min, *m_slo}).y() : area.bottom();
        chip({x - size.width() - 14, std::max(area.top() + 2, y - size.height() - 8)}, mark->label,
             m_series.size() > 1 ? style().seriesColor(i) : style().operating);
    }
    if (m_live && !m_live->trail.isEmpty() && !m_live->label.isEmpty()) {
        const QPointF at = toView(m_live->trail.last());
        if (area.contains(at))
            chip(at + QPointF(14, 6), m_live->label, style().seriesColor(1));
    }
    paintPointLabels(painter, taken);
}

// ---- interaction

std::optional<FrontierChart::Hit> FrontierChart::nearest(QPointF view, qreal within) const
{
    std::optional<Hit> best;
    qreal distance = within;
    for (int i = 0; i < m_series.size(); ++i)
        for (const FrontierPoint& p : m_series[i].points) {
            const QPointF d = toView({p.x, p.y}) - view;
            if (const qreal r = std::hypot(d.x(), d.y()); r <= distance) {
                distance = r;
                best = Hit{i, &p};
            }
        }
    return best;
}

std::optional<PlotView::Hover> FrontierChart::hoverAt(QPointF view) const
{
    const auto hit = nearest(view, kNear);
    if (!hit)
        return Hover{view, {}};
    const QString& name = m_series[hit->series].name;
    return Hover{toView({hit->point->x, hit->point->y}), m_series.size() > 1 && !name.isEmpty()
                                                             ? name + QLatin1Char('\n') + hit->point->details
                                                             : hit->point->details};
}

bool FrontierChart::isOnSlo(QPointF view) const
{
    return m_slo && m_sloMovable && plotArea().adjusted(0, -kGrab, 0, kGrab).contains(view) &&
           std::fabs(toView({xScale().min, *m_slo}).y() - view.y()) <= kGrab;
}

void FrontierChart::moveSlo(double limit, bool final)
{
    if (!std::isfinite(limit) || limit <= 0)
        return;
    m_slo = rounded(limit);
    updateMarks();
    if (final)
        emit sloEdited(*m_slo);
    else
        emit sloDragged(*m_slo);
}

void FrontierChart::mousePressEvent(QMouseEvent* event)
{
    m_pressedAt = event->position();
    if (event->button() == Qt::LeftButton && isOnSlo(event->position())) {
        m_draggingSlo = true;
        showHover({});
        updateMarks();
        event->accept();
        return;
    }
    PlotView::mousePressEvent(event);
}

void FrontierChart::mouseMoveEvent(QMouseEvent* event)
{
    if (m_draggingSlo) {
        const qreal y = std::clamp(event->position().y(), plotArea().top(), plotArea().bottom() - 1);
        moveSlo(toValue({plotArea().left(), y}).y(), false);
        return;
    }
    PlotView::mouseMoveEvent(event);
    if (!isPanning()) {
        if (isOnSlo(event->position()))
            setCursor(Qt::SizeVerCursor);
        else
            unsetCursor();
    }
}

void FrontierChart::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_draggingSlo) {
        m_draggingSlo = false;
        updateMarks();
        emit sloEdited(*m_slo);
        return;
    }
    PlotView::mouseReleaseEvent(event);
    if (event->button() == Qt::LeftButton && (event->position() - m_pressedAt).manhattanLength() < 4)
        if (const auto hit = nearest(event->position(), kNear); hit && hit->series == 0)
            emit pointSelected(hit->point->point);
}

void FrontierChart::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (!isOnSlo(event->position()))
        PlotView::mouseDoubleClickEvent(event);
}

void FrontierChart::step(int by)
{
    if (m_series.isEmpty() || m_series.first().points.isEmpty())
        return;
    const auto& points = m_series.first().points;
    qsizetype at = -1;
    for (qsizetype i = 0; i < points.size(); ++i)
        if (points[i].point == m_selected)
            at = i;
    at = at < 0 ? (by > 0 ? 0 : points.size() - 1) : std::clamp<qsizetype>(at + by, 0, points.size() - 1);
    const FrontierPoint p = points[at];
    showHover(Hover{toView({p.x, p.y}), p.details});
    emit pointSelected(p.point);
}

void FrontierChart::keyPressEvent(QKeyEvent* event)
{
    const bool plain = !(event->modifiers() & ~Qt::KeypadModifier);
    if (plain && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right))
        step(event->key() == Qt::Key_Right ? 1 : -1);
    else if (plain && m_slo && m_sloMovable && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down))
        moveSlo(event->key() == Qt::Key_Up ? *m_slo * kSloStep : *m_slo / kSloStep, true);
    else
        PlotView::keyPressEvent(event);
}

} // namespace tailmark::ui
