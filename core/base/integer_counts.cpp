// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/integer_counts.h"

#include "base/quantile_rank.h"

#include <bit>

namespace tailmark {

namespace {

constexpr int kExactBits = 20;
constexpr int kStepBits = 10; ///< below the leading bit
constexpr std::size_t kSteps = std::size_t{1} << kStepBits;

} // namespace

std::size_t IntegerCounts::slotOf(std::int64_t value)
{
    if (value < kExactBelow)
        return value < 0 ? 0 : static_cast<std::size_t>(value);
    const auto bits = static_cast<std::uint64_t>(value);
    const int exponent = std::bit_width(bits) - 1; // ≥ 20
    const std::size_t step = static_cast<std::size_t>(bits >> (exponent - kStepBits)) - kSteps;
    return static_cast<std::size_t>(kExactBelow) + static_cast<std::size_t>(exponent - kExactBits) * kSteps +
           step;
}

std::int64_t IntegerCounts::valueOf(std::size_t slot)
{
    if (slot < static_cast<std::size_t>(kExactBelow))
        return static_cast<std::int64_t>(slot);
    const std::size_t beyond = slot - static_cast<std::size_t>(kExactBelow);
    const int exponent = kExactBits + static_cast<int>(beyond / kSteps);
    return static_cast<std::int64_t>((beyond % kSteps + kSteps) << (exponent - kStepBits));
}

std::uint64_t IntegerCounts::below(std::int64_t value) const
{
    std::uint64_t sum = 0;
    const std::size_t end = slotOf(value);
    for (std::size_t slot = 0; slot < end && slot < m_counts.size(); ++slot)
        sum += m_counts[slot];
    return sum;
}

std::int64_t IntegerCounts::quantile(double percent) const
{
    const std::uint64_t rank = quantileRank(m_total, percent);
    std::uint64_t sum = 0;
    for (std::size_t slot = 0; slot < m_counts.size(); ++slot) {
        sum += m_counts[slot];
        if (sum >= rank && rank > 0)
            return valueOf(slot);
    }
    return 0;
}

} // namespace tailmark
