// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"

namespace tailmark {

/// Chunks per second that a generator has to take in during a point, before anything is known of the target:
/// in a closed loop each worker's stream gives 50 a second, in an open loop every token of the highest rate
/// is a chunk. `meanOutputTokens`: of the point's lengths.
double expectedChunksPerS(const PointPlan& point, double meanOutputTokens);

/// Threads for so many chunks per second. One takes about 60,000 with its core less than half used up by
/// them; at 100,000 it uses 0.87 of it, more than may be believed. Never more than `cores`.
int threadsForChunks(double chunksPerS, int cores);

/// Cores that this process may use.
int usableCores();

} // namespace tailmark
