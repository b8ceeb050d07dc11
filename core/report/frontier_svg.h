// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/bound.h"
#include "analysis/operating_point.h"
#include "report/document.h"

#include <span>

namespace tailmark {

/// The frontier of one sweep: output tok/s against the latency that the SLO limits (the headline's p99
/// without one), with intervals, the limit, the bracket and the crossing. Levels that may not be believed are
/// hollow. Where `bounds` has the bound of a level it stands at the height of that level, so that the distance to the
/// right is the headroom. Colours come from the page's style sheet (classes), so that one chart serves light and dark.
Figure frontierFigure(const Curve& curve, const OperatingPoint& op, std::span<const PointSummary> points,
                      std::span<const LevelBound> bounds = {});

struct NamedFrontier
{
    std::string name;
    const Curve* curve = nullptr;
    std::span<const PointSummary> points;
};
/// Several runs of one test over one another, under the SLO of the first; at least one.
Figure overlaidFrontiers(std::span<const NamedFrontier> frontiers);

} // namespace tailmark
