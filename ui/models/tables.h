// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/table_model.h"
#include "models/timeline_data.h"
#include "report/run_results.h"

#include <string>

namespace tailmark::ui {

// What the tables of the pages say, made of core's values. Every number has its unit in the column's head,
// its definition (from the metric catalogue) and its sample count in the tooltip, and the mark "weak" where
// it has too few samples.

/// One row a point, of one test or of all (empty): load, verdict, counts, rates beside the latencies they
/// were had at. Ids are point indices.
Table pointsTable(const RunResults& results, const std::string& test = {});
/// Why there is nothing of a test to show, in one line; empty when there is.
QString whyNoPoints(const RunResults& results, const std::string& test);
/// All distributions of one point.
Table metricsTable(const PointSummary& point);
Table outcomesTable(const PointSummary& point);
Table lawsTable(const PointSummary& point);
/// Limits of the SLO on one point.
Table constraintsTable(const PointSummary& point);
/// What the timeline chart draws.
Table timelineTable(const TimelineData& data);

/// "Valid" or the reasons, short, for a badge; and in full, with the figures.
QString verdictName(const Verdict& verdict);
QString verdictText(const Verdict& verdict);
Badge verdictBadge(const Verdict& verdict);

/// Requests that ended in failure: all outcomes but completed and cancelled.
std::uint64_t failuresOf(const std::array<std::uint64_t, kOutcomeCount>& outcomes);
/// "16 concurrent, repeat 2" – how a point is called in lists.
QString pointName(const PointPlan& point);

} // namespace tailmark::ui
