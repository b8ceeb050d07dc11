// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/rng.h"
#include "plan/plan.h"
#include "record/point_facts.h"
#include "record/request_record.h"
#include "store/store.h"

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace tailmark::test {

/// A made-up server, by a formula: a floor and a slope for both times to the tokens, and a number of streams
/// above which requests queue.
struct DemoServer
{
    double ttftFloorMs = 45, ttftPerStreamMs = 1.6;
    double tpotFloorMs = 7.5, tpotPerStreamMs = 0.16;
    double streams = 48;    ///< more than these wait
    double spread = 0.33;   ///< sigma of the lognormal noise
    double rejectShare = 0; ///< of requests that would wait for longer than half a second
};

struct DemoRun
{
    std::string name = "Demo run";
    std::string engine = "vllm", version = "0.6.3", model = "llama-3.1-8b-instruct", quantization = "bf16";
    DemoServer server;
    std::uint64_t seed = 7;
    double durationS = 30;
    bool burst = false; ///< a third test, of burst and recovery
    int stopAfter = -1; ///< points to write before the run is cancelled; -1 = all
    bool finish = true; ///< false: the run is left as one that goes on
};

/// A run that goes on: no point of it is finished yet.
inline DemoRun liveDemoRun()
{
    DemoRun run;
    run.name = "live";
    run.stopAfter = 0;
    run.finish = false;
    return run;
}

/// A concurrency sweep of eight levels and an arrival sweep of six, with limits on the first token and on the
/// pace.
inline Matrix demoMatrix(const DemoRun& run = {})
{
    Matrix m;
    m.name = run.name;
    m.target.baseUrl = "http://127.0.0.1:8000/v1";
    m.target.model = run.model;
    m.workload.lengths.promptTokens = 512;
    m.workload.lengths.outputTokens = 128;
    m.workload.seed = run.seed;
    m.measurement.warmupS = 5;
    m.measurement.durationS = run.durationS;
    m.slo = {{"ttft_ms", 99, 1000}, {"tpot_ms", 99, 60}};
    m.bound.bandwidthGbPerS = 2039;
    m.bound.activeParams = 8.03e9;
    m.bound.kvBytesPerToken = 131072;
    m.bound.peakTflops = 312;
    Test closed;
    closed.kind = TestKind::ConcurrencySweep;
    closed.levels = {1, 4, 8, 16, 32, 48, 64, 96};
    Test open;
    open.kind = TestKind::ArrivalSweep;
    open.ratesPerS = {2, 6, 10, 14, 18, 22};
    m.tests = {closed, open};
    if (run.burst) {
        Test burst;
        burst.kind = TestKind::BurstRecovery;
        burst.baseRatePerS = 8;
        burst.burstRatePerS = 34;
        burst.baselineS = 20;
        burst.burstS = 10;
        burst.recoveryS = 30;
        m.tests.push_back(burst);
    }
    return m;
}

/// The records of one point, as that server would have answered it: a queue before `streams` places. Same
/// point and seed, same records.
inline RecordBatch demoRecords(const PointPlan& point, const DemoRun& run)
{
    Rng rng(deriveSeed(point.seeds.arrivals ^ run.seed, static_cast<std::uint64_t>(point.index.value) + 1));
    boost::random::normal_distribution<double> normal;
    boost::random::exponential_distribution<double> exponential(1);
    boost::random::uniform_01<double> uniform;
    const auto noise = [&](double sigma) { return std::exp(sigma * normal(rng)); };
    using Times = std::priority_queue<double, std::vector<double>, std::greater<>>;

    const DemoServer& server = run.server;
    std::vector<double> places(static_cast<std::size_t>(server.streams), 0);
    double scheduleS = point.warmupS + point.durationS;
    std::vector<std::pair<double, std::uint8_t>> arrivals; // open loop: when, and in which phase
    if (point.openLoop()) {
        double at = 0, phaseStart = 0;
        for (std::size_t phase = 0; phase < point.phases.size(); ++phase) {
            const double end = phaseStart + point.phases[phase].durationS;
            for (at = phaseStart; (at += exponential(rng) / point.phases[phase].ratePerS) < end;)
                arrivals.emplace_back(at, static_cast<std::uint8_t>(phase));
            phaseStart = end;
        }
        scheduleS = phaseStart;
    }
    Times workers;
    for (int w = 0; w < point.concurrency; ++w)
        workers.push(0);

    RecordBatch batch;
    for (std::size_t i = 0; point.openLoop() ? i < arrivals.size() : workers.top() < scheduleS; ++i) {
        const double intended = point.openLoop() ? arrivals[i].first : workers.top();
        RequestRecord r;
        r.request = static_cast<std::uint32_t>(i);
        r.worker = point.openLoop() ? -1 : 0;
        r.phase = point.openLoop() ? arrivals[i].second : 0;
        r.intended = fromSeconds(intended);
        r.sent = fromSeconds(intended + 0.00015 * noise(0.5));
        r.promptTokensPlanned = r.promptTokens = point.lengths.promptTokens;
        r.outputTokensCap = r.outputTokens = point.lengths.outputTokens;
        const double sent = toSeconds(r.sent);

        const auto place = std::min_element(places.begin(), places.end());
        const double start = std::max(sent, *place);
        const auto busy =
            std::count_if(places.begin(), places.end(), [&](double free) { return free > start; });
        double over = sent + 0.004; // where the request ends
        if (start - sent > 0.5 && uniform(rng) < server.rejectShare) {
            r.outcome = Outcome::Rejected;
            r.httpStatus = 429;
        } else {
            const double active = 1 + static_cast<double>(busy);
            const double first =
                start + (server.ttftFloorMs + server.ttftPerStreamMs * active) / 1e3 * noise(server.spread);
            const double tpot = (server.tpotFloorMs + server.tpotPerStreamMs * active) / 1e3 * noise(0.06);
            r.outcome = Outcome::Completed;
            r.finishReason = FinishReason::Length;
            r.httpStatus = 200;
            r.doneSeen = true;
            r.headers = r.firstEvent = fromSeconds(sent + 0.002);
            r.firstToken = r.firstAnswerToken = fromSeconds(first);
            r.firstEventTokens = 1;
            r.tokenEvents = r.outputTokens;
            r.chunkBegin = static_cast<std::uint32_t>(batch.chunks.size());
            double at = first;
            for (int token = 0; token < r.outputTokens; ++token) {
                batch.chunks.push_back(
                    {static_cast<std::uint32_t>((at - sent) * 1e6), 1, ChunkRecord::Answer});
                at += tpot * noise(0.15);
            }
            r.chunkCount = static_cast<std::uint32_t>(batch.chunks.size()) - r.chunkBegin;
            r.lastToken = r.sent + std::chrono::microseconds(batch.chunks.back().sinceSentUs);
            over = toSeconds(r.lastToken) + 0.001;
            *place = over;
        }
        r.closed = fromSeconds(over);
        if (!point.openLoop()) {
            workers.pop();
            workers.push(over + point.thinkTimeS);
        }
        batch.records.push_back(r);
    }
    return batch;
}

/// What the engine told of itself, once a second.
inline std::vector<ServerSample> demoCounters(const PointPlan& point)
{
    std::vector<ServerSample> samples;
    const double running = point.openLoop() ? 8 : point.concurrency;
    for (int second = 0; second <= static_cast<int>(point.warmupS + point.durationS); ++second) {
        const Nanoseconds at = fromSeconds(second);
        samples.push_back({at, ServerCounter::Running, running});
        samples.push_back({at, ServerCounter::KvUse, 0.01 * running});
        samples.push_back({at, ServerCounter::PromptTokens, 100.0 * running * second});
    }
    return samples;
}

inline PointFacts demoFacts(const PointPlan& point, const RecordBatch& batch)
{
    PointFacts facts;
    for (const RequestRecord& r : batch.records)
        facts.endedS = std::max(facts.endedS, toSeconds(r.closed));
    facts.cpuCores = 0.05 + 0.004 * point.load.value;
    facts.busiestThreadCpu = facts.cpuCores;
    facts.newConnections = static_cast<std::uint64_t>(point.load.value);
    return facts;
}

/// Plans, writes and finishes the run. Aborts when the store refuses: a test cannot go on without it.
inline RunId writeDemoRun(Store& store, const DemoRun& run = {})
{
    const auto require = [](const auto& result) {
        if (!result.ok()) {
            std::fprintf(stderr, "demo run: %s\n", result.error().line().c_str());
            std::abort();
        }
    };
    const auto plan = expand(demoMatrix(run));
    require(plan);
    RunCard card;
    card.read("engine", run.engine);
    card.read("engine_version", run.version);
    card.read("model", run.model);
    card.type("quantization", run.quantization);
    card.type("accelerator", "A100-SXM4-80GB");
    card.type("accelerator_count", "1");
    const auto id = store.createRun(run.name, plan.value(), card, {{"hostname", "bench-01"}});
    require(id);
    int written = 0;
    for (const PointPlan& point : plan.value().points) {
        if (run.stopAfter >= 0 && written++ >= run.stopAfter)
            break;
        const RecordBatch batch = demoRecords(point, run);
        require(store.startPoint(id.value(), point, utcNow()));
        require(store.appendRecords(id.value(), point.index, batch));
        require(store.appendServerSamples(id.value(), point.index, demoCounters(point)));
        require(store.finishPoint(id.value(), point.index, demoFacts(point, batch)));
    }
    if (run.finish)
        require(store.finishRun(id.value(), run.stopAfter >= 0 ? RunState::Cancelled : RunState::Done));
    return id.value();
}

} // namespace tailmark::test
