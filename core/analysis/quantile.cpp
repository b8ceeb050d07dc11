// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/quantile.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/binomial.hpp>

namespace tailmark {

namespace {

constexpr double kTail = 0.025; ///< of a two-sided 95 % interval

/// Ranks of the two order statistics that bound a quantile, 1-based; 0 or n + 1 where there is none.
struct RankPair
{
    std::size_t low = 0;
    std::size_t high = 0;
};

RankPair intervalRanks(std::size_t n, double p)
{
    using boost::math::cdf;
    const boost::math::binomial count(static_cast<double>(n), p);
    const double mean = static_cast<double>(n) * p;
    const double spread = 2.5 * std::sqrt(mean * (1 - p)) + 2;
    const auto size = static_cast<double>(n);

    // The library rounds its quantiles by policy; walking the last steps on the distribution itself leaves no
    // doubt.
    double low = std::clamp(std::floor(mean - spread), 0.0, size);
    while (low > 0 && cdf(count, low) > kTail)
        --low;
    while (low < size && cdf(count, low + 1) <= kTail)
        ++low;
    if (cdf(count, low) > kTail)
        return {};

    double high = std::clamp(std::ceil(mean + spread), 0.0, size);
    while (high < size && cdf(count, high) < 1 - kTail)
        ++high;
    while (high > 0 && cdf(count, high - 1) >= 1 - kTail)
        --high;

    // Counts are whole, so that two tails of at most 2.5 % cover more than 95 %: one step from the lighter
    // end may be given back.
    const auto covers = [&](double from, double to) {
        return cdf(count, to) - cdf(count, from) >= 1 - 2 * kTail;
    };
    const bool lowIsLighter = pdf(count, low + 1) < pdf(count, high);
    if (lowIsLighter && covers(low + 1, high))
        ++low;
    else if (covers(low, high - 1))
        --high;
    else if (covers(low + 1, high))
        ++low;
    return {static_cast<std::size_t>(low) + 1, static_cast<std::size_t>(high) + 1};
}

} // namespace

std::optional<double> quantile(std::span<const double> sorted, double percent)
{
    if (sorted.empty())
        return std::nullopt;
    return sorted[quantileRank(sorted.size(), percent) - 1];
}

std::optional<Interval> quantileInterval(std::span<const double> sorted, double percent)
{
    if (sorted.empty() || percent <= 0 || percent >= 100)
        return std::nullopt;
    const RankPair ranks = intervalRanks(sorted.size(), percent / 100);
    if (ranks.low < 1 || ranks.high > sorted.size())
        return std::nullopt;
    return Interval{sorted[ranks.low - 1], sorted[ranks.high - 1]};
}

bool isWeak(std::size_t n, double percent)
{
    return n - quantileRank(n, percent) < 10;
}

double binomialTail(std::size_t n, std::size_t atLeast, double p)
{
    if (atLeast == 0)
        return 1;
    if (atLeast > n)
        return 0;
    const boost::math::binomial count(static_cast<double>(n), p);
    return cdf(complement(count, static_cast<double>(atLeast - 1)));
}

} // namespace tailmark
