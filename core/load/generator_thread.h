// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "load/curl_transport.h"
#include "load/point_driver.h"
#include "load/poller.h"
#include "load/queue_timer.h"
#include "load/record_buffers.h"
#include "load/thread_meter.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tailmark {

/// What a thread is to do before a point begins.
struct ThreadPoint
{
    PointLoad load;
    DriverShare share;
    std::atomic<std::uint32_t>* nextRequest = nullptr;
    int connections = 0; ///< to have open when the point begins
    int connectionsPerS = 1;
};

/// One thread that drives its share of each point: a driver over a transport on one event loop. Lives as long
/// as the generator and keeps its connections from point to point. All calls from one other thread.
class GeneratorThread
{
public:
    GeneratorThread(const Endpoint& endpoint, const TargetAddress& address);
    /// Cancels what is under way and waits for the thread.
    ~GeneratorThread();
    GeneratorThread(const GeneratorThread&) = delete;
    GeneratorThread& operator=(const GeneratorThread&) = delete;

    bool valid() const { return m_poller.valid() && m_timer.valid(); }

    /// The thread takes memory and opens connections; waitPrepared() returns when it has.
    void prepare(const ThreadPoint& point);
    void waitPrepared();
    /// Starts the point; times count from `origin` (absolute). Then finished() is false until it is over.
    void begin(Nanoseconds origin);
    void stop();
    /// Since the start of the point; see PointDriver::endSendingAt().
    void endSendingAt(Nanoseconds time);
    bool finished() const { return m_finished.load(std::memory_order_acquire); }

    const LoadCounters& counters() const { return m_counters; }
    const ThreadMeter& meter() const { return m_meter; }
    void takeRecords(RecordBatch& out) { m_records.take(out); }
    /// Absolute; once finished() is true.
    Nanoseconds endedAt() const { return m_endedAt; }
    const std::string& note() const { return m_transport.note(); }

private:
    enum class Phase { Idle, Preparing, Prepared, Running };

    void run();
    void runPoint();
    Phase waitForWork();

    LoadCounters m_counters;
    RecordBuffers m_records;
    Poller m_poller;
    ThreadMeter m_meter{m_poller};
    QueueTimer m_timer{m_poller};
    CurlTransport m_transport;

    std::mutex m_mutex;
    std::condition_variable m_changed;
    Phase m_phase = Phase::Idle; ///< under the mutex
    bool m_quit = false;         ///< under the mutex
    ThreadPoint m_point;
    Nanoseconds m_origin{0};
    Nanoseconds m_endedAt{0};
    std::atomic<bool> m_stop{false};
    std::atomic<std::int64_t> m_sendUntilNs{PointDriver::kNever.count()};
    std::atomic<bool> m_finished{true};
    std::thread m_thread;
};

} // namespace tailmark
