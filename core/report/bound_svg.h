// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/bound.h"
#include "report/document.h"

#include <span>

namespace tailmark {

/// Output tok/s over the batch, both logarithmic: the lower bound of the hardware as a line, below it what the points of
/// the curve's test reached.
Figure boundFigure(const BoundCurve& curve, const BoundFigures& figures, std::span<const PointSummary> points);

} // namespace tailmark
