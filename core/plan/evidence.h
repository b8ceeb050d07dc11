// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"

#include <optional>
#include <string>
#include <vector>

namespace tailmark {

// How many requests a percentile needs, before anything is sent. n counts the successful requests of one window.

/// So many that the order statistics can bound the percentile at all: the largest (below p50 the smallest) of n values lies
/// beyond it with 97.5 %, p^n <= 2.5 % (p50: 6, p99: 368). `percent` between 0 and 100.
double samplesForInterval(double percent);
/// So many that ten lie above it; a quantile with fewer is called weak (p99: 1,000).
double samplesForPercentile(double percent);
/// So many that the 95 % interval is `width` of the quantile wide, (upper - lower) / value, on the assumption that requests
/// are independent and latencies fall off exponentially: p / (1 - p) x (3.92 / (width x ln(1 / (1 - p))))^2, the
/// asymptotic variance of a quantile (p99 and 10 %: 7,173). A heavier tail and a queue need more.
double samplesForWidth(double percent, double width);
/// The width that n requests give, on the same assumption.
double widthOfSamples(double percent, double n);

/// By how much the number of requests spreads around the `n` that are expected: its standard deviation as a share of n.
/// Gaps with a coefficient of variation of `cv` make cv x sqrt(fanOut / n), as of a renewal process in a long window;
/// evenly spaced arrivals are at most one of `fanOut` requests off. Recorded arrivals spread by nothing: 0.
double countSpread(ArrivalProcess process, double cv, int fanOut, double n);
/// Above this, what a level offers may well be another load than its own.
inline constexpr double kMostCountSpread = 0.1;
/// A point whose offered rate is further off the one that was asked is none of its level.
inline constexpr double kMostRateError = 0.2;

enum class Evidence { None, Weak, Firm };
/// "no interval", "weak", "firm".
const char* evidenceWords(Evidence evidence);
Evidence evidenceOf(double percent, double n);

/// What one level will be able to say of a percentile.
struct LevelEvidence
{
    std::string test;
    Load load;
    double percent = 99;
    double windowS = 0;              ///< the longest
    std::optional<double> requests = {}; ///< expected in the window; absent for a closed loop, which sends as it is answered
    double spread = 0;                   ///< of their number, countSpread()
    double neededForInterval = 0, neededToBeFirm = 0;
    std::string text = {}; ///< in words; of a closed loop the rates that it needs
};

/// Of every level of the plan, once for all repeats, for the highest percentile that the SLO names, p99 without a limit. Of
/// a burst its baseline.
std::vector<LevelEvidence> expectedEvidence(const Plan& plan);

} // namespace tailmark
