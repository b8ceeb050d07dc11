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

/// One figure of a limit at a level, or one end of its interval: the quantile where it is finite, else the share within.
struct Held
{
    Value value;
    double share = 0;
    bool meets = false;
};

Held heldAt(const SloLimit& limit, const Value& value, double share)
{
    Held held{value && std::isfinite(*value) ? value : std::nullopt, share, false};
    held.meets = meetsLimit(limit, held.value, share);
    return held;
}

enum class End { Good, Bad }; ///< of an interval: towards meeting the limit, or breaking it

Held endOf(const SloLimit& limit, const HeldLimit& held, End end)
{
    const bool high = (end == End::Bad) == (beyondEveryLimit(limit) > 0);
    const Value value = !held.value || !held.interval ? held.value
                                                      : Value(high ? held.interval->high : held.interval->low);
    const double share = !held.shareInterval   ? held.share
                         : end == End::Bad ? held.shareInterval->low
                                           : held.shareInterval->high;
    return heldAt(limit, value, share);
}

/// Where between two levels, as a share of the way, a straight line through the two quantiles meets the limit; through the
/// two shares within it where a quantile is not finite.
double crossingShare(const SloLimit& limit, const Held& a, const Held& b)
{
    const bool byValue = a.value && b.value;
    const double way = byValue ? (limit.limit - *a.value) / (*b.value - *a.value)
                               : (limit.percentile / 100 - a.share) / (b.share - a.share);
    return std::isfinite(way) ? std::clamp(way, 0.0, 1.0) : 0;
}

struct Crossing
{
    std::size_t constraint = 0;
    double share = 0;
    bool byShare = false;
};

/// The constraint that is crossed first on the way from a passing level to a failing one (or, on the way
/// back, last). None where the figures of one may not be believed.
std::optional<Crossing> firstCrossing(const Slo& slo, const CurveLevel& passing, const CurveLevel& failing)
{
    std::optional<Crossing> first;
    if (!passing.believed() || !failing.believed())
        return first;
    for (std::size_t i = 0; i < slo.size(); ++i) {
        const HeldLimit &a = passing.held[i], &b = failing.held[i];
        if (!a.measured || !b.measured || !a.meets || b.meets)
            continue;
        const double share = crossingShare(slo[i], heldAt(slo[i], a.value, a.share), heldAt(slo[i], b.value, b.share));
        if (!first || share < first->share)
            first = Crossing{i, share, !a.value || !b.value};
    }
    return first;
}

/// Where one end of the intervals meets the limit, walking upwards over the levels.
struct EndCrossing
{
    double load = 0;
    bool below = false; ///< the first level is beyond it already
    bool above = false; ///< no level is
};

EndCrossing endCrossing(const Levels& levels, std::size_t constraint, const SloLimit& limit, End end)
{
    const auto at = [&](std::size_t i) { return endOf(limit, levels[i]->held[constraint], end); };
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const Held here = at(i);
        if (here.meets)
            continue;
        if (i == 0)
            return {levels[0]->load.value, true, false};
        return {between(levels[i - 1]->load.value, levels[i]->load.value, crossingShare(limit, at(i - 1), here))};
    }
    return {levels.back()->load.value, false, true};
}

/// One throughput of a level and of what is told of the crossing.
struct Throughput
{
    Value CapacityAt::*at;
    Value CurveLevel::*of;
    std::optional<Interval> CurveLevel::*noise;
    std::optional<CrossingInterval> OperatingPoint::*interval;
};
constexpr Throughput kThroughputs[] = {
    {&CapacityAt::requestsPerS, &CurveLevel::requestsPerS, &CurveLevel::requestsInterval,
     &OperatingPoint::crossingRequestsPerS},
    {&CapacityAt::outputTokensPerS, &CurveLevel::outputTokensPerS, &CurveLevel::outputTokensInterval,
     &OperatingPoint::crossingTokensPerS}};

Value throughputAt(const Levels& levels, const Throughput& throughput, double load)
{
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
        const double a = levels[i]->load.value;
        const double b = levels[i + 1]->load.value;
        if (load >= a && load <= b)
            return between(levels[i]->*throughput.of, levels[i + 1]->*throughput.of, (load - a) / (b - a));
    }
    return std::nullopt;
}

