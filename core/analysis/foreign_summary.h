// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"
#include "record/foreign_figures.h"

namespace tailmark {

/// A point that another tool measured, by that tool's definitions: what its file tells, and nothing else. Its verdict
/// names that nothing of it could be checked ("foreign"); it is not valid, and so decides no operating point, where the
/// file does not tell whether it meets a limit of the SLO ("not_told").
PointSummary summarizeForeign(const PointPlan& point, const Slo& slo, const ForeignFigures& figures);

/// A point of ours as `figures.tool` counts it, to be set beside one of that tool: mean, p50 and p99 of its latencies.
PointSummary countedAs(const PointSummary& point, const Slo& slo, const PeerFigures& figures);

/// Code of the verdict where the file does not tell whether a level meets a limit; its text names what is not told.
inline constexpr const char* kNotTold = "not_told";

/// False of a point that another tool measured: neither to be believed nor not.
bool isChecked(const Verdict& verdict);

/// "vLLM", "SGLang", … of the ids in PeerFigures and ForeignFigures.
std::string toolTitle(std::string_view tool);

} // namespace tailmark
