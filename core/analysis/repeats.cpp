// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/repeats.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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

} // namespace tailmark
