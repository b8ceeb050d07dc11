// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/joint_lengths_chart.h"

#include "charts/chart_style.h"
#include "charts/timeline_plots.h"
#include "models/format.h"

#include <QHelpEvent>
#include <QLineF>
#include <QLocale>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kWide = 20; ///< a range that is wider than this factor is drawn logarithmically
constexpr int kBins = 32;
constexpr qreal kEdge = 42; ///< height of the distributions
constexpr qreal kGap = 4;
constexpr qreal kNear = 9; ///< px: a dot under the pointer

Scale scaleOf(const IntegerStats& lengths)
{
    const double low = static_cast<double>(std::max<std::int64_t>(lengths.min, 1));
    const double high = static_cast<double>(std::max<std::int64_t>(lengths.max, 1));
    const bool log = high / low > kWide;
    return fitScale(log ? low : static_cast<double>(lengths.min), high, log, 0.04, 0.04);
}

QString tickText(double tokens)
{
    if (tokens >= 1e6)
        return JointLengthsChart::tr("%1 M").arg(formatEditable(tokens / 1e6));
    if (tokens >= 1e4)
        return JointLengthsChart::tr("%1 k").arg(formatEditable(tokens / 1e3));
    return QLocale().toString(std::llround(tokens));
}

std::vector<int> binned(const std::vector<LengthPair>& pairs, const Scale& scale,
                        std::int32_t LengthPair::*length)
{
    std::vector<int> bins(kBins, 0);
    for (const LengthPair& pair : pairs)
        if (const double value = pair.*length; scale.canShow(value)) {
            const int bin = static_cast<int>(scale.unit(value) * kBins);
            ++bins[static_cast<std::size_t>(std::clamp(bin, 0, kBins - 1))];
        }
    return bins;
}

} // namespace

JointLengthsChart::JointLengthsChart(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Prompt against output lengths"));
}

void JointLengthsChart::setStats(const TraceStats& stats)
{
    m_stats = stats;
    m_x = scaleOf(stats.prompt);
    m_y = scaleOf(stats.output);
    QString text = tr("Prompt p50 %1, p99 %2 tokens; output p50 %3, p99 %4 tokens.")
                       .arg(formatEstimate(static_cast<double>(stats.prompt.p50)),
                            formatEstimate(static_cast<double>(stats.prompt.p99)),
                            formatEstimate(static_cast<double>(stats.output.p50)),
                            formatEstimate(static_cast<double>(stats.output.p99)));
    if (stats.spearman)
        text += u' ' + tr("Rank correlation %1.").arg(QLocale().toString(*stats.spearman, 'f', 2));
    setAccessibleDescription(text);
    update();
}

QSize JointLengthsChart::sizeHint() const
{
    return {420, 284};
}

QSize JointLengthsChart::minimumSizeHint() const
{
    return {260, 284};
}

JointLengthsChart::Layout JointLengthsChart::layoutOf() const
{
    const QFontMetrics metrics = fontMetrics();
    qreal left = 0;
    for (const double tick : ticks(m_y, 5))
        left = std::max<qreal>(left, metrics.horizontalAdvance(tickText(tick)));
    left += metrics.height() + 10; // the title stands upright beside the ticks
    const qreal bottom = 2 * metrics.height() + 6;
    // The names of the quantiles stand beyond the distributions, clear of their bars.
    const qreal top = metrics.height() + kEdge + kGap;
    const qreal right = metrics.horizontalAdvance(u"p99"_s) + 4 + kEdge + kGap;
    Layout layout;
    layout.plot = QRectF(left, top, width() - left - right, height() - bottom - top);
    layout.above = QRectF(layout.plot.left(), metrics.height(), layout.plot.width(), kEdge);
    layout.beside = QRectF(layout.plot.right() + kGap, layout.plot.top(), kEdge, layout.plot.height());
    return layout;
}

QPointF JointLengthsChart::place(const Layout& layout, const LengthPair& pair) const
{
    return {layout.plot.left() + m_x.unit(pair.promptTokens) * layout.plot.width(),
            layout.plot.bottom() - m_y.unit(pair.outputTokens) * layout.plot.height()};
}

void JointLengthsChart::paintEvent(QPaintEvent*)
{
    if (m_stats.prompt.n == 0)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Layout layout = layoutOf();
    const ChartStyle style = chartStyle(palette());
    paintAxes(painter, layout);
    paintDistributions(painter, layout);
    QList<QPointF> dots;
    for (const LengthPair& pair : m_stats.scatter)
        if (m_x.canShow(pair.promptTokens) && m_y.canShow(pair.outputTokens))
            dots.append(place(layout, pair));
    QColor color = style.seriesColor(0);
    color.setAlphaF(dots.size() > 400 ? 0.45F : 0.7F);
    drawDots(painter, dots, layout.plot, 3.5, color);
    paintQuantiles(painter, layout);
}

