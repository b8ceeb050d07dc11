// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/plot_view.h"

#include "models/format.h"

#include <QChart>
#include <QClipboard>
#include <QFontInfo>
#include <QGraphicsLayout>
#include <QGuiApplication>
#include <QImage>
#include <QKeyEvent>
#include <QLegend>
#include <QLineSeries>
#include <QPainter>
#include <QValueAxis>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace tailmark::ui {

/// A graphics item that lets the view paint one of its layers; it takes no part in hit tests.
class PlotView::Layer : public QGraphicsItem
{
public:
    using Paint = void (PlotView::*)(QPainter&);
    Layer(PlotView& view, QGraphicsItem* parent, qreal z, Paint paint)
        : QGraphicsItem(parent), m_view(view), m_paint(paint)
    {
        setZValue(z);
        setAcceptedMouseButtons(Qt::NoButton);
    }
    void geometryChanged() { prepareGeometryChange(); }
    QRectF boundingRect() const override { return m_view.m_chart->rect(); }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override
    {
        (m_view.*m_paint)(*painter);
    }

private:
    PlotView& m_view;
    Paint m_paint;
};

namespace {

constexpr qreal kGridZ = 0.5; // between the chart's background and its series
constexpr qreal kMarksZ = 50;
constexpr qreal kHoverZ = 60;
constexpr qreal kStripGap = 6; // between the names above a plot and the plot

} // namespace

PlotView::PlotView(QWidget* parent) : QChartView(parent), m_chart(chart()), m_style(chartStyle(palette()))
{
    m_chart->legend()->hide();
    m_chart->setAnimationOptions(QChart::NoAnimation);
    m_chart->setBackgroundRoundness(0);
    m_chart->layout()->setContentsMargins(0, 0, 0, 0);
    m_chart->setMinimumSize(1, 1); // the view decides: Qt Charts would stay larger than a small view
    for (Qt::Alignment side : {Qt::AlignBottom, Qt::AlignLeft}) {
        auto* axis = new QValueAxis(m_chart);
        axis->setRange(0, 1);
        axis->setVisible(false);
        m_chart->addAxis(axis, side);
    }
    m_grid = new Layer(*this, m_chart, kGridZ, &PlotView::paintGrid);
    m_marks = new Layer(*this, m_chart, kMarksZ, &PlotView::paintTop);
    m_hoverLayer = new Layer(*this, m_chart, kHoverZ, &PlotView::paintHover);
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(220, 110);
    applyStyle(m_style);
}

PlotView::~PlotView() = default;

void PlotView::setTitles(const QString& x, const QString& y)
{
    m_xTitle = x;
    m_yTitle = y;
    layoutPlot();
}

void PlotView::setFit(const Scale& x, const Scale& y)
{
    m_fitX = x;
    m_fitY = y;
    if (m_x.log != x.log || m_y.log != y.log)
        m_zoomed = false; // a view of the other kind of axis means nothing any more
    if (!m_zoomed)
        setView(x, y, false);
}

void PlotView::setLegend(const QList<LegendEntry>& entries)
{
    m_legend = entries;
    layoutPlot();
}

void PlotView::setMessage(const QString& message)
{
    m_message = message;
    m_marks->update();
}

void PlotView::setXLabels(bool on)
{
    m_xLabels = on;
    layoutPlot();
}

void PlotView::setTopStrip(bool on)
{
    if (m_topStrip == on)
        return;
    m_topStrip = on;
    layoutPlot();
}

QRectF PlotView::topStrip() const
{
    const qreal line = m_topStrip ? QFontMetricsF(chartFont()).height() : 0;
    return {m_area.left(), m_area.top() - line - kStripGap, m_area.width(), line};
}

void PlotView::setFontScale(qreal factor)
{
    m_fontScale = factor;
    layoutPlot();
}

void PlotView::followXScale(const Scale& x, bool zoomed)
{
    if (!(x == m_x))
        setView(x, zoomed ? m_y : m_fitY, zoomed);
}

void PlotView::setLeftMargin(qreal pixels)
{
    m_leftMargin = pixels;
    layoutPlot();
}

void PlotView::setLines(const QList<Line>& lines)
{
    m_lines = lines;
    applyLines();
}

void PlotView::updateMarks()
{
    m_grid->update();
    m_marks->update();
}

QPointF PlotView::toView(QPointF v) const
{
    return {m_area.left() + m_x.unit(v.x()) * m_area.width(),
            m_area.bottom() - m_y.unit(v.y()) * m_area.height()};
}

QPointF PlotView::toValue(QPointF p) const
{
    return {m_x.value((p.x() - m_area.left()) / m_area.width()),
            m_y.value((m_area.bottom() - p.y()) / m_area.height())};
}

