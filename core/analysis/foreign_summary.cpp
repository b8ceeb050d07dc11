// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/foreign_summary.h"

#include "analysis/slo.h"
#include "analysis/text.h"
#include "base/percentile_text.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

constexpr const char* kForeign = "foreign";

constexpr std::pair<const char*, Metric> kLatencies[] = {
    {"ttft_ms", Metric::Ttft}, {"tpot_ms", Metric::Tpot}, {"itl_ms", Metric::Itl}, {"e2e_ms", Metric::E2e}};

/// Unknown values of a distribution are no numbers, which every writer leaves empty.
double orUnknown(const std::optional<double>& value)
{
    return value.value_or(NAN);
}

Distribution distributionOf(const ForeignFigures::Latency& latency, const std::optional<std::uint64_t>& completed)
{
    constexpr double kFewAbove = 10;
    Distribution d;
    d.n = completed.value_or(0);
    d.mean = orUnknown(latency.mean);
    d.min = orUnknown(latency.min);
    d.max = orUnknown(latency.max);
    for (const auto& [percent, ms] : latency.percentiles) {
        const double above = static_cast<double>(d.n) * (1 - percent / 100);
        d.quantiles.push_back({percent, ms, std::nullopt, completed && above < kFewAbove});
    }
    return d;
}

std::optional<Distribution> lengthOf(const std::optional<double>& mean, const std::optional<std::uint64_t>& completed)
{
    if (!mean)
        return std::nullopt;
    ForeignFigures::Latency only;
    only.mean = mean;
    return distributionOf(only, completed);
}

/// Of all attempted, the share that may at least, and at most, be within the limit: failures are misses.
struct Share
{
    double least, most;
};

Share shareWithin(double percent, const ForeignFigures& f)
{
    const double attempted = static_cast<double>(f.completed.value_or(0) + f.failed.value_or(0));
    const double succeeded = attempted > 0 ? static_cast<double>(f.completed.value_or(0)) / attempted : 1;
    return {percent / 100 * succeeded, succeeded};
}

void judge(PointSummary& summary, const Slo& slo, const ForeignFigures& f)
{
    std::string untold;
    summary.slo.met = !slo.empty();
    for (const SloLimit& limit : slo) {
        ConstraintResult c;
        c.limit = limit;
        const auto metric = metricFromId(limit.metric);
        const Distribution* d = metric ? summary.distribution(*metric) : nullptr;
        if (const Distribution::Quantile* q = d ? d->at(limit.percentile) : nullptr)
            c.value = q->value;
        const Share share = shareWithin(limit.percentile, f);
        const double needed = limit.percentile / 100;
        const bool within = c.value && isWithinLimit(limit, *c.value);
        const std::string name = percentileText(limit.percentile) + " " +
                                 (metric ? std::string(metricInfo(*metric).abbreviation) : limit.metric);
        if (!c.value)
            untold += (untold.empty() ? "" : ", ") + name;
        else if (within && share.least < needed && share.most >= needed)
            untold += (untold.empty() ? "" : ", ") + name + " with the failed requests as misses";
        c.withinShare = share.least;
        c.met = within && share.least >= needed;
        c.measured = c.value.has_value();
        summary.slo.met = summary.slo.met && c.met;
        summary.slo.constraints.push_back(std::move(c));
    }
    if (!untold.empty()) {
        summary.verdict.valid = false;
        summary.verdict.reasons.push_back({kNotTold, "as " + toolTitle(f.tool) + " counts it is not told: " + untold});
    }
}

std::string originText(const ForeignFigures& f)
{
    std::string text = "measured by " + toolTitle(f.tool) + " and taken from " + f.file +
                       ": there are no records, so that neither the load generator nor the figures can be checked";
    for (std::size_t i = 0; i < f.missing.size(); ++i)
        text += (i == 0 ? "; not told: " : ", ") + f.missing[i];
    if (f.failed.value_or(0) > 0)
        text += "; " + countText(*f.failed) + " requests failed, how is not told";
    return text;
}

void takeRate(PointSummary& summary, Metric metric, const std::optional<double>& value)
{
    if (value)
        summary.rates[metric] = *value;
}

