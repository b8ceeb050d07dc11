// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/summarize.h"

#include "analysis/burst.h"
#include "analysis/distribution.h"
#include "analysis/error_counts.h"
#include "analysis/gap_tally.h"
#include "analysis/laws.h"
#include "analysis/point_data.h"
#include "analysis/text.h"
#include "analysis/token_flow.h"
#include "analysis/verdict.h"
#include "analysis/window_rate.h"
#include "base/sort_values.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

void summarizeRates(PointSummary& s, const PointData& data)
{
    if (data.windowEnd <= data.windowStart)
        return;
    const WindowRate none(data.windowStart, data.windowEnd);
    WindowRate offered = none, sent = none, accepted = none, completed = none, good = none;
    WindowRate tokens = none, finishedTokens = none, goodTokens = none;
    bool anyKnown = false;
    bool anyUnknown = false;
    for (std::size_t i = 0; i < data.byStart.size(); ++i) {
        const RequestRecord& r = *data.byStart[i];
        const bool isGood = data.judgements[i] == Judgement::Good;
        const bool isCompleted = r.outcome == Outcome::Completed;
        offered.add(r.intended, 1);
        sent.add(r.sent, 1);
        if (isAccepted(r))
            accepted.add(isPresent(r.firstToken) ? r.firstToken : completionTime(r), 1);
        if (isCompleted)
            completed.add(completionTime(r), 1);
        if (isGood)
            good.add(completionTime(r), 1);
        if (!hasUsefulTokens(r))
            continue;
        const SlicedTokens own = slicedTokens(r, data.batch.chunksOf(r), none);
        tokens.add(own.amounts);
        if (isCompleted)
            finishedTokens.add(own.amounts);
        if (isGood)
            goodTokens.add(own.amounts);
        anyKnown |= own.known;
        anyUnknown |= !own.known && isCompleted;
    }
    const auto put = [&](Metric metric, const WindowRate& rate) {
        s.rates[metric] = rate.perSecond();
        s.rateIntervals[metric] = rate.interval();
    };
    put(Metric::OfferedPerS, offered);
    put(Metric::SentPerS, sent);
    put(Metric::AcceptedPerS, accepted);
    put(Metric::CompletedPerS, completed);
    put(Metric::RequestsPerS, completed);
    if (!data.slo.empty())
        put(Metric::GoodputRequestsPerS, good);
    if (anyUnknown && !anyKnown)
        return; // nobody told the tokens of any request
    put(Metric::OutputTokensPerS, tokens);
    put(Metric::CompletedTokensPerS, finishedTokens);
    if (!data.slo.empty())
        put(Metric::GoodputTokensPerS, goodTokens);
}

void summarizeMetrics(PointSummary& s, const PointData& data, std::span<const double> percents)
{
    std::vector<double> values;
    for (const MetricInfo& info : metricCatalogue()) {
        if (info.scope != MetricScope::Request)
            continue;
        values.clear();
        for (const RequestRecord* r : data.inWindow) {
            if (r->outcome != Outcome::Completed && info.metric != Metric::SendLag)
                continue;
            if (const auto value = requestValue(info.metric, *r))
                values.push_back(*value);
        }
        sortValues(values);
        if (auto d = makeDistribution(std::span<const double>(values), percents))
            s.metrics.emplace(info.metric, std::move(*d));
    }

    GapTally gaps;
    for (const RequestRecord* r : data.inWindow) {
        if (r->outcome == Outcome::Completed)
            gaps.add(data.batch.chunksOf(*r));
    }
    if (auto d = makeDistribution(std::span<const WeightedValue>(gaps.gapsMs()), percents))
        s.metrics.emplace(Metric::ChunkGap, std::move(*d));
    if (auto d = makeDistribution(std::span<const WeightedValue>(gaps.itlMs()), percents))
        s.metrics.emplace(Metric::Itl, std::move(*d));
}

std::optional<Distribution> distributionOf(std::vector<double> values, std::span<const double> percents)
{
    sortValues(values);
    return makeDistribution(std::span<const double>(values), percents);
}

std::optional<Distribution> countsOf(const PointData& data, std::int32_t RequestRecord::*count,
                                     bool onlySuccessful, std::span<const double> percents)
{
    std::vector<double> values;
    for (const RequestRecord* r : data.inWindow) {
        if (r->*count != kUnknownCount && (!onlySuccessful || r->outcome == Outcome::Completed))
            values.push_back(r->*count);
    }
    return distributionOf(std::move(values), percents);
}

