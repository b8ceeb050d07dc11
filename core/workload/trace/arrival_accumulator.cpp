// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/arrival_accumulator.h"

#include "base/quantile_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailmark {

namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;
constexpr std::size_t kMaxBins = std::size_t{1} << 23;
constexpr std::size_t kMaxRates = 240;

/// A grid is told only where it is plain: enough rows, many equal stamps, and gaps that are whole ticks
/// within a twentieth.
constexpr std::uint64_t kGridRows = 100;
constexpr double kGridZeroShare = 0.05;
constexpr double kGridTolerance = 0.05;
constexpr std::int64_t kLeastTick = 10'000'000;

std::optional<Nanoseconds> gridOf(const IntegerCounts& gaps, std::uint64_t zeroGaps)
{
    const std::uint64_t n = gaps.total();
    if (n < kGridRows || static_cast<double>(zeroGaps) < kGridZeroShare * static_cast<double>(n) ||
        zeroGaps == n)
        return std::nullopt;
    // The shortest gaps that are none by chance: the twentieth of those above zero.
    const std::uint64_t above = n - zeroGaps;
    const double percent = 100 * (static_cast<double>(zeroGaps) + 0.05 * static_cast<double>(above) + 1) /
                           static_cast<double>(n);
    const std::int64_t tick = gaps.quantile(std::min(percent, 100.0));
    if (tick < kLeastTick)
        return std::nullopt;
    std::uint64_t onGrid = 0;
    double sum = 0, ticks = 0;
    gaps.forEach([&](std::int64_t gap, std::uint64_t times) {
        if (gap == 0)
            return;
        const double count = std::round(static_cast<double>(gap) / static_cast<double>(tick));
        const double off = std::abs(static_cast<double>(gap) - count * static_cast<double>(tick));
        if (count >= 1 && off <= kGridTolerance * static_cast<double>(tick)) {
            onGrid += times;
            sum += static_cast<double>(gap) * static_cast<double>(times);
            ticks += count * static_cast<double>(times);
        }
    });
    if (static_cast<double>(onGrid) < 0.95 * static_cast<double>(above))
        return std::nullopt;
    // Three digits of the mean of many ticks: clear of what the counts round away.
    const double unit = std::pow(10, std::floor(std::log10(sum / ticks)) - 2);
    return Nanoseconds(static_cast<std::int64_t>(std::round(sum / ticks / unit) * unit));
}

} // namespace

void ArrivalAccumulator::add(Nanoseconds arrival)
{
    if (m_rows == 0) {
        m_first = arrival;
    } else {
        const std::int64_t gap = (arrival - m_last).count();
        m_minGap = m_rows == 1 ? gap : std::min(m_minGap, gap);
        m_maxGap = std::max(m_maxGap, gap);
        m_zeroGaps += gap == 0;
        m_gapSquares += static_cast<double>(gap) * static_cast<double>(gap);
        m_gaps.add(gap);
    }
    m_last = arrival;
    ++m_rows;
    count((arrival - m_first).count() / kNsPerS);
}

void ArrivalAccumulator::count(std::int64_t second)
{
    std::size_t bin = static_cast<std::size_t>(second / m_widthS);
    while (bin >= kMaxBins) {
        const std::size_t factor = m_widthS == 10 ? 6 : 10; // 1, 10, 60, 600, …
        std::vector<std::uint32_t> wider((m_bins.size() + factor - 1) / factor);
        for (std::size_t i = 0; i < m_bins.size(); ++i)
            wider[i / factor] += m_bins[i];
        m_bins = std::move(wider);
        m_widthS *= static_cast<int>(factor);
        bin = static_cast<std::size_t>(second / m_widthS);
    }
    if (bin >= m_bins.size())
        m_bins.resize(bin + 1);
    ++m_bins[bin];
}

