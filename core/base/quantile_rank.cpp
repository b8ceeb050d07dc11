// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/quantile_rank.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

std::size_t quantileRank(std::size_t n, double percent)
{
    constexpr std::uint64_t kWhole = 100'000; // 100 % in thousandths of a percent
    if (n == 0)
        return 0;
    const double clamped = std::clamp(percent, 0.0, 100.0);
    const auto parts = static_cast<std::uint64_t>(std::llround(clamped * 1000));
    const std::uint64_t rank = (static_cast<std::uint64_t>(n) * parts + kWhole - 1) / kWhole;
    return static_cast<std::size_t>(std::max<std::uint64_t>(rank, 1));
}

} // namespace tailmark
