// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/arrivals.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

namespace tailmark::test {

inline PointPlan openLoop(ArrivalProcess process, std::vector<Phase> phases, std::uint64_t seed = 1, double cv = 1)
{
    PointPlan point;
    point.process = process;
    point.phases = std::move(phases);
    point.cv = cv;
    point.seeds.arrivals = seed;
    return point;
}

/// Gaps between arrivals, in units of the mean gap.
inline std::vector<double> gapsOf(const std::vector<Arrival>& arrivals, double rate)
{
    std::vector<double> gaps;
    for (std::size_t i = 1; i < arrivals.size(); ++i)
        gaps.push_back(toSeconds(arrivals[i].intended - arrivals[i - 1].intended) * rate);
    return gaps;
}

inline double mean(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

inline double variance(const std::vector<double>& values)
{
    const double m = mean(values);
    double sum = 0;
    for (const double v : values)
        sum += (v - m) * (v - m);
    return sum / static_cast<double>(values.size() - 1);
}

/// Largest distance between the values' distribution and the one with this distribution function; only above
/// `resolution`, which is what differences of times tell apart.
inline double kolmogorovSmirnov(std::vector<double> values, const std::function<double(double)>& cdf,
                                double resolution = 0)
{
    std::sort(values.begin(), values.end());
    const double n = static_cast<double>(values.size());
    double distance = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] < resolution)
            continue;
        const double expected = cdf(values[i]);
        distance = std::max({distance, std::abs(expected - static_cast<double>(i) / n),
                             std::abs(static_cast<double>(i + 1) / n - expected)});
    }
    return distance;
}

/// The same against the exponential distribution with mean 1.
inline double kolmogorovSmirnov(std::vector<double> values)
{
    return kolmogorovSmirnov(std::move(values), [](double x) { return 1 - std::exp(-x); });
}

/// Beyond this distance are 1 % of the samples of this size that do have the distribution.
inline double kolmogorovSmirnovLimit(std::size_t n)
{
    return 1.63 / std::sqrt(static_cast<double>(n));
}

/// Correlation of each value with the next.
inline double serialCorrelation(const std::vector<double>& values)
{
    const double m = mean(values);
    double products = 0, squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        squares += (values[i] - m) * (values[i] - m);
        if (i > 0)
            products += (values[i] - m) * (values[i - 1] - m);
    }
    return products / squares;
}

/// Arrivals in each second.
inline std::vector<double> counts(const std::vector<Arrival>& arrivals, int seconds)
{
    std::vector<double> counts(static_cast<std::size_t>(seconds), 0.0);
    for (const Arrival& arrival : arrivals)
        ++counts[static_cast<std::size_t>(toSeconds(arrival.intended))];
    return counts;
}

} // namespace tailmark::test
