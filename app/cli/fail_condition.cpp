// SPDX-License-Identifier: GPL-3.0-or-later
#include "fail_condition.h"

#include "output.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

namespace tailmark::cli {

namespace {

constexpr std::string_view kOperatingPoint = "operating_point.";

struct Capacity
{
    std::string_view key;
    std::optional<double> (*of)(const CapacityAt&);
};
constexpr std::array kCapacities = {
    Capacity{"load", [](const CapacityAt& at) -> std::optional<double> { return at.load; }},
    Capacity{"output_tokens_per_s", [](const CapacityAt& at) { return at.outputTokensPerS; }},
    Capacity{"requests_per_s", [](const CapacityAt& at) { return at.requestsPerS; }},
    Capacity{"goodput_requests_per_s", [](const CapacityAt& at) { return at.goodputRequestsPerS; }},
};

constexpr std::string_view kCapacityRatio = "capacity";

/// Ratios of a level that two runs have.
struct LevelRatio
{
    std::string_view key;
    std::optional<double> LevelComparison::*value;
};
constexpr std::array kLevelRatios = {
    LevelRatio{"throughput", &LevelComparison::throughputRatio},
    LevelRatio{"latency", &LevelComparison::latencyRatio},
    LevelRatio{"goodput", &LevelComparison::goodputRatio},
};

const LevelRatio* levelRatioOf(std::string_view subject)
{
    const auto it = std::ranges::find(kLevelRatios, subject, &LevelRatio::key);
    return it == kLevelRatios.end() ? nullptr : &*it;
}

const Capacity* capacityOf(std::string_view subject)
{
    if (!subject.starts_with(kOperatingPoint))
        return nullptr;
    subject.remove_prefix(kOperatingPoint.size());
    const auto it = std::ranges::find(kCapacities, subject, &Capacity::key);
    return it == kCapacities.end() ? nullptr : &*it;
}

std::optional<double> numberOf(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The capacity that a state of the operating point proves: 0 where not even the first level passes.
std::optional<double> provenCapacity(const OperatingPoint& point, const Capacity& capacity)
{
    if (point.state == OperatingState::BelowFirst)
        return 0;
    const std::optional<CapacityAt>& at = point.crossing ? point.crossing : point.lastPassing;
    return at ? capacity.of(*at) : std::nullopt;
}

std::optional<double> valueAt(const PointSummary& point, const MetricInfo& metric, double percentile)
{
    if (metric.scope == MetricScope::Point)
        return point.rate(metric.metric);
    const Distribution* distribution = point.distribution(metric.metric);
    const Distribution::Quantile* quantile = distribution ? distribution->at(percentile) : nullptr;
    return quantile ? std::optional(quantile->value) : std::nullopt;
}

} // namespace

Result<FailCondition> FailCondition::parseComparison(const std::string& text)
{
    Result<FailCondition> parsed = parseSides(text, "capacity<0.95");
    if (!parsed)
        return parsed;
    const FailCondition& condition = parsed.value();
    if (condition.subject == kCapacityRatio && condition.load)
        return condition.refused("a capacity is where the limit is crossed, and has no load");
    if (condition.subject != kCapacityRatio && !levelRatioOf(condition.subject))
        return condition.refused("must begin with capacity, throughput, latency or goodput, like capacity<0.95 or latency@32>1.1");
    return parsed;
}

Result<FailCondition> FailCondition::parseSides(const std::string& text, const std::string& example)
{
    FailCondition condition;
    condition.text = text;
    const auto refuse = [&](const std::string& message) { return condition.refused(message); };
    const std::size_t op = text.find_first_of("<>");
    if (op == std::string::npos)
        return refuse("must hold one of < <= > >=, like " + example);
    condition.below = text[op] == '<';
    condition.orEqual = op + 1 < text.size() && text[op + 1] == '=';
    const std::optional<double> value =
        numberOf(std::string_view(text).substr(op + (condition.orEqual ? 2 : 1)));
    if (!value)
        return refuse("must end with a number, like " + example);
    condition.value = *value;

    std::string_view left = std::string_view(text).substr(0, op);
    if (const std::size_t slash = left.rfind('/'); slash != std::string_view::npos) {
        condition.test = left.substr(0, slash);
        left = left.substr(slash + 1);
    }
    if (const std::size_t at = left.find('@'); at != std::string_view::npos) {
        condition.load = numberOf(left.substr(at + 1));
        if (!condition.load)
            return refuse("the load behind @ must be a number");
        left = left.substr(0, at);
    }
    condition.subject = left;
    return condition;
}

Result<FailCondition> FailCondition::parse(const std::string& text)
{
    Result<FailCondition> parsed = parseSides(text, "ttft_ms:p99>1000");
    if (!parsed)
        return parsed;
    FailCondition condition = std::move(parsed).value();
    const auto refuse = [&](const std::string& message) { return condition.refused(message); };
    const std::string whole = condition.subject;
    std::string_view left = whole;
    if (const std::size_t colon = left.find(":p"); colon != std::string_view::npos) {
        condition.percentile = numberOf(left.substr(colon + 2));
        if (condition.percentile != 50 && condition.percentile != 90 && condition.percentile != 95 &&
            condition.percentile != 99)
            return refuse("the percentile must be p50, p90, p95 or p99");
        left = left.substr(0, colon);
    }
    condition.subject = left;
    if (capacityOf(left)) {
        if (condition.percentile || condition.load)
            return refuse("an operating point has neither a percentile nor a load");
        return condition;
    }
    const std::optional<Metric> metric = metricFromId(left);
    if (!metric) {
        std::string allowed;
        for (const Capacity& capacity : kCapacities)
            allowed += std::string(allowed.empty() ? "" : ", ") + std::string(kOperatingPoint) +
                       std::string(capacity.key);
        return refuse("must begin with a metric like ttft_ms, or one of " + allowed);
    }
    if ((metricInfo(*metric).scope == MetricScope::Point) == condition.percentile.has_value())
        return refuse(condition.percentile
                          ? "this metric has one value a point and no percentile"
                          : "this metric needs a percentile, like " + condition.subject + ":p99");
    return condition;
}

Status FailCondition::check(const Plan& plan) const
{
    const bool capacity = capacityOf(subject) != nullptr;
    if (capacity && plan.matrix.slo.empty())
        return refused("without limits (slo) there is no operating point");
    std::vector<std::string> tests;
    bool named = false, sweeps = false, hasLoad = false;
    for (const PointPlan& point : plan.points) {
        if (std::ranges::find(tests, point.test) == tests.end())
            tests.push_back(point.test);
        if (!concerns(point.test))
            continue;
        named = true;
        sweeps |= point.kind == TestKind::ConcurrencySweep || point.kind == TestKind::ArrivalSweep;
        hasLoad |= load && point.load.value == *load;
    }
    if (!named) {
        std::string all;
        for (const std::string& each : tests)
            all += (all.empty() ? "" : ", ") + each;
        return refused("no test of this run is called " + test + "; there are " + all);
    }
    if (capacity && !sweeps)
        return refused("only a sweep has an operating point");
    if (load && !hasLoad)
        return refused("no point of this run has the load " + figure(load));
    return success();
}

Error FailCondition::refused(const std::string& message) const
{
    return {ErrorCode::BadInput, "--fail-if " + text, message};
}

bool FailCondition::fires(double measured) const
{
    return (orEqual && measured == value) || (below ? measured < value : measured > value);
}

std::optional<std::string> FailCondition::holds(const RunResults& results) const
{
    const auto because = [&](const std::string& where, const std::optional<double>& measured) {
        return text + ": " + where + (measured ? " it is " + figure(measured) : " it is not known");
    };
    bool known = false;
    if (const Capacity* capacity = capacityOf(subject)) {
        for (const OperatingPoint& point : results.operatingPoints) {
            if (!concerns(point.test))
                continue;
            const std::optional<double> measured = provenCapacity(point, *capacity);
            if (point.state == OperatingState::BelowFirst && fires(*measured))
                return text + ": in test " + point.test + " there is none: no level passes";
            if (!measured || fires(*measured))
                return because("in test " + point.test, measured);
            known = true;
        }
        return known ? std::nullopt : std::optional(text + ": there is no operating point");
    }
    const MetricInfo& metric = metricInfo(*metricFromId(subject));
    for (const PointSummary& point : results.points) {
        if (!concerns(point.point.test) || (load && point.point.load.value != *load))
            continue;
        const std::optional<double> measured = valueAt(point, metric, percentile.value_or(0));
        if (!measured || fires(*measured))
            return because("in test " + point.point.test + " at load " + figure(point.point.load.value),
                           measured);
        known = true;
    }
    return known ? std::nullopt : std::optional(text + ": there is no such point");
}

std::optional<std::string> FailCondition::holds(const RunComparison& comparison) const
{
    return subject == kCapacityRatio ? holds(std::span(comparison.capacities)) : holds(std::span(comparison.levels));
}

std::optional<std::string> FailCondition::holds(std::span<const LevelComparison> levels) const
{
    bool known = false;
    for (const LevelComparison& level : levels) {
        if (!concerns(level.test) || (load && level.load.value != *load))
            continue;
        const std::optional<double> ratio = level.*(levelRatioOf(subject)->value);
        if (!ratio || fires(*ratio))
            return text + ": in test " + level.test + " at load " + figure(level.load.value) +
                   (ratio ? " it is " + figure(*ratio) : " it is not known");
        known = true;
    }
    return known ? std::nullopt : std::optional(text + ": both runs have no such level");
}

std::optional<std::string> FailCondition::holds(std::span<const CapacityComparison> capacities) const
{
    bool known = false;
    for (const CapacityComparison& capacity : capacities) {
        if (!concerns(capacity.test))
            continue;
        if (!capacity.ratio)
            return text + ": in test " + capacity.test + " it is not known: " + capacity.sentence;
        if (fires(capacity.ratio->value))
            return text + ": in test " + capacity.test + " it is " + figure(capacity.ratio->value);
        known = true;
    }
    return known ? std::nullopt : std::optional(text + ": there are no two capacities to compare");
}

} // namespace tailmark::cli
