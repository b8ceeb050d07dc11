// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/point_driver.h"

#include <algorithm>
#include <limits>

namespace tailmark {

namespace {

/// Heap order: the earliest first, of equals the lower number.
bool later(const SendOrder& a, const SendOrder& b)
{
    return a.intended != b.intended ? a.intended > b.intended : a.request > b.request;
}

bool neverConnected(Outcome outcome)
{
    return outcome == Outcome::ConnectFailed || outcome == Outcome::NotSent;
}

} // namespace

PointDriver::PointDriver(const PointLoad& load, DriverShare share, std::atomic<std::uint32_t>& nextChain,
                         const Clock& sinceStart, Transport& transport, RecordBuffers& records,
                         LoadCounters& counters)
    : m_load(load), m_share(share), m_nextChain(nextChain), m_clock(sinceStart), m_transport(transport),
      m_records(records), m_counters(counters)
{
    if (openLoop()) {
        m_scheduled = m_load.source->count();
        if (m_load.maxRequests > 0 && m_load.maxRequests < m_scheduled)
            m_scheduled = static_cast<std::uint32_t>(m_load.maxRequests);
        m_ready.reserve(static_cast<std::size_t>(m_share.maxInFlight));
        planScheduled(static_cast<std::uint32_t>(m_share.index));
    } else {
        const auto workers = static_cast<std::size_t>(m_load.concurrency);
        m_thinking.reserve(workers);
        m_ready.reserve(2 * workers);
        m_chains.resize(workers / static_cast<std::size_t>(m_share.count) + 1, {0, 0});
        for (int worker = m_share.index; worker < m_load.concurrency; worker += m_share.count)
            planNext(worker, startOf(worker), true);
    }
}

void PointDriver::sendDue()
{
    if (m_finished)
        return;
    Nanoseconds now = m_clock.now();
    if (m_sending && now >= m_load.sendFor)
        endSending(now, m_load.sendFor - kLateAllowance, false);
    if (m_sending) {
        release(now);
        for (int sent = 0; waiting() && slotFree() && sent < kSendsPerCall && now < m_load.sendFor; ++sent) {
            sendFront();
            now = m_clock.now();
            release(now);
        }
    } else if (m_inFlight > 0 && now >= m_load.sendFor + m_load.drain) {
        m_transport.cancelAll();
    }
    checkFinished(now);
}

Nanoseconds PointDriver::nextDue() const
{
    if (m_finished)
        return kNever;
    if (!m_sending)
        return m_inFlight > 0 ? m_load.sendFor + m_load.drain : m_load.sendFor;
    Nanoseconds due = m_load.sendFor;
    if (waiting() && slotFree())
        return Nanoseconds(0);
    // while all slots are taken, what comes due meanwhile is released after the next end
    if (slotFree()) {
        if (openLoop())
            due = std::min(due, m_upcoming.intended);
        else if (!m_thinking.empty())
            due = std::min(due, m_thinking.front().intended);
    }
    return due;
}

void PointDriver::stop()
{
    if (m_finished)
        return;
    if (m_sending)
        endSending(m_clock.now(), kNever, true);
    m_transport.cancelAll();
    m_finished = true;
}

void PointDriver::endSendingAt(Nanoseconds time)
{
    if (!m_sending || time >= m_load.sendFor)
        return;
    m_load.sendFor = time;
    if (m_upcoming.intended >= time)
        m_upcoming.intended = kNever;
    std::erase_if(m_thinking, [time](const SendOrder& order) { return order.intended >= time; });
    std::make_heap(m_thinking.begin(), m_thinking.end(), later);
}

void PointDriver::ended(const RequestRecord& record)
{
    if (!slotFree())
        m_lastFull = m_clock.now();
    --m_inFlight;
    m_counters.inFlight.set(static_cast<std::uint32_t>(m_inFlight));
    switch (record.outcome) {
    case Outcome::Completed:
        m_counters.completed.add(1);
        if (record.outputTokens > 0)
            m_counters.outputTokens.add(static_cast<std::uint64_t>(record.outputTokens));
        break;
    case Outcome::Cancelled:
    case Outcome::NotSent:
        break;
    default:
        m_counters.failed.add(1);
    }
    if (m_sending && !openLoop()) {
        const Nanoseconds pause = neverConnected(record.outcome) ? kRefusedPause : Nanoseconds(0);
        planNext(record.worker, record.closed + pause, false);
    }
}

void PointDriver::release(Nanoseconds now)
{
    if (openLoop()) {
        while (m_upcoming.intended <= now) {
            releaseOne(m_upcoming);
            planScheduled(m_upcoming.request + static_cast<std::uint32_t>(m_share.count));
        }
        return;
    }
    while (!m_thinking.empty() && m_thinking.front().intended <= now) {
        std::pop_heap(m_thinking.begin(), m_thinking.end(), later);
        releaseOne(m_thinking.back());
        m_thinking.pop_back();
    }
}

void PointDriver::releaseOne(const SendOrder& order)
{
    m_ready.push_back(order);
    if (openLoop())
        m_counters.intended.add(1);
    m_counters.waiting.add(1);
}

void PointDriver::sendFront()
{
    const SendOrder order = m_ready[m_readyHead];
    popFront();
    if (!openLoop())
        m_counters.intended.add(1);
    ++m_inFlight;
    m_counters.inFlight.set(static_cast<std::uint32_t>(m_inFlight));
    m_transport.send(order);
}

/// A scheduled request that is not sent has a record all the same (its outcome is NotSent); a worker just
/// ends its loop.
void PointDriver::dropFront(bool stopped)
{
    const SendOrder& order = m_ready[m_readyHead];
    if (openLoop())
        m_records.add(recordOf(order), {}, whyNotSent(order, stopped));
    popFront();
}

std::string_view PointDriver::whyNotSent(const SendOrder& order, bool stopped) const
{
    if (stopped)
        return "the point was ended before its turn came";
    if (!slotFree() || m_lastFull >= order.intended) // kAbsentTime is before all
        return "limits.max_in_flight requests were under way until the point ended";
    return "the generator was too slow: its turn came only after the point had ended";
}

void PointDriver::popFront()
{
    if (++m_readyHead == m_ready.size()) {
        m_ready.clear();
        m_readyHead = 0;
    }
    m_counters.waiting.set(static_cast<std::uint32_t>(m_ready.size() - m_readyHead));
}

Nanoseconds PointDriver::startOf(std::int32_t worker) const
{
    const auto number = static_cast<std::size_t>(worker);
    return number < m_load.starts.size() ? m_load.starts[number] : Nanoseconds(0);
}

/// Open loop: what comes next of this share. Behind the end of the schedule, or of the sending, nothing
/// comes.
void PointDriver::planScheduled(std::uint32_t request)
{
    m_upcoming.request = request;
    m_upcoming.intended = kNever;
    if (request >= m_scheduled)
        return;
    m_upcoming.planned = m_load.source->planned(request);
    if (m_upcoming.planned.intended < m_load.sendFor)
        m_upcoming.intended = m_upcoming.planned.intended;
}

RequestChain& PointDriver::chainOf(std::int32_t worker)
{
    return m_chains[static_cast<std::size_t>(worker / m_share.count)];
}

/// The next request of the worker's chain, of a new one where that is over; false when the numbers are used
/// up.
bool PointDriver::nextOfChain(std::int32_t worker, std::uint32_t& request)
{
    RequestChain& chain = chainOf(worker);
    if (chain.count == 0) {
        if (countReached())
            return false;
        chain = m_load.source->chain(m_nextChain.fetch_add(1, std::memory_order_relaxed));
    }
    request = chain.first++;
    --chain.count;
    return m_load.maxRequests == 0 || request < m_load.maxRequests;
}

/// Closed loop: a worker that became free goes on. It retires when the numbers are used up, or when it would
/// still be thinking at the end of the sending.
void PointDriver::planNext(std::int32_t worker, Nanoseconds freeAt, bool first)
{
    SendOrder order;
    if (!nextOfChain(worker, order.request))
        return;
    order.worker = worker;
    order.planned = m_load.source->planned(order.request);
    order.intended = first ? freeAt : freeAt + order.planned.thinkTime;
    if (order.intended >= m_load.sendFor)
        return;
    m_thinking.push_back(order);
    std::push_heap(m_thinking.begin(), m_thinking.end(), later);
}

/// No request comes due any more. Those that have and that were intended at or after `onTimeFrom` are sent
/// while there is room; the others are not.
void PointDriver::endSending(Nanoseconds now, Nanoseconds onTimeFrom, bool stopped)
{
    release(now);
    m_sending = false;
    while (waiting()) {
        if (m_ready[m_readyHead].intended >= onTimeFrom && slotFree())
            sendFront();
        else
            dropFront(stopped);
    }
    m_thinking.clear();
}

bool PointDriver::countReached() const
{
    return m_load.maxRequests > 0 &&
           m_load.source->chain(m_nextChain.load(std::memory_order_relaxed)).first >= m_load.maxRequests;
}

/// A point lasts until `sendFor`, unless a limit on the number of requests ends it earlier.
void PointDriver::checkFinished(Nanoseconds now)
{
    if (m_inFlight > 0 || waiting())
        return;
    if (!m_sending) {
        m_finished = now >= m_load.sendFor;
        return;
    }
    if (openLoop())
        m_finished =
            m_load.maxRequests > 0 && m_scheduled >= m_load.maxRequests && m_upcoming.request >= m_scheduled;
    else
        m_finished = countReached() && m_thinking.empty();
}

} // namespace tailmark
