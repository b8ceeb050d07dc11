// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailmark {

/// One level of a curve: the summaries of its repeats taken together. Only repeats that count are taken: those with a
/// valid verdict and those whose failure stands (Verdict::failureStands); where there is neither, all, to be shown.
struct CurveLevel
{
    Load load;
    int repeats = 0;
    bool valid = false;  ///< at least one repeat counts, so that the level may decide
    bool passes = false; ///< every constraint holds by the median of the repeats
    std::vector<std::optional<double>> values; ///< of each SLO constraint, in the SLO's order (median of the repeats)
    std::vector<std::optional<Interval>> intervals; ///< 95 % of the quantile, widened to hold every repeat
    std::optional<double> requestsPerS, outputTokensPerS, goodputRequestsPerS, goodputTokensPerS;
};

/// The levels of one test, by ascending load.
struct Curve
{
    std::string test;
    TestKind kind = TestKind::ConcurrencySweep;
    LoadAxis axis = LoadAxis::Concurrency;
    Slo slo;
    std::vector<CurveLevel> levels;
};

struct CapacityAt
{
    double load = 0;
    std::optional<double> requestsPerS, outputTokensPerS, goodputRequestsPerS;
    bool operator==(const CapacityAt&) const = default;
};

enum class OperatingState { Found, NotReached, BelowFirst, Ambiguous, NoValidPoints, NoSlo };
const char* operatingStateId(OperatingState state); ///< "found", "not_reached", …

/// Contract §5. Walks the valid levels upwards. A level that fails without a latency to show (nothing succeeded) or by
/// its failures alone brackets the operating point without a crossing.
struct OperatingPoint
{
    std::string test;
    LoadAxis axis = LoadAxis::Concurrency;
    OperatingState state = OperatingState::NoValidPoints;
    Slo slo;
    std::optional<SloLimit> failing; ///< the limit that is crossed first
    std::optional<CapacityAt> lastPassing, firstFailing, crossing;
    std::vector<CapacityAt> crossings;        ///< ambiguous: all of them
    /// Where the bounds of the quantile's intervals cross the limit instead of the quantile; a bound that does not cross
    /// it among the levels ends at the first or last level.
    std::optional<Interval> crossingLoad;
    std::optional<Interval> crossingTokensPerS;
    std::string sentence; ///< what it means, in words
};

/// Curves of the tests that sweep a load, from summaries made under one SLO.
std::vector<Curve> makeCurves(std::span<const PointSummary> points, const Slo& slo);
OperatingPoint findOperatingPoint(const Curve& curve);

/// "ttft_ms:p99<=1000" -> limit. Errors say what is allowed.
Result<SloLimit> parseSloLimit(const std::string& text);
/// "99 % of requests see their first token within 1 s".
std::string sloSentence(const SloLimit& limit);

} // namespace tailmark
