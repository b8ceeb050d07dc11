// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/bound_svg.h"

#include "analysis/operating_sentence.h"
#include "analysis/text.h"
#include "report/svg.h"

#include <algorithm>

namespace tailmark {

namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 380;
constexpr double kLeft = 74;
constexpr double kRight = 24;
constexpr double kTop = 22;
constexpr double kBottom = 54;

struct Reached
{
    const PointSummary* point;
    BoundCheck check;
};

std::vector<Reached> reachedOf(const BoundCurve& curve, const BoundFigures& figures,
                               std::span<const PointSummary> points)
{
    std::vector<Reached> all;
    for (const PointSummary& p : points) {
        if (p.point.test != curve.test)
            continue;
        if (const auto check = checkBound(figures, p); check && check->measuredTokensPerS.value_or(0) > 0)
            all.push_back({&p, *check});
    }
    return all;
}

void drawAxes(SvgWriter& svg, const SvgAxis& x, const SvgAxis& y)
{
    const double bottom = kHeight - kBottom;
    for (const double tick : x.ticks()) {
        svg.line(x.at(tick), kTop, x.at(tick), bottom, "grid");
        svg.text(x.at(tick), bottom + 18, "middle", "tick", figureText(tick));
    }
    for (const double tick : y.ticks()) {
        svg.line(kLeft, y.at(tick), kWidth - kRight, y.at(tick), "grid");
        svg.text(kLeft - 8, y.at(tick) + 4, "end", "tick", figureText(tick));
    }
    svg.line(kLeft, bottom, kWidth - kRight, bottom, "axis");
    svg.line(kLeft, kTop, kLeft, bottom, "axis");
    svg.text((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", "label", "Batch (sequences decoded together)");
    svg.upwardText(18, (kTop + bottom) / 2, "label", "Output throughput (tok/s)");
}

} // namespace

Figure boundFigure(const BoundCurve& curve, const BoundFigures& figures, std::span<const PointSummary> points)
{
    constexpr double kRoom = 1.2;
    const std::vector<Reached> reached = reachedOf(curve, figures, points);
    double low = curve.points.front().tokensPerS;
    double high = curve.points.back().tokensPerS;
    double smallest = 1;
    for (const Reached& r : reached) {
        low = std::min(low, *r.check.measuredTokensPerS);
        high = std::max(high, *r.check.measuredTokensPerS);
        smallest = std::min(smallest, r.check.batch);
    }
    const SvgAxis x(smallest / kRoom, curve.points.back().batch, true, kLeft, kWidth - kRight);
    const SvgAxis y(low / kRoom, high * kRoom, true, kHeight - kBottom, kTop);
    SvgWriter svg(kWidth, kHeight, curve.test + ": output throughput over the batch, below the bound of the hardware");
    drawAxes(svg, x, y);
    std::vector<std::pair<double, double>> line;
    for (const BoundCurve::At& at : curve.points)
        line.emplace_back(x.at(at.batch), y.at(at.tokensPerS));
    svg.path(line, "bound");
    for (const Reached& r : reached)
        svg.circle(x.at(r.check.batch), y.at(*r.check.measuredTokensPerS), 5, r.point->verdict.valid ? "passing" : "invalid",
                   loadText(r.point->point.load) + ": " + figureText(*r.check.measuredTokensPerS) + " tok/s at batch " +
                       figureText(r.check.batch) + ", " + percentText(*r.check.bindingFraction()) + " of the bound");
    return {svg.finish(), "Dash-dotted: the lower of the bandwidth and the compute bound at a context of " +
                              figureText(curve.contextTokens) +
                              " tokens. Marks: what the points reached. Hollow: not to be believed."};
}

} // namespace tailmark
