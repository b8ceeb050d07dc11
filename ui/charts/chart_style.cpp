// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_style.h"

#include "style/theme.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QtMath>

namespace tailmark::ui {

namespace {

ChartStyle lightStyle()
{
    ChartStyle s;
    s.background = QColor(0xff, 0xff, 0xff);
    s.grid = QColor(0xe7, 0xea, 0xee);
    s.axis = QColor(0x9a, 0xa3, 0xad);
    s.text = QColor(0x24, 0x2b, 0x33);
    s.muted = QColor(0x5f, 0x69, 0x74);
    s.slo = QColor(0xb4, 0x23, 0x18);
    s.operating = QColor(0x6a, 0x3d, 0x9a);
    s.window = QColor(0x2f, 0x6f, 0xb5);
    s.selection = QColor(0x24, 0x2b, 0x33);
    s.series = {QColor(0x00, 0x6d, 0xb0), QColor(0xcc, 0x55, 0x00), QColor(0x00, 0x8f, 0x68),
                QColor(0xa8, 0x4a, 0x88), QColor(0x8f, 0x6b, 0x00), QColor(0x4b, 0x55, 0x63)};
    return s;
}

ChartStyle darkStyle()
{
    ChartStyle s;
    s.background = QColor(0x1d, 0x21, 0x26);
    s.grid = QColor(0x31, 0x37, 0x3f);
    s.axis = QColor(0x6d, 0x77, 0x82);
    s.text = QColor(0xe3, 0xe7, 0xeb);
    s.muted = QColor(0xa3, 0xad, 0xb8);
    s.slo = QColor(0xff, 0x8a, 0x80);
    s.operating = QColor(0xc9, 0xa5, 0xf5);
    s.window = QColor(0x6c, 0xa8, 0xe6);
    s.selection = QColor(0xff, 0xff, 0xff);
    s.series = {QColor(0x5b, 0xb8, 0xf0), QColor(0xf5, 0x92, 0x53), QColor(0x35, 0xc9, 0x9e),
                QColor(0xe3, 0x95, 0xc6), QColor(0xe6, 0xb3, 0x25), QColor(0xb4, 0xbe, 0xca)};
    return s;
}

QPainterPath markerPath(QPointF c, qreal size, MarkerShape shape)
{
    QPainterPath path;
    const qreal r = size / 2;
    const auto polygon = [&](int corners, qreal startDegrees, qreal radius) {
        QPolygonF p;
        for (int i = 0; i <= corners; ++i) {
            const qreal a = qDegreesToRadians(startDegrees + 360.0 * i / corners);
            p << c + QPointF(radius * qCos(a), radius * qSin(a));
        }
        path.addPolygon(p);
    };
    switch (shape) {
    case MarkerShape::Circle:
        path.addEllipse(c, r, r);
        break;
    case MarkerShape::Square:
        path.addRect(QRectF(c.x() - r * 0.9, c.y() - r * 0.9, r * 1.8, r * 1.8));
        break;
    case MarkerShape::Diamond:
        polygon(4, 0, r * 1.2);
        break;
    case MarkerShape::TriangleUp:
        polygon(3, -90, r * 1.2);
        break;
    case MarkerShape::TriangleDown:
        polygon(3, 90, r * 1.2);
        break;
    case MarkerShape::Pentagon:
        polygon(5, -90, r * 1.1);
        break;
    }
    return path;
}

QColor mixed(const QColor& a, const QColor& b, qreal share)
{
    return QColor::fromRgbF(a.redF() * share + b.redF() * (1 - share),
                            a.greenF() * share + b.greenF() * (1 - share),
                            a.blueF() * share + b.blueF() * (1 - share));
}

constexpr QMarginsF kChipMargins(6, 2, 6, 2);

} // namespace

ChartStyle chartStyle(const QPalette& palette)
{
    ChartStyle style = isDark(palette) ? darkStyle() : lightStyle();
    style.background = palette.color(QPalette::Base);
    return style;
}

const ChartStyle& paperStyle()
{
    static const ChartStyle style = lightStyle();
    return style;
}

void drawMarker(QPainter& painter, QPointF at, qreal size, MarkerShape shape, MarkerState state,
                const QColor& color, const QColor& background)
{
    painter.save();
    const QPainterPath path = markerPath(at, size, shape);
    switch (state) {
    case MarkerState::Passing:
        painter.setPen(QPen(background, 1.2));
        painter.setBrush(color);
        painter.drawPath(path);
        break;
    case MarkerState::Failing: {
        painter.setPen(QPen(color, 1.4));
        painter.setBrush(mixed(color, background, 0.28));
        painter.drawPath(path);
        const qreal r = size * 0.2;
        painter.drawLine(at + QPointF(-r, -r), at + QPointF(r, r));
        painter.drawLine(at + QPointF(-r, r), at + QPointF(r, -r));
        break;
    }
    case MarkerState::Invalid:
        painter.setPen(QPen(color, 1.4, Qt::DotLine));
        painter.setBrush(background);
        painter.drawPath(path);
        break;
    }
    painter.restore();
}

QSizeF chipSize(const QFont& font, const QString& text)
{
    return QFontMetricsF(font).size(0, text).grownBy(kChipMargins);
}

QRectF drawChip(QPainter& painter, QPointF topLeft, const QString& text, const QColor& color,
                const QColor& background, const QColor& border)
{
    const QRectF box(topLeft, chipSize(painter.font(), text));
    painter.save();
    painter.setPen(border.alpha() > 0 ? QPen(border, 1) : QPen(Qt::NoPen));
    painter.setBrush(background);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(color);
    painter.drawText(box.marginsRemoved(kChipMargins), Qt::AlignLeft | Qt::AlignVCenter, text);
    painter.restore();
    return box;
}

} // namespace tailmark::ui
