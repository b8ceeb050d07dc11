// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <cstddef>
#include <vector>

namespace tailmark {

/// How many of a set of stays [from, to) are going on at a time: requests in flight, a backlog. Times
/// relative to the start of the point.
class LevelTrack
{
public:
    /// Nothing for a stay that ends before it begins.
    void add(Nanoseconds from, Nanoseconds to);
    /// Call once after the last add(), before asking.
    void finish();

    std::size_t at(Nanoseconds t) const;                 ///< stays with from ≤ t < to
    double mean(Nanoseconds from, Nanoseconds to) const; ///< time-weighted; 0 for an empty span

    struct Peak
    {
        std::size_t level = 0;
        Nanoseconds when{0}; ///< when it was first reached
    };
    Peak peak(Nanoseconds from, Nanoseconds to) const;
    /// The first time from `from` on, after which the level stays at or below `level` for `hold`; kAbsentTime
    /// where that does not happen before `until`.
    Nanoseconds settles(std::size_t level, Nanoseconds from, Nanoseconds hold, Nanoseconds until) const;

private:
    std::vector<Nanoseconds> m_from, m_to; ///< each ascending after finish()
};

} // namespace tailmark
