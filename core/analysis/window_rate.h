// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/quantile.h"
#include "base/clock.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace tailmark {

/// How many parts of equal length a window has.
inline constexpr std::size_t kWindowSlices = 20;

/// Amounts in neighbouring slices of a window: those from `first` to before `end`.
struct SliceAmounts
{
    std::array<double, kWindowSlices> of{};
    std::size_t first = kWindowSlices, end = 0;
    void add(std::size_t slice, double amount)
    {
        of[slice] += amount;
        first = std::min(first, slice);
        end = std::max(end, slice + 1);
    }
};

/// Amounts that fell into the window, per slice of it, so that a rate comes with the variation inside the window.
class WindowRate
{
public:
    WindowRate(Nanoseconds start, Nanoseconds end);

    /// The slice of a moment; none outside the window.
    std::optional<std::size_t> sliceOf(Nanoseconds at) const;
    void add(Nanoseconds at, double amount)
    {
        if (const auto slice = sliceOf(at))
            m_slices[*slice] += amount;
    }
    void add(const SliceAmounts& amounts)
    {
        for (std::size_t slice = amounts.first; slice < amounts.end; ++slice)
            m_slices[slice] += amounts.of[slice];
    }
    void addTo(std::size_t slice, double amount) { m_slices[slice] += amount; }

    double perSecond() const;
    /// Batch means (Law, Simulation Modeling and Analysis, §9.5.3): the slices as independent values of one mean.
    Interval interval() const;

private:
    Nanoseconds m_start, m_end;
    double m_perNs;
    std::array<double, kWindowSlices> m_slices{};
};

} // namespace tailmark
