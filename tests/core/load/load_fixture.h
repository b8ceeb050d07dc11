// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "load/load_generator.h"

#include "scripted_server.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>

// What the tests of the load generator share: requests, limits, points, and waiting for their end.
namespace tailmark::test {

using namespace std::chrono_literals;

/// Numbered bodies; open loop when a gap is given.
class NumberedSource final : public RequestSource
{
public:
    explicit NumberedSource(std::uint32_t count = 0, Nanoseconds gap = 0ns, std::size_t bodyBytes = 0)
        : m_count(count), m_gap(gap), m_bodyBytes(bodyBytes)
    {
    }
    std::uint32_t count() const override { return m_count; }
    PlannedRequest planned(std::uint32_t index) const override
    {
        PlannedRequest planned;
        planned.intended = m_gap * index;
        planned.promptTokens = 12;
        planned.outputTokens = 8;
        return planned;
    }
    void writeBody(std::uint32_t index, std::string& body) const override
    {
        body = "{\"n\":" + std::to_string(index) + "}";
        body.resize(std::max(body.size(), m_bodyBytes), ' ');
    }

private:
    std::uint32_t m_count;
    Nanoseconds m_gap;
    std::size_t m_bodyBytes;
};

inline Endpoint endpointOf(const std::string& url)
{
    Endpoint endpoint;
    endpoint.url = url;
    endpoint.limits.maxInFlight = 2048;
    return endpoint;
}

inline PointLoad closedLoop(int workers, Nanoseconds sendFor, std::int64_t maxRequests = 0)
{
    PointLoad load;
    load.source = std::make_shared<NumberedSource>();
    load.concurrency = workers;
    load.sendFor = sendFor;
    load.drain = 20s;
    load.maxRequests = maxRequests;
    return load;
}

inline PointLoad openLoop(std::uint32_t count, Nanoseconds gap, Nanoseconds sendFor)
{
    PointLoad load;
    load.source = std::make_shared<NumberedSource>(count, gap);
    load.sendFor = sendFor;
    load.drain = 20s;
    return load;
}

/// Waits for the end of a point, with a bound far above what any of these takes.
inline bool collect(LoadGenerator& generator, RecordBatch& batch, Nanoseconds bound = 60s)
{
    const MonotonicClock clock;
    const Nanoseconds end = clock.now() + bound;
    while (!generator.finished() && clock.now() < end) {
        generator.takeRecords(batch);
        std::this_thread::sleep_for(1ms);
    }
    const bool finished = generator.finished();
    generator.takeRecords(batch);
    return finished;
}

inline bool waitUntil(const std::function<bool()>& condition, Nanoseconds bound = 20s)
{
    const MonotonicClock clock;
    for (const Nanoseconds end = clock.now() + bound; !condition(); std::this_thread::sleep_for(1ms))
        if (clock.now() > end)
            return false;
    return true;
}

inline std::size_t countOf(const RecordBatch& batch, Outcome outcome)
{
    return static_cast<std::size_t>(
        std::count_if(batch.records.begin(), batch.records.end(),
                      [&](const RequestRecord& r) { return r.outcome == outcome; }));
}

inline std::string outcomesOf(const RecordBatch& batch)
{
    std::map<std::string, int> counts;
    for (const RequestRecord& record : batch.records)
        ++counts[std::string(outcomeId(record.outcome)) + " (" + std::string(batch.errorOf(record)) + ")"];
    std::string text;
    for (const auto& [name, n] : counts)
        text += name + ": " + std::to_string(n) + "  ";
    return text;
}

inline bool eachOnce(const RecordBatch& batch)
{
    std::set<std::uint32_t> numbers;
    for (const RequestRecord& record : batch.records)
        numbers.insert(record.request);
    return numbers.size() == batch.records.size() &&
           (numbers.empty() || *numbers.rbegin() == numbers.size() - 1);
}

} // namespace tailmark::test
