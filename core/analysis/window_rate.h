// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/quantile.h"
#include "base/clock.h"

#include <array>
#include <cstddef>
#include <optional>

namespace tailmark {

/// Amounts that fell into the window, per slice of it, so that a rate comes with the variation inside the window.
class WindowRate
{
public:
    static constexpr std::size_t kSlices = 20;

    WindowRate(Nanoseconds start, Nanoseconds end);

    /// The slice of a moment; none outside the window.
    std::optional<std::size_t> sliceOf(Nanoseconds at) const;
    void add(Nanoseconds at, double amount)
    {
        if (const auto slice = sliceOf(at))
            m_slices[*slice] += amount;
    }
    void addTo(std::size_t slice, double amount) { m_slices[slice] += amount; }

    double perSecond() const;
    /// Batch means (Law, Simulation Modeling and Analysis, §9.5.3): the slices as independent values of one mean.
    Interval interval() const;

private:
    Nanoseconds m_start, m_end;
    double m_perNs;
    std::array<double, kSlices> m_slices{};
};

} // namespace tailmark
