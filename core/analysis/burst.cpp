// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/burst.h"

#include "analysis/distribution.h"
#include "analysis/text.h"

#include <algorithm>
#include <limits>

namespace tailmark {

namespace {

constexpr std::array kPhaseMetrics = {
    Metric::Ttft,    Metric::TtftIntended,        Metric::Tpot, Metric::E2e, Metric::E2eIntended,
    Metric::SendLag, Metric::OutputTokensPerSUser};

/// How long a level has to hold to count as recovered: five seconds, or a quarter of a shorter recovery.
Nanoseconds holdFor(Nanoseconds recovery)
{
    return std::min<Nanoseconds>(std::chrono::seconds(5), recovery / 4);
}

PhaseSummary summarizePhase(const PointData& data, const std::string& name, Nanoseconds begin,
                            Nanoseconds end)
{
    PhaseSummary phase{name, toSeconds(begin), toSeconds(end), 0, 0, 0, {}};
    const auto inside = [&](Nanoseconds t) { return isPresent(t) && t >= begin && t < end; };
    const double seconds = toSeconds(end - begin);
    std::array<std::vector<double>, kPhaseMetrics.size()> values;
    for (const RequestRecord& r : data.batch.records) {
        const bool completed = r.outcome == Outcome::Completed;
        phase.offeredPerS += inside(r.intended);
        phase.sentPerS += inside(r.sent);
        phase.completedPerS += completed && inside(completionTime(r));
        if (!inside(r.intended))
            continue;
        for (std::size_t i = 0; i < kPhaseMetrics.size(); ++i) {
            const auto value = completed || kPhaseMetrics[i] == Metric::SendLag
                                   ? requestValue(kPhaseMetrics[i], r)
                                   : std::nullopt;
            if (value)
                values[i].push_back(*value);
        }
    }
    for (double* rate : {&phase.offeredPerS, &phase.sentPerS, &phase.completedPerS})
        *rate /= seconds;
    const std::vector<double> percents = shownPercentiles(data.slo);
    for (std::size_t i = 0; i < kPhaseMetrics.size(); ++i) {
        std::sort(values[i].begin(), values[i].end());
        if (auto d = makeDistribution(std::span<const double>(values[i]), percents))
            phase.metrics.emplace(kPhaseMetrics[i], std::move(*d));
    }
    return phase;
}

/// Headline latency of a request as its user saw it; without an answer it is infinite.
double seenLatency(const PointData& data, const RequestRecord& r)
{
    const auto value = r.outcome == Outcome::Completed ? requestValue(data.headline, r) : std::nullopt;
    return value.value_or(std::numeric_limits<double>::infinity());
}

/// The first time from `from` on, after which the p99 of the requests due within `hold` is at or below
/// `limit`.
std::optional<Nanoseconds> latencySettles(const PointData& data, double limit, Nanoseconds from,
                                          Nanoseconds until, Nanoseconds hold)
{
    const auto firstAt = [&](Nanoseconds t) {
        return std::lower_bound(data.inWindow.begin(), data.inWindow.end(), t,
                                [](const RequestRecord* r, Nanoseconds at) { return r->intended < at; });
    };
    constexpr Nanoseconds kStep = std::chrono::milliseconds(100);
    std::vector<double> latencies;
    for (Nanoseconds t = from; t + hold <= until; t += kStep) {
        latencies.clear();
        for (auto it = firstAt(t); it != data.inWindow.end() && (*it)->intended < t + hold; ++it)
            latencies.push_back(seenLatency(data, **it));
        std::sort(latencies.begin(), latencies.end());
        const auto p99 = quantile(latencies, 99);
        if (p99 && *p99 <= limit)
            return t;
    }
    return std::nullopt;
}

} // namespace

std::vector<PhaseSummary> summarizePhases(const PointData& data)
{
    std::vector<PhaseSummary> phases;
    if (data.point.kind != TestKind::BurstRecovery)
        return phases;
    Nanoseconds begin{0};
    for (const Phase& phase : data.point.phases) {
        const Nanoseconds end = begin + fromSeconds(phase.durationS);
        const Nanoseconds from = std::max(begin, data.windowStart);
        const Nanoseconds to = std::min(end, data.windowEnd);
        if (from < to)
            phases.push_back(summarizePhase(data, phase.name, from, to));
        begin = end;
    }
    return phases;
}

std::optional<BurstSummary> summarizeBurst(const PointData& data, const std::vector<PhaseSummary>& phases)
{
    if (phases.size() < 3)
        return std::nullopt;
    const PhaseSummary& baseline = phases[0];
    const PhaseSummary& burst = phases[1];
    const Nanoseconds baseStart = fromSeconds(baseline.startS);
    const Nanoseconds burstStart = fromSeconds(burst.startS);
    const Nanoseconds burstEnd = fromSeconds(burst.endS);
    const Nanoseconds recoveryEnd = fromSeconds(phases[2].endS);
    const Nanoseconds hold = holdFor(recoveryEnd - burstEnd);

    BurstSummary s;
    s.baselineBacklog = data.backlog.mean(baseStart, burstStart);
    const LevelTrack::Peak peak = data.backlog.peak(burstStart, recoveryEnd);
    s.peakBacklog = static_cast<double>(peak.level);
    s.peakAtS = toSeconds(peak.when);
    s.predictedGrowth = (burst.offeredPerS - burst.completedPerS) * (burst.endS - burst.startS);
    s.observedGrowth =
        static_cast<double>(data.backlog.at(burstEnd)) - static_cast<double>(data.backlog.at(burstStart));

    const std::size_t usual = data.backlog.peak(baseStart, burstStart).level;
    const Nanoseconds settled = data.backlog.settles(usual, burstEnd, hold, recoveryEnd);
    if (isPresent(settled))
        s.backlogRecoveredS = toSeconds(settled - burstEnd);
    const auto headline = baseline.metrics.find(data.headline);
    if (headline != baseline.metrics.end()) {
        const double limit = headline->second.at(99)->value;
        if (const auto t = latencySettles(data, limit, burstEnd, recoveryEnd, hold))
            s.latencyRecoveredS = toSeconds(*t - burstEnd);
    }
    return s;
}

std::string burstSentence(const BurstSummary& b)
{
    const auto recovered = [](const std::optional<double>& seconds) {
        return seconds ? "after " + figureText(*seconds) + " s"
                       : std::string("not within the recovery phase");
    };
    return "Backlog (intended and not yet ended): " + figureText(b.baselineBacklog) + " on average before, " +
           figureText(b.peakBacklog) + " at its peak. It grew by " + figureText(b.observedGrowth) +
           " during the burst; (offered - completed) x time gives " + figureText(b.predictedGrowth) +
           ". Back at the level of before " + recovered(b.backlogRecoveredS) + "; p99 of the latency back " +
           recovered(b.latencyRecoveredS) + ".";
}

} // namespace tailmark
