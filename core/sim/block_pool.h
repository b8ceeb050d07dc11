// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tailmark::sim {

/// Identifies the tokens of a full KV block and of all blocks before it (a chained hash).
using BlockHash = std::uint64_t;
using BlockId = std::int32_t;

/// The KV blocks of an engine and the prefix cache over them, as vLLM V1 keeps them: a freed block keeps its
/// content and its hash at the tail of a free queue; it is taken back by a request with the same prefix, or
/// evicted when a new block is taken from the head (least recently freed first). Pure; one thread.
class BlockPool
{
public:
    BlockPool(int blocks, bool prefixCache);

    int total() const { return static_cast<int>(m_blocks.size()); }
    int free() const { return m_free; }

    /// The blocks that hold the longest cached prefix of `hashes`, none of them taken yet.
    std::vector<BlockId> findPrefix(std::span<const BlockHash> hashes) const;
    /// How many of `blocks` are in the free queue, that is, would count against free() when shared.
    int freeAmong(std::span<const BlockId> blocks) const;

    /// Adds a user to each of `blocks`, found by findPrefix.
    void share(std::span<const BlockId> blocks);
    /// Takes `count` blocks (at most free()) for one user and appends them to `out`. What they held is
    /// forgotten.
    void take(int count, std::vector<BlockId>& out);
    /// Tells that the block, taken and without a hash, now holds the tokens of `hash`.
    void setHash(BlockId block, BlockHash hash);
    /// Removes a user from each block, from the last to the first, so that prefixes outlive suffixes.
    void release(std::span<const BlockId> blocks);

    /// Forgets all content; only while no block is in use, else does nothing and returns false.
    bool forgetAll();

private:
    static constexpr BlockId kNone = -1;
    struct Block
    {
        BlockHash hash = 0;
        BlockId previousFree = kNone;
        BlockId nextFree = kNone;
        BlockId previousTwin = kNone; ///< another block with the same hash
        BlockId nextTwin = kNone;
        int users = 0;
        bool cached = false;
    };

    void pushFree(BlockId block);
    void removeFree(BlockId block);
    void forget(BlockId block);

    std::vector<Block> m_blocks;
    std::unordered_map<BlockHash, BlockId> m_cached; ///< first of the blocks with this hash
    BlockId m_freeHead = kNone;
    BlockId m_freeTail = kNone;
    int m_free = 0;
    bool m_prefixCache;
};

} // namespace tailmark::sim
