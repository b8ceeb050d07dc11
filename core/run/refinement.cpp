// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/refinement.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tailmark {

namespace {

/// To three significant digits, or as many as it needs to lie inside the bracket.
double roundedRate(double rate, double low, double high)
{
    for (int digits = 3; digits < 16; ++digits) {
        const double unit = std::pow(10, std::floor(std::log10(rate)) + 1 - digits);
        const double rounded = std::round(rate / unit) * unit;
        if (rounded > low && rounded < high)
            return rounded;
    }
    return rate;
}

/// How many levels a sweep was given beyond those of the matrix.
std::size_t addedLevels(const Plan& plan, const std::string& test)
{
    std::set<double> loads;
    for (const PointPlan& point : plan.points)
        if (point.added && point.test == test)
            loads.insert(point.load.value);
    return loads.size();
}

} // namespace

std::optional<Load> refiningLevel(const Curve& curve, double refineTo)
{
    const OperatingPoint op = findOperatingPoint(curve);
    if (op.state != OperatingState::Found || !op.lastPassing || !op.firstFailing)
        return std::nullopt;
    const double low = op.lastPassing->load;
    const double high = op.firstFailing->load;
    if (high - low <= refineTo * low)
        return std::nullopt;
    const double middle = std::sqrt(low * high);
    const Load load{curve.axis, curve.axis == LoadAxis::Concurrency ? std::round(middle)
                                                                    : roundedRate(middle, low, high)};
    const bool known = std::any_of(curve.levels.begin(), curve.levels.end(),
                                   [&](const CurveLevel& level) { return level.load == load; });
    // Of two whole numbers in a row the middle is one of them.
    return known ? std::nullopt : std::optional(load);
}

std::vector<PointPlan> refinementOf(const Plan& plan, std::span<const PointSummary> measured)
{
    const Measurement& measurement = plan.matrix.measurement;
    std::vector<PointPlan> points;
    if (measurement.refine == 0)
        return points;
    for (const Curve& curve : makeCurves(measured, plan.matrix.slo)) {
        if (addedLevels(plan, curve.test) >= static_cast<std::size_t>(measurement.refine))
            continue;
        const std::optional<Load> load = refiningLevel(curve, measurement.refineTo);
        if (!load)
            continue;
        for (int repeat = 0; repeat < measurement.repeats; ++repeat) {
            const auto like = std::find_if(plan.points.begin(), plan.points.end(), [&](const PointPlan& p) {
                return p.test == curve.test && p.repeat == repeat;
            });
            if (like == plan.points.end())
                continue;
            PointPlan point = atLoad(plan.matrix, *like, *load);
            point.added = true;
            point.index = PointIndex{static_cast<std::int32_t>(plan.points.size() + points.size())};
            points.push_back(std::move(point));
        }
        return points;
    }
    return points;
}

} // namespace tailmark
