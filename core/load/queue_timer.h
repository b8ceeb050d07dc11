// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "load/poller.h"

namespace tailmark {

/// A timer that waits its turn among the sockets: it becomes ready at a known moment, and how much later its
/// event is reached tells how long an event of a socket that became ready at that moment would have waited.
/// Unlike the receive stamps it needs nothing of the network, and it sees the thread being kept from its
/// core. One thread.
class QueueTimer
{
public:
    static constexpr Nanoseconds kEvery{10'000'000};

    explicit QueueTimer(Poller& poller);
    ~QueueTimer();
    QueueTimer(const QueueTimer&) = delete;
    QueueTimer& operator=(const QueueTimer&) = delete;

    bool valid() const { return m_fd >= 0; }
    /// Becomes ready in kEvery.
    void arm();
    bool isReady(const epoll_event& event) const { return event.data.fd == m_fd; }
    /// Its event was reached: how long it waited. Armed anew.
    Nanoseconds reached();

private:
    MonotonicClock m_clock;
    int m_fd;
    Nanoseconds m_due{0};
};

} // namespace tailmark
