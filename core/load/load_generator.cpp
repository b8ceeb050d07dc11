// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/load_generator.h"

#include "load/descriptors.h"
#include "load/generator_thread.h"

#include <algorithm>
#include <system_error>

namespace tailmark {

namespace {

/// At most so many new connections a second ahead of a point, over all threads.
constexpr int kConnectionsPerS = 2000;

int shareOf(int total, int index, int count)
{
    return total / count + (index < total % count ? 1 : 0);
}

} // namespace

class LoadGenerator::Impl
{
public:
    Impl(Endpoint endpoint, GeneratorOptions options) : m_endpoint(std::move(endpoint)), m_options(options)
    {
        prepareLibcurl();
        raiseDescriptorLimit();
    }

    Status begin(const PointLoad& load)
    {
        if (const Status ready = makeThreads(); !ready)
            return ready;
        const int count = static_cast<int>(m_threads.size());
        const int maxInFlight = std::max(m_endpoint.limits.maxInFlight, count);
        m_nextRequest.store(0, std::memory_order_relaxed);
        for (int i = 0; i < count; ++i) {
            ThreadPoint point;
            point.load = load;
            point.share = {i, count, shareOf(maxInFlight, i, count)};
            point.nextRequest = &m_nextRequest;
            // how many an open loop needs, its responses will tell
            point.connections = std::min(shareOf(load.concurrency, i, count), point.share.maxInFlight);
            point.connectionsPerS = kConnectionsPerS / count;
            m_threads[static_cast<std::size_t>(i)]->prepare(point);
        }
        for (const auto& thread : m_threads)
            thread->waitPrepared();
        m_origin = MonotonicClock().now();
        for (const auto& thread : m_threads)
            thread->begin(m_origin);
        return success();
    }

    void takeRecords(RecordBatch& out)
    {
        for (const auto& thread : m_threads)
            thread->takeRecords(out);
    }

    LoadSnapshot snapshot() const
    {
        LoadSnapshot all;
        for (const auto& thread : m_threads) {
            const LoadCounters& counters = thread->counters();
            all.outputTokens += counters.outputTokens.get();
            all.failed += counters.failed.get();
            all.completed += counters.completed.get();
            all.accepted += counters.accepted.get();
            all.sent += counters.sent.get();
            all.waiting += counters.waiting.get();
            all.inFlight += counters.inFlight.get();
            all.intended += counters.intended.get();
        }
        if (!m_threads.empty())
            all.elapsed = (finished() ? endedAt() : MonotonicClock().now()) - m_origin;
        return all;
    }

    bool finished() const
    {
        return std::all_of(m_threads.begin(), m_threads.end(),
                           [](const auto& thread) { return thread->finished(); });
    }

    void stop()
    {
        for (const auto& thread : m_threads)
            thread->stop();
    }

    void endSendingAt(Nanoseconds time)
    {
        for (const auto& thread : m_threads)
            thread->endSendingAt(time);
    }

    GeneratorHealth health() const
    {
        GeneratorHealth health;
        for (const auto& thread : m_threads) {
            const ThreadMeter::Use use = thread->meter().use();
            if (use.wall > Nanoseconds(0)) {
                const double cores = toSeconds(use.cpu) / toSeconds(use.wall);
                health.cpuCores += cores;
                health.threadCpu.push_back(cores);
                health.busiestThreadCpu = std::max(health.busiestThreadCpu, cores);
            }
            const Nanoseconds wanted = use.runDelay + use.cpu;
            if (wanted > Nanoseconds(0))
                health.runDelayShare =
                    std::max(health.runDelayShare, toSeconds(use.runDelay) / toSeconds(wanted));
            thread->meter().loopLag.appendMs(health.loopLagMs);
            thread->meter().timerLag.appendMs(health.timerLagMs);
            const LoadCounters& counters = thread->counters();
            health.newConnections += counters.newConnections.get();
            health.staleConnections += counters.staleConnections.get();
            health.coalescedEvents += counters.coalescedEvents.get();
            health.events += counters.events.get();
            if (health.note.empty() && thread->finished())
                health.note = thread->note();
        }
        return health;
    }

private:
    Status makeThreads()
    {
        if (!m_threads.empty())
            return success();
        const std::string& proxy = m_endpoint.connection.proxy;
        auto address = resolveTarget(proxy.empty() ? m_endpoint.url : proxy);
        if (!address)
            return address.error();
        m_address = std::move(address).value();
        try {
            for (int i = 0; i < std::max(1, m_options.threads); ++i)
                m_threads.push_back(std::make_unique<GeneratorThread>(m_endpoint, m_address));
        } catch (const std::system_error& error) {
            m_threads.clear();
            return Error{ErrorCode::Internal, "", std::string("no thread for the load: ") + error.what()};
        }
        if (!std::all_of(m_threads.begin(), m_threads.end(),
                         [](const auto& thread) { return thread->valid(); })) {
            m_threads.clear();
            return Error{ErrorCode::Internal, "", "no file descriptor is left for an event loop"};
        }
        return success();
    }

    Nanoseconds endedAt() const
    {
        Nanoseconds last = m_origin;
        for (const auto& thread : m_threads)
            last = std::max(last, thread->endedAt());
        return last;
    }

    const Endpoint m_endpoint;
    const GeneratorOptions m_options;
    TargetAddress m_address;
    std::atomic<std::uint32_t> m_nextRequest{0};
    Nanoseconds m_origin{0};
    std::vector<std::unique_ptr<GeneratorThread>> m_threads; ///< uses what is above
};

LoadGenerator::LoadGenerator(Endpoint endpoint, GeneratorOptions options)
    : m_impl(std::make_unique<Impl>(std::move(endpoint), options))
{
}

LoadGenerator::~LoadGenerator() = default;

Status LoadGenerator::begin(const PointLoad& load)
{
    return m_impl->begin(load);
}

void LoadGenerator::takeRecords(RecordBatch& out)
{
    m_impl->takeRecords(out);
}

LoadSnapshot LoadGenerator::snapshot() const
{
    return m_impl->snapshot();
}

bool LoadGenerator::finished() const
{
    return m_impl->finished();
}

void LoadGenerator::stop()
{
    m_impl->stop();
}

void LoadGenerator::endSendingAt(Nanoseconds time)
{
    m_impl->endSendingAt(time);
}

GeneratorHealth LoadGenerator::health() const
{
    return m_impl->health();
}

} // namespace tailmark
