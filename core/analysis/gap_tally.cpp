// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/gap_tally.h"

#include "base/rng.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tailmark {

namespace {

std::vector<WeightedValue> merged(std::vector<WeightedValue> values)
{
    std::sort(values.begin(), values.end(),
              [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
    std::size_t kept = 0;
    for (const WeightedValue& v : values) {
        if (kept > 0 && values[kept - 1].value == v.value)
            values[kept - 1].weight += v.weight;
        else
            values[kept++] = v;
    }
    values.resize(kept);
    return values;
}

} // namespace

GapTally::GapTally() : m_slots(1024) {}

void GapTally::add(std::span<const ChunkRecord> chunks)
{
    const bool allKnown =
        std::all_of(chunks.begin(), chunks.end(), [](const ChunkRecord& c) { return c.tokens > 0; });
    constexpr std::uint32_t none = 0xffff'ffff;
    std::array<std::uint32_t, 256> last; // chunk of each choice
    last.fill(none);
    for (const ChunkRecord& chunk : chunks) {
        const std::uint32_t before =
            std::exchange(last[static_cast<std::size_t>(chunk.choice())], chunk.sinceSentUs);
        if (before != none)
            count(chunk.sinceSentUs > before ? chunk.sinceSentUs - before : 0,
                  allKnown ? chunk.tokens : std::uint16_t{0});
    }
}

void GapTally::count(std::uint32_t gapUs, std::uint16_t tokens)
{
    const std::uint64_t key = ((static_cast<std::uint64_t>(gapUs) << 16) | tokens) + 1;
    const std::size_t mask = m_slots.size() - 1;
    std::size_t i = mixBits(key) & mask;
    while (m_slots[i].key != key && m_slots[i].key != 0)
        i = (i + 1) & mask;
    m_slots[i].count += 1;
    if (m_slots[i].key == key)
        return;
    m_slots[i].key = key;
    if (++m_used * 2 > m_slots.size())
        grow();
}

void GapTally::grow()
{
    std::vector<Slot> old(m_slots.size() * 2);
    old.swap(m_slots);
    const std::size_t mask = m_slots.size() - 1;
    for (const Slot& slot : old) {
        if (slot.key == 0)
            continue;
        std::size_t i = mixBits(slot.key) & mask;
        while (m_slots[i].key != 0)
            i = (i + 1) & mask;
        m_slots[i] = slot;
    }
}

std::vector<WeightedValue> GapTally::gapsMs() const
{
    std::vector<WeightedValue> values;
    values.reserve(m_used);
    for (const Slot& slot : m_slots) {
        if (slot.key != 0)
            values.push_back({static_cast<double>((slot.key - 1) >> 16) / 1000, slot.count});
    }
    return merged(std::move(values));
}

std::vector<WeightedValue> GapTally::itlMs() const
{
    std::vector<WeightedValue> values;
    for (const Slot& slot : m_slots) {
        const std::uint64_t tokens = slot.key == 0 ? 0 : (slot.key - 1) & 0xffff;
        if (tokens > 0)
            values.push_back({static_cast<double>((slot.key - 1) >> 16) / 1000 / static_cast<double>(tokens),
                              slot.count * tokens});
    }
    return merged(std::move(values));
}

} // namespace tailmark
