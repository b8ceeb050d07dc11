// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tailmark {

/// What a log tells of the times of its requests; one entry a row, in the order of its rows.
struct RecordedTimes
{
    std::vector<Nanoseconds> arrivals;   ///< since the first, never falling; empty: told on no common clock
    std::vector<Nanoseconds> thinkTimes; ///< of the rows that tell one
    double meanThinkTimeS = 0;
    std::optional<Nanoseconds> grid;     ///< step of the clock that had stamped the arrivals, before they were
                                         ///< spread inside it
    std::uint64_t sampledEvery = 1;      ///< above 1: arrivals are one in so many of the log's
};

} // namespace tailmark
