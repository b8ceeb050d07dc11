// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_arrivals_preview.h"

#include "models/format.h"
#include "models/workload_text.h"
#include "style/theme.h"
#include "workload/trace/arrival_accumulator.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::int64_t kMostDots =
    20'000;               ///< more would be one dark band, and take long to draw while typing
constexpr int kLanes = 5; ///< dots are spread over lanes by their number, so that a burst shows as height

double totalSeconds(const PointPlan& point)
{
    double seconds = 0;
    for (const Phase& phase : point.phases)
        seconds += phase.durationS;
    return seconds;
}

/// 1, 2 or 5 times a power of ten, so that about `steps` fit into `span`.
double niceStep(double span, int steps)
{
    const double raw = span / steps;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double factor = raw / power;
    return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

} // namespace

PlanArrivalsPreview::PlanArrivalsPreview(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    describe();
}

void PlanArrivalsPreview::setPoint(const std::optional<PointPlan>& point, const QString& reason,
                                   const std::shared_ptr<const RecordedTimes>& log)
{
    if (m_point == point && m_reason == reason && m_log == log)
        return;
    m_log = log;
    m_point = point;
    m_reason = reason;
    m_arrivals.clear();
    m_cut = false;
    if (m_point) {
        PointPlan drawn = *m_point;
        drawn.maxRequests = drawn.maxRequests > 0 ? std::min(drawn.maxRequests, kMostDots) : kMostDots;
        m_arrivals = makeArrivals(drawn, m_log.get());
        m_cut = m_arrivals.size() == static_cast<std::size_t>(kMostDots);
    }
    describe();
    update();
}

QString PlanArrivalsPreview::words() const
{
    if (m_arrivals.size() < 2)
        return {};
    ArrivalAccumulator accumulator;
    std::vector<Nanoseconds> times;
    times.reserve(m_arrivals.size());
    for (const Arrival& arrival : m_arrivals) {
        accumulator.add(arrival.intended);
        times.push_back(arrival.intended);
    }
    const ArrivalStats stats = accumulator.stats(times);
    const double seconds = toSeconds(stats.duration);
    QStringList parts;
    if (seconds > 0)
        parts << tr("mean %1 /s").arg(formatNumber(static_cast<double>(m_arrivals.size() - 1) / seconds, 3));
    parts << arrivalsInWords(stats);
    return parts.join(u" · "_s);
}

void PlanArrivalsPreview::describe()
{
    const QString text = m_point ? tr("%1 requests in %2")
                                       .arg(formatEstimate(static_cast<double>(m_arrivals.size())),
                                            formatDuration(totalSeconds(*m_point)))
                                 : m_reason;
    setAccessibleName(tr("Preview of the arrivals"));
    setAccessibleDescription(m_point ? text + u". "_s + words() : text);
    setToolTip(
        m_point ? tr("The schedule that will be sent: a dot for each request, the line is the rate over time")
                : QString());
}

QSize PlanArrivalsPreview::sizeHint() const
{
    return {400, 128};
}

QSize PlanArrivalsPreview::minimumSizeHint() const
{
    return {200, 128};
}

