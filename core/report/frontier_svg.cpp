// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/frontier_svg.h"

#include "analysis/operating_sentence.h"
#include "analysis/text.h"
#include "base/percentile_text.h"
#include "report/svg.h"

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

struct Mark
{
    const CurveLevel* level;
    double x, y;
    std::optional<Interval> interval;
};

/// What the chart shows upwards: the limit that decides, or the headline latency.
struct Shown
{
    std::optional<SloLimit> limit;
    std::size_t constraint = 0;
    std::string title;
};

Shown shownOf(const Curve& curve, const OperatingPoint& op)
{
    Shown shown;
    SloLimit limit;
    if (curve.slo.empty()) {
        limit.metric = metricInfo(headlineMetric(curve.kind == TestKind::ArrivalSweep)).id;
    } else {
        limit = op.failing.value_or(curve.slo.front());
        shown.limit = limit;
        shown.constraint = static_cast<std::size_t>(std::find(curve.slo.begin(), curve.slo.end(), limit) -
                                                    curve.slo.begin());
    }
    const auto metric = metricFromId(limit.metric);
    const std::string name = metric ? std::string(metricInfo(*metric).abbreviation) : limit.metric;
    const std::string unit = metric ? std::string(metricInfo(*metric).unit) : std::string();
    shown.title = percentileText(limit.percentile) + " " + name + (unit.empty() ? "" : " (" + unit + ")");
    return shown;
}

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

std::vector<Mark> marksOf(const Curve& curve, const Shown& shown, std::span<const PointSummary> points)
{
    std::vector<Mark> marks;
    for (const CurveLevel& level : curve.levels) {
        const auto value =
            shown.limit ? level.values[shown.constraint] : headlineAt(curve, level.load, points);
        if (value && level.outputTokensPerS)
            marks.push_back({&level, *level.outputTokensPerS, *value,
                             shown.limit ? level.intervals[shown.constraint] : std::nullopt});
    }
    return marks;
}

std::string whyNotBelieved(const Curve& curve, const CurveLevel& level, std::span<const PointSummary> points)
{
    for (const PointSummary& p : points) {
        if (p.point.test == curve.test && p.point.load == level.load && !p.verdict.reasons.empty())
            return p.verdict.reasons.front().text;
    }
    return {};
}

/// Holds the chart while it is drawn.
class Frontier
{
public:
    Frontier(const Curve& curve, const OperatingPoint& op, std::span<const PointSummary> points)
        : m_curve(curve), m_op(op), m_points(points), m_shown(shownOf(curve, op)),
          m_marks(marksOf(curve, m_shown, points)), m_x(xAxis()), m_y(yAxis()),
          m_svg(kWidth, kHeight, curve.test + ": output throughput against " + m_shown.title)
    {
    }

    Figure draw()
    {
        drawBracket();
        drawAxes();
        drawLimit();
        drawCurve();
        drawCrossing();
        return {m_svg.finish(), caption()};
    }

private:
    SvgAxis xAxis() const
    {
        double high = 0;
        for (const Mark& m : m_marks)
            high = std::max(high, m.x);
        return {0, high > 0 ? high * 1.06 : 1, false, kLeft, kWidth - kRight};
    }

    SvgAxis yAxis() const
    {
        double low = std::numeric_limits<double>::infinity();
        double high = 0;
        const auto include = [&](double value) {
            if (value > 0)
                low = std::min(low, value);
            high = std::max(high, value);
        };
        for (const Mark& m : m_marks) {
            include(m.y);
            if (m.interval) {
                include(m.interval->low);
                include(m.interval->high);
            }
        }
        if (m_shown.limit)
            include(m_shown.limit->limit);
        if (!(low <= high))
            return {0, 1, false, kHeight - kBottom, kTop};
        const bool logarithmic = high > 10 * low;
        return {logarithmic ? low / 1.2 : 0, high * (logarithmic ? 1.2 : 1.08), logarithmic,
                kHeight - kBottom, kTop};
    }

