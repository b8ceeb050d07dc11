// SPDX-License-Identifier: GPL-3.0-or-later
// A stored run of a million requests: how long another SLO takes by its records, by the digests that are kept of them (as
// operating-point --slo has it) and in memory (as a limit that is dragged). Writes DIR/runs.sqlite and
// DIR/records.csv, so that awk can be timed on the same records.
#include "analysis/reevaluation.h"
#include "analysis/summarize.h"
#include "base/rng.h"
#include "bench_common.h"
#include "report/report.h"
#include "report/run_results.h"
#include "store/store.h"

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

double lap(std::int64_t& from)
{
    const std::int64_t now = bench::nowNs();
    const double ms = static_cast<double>(now - from) / 1e6;
    from = now;
    return ms;
}

RecordBatch recordsOf(const PointPlan& point, int n)
{
    Rng rng(point.seeds.arrivals);
    const auto exponential = [&] { return -std::log(1 - static_cast<double>(rng() >> 11) * 0x1p-53); };
    RecordBatch batch;
    for (int i = 0; i < n; ++i) {
        RequestRecord r;
        r.request = static_cast<std::uint32_t>(i);
        r.outcome = i % 500 == 0 ? Outcome::ServerError : Outcome::Completed;
        r.httpStatus = r.outcome == Outcome::Completed ? 200 : 500;
        r.intended = fromSeconds(300.0 * i / n);
        r.sent = r.intended + std::chrono::microseconds(20);
        const double ttftMs = 20 + 5 * point.load.value * exponential();
        r.headers = r.firstEvent = r.firstToken = r.firstAnswerToken = r.sent + fromMs(ttftMs);
        r.lastToken = r.closed = r.firstToken + fromMs(280);
        r.promptTokensPlanned = r.promptTokens = 512;
        r.outputTokensCap = r.outputTokens = 8;
        r.tokenEvents = 8;
        r.firstEventTokens = 1;
        r.chunkBegin = static_cast<std::uint32_t>(batch.chunks.size());
        r.chunkCount = 8;
        for (int k = 0; k < 8; ++k)
            batch.chunks.push_back(
                {static_cast<std::uint32_t>((ttftMs + 40 * k) * 1000), 1, ChunkRecord::Answer});
        batch.records.push_back(r);
    }
    return batch;
}

int fail(const Error& error)
{
    std::fprintf(stderr, "%s\n", error.line().c_str());
    return 1;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_reevaluation DIR [RECORDS]\n");
        return 2;
    }
    const std::string folder = argv[1];
    const int records = argc > 2 ? std::atoi(argv[2]) : 1'000'000;
    Matrix matrix;
    matrix.name = "a million";
    matrix.tests.resize(1);
    matrix.measurement.warmupS = 5;
    matrix.measurement.durationS = 290;
    const Result<Plan> plan = expand(matrix);
    if (!plan)
        return fail(plan.error());
    Result<Store> store = Store::open(folder + "/runs.sqlite");
    if (!store)
        return fail(store.error());
    const Result<RunId> run =
        store.value().createRun(matrix.name, plan.value(), RunCard(), nlohmann::json::object());
    if (!run)
        return fail(run.error());
    for (const PointPlan& point : plan.value().points) {
        PointFacts facts;
        facts.endedS = 301;
        const RecordBatch batch = recordsOf(point, records / static_cast<int>(plan.value().points.size()));
        for (const Status& status : {store.value().startPoint(run.value(), point, "2026-01-01T00:00:00Z"),
                                     store.value().appendRecords(run.value(), point.index, batch),
                                     store.value().finishPoint(run.value(), point.index, facts)})
            if (!status)
                return fail(status.error());
    }
    if (const Status status = store.value().finishRun(run.value(), RunState::Done); !status)
        return fail(status.error());

    std::int64_t clock = bench::nowNs();
    const Result<RunResults> results = loadResults(store.value(), run.value(), {{"ttft_ms", 99, 1000}});
    if (!results)
        return fail(results.error());
    std::printf("read, summarised and evaluated from the store: %.0f ms\n", lap(clock));

    for (const char* what : {"the same, and digests made and kept", "from the digests", "from the digests again"}) {
        if (const Result<RunResults> r = reevaluateRun(store.value(), run.value(), {{"ttft_ms", 99, 1000}}); !r)
            return fail(r.error());
        std::printf("%s: %.0f ms\n", what, lap(clock));
    }

    Reevaluation again(matrix.measurement.failureDenominator);
    double readMs = 0, addMs = 0;
    for (std::size_t i = 0; i < results.value().points.size(); ++i) {
        const StoredPoint& point = results.value().run.points[i];
        Result<RecordBatch> batch = store.value().loadRecords(run.value(), point.point.index);
        if (!batch)
            return fail(batch.error());
        readMs += lap(clock);
        again.add(results.value().points[i], std::make_shared<const RecordBatch>(std::move(batch).value()),
                  point.facts);
        addMs += lap(clock);
    }
    std::printf("records read again: %.0f ms; columns made: %.0f ms\n", readMs, addMs);
    again.operatingPoints({{"ttft_ms", 99, 1000}});
    std::printf("first SLO on a metric (values, sorting, bootstrap): %.1f ms\n", lap(clock));
    constexpr int kDrags = 50;
    for (int i = 0; i < kDrags; ++i)
        again.operatingPoints({{"ttft_ms", 99, 900.0 + i}});
    std::printf("another limit: %.2f ms\n", lap(clock) / kDrags);
    const std::vector<OperatingPoint> ops = again.operatingPoints({{"ttft_ms", 90, 900}});
    std::printf("another percentile: %.1f ms\n%s\n", lap(clock), ops.front().sentence.c_str());

    std::ofstream csv(folder + "/records.csv");
    const Status written = writeRecordsCsv(results.value(), store.value(), csv);
    return written ? 0 : fail(written.error());
}