void PlotView::setView(const Scale& x, const Scale& y, bool zoomed)
{
    const bool xChanged = !(x == m_x);
    const bool changed = xChanged || !(y == m_y);
    m_x = x;
    m_y = y;
    m_zoomed = zoomed;
    if (changed) {
        layoutPlot();
        emit viewChanged();
    }
    if (xChanged)
        emit xScaleChanged(x, zoomed);
}

void PlotView::zoomToFit()
{
    setView(m_fitX, m_fitY, false);
}

void PlotView::zoomAt(QPointF view, double factor, bool alongX, bool alongY)
{
    const QPointF unit((view.x() - m_area.left()) / m_area.width(),
                       (m_area.bottom() - view.y()) / m_area.height());
    setView(alongX ? m_x.zoomed(factor, unit.x()) : m_x, alongY ? m_y.zoomed(factor, unit.y()) : m_y, true);
}

// ---- geometry

QFont PlotView::chartFont() const
{
    // In pixels of the chart: a size in points would be scaled twice on a device with another resolution
    // (PDF). The family by its own name: an SVG would say "Sans Serif", which other machines do not know.
    QFont f = font();
    const QFontInfo real(f);
    f.setFamilies({real.family()});
    f.setPixelSize(std::max(8, qRound(real.pixelSize() * 0.92 * m_fontScale)));
    return f;
}

QList<double> PlotView::xTicks() const
{
    const qreal each = QFontMetricsF(chartFont()).horizontalAdvance(QStringLiteral("0,000,000"));
    return ticks(m_x, std::min(10, static_cast<int>(m_area.width() / each)));
}

QList<double> PlotView::yTicks() const
{
    const qreal each = QFontMetricsF(chartFont()).height() * 1.9;
    return ticks(m_y, std::min(10, static_cast<int>(m_area.height() / each)));
}

qreal PlotView::neededLeftMargin() const
{
    const QFontMetricsF metrics(chartFont());
    qreal widest = 0;
    for (double v : yTicks())
        widest = std::max(widest, metrics.horizontalAdvance(formatNumber(v)));
    return std::ceil(widest + 10 + (m_yTitle.isEmpty() ? 4 : metrics.height() + 8));
}

void PlotView::layoutPlot()
{
    const QSizeF size = m_chart->size();
    const QFontMetricsF metrics(chartFont());
    const qreal line = metrics.height();
    const qreal top = (m_legend.isEmpty() ? line * 0.6 : line + 12) + (m_topStrip ? line : 0);
    const qreal bottom = (m_xLabels ? line + 10 : line * 0.4) + (m_xTitle.isEmpty() ? 0 : line + 2);
    // The widest label depends on the ticks, these on the height only: one pass is enough.
    m_area = QRectF(m_area.left(), top, std::max(10.0, m_area.width()),
                    std::max(10.0, size.height() - top - bottom));
    const qreal left = std::max(m_leftMargin, neededLeftMargin());
    m_area.setLeft(left);
    m_area.setWidth(std::max(10.0, size.width() - left - 16));
    if (m_chart->plotArea() != m_area)
        m_chart->setPlotArea(m_area);
    applyLines();
    for (Layer* layer : {m_grid, m_marks, m_hoverLayer}) {
        layer->geometryChanged();
        layer->update();
    }
}

void PlotView::applyLines()
{
    qsizetype used = 0;
    for (const Line& line : m_lines) {
        QList<QPointF> units;
        units.reserve(line.points.size());
        for (const QPointF& p : line.points)
            if (m_x.canShow(p.x()) && m_y.canShow(p.y()))
                units.append({m_x.unit(p.x()), m_y.unit(p.y())});
        for (const QList<QPointF>& piece : clippedToUnitSquare(units)) {
            if (used == m_series.size()) {
                auto* series = new QLineSeries(m_chart);
                m_chart->addSeries(series);
                for (QAbstractAxis* axis : m_chart->axes())
                    series->attachAxis(axis);
                m_series.append(series);
            }
            QLineSeries* series = m_series[used++];
            QPen pen(line.color, line.width, line.style, Qt::FlatCap, Qt::RoundJoin);
            if (series->pen() != pen)
                series->setPen(pen);
            if (series->points() != piece)
                series->replace(piece);
        }
    }
    while (m_series.size() > used) {
        QLineSeries* unused = m_series.takeLast();
        m_chart->removeSeries(unused);
        delete unused;
    }
}

