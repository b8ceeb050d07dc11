// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/point_data.h"
#include "analysis/summary.h"

namespace tailmark {

/// May this point be believed (contract §4)? `summary` has everything but the verdict.
Verdict judgePoint(const PointData& data, const PointSummary& summary);

} // namespace tailmark
