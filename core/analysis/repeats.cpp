// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/repeats.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <boost/math/distributions/students_t.hpp>

namespace tailmark {

Repeats validRepeats(const Repeats& all)
{
    Repeats valid;
    std::copy_if(all.begin(), all.end(), std::back_inserter(valid),
                 [](const PointSummary* p) { return p->verdict.valid; });
    return valid;
}

std::optional<double> medianOf(std::vector<double> values)
{
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    return std::isfinite(median) ? std::optional(median) : std::nullopt;
}

std::optional<Interval> envelope(std::span<const double> values,
                                 std::span<const std::optional<Interval>> intervals)
{
    if (values.empty() || (values.size() == 1 && !intervals[0]))
        return std::nullopt;
    Interval all{values[0], values[0]};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Interval own = intervals[i].value_or(Interval{values[i], values[i]});
        all = {std::min({all.low, own.low, values[i]}), std::max({all.high, own.high, values[i]})};
    }
    return all;
}

std::optional<Interval> repeatInterval(std::span<const double> values)
{
    const auto n = static_cast<double>(values.size());
    if (values.size() < 2 || *std::min_element(values.begin(), values.end()) <= 0)
        return std::nullopt;
    double mean = 0;
    for (const double value : values)
        mean += std::log(value) / n;
    double squares = 0;
    for (const double value : values)
        squares += (std::log(value) - mean) * (std::log(value) - mean);
    const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
    const double half = t * std::sqrt(squares / (n - 1) / n);
    return Interval{std::exp(mean - half), std::exp(mean + half)};
}

Interval combined(double value, const Interval& one, const Interval& other)
{
    const double down = std::hypot(std::log(value / one.low), std::log(value / other.low));
    const double up = std::hypot(std::log(one.high / value), std::log(other.high / value));
    return {value * std::exp(-down), value * std::exp(up)};
}

} // namespace tailmark
