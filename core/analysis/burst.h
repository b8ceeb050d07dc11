// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/point_data.h"
#include "analysis/summary.h"

#include <optional>
#include <string>
#include <vector>

namespace tailmark {

/// The phases of a burst/recovery point inside its window; empty for other points.
std::vector<PhaseSummary> summarizePhases(const PointData& data);
/// Absent where the point ended before its burst was over.
std::optional<BurstSummary> summarizeBurst(const PointData& data, const std::vector<PhaseSummary>& phases);

/// What the burst did, in words.
std::string burstSentence(const BurstSummary& burst);

} // namespace tailmark
