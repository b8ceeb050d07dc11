// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/block_numbers.h"

#include "base/rng.h"

namespace tailmark {

std::size_t BlockNumbers::Hash::operator()(const Key& key) const
{
    return static_cast<std::size_t>(mixBits(key.group ^ mixBits(key.scope)));
}

bool BlockNumbers::number(std::uint64_t scope, std::span<const IdRun> ids, std::vector<BlockRun>& runs)
{
    runs.clear();
    for (const IdRun& run : ids) {
        for (std::uint64_t i = 0; i < run.count; ++i) {
            const std::uint64_t id = run.first + i;
            const Key key{scope, id / 8};
            if (key != m_lastKey || !m_lastPage) {
                if (m_pages.size() >= kMaxPages && !m_pages.contains(key))
                    return false;
                m_lastPage = &m_pages[key]; // entries of a node-based map stay where they are
                m_lastKey = key;
            }
            std::uint32_t& number = (*m_lastPage)[id % 8];
            if (number == 0)
                number = ++m_next;
            const std::uint32_t block = number - 1;
            if (!runs.empty() && runs.back().first + runs.back().count == block)
                ++runs.back().count;
            else
                runs.push_back({block, 1});
        }
    }
    return true;
}

} // namespace tailmark
