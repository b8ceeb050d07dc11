// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"

#include <cstddef>
#include <cstdint>

namespace tailmark {

/// Which part of a mix a request is of; 0 where the lengths are no mix. A pure function of the parts' weights, the
/// point's seed of lengths and the request, so that whoever draws the lengths, writes the prompt and judges what
/// was realised mean the same part.
std::size_t partOf(const Lengths& lengths, std::uint64_t seed, std::uint32_t request);

/// The prefix that holds for a request of the point: that of its part of a mix, else the workload's.
const Prefix& prefixOf(const PointPlan& point, std::uint32_t request);

} // namespace tailmark