void summarizeCounts(PointSummary& s, const PointData& data, std::span<const double> percents)
{
    for (const RequestRecord& r : data.batch.records)
        ++s.outcomesOfPoint[static_cast<std::size_t>(r.outcome)];
    for (const RequestRecord* r : data.inWindow) {
        ++s.outcomes[static_cast<std::size_t>(r->outcome)];
        if (isPresent(r->firstEvent))
            ++s.stamps[static_cast<std::size_t>(r->stamps)];
        if (r->outcome != Outcome::Completed)
            continue;
        s.tokenEvents += static_cast<std::uint64_t>(r->tokenEvents);
        s.coalescedEvents += static_cast<std::uint64_t>(r->coalescedEvents);
        if (r->promptTokens != kUnknownCount && r->promptTokensPlanned != kUnknownCount)
            ++s.promptErrors[r->promptTokens - r->promptTokensPlanned];
        s.tokensUnknown += r->outputTokens == kUnknownCount;
    }
    s.promptTokensPlanned = countsOf(data, &RequestRecord::promptTokensPlanned, false, percents);
    s.promptTokens = countsOf(data, &RequestRecord::promptTokens, true, percents);
    s.outputTokensCap = countsOf(data, &RequestRecord::outputTokensCap, false, percents);
    s.outputTokens = countsOf(data, &RequestRecord::outputTokens, true, percents);
}

/// Of the whole loaded part of the point, so that it can begin inside the planned warm-up or after it.
void summarizeSteadiness(PointSummary& s, const PointData& data)
{
    if (data.point.kind == TestKind::BurstRecovery || data.point.kind == TestKind::ColdStart ||
        !data.point.shape.empty())
        return; // meant to change
    std::vector<std::pair<double, double>> byTime;
    for (const RequestRecord& r : data.batch.records) {
        if (r.outcome != Outcome::Completed || !isPresent(r.intended) || r.intended >= data.windowEnd)
            continue;
        if (const auto value = requestValue(data.headline, r))
            byTime.emplace_back(toSeconds(r.intended), *value);
    }
    if (!std::is_sorted(byTime.begin(), byTime.end()))
        std::sort(byTime.begin(), byTime.end());
    std::vector<double> atS, latencies;
    for (const auto& [at, latency] : byTime) {
        atS.push_back(at);
        latencies.push_back(latency);
    }
    s.steady = findSteadyPart(atS, latencies, s.window.endS);
    if (s.steady)
        s.shortWarmup = findShortWarmup(atS, latencies, *s.steady, s.window.startS);
}

} // namespace

bool inWindow(const RequestRecord& record, const Window& window)
{
    return isPresent(record.intended) && record.intended >= fromSeconds(window.startS) &&
           record.intended < fromSeconds(window.endS);
}

PointSummary summarize(const PointPlan& point, const Slo& slo, FailureDenominator denominator,
                       const RecordBatch& batch, const PointFacts& facts)
{
    const PointData data(point, slo, batch, facts);
    const std::vector<double> percents = shownPercentiles(slo);

    PointSummary s;
    s.point = point;
    s.window = data.window;
    s.meanInFlight = data.inFlight.mean(data.windowStart, data.windowEnd);
    s.cpuCores = facts.cpuCores;
    s.threadCpu = facts.threadCpu;
    s.runDelayShare = facts.runDelayShare;
    s.newConnections = facts.newConnections;
    s.staleConnections = facts.staleConnections;
    s.loopLagMs = distributionOf(facts.loopLagMs, percents);
    s.timerLagMs = distributionOf(facts.timerLagMs, percents);
    s.server = summarizeServer(data);
    ErrorCounts errors;
    errors.add(batch);
    s.firstErrors = errors.lines();
    s.asOthersCount = asOthersCount(batch.records);

    summarizeRates(s, data);
    summarizeMetrics(s, data, percents);
    summarizeCounts(s, data, percents);
    s.slo = evaluateSlo(slo, denominator, data.inWindow, data.inWindowJudgements(), batch, s);
    if (!s.slo.measured()) {
        for (const Metric goodput : {Metric::GoodputRequestsPerS, Metric::GoodputTokensPerS}) {
            s.rates.erase(goodput);
            s.rateIntervals.erase(goodput);
        }
    } else if (!slo.empty() && s.slo.denominator > 0) {
        s.rates[Metric::SloAttainment] = s.slo.attainment;
    }
    s.lengths = matchLengths(data);
    s.phases = summarizePhases(data);
    if (point.kind == TestKind::BurstRecovery)
        s.burst = summarizeBurst(data, s.phases);
    s.coldStart = summarizeColdStart(batch, facts);
    summarizeSteadiness(s, data);
    s.laws = checkLaws(data, s);
    s.cutOff = cutOffOf(data);
    s.cache = judgeCache(data, s.server ? &*s.server : nullptr);
    s.sharing = prefixSharing(data, s.server);
    s.verdict = judgePoint(data, s);
    return s;
}

} // namespace tailmark
