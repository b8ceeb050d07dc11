// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/window_rate.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace tailmark {

WindowRate::WindowRate(Nanoseconds start, Nanoseconds end)
    : m_start(start), m_end(end), m_perNs(kWindowSlices / std::max(1.0, double((end - start).count())))
{
}

std::optional<std::size_t> WindowRate::sliceOf(Nanoseconds at) const
{
    if (at < m_start || at >= m_end)
        return std::nullopt;
    const auto slice = static_cast<std::size_t>(static_cast<double>((at - m_start).count()) * m_perNs);
    return std::min(slice, kWindowSlices - 1);
}

double WindowRate::perSecond() const
{
    double sum = 0;
    for (const double amount : m_slices)
        sum += amount;
    return sum / toSeconds(m_end - m_start);
}

Interval WindowRate::interval() const
{
    static const double t = boost::math::quantile(boost::math::students_t(kWindowSlices - 1), 0.975) /
                            std::sqrt(static_cast<double>(kWindowSlices));
    const double sliceS = toSeconds(m_end - m_start) / kWindowSlices;
    const double mean = perSecond();
    double squares = 0;
    for (const double amount : m_slices)
        squares += (amount / sliceS - mean) * (amount / sliceS - mean);
    const double half = t * std::sqrt(squares / (kWindowSlices - 1));
    return {std::max(0.0, mean - half), mean + half};
}

} // namespace tailmark
