// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/store_worker.h"

#include "analysis/operating_point.h"
#include "report/report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace tailmark::ui {

namespace {

/// The open run, and those that are compared.
constexpr std::size_t kCachedRuns = 7;

std::ptrdiff_t runningOf(const std::vector<RunInfo>& runs)
{
    return std::ranges::count(runs, RunState::Running, &RunInfo::state);
}

} // namespace

StoreWorker::StoreWorker(std::string path) : m_path(std::move(path)) {}

Result<Store*> StoreWorker::store()
{
    if (m_store && !m_store->checkInPlace()) {
        m_store.reset();
        m_cache.clear();
        m_seenVersion = 0;
        m_replaced = true;
    }
    if (!m_store) {
        auto opened = Store::open(m_path);
        if (!opened) { // runs that can only be read are better than none
            auto readable = Store::open(m_path, Store::Mode::ReadOnly);
            if (!readable)
                return opened.error();
            opened = std::move(readable);
        }
        m_store.emplace(std::move(opened).value());
    }
    return &*m_store;
}

Result<Library> StoreWorker::library()
{
    auto open = store();
    if (!open)
        return open.error();
    auto runs = open.value()->listRuns();
    m_running = runs ? runningOf(runs.value()) : 0;
    if (!runs)
        return runs.error();
    auto baselines = open.value()->baselines();
    if (!baselines)
        return baselines.error();
    return Library{std::move(runs).value(), std::move(baselines).value()};
}

StoreWorker::CachedRun& StoreWorker::cached(RunId run)
{
    const auto found =
        std::find_if(m_cache.begin(), m_cache.end(), [&](const CachedRun& c) { return c.id == run; });
    if (found != m_cache.end()) {
        m_cache.splice(m_cache.begin(), m_cache, found);
    } else {
        m_cache.push_front({run, {}, nullptr, nullptr});
        if (m_cache.size() > kCachedRuns)
            m_cache.pop_back();
    }
    return m_cache.front();
}

Result<std::shared_ptr<const RunResults>> StoreWorker::results(RunId run, const std::optional<Slo>& slo)
{
    auto open = store();
    if (!open)
        return open.error();
    auto stored = open.value()->loadRun(run);
    if (!stored)
        return stored.error();
    const Slo wanted = slo.value_or(stored.value().plan.matrix.slo);
    CachedRun& cache = cached(run);
    if (auto again = evaluatedAgain(cache, stored.value(), wanted))
        return again;
    auto results = summarizeRun(std::move(stored).value(), wanted,
                                [&](const StoredPoint& point) -> Result<std::shared_ptr<const RecordBatch>> {
                                    auto& entry = cache.points[point.point.index];
                                    if (!entry) {
                                        auto batch = m_store->loadRecords(run, point.point.index);
                                        if (!batch)
                                            return batch.error();
                                        entry = std::make_shared<const RecordBatch>(std::move(batch).value());
                                    }
                                    return entry;
                                });
    if (!results)
        return results.error();
    auto made = std::make_shared<const RunResults>(std::move(results).value());
    cache.again.reset();
    cache.base = made->run.info.state == RunState::Running ? nullptr : made;
    return made;
}

/// The same run under another limit, from what is in memory: a line that is dragged asks many times a second.
/// Null where it has to be summarised anew: the run has changed, or the percentiles are others.
std::shared_ptr<const RunResults> StoreWorker::evaluatedAgain(CachedRun& cache, const StoredRun& run,
                                                              const Slo& slo)
{
    if (!cache.base || run.info.state != cache.base->run.info.state ||
        run.points.size() != cache.base->run.points.size())
        return nullptr;
    if (slo == cache.base->slo)
        return std::make_shared<const RunResults>(
            RunResults{run, slo, cache.base->points, cache.base->operatingPoints});
    for (const SloLimit& limit : slo)
        if (std::ranges::none_of(cache.base->slo, [&](const SloLimit& known) {
                return known.metric == limit.metric && known.percentile == limit.percentile;
            }))
            return nullptr;
    if (!cache.again) {
        const auto canBeHeld = [](const StoredPoint& point) {
            return point.finished && !point.facts.foreign; // not cut off, and with records
        };
        if (!std::ranges::all_of(run.points, canBeHeld))
            return nullptr;
        auto again = std::make_unique<Reevaluation>(run.plan.matrix.measurement.failureDenominator);
        for (std::size_t i = 0; i < run.points.size(); ++i)
            again->add(cache.base->points[i], cache.points.at(run.points[i].point.index), run.points[i].facts);
        cache.again = std::move(again);
    }
    auto results = std::make_shared<RunResults>(RunResults{run, slo, cache.again->under(slo), {}});
    for (const Curve& curve : makeCurves(results->points, slo))
        results->operatingPoints.push_back(findOperatingPoint(curve));
    return results;
}

Result<std::shared_ptr<const RecordBatch>> StoreWorker::records(RunId run, PointIndex point)
{
    auto open = store();
    if (!open)
        return open.error();
    CachedRun& cache = cached(run);
    if (const auto found = cache.points.find(point); found != cache.points.end() && found->second)
        return found->second;
    auto batch = open.value()->loadRecords(run, point, false); // of a point that goes on: nothing to keep
    if (!batch)
        return batch.error();
    return std::make_shared<const RecordBatch>(std::move(batch).value());
}

Result<QByteArray> StoreWorker::exported(RunId run, RunExport format, const std::optional<Slo>& slo)
{
    auto computed = results(run, slo);
    if (!computed)
        return computed.error();
    const RunResults& r = *computed.value();
    std::ostringstream out;
    switch (format) {
    case RunExport::PointsCsv:
        writePointsCsv(r, out);
        break;
    case RunExport::RecordsCsv:
        if (const Status written = writeRecordsCsv(r, *m_store, out); !written)
            return written.error();
        break;
    case RunExport::Json:
        out << resultToJson(r).dump(2) << '\n';
        break;
    case RunExport::Html:
        out << htmlReport(r);
        break;
    case RunExport::Markdown:
        out << markdownReport(r);
        break;
    }
    return QByteArray::fromStdString(out.str());
}

Status StoreWorker::change(const std::function<Status(Store&)>& write)
{
    auto open = store();
    if (!open)
        return open.error();
    if (m_replaced) // by now the run that was meant may be another one
        return Error{ErrorCode::Io, m_path, "nothing was changed, because the database is another one now"};
    return write(*open.value());
}

bool StoreWorker::hasNews()
{
    auto open = store();
    if (!open)
        return false;
    const auto version = open.value()->dataVersion();
    if (!version)
        return false;
    if (std::exchange(m_seenVersion, version.value()) != version.value())
        return true;
    if (m_running == 0)
        return false;
    const auto runs = open.value()->listRuns();
    return runs && runningOf(runs.value()) != m_running;
}

} // namespace tailmark::ui
