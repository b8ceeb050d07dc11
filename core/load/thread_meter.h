// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "load/lag_samples.h"
#include "load/poller.h"

#include <atomic>

#include <sys/types.h>

namespace tailmark {

/// What one generator thread used of its core, and how long data waited for it. begin(), end() and what adds
/// lags on that thread, the rest on any.
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

    LagSamples loopLag;  ///< from the kernel's receive stamp to processing
    LagSamples timerLag; ///< of the timer among the sockets

private:
    Use read() const;

    const Poller& m_poller;
    clockid_t m_cpuClock{};
    pid_t m_id = 0;
    Use m_begin; ///< absolute readings
    Use m_end;
    std::atomic<bool> m_ended{true};
};

} // namespace tailmark
