// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/point_data.h"
#include "analysis/summary.h"

#include <vector>

namespace tailmark {

/// The laws of contract §8 that apply to this point, with expected and observed values. `summary` has rates
/// and metrics.
std::vector<LawCheck> checkLaws(const PointData& data, const PointSummary& summary);

} // namespace tailmark
