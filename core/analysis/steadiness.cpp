// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/steadiness.h"

#include "base/quantile_rank.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tailmark {

namespace {

constexpr std::size_t kSlices = 12;
constexpr std::size_t kLeastValues = 5 * kSlices;
constexpr int kMostOutOfOrder = 1;
constexpr double kLeastRatio = 1.25;

double medianOf(std::span<const double> values)
{
    std::vector<double> copy(values.begin(), values.end());
    const auto median = copy.begin() + static_cast<std::ptrdiff_t>(quantileRank(copy.size(), 50)) - 1;
    std::nth_element(copy.begin(), median, copy.end());
    return *median;
}

} // namespace

std::optional<Trend> findTrend(std::span<const double> latencies)
{
    const std::size_t n = latencies.size();
    if (n < kLeastValues)
        return std::nullopt;
    std::array<double, kSlices> medians{};
    for (std::size_t i = 0; i < kSlices; ++i) {
        const std::size_t begin = n * i / kSlices;
        const std::size_t end = n * (i + 1) / kSlices;
        medians[i] = medianOf(latencies.subspan(begin, end - begin));
    }
    int notRising = 0;
    int notFalling = 0;
    for (std::size_t early = 0; early < kSlices / 2; ++early) {
        for (std::size_t late = kSlices / 2; late < kSlices; ++late) {
            notRising += medians[late] <= medians[early];
            notFalling += medians[late] >= medians[early];
        }
    }
    Trend trend;
    trend.firstHalf = medianOf(latencies.first(n / 2));
    trend.secondHalf = medianOf(latencies.subspan(n / 2));
    trend.rising = notRising <= kMostOutOfOrder;
    if (trend.rising && trend.secondHalf >= kLeastRatio * trend.firstHalf)
        return trend;
    if (notFalling <= kMostOutOfOrder && trend.firstHalf >= kLeastRatio * trend.secondHalf)
        return trend;
    return std::nullopt;
}

} // namespace tailmark
