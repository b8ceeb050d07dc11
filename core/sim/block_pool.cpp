// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/block_pool.h"

namespace tailmark::sim {

BlockPool::BlockPool(int blocks, bool prefixCache)
    : m_blocks(static_cast<std::size_t>(blocks)), m_prefixCache(prefixCache)
{
    for (BlockId block = 0; block < blocks; ++block)
        pushFree(block);
}

std::vector<BlockId> BlockPool::findPrefix(std::span<const BlockHash> hashes) const
{
    std::vector<BlockId> found;
    if (!m_prefixCache)
        return found;
    for (const BlockHash hash : hashes) {
        const auto it = m_cached.find(hash);
        if (it == m_cached.end())
            break;
        found.push_back(it->second);
    }
    return found;
}

int BlockPool::freeAmong(std::span<const BlockId> blocks) const
{
    int count = 0;
    for (const BlockId block : blocks)
        count += m_blocks[block].users == 0;
    return count;
}

void BlockPool::share(std::span<const BlockId> blocks)
{
    for (const BlockId block : blocks)
        if (m_blocks[block].users++ == 0)
            removeFree(block);
}

void BlockPool::take(int count, std::vector<BlockId>& out)
{
    for (; count > 0; --count) {
        const BlockId block = m_freeHead;
        removeFree(block);
        forget(block);
        m_blocks[block].users = 1;
        out.push_back(block);
    }
}

void BlockPool::setHash(BlockId id, BlockHash hash)
{
    if (!m_prefixCache)
        return;
    Block& block = m_blocks[id];
    block.hash = hash;
    block.cached = true;
    const auto [it, isNew] = m_cached.try_emplace(hash, id);
    if (isNew)
        return;
    // A block with this content exists (two requests computed it side by side, or the last block of a fully
    // cached prompt was computed again). Each stays until it is evicted; the older one is found first.
    Block& first = m_blocks[it->second];
    block.previousTwin = it->second;
    block.nextTwin = first.nextTwin;
    if (first.nextTwin != kNone)
        m_blocks[first.nextTwin].previousTwin = id;
    first.nextTwin = id;
}

void BlockPool::release(std::span<const BlockId> blocks)
{
    for (auto it = blocks.rbegin(); it != blocks.rend(); ++it)
        if (--m_blocks[*it].users == 0)
            pushFree(*it);
}

bool BlockPool::forgetAll()
{
    if (m_free != total())
        return false;
    for (BlockId block = 0; block < total(); ++block)
        forget(block);
    return true;
}

void BlockPool::pushFree(BlockId id)
{
    Block& block = m_blocks[id];
    block.previousFree = m_freeTail;
    block.nextFree = kNone;
    (m_freeTail == kNone ? m_freeHead : m_blocks[m_freeTail].nextFree) = id;
    m_freeTail = id;
    ++m_free;
}

void BlockPool::removeFree(BlockId id)
{
    Block& block = m_blocks[id];
    (block.previousFree == kNone ? m_freeHead : m_blocks[block.previousFree].nextFree) = block.nextFree;
    (block.nextFree == kNone ? m_freeTail : m_blocks[block.nextFree].previousFree) = block.previousFree;
    block.previousFree = block.nextFree = kNone;
    --m_free;
}

void BlockPool::forget(BlockId id)
{
    Block& block = m_blocks[id];
    if (!block.cached)
        return;
    if (block.previousTwin != kNone)
        m_blocks[block.previousTwin].nextTwin = block.nextTwin;
    else if (block.nextTwin != kNone)
        m_cached[block.hash] = block.nextTwin;
    else
        m_cached.erase(block.hash);
    if (block.nextTwin != kNone)
        m_blocks[block.nextTwin].previousTwin = block.previousTwin;
    block.previousTwin = block.nextTwin = kNone;
    block.cached = false;
}

} // namespace tailmark::sim
