// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QList>
#include <QPalette>

class QPainter;
class QPointF;
class QRectF;
class QSizeF;

namespace tailmark::ui {

/// A series is told from another by its shape as well as by its colour.
enum class MarkerShape { Circle, Square, Diamond, TriangleUp, TriangleDown, Pentagon };

/// How a point of a curve is drawn: what it means is told by fill and inner mark, never by colour alone.
enum class MarkerState {
    Passing, ///< filled
    Failing, ///< tinted, with a cross in it
    Invalid, ///< hollow, dashed outline
};

/// All colours of the charts, for a light or a dark window. Series colours are told apart by readers with any
/// common colour blindness (after Okabe and Ito, darkened or lightened for contrast with the background).
struct ChartStyle
{
    QColor background, grid, axis, text, muted;
    QColor slo, operating, window, selection;
    QList<QColor> series;

    QColor seriesColor(int i) const { return series[i % series.size()]; }
    static MarkerShape seriesShape(int i) { return static_cast<MarkerShape>(i % 6); }
};

/// For a window with this palette; the background is the palette's Base.
ChartStyle chartStyle(const QPalette& palette);
/// For files: dark on white whatever the window looks like.
const ChartStyle& paperStyle();

/// Centred at `at`, `size` across.
void drawMarker(QPainter& painter, QPointF at, qreal size, MarkerShape shape, MarkerState state,
                const QColor& color, const QColor& background);
/// A small rounded label with a border, `text` in `color`; returns its rectangle.
QRectF drawChip(QPainter& painter, QPointF topLeft, const QString& text, const QColor& color,
                const QColor& background, const QColor& border);
/// What drawChip() will take up.
QSizeF chipSize(const QFont& font, const QString& text);

} // namespace tailmark::ui
