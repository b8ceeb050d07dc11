// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/generator_threads.h"

#include <algorithm>
#include <cmath>

#include <sched.h>

namespace tailmark {

namespace {

constexpr double kChunksPerStream = 50;     // per second
constexpr double kChunksPerThread = 60'000; // per second

} // namespace

double expectedChunksPerS(const PointPlan& point, double meanOutputTokens)
{
    if (!point.openLoop())
        return point.concurrency * kChunksPerStream;
    double rate = 0;
    for (const Phase& phase : point.phases)
        rate = std::max(rate, phase.ratePerS);
    return rate * meanOutputTokens;
}

int threadsForChunks(double chunksPerS, int cores)
{
    const double wanted = std::ceil(chunksPerS / kChunksPerThread);
    return static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(std::max(cores, 1))));
}

int usableCores()
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

} // namespace tailmark
