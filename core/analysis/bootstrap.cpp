// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bootstrap.h"

#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/random/uniform_int_distribution.hpp>

namespace tailmark {

namespace {

constexpr std::size_t kBlocks = 16;
constexpr std::size_t kResamples = 1000;
constexpr std::uint64_t kSeed = 1;
constexpr double kTail = 0.025;      ///< of a two-sided 95 % interval
constexpr double kNormal = 1.959964; ///< its quantile of the normal law

/// How far the number of values above a limit strays from its mean, downwards and upwards.
struct Strays
{
    double down = 0, up = 0;
};

Strays straysOfCount(std::span<const double> inOrder, double limit)
{
    const std::size_t n = inOrder.size();
    const std::size_t length = (n + kBlocks - 1) / kBlocks;
    const std::size_t blocks = (n + length - 1) / length;
    const std::size_t starts = n - length + 1;
    std::vector<std::uint32_t> inBlock(starts); // of each block that there is, the values above
    std::uint32_t above = 0;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        above += inOrder[i] > limit;
        if (i >= length)
            above -= inOrder[i - length] > limit;
        if (i + 1 >= length) {
            inBlock[i + 1 - length] = above;
            sum += above;
        }
    }
    const double mean = sum / static_cast<double>(starts) * static_cast<double>(blocks);

    Rng rng(kSeed);
    boost::random::uniform_int_distribution<std::size_t> start(0, starts - 1);
    std::vector<double> counts(kResamples);
    for (double& count : counts) {
        for (std::size_t block = 0; block < blocks; ++block)
            count += inBlock[start(rng)];
    }
    std::sort(counts.begin(), counts.end());
    const double scale = static_cast<double>(n) / static_cast<double>(blocks * length);
    return {(mean - *quantile(counts, 100 * kTail)) * scale,
            (*quantile(counts, 100 * (1 - kTail)) - mean) * scale};
}

/// A spread from overlapping blocks is that of about 1.5 (blocks - 1) degrees of freedom (Meketon and
/// Schmeiser, Winter Simulation Conference 1984).
double stretchOf(std::size_t n)
{
    const double blocks = static_cast<double>(std::min(n, kBlocks));
    const boost::math::students_t law(1.5 * (blocks - 1));
    return boost::math::quantile(law, 1 - kTail) / kNormal * std::sqrt(blocks / (blocks - 1));
}

} // namespace

std::optional<Interval> blockBootstrapInterval(std::span<const double> sorted,
                                               std::span<const double> inOrder, double percent)
{
    const std::optional<Interval> independent = quantileInterval(sorted, percent);
    if (!independent)
        return std::nullopt;
    const Strays strays = straysOfCount(inOrder, *quantile(sorted, percent));
    const double stretch = stretchOf(sorted.size());
    const auto n = static_cast<double>(sorted.size());
    const double below = n * percent / 100;
    const double low = std::floor(below - stretch * strays.up);
    const double high = std::ceil(below + stretch * strays.down);
    const auto at = [&](double rank) {
        return sorted[static_cast<std::size_t>(std::clamp(rank, 1.0, n)) - 1];
    };
    return Interval{std::min(independent->low, at(low)), std::max(independent->high, at(high))};
}

std::optional<Interval> blockBootstrapShare(std::span<const double> isMiss)
{
    if (isMiss.empty())
        return std::nullopt;
    using Binomial = boost::math::binomial_distribution<double>;
    const auto n = static_cast<double>(isMiss.size());
    const double misses = std::round(std::accumulate(isMiss.begin(), isMiss.end(), 0.0));
    const double low = misses > 0 ? Binomial::find_lower_bound_on_p(n, misses, kTail) : 0;
    const double high = misses < n ? Binomial::find_upper_bound_on_p(n, misses, kTail) : 1;
    if (isMiss.size() < 2)
        return Interval{low, high};
    const Strays strays = straysOfCount(isMiss, 0.5);
    const double stretch = stretchOf(isMiss.size());
    return Interval{std::max(0.0, std::min(low, (misses - stretch * strays.up) / n)),
                    std::min(1.0, std::max(high, (misses + stretch * strays.down) / n))};
}

} // namespace tailmark
