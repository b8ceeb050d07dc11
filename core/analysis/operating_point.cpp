// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/operating_point.h"

#include "analysis/operating_sentence.h"
#include "analysis/slo.h"

#include <algorithm>

namespace tailmark {

namespace {

using Levels = std::vector<const CurveLevel*>;
using Value = std::optional<double>;

double between(double a, double b, double share)
{
    return a + (b - a) * share;
}

Value between(const Value& a, const Value& b, double share)
{
    return a && b ? Value(between(*a, *b, share)) : std::nullopt;
}

CapacityAt capacityOf(const CurveLevel& level)
{
    return {level.load.value, level.requestsPerS, level.outputTokensPerS, level.goodputRequestsPerS};
}

CapacityAt capacityBetween(const CurveLevel& a, const CurveLevel& b, double share)
{
    return {between(a.load.value, b.load.value, share), between(a.requestsPerS, b.requestsPerS, share),
            between(a.outputTokensPerS, b.outputTokensPerS, share),
            between(a.goodputRequestsPerS, b.goodputRequestsPerS, share)};
}

/// Where between two levels, as a share of the way, a straight line through the two values meets the limit.
std::optional<double> crossingShare(const SloLimit& limit, const Value& a, const Value& b)
{
    if (!a || !b || isWithinLimit(limit, *a) == isWithinLimit(limit, *b))
        return std::nullopt;
    return (limit.limit - *a) / (*b - *a);
}

struct Crossing
{
    std::size_t constraint = 0;
    double share = 0;
};

/// The constraint that is crossed first on the way from a passing level to a failing one (or, on the way
/// back, last).
std::optional<Crossing> firstCrossing(const Slo& slo, const CurveLevel& passing, const CurveLevel& failing)
{
    std::optional<Crossing> first;
    for (std::size_t i = 0; i < slo.size(); ++i) {
        const auto share = crossingShare(slo[i], passing.values[i], failing.values[i]);
        if (share && (!first || *share < first->share))
            first = Crossing{i, *share};
    }
    return first;
}

/// The load at which one bound of the intervals meets the limit, walking upwards over the levels.
double boundCrossing(const Levels& levels, std::size_t constraint, const SloLimit& limit,
                     double Interval::*bound)
{
    const auto value = [&](std::size_t i) -> Value {
        const auto& interval = levels[i]->intervals[constraint];
        return interval ? Value((*interval).*bound) : levels[i]->values[constraint];
    };
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const Value here = value(i);
        if (here && isWithinLimit(limit, *here))
            continue;
        if (i == 0)
            return levels[0]->load.value;
        const auto share = crossingShare(limit, value(i - 1), here);
        return share ? between(levels[i - 1]->load.value, levels[i]->load.value, *share)
                     : levels[i]->load.value;
    }
    return levels.back()->load.value;
}

Value tokensAt(const Levels& levels, double load)
{
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
        const double a = levels[i]->load.value;
        const double b = levels[i + 1]->load.value;
        if (load >= a && load <= b)
            return between(levels[i]->outputTokensPerS, levels[i + 1]->outputTokensPerS,
                           (load - a) / (b - a));
    }
    return std::nullopt;
}

void addCrossingIntervals(OperatingPoint& op, const Levels& levels, std::size_t constraint)
{
    const SloLimit& limit = op.slo[constraint];
    const double one = boundCrossing(levels, constraint, limit, &Interval::high);
    const double other = boundCrossing(levels, constraint, limit, &Interval::low);
    const double at = op.crossing->load;
    op.crossingLoad = Interval{std::min({one, other, at}), std::max({one, other, at})};
    const Value low = tokensAt(levels, op.crossingLoad->low);
    const Value high = tokensAt(levels, op.crossingLoad->high);
    if (low && high && op.crossing->outputTokensPerS) {
        const double tokens = *op.crossing->outputTokensPerS;
        op.crossingTokensPerS = Interval{std::min({*low, *high, tokens}), std::max({*low, *high, tokens})};
    }
}

/// The limit that the failing level breaks when no straight line says which is crossed first.
std::optional<SloLimit> brokenLimit(const Slo& slo, const CurveLevel& failing)
{
    for (std::size_t i = 0; i < slo.size(); ++i) {
        if (!failing.values[i] || !isWithinLimit(slo[i], *failing.values[i]))
            return slo[i];
    }
    return slo.front(); // broken by failures alone, which count against every limit
}

void bracket(OperatingPoint& op, const Levels& levels, std::size_t firstFailing)
{
    const CurveLevel& failing = *levels[firstFailing];
    op.firstFailing = capacityOf(failing);
    op.failing = brokenLimit(op.slo, failing);
    if (firstFailing == 0)
        return;
    const CurveLevel& passing = *levels[firstFailing - 1];
    op.lastPassing = capacityOf(passing);
    const auto crossing = firstCrossing(op.slo, passing, failing);
    if (!crossing)
        return;
    op.failing = op.slo[crossing->constraint];
    op.crossing = capacityBetween(passing, failing, crossing->share);
    if (passing.intervals[crossing->constraint] && failing.intervals[crossing->constraint])
        addCrossingIntervals(op, levels, crossing->constraint);
}

void listCrossings(OperatingPoint& op, const Levels& levels)
{
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
        const CurveLevel& a = *levels[i];
        const CurveLevel& b = *levels[i + 1];
        if (a.passes == b.passes)
            continue;
        const CurveLevel& passing = a.passes ? a : b;
        const CurveLevel& failing = a.passes ? b : a;
        if (const auto crossing = firstCrossing(op.slo, passing, failing))
            op.crossings.push_back(capacityBetween(passing, failing, crossing->share));
    }
}

} // namespace

const char* operatingStateId(OperatingState state)
{
    switch (state) {
    case OperatingState::Found:
        return "found";
    case OperatingState::NotReached:
        return "not_reached";
    case OperatingState::BelowFirst:
        return "below_first";
    case OperatingState::Ambiguous:
        return "ambiguous";
    case OperatingState::NoValidPoints:
        return "no_valid_points";
    case OperatingState::NoSlo:
        break;
    }
    return "no_slo";
}

OperatingPoint findOperatingPoint(const Curve& curve)
{
    OperatingPoint op;
    op.test = curve.test;
    op.axis = curve.axis;
    op.slo = curve.slo;
    Levels levels;
    for (const CurveLevel& level : curve.levels) {
        if (level.valid)
            levels.push_back(&level);
    }
    const auto fails = [](const CurveLevel* l) { return !l->passes; };
    const auto firstFailing = std::find_if(levels.begin(), levels.end(), fails);

    if (curve.slo.empty()) {
        op.state = OperatingState::NoSlo;
    } else if (levels.empty()) {
        op.state = OperatingState::NoValidPoints;
    } else if (firstFailing == levels.end()) {
        op.state = OperatingState::NotReached;
        op.lastPassing = capacityOf(*levels.back());
    } else {
        bracket(op, levels, static_cast<std::size_t>(firstFailing - levels.begin()));
        if (!std::all_of(firstFailing, levels.end(), fails)) {
            op.state = OperatingState::Ambiguous;
            listCrossings(op, levels);
        } else {
            op.state = firstFailing == levels.begin() ? OperatingState::BelowFirst : OperatingState::Found;
            if (op.crossing)
                op.crossings = {*op.crossing};
        }
    }
    op.sentence = operatingSentence(op, curve);
    return op;
}

} // namespace tailmark
