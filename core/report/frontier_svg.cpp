// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/frontier_svg.h"

#include "analysis/operating_sentence.h"
#include "analysis/text.h"
#include "report/frontier_frame.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

std::string whyNotBelieved(const Curve& curve, const CurveLevel& level, std::span<const PointSummary> points)
{
    for (const PointSummary& p : points) {
        if (p.point.test == curve.test && p.point.load == level.load && !p.verdict.reasons.empty())
            return p.verdict.reasons.front().text;
    }
    return {};
}

/// A level with the bound of the hardware at its batch.
struct BoundMark
{
    const FrontierMark* mark;
    const LevelBound* bound;
};

std::vector<BoundMark> boundMarks(std::span<const FrontierMark> marks, std::span<const LevelBound> bounds)
{
    std::vector<BoundMark> found;
    for (const FrontierMark& m : marks) {
        const auto it = std::ranges::find(bounds, m.level->load, &LevelBound::load);
        if (it != bounds.end())
            found.push_back({&m, &*it});
    }
    return found;
}

/// A bound far off would press the curve against the axis, and is left out.
double furthestShown(std::span<const BoundMark> bounds)
{
    constexpr double kMostRoom = 2;
    double measured = 0;
    for (const BoundMark& b : bounds)
        measured = std::max(measured, b.mark->x);
    double furthest = 0;
    for (const BoundMark& b : bounds) {
        if (b.bound->tokensPerS <= kMostRoom * measured)
            furthest = std::max(furthest, b.bound->tokensPerS);
    }
    return furthest;
}

const char* loadWord(const Curve& curve)
{
    return curve.axis == LoadAxis::Concurrency ? "concurrency" : "requests/s";
}

/// Holds the chart while it is drawn.
class Frontier
{
public:
    Frontier(const Curve& curve, const OperatingPoint& op, std::span<const PointSummary> points,
             std::span<const LevelBound> bounds)
        : m_curve(curve), m_op(op), m_points(points), m_shown(shownLatency(curve, op)),
          m_marks(frontierMarks(curve, m_shown, points)), m_bounds(boundMarks(m_marks, bounds)),
          m_frame(m_shown, m_marks, curve.test + ": output throughput against " + m_shown.title,
                  furthestShown(m_bounds))
    {
    }

    Figure draw()
    {
        drawBracket();
        m_frame.drawAxes();
        m_frame.drawLimit();
        drawBound();
        drawCurve();
        drawCrossing();
        return {m_frame.svg().finish(), caption()};
    }

private:
    void drawBracket()
    {
        if (!m_op.lastPassing || !m_op.firstFailing || !m_op.lastPassing->outputTokensPerS ||
            !m_op.firstFailing->outputTokensPerS)
            return;
        const double a = m_frame.x(*m_op.lastPassing->outputTokensPerS);
        const double b = m_frame.x(*m_op.firstFailing->outputTokensPerS);
        m_frame.svg().rect(std::min(a, b), m_frame.top(), std::max(1.0, std::abs(b - a)),
                           m_frame.bottom() - m_frame.top(), "bracket");
    }

    bool isShown(const BoundMark& b) const { return m_frame.x(b.bound->tokensPerS) <= m_frame.right(); }

    void drawBound()
    {
        std::vector<std::pair<double, double>> line;
        for (const BoundMark& b : m_bounds) {
            if (!isShown(b))
                continue;
            line.emplace_back(m_frame.x(b.bound->tokensPerS), m_frame.y(b.mark->y));
            m_frame.svg().circle(line.back().first, line.back().second, 3, "bound-mark",
                                 loadText(b.bound->load) + ": bound " + figureText(b.bound->tokensPerS) +
                                     " tok/s at batch " + figureText(b.bound->batch));
        }
        if (line.size() > 1)
            m_frame.svg().path(line, "bound");
    }

    std::string boundCaption() const
    {
        if (m_bounds.empty())
            return {};
        const auto beyond = std::ranges::count_if(m_bounds, [&](const BoundMark& b) { return !isShown(b); });
        std::string text = " Dash-dotted: the bound of the hardware at each level's batch";
        if (beyond > 0)
            text += static_cast<std::size_t>(beyond) == m_bounds.size()
                        ? ", which lies beyond the chart"
                        : "; of " + (beyond == 1 ? "one level" : std::to_string(beyond) + " levels") +
                              " it lies beyond the chart";
        return text + ".";
    }

