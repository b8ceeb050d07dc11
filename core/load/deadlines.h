// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tailmark {

/// One deadline for each transfer, in a packed array that is scanned now and then: setting one on every chunk
/// costs a store, where a timer of libcurl costs 700 instructions.
class Deadlines
{
public:
    static constexpr Nanoseconds kNone = Nanoseconds::max();

    void resize(std::size_t transfers) { m_at.resize(transfers, kNone); }
    void set(std::size_t transfer, Nanoseconds at) { m_at[transfer] = at; }
    void clear(std::size_t transfer) { m_at[transfer] = kNone; }

    /// Adds the transfers whose deadline has come to `expired`.
    void collect(Nanoseconds now, std::vector<std::size_t>& expired) const
    {
        for (std::size_t i = 0; i < m_at.size(); ++i)
            if (m_at[i] <= now)
                expired.push_back(i);
    }

private:
    std::vector<Nanoseconds> m_at;
};

} // namespace tailmark
