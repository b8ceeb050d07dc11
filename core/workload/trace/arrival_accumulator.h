// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer_counts.h"
#include "workload/trace/trace_stats.h"

#include <optional>
#include <span>
#include <vector>

namespace tailmark {

/// Measures arrivals one by one, in the order of time, in bounded memory: counts per second become wider
/// where a trace is longer than 97 days, and gap quantiles beyond the exact ones are those of IntegerCounts.
class ArrivalAccumulator
{
public:
    void add(Nanoseconds arrival);
    bool empty() const { return m_rows == 0; }
    /// `arrivals`: all of them where the caller has them, for quantiles that are exact to the ns.
    ArrivalStats stats(std::span<const Nanoseconds> arrivals = {}) const;

private:
    void count(std::int64_t second);
    std::optional<WindowCounts> windowsOf(int widthS) const;
    void fillRates(ArrivalStats& stats) const;
    std::int64_t gapQuantile(double percent, std::span<const Nanoseconds> arrivals) const;

    std::uint64_t m_rows = 0;
    Nanoseconds m_first{0}, m_last{0};
    double m_gapSquares = 0;
    std::uint64_t m_zeroGaps = 0;
    std::int64_t m_minGap = 0, m_maxGap = 0;
    IntegerCounts m_gaps; ///< in ns
    int m_widthS = 1;
    std::vector<std::uint32_t> m_bins; ///< arrivals per `m_widthS` since the first
};

} // namespace tailmark
