// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/comparison.h"

#include "analysis/foreign_summary.h"
#include "analysis/operating_sentence.h"
#include "analysis/repeats.h"
#include "analysis/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailmark {

namespace {

std::optional<Estimate> rateEstimate(const PointSummary& p, Metric metric)
{
    const auto rate = p.rate(metric);
    if (!rate)
        return std::nullopt;
    const auto interval = p.rateIntervals.find(metric);
    return Estimate{*rate,
                    interval == p.rateIntervals.end() ? std::nullopt : std::optional(interval->second)};
}

struct Latency
{
    Metric metric = Metric::Ttft;
    double percent = 99;
};

Latency comparedLatency(const PointSummary& p)
{
    for (const ConstraintResult& c : p.slo.constraints) {
        const auto metric = metricFromId(c.limit.metric);
        if (metric && metricInfo(*metric).scope != MetricScope::Point && metricInfo(*metric).unit == "ms")
            return {*metric, c.limit.percentile};
    }
    return {headlineMetric(p.point.openLoop()), 99};
}

/// With the interval of a limit where it is one: that knows that requests which follow each other are alike.
std::optional<Estimate> latencyEstimate(const PointSummary& p, const Latency& latency)
{
    for (const ConstraintResult& c : p.slo.constraints) {
        if (metricFromId(c.limit.metric) == latency.metric && c.limit.percentile == latency.percent && c.value)
            return Estimate{*c.value, c.ci95};
    }
    const Distribution* d = p.distribution(latency.metric);
    const Distribution::Quantile* q = d ? d->at(latency.percent) : nullptr;
    return q ? std::optional(Estimate{q->value, q->ci95}) : std::nullopt;
}

/// Median of the repeats, and an interval that holds each of theirs and their t interval; absent where one repeat has
/// no value.
template <typename Of> std::optional<Estimate> estimateOf(const Repeats& repeats, Of&& of)
{
    std::vector<double> values;
    std::vector<std::optional<Interval>> intervals;
    for (const PointSummary* p : repeats) {
        const std::optional<Estimate> e = of(*p);
        if (!e)
            return std::nullopt;
        values.push_back(e->value);
        intervals.push_back(e->ci95);
    }
    const auto median = medianOf(values);
    if (!median)
        return std::nullopt;
    std::optional<Interval> all = envelope(values, intervals);
    if (const auto between = repeatInterval(values); all && between)
        all = Interval{std::min(all->low, between->low), std::max(all->high, between->high)};
    return Estimate{*median, all};
}

double assumedNoise(Pairing pairing)
{
    return pairing == Pairing::Paired ? kAssumedBetweenPairs : kAssumedBetweenRuns;
}

/// Widened by the assumed noise between runs, where repeats do not show it.
std::optional<Ratio> betweenRuns(std::optional<Ratio> ratio, std::size_t repeatsA, std::size_t repeatsB,
                                 Pairing pairing = Pairing::Apart)
{
    const double noise = assumedNoise(pairing);
    if (ratio && ratio->ci95 && std::min(repeatsA, repeatsB) < 2)
        ratio->ci95 = combined(ratio->value, *ratio->ci95,
                               {ratio->value / (1 + noise), ratio->value * (1 + noise)});
    return ratio;
}

/// Of pairs: their middle on the logarithm, with Student's interval of their spread; it holds all the noise there is.
/// Absent below two pairs.
std::optional<Ratio> ratioOfPairs(std::span<const double> ratios)
{
    const std::optional<Interval> ci95 = repeatInterval(ratios);
    return ci95 ? std::optional(Ratio{std::sqrt(ci95->low * ci95->high), ci95}) : std::nullopt;
}

Repeats repeatsAt(std::span<const PointSummary> points, const std::string& test, const Load& load)
{
    Repeats repeats;
    for (const PointSummary& p : points) {
        if (p.point.test == test && p.point.load == load)
            repeats.push_back(&p);
    }
    return repeats;
}

/// The members of a level that one figure fills.
struct Figure
{
    std::optional<double>&a, &b, &ratio;
    std::optional<Interval>& ci95;
};

/// B/A of each repeat that has the figure above 0 on both sides.
template <typename Of>
std::vector<double> pairRatios(const Repeats& repeatsA, const Repeats& repeatsB, Of&& of)
{
    std::vector<double> ratios;
    for (const PointSummary* a : repeatsA) {
        for (const PointSummary* b : repeatsB) {
            if (a->point.repeat != b->point.repeat)
                continue;
            const std::optional<Estimate> valueA = of(*a), valueB = of(*b);
            if (valueA && valueB && valueA->value > 0 && valueB->value > 0)
                ratios.push_back(valueB->value / valueA->value);
        }
    }
    return ratios;
}

template <typename Of>
void compare(const Repeats& repeatsA, const Repeats& repeatsB, Pairing pairing, Of&& of, Figure figure)
{
    const std::optional<Estimate> a = estimateOf(repeatsA, of);
    const std::optional<Estimate> b = estimateOf(repeatsB, of);
    if (a)
        figure.a = a->value;
    if (b)
        figure.b = b->value;
    std::optional<Ratio> ratio;
    if (pairing == Pairing::Paired)
        ratio = ratioOfPairs(pairRatios(repeatsA, repeatsB, of));
    if (!ratio)
        ratio = betweenRuns(a && b ? ratioOf(*a, *b) : std::nullopt, repeatsA.size(), repeatsB.size(), pairing);
    if (ratio) {
        figure.ratio = ratio->value;
        figure.ci95 = ratio->ci95;
    }
}

LevelComparison compareLevel(const std::string& test, const Load& load, const Repeats& allA,
                             const Repeats& allB, Pairing pairing)
{
    LevelComparison level;
    level.test = test;
    level.load = load;
    const Repeats validA = validRepeats(allA);
    const Repeats validB = validRepeats(allB);
    level.validA = !validA.empty();
    level.validB = !validB.empty();
    const auto checked = [](const PointSummary* p) { return isChecked(p->verdict); };
    level.checkedA = std::ranges::any_of(allA, checked);
    level.checkedB = std::ranges::any_of(allB, checked);
    const Repeats& a = level.validA ? validA : allA;
    const Repeats& b = level.validB ? validB : allB;
    const auto tokens = [](const PointSummary& p) { return rateEstimate(p, Metric::OutputTokensPerS); };
    const auto goodput = [](const PointSummary& p) { return rateEstimate(p, Metric::GoodputRequestsPerS); };
    compare(a, b, pairing, tokens,
            {level.throughputA, level.throughputB, level.throughputRatio, level.throughputRatioCi95});
    const Latency latency = comparedLatency(*a.front());
    level.latencyMetric = latency.metric;
    level.latencyPercent = latency.percent;
    const auto isWeakIn = [&](const PointSummary* p) {
        const Distribution* d = p->distribution(latency.metric);
        const Distribution::Quantile* q = d ? d->at(latency.percent) : nullptr;
        return q && q->weak;
    };
    level.weakA = std::ranges::any_of(a, isWeakIn);
    level.weakB = std::ranges::any_of(b, isWeakIn);
    compare(a, b, pairing, [&](const PointSummary& p) { return latencyEstimate(p, latency); },
            {level.latencyA, level.latencyB, level.latencyRatio, level.latencyRatioCi95});
    compare(a, b, pairing, goodput,
            {level.goodputA, level.goodputB, level.goodputRatio, level.goodputRatioCi95});
    return level;
}

/// Of a ratio of capacities, an end may be 0 or infinite: it is open.
std::string intervalText(const Interval& interval)
{
    if (interval.low <= 0)
        return "95 % interval below " + figureText(interval.high);
    if (std::isinf(interval.high))
        return "95 % interval above " + figureText(interval.low);
    return "95 % interval " + figureText(interval.low) + " to " + figureText(interval.high);
}

std::string limitsText(const Slo& slo)
{
    std::string text;
    for (const SloLimit& limit : slo)
        text += (text.empty() ? "" : ", and ") + sloSentence(limit);
    return text;
}

std::optional<double> capacityOf(const OperatingPoint& op)
{
    return op.state == OperatingState::Found && op.crossing ? op.crossing->outputTokensPerS : std::nullopt;
}

/// B/A of two capacities; an end that rests on an open one is 0 or infinite, and without both ends there is no interval.
std::optional<Ratio> capacityRatio(double a, const std::optional<CrossingInterval>& ofA, double b,
                                   const std::optional<CrossingInterval>& ofB)
{
    const auto closed = [](const std::optional<CrossingInterval>& i) {
        return i ? std::optional(Interval{i->low, i->high}) : std::nullopt;
    };
    std::optional<Ratio> ratio = ratioOf({a, closed(ofA)}, {b, closed(ofB)});
    if (!ratio || !ratio->ci95)
        return ratio;
    const bool lowOpen = ofB->lowOpen || ofA->highOpen, highOpen = ofB->highOpen || ofA->lowOpen;
    if (lowOpen)
        ratio->ci95->low = 0;
    if (highOpen)
        ratio->ci95->high = std::numeric_limits<double>::infinity();
    if (lowOpen && highOpen)
        ratio->ci95.reset();
    return ratio;
}

/// On what the interval of a ratio of capacities rests.
std::string restsOn(Pairing pairing, std::size_t pairs, int repeats)
{
    const std::string paired = pairing == Pairing::Paired
                                   ? " The runs are paired: the same requests on the same schedule, level by level on one "
                                     "engine after the other in changing order."
                                   : "";
    if (pairs > 1)
        return paired + " The ratio is that of " + countText(pairs) +
               " pairs of repeats, its interval from their spread.";
    if (repeats > 1)
        return paired;
    return paired + " The interval knows the noise within the runs; that between " +
           (pairing == Pairing::Paired ? "paired runs" : "runs") +
           ", which one repeat does not show, is assumed to be " + percentText(assumedNoise(pairing)) + ".";
}

/// The capacities between which a run crosses the limit; absent where no level tells.
struct Bracket
{
    std::optional<CapacityAt> least, most;
};

Bracket bracketOf(const OperatingPoint& point)
{
    switch (point.state) {
    case OperatingState::Found:
    case OperatingState::NotReached:
    case OperatingState::BelowFirst:
        break;
    default:
        return {};
    }
    if (point.crossing)
        return {point.crossing, point.crossing};
    return {point.lastPassing, point.firstFailing};
}

struct RatioBounds
{
    std::optional<double> least, most;
};

template <typename Of> RatioBounds boundsOf(const Bracket& a, const Bracket& b, Of&& of)
{
    const auto value = [&](const std::optional<CapacityAt>& at) { return at ? std::optional<double>(of(*at)) : std::nullopt; };
    const auto ratio = [](const std::optional<double>& over, const std::optional<double>& under) {
        return over && under && *over > 0 && *under > 0 ? std::optional(*over / *under) : std::nullopt;
    };
    return {ratio(value(b.least), value(a.most)), ratio(value(b.most), value(a.least))};
}

/// What the levels alone tell of two operating points of which one has no crossing. A number of clients is no capacity: of
/// a closed loop it is what they carried.
void boundRatios(CapacityComparison& c, const OperatingPoint& a, const OperatingPoint& b)
{
    if (a.axis != b.axis)
        return;
    const Bracket ofA = bracketOf(a), ofB = bracketOf(b);
    const RatioBounds tokens =
        boundsOf(ofA, ofB, [](const CapacityAt& at) { return at.outputTokensPerS.value_or(0); });
    c.leastThroughputRatio = tokens.least;
    c.mostThroughputRatio = tokens.most;
    if (a.axis == LoadAxis::Concurrency)
        return;
    const RatioBounds loads = boundsOf(ofA, ofB, [](const CapacityAt& at) { return at.load; });
    c.leastLoadRatio = loads.least;
    c.mostLoadRatio = loads.most;
}

std::string boundsText(const std::optional<double>& least, const std::optional<double>& most)
{
    if (least && most)
        return "between " + figureText(*least) + " and " + figureText(*most);
    return most ? "at most " + figureText(*most) : "at least " + figureText(*least);
}

/// "at least 1,527 tok/s at concurrency 48": what is certain of one run, or where it fails already.
std::string standingText(const OperatingPoint& op)
{
    const Bracket bracket = bracketOf(op);
    const auto text = [&](const CapacityAt& at) {
        return (at.outputTokensPerS ? figureText(*at.outputTokensPerS) + " tok/s at " : std::string()) +
               loadText({op.axis, at.load});
    };
    if (!bracket.least)
        return bracket.most ? "less than " + text(*bracket.most) : "an unknown throughput";
    if (op.crossing)
        return text(*bracket.least);
    return "at least " + text(*bracket.least) + (bracket.most ? ", less than " + text(*bracket.most) : std::string());
}

std::string boundsSentence(const CapacityComparison& c, const OperatingPoint& a, const OperatingPoint& b,
                           const std::string& nameA, const std::string& nameB)
{
    if (c.leastLoadRatio || c.mostLoadRatio)
        return ", but by the levels that pass and fail the limit is met up to " +
               boundsText(c.leastLoadRatio, c.mostLoadRatio) + " times the load by " + nameB + " as by " + nameA;
    if (c.leastThroughputRatio || c.mostThroughputRatio)
        return ", but by the levels that pass and fail " + nameB + " carries " +
               boundsText(c.leastThroughputRatio, c.mostThroughputRatio) + " times the throughput of " + nameA +
               " within the limit (" + nameA + " " + standingText(a) + ", " + nameB + " " + standingText(b) + ")";
    return {};
}

CapacityComparison compareAs(Pairing pairing, const OperatingPoint& a, const OperatingPoint& b,
                             std::span<const double> ratios, const std::string& nameA, const std::string& nameB)
{
    CapacityComparison c;
    c.test = a.test;
    const auto tokensA = capacityOf(a);
    const auto tokensB = capacityOf(b);
    std::size_t pairs = 0;
    if (tokensA && tokensB && *tokensB > 0) {
        c.ratio = ratioOfPairs(ratios);
        if (c.ratio)
            pairs = ratios.size();
        else
            c.ratio = betweenRuns(capacityRatio(*tokensA, a.crossingTokensPerS, *tokensB, b.crossingTokensPerS),
                                  static_cast<std::size_t>(a.repeats), static_cast<std::size_t>(b.repeats), pairing);
    }
    if (!c.ratio) {
        boundRatios(c, a, b);
        c.sentence = "No ratio of capacities" + boundsSentence(c, a, b, nameA, nameB) + ": " + nameA + ": " + a.sentence + " " + nameB + ": " + b.sentence;
        return c;
    }
    const std::string at = "where " + limitsText(a.slo) + ": ";
    const std::string both = nameA + " carries " + figureText(*tokensA) + " tok/s at " +
                             loadText({a.axis, a.crossing->load}) + ", " + nameB + " " +
                             figureText(*tokensB) + " tok/s at " + loadText({b.axis, b.crossing->load});
    const std::string ratio = " (ratio " + figureText(c.ratio->value) + ", ";
    const std::string rests = restsOn(pairing, pairs, std::min(a.repeats, b.repeats));
    if (c.ratio->isDistinguishable())
        c.sentence = nameB + " has " + gainText(c.ratio->value) + " than " + nameA + " " + at + both + ratio +
                     intervalText(*c.ratio->ci95) + ")." + rests;
    else if (c.ratio->ci95)
        c.sentence = "The two cannot be told apart " + at + both + ratio + intervalText(*c.ratio->ci95) +
                     " holds 1)." + rests;
    else
        c.sentence = "Whether the two differ cannot be said, for lack of samples, repeats, or levels around the limit, " + at + both + ratio +
                     "no interval).";
    return c;
}

/// Of each repeat by itself, B/A of the capacities.
std::vector<double> capacityRatios(const Curve& a, const Curve& b)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(a.repeats.size(), b.repeats.size()); ++i) {
        const auto valueA = capacityOf(findOperatingPoint(a.repeats[i]));
        const auto valueB = capacityOf(findOperatingPoint(b.repeats[i]));
        if (valueA && valueB && *valueA > 0 && *valueB > 0)
            ratios.push_back(*valueB / *valueA);
    }
    return ratios;
}

} // namespace

