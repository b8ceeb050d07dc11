// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/cache_state.h"
#include "analysis/cold_start.h"
#include "analysis/cut_off.h"
#include "analysis/length_error.h"
#include "analysis/length_match.h"
#include "analysis/metrics.h"
#include "analysis/peer_definitions.h"
#include "analysis/prefix_sharing.h"
#include "analysis/quantile.h"
#include "analysis/server_summary.h"
#include "analysis/steady_part.h"
#include "plan/plan.h"
#include "record/request_record.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tailmark {

/// A distribution with its evidence.
struct Distribution
{
    std::size_t n = 0;
    double mean = 0, min = 0, max = 0;
    struct Quantile
    {
        double percent = 0;
        double value = 0;
        std::optional<Interval> ci95;
        bool weak = false;
        bool operator==(const Quantile&) const = default;
    };
    std::vector<Quantile> quantiles; ///< p50, p90, p95, p99, and every further percentile that the SLO names
    const Quantile* at(double percent) const;
    bool operator==(const Distribution&) const = default;
};

/// The steady part of a point, seconds since its start.
struct Window
{
    double startS = 0;
    double endS = 0;
    double warmupS = 0;
    double plannedS = 0; ///< the length that was planned; shorter: it was cut, longer: it went on until stable
    std::string note;    ///< how a window ended that goes on until stable, in words
    double lengthS() const { return endS - startS; }
    bool operator==(const Window&) const = default;
};

struct ConstraintResult
{
    SloLimit limit;
    std::optional<double> value; ///< the quantile over successful requests, or the value of a Point-scope metric
    /// Of the value, as of requests that follow each other (blockBootstrapInterval); absent for Chunk and Point scope.
    std::optional<Interval> ci95;
    double withinShare = 0;      ///< share of the denominator that succeeded within the limit
    std::optional<Interval> withinCi95; ///< of it, as of requests that follow each other; as ci95
    /// The quantile over the whole denominator, a failure beyond every limit: infinite where too many failed. It is within
    /// the limit exactly where the limit is met. Absent for Chunk and Point scope and where nothing was measured.
    std::optional<double> counted;
    std::optional<Interval> countedCi95; ///< of it; its ends may be infinite
    std::size_t n = 0;           ///< values that the quantile is of; 0 where not known
    bool weak = false;           ///< fewer than ten of them beyond it
    bool met = false; ///< value within the limit, and at least `percentile` % of the denominator succeeded within it
    /// False: requests succeeded, enough of them to meet the limit, and none showed the metric, so that nothing is known.
    bool measured = true;
    bool operator==(const ConstraintResult&) const = default;
};

struct SloResult
{
    bool met = false; ///< every constraint is met; false without a limit
    double attainment = 0; ///< good requests / denominator
    std::size_t good = 0, denominator = 0;
    std::size_t undecided = 0; ///< cancelled by the end of the point before they broke a limit: in neither number
    std::vector<ConstraintResult> constraints;

    /// Every limit's metric was measured; else there is neither attainment nor goodput.
    bool measured() const;
    /// Met or missed: where a limit was not measured only a miss of another one is certain.
    bool decided() const;
    bool operator==(const SloResult&) const = default;
};

struct VerdictReason
{
    std::string code; ///< contract §4: generator_bound, too_few_samples, not_steady, no_success, …
    std::string text; ///< with its figures
    bool operator==(const VerdictReason&) const = default;
};

struct Verdict
{
    bool valid = true;
    /// Not valid, and yet certain evidence that the level does not meet the SLO: the latency grew throughout the window,
    /// or so many requests missed that chance cannot explain it. Such a level decides an operating point as failing.
    bool failureStands = false;
    bool rising = false; ///< not steady because latency or backlog grew, which no longer run would mend
    std::vector<VerdictReason> reasons;
    bool operator==(const Verdict&) const = default;
};

/// One law of contract §8 on one point.
struct LawCheck
{
    std::string law; ///< "little", "closed_loop", "backlog", "engine_tokens", "speculation"
    std::string text; ///< formula with the figures put in
    double expected = 0, observed = 0;
    double relativeDifference = 0; ///< (observed − expected) / expected
    bool operator==(const LawCheck&) const = default;
};

