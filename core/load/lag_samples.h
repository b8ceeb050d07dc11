// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace tailmark {

/// Lags that one thread measures and others read. All are seen, an even selection of at most kMost is kept:
/// without a lock, and without memory taken meanwhile.
class LagSamples
{
public:
    static constexpr std::uint32_t kMost = 4096;

    void clear()
    {
        m_count.store(0, std::memory_order_relaxed);
        m_stride = 1;
        m_skipped = 0;
    }

    /// The measuring thread.
    void add(Nanoseconds lag)
    {
        if (++m_skipped < m_stride)
            return;
        m_skipped = 0;
        std::uint32_t n = m_count.load(std::memory_order_relaxed);
        if (n == kMost) {
            n /= 2;
            for (std::uint32_t i = 0; i < n; ++i)
                m_lags[i].store(m_lags[2 * i].load(std::memory_order_relaxed), std::memory_order_relaxed);
            m_stride *= 2;
        }
        m_lags[n].store(static_cast<float>(toMs(std::max(lag, Nanoseconds(0)))), std::memory_order_relaxed);
        m_count.store(n + 1, std::memory_order_release);
    }

    /// Any thread.
    void appendMs(std::vector<double>& out) const
    {
        const std::uint32_t n = m_count.load(std::memory_order_acquire);
        for (std::uint32_t i = 0; i < n; ++i)
            out.push_back(static_cast<double>(m_lags[i].load(std::memory_order_relaxed)));
    }

private:
    std::array<std::atomic<float>, kMost> m_lags{};
    std::atomic<std::uint32_t> m_count{0};
    std::uint32_t m_stride = 1; ///< one of so many is kept
    std::uint32_t m_skipped = 0;
};

} // namespace tailmark
