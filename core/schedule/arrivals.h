// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "plan/plan.h"

#include <cstdint>
#include <vector>

namespace tailmark {

struct Arrival
{
    Nanoseconds intended{0}; ///< since the start of the point
    std::uint8_t phase = 0;  ///< index into PointPlan::phases
    bool operator==(const Arrival&) const = default;
};

/// The intended start of every request of an open-loop point: phases one after another, each with its rate,
/// all from one seed. Constant: evenly spaced. Poisson: exponential gaps. Gamma: gamma gaps with the stated
/// CV (1 = Poisson). A renewal process in operational time, so a change of rate between phases neither adds
/// nor loses an arrival. At most `maxRequests` of the point where it is not 0. Pure.
std::vector<Arrival> makeArrivals(const PointPlan& point);

/// Think time before request `request` of a closed-loop point (constant, or exponential with the stated
/// mean); none before the first request of each worker, which are the first `concurrency` ones. Pure.
Nanoseconds thinkTime(const PointPlan& point, std::uint32_t request);

} // namespace tailmark
