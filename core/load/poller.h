// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "load/load_counters.h"

#include <array>
#include <cstdint>
#include <span>

#include <sys/epoll.h>

namespace tailmark {

/// epoll with waits that end at a moment, to some µs. wake() from any thread, the rest from one.
class Poller
{
public:
    Poller();
    ~Poller();
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;

    bool valid() const { return m_epoll >= 0 && m_wakeUp >= 0; }
    /// Watches `fd` for `events`; `before` is what it was watched for, 0 = not at all.
    void watch(int fd, std::uint32_t events, std::uint32_t before);
    void forget(int fd);
    /// Waits for events, for wake(), or until `until`. With `onTime` the last kSpin before it are spent
    /// polling, since a thread that sleeps wakes up late.
    std::span<const epoll_event> wait(Nanoseconds until, bool onTime);
    void wake();
    /// Time spent in spinning since the beginning: CPU time that is no work. Any thread.
    Nanoseconds spun() const { return Nanoseconds(m_spun.get()); }

    /// Events a wait gives at most: requests that come due meanwhile are sent between them.
    static constexpr int kBatch = 64;
    static constexpr Nanoseconds kSpin{50'000};

private:
    int waitFor(Nanoseconds timeout);

    int m_epoll = -1;
    int m_wakeUp = -1;
    bool m_precise = true; ///< the kernel has epoll_pwait2
    SharedCount<std::int64_t> m_spun;
    std::array<epoll_event, kBatch> m_events{};
};

/// The calling thread's timers fire when asked, not up to 50 µs later to save wake-ups.
void makeTimersPrecise();

/// Puts the calling thread before others of equal priority on its core, where the system allows it: with a
/// rival there the send lag (p99) is 3 ms, before it 0.3 ms. Without the right to do so nothing happens.
void preferThisThread();

/// Puts the calling thread, which keeps what is measured, behind those that measure (nice +10, for good: only
/// the privileged may take it back). Threads that it makes afterwards inherit that.
void stepBehind();

} // namespace tailmark
