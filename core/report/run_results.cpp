// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/run_results.h"

#include "analysis/foreign_summary.h"
#include "analysis/metrics.h"
#include "analysis/reevaluation.h"
#include "analysis/summarize.h"
#include "report/kept_digest.h"

#include <algorithm>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace tailmark {

namespace {

/// A point that was cut off with its process has no facts; it ended with what was last stored of it.
PointFacts factsOf(const StoredPoint& point, const RecordBatch& batch)
{
    PointFacts facts = point.facts;
    if (point.finished)
        return facts;
    Nanoseconds last{1};
    for (const RequestRecord& r : batch.records)
        last = std::max({last, r.intended, endTime(r)});
    facts.endedS = toSeconds(last);
    facts.endedBy = "error";
    return facts;
}

/// Reads the records of the next point while those of one are summarised. Only its reading uses the store meanwhile.
class ReadAhead
{
public:
    ReadAhead(const Store& store, const StoredRun& run) : m_store(store), m_run(run.info.id)
    {
        for (const StoredPoint& point : run.points)
            m_points.push_back(point.point.index);
    }

    Result<std::shared_ptr<const RecordBatch>> take(PointIndex point)
    {
        if (!m_next.valid() || m_reading != point)
            begin(point);
        Result<RecordBatch> batch = m_next.get();
        if (!batch)
            return batch.error();
        const auto here = std::find(m_points.begin(), m_points.end(), point);
        if (here != m_points.end() && here + 1 != m_points.end())
            begin(*(here + 1));
        return std::make_shared<const RecordBatch>(std::move(batch).value());
    }

private:
    void begin(PointIndex point)
    {
        if (m_next.valid())
            m_next.wait();
        m_reading = point;
        m_next = std::async(std::launch::async, [this, point] { return m_store.loadRecords(m_run, point); });
    }

    const Store& m_store;
    RunId m_run;
    std::vector<PointIndex> m_points;
    PointIndex m_reading;
    std::future<Result<RecordBatch>> m_next;
};

/// What is left to do for one point once its data was read.
using Work = std::function<PointSummary()>;

/// Of the points in their order; their work is done beside each other, on as many threads as there are cores.
Result<RunResults> resultsOf(StoredRun run, const Slo& slo,
                             const std::function<Result<Work>(const StoredPoint&)>& workOf)
{
    RunResults results;
    results.run = std::move(run);
    results.slo = slo;
    std::deque<std::future<PointSummary>> summaries;
    const auto takeAllBut = [&](std::size_t unfinished) {
        for (; summaries.size() > unfinished; summaries.pop_front())
            results.points.push_back(summaries.front().get());
    };
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    for (const StoredPoint& point : results.run.points) {
        if (!point.finished && results.run.info.state == RunState::Running)
            continue; // still being measured
        if (point.facts.foreign) {
            takeAllBut(0);
            results.points.push_back(summarizeForeign(point.point, slo, *point.facts.foreign));
            continue;
        }
        Result<Work> work = workOf(point);
        if (!work)
            return work.error();
        takeAllBut(cores - 1);
        summaries.push_back(std::async(std::launch::async, std::move(work).value()));
    }
    takeAllBut(0);
    for (const Curve& curve : makeCurves(results.points, results.slo))
        results.operatingPoints.push_back(findOperatingPoint(curve));
    return results;
}

/// Keeps digests that were missing, if it can be done: who only wants to know must not fail for it. Any thread.
class Keeper
{
public:
    explicit Keeper(const Store& store) : m_read(store) {}
    void keep(RunId run, const PointSummary& summary, const RecordBatch& records, const PointFacts& facts)
    {
        const std::lock_guard lock(m_mutex);
        if (!m_tried && m_read.checkInPlace()) {
            if (Result<Store> opened = Store::open(m_read.path()); opened && m_read.checkInPlace())
                m_write.emplace(std::move(opened).value());
        }
        m_tried = true;
        if (m_write && !keepDigest(*m_write, run, summary, records, facts))
            m_write.reset();
    }

private:
    const Store& m_read;
    std::mutex m_mutex;
    std::optional<Store> m_write;
    bool m_tried = false;
};

} // namespace

Result<RunResults> summarizeRun(StoredRun run, const Slo& slo, const RecordsSource& recordsOf)
{
    const FailureDenominator denominator = run.plan.matrix.measurement.failureDenominator;
    return resultsOf(std::move(run), slo, [&](const StoredPoint& point) -> Result<Work> {
        auto records = recordsOf(point);
        if (!records)
            return records.error();
        return Work([&slo, &point, denominator, batch = std::move(records).value()] {
            return summarize(point.point, slo, denominator, *batch, factsOf(point, *batch));
        });
    });
}

