// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer_counts.h"
#include "workload/trace/trace_rows.h"
#include "workload/trace/trace_stats.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace tailmark {

/// Where every block stands in the order of last use, so that the number of others used since (the stack
/// distance of Mattson et al., 1970) costs little: a bit for each use that is still the last of its block,
/// and counts over spans of bits.
class UseOrder
{
public:
    static constexpr std::uint32_t kNever = 0xffff'ffff;

    std::uint32_t lastUse(std::uint32_t block) const
    {
        return block < m_lastUse.size() ? m_lastUse[block] : kNever;
    }
    /// How many different blocks were used after the use at `position`.
    std::uint64_t usedSince(std::uint32_t position) const;
    /// False where positions were renumbered on the way, so that those of before mean nothing.
    bool use(std::uint32_t block);
    std::uint64_t blocks() const { return m_live; }

private:
    static constexpr std::uint32_t kSpanBits = 4096;
    void compact();

    std::vector<std::uint32_t> m_lastUse; ///< per block
    std::vector<std::uint32_t> m_blockAt; ///< per position
    std::vector<std::uint64_t> m_isLast;  ///< a bit per position
    std::vector<std::uint32_t> m_inSpan;  ///< set bits per span
    std::uint32_t m_next = 0;
    std::uint64_t m_live = 0;
};

/// Measures prefix sharing request by request. Memory grows with the number of different blocks alone.
class PrefixAccumulator
{
public:
    /// Requests in order, with the chain of blocks of each.
    void add(Nanoseconds arrival, std::int32_t promptTokens, int blockSize, std::span<const BlockRun> chain);
    /// Absent where no request told its blocks. `withAges`: arrivals can be compared.
    std::optional<PrefixStats> stats(int blockSize, bool withAges) const;

private:
    UseOrder m_order;
    std::vector<std::uint32_t> m_lastMs; ///< per block: when it was last used
    std::optional<Nanoseconds> m_begin;
    IntegerCounts m_blockHits;  ///< by the least LRU capacity that serves them
    IntegerCounts m_tokenHits;  ///< likewise, tokens
    IntegerCounts m_perRequest; ///< hit share of the prompt in parts per 100,000
    IntegerCounts m_agesMs;     ///< of block hits
    std::uint64_t m_blocks = 0, m_tokens = 0, m_requests = 0, m_withHit = 0, m_fullyCached = 0, m_chains = 0;
};

} // namespace tailmark