/// The noise of the throughputs between which the capacity lies, were the crossing known exactly.
std::optional<Interval> rateNoise(const Throughput& throughput, const CurveLevel& passing, const CurveLevel& failing,
                                  double share, double capacity)
{
    const std::optional<Interval>&a = passing.*throughput.noise, &b = failing.*throughput.noise;
    if (!a || !b)
        return std::nullopt;
    const auto half = [&](double Interval::*bound) {
        return std::hypot((1 - share) * ((*a).*bound - *(passing.*throughput.of)),
                          share * ((*b).*bound - *(failing.*throughput.of)));
    };
    return Interval{std::max(0.0, capacity - half(&Interval::low)), capacity + half(&Interval::high)};
}

/// Of the noise within the run.
void addCrossingIntervals(OperatingPoint& op, const Levels& levels, const CurveLevel& passing,
                          const CurveLevel& failing, const Crossing& crossing)
{
    const HeldLimit &a = passing.held[crossing.constraint], &b = failing.held[crossing.constraint];
    if (crossing.byShare ? !a.shareInterval || !b.shareInterval : !a.interval || !b.interval)
        return;
    const SloLimit& limit = op.slo[crossing.constraint];
    const EndCrossing bad = endCrossing(levels, crossing.constraint, limit, End::Bad);
    const EndCrossing good = endCrossing(levels, crossing.constraint, limit, End::Good);
    const double load = op.crossing->load;
    const bool lowOpen = bad.below || good.below, highOpen = bad.above || good.above;
    op.crossingLoad = CrossingInterval{std::min({load, bad.load, good.load}), std::max({load, bad.load, good.load}),
                                       lowOpen, highOpen};
    for (const Throughput& throughput : kThroughputs) {
        const Value low = throughputAt(levels, throughput, op.crossingLoad->low);
        const Value high = throughputAt(levels, throughput, op.crossingLoad->high);
        const Value at = (*op.crossing).*throughput.at;
        if (!low || !high || !at || *at <= 0)
            continue;
        const Interval shift{std::min({*at, *low, *high}), std::max({*at, *low, *high})};
        const auto noise = rateNoise(throughput, passing, failing, crossing.share, *at);
        if (!noise)
            continue;
        const Interval both = combined(*at, shift, *noise);
        op.*throughput.interval = CrossingInterval{both.low, both.high, lowOpen, highOpen};
    }
}

/// In place of them the t interval of what each repeat gives by itself, where two or more have a crossing.
void addRepeats(OperatingPoint& op, const Curve& curve)
{
    if (!op.crossing)
        return;
    std::vector<CapacityAt> each;
    bool someBelow = false, someAbove = false;
    for (const Curve& repeat : curve.repeats) {
        const OperatingPoint own = findOperatingPoint(repeat);
        if (own.crossing)
            each.push_back(*own.crossing);
        someBelow |= own.state == OperatingState::BelowFirst;
        someAbove |= own.state == OperatingState::NotReached;
    }
    if (each.size() < 2)
        return;
    op.repeats = static_cast<int>(each.size());
    const auto over = [&](auto&& of) -> std::optional<CrossingInterval> {
        std::vector<double> values;
        for (const CapacityAt& at : each)
            if (const Value value = of(at))
                values.push_back(*value);
        const auto interval = values.size() == each.size() ? repeatInterval(values) : std::nullopt;
        const Value middle = of(*op.crossing);
        if (!interval || !middle)
            return std::nullopt;
        return CrossingInterval{std::min(interval->low, *middle), std::max(interval->high, *middle), someBelow, someAbove};
    };
    op.crossingLoad = over([](const CapacityAt& at) { return Value(at.load); });
    for (const Throughput& throughput : kThroughputs)
        op.*throughput.interval = over([&](const CapacityAt& at) { return at.*throughput.at; });
}

/// The first limit that the failing level breaks, when no straight line says which is crossed first.
std::optional<SloLimit> brokenLimit(const Slo& slo, const CurveLevel& failing)
{
    for (std::size_t i = 0; i < slo.size(); ++i) {
        if (failing.held[i].measured && !failing.held[i].meets)
            return slo[i];
    }
    return slo.front();
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
    op.crossedByShare = crossing->byShare;
    Levels believed;
    std::copy_if(levels.begin(), levels.end(), std::back_inserter(believed),
                 [&](const CurveLevel* level) { return level->believed() && level->held[crossing->constraint].measured; });
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
