// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/run_results.h"

namespace tailmark {

// What is known of how the requests of a point ended: all of a run of ours, of another tool's what its file tells.

/// The figures that the file of another tool tells of a point; null of a point of ours.
const ForeignFigures* toldOf(const RunResults& results, const PointSummary& point);
/// Requests intended in the window that ended so; absent where it is not told.
std::optional<std::uint64_t> countOf(const RunResults& results, const PointSummary& point, Outcome outcome);
/// Those that did not complete, never sent or cut off included; absent where it is not told.
std::optional<std::uint64_t> failedOf(const RunResults& results, const PointSummary& point);

} // namespace tailmark
