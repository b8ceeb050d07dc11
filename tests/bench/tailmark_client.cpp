// SPDX-License-Identifier: GPL-3.0-or-later
// The load generator as a client of the benchmark: everything is recorded and handed over, as in a run. The
// thread that takes the records shares the core and has the lower priority, as the runner has.
#include "bench_common.h"

#include "load/load_generator.h"

#include <thread>

namespace tailmark::bench {

namespace {

class BenchSource final : public RequestSource
{
public:
    BenchSource(std::vector<std::int64_t> times, std::int32_t outputTokens)
        : m_times(std::move(times)), m_outputTokens(outputTokens)
    {
    }
    std::uint32_t count() const override { return static_cast<std::uint32_t>(m_times.size()); }
    PlannedRequest planned(std::uint32_t index) const override
    {
        PlannedRequest planned;
        if (index < m_times.size())
            planned.intended = Nanoseconds(m_times[index]);
        planned.promptTokens = 12;
        planned.outputTokens = m_outputTokens;
        return planned;
    }
    void writeBody(std::uint32_t index, std::string& body) const override { body = bodyOf(index); }

private:
    std::vector<std::int64_t> m_times;
    std::int32_t m_outputTokens;
};

/// Errors of the stamps against the server's log, in µs.
void addStampErrors(const RecordBatch& batch, const RequestRecord& record, Nanoseconds origin,
                    TruthLog& truth, std::vector<double>& errors)
{
    const auto chunks = batch.chunksOf(record);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const std::int64_t written = truth.at(record.request, static_cast<std::uint32_t>(i));
        const Nanoseconds measured = origin + record.sent + std::chrono::microseconds(chunks[i].sinceSentUs);
        if (written != 0)
            errors.push_back(static_cast<double>(measured.count() - written) / 1e3);
    }
}

} // namespace

int runTailmarkClient(const Arguments& arguments)
{
    raiseDescriptorLimit();
    pinTo(arguments.integer("cpu", 0));
    const double seconds = arguments.number("seconds", 2);
    const double rate = arguments.number("rate", 0);
    const int chunks = arguments.integer("chunks", 1);
    const std::string truthFile = arguments.text("truth");
    constexpr double warmUp = 0.3;

    Endpoint endpoint;
    endpoint.url =
        "http://127.0.0.1:" + std::to_string(arguments.integer("port", 0)) + arguments.text("path", "/one");
    GeneratorOptions options;
    options.threads = arguments.integer("threads", 1);
    LoadGenerator generator(endpoint, options);
    PointLoad load;
    load.source = std::make_shared<BenchSource>(
        rate > 0 ? poissonTimes(rate, seconds) : std::vector<std::int64_t>(), chunks);
    load.concurrency = rate > 0 ? 0 : arguments.integer("in-flight", 64);
    load.sendFor = fromSeconds(rate > 0 ? seconds : warmUp + seconds);
    load.drain = fromSeconds(10);
    if (const Status begun = generator.begin(load); !begun) {
        std::fprintf(stderr, "%s\n", begun.error().line().c_str());
        return 1;
    }
    const Nanoseconds origin = MonotonicClock().now() - generator.snapshot().elapsed;
    ::setpriority(PRIO_PROCESS, 0, 10); // this thread only
    const Nanoseconds from = rate > 0 ? Nanoseconds(0) : fromSeconds(warmUp);

    std::unique_ptr<TruthLog> truth = truthFile.empty() ? nullptr : std::make_unique<TruthLog>(truthFile);
    RecordBatch batch;
    std::vector<double> lags;
    std::vector<double> errors;
    double completedInside = 0;
    double chunksInside = 0;
    double tokens = 0;
    double completed = 0;
    double others = 0;
    double kernel = 0;
    double rss = 0;
    double cpu = 0;
    double cpuFrom = 0;
    const auto take = [&] {
        generator.takeRecords(batch);
        for (const RequestRecord& record : batch.records) {
            const bool done = record.outcome == Outcome::Completed;
            (done ? completed : others) += 1;
            completedInside += done && record.closed >= from && record.closed < load.sendFor;
            kernel += record.stamps == StampSource::Kernel;
            tokens += record.tokenEvents;
            for (const ChunkRecord& chunk : batch.chunksOf(record)) {
                const Nanoseconds at = record.sent + std::chrono::microseconds(chunk.sinceSentUs);
                chunksInside += at >= from && at < load.sendFor;
            }
            if (isPresent(record.sent))
                lags.push_back(toMs(record.sent - record.intended - record.connect));
            if (truth)
                addStampErrors(batch, record, origin, *truth, errors);
        }
        batch.clear();
    };
    while (!generator.finished()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const double elapsed = toSeconds(generator.snapshot().elapsed);
        if (elapsed >= toSeconds(from) && cpuFrom == 0) {
            cpuFrom = elapsed;
            cpu = cpuSeconds();
        }
        if (elapsed < toSeconds(load.sendFor)) {
            rss = std::max(rss, residentMb());
            if (cpuFrom > 0 && elapsed > cpuFrom)
                report("core_use", (cpuSeconds() - cpu) / (elapsed - cpuFrom)); // the last one counts
        }
        take();
    }
    take();
    const double window = toSeconds(load.sendFor - from);
    report("requests_per_s", completedInside / window);
    report("chunks_per_s", chunksInside / window);
    report("completed", completed);
    report("not_completed", others);
    report("lost_chunks", completed * chunks - tokens);
    report("kernel_share", completed + others > 0 ? kernel / (completed + others) : 0);
    report("rss_mb", rss);
    report("sent_per_s", static_cast<double>(lags.size()) / window);
    report("lag_p50_ms", quantile(lags, 0.5));
    report("lag_p99_ms", quantile(lags, 0.99));
    report("lag_max_ms", quantile(lags, 1));
    GeneratorHealth health = generator.health();
    report("generator_cores", health.cpuCores);
    report("run_delay_share", health.runDelayShare);
    report("queue_p50_ms", quantile(health.loopLagMs, 0.5));
    report("queue_p99_ms", quantile(health.loopLagMs, 0.99));
    report("coalesced", static_cast<double>(health.coalescedEvents));
    report("new_connections", static_cast<double>(health.newConnections));
    report("stale_connections", static_cast<double>(health.staleConnections));
    if (!errors.empty()) {
        report("error_p50_us", quantile(errors, 0.5));
        report("error_p99_us", quantile(errors, 0.99));
        report("error_max_us", quantile(errors, 1));
        report("errors", static_cast<double>(errors.size()));
    }
    return 0;
}

} // namespace tailmark::bench
