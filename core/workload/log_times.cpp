// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/log_times.h"

#include "base/rng.h"

#include <algorithm>

namespace tailmark {

namespace {

constexpr std::uint64_t kSpreadSeed = 1;

void spread(std::vector<Nanoseconds>& arrivals, Nanoseconds tick)
{
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const double inTick = static_cast<double>(deriveSeed(kSpreadSeed, i) >> 11) * 0x1p-53;
        arrivals[i] += Nanoseconds(static_cast<std::int64_t>(inTick * static_cast<double>(tick.count())));
    }
    std::sort(arrivals.begin(), arrivals.end());
}

} // namespace

RecordedTimes timesOf(const Trace& trace)
{
    RecordedTimes times;
    times.sampledEvery = trace.sampledEvery;
    if (trace.timed()) {
        times.arrivals.assign(trace.rows.arrivals().begin(), trace.rows.arrivals().end());
        times.grid = trace.stats.arrivals->grid;
        if (times.grid)
            spread(times.arrivals, *times.grid);
        const Nanoseconds first = times.arrivals.front();
        for (Nanoseconds& arrival : times.arrivals)
            arrival -= first;
    }
    double sumS = 0;
    for (const TraceRow row : trace.rows) {
        if (!isPresent(row.thinkTime))
            continue;
        times.thinkTimes.push_back(row.thinkTime);
        sumS += toSeconds(row.thinkTime);
    }
    if (!times.thinkTimes.empty())
        times.meanThinkTimeS = sumS / static_cast<double>(times.thinkTimes.size());
    return times;
}

} // namespace tailmark