PointSummary withFigures(const PointPlan& point, const Slo& slo, const ForeignFigures& f)
{
    PointSummary summary;
    summary.point = point;
    summary.window.endS = f.durationS.value_or(0);
    takeRate(summary, Metric::RequestsPerS, f.requestsPerS);
    takeRate(summary, Metric::CompletedPerS, f.requestsPerS);
    takeRate(summary, Metric::OutputTokensPerS, f.outputTokensPerS);
    takeRate(summary, Metric::GoodputRequestsPerS, f.goodputRequestsPerS);
    for (const auto& [id, metric] : kLatencies) {
        if (const auto it = f.latencies.find(id); it != f.latencies.end())
            summary.metrics[metric] = distributionOf(it->second, f.completed);
    }
    summary.promptTokens = lengthOf(f.promptTokens, f.completed);
    summary.outputTokens = lengthOf(f.outputTokens, f.completed);
    if (f.completed)
        summary.outcomes[static_cast<std::size_t>(Outcome::Completed)] = *f.completed;
    summary.outcomesOfPoint = summary.outcomes;
    const auto e2e = f.latencies.find("e2e_ms");
    if (f.concurrency)
        summary.meanInFlight = *f.concurrency;
    else if (f.requestsPerS && e2e != f.latencies.end() && e2e->second.mean)
        summary.meanInFlight = *f.requestsPerS * *e2e->second.mean / 1000; // Little
    else
        summary.meanInFlight = orUnknown({});
    judge(summary, slo, f);
    return summary;
}

} // namespace

bool isChecked(const Verdict& verdict)
{
    return std::ranges::find(verdict.reasons, kForeign, &VerdictReason::code) == verdict.reasons.end();
}

std::string toolTitle(std::string_view tool)
{
    constexpr std::pair<std::string_view, const char*> kTitles[] = {
        {"vllm", "vLLM"},     {"sglang", "SGLang"},   {"guidellm", "GuideLLM"},
        {"aiperf", "AIPerf"}, {"llmperf", "LLMPerf"}, {"inference-perf", "inference-perf"}};
    for (const auto& [id, title] : kTitles) {
        if (id == tool)
            return title;
    }
    return std::string(tool);
}

PointSummary summarizeForeign(const PointPlan& point, const Slo& slo, const ForeignFigures& figures)
{
    PointSummary summary = withFigures(point, slo, figures);
    summary.cache.text = "not told by " + toolTitle(figures.tool) + "'s file";
    summary.verdict.reasons.insert(summary.verdict.reasons.begin(), {kForeign, originText(figures)});
    return summary;
}

PointSummary countedAs(const PointSummary& point, const Slo& slo, const PeerFigures& figures)
{
    ForeignFigures f;
    f.tool = figures.tool;
    f.completed = point.count(Outcome::Completed);
    f.failed = 0;
    for (int i = 0; i < kOutcomeCount; ++i) {
        const auto outcome = static_cast<Outcome>(i);
        if (outcome != Outcome::Completed && outcome != Outcome::Cancelled)
            *f.failed += point.count(outcome);
    }
    f.requestsPerS = point.rate(Metric::RequestsPerS);
    f.outputTokensPerS = figures.outputTokensPerS;
    f.concurrency = point.meanInFlight > 0 ? std::optional(point.meanInFlight) : std::nullopt;
    const auto take = [&](const char* id, const std::optional<PeerFigures::Latency>& latency) {
        if (latency)
            f.latencies[id] = {latency->mean, {}, {}, {{50, latency->p50}, {99, latency->p99}}};
    };
    take("ttft_ms", figures.ttft);
    take("tpot_ms", figures.tpot);
    take("e2e_ms", figures.e2e);
    if (figures.itlMeanMs)
        f.latencies["itl_ms"].mean = figures.itlMeanMs;
    PointSummary counted = withFigures(point.point, slo, f);
    counted.outcomes = point.outcomes;
    counted.outcomesOfPoint = point.outcomesOfPoint;
    counted.promptTokens = point.promptTokens;
    counted.outputTokens = point.outputTokens;
    counted.cache = point.cache;
    counted.server = point.server;
    counted.asOthersCount = point.asOthersCount;
    // What was wrong with the measurement stays wrong by any definition.
    counted.verdict.valid = counted.verdict.valid && point.verdict.valid;
    counted.verdict.reasons.insert(counted.verdict.reasons.begin(), point.verdict.reasons.begin(),
                                   point.verdict.reasons.end());
    return counted;
}

} // namespace tailmark