    void drawCurve()
    {
        SvgWriter& svg = m_frame.svg();
        if (const auto line = m_frame.lineThrough(m_marks); line.size() > 1)
            svg.path(line, "curve");
        for (const FrontierMark& m : m_marks) {
            m_frame.drawWhisker(m);
            std::string tooltip = loadText(m.level->load) + ": " + figureText(m.x) + " tok/s, " +
                                  m_shown.title + " " + figureText(m.y);
            const char* style = m.level->passes || !m_shown.limit ? "passing" : "failing";
            if (!m.level->believed()) {
                style = "invalid";
                tooltip += ". " + whyNotBelieved(m_curve, *m.level, m_points);
            }
            svg.circle(m_frame.x(m.x), m_frame.y(m.y), 5, style, tooltip);
            svg.text(m_frame.x(m.x), m_frame.y(m.y) - 10, "middle", "point-label", figureText(m.level->load.value));
        }
    }

    void drawCrossing()
    {
        if (!m_op.crossing || !m_op.crossing->outputTokensPerS || !m_shown.limit)
            return;
        const double x = m_frame.x(*m_op.crossing->outputTokensPerS);
        const double y = m_frame.y(m_shown.limit->limit);
        m_frame.svg().line(x, y, x, m_frame.bottom(), "crossing-line");
        m_frame.svg().circle(x, y, 7, "crossing",
                             "operating point: " + loadText({m_op.axis, m_op.crossing->load}) + ", " +
                                 figureText(*m_op.crossing->outputTokensPerS) + " tok/s");
    }

    std::string caption() const
    {
        std::string text = "Each mark is a level, labelled with its " + std::string(loadWord(m_curve)) + ".";
        if (m_shown.limit)
            text += " Dashed: the limit. Shaded: between the last passing and the first failing level. Ring: "
                    "the crossing.";
        text += " Hollow: not to be believed. Whiskers: 95 % interval." + boundCaption();
        if (m_marks.size() < m_curve.levels.size())
            text += " " + std::to_string(m_curve.levels.size() - m_marks.size()) +
                    " without a latency or a throughput cannot be drawn.";
        return text;
    }

    const Curve& m_curve;
    const OperatingPoint& m_op;
    std::span<const PointSummary> m_points;
    ShownLatency m_shown;
    std::vector<FrontierMark> m_marks;
    std::vector<BoundMark> m_bounds;
    FrontierFrame m_frame;
};

constexpr std::size_t kSeriesColours = 6;

/// Names of the runs whose curves end at one place.
struct Label
{
    double x = 0, y = 0;
    std::string names;
};

void addLabel(std::vector<Label>& labels, double x, double y, const std::string& name)
{
    constexpr double kNear = 18; // px
    const auto same = std::find_if(labels.begin(), labels.end(), [&](const Label& label) {
        return std::abs(label.x - x) < kNear && std::abs(label.y - y) < kNear;
    });
    if (same == labels.end())
        labels.push_back({x, y, name});
    else
        same->names += ", " + name;
}

} // namespace

Figure frontierFigure(const Curve& curve, const OperatingPoint& op, std::span<const PointSummary> points,
                      std::span<const LevelBound> bounds)
{
    return Frontier(curve, op, points, bounds).draw();
}

Figure overlaidFrontiers(std::span<const NamedFrontier> frontiers)
{
    const Curve& first = *frontiers.front().curve;
    const ShownLatency shown = shownLatency(first, OperatingPoint());
    std::vector<std::vector<FrontierMark>> marks;
    std::vector<FrontierMark> all;
    for (const NamedFrontier& f : frontiers) {
        marks.push_back(frontierMarks(*f.curve, shown, f.points));
        all.insert(all.end(), marks.back().begin(), marks.back().end());
    }
    FrontierFrame frame(shown, all, first.test + ": output throughput against " + shown.title);
    frame.drawAxes();
    frame.drawLimit();
    SvgWriter& svg = frame.svg();
    std::vector<Label> labels;
    for (std::size_t i = 0; i < frontiers.size(); ++i) {
        const std::string series = "series-" + std::to_string(i % kSeriesColours);
        if (const auto line = frame.lineThrough(marks[i]); line.size() > 1)
            svg.path(line, "curve " + series);
        for (const FrontierMark& m : marks[i]) {
            frame.drawWhisker(m);
            svg.circle(frame.x(m.x), frame.y(m.y), 4.5, m.level->believed() ? "mark " + series : "invalid",
                       frontiers[i].name + ", " + loadText(m.level->load) + ": " + figureText(m.x) + " tok/s, " +
                           shown.title + " " + figureText(m.y));
        }
        if (!marks[i].empty())
            addLabel(labels, frame.x(marks[i].back().x), frame.y(marks[i].back().y), frontiers[i].name);
    }
    for (const Label& label : labels)
        svg.text(label.x - 8, label.y - 8, "end", "point-label", label.names);
    return {svg.finish(), "Each mark is a level (" + std::string(loadWord(first)) +
                              "), each line a run, named at its highest level. Dashed: the limit. Hollow: not to be "
                              "believed. Whiskers: 95 % interval."};
}

} // namespace tailmark
