// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/fields.h"

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tailmark {

/// Numbers the blocks of a file from 0 in the order of first sight. Ids may be anything, up to 64-bit hashes;
/// the same id in two scopes (sessions with ids of their own) is two blocks. Eight neighbouring ids share an
/// entry.
class BlockNumbers
{
public:
    /// Most different groups of eight ids that are kept apart: some 300 MB.
    static constexpr std::size_t kMaxPages = 4'000'000;

    /// The runs of a row, numbered. False when the file has more different blocks than can be followed.
    bool number(std::uint64_t scope, std::span<const IdRun> ids, std::vector<BlockRun>& runs);

private:
    using Page = std::array<std::uint32_t, 8>; ///< number + 1; 0 = not seen
    struct Key
    {
        std::uint64_t scope, group;
        bool operator==(const Key&) const = default;
    };
    struct Hash
    {
        std::size_t operator()(const Key& key) const;
    };
    std::unordered_map<Key, Page, Hash> m_pages;
    Key m_lastKey{~std::uint64_t{0}, ~std::uint64_t{0}};
    Page* m_lastPage = nullptr;
    std::uint32_t m_next = 0;
};

} // namespace tailmark
