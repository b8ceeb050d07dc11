// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/operating_point.h"

#include "analysis/operating_sentence.h"
#include "analysis/repeats.h"
#include "analysis/slo.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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
/// back, last). None where the figures of one may not be believed.
std::optional<Crossing> firstCrossing(const Slo& slo, const CurveLevel& passing, const CurveLevel& failing)
{
    std::optional<Crossing> first;
    if (!passing.believed() || !failing.believed())
        return first;
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

Interval holding(double value, const Interval& interval)
{
    return {std::min(value, interval.low), std::max(value, interval.high)};
}

/// The noise of the throughputs between which the capacity lies, were the crossing known exactly.
std::optional<Interval> rateNoise(const CurveLevel& passing, const CurveLevel& failing, double share,
                                  double capacity)
{
    if (!passing.outputTokensInterval || !failing.outputTokensInterval)
        return std::nullopt;
    const auto half = [&](double Interval::*bound) {
        return std::hypot((1 - share) * ((*passing.outputTokensInterval).*bound - *passing.outputTokensPerS),
                          share * ((*failing.outputTokensInterval).*bound - *failing.outputTokensPerS));
    };
    return Interval{std::max(0.0, capacity - half(&Interval::low)), capacity + half(&Interval::high)};
}

void addCrossingIntervals(OperatingPoint& op, const Levels& levels, const CurveLevel& passing,
                          const CurveLevel& failing, const Crossing& crossing)
{
    const SloLimit& limit = op.slo[crossing.constraint];
    const double one = boundCrossing(levels, crossing.constraint, limit, &Interval::high);
    const double other = boundCrossing(levels, crossing.constraint, limit, &Interval::low);
    op.crossingLoad = holding(op.crossing->load, {std::min(one, other), std::max(one, other)});
    const Value low = tokensAt(levels, op.crossingLoad->low);
    const Value high = tokensAt(levels, op.crossingLoad->high);
    if (!low || !high || !op.crossing->outputTokensPerS)
        return;
    const double tokens = *op.crossing->outputTokensPerS;
    const Interval shift = holding(tokens, {std::min(*low, *high), std::max(*low, *high)});
    if (const auto noise = rateNoise(passing, failing, crossing.share, tokens))
        op.crossingTokensPerS = combined(tokens, shift, *noise);
}

/// Widens the intervals to the t interval of what each repeat gives by itself. A repeat without a crossing has the
/// last level that passes, or the first of all, below which it lies.
void addRepeats(OperatingPoint& op, const Curve& curve)
{
    std::vector<double> loads, tokens;
    for (const Curve& repeat : curve.repeats) {
        const OperatingPoint own = findOperatingPoint(repeat);
        const auto& at = own.crossing ? own.crossing : own.lastPassing ? own.lastPassing : own.firstFailing;
        if (!at)
            continue;
        loads.push_back(at->load);
        if (at->outputTokensPerS)
            tokens.push_back(*at->outputTokensPerS);
    }
    op.repeats = std::max(1, static_cast<int>(loads.size()));
    const auto widen = [](std::optional<Interval>& interval, const std::vector<double>& values) {
        const auto between = repeatInterval(values);
        if (interval && between)
            interval = Interval{std::min(interval->low, between->low), std::max(interval->high, between->high)};
    };
    widen(op.crossingLoad, loads);
    widen(op.crossingTokensPerS, tokens);
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
    if (!passing.intervals[crossing->constraint] || !failing.intervals[crossing->constraint])
        return;
    Levels believed;
    std::copy_if(levels.begin(), levels.end(), std::back_inserter(believed),
                 [](const CurveLevel* level) { return level->believed(); });
    addCrossingIntervals(op, believed, passing, failing, *crossing);
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
    case OperatingState::NotMeasured:
        return "not_measured";
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
    bool anyValid = false;
    for (const CurveLevel& level : curve.levels) {
        anyValid |= level.valid;
        if (level.valid && level.judged)
            levels.push_back(&level);
    }
    const auto fails = [](const CurveLevel* l) { return !l->passes; };
    const auto firstFailing = std::find_if(levels.begin(), levels.end(), fails);

    if (curve.slo.empty()) {
        op.state = OperatingState::NoSlo;
    } else if (levels.empty()) {
        op.state = anyValid ? OperatingState::NotMeasured : OperatingState::NoValidPoints;
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
    addRepeats(op, curve);
    op.sentence = operatingSentence(op, curve);
    return op;
}

} // namespace tailmark
