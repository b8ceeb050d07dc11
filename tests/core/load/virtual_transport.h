// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "load/point_driver.h"

#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace tailmark::test {

class VirtualClock final : public Clock
{
public:
    Nanoseconds now() const override { return time; }
    Nanoseconds time{0};
};

/// Requests at given times (open loop), or without end and with one think time (closed loop).
class ListedSource final : public RequestSource
{
public:
    std::vector<Nanoseconds> times;
    Nanoseconds think{0};
    std::vector<std::uint32_t> turns; ///< of the sessions, again and again; empty = there are none

    static std::shared_ptr<ListedSource> every(Nanoseconds gap, std::uint32_t count)
    {
        auto source = std::make_shared<ListedSource>();
        for (std::uint32_t i = 0; i < count; ++i)
            source->times.push_back(gap * i);
        return source;
    }
    std::uint32_t count() const override { return static_cast<std::uint32_t>(times.size()); }
    PlannedRequest planned(std::uint32_t index) const override
    {
        PlannedRequest planned;
        planned.intended = index < times.size() ? times[index] : Nanoseconds(0);
        planned.thinkTime = think;
        planned.promptTokens = 10;
        planned.outputTokens = 20;
        return planned;
    }
    RequestChain chain(std::uint32_t number) const override
    {
        if (turns.empty())
            return RequestSource::chain(number);
        std::uint32_t first = 0;
        for (std::uint32_t i = 0; i < number; ++i)
            first += turns[i % turns.size()];
        return {first, turns[number % turns.size()]};
    }
    void writeBody(std::uint32_t index, std::string& body) const override { body = std::to_string(index); }
};

/// A server in virtual time: `servers` requests at once, each for `service`, the others in a queue of at most
/// `queueLimit`, beyond it a rejection. A send costs the client `sendCost` of its own time.
class VirtualTransport final : public Transport
{
public:
    VirtualTransport(VirtualClock& clock, RecordBuffers& records) : m_clock(clock), m_records(records) {}

    int servers = 1 << 20;
    std::size_t queueLimit = 1 << 20;
    Nanoseconds service{0};
    Nanoseconds sendCost{0};
    bool refuse = false;
    TransportObserver* observer = nullptr;
    std::vector<RequestRecord> sends; ///< with `sent` set, in the order of sending

    void send(const SendOrder& order) override
    {
        RequestRecord record = recordOf(order);
        m_clock.time += sendCost;
        record.sent = m_clock.time;
        sends.push_back(record);
        ++m_inFlight;
        mostInFlight = std::max(mostInFlight, m_inFlight);
        if (refuse)
            schedule(record, Outcome::ConnectFailed, Nanoseconds(0));
        else if (m_busy < servers)
            serve(record);
        else if (m_queue.size() < queueLimit)
            m_queue.push_back(record);
        else
            schedule(record, Outcome::Rejected, Nanoseconds(0));
    }
    void cancelAll() override
    {
        std::vector<RequestRecord> open(m_queue.begin(), m_queue.end());
        for (const auto& [time, record] : m_ends)
            open.push_back(record);
        m_queue.clear();
        m_ends.clear();
        m_busy = 0;
        for (RequestRecord& record : open)
            end(record, Outcome::Cancelled);
    }

    Nanoseconds nextEnd() const { return m_ends.empty() ? PointDriver::kNever : m_ends.begin()->first; }
    void deliver()
    {
        while (!m_ends.empty() && m_ends.begin()->first <= m_clock.time) {
            RequestRecord record = m_ends.begin()->second;
            m_ends.erase(m_ends.begin());
            const Outcome outcome = record.outcome;
            if (outcome == Outcome::Completed) {
                --m_busy;
                if (!m_queue.empty()) {
                    RequestRecord queued = m_queue.front();
                    m_queue.pop_front();
                    serve(queued);
                }
            }
            end(record, outcome);
        }
    }
    int inFlight() const { return m_inFlight; }
    std::size_t queued() const { return m_queue.size(); }
    int mostInFlight = 0;

private:
    void serve(RequestRecord& record)
    {
        ++m_busy;
        schedule(record, Outcome::Completed, service);
    }
    void schedule(RequestRecord& record, Outcome outcome, Nanoseconds after)
    {
        record.outcome = outcome;
        m_ends.emplace(m_clock.time + after, record);
    }
    void end(RequestRecord& record, Outcome outcome)
    {
        record.outcome = outcome;
        record.closed = m_clock.time;
        record.outputTokens = outcome == Outcome::Completed ? 20 : kUnknownCount;
        --m_inFlight;
        m_records.add(record, {}, {});
        observer->ended(record);
    }

    VirtualClock& m_clock;
    RecordBuffers& m_records;
    std::multimap<Nanoseconds, RequestRecord> m_ends;
    std::deque<RequestRecord> m_queue;
    int m_busy = 0;
    int m_inFlight = 0;
};

/// A point on one share, driven through virtual time.
struct VirtualPoint
{
    VirtualClock clock;
    RecordBuffers buffers;
    LoadCounters counters;
    VirtualTransport transport{clock, buffers};
    std::atomic<std::uint32_t> nextRequest{0};
    std::unique_ptr<PointDriver> driver;
    RecordBatch batch;

    void begin(PointLoad load, int maxInFlight = 1 << 20)
    {
        driver = std::make_unique<PointDriver>(load, DriverShare{0, 1, maxInFlight}, nextRequest, clock,
                                               transport, buffers, counters);
        transport.observer = driver.get();
    }
    /// Until the point is over, or until `until`.
    void run(Nanoseconds until = PointDriver::kNever)
    {
        while (!driver->finished()) {
            const Nanoseconds next = std::max(clock.time, std::min(driver->nextDue(), transport.nextEnd()));
            if (next > until) {
                clock.time = until;
                break;
            }
            clock.time = next;
            transport.deliver();
            driver->sendDue();
        }
        buffers.take(batch);
    }
    std::size_t countOf(Outcome outcome) const
    {
        std::size_t n = 0;
        for (const RequestRecord& record : batch.records)
            n += record.outcome == outcome;
        return n;
    }
};

} // namespace tailmark::test
