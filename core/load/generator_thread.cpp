// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/generator_thread.h"

#include <algorithm>

#include <pthread.h>

namespace tailmark {

namespace {

/// The monotonic clock since the start of a point.
class PointClock final : public Clock
{
public:
    explicit PointClock(Nanoseconds origin) : m_origin(origin) {}
    Nanoseconds now() const override { return m_clock.now() - m_origin; }

private:
    MonotonicClock m_clock;
    Nanoseconds m_origin;
};

} // namespace

GeneratorThread::GeneratorThread(const Endpoint& endpoint, const TargetAddress& address)
    : m_transport(endpoint, address, m_poller, m_meter, m_records, m_counters), m_thread([this] { run(); })
{
}

GeneratorThread::~GeneratorThread()
{
    {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
    }
    stop();
    m_changed.notify_all();
    m_thread.join();
}

void GeneratorThread::prepare(const ThreadPoint& point)
{
    const std::lock_guard lock(m_mutex);
    m_point = point;
    m_phase = Phase::Preparing;
    m_changed.notify_all();
}

void GeneratorThread::waitPrepared()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_phase != Phase::Preparing; });
}

void GeneratorThread::begin(Nanoseconds origin)
{
    const std::lock_guard lock(m_mutex);
    m_origin = origin;
    m_stop.store(false, std::memory_order_relaxed);
    m_sendUntilNs.store(PointDriver::kNever.count(), std::memory_order_relaxed);
    m_finished.store(false, std::memory_order_release);
    m_phase = Phase::Running;
    m_changed.notify_all();
}

void GeneratorThread::stop()
{
    m_stop.store(true, std::memory_order_release);
    m_poller.wake();
}

void GeneratorThread::endSendingAt(Nanoseconds time)
{
    m_sendUntilNs.store(time.count(), std::memory_order_release);
    m_poller.wake();
}

GeneratorThread::Phase GeneratorThread::waitForWork()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock,
                   [this] { return m_quit || m_phase == Phase::Preparing || m_phase == Phase::Running; });
    return m_quit ? Phase::Idle : m_phase;
}

void GeneratorThread::run()
{
    ::pthread_setname_np(::pthread_self(), "load");
    makeTimersPrecise();
    preferThisThread();
    for (;;) {
        const Phase phase = waitForWork();
        if (phase == Phase::Idle)
            return;
        Phase next = Phase::Idle;
        if (phase == Phase::Preparing) {
            m_counters.reset();
            const int transfers =
                std::min(m_point.share.maxInFlight, std::max(m_point.connections, Shard::kTransfers));
            m_transport.prepare(m_point.load.source, transfers, m_point.connections, m_point.connectionsPerS);
            m_meter.begin(); // before the caller goes on, who may ask for it
            next = Phase::Prepared;
        } else {
            runPoint();
        }
        const std::lock_guard lock(m_mutex);
        m_phase = next;
        m_changed.notify_all();
    }
}

void GeneratorThread::runPoint()
{
    const PointClock clock(m_origin);
    PointDriver driver(m_point.load, m_point.share, *m_point.nextRequest, clock, m_transport, m_records,
                       m_counters);
    m_transport.begin(m_origin, driver);
    m_timer.arm();
    while (!driver.finished()) {
        driver.endSendingAt(Nanoseconds(m_sendUntilNs.load(std::memory_order_acquire)));
        if (m_stop.load(std::memory_order_acquire))
            driver.stop();
        else
            driver.sendDue();
        const Nanoseconds due = driver.nextDue();
        if (driver.finished())
            break;
        for (const epoll_event& event : m_transport.wait(due == PointDriver::kNever ? due : m_origin + due)) {
            if (m_timer.isReady(event)) {
                m_meter.timerLag.add(m_timer.reached());
                continue;
            }
            const Nanoseconds now = m_transport.process(event);
            if (driver.nextDue() <= now - m_origin)
                driver.sendDue(); // what came due meanwhile does not wait for the other events
        }
        m_transport.settle();
    }
    m_meter.end();
    m_endedAt = MonotonicClock().now();
    m_finished.store(true, std::memory_order_release);
}

} // namespace tailmark