void JointLengthsChart::paintAxes(QPainter& painter, const Layout& layout) const
{
    const ChartStyle style = chartStyle(palette());
    const QFontMetrics metrics = fontMetrics();
    const QRectF& plot = layout.plot;
    for (const double tick : ticks(m_x, std::max(2, static_cast<int>(plot.width() / 64)))) {
        const qreal x = plot.left() + m_x.unit(tick) * plot.width();
        painter.setPen(style.grid);
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()));
        const QString text = tickText(tick);
        painter.setPen(style.muted);
        painter.drawText(
            QPointF(x - metrics.horizontalAdvance(text) / 2.0, plot.bottom() + 3 + metrics.ascent()), text);
    }
    for (const double tick : ticks(m_y, 5)) {
        const qreal y = plot.bottom() - m_y.unit(tick) * plot.height();
        painter.setPen(style.grid);
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y));
        const QString text = tickText(tick);
        painter.setPen(style.muted);
        painter.drawText(QPointF(plot.left() - 5 - metrics.horizontalAdvance(text),
                                 y + (metrics.ascent() - metrics.descent()) / 2.0),
                         text);
    }
    painter.setPen(style.axis);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    painter.drawLine(plot.bottomLeft(), plot.topLeft());
    painter.setPen(style.text);
    painter.drawText(
        QRectF(plot.left(), plot.bottom() + metrics.height() + 4, plot.width(), metrics.height()),
        Qt::AlignCenter, tr("prompt [tokens]"));
    painter.save();
    painter.translate(metrics.height() / 2.0, plot.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-plot.height() / 2, -metrics.height() / 2.0, plot.height(), metrics.height()),
                     Qt::AlignCenter, tr("output [tokens]"));
    painter.restore();
}

void JointLengthsChart::paintDistributions(QPainter& painter, const Layout& layout) const
{
    QColor fill = chartStyle(palette()).seriesColor(0);
    fill.setAlphaF(0.5F);
    const std::vector<int> prompts = binned(m_stats.scatter, m_x, &LengthPair::promptTokens);
    const std::vector<int> outputs = binned(m_stats.scatter, m_y, &LengthPair::outputTokens);
    const qreal mostPrompts = std::max(1, *std::max_element(prompts.begin(), prompts.end()));
    const qreal mostOutputs = std::max(1, *std::max_element(outputs.begin(), outputs.end()));
    for (int bin = 0; bin < kBins; ++bin) {
        const auto i = static_cast<std::size_t>(bin);
        const qreal width = layout.above.width() / kBins;
        const qreal high = prompts[i] / mostPrompts * layout.above.height();
        painter.fillRect(
            QRectF(layout.above.left() + bin * width, layout.above.bottom() - high, width - 0.5, high), fill);
        const qreal height = layout.beside.height() / kBins;
        const qreal wide = outputs[i] / mostOutputs * layout.beside.width();
        painter.fillRect(
            QRectF(layout.beside.left(), layout.beside.bottom() - (bin + 1) * height, wide, height - 0.5),
            fill);
    }
}

void JointLengthsChart::paintQuantiles(QPainter& painter, const Layout& layout) const
{
    const ChartStyle style = chartStyle(palette());
    const QFontMetrics metrics = fontMetrics();
    const QRectF& plot = layout.plot;
    qreal taken = -1e9;
    const auto across = [&](const QString& name, std::int64_t tokens) {
        if (!m_x.canShow(static_cast<double>(tokens)))
            return;
        const qreal x = plot.left() + m_x.unit(static_cast<double>(tokens)) * plot.width();
        painter.setPen(QPen(style.operating, 1, Qt::DashLine));
        painter.drawLine(QLineF(x, layout.above.top(), x, plot.bottom()));
        const qreal width = metrics.horizontalAdvance(name);
        const qreal left = std::clamp(x - width / 2, 0.0, this->width() - width);
        if (left < taken)
            return;
        painter.setPen(style.operating);
        painter.drawText(QPointF(left, layout.above.top() - metrics.descent()), name);
        taken = left + width + 2;
    };
    across(u"p50"_s, m_stats.prompt.p50);
    across(u"p99"_s, m_stats.prompt.p99);
    qreal lowest = 1e9;
    const auto along = [&](const QString& name, std::int64_t tokens) {
        if (!m_y.canShow(static_cast<double>(tokens)))
            return;
        const qreal y = plot.bottom() - m_y.unit(static_cast<double>(tokens)) * plot.height();
        painter.setPen(QPen(style.operating, 1, Qt::DashLine));
        painter.drawLine(QLineF(plot.left(), y, layout.beside.right(), y));
        const qreal base = y + (metrics.ascent() - metrics.descent()) / 2.0;
        if (base > lowest)
            return;
        painter.setPen(style.operating);
        painter.drawText(QPointF(layout.beside.right() + 4, base), name);
        lowest = base - metrics.height();
    };
    along(u"p50"_s, m_stats.output.p50);
    along(u"p99"_s, m_stats.output.p99);
}

bool JointLengthsChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Layout layout = layoutOf();
    const LengthPair* nearest = nullptr;
    qreal least = kNear;
    for (const LengthPair& pair : m_stats.scatter) {
        if (!m_x.canShow(pair.promptTokens) || !m_y.canShow(pair.outputTokens))
            continue;
        const qreal distance = QLineF(place(layout, pair), help->pos()).length();
        if (distance < least) {
            least = distance;
            nearest = &pair;
        }
    }
    QToolTip::showText(help->globalPos(),
                       nearest ? tr("prompt %1, output %2 tokens")
                                     .arg(QLocale().toString(nearest->promptTokens),
                                          QLocale().toString(nearest->outputTokens))
                               : tr("%n request(s), evenly picked; lines at p50 and p99 of all", nullptr,
                                    static_cast<int>(m_stats.scatter.size())),
                       this);
    return true;
}

} // namespace tailmark::ui