void PlanArrivalsPreview::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColours& colours = themeColours(palette());
    const QFontMetrics metrics = fontMetrics();
    if (!m_point) {
        painter.setPen(colours.secondary);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, m_reason);
        return;
    }

    const double seconds = std::max(totalSeconds(*m_point), 1e-9);
    const int textHeight = metrics.height();
    const QRectF plot(0.5, textHeight + 6.5, width() - 1, height() - 2 * textHeight - 12);
    const auto x = [&](double s) { return plot.left() + s / seconds * plot.width(); };
    const double dotsHeight = plot.height() * 0.5;
    const QRectF ratePart(plot.left(), plot.top(), plot.width(), plot.height() - dotsHeight - 4);
    const QRectF dotsPart(plot.left(), plot.bottom() - dotsHeight, plot.width(), dotsHeight);

    // Warm-up, and the burst.
    painter.fillRect(QRectF(x(0), plot.top(), x(m_point->warmupS) - x(0), plot.height()),
                     palette().color(QPalette::Midlight));
    double start = 0;
    for (const Phase& phase : m_point->phases) {
        if (phase.name == "burst")
            painter.fillRect(
                QRectF(x(start), plot.top(), x(start + phase.durationS) - x(start), plot.height()),
                colours.warningSoft);
        start += phase.durationS;
    }

    // Rate: what was asked for as a line, what the schedule holds in bins of its axis.
    const int bins = std::clamp(static_cast<int>(plot.width() / 8), 10, 120);
    std::vector<double> rates(static_cast<std::size_t>(bins), 0);
    for (const Arrival& arrival : m_arrivals) {
        const auto bin = static_cast<std::size_t>(
            std::clamp(toSeconds(arrival.intended) / seconds * bins, 0.0, bins - 1.0));
        rates[bin] += bins / seconds;
    }
    double highest = *std::max_element(rates.begin(), rates.end());
    for (const Phase& phase : m_point->phases)
        highest = std::max(highest, phase.ratePerS);
    highest = std::max(highest, 1e-9);
    const auto y = [&](double rate) { return ratePart.bottom() - rate / highest * ratePart.height(); };
    if (!m_cut) {
        QColor area = colours.accent;
        area.setAlphaF(0.22F);
        const double binWidth = plot.width() / bins;
        for (int bin = 0; bin < bins; ++bin) {
            const double top = y(rates[static_cast<std::size_t>(bin)]);
            painter.fillRect(QRectF(plot.left() + bin * binWidth, top, binWidth, ratePart.bottom() - top),
                             area);
        }
    }
    painter.setPen(QPen(colours.accent, 1.5));
    QPolygonF line;
    start = 0;
    for (const Phase& phase : m_point->phases) {
        line << QPointF(x(start), y(phase.ratePerS))
             << QPointF(x(start + phase.durationS), y(phase.ratePerS));
        start += phase.durationS;
    }
    painter.drawPolyline(line);

    // The requests.
    QColor dot = palette().color(QPalette::Text);
    dot.setAlphaF(m_arrivals.size() > 2'000 ? 0.25F : m_arrivals.size() > 400 ? 0.5F : 0.8F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(dot);
    const double lane = dotsPart.height() / kLanes;
    for (std::size_t i = 0; i < m_arrivals.size(); ++i) {
        const double at = x(toSeconds(m_arrivals[i].intended));
        painter.drawEllipse(QPointF(at, dotsPart.top() + (static_cast<double>(i % kLanes) + 0.5) * lane), 1.4,
                            1.4);
    }

    // Axis and captions.
    painter.setPen(colours.border);
    painter.drawLine(QPointF(plot.left(), plot.bottom()), QPointF(plot.right(), plot.bottom()));
    painter.setPen(colours.secondary);
    const double step = niceStep(seconds, std::max(2, static_cast<int>(plot.width() / 90)));
    const double captionTop = plot.bottom() + 3;
    for (int i = 0; i * step <= seconds * 1.0001; ++i) {
        const double at = x(i * step);
        const QString text = i == 0 ? u"0"_s : tr("%1 s").arg(formatEditable(i * step));
        const double textWidth = metrics.horizontalAdvance(text);
        const double left = std::clamp(at - textWidth / 2, 0.0, width() - textWidth);
        painter.drawText(QPointF(left, captionTop + metrics.ascent()), text);
    }
    QString caption =
        m_cut ? tr("first %1 requests").arg(formatEstimate(static_cast<double>(m_arrivals.size())))
              : tr("%1 requests").arg(formatEstimate(static_cast<double>(m_arrivals.size())));
    if (m_point->warmupS > 0)
        caption += tr(", the first %1 s are warm-up").arg(formatEditable(m_point->warmupS));
    painter.drawText(QPointF(0, metrics.ascent()),
                     metrics.elidedText(caption, Qt::ElideRight, width() - 110));
    const QString top = tr("up to %1 /s").arg(formatEditable(std::round(highest * 10) / 10));
    painter.drawText(QPointF(width() - metrics.horizontalAdvance(top), metrics.ascent()), top);
}

} // namespace tailmark::ui
