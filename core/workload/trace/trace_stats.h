// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "workload/lengths.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tailmark {

// What a workload shows: computed once when a log is read, over all accepted rows in the order of time, with
// bounded memory. Every quantile is nearest rank.

/// Of whole numbers: lengths in tokens, turns, times in ms.
struct IntegerStats
{
    std::uint64_t n = 0;
    std::int64_t min = 0, p10 = 0, p25 = 0, p50 = 0, p75 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
    double mean = 0;
};

/// Of the gaps between successive arrivals.
struct GapStats
{
    std::uint64_t n = 0;
    double meanNs = 0;
    double cv = 0; ///< population standard deviation / mean
    double zeroShare = 0;
    std::int64_t minNs = 0, p50Ns = 0, p90Ns = 0, p99Ns = 0, maxNs = 0;
};

/// Counts of arrivals in windows of one width, whole windows from the first arrival on.
struct WindowCounts
{
    int widthS = 0;
    double dispersion = 0; ///< variance / mean of the counts: 1 for Poisson arrivals
    double peakPerS = 0;
    double emptyShare = 0;
};

struct ArrivalStats
{
    Nanoseconds duration{0};           ///< first to last arrival
    std::optional<GapStats> gaps;      ///< absent below two rows
    std::vector<WindowCounts> windows; ///< of 1, 10 and 60 s, those of which at least two are in the trace
    int rateWidthS = 0;                ///< of `ratesPerS`
    std::vector<double> ratesPerS;     ///< arrivals over time; the last window may be cut
    /// Stamps sit on a grid of about this width: many rows share a stamp, nearly all others are whole ticks
    /// apart. Gaps, CV and the dispersion of short windows are then those of the clock, not of the users.
    std::optional<Nanoseconds> grid;
};

/// What a prefix cache could serve: leading runs of blocks that an earlier request had, requests in order, a
/// block reusable as soon as a request named it.
struct PrefixStats
{
    int blockSize = 0;
    std::uint64_t blocks = 0, uniqueBlocks = 0;
    double blockHitRate = 0; ///< infinite cache
    double tokenHitRate = 0; ///< hit tokens, at most those of the prompt / all prompt tokens
    double requestsWithHit = 0, requestsFullyCached = 0; ///< shares
    double perRequestP50 = 0, perRequestP90 = 0;         ///< share of the prompt
    struct AtCapacity
    {
        std::int64_t blocks = 0; ///< of an LRU cache
        double blockHitRate = 0, tokenHitRate = 0;
    };
    std::vector<AtCapacity> capacities;
    struct WithinAge
    {
        int seconds = 0;
        double share = 0; ///< of the block hits, on blocks last used at most so long ago
    };
    std::vector<WithinAge> ages; ///< empty without arrivals
};

struct SessionStats
{
    std::uint64_t sessions = 0;
    IntegerStats turns;                  ///< requests per session
    std::optional<IntegerStats> thinkMs; ///< where told
    std::optional<IntegerStats>
        growth; ///< prompt tokens that a turn adds to the one before it; shrinking left out
};

struct TraceStats
{
    IntegerStats prompt, output;
    std::optional<double> pearson, spearman; ///< absent where one side does not vary
    /// Evenly spaced rows, at most kScatterPoints, for a picture of the joint distribution.
    std::vector<LengthPair> scatter;
    static constexpr std::size_t kScatterPoints = 1000;
    std::optional<ArrivalStats> arrivals; ///< absent where rows have no common clock
    std::optional<PrefixStats> prefix;
    std::optional<SessionStats> sessions;
    std::optional<IntegerStats> cached; ///< cached tokens as the log tells them
    std::optional<double> cachedShare;  ///< of the prompt tokens of the rows that tell them
};

} // namespace tailmark
