// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tailmark {

/// The part of a point in which its latency has no trend: what the records themselves say of where a window should lie. A
/// proposal; the planned window stays the one that counts.
struct SteadyPart
{
    double startS = 0, endS = 0; ///< since the start of the point
    /// Of a trend inside it: that of the last look, times the number of looks (Bonferroni), at most 1.
    double pValue = 1;
    int looks = 1; ///< starts that were tried
    bool operator==(const SteadyPart&) const = default;
};

/// A planned window that begins before the steady part does, and shows it.
struct ShortWarmup
{
    double ratio = 1;  ///< geometric mean of the latency before the steady part / inside it
    double pValue = 1; ///< of that ratio by chance, for all places where the steady part could have begun
    /// So long and so different that the figures of the window are not those of the steady state.
    bool spoils = false;
    bool operator==(const ShortWarmup&) const = default;
};

/// Finds the steady part of the latencies of a point, warm-up included. `atS` are the intended starts of the requests,
/// ascending; the load ends at `endS`. Works on logarithms, so that one slow request says no more than it should. MSER-5
/// (White, Simulation 69, 1997) leaves out the beginning whose loss makes the mean of the rest surest; then a Mann-Kendall
/// test on the means of sixteen batches looks for a trend in what is left, and while it finds one (1 % over all looks) the
/// start moves on by a tenth of the point. Absent where that goes beyond the middle of the point, or below 100 requests.
std::optional<SteadyPart> findSteadyPart(std::span<const double> atS, std::span<const double> latencies, double endS);

/// Whether the requests between the planned warm-up and the steady part differ from those inside it, by a tenth or more and
/// beyond chance (1 %): Welch's t on the logarithm, the variance from batch means, since neighbours are alike, and for
/// all places (Bonferroni).
std::optional<ShortWarmup> findShortWarmup(std::span<const double> atS, std::span<const double> latencies,
                                           const SteadyPart& steady, double warmupS);

/// "steady from 12.4 s on; warm-up was 5 s, and from there until then TTFT was 1.8 times as long".
std::string shortWarmupText(const SteadyPart& steady, const ShortWarmup& shortWarmup, double warmupS,
                            std::string_view latency);

/// Number of values left out by MSER-5: of batches of five, the first half at most.
std::size_t mserTruncation(std::span<const double> values);

/// Two-sided p-value of a monotone trend (Mann, Econometrica 13, 1945; Kendall; normal approximation with its continuity
/// correction). 1 below four values.
double mannKendallP(std::span<const double> values);

} // namespace tailmark
