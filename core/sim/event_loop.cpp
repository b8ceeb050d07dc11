// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/event_loop.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <event2/event.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace tailmark::sim {

void EventDeleter::operator()(event* e) const
{
    event_free(e);
}

EventLoop::EventLoop() : m_base(event_base_new()), m_stopFd(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC))
{
    if (!m_base || m_stopFd < 0)
        std::abort(); // no descriptors or memory even for this: nothing can be served
    const auto stopNow = [](evutil_socket_t, short, void* base) {
        event_base_loopbreak(static_cast<event_base*>(base));
    };
    m_events.emplace_back(event_new(m_base, m_stopFd, EV_READ | EV_PERSIST, stopNow, m_base));
    event_add(m_events.back().get(), nullptr);
}

EventLoop::~EventLoop()
{
    m_events.clear();
    event_base_free(m_base);
    close(m_stopFd);
}

void EventLoop::run()
{
    event_base_dispatch(m_base);
}

void EventLoop::stop()
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = write(m_stopFd, &one, sizeof one);
}

void EventLoop::onTerminate(std::function<void()> callback)
{
    m_terminate = std::move(callback);
    const auto call = [](evutil_socket_t, short, void* self) {
        static_cast<EventLoop*>(self)->m_terminate();
    };
    for (const int signal : {SIGTERM, SIGINT}) {
        m_events.emplace_back(evsignal_new(m_base, signal, call, this));
        event_add(m_events.back().get(), nullptr);
    }
}

bool EventLoop::onEndOfFile(int fd, std::function<void()> callback)
{
    m_endOfFile = std::move(callback);
    const auto drain = [](evutil_socket_t source, short, void* self) {
        char discarded[4096];
        if (read(source, discarded, sizeof discarded) <= 0)
            static_cast<EventLoop*>(self)->m_endOfFile();
    };
    m_events.emplace_back(event_new(m_base, fd, EV_READ | EV_PERSIST, drain, this));
    return event_add(m_events.back().get(), nullptr) == 0;
}

DeadlineTimer::DeadlineTimer(EventLoop& loop, std::function<void()> callback)
    : m_fd(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)), m_callback(std::move(callback))
{
    if (m_fd < 0)
        std::abort();
    const auto call = [](evutil_socket_t, short, void* self) {
        static_cast<DeadlineTimer*>(self)->expired();
    };
    m_event.reset(event_new(loop.base(), m_fd, EV_READ | EV_PERSIST, call, this));
    event_add(m_event.get(), nullptr);
}

DeadlineTimer::~DeadlineTimer()
{
    m_event.reset();
    close(m_fd);
}

void DeadlineTimer::arm(Nanoseconds deadline)
{
    const auto ns = std::max<std::int64_t>(deadline.count(), 1); // 0 would disarm
    itimerspec spec{};
    spec.it_value.tv_sec = ns / 1'000'000'000;
    spec.it_value.tv_nsec = ns % 1'000'000'000;
    timerfd_settime(m_fd, TFD_TIMER_ABSTIME, &spec, nullptr);
}

void DeadlineTimer::disarm()
{
    const itimerspec none{};
    timerfd_settime(m_fd, 0, &none, nullptr);
}

void DeadlineTimer::expired()
{
    std::uint64_t times = 0;
    if (read(m_fd, &times, sizeof times) == sizeof times)
        m_callback();
}

} // namespace tailmark::sim
