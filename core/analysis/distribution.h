// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"
#include "plan/matrix.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tailmark {

/// p50, p90, p95, p99 and every percentile that the SLO names, ascending.
std::vector<double> shownPercentiles(const Slo& slo);

/// Of values in ascending order; absent for none. Every quantile with its interval and its mark.
std::optional<Distribution> makeDistribution(std::span<const double> sorted,
                                             std::span<const double> percents);

/// A value that occurs `weight` times.
struct WeightedValue
{
    double value = 0;
    std::uint64_t weight = 0;
};
/// The same over weighted values in ascending order. Without intervals: pooled values depend on each other.
std::optional<Distribution> makeDistribution(std::span<const WeightedValue> sorted,
                                             std::span<const double> percents);

} // namespace tailmark
