// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/operating_sentence.h"

#include "analysis/slo.h"
#include "analysis/text.h"
#include "base/percentile_text.h"

#include <algorithm>

namespace tailmark {

namespace {

std::string valueText(const MetricInfo& info, double value)
{
    if (info.unit == "ms")
        return durationText(value);
    return figureText(value) + (info.unit.empty() ? "" : " " + std::string(info.unit));
}

std::string loadTextAt(const OperatingPoint& op, double load)
{
    return loadText({op.axis, load});
}

std::string rangeText(const std::optional<CrossingInterval>& interval)
{
    return interval ? " (95 % interval " + crossingRangeText(*interval) + ")" : "";
}

std::string capacityText(const CapacityAt& at, const std::optional<CrossingInterval>& tokens = {},
                         const std::optional<CrossingInterval>& requests = {})
{
    std::string text;
    if (at.outputTokensPerS)
        text = figureText(*at.outputTokensPerS) + " tok/s" + rangeText(tokens);
    if (at.requestsPerS)
        text += (text.empty() ? "" : ", ") + figureText(*at.requestsPerS) + " requests/s" + rangeText(requests);
    return text.empty() ? "unknown throughput" : text;
}

const CurveLevel* levelAt(const Curve& curve, double load)
{
    const auto level = std::find_if(curve.levels.begin(), curve.levels.end(),
                                    [&](const CurveLevel& l) { return l.valid && l.load.value == load; });
    return level == curve.levels.end() ? nullptr : &*level;
}

/// "p99 TTFT 720 ms" of the limit at one level; how it failed where it has no value.
std::string latencyText(const OperatingPoint& op, const Curve& curve, const SloLimit& limit, double load)
{
    const auto metric = metricFromId(limit.metric);
    const CurveLevel* level = levelAt(curve, load);
    const auto index =
        static_cast<std::size_t>(std::find(op.slo.begin(), op.slo.end(), limit) - op.slo.begin());
    if (!metric || !level || index >= level->values.size())
        return {};
    const MetricInfo& info = metricInfo(*metric);
    const std::string name = info.scope == MetricScope::Point
                                 ? std::string(info.title)
                                 : percentileText(limit.percentile) + " " + std::string(info.abbreviation);
    const HeldLimit& held = level->held[index];
    if (!level->values[index])
        return held.measured ? "no request succeeded" : name + " not measured";
    std::string text = name + " " + valueText(info, *level->values[index]);
    if (held.value != level->values[index])
        text += " of those that succeeded, " + percentText(held.share) + " of all within the limit";
    else if (!level->passes && held.meets)
        text += ", but another limit is missed";
    return text;
}

std::string atLevel(const OperatingPoint& op, const Curve& curve, const SloLimit& limit, const CapacityAt& at)
{
    std::string text = capacityText(at) + " at " + loadTextAt(op, at.load);
    const std::string latency = latencyText(op, curve, limit, at.load);
    return latency.empty() ? text : text + " (" + latency + ")";
}

/// "cut off, not steady": why the figures of a level that counts may not be believed; empty where they may.
std::string doubtText(const Curve& curve, double load)
{
    const CurveLevel* level = levelAt(curve, load);
    std::string text;
    for (const std::string& code : level ? level->doubts : std::vector<std::string>()) {
        std::string words = code == "no_success" ? "no request succeeded" : code;
        std::replace(words.begin(), words.end(), '_', ' ');
        text += (text.empty() ? "" : ", ") + words;
    }
    return text;
}

/// The first failing level with its figures, or with what speaks against them.
std::string failingText(const OperatingPoint& op, const Curve& curve)
{
    const std::string doubt = doubtText(curve, op.firstFailing->load);
    return doubt.empty()
               ? atLevel(op, curve, *op.failing, *op.firstFailing)
               : loadTextAt(op, op.firstFailing->load) + " (" + doubt + "; its figures may not be believed)";
}

std::string limitsText(const OperatingPoint& op)
{
    std::string text;
    for (const SloLimit& limit : op.slo)
        text += (text.empty() ? "" : ", and ") + sloSentence(limit);
    return text;
}

std::string capitalised(std::string text)
{
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

template <typename Of> std::string loadsText(const Curve& curve, Of&& of)
{
    std::string text;
    for (const CurveLevel& level : curve.levels) {
        if (of(level))
            text += (text.empty() ? "" : ", ") + figureText(level.load.value);
    }
    return text;
}

/// Of each limit of which no valid level that was not judged has a value: why that may be.
std::string notMeasuredText(const OperatingPoint& op, const Curve& curve)
{
    std::string text;
    for (std::size_t i = 0; i < op.slo.size(); ++i) {
        const auto metric = metricFromId(op.slo[i].metric);
        const bool missing = std::any_of(curve.levels.begin(), curve.levels.end(), [&](const CurveLevel& l) {
            return l.valid && !l.judged && !l.values[i];
        });
        if (metric && missing)
            text += (text.empty() ? "" : "; ") + tailmark::notMeasuredText(*metric);
    }
    return text;
}

std::string leftOutText(const OperatingPoint& op, const Curve& curve)
{
    std::string text;
    if (const std::string loads = loadsText(curve, [](const CurveLevel& l) { return !l.valid && l.notTold.empty(); });
        !loads.empty())
        text = " Not counted, because the measurement may not be believed: " + loads + ".";
    std::vector<std::string> told; // each once
    for (const CurveLevel& level : curve.levels) {
        const std::string& what = level.notTold;
        if (what.empty() || std::find(told.begin(), told.end(), what) != told.end())
            continue;
        told.push_back(what);
        text += " Not judged: " + loadsText(curve, [&](const CurveLevel& l) { return l.notTold == what; }) + ", because " +
                what + ".";
    }
    const std::string loads = loadsText(curve, [](const CurveLevel& l) { return l.valid && !l.judged; });
    if (!loads.empty() && op.state != OperatingState::NotMeasured && op.state != OperatingState::NoSlo)
        text += " Not judged: " + loads + ", where " + notMeasuredText(op, curve) + ".";
    return text;
}

std::size_t indexOf(const OperatingPoint& op, const SloLimit& limit)
{
    return static_cast<std::size_t>(std::find(op.slo.begin(), op.slo.end(), limit) - op.slo.begin());
}

/// "p99 TPOT" of a limit.
std::string quantileText(const SloLimit& limit)
{
    const auto metric = metricFromId(limit.metric);
    return percentileText(limit.percentile) + (metric ? " " + std::string(metricInfo(*metric).abbreviation) : "");
}

/// On what the crossing and its intervals rest, or why it has none; and what weakens both.
std::string restsText(const OperatingPoint& op, const Curve& curve)
{
    const CurveLevel* passing = levelAt(curve, op.lastPassing->load);
    const CurveLevel* failing = levelAt(curve, op.firstFailing->load);
    const std::size_t index = indexOf(op, *op.failing);
    if (!passing || !failing || index >= op.slo.size())
        return {};
    std::string text = op.crossingLoad ? op.repeats > 1 ? "intervals over " + std::to_string(op.repeats) +
                                                              " repeats, Student's t"
                                                        : "intervals of the noise within this run alone, block bootstrap"
                                       : "";
    std::string weak;
    const CurveLevel* fewest = nullptr;
    for (const CurveLevel* level : {passing, failing}) {
        const HeldLimit& held = level->held[index];
        if (held.weak)
            weak += (weak.empty() ? "" : ", ") + countText(held.n) + " at " + loadTextAt(op, level->load.value);
        if (!held.interval && held.n > 0 && (!fewest || held.n < fewest->held[index].n))
            fewest = level;
    }
    const auto metric = metricFromId(op.failing->metric);
    if (!op.crossingLoad)
        text = fewest && metric && metricInfo(*metric).scope == MetricScope::Request
                   ? "without an interval, since " + quantileText(*op.failing) + " of " +
                         countText(fewest->held[index].n) + " requests at " + loadTextAt(op, fewest->load.value) +
                         " has none"
                   : "without an interval, since " + quantileText(*op.failing) + " has none";
    if (!weak.empty())
        text += "; weak: fewer than ten values beyond " + quantileText(*op.failing) + " of " + weak;
    if (op.crossedByShare)
        text += "; by the share of all requests within the limit, " + percentText(passing->held[index].share) + " and " +
                percentText(failing->held[index].share) + ", since failures are misses";
    return " (" + text + ")";
}

std::string foundText(const OperatingPoint& op, const Curve& curve)
{
    std::string text = capitalised(limitsText(op)) + " up to ";
    if (op.crossing) {
        text += loadTextAt(op, op.crossing->load) + rangeText(op.crossingLoad) + ": " +
                capacityText(*op.crossing, op.crossingTokensPerS, op.crossingRequestsPerS) + " there" +
                restsText(op, curve);
    } else {
        const std::string doubt = doubtText(curve, op.firstFailing->load);
        text += "somewhere between " + loadTextAt(op, op.lastPassing->load) + " and " +
                loadTextAt(op, op.firstFailing->load) + (doubt.empty() ? "" : " (" + doubt + ")");
    }
    return text + ". Last passing level: " + atLevel(op, curve, *op.failing, *op.lastPassing) +
           "; first failing: " + failingText(op, curve) + ".";
}

/// "the first level", unless lower ones were measured and do not count.
std::string lowestText(const OperatingPoint& op, const Curve& curve)
{
    return curve.levels.front().load.value < op.firstFailing->load ? "the lowest level that may be believed"
                                                                   : "the first level";
}

std::string ambiguousText(const OperatingPoint& op, const Curve& curve)
{
    std::string text = "Ambiguous: the limit (" + limitsText(op) + ") is broken at " +
                       loadTextAt(op, op.firstFailing->load) + " and met again above";
    if (!op.crossings.empty()) {
        text += "; crossings at ";
        for (std::size_t i = 0; i < op.crossings.size(); ++i)
            text += (i == 0 ? "" : ", ") + figureText(op.crossings[i].load);
    }
    text += ". ";
    if (op.lastPassing)
        text += "Safe to state: " + atLevel(op, curve, *op.failing, *op.lastPassing) + ". ";
    return text + "More repeats or longer points would tell.";
}

} // namespace

std::string crossingRangeText(const CrossingInterval& interval)
{
    return (interval.lowOpen ? "below " : "") + figureText(interval.low) + " to " + (interval.highOpen ? "above " : "") +
           figureText(interval.high);
}

std::string loadText(const Load& load)
{
    return load.axis == LoadAxis::Concurrency ? "concurrency " + figureText(load.value)
                                              : figureText(load.value) + " requests/s offered";
}

std::string operatingSentence(const OperatingPoint& op, const Curve& curve)
{
    switch (op.state) {
    case OperatingState::NoSlo:
        return "No limit is stated, so the curve has no operating point.";
    case OperatingState::NoValidPoints:
        return std::string(std::any_of(curve.levels.begin(), curve.levels.end(),
                                       [](const CurveLevel& l) { return l.notTold.empty(); })
                               ? "No level may be believed, so there is no operating point."
                               : "No level can be judged, so there is no operating point.") +
               leftOutText(op, curve);
    case OperatingState::NotMeasured:
        return "Not known: " + notMeasuredText(op, curve) + "." + leftOutText(op, curve);
    case OperatingState::NotReached:
        return "Not reached: " + limitsText(op) + " at every " +
               (std::all_of(curve.levels.begin(), curve.levels.end(),
                            [](const CurveLevel& l) { return l.valid && l.judged; })
                    ? "measured level"
                    : "level that counts") +
               ". Capacity is at least " +
               atLevel(op, curve, op.slo.front(), *op.lastPassing) + "." + leftOutText(op, curve);
    case OperatingState::BelowFirst:
        return "Already at " + lowestText(op, curve) + ", " + loadTextAt(op, op.firstFailing->load) +
               ", it is not so that " + limitsText(op) + ": " + failingText(op, curve) + "." +
               leftOutText(op, curve);
    case OperatingState::Ambiguous:
        return ambiguousText(op, curve) + leftOutText(op, curve);
    case OperatingState::Found:
        break;
    }
    return foundText(op, curve) + leftOutText(op, curve);
}

} // namespace tailmark
