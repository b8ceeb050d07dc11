// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/frontier_frame.h"

#include "analysis/text.h"
#include "base/percentile_text.h"

#include <algorithm>
#include <limits>

namespace tailmark {

namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 430;
constexpr double kLeft = 74;
constexpr double kRight = 24;
constexpr double kTop = 22;
constexpr double kBottom = 54;

/// Without an SLO a curve has no values of its own; the headline's p99 of its first repeat stands in.
std::optional<double> headlineAt(const Curve& curve, const Load& load, std::span<const PointSummary> points)
{
    for (const PointSummary& p : points) {
        if (p.point.test != curve.test || !(p.point.load == load))
            continue;
        const Distribution* d = p.distribution(headlineMetric(p.point.openLoop()));
        const Distribution::Quantile* q = d ? d->at(99) : nullptr;
        if (q)
            return q->value;
    }
    return std::nullopt;
}

SvgAxis xAxis(std::span<const FrontierMark> marks, double furthest)
{
    double high = furthest;
    for (const FrontierMark& m : marks)
        high = std::max(high, m.x);
    return {0, high > 0 ? high * 1.06 : 1, false, kLeft, kWidth - kRight};
}

SvgAxis yAxis(const ShownLatency& shown, std::span<const FrontierMark> marks)
{
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    const auto include = [&](double value) {
        if (value > 0)
            low = std::min(low, value);
        high = std::max(high, value);
    };
    for (const FrontierMark& m : marks) {
        include(m.y);
        if (m.interval) {
            include(m.interval->low);
            include(m.interval->high);
        }
    }
    if (shown.limit)
        include(shown.limit->limit);
    if (!(low <= high))
        return {0, 1, false, kHeight - kBottom, kTop};
    const bool logarithmic = high > 10 * low;
    return {logarithmic ? low / 1.2 : 0, high * (logarithmic ? 1.2 : 1.08), logarithmic, kHeight - kBottom, kTop};
}

} // namespace

ShownLatency shownLatency(const Curve& curve, const OperatingPoint& op)
{
    ShownLatency shown;
    SloLimit limit;
    if (curve.slo.empty()) {
        limit.metric = metricInfo(headlineMetric(curve.kind == TestKind::ArrivalSweep)).id;
    } else {
        limit = op.failing.value_or(curve.slo.front());
        shown.limit = limit;
        shown.constraint =
            static_cast<std::size_t>(std::find(curve.slo.begin(), curve.slo.end(), limit) - curve.slo.begin());
    }
    const auto metric = metricFromId(limit.metric);
    const std::string name = metric ? std::string(metricInfo(*metric).abbreviation) : limit.metric;
    const std::string unit = metric ? std::string(metricInfo(*metric).unit) : std::string();
    shown.title = percentileText(limit.percentile) + " " + name + (unit.empty() ? "" : " (" + unit + ")");
    return shown;
}

std::vector<FrontierMark> frontierMarks(const Curve& curve, const ShownLatency& shown,
                                        std::span<const PointSummary> points)
{
    std::vector<FrontierMark> marks;
    for (const CurveLevel& level : curve.levels) {
        const auto value = shown.limit ? level.values[shown.constraint] : headlineAt(curve, level.load, points);
        if (value && level.outputTokensPerS)
            marks.push_back({&level, *level.outputTokensPerS, *value,
                             shown.limit ? level.intervals[shown.constraint] : std::nullopt});
    }
    return marks;
}

FrontierFrame::FrontierFrame(const ShownLatency& shown, std::span<const FrontierMark> marks, const std::string& title,
                             double furthest)
    : m_shown(shown), m_x(xAxis(marks, furthest)), m_y(yAxis(shown, marks)), m_svg(kWidth, kHeight, title)
{
}

double FrontierFrame::top() const
{
    return kTop;
}

double FrontierFrame::right() const
{
    return kWidth - kRight;
}

double FrontierFrame::bottom() const
{
    return kHeight - kBottom;
}

void FrontierFrame::drawAxes()
{
    for (const double tick : m_x.ticks()) {
        m_svg.line(x(tick), kTop, x(tick), bottom(), "grid");
        m_svg.text(x(tick), bottom() + 18, "middle", "tick", figureText(tick));
    }
    for (const double tick : m_y.ticks()) {
        m_svg.line(kLeft, y(tick), kWidth - kRight, y(tick), "grid");
        m_svg.text(kLeft - 8, y(tick) + 4, "end", "tick", figureText(tick));
    }
    m_svg.line(kLeft, bottom(), kWidth - kRight, bottom(), "axis");
    m_svg.line(kLeft, kTop, kLeft, bottom(), "axis");
    m_svg.text((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", "label", "Output throughput (tok/s)");
    m_svg.upwardText(18, (kTop + bottom()) / 2, "label", m_shown.title);
}

void FrontierFrame::drawLimit()
{
    if (!m_shown.limit)
        return;
    const double at = y(m_shown.limit->limit);
    m_svg.line(kLeft, at, kWidth - kRight, at, "limit");
    m_svg.text(kLeft + 6, at - 6, "start", "limit-label", "limit " + figureText(m_shown.limit->limit));
}

void FrontierFrame::drawWhisker(const FrontierMark& mark)
{
    if (mark.interval && mark.interval->low > 0)
        m_svg.line(x(mark.x), y(mark.interval->low), x(mark.x), y(mark.interval->high), "whisker");
}

std::vector<std::pair<double, double>> FrontierFrame::lineThrough(std::span<const FrontierMark> marks) const
{
    constexpr int kSteps = 24;
    std::vector<std::pair<double, double>> line;
    const FrontierMark* before = nullptr;
    for (const FrontierMark& m : marks) {
        if (!m.level->believed())
            continue;
        for (int step = before ? 1 : kSteps; step <= kSteps; ++step) {
            const double share = static_cast<double>(step) / kSteps;
            const FrontierMark& from = before ? *before : m;
            line.emplace_back(x(from.x + (m.x - from.x) * share), y(from.y + (m.y - from.y) * share));
        }
        before = &m;
    }
    return line;
}

} // namespace tailmark