Result<RunResults> loadResults(const Store& store, RunId run, const Slo& slo)
{
    Result<StoredRun> stored = store.loadRun(run);
    if (!stored)
        return stored.error();
    const Slo wanted = slo.empty() ? stored.value().plan.matrix.slo : slo;
    ReadAhead records(store, stored.value());
    return summarizeRun(std::move(stored).value(), wanted,
                        [&](const StoredPoint& point) { return records.take(point.point.index); });
}

Result<RunResults> reevaluateRun(const Store& store, RunId run, const Slo& slo)
{
    Result<StoredRun> stored = store.loadRun(run);
    if (!stored)
        return stored.error();
    const Slo own = stored.value().plan.matrix.slo;
    const Slo wanted = slo.empty() ? own : slo;
    if (!PointDigest::answers(wanted))
        return loadResults(store, run, wanted);
    const FailureDenominator denominator = stored.value().plan.matrix.measurement.failureDenominator;
    Keeper keeper(store);
    return resultsOf(std::move(stored).value(), wanted, [&](const StoredPoint& point) -> Result<Work> {
        if (point.finished)
            if (auto kept = readDigest(store, run, point.point, wanted))
                return Work([&wanted, denominator, digest = std::make_shared<KeptDigest>(std::move(*kept))] {
                    digest->requests.evaluate(wanted, denominator, digest->summary);
                    return std::move(digest->summary);
                });
        Result<RecordBatch> read = store.loadRecords(run, point.point.index);
        if (!read)
            return read.error();
        auto records = std::make_shared<const RecordBatch>(std::move(read).value());
        if (!point.finished)
            return Work([&, records] {
                return summarize(point.point, wanted, denominator, *records, factsOf(point, *records));
            });
        return Work([&, denominator, records] {
            const PointSummary summary = summarize(point.point, own, denominator, *records, point.facts);
            keeper.keep(run, summary, *records, point.facts);
            Reevaluation again(denominator);
            again.add(summary, records, point.facts);
            return again.under(wanted).front();
        });
    });
}

LengthErrors promptErrorsOf(const RunResults& results)
{
    LengthErrors errors;
    for (const PointSummary& point : results.points)
        addErrors(errors, point.promptErrors);
    return errors;
}

CacheState cacheOf(const RunResults& results)
{
    if (!results.run.info.foreign.empty()) {
        CacheState untold;
        untold.text = "not told by " + toolTitle(results.run.info.foreign) + "'s file";
        return untold;
    }
    std::vector<CacheState> states;
    for (const PointSummary& point : results.points)
        states.push_back(point.cache);
    return pooled(states);
}

PrefixSharing sharingOf(const RunResults& results)
{
    std::vector<PrefixSharing> points;
    for (const PointSummary& point : results.points)
        points.push_back(point.sharing);
    return pooled(points);
}

RunFacts factsOf(const RunResults& results)
{
    RunFacts facts{results.run.plan.matrix, results.run.card};
    facts.matrixUnknown = !results.run.info.foreign.empty();
    const nlohmann::json::json_pointer ofRows("/requests/extras_of_rows"); // see run/request_hash.h
    if (const nlohmann::json& environment = results.run.environment; environment.contains(ofRows))
        for (const auto& [field, rows] : environment.at(ofRows).items())
            facts.extrasOfRows += (facts.extrasOfRows.empty() ? "" : ", ") + field + " in " + rows.dump();
    return facts;
}

RunResults countedAs(const RunResults& results, std::string_view tool)
{
    RunResults counted{results.run, results.slo, {}, {}, std::string(tool)};
    for (const PointSummary& point : results.points) {
        const auto peer = std::ranges::find(point.asOthersCount, tool, &PeerFigures::tool);
        if (peer != point.asOthersCount.end())
            counted.points.push_back(tailmark::countedAs(point, results.slo, *peer));
    }
    for (const Curve& curve : makeCurves(counted.points, counted.slo))
        counted.operatingPoints.push_back(findOperatingPoint(curve));
    return counted;
}

BoundFigures boundFiguresOf(const RunResults& results)
{
    return boundFigures(results.run.plan.matrix.bound, results.run.card);
}

} // namespace tailmark
