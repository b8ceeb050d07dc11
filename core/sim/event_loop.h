// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"

struct event;
struct event_base;

namespace tailmark::sim {

struct EventDeleter
{
    void operator()(event* e) const;
};
using EventPtr = std::unique_ptr<event, EventDeleter>;

/// A libevent loop. Everything of the server runs on the thread that calls run(); stop() may come from any
/// thread.
class EventLoop
{
public:
    EventLoop();
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    event_base* base() const { return m_base; }
    void run();
    void stop();

    /// Calls `callback` on SIGTERM and SIGINT.
    void onTerminate(std::function<void()> callback);
    /// Calls `callback` when `fd` (a pipe, socket or terminal) reaches its end. False where it cannot be
    /// watched.
    bool onEndOfFile(int fd, std::function<void()> callback);

private:
    event_base* m_base;
    int m_stopFd;
    std::function<void()> m_terminate;
    std::function<void()> m_endOfFile;
    std::vector<EventPtr> m_events;
};

/// Fires once at a moment of the monotonic clock. Unlike libevent's timeouts it is absolute and exact to the
/// nanosecond the kernel gives, so that a periodic use does not drift.
class DeadlineTimer
{
public:
    DeadlineTimer(EventLoop& loop, std::function<void()> callback);
    ~DeadlineTimer();
    DeadlineTimer(const DeadlineTimer&) = delete;
    DeadlineTimer& operator=(const DeadlineTimer&) = delete;

    /// Replaces the deadline; one in the past fires in the next turn of the loop.
    void arm(Nanoseconds deadline);
    void disarm();

private:
    void expired();

    int m_fd;
    EventPtr m_event;
    std::function<void()> m_callback;
};

} // namespace tailmark::sim