std::optional<Ratio> ratioOf(const Estimate& a, const Estimate& b)
{
    if (!(a.value > 0) || !(b.value >= 0))
        return std::nullopt;
    Ratio ratio{b.value / a.value, std::nullopt};
    if (!(b.value > 0) || !a.ci95 || !b.ci95 || !(a.ci95->low > 0) || !(b.ci95->low > 0))
        return ratio;
    const auto distance = [](double from, double to) { return std::log(to / from); };
    const double down = std::hypot(distance(b.ci95->low, b.value), distance(a.value, a.ci95->high));
    const double up = std::hypot(distance(b.value, b.ci95->high), distance(a.ci95->low, a.value));
    ratio.ci95 = Interval{ratio.value * std::exp(-down), ratio.value * std::exp(up)};
    return ratio;
}

std::string believedText(const LevelComparison& level, const std::string& nameA, const std::string& nameB)
{
    if (!level.checkedA && !level.checkedB)
        return "not checked";
    const bool a = level.checkedA && level.validA, b = level.checkedB && level.validB;
    const std::string believed = a && b ? "both" : a ? nameA : b ? nameB : "neither";
    if (level.checkedA && level.checkedB)
        return believed;
    const std::string& checked = level.checkedA ? nameA : nameB;
    return (a || b ? checked : "not " + checked) + ", " + (level.checkedA ? nameB : nameA) + " not checked";
}

