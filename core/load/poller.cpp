// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/poller.h"

#include <algorithm>
#include <cerrno>
#include <ctime>

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tailmark {

Poller::Poller() : m_epoll(::epoll_create1(EPOLL_CLOEXEC)), m_wakeUp(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC))
{
    if (valid())
        watch(m_wakeUp, EPOLLIN, 0);
}

Poller::~Poller()
{
    if (m_wakeUp >= 0)
        ::close(m_wakeUp);
    if (m_epoll >= 0)
        ::close(m_epoll);
}

void Poller::watch(int fd, std::uint32_t events, std::uint32_t before)
{
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    ::epoll_ctl(m_epoll, before == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
}

void Poller::forget(int fd)
{
    ::epoll_ctl(m_epoll, EPOLL_CTL_DEL, fd, nullptr);
}

std::span<const epoll_event> Poller::wait(Nanoseconds until, bool onTime)
{
    const MonotonicClock clock;
    Nanoseconds now = clock.now();
    int n = waitFor(std::max(until - now - (onTime ? kSpin : Nanoseconds(0)), Nanoseconds(0)));
    if (n == 0 && onTime) {
        const Nanoseconds spinFrom = now = clock.now();
        while (now < until && until - now <= kSpin && (n = waitFor(Nanoseconds(0))) == 0)
            now = clock.now();
        m_spun.add((now - spinFrom).count());
    }
    // take the wake-up out of the events: it has done its work by ending the wait
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        if (m_events[i].data.fd == m_wakeUp) {
            std::uint64_t count;
            [[maybe_unused]] const ssize_t got = ::read(m_wakeUp, &count, sizeof count);
        } else {
            m_events[kept++] = m_events[i];
        }
    }
    return {m_events.data(), static_cast<std::size_t>(kept)};
}

int Poller::waitFor(Nanoseconds timeout)
{
    if (timeout == Nanoseconds(0))
        return std::max(0, ::epoll_wait(m_epoll, m_events.data(), kBatch, 0));
    if (m_precise) {
        const timespec ts{static_cast<time_t>(timeout.count() / 1'000'000'000),
                          static_cast<long>(timeout.count() % 1'000'000'000)};
        const int n = ::epoll_pwait2(m_epoll, m_events.data(), kBatch, &ts, nullptr);
        if (n >= 0 || (errno != ENOSYS && errno != EPERM))
            return std::max(0, n);
        m_precise = false;
    }
    // whole milliseconds, rounded down: early is right (the caller looks again), late is not
    return std::max(
        0, ::epoll_wait(m_epoll, m_events.data(), kBatch, static_cast<int>(timeout.count() / 1'000'000)));
}

void Poller::wake()
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t put = ::write(m_wakeUp, &one, sizeof one);
}

void makeTimersPrecise()
{
    ::prctl(PR_SET_TIMERSLACK, 1UL);
}

void preferThisThread()
{
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), -10);
}

void stepBehind()
{
    constexpr int kBehind = 10;
    const auto thread = static_cast<id_t>(::gettid()); // on Linux a priority is a thread's
    if (::getpriority(PRIO_PROCESS, thread) < kBehind)
        ::setpriority(PRIO_PROCESS, thread, kBehind);
}

} // namespace tailmark
