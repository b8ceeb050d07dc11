// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/point_execution.h"

#include "analysis/text.h"
#include "load/poller.h"
#include "run/live_mark.h"
#include "run/stability.h"
#include "schedule/arrivals.h"
#include "target/error_text.h"

#include <algorithm>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include <pthread.h>

namespace tailmark {

namespace {

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr int kTicksPerProgress = 2;
constexpr auto kEndAhead = std::chrono::milliseconds(100); ///< so that every thread knows before the window ends
constexpr int kTicksPerHealth = 20; // reading the threads' CPU time ten times a second would tell no more

PointLoad loadOf(const PointPlan& point, std::shared_ptr<const RequestSource> source)
{
    PointLoad load;
    load.source = std::move(source);
    load.concurrency = point.concurrency;
    load.starts = workerStarts(point);
    load.sendFor = fromSeconds(point.warmupS + point.longestWindowS());
    load.drain = fromSeconds(point.drainS);
    load.maxRequests = point.maxRequests;
    return load;
}

void takeHealth(PointFacts& facts, GeneratorHealth health)
{
    facts.cpuCores = health.cpuCores;
    facts.busiestThreadCpu = health.busiestThreadCpu;
    facts.runDelayShare = health.runDelayShare;
    facts.threadCpu = std::move(health.threadCpu);
    facts.loopLagMs = std::move(health.loopLagMs);
    facts.timerLagMs = std::move(health.timerLagMs);
    facts.newConnections = health.newConnections;
    facts.staleConnections = health.staleConnections;
    facts.generatorNote = std::move(health.note);
}

class Point
{
public:
    Point(const PointContext& context, const PointPlan& point, double restS)
        : m_context(context), m_point(point), m_restS(restS), m_mark(point, context.slo)
    {
        if (point.maxDurationS > 0)
            m_stability.emplace(point, context.slo);
    }
    Result<PointMeasurement> run(std::shared_ptr<const RequestSource> source);

private:
    Status begin(std::shared_ptr<const RequestSource> source);
    Status followBehind();
    Status follow();
    Result<bool> drain();
    Status takeServerSamples();
    void judgeFirst();
    void obey();
    void endOnceStable();
    std::string windowNote();
    void tellProgress();