std::optional<WindowCounts> ArrivalAccumulator::windowsOf(int widthS) const
{
    if (widthS % m_widthS != 0)
        return std::nullopt;
    const std::size_t factor = static_cast<std::size_t>(widthS / m_widthS);
    const std::size_t windows =
        static_cast<std::size_t>((m_last - m_first).count() / (kNsPerS * static_cast<std::int64_t>(widthS)));
    if (windows < 2)
        return std::nullopt;
    double sum = 0, squares = 0, peak = 0, empty = 0;
    for (std::size_t i = 0; i < windows; ++i) {
        double inWindow = 0;
        for (std::size_t j = i * factor; j < (i + 1) * factor && j < m_bins.size(); ++j)
            inWindow += m_bins[j];
        sum += inWindow;
        squares += inWindow * inWindow;
        peak = std::max(peak, inWindow);
        empty += inWindow == 0;
    }
    const auto n = static_cast<double>(windows);
    const double mean = sum / n;
    return WindowCounts{widthS, mean > 0 ? (squares / n - mean * mean) / mean : 0, peak / widthS, empty / n};
}

void ArrivalAccumulator::fillRates(ArrivalStats& stats) const
{
    int width = m_widthS;
    for (const int step : {10, 60, 300, 600, 3'600, 21'600, 86'400, 604'800, 2'419'200, 31'449'600})
        if ((m_bins.size() * static_cast<std::size_t>(m_widthS) + static_cast<std::size_t>(width) - 1) /
                    static_cast<std::size_t>(width) >
                kMaxRates &&
            step % m_widthS == 0)
            width = step;
    const std::size_t factor = static_cast<std::size_t>(width / m_widthS);
    stats.rateWidthS = width;
    for (std::size_t i = 0; i < m_bins.size(); i += factor) {
        double inWindow = 0;
        for (std::size_t j = i; j < i + factor && j < m_bins.size(); ++j)
            inWindow += m_bins[j];
        stats.ratesPerS.push_back(inWindow / width);
    }
}

/// The counts say which gaps the quantile is among; those alone are ranked.
std::int64_t ArrivalAccumulator::gapQuantile(double percent, std::span<const Nanoseconds> arrivals) const
{
    const std::int64_t counted = m_gaps.quantile(percent);
    if (counted < IntegerCounts::kExactBelow || arrivals.size() != m_rows)
        return std::clamp(counted, m_minGap, m_maxGap);
    const std::size_t slot = IntegerCounts::slotOf(counted);
    const std::int64_t next = IntegerCounts::valueOf(slot + 1);
    std::vector<std::int64_t> among;
    for (std::size_t i = 1; i < arrivals.size(); ++i) {
        const std::int64_t gap = (arrivals[i] - arrivals[i - 1]).count();
        if (gap >= counted && gap < next)
            among.push_back(gap);
    }
    const std::uint64_t rank = quantileRank(m_rows - 1, percent) - m_gaps.below(counted);
    const auto nth = among.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
    std::nth_element(among.begin(), nth, among.end());
    return *nth;
}

ArrivalStats ArrivalAccumulator::stats(std::span<const Nanoseconds> arrivals) const
{
    ArrivalStats stats;
    stats.duration = m_last - m_first;
    for (const int width : {1, 10, 60})
        if (const std::optional<WindowCounts> windows = windowsOf(width))
            stats.windows.push_back(*windows);
    fillRates(stats);
    if (m_rows < 2)
        return stats;
    const std::uint64_t n = m_rows - 1;
    GapStats gaps;
    gaps.n = n;
    gaps.meanNs = static_cast<double>(stats.duration.count()) / static_cast<double>(n);
    const double variance = m_gapSquares / static_cast<double>(n) - gaps.meanNs * gaps.meanNs;
    gaps.cv = gaps.meanNs > 0 ? std::sqrt(std::max(variance, 0.0)) / gaps.meanNs : 0;
    gaps.zeroShare = static_cast<double>(m_zeroGaps) / static_cast<double>(n);
    gaps.minNs = m_minGap;
    gaps.maxNs = m_maxGap;
    gaps.p50Ns = gapQuantile(50, arrivals);
    gaps.p90Ns = gapQuantile(90, arrivals);
    gaps.p99Ns = gapQuantile(99, arrivals);
    stats.gaps = gaps;
    stats.grid = gridOf(m_gaps, m_zeroGaps);
    return stats;
}

} // namespace tailmark
