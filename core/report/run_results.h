// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/bound.h"
#include "analysis/comparison.h"
#include "analysis/operating_point.h"
#include "base/result.h"
#include "store/store.h"

#include <functional>
#include <memory>
#include <vector>

namespace tailmark {

/// Everything that result file, pages and reports show of a stored run, under any SLO.
struct RunResults
{
    StoredRun run;
    Slo slo;
    std::vector<PointSummary> points;
    std::vector<OperatingPoint> operatingPoints;
    std::string countedAs = {}; ///< the tool whose definitions the figures follow; empty: those of whose run it is
};
/// Where the records of a stored point come from: the store, or memory.
using RecordsSource = std::function<Result<std::shared_ptr<const RecordBatch>>(const StoredPoint&)>;
/// Summarises a run under `slo`. Points that are still being measured are left out. The first error of `recordsOf`.
Result<RunResults> summarizeRun(StoredRun run, const Slo& slo, const RecordsSource& recordsOf);
/// Reads all records of a run and summarises them; `slo` = the matrix's own when empty.
Result<RunResults> loadResults(const Store& store, RunId run, const Slo& slo = {});
/// The same without reading the records of points whose digest is kept (kept_digest.h), but for the percentiles of
/// distributions, which are those of the matrix's own SLO. Digests that are missing are kept for the next time where the
/// file can be written. Limits of gaps between chunks, and of a point as a whole, need the records.
Result<RunResults> reevaluateRun(const Store& store, RunId run, const Slo& slo = {});

/// Of all points together.
LengthErrors promptErrorsOf(const RunResults& results);
CacheState cacheOf(const RunResults& results);
PrefixSharing sharingOf(const RunResults& results);
/// What a comparison looks at. Of a run of another tool nobody knows what the matrix would say.
RunFacts factsOf(const RunResults& results);
/// A run of ours by the definitions of another tool (analysis/peer_definitions.h), to be set beside one of that tool.
RunResults countedAs(const RunResults& results, std::string_view tool);
/// By the matrix and the card of the run.
BoundFigures boundFiguresOf(const RunResults& results);

} // namespace tailmark