std::vector<LevelComparison> compareLevels(std::span<const PointSummary> a, std::span<const PointSummary> b,
                                           Pairing pairing)
{
    std::vector<LevelComparison> levels;
    for (const PointSummary& p : a) {
        const bool done = std::any_of(levels.begin(), levels.end(), [&](const LevelComparison& l) {
            return l.test == p.point.test && l.load == p.point.load;
        });
        const Repeats other = repeatsAt(b, p.point.test, p.point.load);
        if (!done && !other.empty())
            levels.push_back(compareLevel(p.point.test, p.point.load,
                                          repeatsAt(a, p.point.test, p.point.load), other, pairing));
    }
    return levels;
}

std::string gainText(double ratio)
{
    if (ratio >= 1)
        return percentText(ratio - 1) + " more throughput (" + percentText(1 - 1 / ratio) +
               " less time for the same work)";
    return percentText(1 - ratio) + " less throughput (" + percentText(1 / ratio - 1) +
           " more time for the same work)";
}

CapacityComparison compareCapacity(const OperatingPoint& a, const OperatingPoint& b, const std::string& nameA,
                                   const std::string& nameB)
{
    return compareAs(Pairing::Apart, a, b, {}, nameA, nameB);
}

CapacityComparison comparePairedCapacity(const OperatingPoint& a, const OperatingPoint& b,
                                         std::span<const double> ratios, const std::string& nameA,
                                         const std::string& nameB)
{
    return compareAs(Pairing::Paired, a, b, ratios, nameA, nameB);
}

