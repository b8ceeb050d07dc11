// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/distribution.h"
#include "record/request_record.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tailmark {

/// The gaps before the chunks of many requests, counted exactly. Gaps are whole microseconds and repeat, so a
/// count of each different (gap, tokens of the chunk) holds them all in far less room than a list, and needs
/// no sort of millions.
class GapTally
{
public:
    GapTally();

    /// The gaps of one request, of each of its choices for itself. Their tokens count only where those of
    /// every chunk are known.
    void add(std::span<const ChunkRecord> chunks);

    std::vector<WeightedValue> gapsMs() const; ///< each gap once
    std::vector<WeightedValue> itlMs() const;  ///< gap / tokens, as often as there are tokens

private:
    struct Slot
    {
        std::uint64_t key =
            0; ///< gap in µs, shifted by 16, and the tokens; plus one, so that 0 is a free slot
        std::uint64_t count = 0;
    };
    void count(std::uint32_t gapUs, std::uint16_t tokens);
    void grow();

    std::vector<Slot> m_slots; ///< open addressing; the size is a power of two
    std::size_t m_used = 0;
};

} // namespace tailmark
