// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "load/poller.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace tailmark {

/// What one generator thread used of its core, and how long data waited for it. begin(), end() and addLag()
/// on that thread, the rest on any.
class ThreadMeter
{
public:
    struct Use
    {
        Nanoseconds wall{0};
        Nanoseconds cpu{0};      ///< without spinning, which is no work
        Nanoseconds runDelay{0}; ///< ready to run, but without a core
    };

    explicit ThreadMeter(const Poller& poller) : m_poller(poller) {}

    void begin();
    void end();
    /// Between begin() and end(), or up to now.
    Use use() const;

    /// Time from the kernel's receive stamp to processing. All are seen, an even selection of at most kLags
    /// is kept.
    void addLag(Nanoseconds lag);
    void lagsMs(std::vector<double>& out) const;

    static constexpr std::uint32_t kLags = 4096;

private:
    Use read() const;

    const Poller& m_poller;
    clockid_t m_cpuClock{};
    pid_t m_id = 0;
    Use m_begin; ///< absolute readings
    Use m_end;
    std::atomic<bool> m_ended{true};

    std::array<std::atomic<float>, kLags> m_lags{};
    std::atomic<std::uint32_t> m_lagCount{0};
    std::uint32_t m_lagStride = 1; ///< one of so many is kept
    std::uint32_t m_lagSkip = 0;
};

} // namespace tailmark