std::vector<CapacityComparison> compareCapacities(std::span<const OperatingPoint> a,
                                                  std::span<const OperatingPoint> b, const std::string& nameA,
                                                  const std::string& nameB)
{
    std::vector<CapacityComparison> all;
    for (const OperatingPoint& one : a) {
        const auto other =
            std::find_if(b.begin(), b.end(), [&](const OperatingPoint& op) { return op.test == one.test; });
        if (other != b.end())
            all.push_back(compareCapacity(one, *other, nameA, nameB));
    }
    return all;
}

std::vector<CapacityComparison> comparePairedCapacities(std::span<const PointSummary> a,
                                                        std::span<const PointSummary> b, const Slo& slo,
                                                        const std::string& nameA, const std::string& nameB)
{
    std::vector<CapacityComparison> all;
    const std::vector<Curve> curvesB = makeCurves(b, slo);
    for (const Curve& curve : makeCurves(a, slo)) {
        const auto other =
            std::find_if(curvesB.begin(), curvesB.end(), [&](const Curve& c) { return c.test == curve.test; });
        if (other != curvesB.end())
            all.push_back(comparePairedCapacity(findOperatingPoint(curve), findOperatingPoint(*other),
                                                capacityRatios(curve, *other), nameA, nameB));
    }
    return all;
}

} // namespace tailmark
