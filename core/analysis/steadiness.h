// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>

namespace tailmark {

/// A trend of the latency inside the window.
struct Trend
{
    bool rising = false;
    double firstHalf = 0, secondHalf = 0; ///< medians
};

/// Compares the halves of a window by the latencies of its requests in the order of their intended start.
/// Twelve slices of equal count, the median of each, and a Mann-Whitney rank test of the six early ones
/// against the six late ones: a trend is one where at most one of the 36 pairs is out of order (p = 0.4 % for
/// values without a trend) and the halves' medians differ by a quarter or more. Medians of slices, since
/// neighbouring requests wait in the same queue and are no independent samples. Absent where there is none,
/// or below 60 values.
std::optional<Trend> findTrend(std::span<const double> latenciesInOrder);

} // namespace tailmark
