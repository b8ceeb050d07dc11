// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/run_results.h"

#include "analysis/metrics.h"
#include "analysis/summarize.h"

#include <algorithm>
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

} // namespace

Result<RunResults> loadResults(const Store& store, RunId run, const Slo& slo)
{
    Result<StoredRun> stored = store.loadRun(run);
    if (!stored)
        return stored.error();
    RunResults results;
    results.run = std::move(stored).value();
    const Matrix& matrix = results.run.plan.matrix;
    results.slo = slo.empty() ? matrix.slo : slo;
    for (const StoredPoint& point : results.run.points) {
        if (!point.finished && results.run.info.state == RunState::Running)
            continue; // still being measured
        const Result<RecordBatch> batch = store.loadRecords(run, point.point.index);
        if (!batch)
            return batch.error();
        results.points.push_back(summarize(point.point, results.slo, matrix.measurement.failureDenominator,
                                           batch.value(), factsOf(point, batch.value())));
    }
    for (const Curve& curve : makeCurves(results.points, results.slo))
        results.operatingPoints.push_back(findOperatingPoint(curve));
    return results;
}

} // namespace tailmark
