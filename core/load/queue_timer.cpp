// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/queue_timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

namespace tailmark {

QueueTimer::QueueTimer(Poller& poller) : m_fd(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC))
{
    if (valid())
        poller.watch(m_fd, EPOLLIN, 0);
}

QueueTimer::~QueueTimer()
{
    if (valid())
        ::close(m_fd);
}

void QueueTimer::arm()
{
    m_due = m_clock.now() + kEvery;
    itimerspec at{};
    at.it_value.tv_sec = static_cast<time_t>(m_due.count() / 1'000'000'000);
    at.it_value.tv_nsec = static_cast<long>(m_due.count() % 1'000'000'000);
    ::timerfd_settime(m_fd, TFD_TIMER_ABSTIME, &at, nullptr); // takes back that it was ready
}

Nanoseconds QueueTimer::reached()
{
    const Nanoseconds waited = m_clock.now() - m_due;
    arm();
    return waited;
}

} // namespace tailmark
