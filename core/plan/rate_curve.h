// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"

#include <cstdint>
#include <vector>

namespace tailmark {

/// A stretch of an open-loop point in which the rate changes evenly from one value to another.
struct RateSegment
{
    double durationS = 0;
    double fromPerS = 0, toPerS = 0;
    std::uint8_t phase = 0; ///< index into PointPlan::phases

    double requests() const { return (fromPerS + toPerS) / 2 * durationS; }
};

/// The rate of an open-loop point over its time: its phases one after another, each times the shape. The shape's
/// clock starts with the window; its first factor holds through the warm-up before, its last one to the end. Pure.
std::vector<RateSegment> rateSegments(const PointPlan& point);

/// How many requests an open-loop point expects between two moments, in seconds since its start. Pure.
double requestsBetween(const PointPlan& point, double startS, double endS);

/// The mean of a shape's factors over `durationS` from its start; 1 without a shape.
double meanFactor(const std::vector<RateFactor>& shape, double durationS);

} // namespace tailmark