/// One phase of a burst/recovery point.
struct PhaseSummary
{
    std::string name;
    double startS = 0, endS = 0;
    double offeredPerS = 0, sentPerS = 0, completedPerS = 0;
    std::map<Metric, Distribution> metrics; ///< of requests intended in the phase
    bool operator==(const PhaseSummary&) const = default;
};

/// What a burst did (contract §8; backlog = intended and not yet ended).
struct BurstSummary
{
    double baselineBacklog = 0; ///< mean over the baseline
    double peakBacklog = 0;
    double peakAtS = 0;
    std::optional<double> backlogRecoveredS; ///< after the end of the burst, until the backlog stays at the baseline's level
    std::optional<double> latencyRecoveredS; ///< …until the p99 of the headline latency is back at the baseline's
    double predictedGrowth = 0; ///< (offered − completed) × burst duration
    double observedGrowth = 0;
    bool operator==(const BurstSummary&) const = default;
};

/// The metrics of one point over its window: what page, command line, CSV, JSON and report all show.
struct PointSummary
{
    PointPlan point;
    Window window;
    std::optional<SteadyPart> steady;       ///< of the headline latency; absent where none was found, and for bursts
    std::optional<ShortWarmup> shortWarmup; ///< the planned window begins too early
    std::map<Metric, double> rates;         ///< Point-scope metrics; absent where they cannot be known
    std::map<Metric, Interval> rateIntervals; ///< 95 %, from the variation between twenty slices of the window
    std::map<Metric, Distribution> metrics; ///< Request and Chunk scope, successful requests in the window only (send lag:
                                            ///< all that were sent)
    std::array<std::uint64_t, kOutcomeCount> outcomes{};         ///< of requests intended in the window
    std::array<std::uint64_t, kOutcomeCount> outcomesOfPoint{}; ///< of all, warm-up and drain included
    std::optional<Distribution> promptTokensPlanned, promptTokens, outputTokensCap, outputTokens;
    LengthErrors promptErrors; ///< of the same requests as promptTokens
    LengthMatch lengths;
    CacheState cache;
    PrefixSharing sharing;
    double meanInFlight = 0;
    SloResult slo;
    Verdict verdict;
    std::vector<LawCheck> laws;
    // generator
    std::optional<double> cpuCores;
    std::vector<double> threadCpu; ///< of each generator thread, in cores
    std::optional<double> runDelayShare; ///< of the time in which a thread wanted a core, the share that it had none
    std::optional<Distribution> loopLagMs;  ///< from the kernel's receive stamp to processing
    std::optional<Distribution> timerLagMs; ///< a timer that waits its turn among the sockets, behind its time
    std::uint64_t newConnections = 0, staleConnections = 0;
    std::uint64_t tokenEvents = 0;     ///< of successful requests in the window
    std::uint64_t coalescedEvents = 0; ///< those of them that came in one read with the one before
    std::array<std::uint64_t, kStampSourceCount> stamps{}; ///< requests of the window by the source of their times
    std::optional<ServerSummary> server; ///< absent where the engine told no counters
    CutOff cutOff;
    std::size_t tokensUnknown = 0; ///< successful requests in the window whose output tokens nobody told
    std::vector<PhaseSummary> phases;
    std::optional<BurstSummary> burst;
    std::optional<ColdStartSummary> coldStart;
    std::vector<PeerFigures> asOthersCount; ///< of the whole point
    std::vector<std::string> firstErrors; ///< the up to five most frequent, with their counts

    double coalescedShare() const; ///< of the token events; 0 without any
    std::uint64_t stamped(StampSource s) const { return stamps[static_cast<std::size_t>(s)]; }
    std::uint64_t count(Outcome o) const { return outcomes[static_cast<std::size_t>(o)]; }
    const Distribution* distribution(Metric m) const;
    std::optional<double> rate(Metric m) const;
};

} // namespace tailmark
