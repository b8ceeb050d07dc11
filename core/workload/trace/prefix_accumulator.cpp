// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/prefix_accumulator.h"

#include <algorithm>
#include <bit>

namespace tailmark {

std::uint64_t UseOrder::usedSince(std::uint32_t position) const
{
    const std::uint32_t from = position + 1;
    const std::uint32_t span = from / kSpanBits;
    std::uint64_t count = 0;
    // The rest of its own span bit by bit, the spans after it by their counts.
    const std::size_t spanEnd = std::min<std::size_t>((span + 1) * (kSpanBits / 64), m_isLast.size());
    for (std::size_t word = from / 64; word < spanEnd; ++word) {
        std::uint64_t bits = m_isLast[word];
        if (word == from / 64)
            bits &= ~std::uint64_t{0} << (from % 64);
        count += static_cast<std::uint64_t>(std::popcount(bits));
    }
    for (std::size_t i = span + 1; i < m_inSpan.size(); ++i)
        count += m_inSpan[i];
    return count;
}

bool UseOrder::use(std::uint32_t block)
{
    const bool full = m_next == m_blockAt.size();
    if (full)
        compact();
    if (block >= m_lastUse.size())
        m_lastUse.resize(block + block / 2 + 1024, kNever);
    std::uint32_t& last = m_lastUse[block];
    if (last == kNever) {
        ++m_live;
    } else {
        m_isLast[last / 64] &= ~(std::uint64_t{1} << (last % 64));
        --m_inSpan[last / kSpanBits];
    }
    last = m_next;
    m_blockAt[m_next] = block;
    m_isLast[m_next / 64] |= std::uint64_t{1} << (m_next % 64);
    ++m_inSpan[m_next / kSpanBits];
    ++m_next;
    return !full;
}

/// Positions anew, without those that are no longer anyone's last use, and room for as many again.
void UseOrder::compact()
{
    std::uint32_t kept = 0;
    for (std::uint32_t position = 0; position < m_next; ++position) {
        if (!(m_isLast[position / 64] >> (position % 64) & 1))
            continue;
        const std::uint32_t block = m_blockAt[position];
        m_blockAt[kept] = block;
        m_lastUse[block] = kept++;
    }
    m_next = kept;
    const std::size_t room = std::max<std::size_t>(kSpanBits * 16, std::size_t{kept} * 2);
    const std::size_t spans = room / kSpanBits + 1;
    m_blockAt.resize(spans * kSpanBits);
    m_isLast.assign(spans * kSpanBits / 64, 0);
    m_inSpan.assign(spans, 0);
    for (std::uint32_t position = 0; position < kept; ++position) {
        m_isLast[position / 64] |= std::uint64_t{1} << (position % 64);
        ++m_inSpan[position / kSpanBits];
    }
}

void PrefixAccumulator::add(Nanoseconds arrival, std::int32_t promptTokens, int blockSize,
                            std::span<const BlockRun> chain)
{
    ++m_requests;
    m_tokens += static_cast<std::uint64_t>(promptTokens);
    std::uint32_t nowMs = 0;
    if (isPresent(arrival)) {
        if (!m_begin)
            m_begin = arrival;
        const std::int64_t ms = (arrival - *m_begin).count() / 1'000'000;
        nowMs = static_cast<std::uint32_t>(std::clamp<std::int64_t>(ms, 0, 0xffff'fffe));
    }
    const std::int64_t prompt = promptTokens;
    std::int64_t blocks = 0, hits = 0, hitTokens = 0;
    bool leading = true;
    std::uint64_t capacity = 0; // the least that serves the leading run so far
    std::uint32_t expected =
        UseOrder::kNever; // last use of the block that was used next after the one before
    std::uint64_t distance = 0;
    for (const BlockRun& run : chain) {
        if (run.first + run.count > m_lastMs.size())
            m_lastMs.resize(run.first + run.count + (run.first + run.count) / 2);
        for (std::uint32_t block = run.first; block != run.first + run.count; ++block, ++blocks) {
            const std::uint32_t last = m_order.lastUse(block);
            leading = leading && last != UseOrder::kNever;
            if (leading) {
                // Blocks used one after the other have the same distance: the first moved to the front
                // meanwhile.
                if (last != expected)
                    distance = m_order.usedSince(last);
                expected = last + 1;
                capacity = std::max(capacity, distance + 1);
                const std::int64_t tokens = std::min<std::int64_t>((blocks + 1) * blockSize, prompt) -
                                            std::min<std::int64_t>(blocks * blockSize, prompt);
                m_blockHits.add(static_cast<std::int64_t>(capacity));
                m_tokenHits.add(static_cast<std::int64_t>(capacity), static_cast<std::uint64_t>(tokens));
                m_agesMs.add(nowMs >= m_lastMs[block] ? nowMs - m_lastMs[block] : 0);
                hitTokens += tokens;
                ++hits;
            }
            if (!m_order.use(block))
                expected = UseOrder::kNever;
            m_lastMs[block] = nowMs;
        }
    }
    m_blocks += static_cast<std::uint64_t>(blocks);
    m_chains += blocks > 0;
    m_withHit += hits > 0;
    m_fullyCached += blocks > 0 && hits == blocks;
    m_perRequest.add(prompt > 0 ? hitTokens * 100'000 / prompt : 0);
}

std::optional<PrefixStats> PrefixAccumulator::stats(int blockSize, bool withAges) const
{
    if (m_chains == 0)
        return std::nullopt;
    PrefixStats stats;
    stats.blockSize = blockSize;
    stats.blocks = m_blocks;
    stats.uniqueBlocks = m_order.blocks();
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
        return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
    };
    stats.blockHitRate = share(m_blockHits.total(), m_blocks);
    stats.tokenHitRate = share(m_tokenHits.total(), m_tokens);
    stats.requestsWithHit = share(m_withHit, m_requests);
    stats.requestsFullyCached = share(m_fullyCached, m_requests);
    stats.perRequestP50 = static_cast<double>(m_perRequest.quantile(50)) / 100'000;
    stats.perRequestP90 = static_cast<double>(m_perRequest.quantile(90)) / 100'000;
    for (const std::int64_t capacity : {100, 300, 1'000, 3'000, 5'000, 10'000, 30'000, 50'000, 100'000,
                                        300'000, 1'000'000, 3'000'000, 10'000'000}) {
        if (static_cast<std::uint64_t>(capacity) >= stats.uniqueBlocks)
            break;
        stats.capacities.push_back({capacity, share(m_blockHits.below(capacity + 1), m_blocks),
                                    share(m_tokenHits.below(capacity + 1), m_tokens)});
    }
    if (withAges && m_agesMs.total() > 0)
        for (const int seconds : {1, 10, 60, 600, 3'600})
            stats.ages.push_back(
                {seconds, share(m_agesMs.below(seconds * std::int64_t{1000} + 1), m_agesMs.total())});
    return stats;
}

} // namespace tailmark
