// SPDX-License-Identifier: GPL-3.0-or-later
// What PlotView paints itself: grid with its numbers, legend, message, focus and crosshair.
#include "charts/plot_view.h"

#include "models/format.h"

#include <QChart>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tailmark::ui {

void PlotView::paintGrid(QPainter& painter)
{
    painter.setFont(chartFont());
    const QFontMetricsF metrics(painter.font());
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (double v : xTicks()) {
        const qreal x = std::round(toView({v, m_y.min}).x());
        painter.setPen(m_style.grid);
        painter.drawLine(QPointF(x, m_area.top()), QPointF(x, m_area.bottom()));
        if (!m_xLabels)
            continue;
        painter.setPen(m_style.muted);
        const QString label = formatNumber(v);
        painter.drawText(
            QPointF(x - metrics.horizontalAdvance(label) / 2, m_area.bottom() + 5 + metrics.ascent()), label);
    }
    for (double v : yTicks()) {
        const qreal y = std::round(toView({m_x.min, v}).y());
        painter.setPen(m_style.grid);
        painter.drawLine(QPointF(m_area.left(), y), QPointF(m_area.right(), y));
        painter.setPen(m_style.muted);
        const QString label = formatNumber(v);
        painter.drawText(QPointF(m_area.left() - 7 - metrics.horizontalAdvance(label),
                                 y + metrics.ascent() / 2 - metrics.descent() / 2),
                         label);
    }
    painter.setPen(m_style.axis);
    painter.drawLine(m_area.bottomLeft(), m_area.bottomRight());
    painter.drawLine(m_area.topLeft(), m_area.bottomLeft());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_style.text);
    if (!m_xTitle.isEmpty())
        painter.drawText(QRectF(m_area.left(), m_area.bottom() + metrics.height() + 7, m_area.width(),
                                metrics.height() + 2),
                         Qt::AlignHCenter | Qt::AlignTop, m_xTitle);
    if (!m_yTitle.isEmpty()) {
        painter.save();
        // Beside the axis, or, where that is too short for the title, in the middle of the chart.
        const bool fits = metrics.horizontalAdvance(m_yTitle) <= m_area.height();
        painter.translate(3, fits ? m_area.center().y() : m_chart->rect().center().y());
        painter.rotate(-90);
        const qreal room = m_chart->size().height();
        painter.drawText(QRectF(-room / 2, 0, room, metrics.height() + 2), Qt::AlignHCenter | Qt::AlignTop,
                         m_yTitle);
        painter.restore();
    }
    painter.save();
    painter.setClipRect(m_area);
    paintBelow(painter);
    painter.restore();
}

void PlotView::paintTop(QPainter& painter)
{
    painter.setFont(chartFont());
    painter.save();
    painter.setClipRect(m_area.adjusted(-1, -1, 1, 1));
    paintMarks(painter);
    painter.restore();
    painter.save();
    paintLabels(painter);
    painter.restore();

    const QFontMetricsF metrics(painter.font());
    qreal x = m_area.left();
    for (const LegendEntry& entry : m_legend) {
        const qreal middle = metrics.height() / 2 + 4;
        QPen pen(entry.color, 2, entry.style, Qt::FlatCap);
        painter.setPen(pen);
        painter.drawLine(QPointF(x, middle), QPointF(x + 22, middle));
        if (entry.shape)
            drawMarker(painter, {x + 11, middle}, 9, *entry.shape, MarkerState::Passing, entry.color,
                       m_style.background);
        painter.setPen(m_style.text);
        painter.drawText(QPointF(x + 28, middle + metrics.ascent() / 2 - metrics.descent() / 2), entry.name);
        x += 28 + metrics.horizontalAdvance(entry.name) + 18;
    }
    if (!m_message.isEmpty()) {
        painter.setPen(m_style.muted);
        painter.drawText(m_area.adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap, m_message);
    }
    if (hasFocus() && !m_forFile) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(m_chart->rect().adjusted(0.5, 0.5, -1, -1));
    }
}

void PlotView::paintHover(QPainter& painter)
{
    if (!m_hover)
        return;
    painter.setFont(chartFont());
    const QPointF at = m_hover->at;
    painter.setPen(QPen(m_style.axis, 1, Qt::DashLine));
    painter.drawLine(QPointF(at.x(), m_area.top()), QPointF(at.x(), m_area.bottom()));
    painter.drawLine(QPointF(m_area.left(), at.y()), QPointF(m_area.right(), at.y()));
    const QPointF value = toValue(at);
    const auto chip = [&](QPointF topLeft, const QString& label) {
        drawChip(painter, topLeft, label, m_style.background, m_style.muted, Qt::transparent);
    };
    const QString xLabel = formatNumber(value.x()), yLabel = formatNumber(value.y());
    const QSizeF xSize = chipSize(painter.font(), xLabel), ySize = chipSize(painter.font(), yLabel);
    chip({at.x() - xSize.width() / 2, m_area.bottom() + 2}, xLabel);
    chip({m_area.left() - ySize.width() - 2, at.y() - ySize.height() / 2}, yLabel);
    if (m_hover->text.isEmpty())
        return;
    const QSizeF size = chipSize(painter.font(), m_hover->text);
    const QRectF all = m_chart->rect();
    QPointF corner(at.x() + 14, at.y() - size.height() - 10);
    if (corner.x() + size.width() > all.right() - 4)
        corner.setX(at.x() - 14 - size.width());
    corner.setX(std::max(4.0, corner.x()));
    corner.setY(std::clamp(corner.y(), 4.0, std::max(4.0, all.bottom() - size.height() - 4)));
    drawChip(painter, corner, m_hover->text, m_style.text, m_style.background, m_style.axis);
}

} // namespace tailmark::ui
