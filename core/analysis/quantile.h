// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/quantile_rank.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tailmark {

/// Nearest rank: the value with rank ceil(p·n) in `sorted` (ascending), p in percent, computed in whole numbers
/// (p in thousandths of a percent). Absent for an empty span. The one quantile rule of the product.
std::optional<double> quantile(std::span<const double> sorted, double percent);

struct Interval
{
    double low = 0;
    double high = 0;
    bool operator==(const Interval&) const = default;
};

/// 95 % order-statistic interval of a quantile: the number of values at or below the true quantile is binomial(n, p)
/// whatever the distribution, so two ranks bound it (David and Nagaraja, Order Statistics, §7.1). It takes the values as
/// independent. Absent where n is too small to have one (p99: below 368).
std::optional<Interval> quantileInterval(std::span<const double> sorted, double percent);

/// Fewer than 10 values above the quantile's rank: shown with the mark "weak".
bool isWeak(std::size_t n, double percent);

/// Probability of `atLeast` or more hits in `n` independent trials of probability `p`.
double binomialTail(std::size_t n, std::size_t atLeast, double p);

} // namespace tailmark