    void drawAxes()
    {
        const double bottom = kHeight - kBottom;
        for (const double tick : m_x.ticks()) {
            m_svg.line(m_x.at(tick), kTop, m_x.at(tick), bottom, "grid");
            m_svg.text(m_x.at(tick), bottom + 18, "middle", "tick", figureText(tick));
        }
        for (const double tick : m_y.ticks()) {
            m_svg.line(kLeft, m_y.at(tick), kWidth - kRight, m_y.at(tick), "grid");
            m_svg.text(kLeft - 8, m_y.at(tick) + 4, "end", "tick", figureText(tick));
        }
        m_svg.line(kLeft, bottom, kWidth - kRight, bottom, "axis");
        m_svg.line(kLeft, kTop, kLeft, bottom, "axis");
        m_svg.text((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", "label",
                   "Output throughput (tok/s)");
        m_svg.upwardText(18, (kTop + bottom) / 2, "label", m_shown.title);
    }

    void drawLimit()
    {
        if (!m_shown.limit)
            return;
        const double y = m_y.at(m_shown.limit->limit);
        m_svg.line(kLeft, y, kWidth - kRight, y, "limit");
        m_svg.text(kLeft + 6, y - 6, "start", "limit-label", "limit " + figureText(m_shown.limit->limit));
    }

    void drawBracket()
    {
        if (!m_op.lastPassing || !m_op.firstFailing || !m_op.lastPassing->outputTokensPerS ||
            !m_op.firstFailing->outputTokensPerS)
            return;
        const double a = m_x.at(*m_op.lastPassing->outputTokensPerS);
        const double b = m_x.at(*m_op.firstFailing->outputTokensPerS);
        m_svg.rect(std::min(a, b), kTop, std::max(1.0, std::abs(b - a)), kHeight - kBottom - kTop, "bracket");
    }

    void drawCurve()
    {
        if (const auto line = straightLine(); line.size() > 1)
            m_svg.path(line, "curve");
        for (const Mark& m : m_marks) {
            const double x = m_x.at(m.x);
            if (m.interval && m.interval->low > 0)
                m_svg.line(x, m_y.at(m.interval->low), x, m_y.at(m.interval->high), "whisker");
            std::string tooltip = loadText(m.level->load) + ": " + figureText(m.x) + " tok/s, " +
                                  m_shown.title + " " + figureText(m.y);
            const char* style = m.level->passes || !m_shown.limit ? "passing" : "failing";
            if (!m.level->believed()) {
                style = "invalid";
                tooltip += ". " + whyNotBelieved(m_curve, *m.level, m_points);
            }
            m_svg.circle(x, m_y.at(m.y), 5, style, tooltip);
            m_svg.text(x, m_y.at(m.y) - 10, "middle", "point-label", figureText(m.level->load.value));
        }
    }

    /// Between two levels the values run in a straight line, which a logarithmic axis bends; drawn in short
    /// steps, so that the crossing lies on it.
    std::vector<std::pair<double, double>> straightLine() const
    {
        constexpr int kSteps = 24;
        std::vector<std::pair<double, double>> line;
        const Mark* before = nullptr;
        for (const Mark& m : m_marks) {
            if (!m.level->believed())
                continue;
            for (int step = before ? 1 : kSteps; step <= kSteps; ++step) {
                const double share = static_cast<double>(step) / kSteps;
                const Mark& from = before ? *before : m;
                line.emplace_back(m_x.at(from.x + (m.x - from.x) * share),
                                  m_y.at(from.y + (m.y - from.y) * share));
            }
            before = &m;
        }
        return line;
    }

    void drawCrossing()
    {
        if (!m_op.crossing || !m_op.crossing->outputTokensPerS || !m_shown.limit)
            return;
        const double x = m_x.at(*m_op.crossing->outputTokensPerS);
        const double y = m_y.at(m_shown.limit->limit);
        m_svg.line(x, y, x, kHeight - kBottom, "crossing-line");
        m_svg.circle(x, y, 7, "crossing",
                     "operating point: " + loadText({m_op.axis, m_op.crossing->load}) + ", " +
                         figureText(*m_op.crossing->outputTokensPerS) + " tok/s");
    }

    std::string caption() const
    {
        std::string text = "Each mark is a level, labelled with its " +
                           std::string(m_curve.axis == LoadAxis::Concurrency ? "concurrency" : "requests/s") +
                           ".";
        if (m_shown.limit)
            text += " Dashed: the limit. Shaded: between the last passing and the first failing level. Ring: "
                    "the crossing.";
        text += " Hollow: not to be believed. Whiskers: 95 % interval.";
        if (m_marks.size() < m_curve.levels.size())
            text += " " + std::to_string(m_curve.levels.size() - m_marks.size()) +
                    " without a latency or a throughput cannot be drawn.";
        return text;
    }

    const Curve& m_curve;
    const OperatingPoint& m_op;
    std::span<const PointSummary> m_points;
    Shown m_shown;
    std::vector<Mark> m_marks;
    SvgAxis m_x, m_y;
    SvgWriter m_svg;
};

} // namespace

Figure frontierFigure(const Curve& curve, const OperatingPoint& op, std::span<const PointSummary> points)
{
    return Frontier(curve, op, points).draw();
}

} // namespace tailmark
