// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tailmark {

/// How often each whole number ≥ 0 was seen. Exact below 2^20; above, numbers that share their 11 leading
/// bits are one, taken as the least of them (at most 0.1 % too low). So memory is bounded whatever comes, and
/// a quantile of 50 million lengths is as exact as one of fifty.
class IntegerCounts
{
public:
    static constexpr std::int64_t kExactBelow = std::int64_t{1} << 20;

    void add(std::int64_t value, std::uint64_t times = 1)
    {
        const std::size_t slot = slotOf(value);
        if (slot >= m_counts.size())
            m_counts.resize(slot + slot / 4 + 64);
        m_counts[slot] += times;
        m_total += times;
    }
    std::uint64_t total() const { return m_total; }
    /// How many are below the value.
    std::uint64_t below(std::int64_t value) const;
    /// Nearest rank, p in percent; 0 where nothing was counted.
    std::int64_t quantile(double percent) const;
    /// fn(value, times) for each value that was seen, ascending.
    template <typename F> void forEach(F&& fn) const
    {
        for (std::size_t slot = 0; slot < m_counts.size(); ++slot)
            if (m_counts[slot] > 0)
                fn(valueOf(slot), m_counts[slot]);
    }

    /// The counter of a value, ascending with it, for tables beside this one.
    static std::size_t slotOf(std::int64_t value);
    static std::int64_t valueOf(std::size_t slot);
    std::size_t slotCount() const { return m_counts.size(); }
    std::uint64_t inSlot(std::size_t slot) const { return slot < m_counts.size() ? m_counts[slot] : 0; }

private:
    std::vector<std::uint64_t> m_counts;
    std::uint64_t m_total = 0;
};

} // namespace tailmark
