// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/point_data.h"
#include "analysis/summary.h"

namespace tailmark {

/// May this point be believed (contract §4)? `summary` has everything but the verdict.
Verdict judgePoint(const PointData& data, const PointSummary& summary);

/// The same of a point that was judged already, under another SLO: `summary` has the result of that SLO and the verdict
/// under the one before.
Verdict judgeUnder(const Slo& slo, const PointSummary& summary);

} // namespace tailmark
