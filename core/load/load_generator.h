// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "plan/matrix.h"
#include "record/request_record.h"
#include "target/connection.h"
#include "target/response_event.h"
#include "workload/request_source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tailmark {

/// Where and how requests are sent; fixed for a run.
struct Endpoint
{
    std::string url; ///< full URL of the completions endpoint ("http://127.0.0.1:8000/v1/chat/completions")
    Api api = Api::Chat;
    bool streaming = true;
    EmptyDelta emptyDelta = EmptyDelta::Nothing; ///< of the engine that answers
    std::vector<std::string> headers; ///< "Name: value", the bearer key included; never stored
    ConnectionOptions connection;
    Limits limits;
};

/// One point's load.
struct PointLoad
{
    std::shared_ptr<const RequestSource> source;
    int concurrency = 0;    ///< closed loop: workers; 0 = open loop
    std::vector<Nanoseconds> starts; ///< closed loop: when each worker sends first; a worker without one at once
    Nanoseconds sendFor{0}; ///< no request is started at or after this time since the start of the point
    /// After `sendFor`: how long requests in flight may go on before they are cancelled.
    Nanoseconds drain{0};
    std::int64_t maxRequests = 0; ///< 0 = no limit
};

/// Counts since the start of the point, for the progress view. Taken at any time from any thread, cheap.
struct LoadSnapshot
{
    Nanoseconds elapsed{0};     ///< since the start of the point
    std::uint64_t intended = 0; ///< requests whose intended start has passed (closed loop: sent)
    std::uint64_t sent = 0;
    std::uint64_t accepted = 0; ///< HTTP 200 and first token
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;       ///< ended in any other outcome, cancelled and not sent apart
    std::uint64_t outputTokens = 0; ///< of completed requests, as reported
    std::uint32_t inFlight = 0;
    std::uint32_t waiting = 0; ///< intended and not yet sent (the generator's own queue)
};

/// The generator's own condition during a point (contract §4, generator_bound), its threads taken together.
struct GeneratorHealth
{
    double cpuCores = 0;         ///< CPU time of all generator threads / wall time, spinning before a send apart
    double busiestThreadCpu = 0; ///< CPU time of the busiest thread / wall time, 0..1
    double runDelayShare = 0;    ///< run delay / (run delay + CPU) of the thread that waited most; schedstat
    std::vector<double> threadCpu; ///< of each thread, in cores
    std::vector<double> loopLagMs; ///< samples: readiness (kernel stamp) to processing
    std::vector<double> timerLagMs; ///< samples: a timer that waits its turn among the sockets, behind its time
    std::uint64_t newConnections = 0;
    std::uint64_t staleConnections = 0;
    std::uint64_t coalescedEvents = 0;
    std::uint64_t events = 0;
    /// What limited it, in words ("file descriptors ran out at 1,020 connections"); empty = nothing.
    std::string note;
};

struct GeneratorOptions
{
    int threads = 1;
};

/// The load generator: sends a point's requests at their time over keep-alive connections and records what
/// comes back. Own threads do all the work (curl multi handles on an epoll loop); every call here is made
/// from one other thread (the runner's) and none blocks for longer than a buffer swap, except begin(), which opens
/// connections at a paced rate (2,000 a second, at most about a second more), and the destructor, which waits
/// for the threads (bounded, well below a second).
class LoadGenerator
{
public:
    LoadGenerator(Endpoint endpoint, GeneratorOptions options);
    ~LoadGenerator();
    LoadGenerator(const LoadGenerator&) = delete;
    LoadGenerator& operator=(const LoadGenerator&) = delete;

    /// Starts a point; the one before must be finished. Connections are kept from point to point. Errors:
    /// Internal (no descriptors, no threads). `startWallClock` of the point is the moment this returns.
    Status begin(const PointLoad& load);
    /// Moves the records finished since the last call to the end of `out`. Every intended request of the
    /// point has been handed over when finished() is true and takeRecords() gave nothing more.
    void takeRecords(RecordBatch& out);
    LoadSnapshot snapshot() const;
    bool finished() const;
    /// Ends the point now: nothing more is sent, what is in flight becomes `cancelled`, open-loop requests
    /// whose time had come and that were not sent become `not_sent`. Then finished() becomes true.
    void stop();
    /// Ends the sending sooner than `sendFor`: no request is started at or after `time` since the start of the point, which
    /// should lie a little ahead, so that every thread learns of it before. The drain follows as usual.
    void endSendingAt(Nanoseconds time);
    /// Of the point that finished (or up to now).
    GeneratorHealth health() const;

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace tailmark
