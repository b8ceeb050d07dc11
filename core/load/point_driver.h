// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "load/load_counters.h"
#include "load/load_generator.h"
#include "load/record_buffers.h"
#include "load/transport.h"

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tailmark {

/// The part of a point that one generator thread drives: every `count`-th worker or scheduled request from
/// `index` on.
struct DriverShare
{
    int index = 0;
    int count = 1;
    int maxInFlight = 1; ///< of this share
};

/// Decides which request is sent when, and accounts for those that never are. Pure: time comes from a clock
/// since the start of the point, sending is a transport's, so that tests run it in virtual time. One thread.
///
/// Open loop: requests go out in the order of the schedule, each at its intended time or, while `maxInFlight`
/// are under way, as soon as one ends; the wait stays visible because `intended` is never moved. Closed loop:
/// each worker sends one request after another, the first when it starts, and those of a chain (a session's turns)
/// before it takes the next chain; the next is intended at the end of the previous plus its think time. After a failure
/// to connect the worker pauses kRefusedPause in addition, so that a server that is down does not turn the loop into a
/// flood of failures.
///
/// Nothing is sent before its time, and nothing is intended at or after `sendFor`. At `sendFor` a request
/// that is late by no more than kLateAllowance is still sent; the others that wait become `not_sent` when
/// they are of a schedule (their record says why), and were never intended when they are a worker's. After
/// `sendFor + drain` what is in flight is cancelled.
class PointDriver final : public TransportObserver
{
public:
    static constexpr Nanoseconds kNever = Nanoseconds::max();
    static constexpr Nanoseconds kLateAllowance{10'000'000};
    static constexpr Nanoseconds kRefusedPause{100'000'000};
    /// A call of sendDue() sends at most this many, so that responses are read in between.
    static constexpr int kSendsPerCall = 64;

    /// `nextChain` numbers the chains of a closed loop over all shares; it starts at 0.
    PointDriver(const PointLoad& load, DriverShare share, std::atomic<std::uint32_t>& nextChain,
                const Clock& sinceStart, Transport& transport, RecordBuffers& records,
                LoadCounters& counters);

    /// Does all that is due now. Call it at nextDue() and after every ended request; cheap when nothing is
    /// due.
    void sendDue();
    /// When something is due next, kNever if only the end of a request can bring that about.
    Nanoseconds nextDue() const;
    /// Ends the point: nothing more is sent; what of a schedule was due becomes `not_sent`, what is in flight
    /// `cancelled`.
    void stop();
    /// Nothing more is intended at or after this time, if that is sooner than `sendFor` and not passed yet.
    void endSendingAt(Nanoseconds time);
    bool finished() const { return m_finished; }

    void ended(const RequestRecord& record) override;

private:
    bool openLoop() const { return m_load.concurrency == 0; }
    bool waiting() const { return m_readyHead < m_ready.size(); }
    bool slotFree() const { return m_inFlight < m_share.maxInFlight; }
    void release(Nanoseconds now);
    void releaseOne(const SendOrder& order);
    void sendFront();
    void dropFront(bool stopped);
    std::string_view whyNotSent(const SendOrder& order, bool stopped) const;
    void popFront();
    Nanoseconds startOf(std::int32_t worker) const;
    void planScheduled(std::uint32_t request);
    void planNext(std::int32_t worker, Nanoseconds freeAt, bool first);
    void endSending(Nanoseconds now, Nanoseconds onTimeFrom, bool stopped);
    void checkFinished(Nanoseconds now);
    bool countReached() const;
    RequestChain& chainOf(std::int32_t worker);
    bool nextOfChain(std::int32_t worker, std::uint32_t& request);

    PointLoad m_load;
    DriverShare m_share;
    std::atomic<std::uint32_t>& m_nextChain;
    const Clock& m_clock;
    Transport& m_transport;
    RecordBuffers& m_records;
    LoadCounters& m_counters;

    bool m_sending = true;
    bool m_finished = false;
    int m_inFlight = 0;
    Nanoseconds m_lastFull = kAbsentTime; ///< when a request ended that had taken the last slot

    std::uint32_t m_scheduled = 0; ///< open loop: requests of the point
    SendOrder m_upcoming;          ///< open loop: the next that is not due yet
    std::vector<RequestChain>
        m_chains; ///< closed loop: what is left of each worker's, by worker of the share
    std::vector<SendOrder>
        m_thinking; ///< closed loop: what workers send once they have thought; heap, earliest first
    std::vector<SendOrder> m_ready; ///< due and not sent, in order, from m_readyHead on
    std::size_t m_readyHead = 0;
};

} // namespace tailmark
