// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "charts/chart_style.h"
#include "charts/scale.h"

#include <QChartView>
#include <QList>
#include <QPointF>
#include <QString>

#include <optional>

class QChart;
class QLineSeries;

namespace tailmark::ui {

/// One chart on Qt Charts: frame, lines, grid, axes, legend, crosshair, zoom, pan, image and vector export.
/// Derived classes add their marks by painting below and above the lines. The Qt Charts axes are hidden and
/// always run from 0 to 1: every value is mapped by Scale and clipped here before it reaches a series, so
/// that no NaN, no logarithm of zero and no line outside the frame (not even in SVG, whose generator does not
/// clip) can come about.
///
/// Left or middle drag pans, the wheel zooms (Ctrl: y only, Shift: x only), + and − zoom, double click or
/// Home fits, Ctrl+C copies the image.
class PlotView : public QChartView
{
    Q_OBJECT

public:
    struct Line
    {
        QList<QPointF> points; ///< in values; what cannot be shown is left out
        QColor color;
        qreal width = 2;
        Qt::PenStyle style = Qt::SolidLine;
    };
    struct LegendEntry
    {
        QString name;
        QColor color;
        std::optional<MarkerShape> shape; ///< absent: a line only
        Qt::PenStyle style = Qt::SolidLine;
    };
    /// Where the crosshair stands and what its box says; `at` in view coordinates.
    struct Hover
    {
        QPointF at;
        QString text;
    };

    explicit PlotView(QWidget* parent = nullptr);
    ~PlotView() override;

    void setTitles(const QString& x, const QString& y);
    /// The scales that show everything. The view follows them unless the user has zoomed.
    void setFit(const Scale& x, const Scale& y);
    void setLegend(const QList<LegendEntry>& entries);
    /// Drawn in the middle of an empty chart: what to do to have something here.
    void setMessage(const QString& message);
    /// Off: a chart above another one, which has the numbers.
    void setXLabels(bool on);
    /// On: room for a line of names between legend and plot, which topStrip() is.
    void setTopStrip(bool on);
    /// Relative to the widget's font; 1 on a page, more for a presentation.
    void setFontScale(qreal factor);

    const Scale& xScale() const { return m_x; }
    const Scale& yScale() const { return m_y; }
    /// Shows the same part of x as a chart that shares the axis; `zoomed` as there.
    void followXScale(const Scale& x, bool zoomed);
    bool isZoomed() const { return m_zoomed; }
    QRectF plotArea() const { return m_area; }
    QRectF topStrip() const;
    QPointF toView(QPointF value) const;
    QPointF toValue(QPointF view) const;
    /// Pixels between the left edge and the plot; charts above one another share the largest.
    void setLeftMargin(qreal pixels);
    qreal neededLeftMargin() const;

    const ChartStyle& style() const { return m_style; }

    QImage image(qreal scale = 1) const;
    /// Draws the chart as on the screen, in the paper style, without crosshair, into `target`.
    void renderForFile(QPainter& painter, const QRectF& target);

public slots:
    void zoomToFit();
    void copyImage() const;

signals:
    void xScaleChanged(const tailmark::ui::Scale& x, bool zoomed);
    void viewChanged();

protected:
    /// May be called at any time with the same data.
    void setLines(const QList<Line>& lines);
    void updateMarks();

    /// Under the lines, over the grid; clipped to the plot area.
    virtual void paintBelow(QPainter&) {}
    /// Over the lines; clipped to the plot area.
    virtual void paintMarks(QPainter&) {}
    /// Over everything, not clipped.
    virtual void paintLabels(QPainter&) {}
    virtual std::optional<Hover> hoverAt(QPointF view) const;
    /// The style has changed: colours kept in lines and legend must be given again.
    virtual void restyle() {}

    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

    void showHover(const std::optional<Hover>& hover);
    bool isPanning() const { return m_panFrom.has_value(); }

private:
    class Layer;
    friend class Layer;

    void applyStyle(const ChartStyle& style);
    void layoutPlot();
    void applyLines();
    void setView(const Scale& x, const Scale& y, bool zoomed);
    void zoomAt(QPointF view, double factor, bool alongX, bool alongY);
    void paintGrid(QPainter& painter);
    void paintTop(QPainter& painter);
    void paintHover(QPainter& painter);
    QFont chartFont() const;
    QList<double> xTicks() const;
    QList<double> yTicks() const;

    QChart* m_chart;
    Layer* m_grid;
    Layer* m_marks;
    Layer* m_hoverLayer;
    QList<QLineSeries*> m_series; ///< a pool: as many as there are visible stretches of lines
    QList<Line> m_lines;
    QList<LegendEntry> m_legend;
    QString m_xTitle, m_yTitle, m_message;
    Scale m_x, m_y, m_fitX, m_fitY;
    bool m_xLabels = true;
    bool m_topStrip = false;
    bool m_zoomed = false;
    bool m_forFile = false; ///< while a file is drawn: no frame of the focus
    QRectF m_area;
    qreal m_leftMargin = 0;
    qreal m_fontScale = 1;
    ChartStyle m_style;
    std::optional<Hover> m_hover;
    std::optional<QPointF> m_panFrom;
};

/// The parts of a polyline inside the unit square, each a line of its own (Liang and Barsky).
QList<QList<QPointF>> clippedToUnitSquare(const QList<QPointF>& points);

} // namespace tailmark::ui