QList<QList<QPointF>> clippedToUnitSquare(const QList<QPointF>& points)
{
    QList<QList<QPointF>> pieces;
    bool open = false; // the last piece ends at the begin of the next segment
    for (qsizetype i = 1; i < points.size(); ++i) {
        const QPointF a = points[i - 1], d = points[i] - a;
        double enter = 0, leave = 1;
        const auto cut = [&](double p, double q) {
            if (p == 0)
                return q >= 0;
            const double t = q / p;
            if (p < 0)
                enter = std::max(enter, t);
            else
                leave = std::min(leave, t);
            return enter <= leave;
        };
        const bool visible =
            cut(-d.x(), a.x()) && cut(d.x(), 1 - a.x()) && cut(-d.y(), a.y()) && cut(d.y(), 1 - a.y());
        if (!visible) {
            open = false;
            continue;
        }
        if (!open || enter > 0)
            pieces.append(QList<QPointF>{a + enter * d});
        pieces.last().append(leave < 1 ? a + leave * d : points[i]);
        open = leave >= 1;
    }
    return pieces;
}

// ---- colours and crosshair

void PlotView::applyStyle(const ChartStyle& style)
{
    m_style = style;
    m_chart->setBackgroundBrush(style.background);
    m_chart->setBackgroundPen(Qt::NoPen);
    m_chart->setPlotAreaBackgroundVisible(false);
    setBackgroundBrush(style.background);
    restyle();
    layoutPlot();
}

std::optional<PlotView::Hover> PlotView::hoverAt(QPointF view) const
{
    return Hover{view, {}};
}

void PlotView::showHover(const std::optional<Hover>& hover)
{
    if (!hover && !m_hover)
        return;
    m_hover = hover;
    m_hoverLayer->update();
}

// ---- files

QImage PlotView::image(qreal scale) const
{
    QImage image((QSizeF(size()) * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(m_style.background);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    scene()->render(&painter, QRectF(image.rect()), m_chart->rect(), Qt::KeepAspectRatio);
    return image;
}

void PlotView::renderForFile(QPainter& painter, const QRectF& target)
{
    const ChartStyle screen = m_style;
    const std::optional<Hover> hover = m_hover;
    m_hover.reset();
    applyStyle(paperStyle());
    m_forFile = true;
    painter.setFont(chartFont()); // what an SVG says of items that set none
    scene()->render(&painter, target, m_chart->rect(), Qt::KeepAspectRatio);
    m_forFile = false;
    applyStyle(screen);
    m_hover = hover;
}

void PlotView::copyImage() const
{
    QGuiApplication::clipboard()->setImage(image(devicePixelRatioF()));
}

// ---- interaction

void PlotView::resizeEvent(QResizeEvent* event)
{
    QChartView::resizeEvent(event);
    m_chart->resize(size());
    layoutPlot();
}

void PlotView::wheelEvent(QWheelEvent* event)
{
    const int delta = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (delta != 0 && m_area.contains(event->position())) {
        const bool yOnly = event->modifiers() & Qt::ControlModifier,
                   xOnly = event->modifiers() & Qt::ShiftModifier;
        zoomAt(event->position(), std::pow(0.85, delta / 120.0), !yOnly, !xOnly);
    }
    event->accept();
}

void PlotView::mousePressEvent(QMouseEvent* event)
{
    if ((event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton) &&
        m_area.contains(event->position()))
        m_panFrom = event->position();
    event->accept();
}

void PlotView::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (m_panFrom && event->buttons() != Qt::NoButton) {
        const QPointF d = at - *m_panFrom;
        if (d.manhattanLength() < 1)
            return;
        setCursor(Qt::ClosedHandCursor);
        showHover({});
        setView(m_x.panned(-d.x() / m_area.width()), m_y.panned(d.y() / m_area.height()), true);
        m_panFrom = at;
        return;
    }
    showHover(m_area.contains(at) ? hoverAt(at) : std::nullopt);
}

void PlotView::mouseReleaseEvent(QMouseEvent*)
{
    m_panFrom.reset();
    unsetCursor();
}

void PlotView::mouseDoubleClickEvent(QMouseEvent*)
{
    zoomToFit();
}

void PlotView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy))
        copyImage();
    else if (event->key() == Qt::Key_Home)
        zoomToFit();
    else if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal)
        zoomAt(m_area.center(), 0.8, true, true);
    else if (event->key() == Qt::Key_Minus)
        zoomAt(m_area.center(), 1.25, true, true);
    else if (event->key() == Qt::Key_Escape && m_hover)
        showHover({});
    else
        event->ignore(); // not the scroll area's: it has nothing to scroll
}

void PlotView::leaveEvent(QEvent* event)
{
    showHover({});
    QChartView::leaveEvent(event);
}

void PlotView::changeEvent(QEvent* event)
{
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyStyle(chartStyle(palette()));
    else if (event->type() == QEvent::FontChange)
        layoutPlot();
}

void PlotView::focusInEvent(QFocusEvent* event)
{
    QChartView::focusInEvent(event);
    m_marks->update();
}

void PlotView::focusOutEvent(QFocusEvent* event)
{
    QChartView::focusOutEvent(event);
    m_marks->update();
}

} // namespace tailmark::ui
