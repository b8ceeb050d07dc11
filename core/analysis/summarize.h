// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"
#include "plan/matrix.h"
#include "plan/plan.h"
#include "record/point_facts.h"
#include "record/request_record.h"

#include <optional>
#include <vector>

namespace tailmark {

/// Records -> summary. Pure; any thread. The window is [warm-up, warm-up + duration), cut where the point ended; a request
/// belongs to it by its intended time, tokens and completions by when they arrived.
PointSummary summarize(const PointPlan& point, const Slo& slo, FailureDenominator denominator,
                       const RecordBatch& batch, const PointFacts& facts);

/// Does this request meet every Request-scope limit (and succeed)? The one definition behind goodput and `meets_slo`.
bool meetsSlo(const RequestRecord& record, std::span<const ChunkRecord> chunks, const Slo& slo);
bool inWindow(const RequestRecord& record, const Window& window);

/// A point of a timeline: one per `binS` seconds since the start of the point.
struct TimelineBin
{
    double startS = 0;
    double offeredPerS = 0, sentPerS = 0, acceptedPerS = 0, completedPerS = 0, failedPerS = 0, outputTokensPerS = 0;
    double inFlight = 0; ///< at the end of the bin: sent and not yet ended
    double backlog = 0;  ///< at the end of the bin: intended and not yet ended
};
std::vector<TimelineBin> timeline(const RecordBatch& batch, double binS);

} // namespace tailmark