    const PointContext& m_context;
    const PointPlan& m_point;
    double m_restS;
    LiveMark m_mark;
    std::optional<Stability> m_stability; ///< of a window that goes on until it is stable
    Nanoseconds m_origin{0}; ///< of the point's times
    RecordBatch m_fresh;
    PointMeasurement m_measured;
    bool m_stopped = false;
    bool m_judged = false;                        ///< the first request to end was looked at
    std::shared_ptr<const RequestSource> m_again; ///< the point's requests, to begin again with
    double m_cpuCores = 0;
    std::map<ServerCounter, double> m_server; ///< as last told
};

Status Point::begin(std::shared_ptr<const RequestSource> source)
{
    if (m_context.counters) {
        m_context.counters->take(); // what a refused attempt left
        m_context.counters->begin();
    }
    if (Status status = m_context.generator.begin(loadOf(m_point, std::move(source))); !status)
        return status;
    m_origin = MonotonicClock().now() - m_context.generator.snapshot().elapsed;
    if (m_context.counters)
        m_context.counters->aim(m_origin + fromSeconds(m_point.warmupS),
                                m_origin + fromSeconds(m_point.warmupS + m_point.longestWindowS()));
    return success();
}

Result<PointMeasurement> Point::run(std::shared_ptr<const RequestSource> source)
{
    LoadGenerator& generator = m_context.generator;
    if (Status status = begin(std::move(source)); !status)
        return status.error();
    // Only now the point's clock runs: opening connections is over.
    if (Status status = m_context.store.startPoint(m_context.run, m_point, utcNow()); !status) {
        generator.stop();
        return status.error();
    }
    for (;;) {
        if (Status status = followBehind(); !status) {
            generator.stop();
            return status.error();
        }
        // What ended last; after a stop also all that was never sent.
        for (bool some = true; some;) {
            const Result<bool> drained = drain();
            if (!drained)
                return drained.error();
            some = drained.value();
        }
        if (!m_again || m_stopped)
            break;
        if (Status status = begin(std::exchange(m_again, nullptr)); !status)
            return status.error();
    }
    PointFacts& facts = m_measured.facts;
    if (m_context.counters) {
        m_context.counters->end();
        if (Status status = takeServerSamples(); !status)
            return status.error();
        facts.countedAtRequestEnd = m_context.counters->countedAtRequestEnd();
        facts.serverNote = m_context.counters->note();
    }
    tellProgress(); // the last state of the point
    takeHealth(facts, generator.health());
    if (!m_stopped) {
        facts.endedS = toSeconds(generator.snapshot().elapsed);
        const bool allSent = m_point.maxRequests > 0 &&
                             std::cmp_greater_equal(m_measured.batch.records.size(), m_point.maxRequests);
        facts.endedBy = allSent ? "count" : "time";
    }
    m_measured.origin = m_origin;
    if (m_stability) {
        facts.windowNote = windowNote();
        if (facts.windowS <= 0)
            facts.windowS = m_point.longestWindowS();
    }
    return std::move(m_measured);
}

/// follow() on a thread of its own behind the generator's, from which writing to the store must take no time. Only that
/// thread has stepped behind for good: what is left to do once the load is over waits for no other program.
Status Point::followBehind()
{
    Status followed = success();
    try {
        std::jthread([&] {
            ::pthread_setname_np(::pthread_self(), "record");
            stepBehind();
            followed = follow();
        }).join();
    } catch (const std::system_error& error) {
        return Error{ErrorCode::Internal, "", std::string("no thread to keep what is measured: ") + error.what()};
    }
    return followed;
}

/// Until the load is over.
Status Point::follow()
{
    LoadGenerator& generator = m_context.generator;
    for (int tick = 0; !generator.finished(); ++tick) {
        if (const Result<bool> drained = drain(); !drained)
            return drained.error();
        if (Status status = m_judged ? takeServerSamples() : success(); !status)
            return status;
        obey();
        endOnceStable();
        if (tick % kTicksPerHealth == kTicksPerHealth - 1) {
            m_cpuCores = generator.health().cpuCores;
            // Also while no request ends: what is measured for nothing need not be measured.
            if (Status status = m_context.store.checkInPlace(); !status)
                return status;
        }
        if (tick % kTicksPerProgress == 0)
            tellProgress();
        std::this_thread::sleep_for(kTick);
    }
    return success();
}

/// Moves finished requests to the store and to memory; whether there were any.
Result<bool> Point::drain()
{
    m_fresh.clear();
    m_context.generator.takeRecords(m_fresh);
    if (m_fresh.empty())
        return false;
    for (std::string& error : m_fresh.errors)
        error = hideThese(m_context.secrets, std::move(error));
    if (!m_again)
        judgeFirst();
    if (m_again)
        return true; // not what is to be measured
    if (Status status = m_context.store.appendRecords(m_context.run, m_point.index, m_fresh); !status)
        return status.error();
    m_mark.add(m_fresh);
    if (m_stability)
        m_stability->add(m_fresh);
    m_measured.batch.append(m_fresh);
    return true;
}

/// What the server told since the last call goes to the store and to the facts.
Status Point::takeServerSamples()
{
    if (!m_context.counters)
        return success();
    std::vector<ServerSample> fresh;
    for (const CounterScraper::Reading& reading : m_context.counters->take())
        for (const auto& [counter, value] : reading.values)
            fresh.push_back({reading.at - m_origin, counter, value});
    for (const ServerSample& sample : fresh)
        m_server[sample.counter] = sample.value;
    std::vector<ServerSample>& all = m_measured.facts.serverSamples;
    all.insert(all.end(), fresh.begin(), fresh.end());
    return m_context.store.appendServerSamples(m_context.run, m_point.index, fresh);
}

void Point::judgeFirst()
{
    if (m_judged)
        return;
    m_judged = true;
    const RequestRecord& first = m_fresh.records.front();
    const bool refused =
        first.outcome == Outcome::ClientError && (first.httpStatus == 400 || first.httpStatus == 422);
    if (!refused || !m_context.withoutRefused)
        return;
    m_again = m_context.withoutRefused(m_fresh.errorOf(first));
    m_judged = m_again == nullptr; // another field may be refused next
    if (m_again)
        m_context.generator.stop();
}

void Point::obey()
{
    const bool stop = m_context.control.stop;
    if (m_stopped || !(stop || m_context.control.skipPoint.exchange(false)))
        return;
    m_stopped = true;
    m_measured.facts.endedS = toSeconds(m_context.generator.snapshot().elapsed);
    m_measured.facts.endedBy = stop ? "stop" : "skip";
    m_context.generator.stop();
}

/// Ends the window as soon as it is stable, not before its planned length.
void Point::endOnceStable()
{
    if (!m_stability || m_stopped || m_measured.facts.windowS > 0)
        return;
    const Nanoseconds end = m_context.generator.snapshot().elapsed + kEndAhead;
    if (end < fromSeconds(m_point.warmupS + m_point.durationS) ||
        end >= fromSeconds(m_point.warmupS + m_point.longestWindowS()) || !m_stability->isReached())
        return;
    m_context.generator.endSendingAt(end);
    m_measured.facts.windowS = toSeconds(end) - m_point.warmupS;
    m_mark.setWindowEnd(end);
    if (m_context.counters)
        m_context.counters->aim(m_origin + fromSeconds(m_point.warmupS), m_origin + end);
}

/// How the window ended and what it came to; nothing of one that the user ended.
std::string Point::windowNote()
{
    const PointFacts& facts = m_measured.facts;
    if (m_stopped)
        return {};
    const std::string asked = " (at most " + percentText(m_point.stableWidth) + " was asked)";
    if (facts.windowS > 0)
        return "went on for " + figureText(facts.windowS) + " s until stable: " + m_stability->text() + asked;
    return (facts.endedBy == "count" ? std::string("ended by its number of requests")
                                     : "ended by its limit of " + figureText(m_point.maxDurationS) + " s") +
           ": " + m_stability->text() + asked;
}

void Point::tellProgress()
{
    Progress progress;
    progress.point = m_point.index;
    progress.load = m_context.generator.snapshot();
    const double windowS = m_measured.facts.windowS > 0 ? m_measured.facts.windowS : m_point.durationS;
    const double pointS = m_point.warmupS + windowS;
    const double leftS = m_stopped ? 0 : std::max(0.0, pointS - toSeconds(progress.load.elapsed));
    progress.remainingS = leftS + (m_restS > 0 ? m_point.cooldownS : 0) + m_restS;
    progress.cpuCores = m_cpuCores;
    const auto told = [&](ServerCounter counter) {
        const auto value = m_server.find(counter);
        return value == m_server.end() ? std::nullopt : std::optional(value->second);
    };
    progress.serverRunning = told(ServerCounter::Running);
    progress.serverWaiting = told(ServerCounter::Waiting);
    progress.serverKvUse = told(ServerCounter::KvUse);
    m_mark.fill(progress, progress.load.elapsed);
    m_context.notify(progress);
}

} // namespace

Result<PointMeasurement> executePoint(const PointContext& context, const PointPlan& point,
                                      std::shared_ptr<const RequestSource> source, double restS)
{
    return Point(context, point, restS).run(std::move(source));
}

} // namespace tailmark
