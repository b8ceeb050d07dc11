// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailmark {

/// What one limit is held against at one level, over the repeats that measured it: the quantile with failures beyond every
/// limit, and the share of requests within the limit, which decides and is interpolated where the quantile is not finite.
struct HeldLimit
{
    bool measured = false;
    std::optional<double> value; ///< median of the repeats
    std::optional<Interval> interval; ///< 95 % of the quantile, widened to hold every repeat; its ends may be infinite
    double share = 0;            ///< within the limit, median of the repeats
    std::optional<Interval> shareInterval;
    bool meets = false;
    std::size_t n = 0; ///< values of the repeat with the fewest; 0 where not known
    bool weak = false; ///< the quantile of a repeat is weak
};

/// One level of a curve: the summaries of its repeats taken together. Only repeats that count are taken: those with a
/// valid verdict and those whose failure stands (Verdict::failureStands); where there is neither, all, to be shown.
struct CurveLevel
{
    Load load;
    int repeats = 0;
    bool valid = false;  ///< at least one repeat counts, so that the level may decide
    /// Codes of what speaks against repeats that count because their failure stands. Such a level may bracket an
    /// operating point, but its figures carry none: no line is drawn and nothing is interpolated to it.
    std::vector<std::string> doubts;
    bool believed() const { return valid && doubts.empty(); }
    bool passes = false; ///< every constraint holds by the median of the repeats
    /// False: no repeat measured what a limit is of, and no other limit is broken. Such a level decides nothing.
    bool judged = true;
    /// What the file of another tool does not tell, so that no repeat of the level can be judged: "p95 TTFT"; else empty.
    std::string notTold;
    std::vector<std::optional<double>> values; ///< of each SLO constraint, in the SLO's order (median of the repeats)
    std::vector<std::optional<Interval>> intervals; ///< 95 % of the quantile, widened to hold every repeat
    std::vector<HeldLimit> held;  ///< the same limits as they decide
    std::optional<double> requestsPerS, outputTokensPerS, goodputRequestsPerS, goodputTokensPerS;
    /// 95 % within the points, widened to hold every repeat.
    std::optional<Interval> requestsInterval, outputTokensInterval;
};

/// The levels of one test, by ascending load.
struct Curve
{
    std::string test;
    TestKind kind = TestKind::ConcurrencySweep;
    LoadAxis axis = LoadAxis::Concurrency;
    Slo slo;
    std::vector<CurveLevel> levels;
    std::vector<Curve> repeats; ///< the curve of each repeat by itself; empty where there is one
};

struct CapacityAt
{
    double load = 0;
    std::optional<double> requestsPerS, outputTokensPerS, goodputRequestsPerS;
    bool operator==(const CapacityAt&) const = default;
};

/// 95 % of where the limit is crossed. An end is open where it lies beyond the levels that may be believed: nobody knows how
/// far, and the figure is that of the last level on its side.
struct CrossingInterval
{
    double low = 0, high = 0;
    bool lowOpen = false, highOpen = false;
    bool operator==(const CrossingInterval&) const = default;
};
/// "19 to 23.9", "below 24 to 26.8", "24 to above 96".
std::string crossingRangeText(const CrossingInterval& interval);

enum class OperatingState { Found, NotReached, BelowFirst, Ambiguous, NoValidPoints, NotMeasured, NoSlo };
const char* operatingStateId(OperatingState state); ///< "found", "not_reached", …

/// Contract §5. Walks the valid levels that were judged upwards; NotMeasured where there are valid ones, none of them judged. A level that fails without a latency to show (nothing succeeded), by its
/// failures alone, or with figures that may not be believed brackets the operating point without a crossing.
struct OperatingPoint
{
    std::string test;
    LoadAxis axis = LoadAxis::Concurrency;
    OperatingState state = OperatingState::NoValidPoints;
    Slo slo;
    std::optional<SloLimit> failing; ///< the limit that is crossed first
    std::optional<CapacityAt> lastPassing, firstFailing, crossing;
    std::vector<CapacityAt> crossings;        ///< ambiguous: all of them
    /// The share within the limit was interpolated and not the metric: with failures beyond every limit it is not finite.
    bool crossedByShare = false;
    /// With a crossing in two repeats or more the intervals are Student's t on the logarithm of what each repeat gives by
    /// itself (open towards where a further repeat has none). Else they are of the noise within the run, block bootstrap:
    /// where the bounds of the quantile's interval cross the limit instead of the quantile; the throughputs there with their
    /// own noise at the neighbouring levels and the shift of the crossing, combined on the logarithm (MOVER: Zou and Donner,
    /// Statistics in Medicine 27, 2008).
    int repeats = 1; ///< that the intervals rest on; one knows nothing of the noise between runs
    std::optional<CrossingInterval> crossingLoad, crossingRequestsPerS, crossingTokensPerS;
    std::string sentence; ///< what it means, in words
};

/// Curves of the tests that sweep a load, from summaries made under one SLO.
std::vector<Curve> makeCurves(std::span<const PointSummary> points, const Slo& slo);
OperatingPoint findOperatingPoint(const Curve& curve);

/// Why requests that succeed may show no value of a metric, and what asks for it: "no time between tokens was measured;
/// workload.token_evidence asks for it".
std::string notMeasuredText(Metric metric);
/// "ttft_ms:p99<=1000" -> limit. Errors say what is allowed.
Result<SloLimit> parseSloLimit(const std::string& text);
/// "99 % of requests see their first token within 1 s".
std::string sloSentence(const SloLimit& limit);

} // namespace tailmark
