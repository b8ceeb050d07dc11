// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

/// What holds for every input. It stops the process, in an optimised build too, so that the fuzzer keeps the
/// input and the replay fails.
#define FUZZ_CHECK(condition)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);              \
            std::abort();                                                                                    \
        }                                                                                                    \
    } while (false)

namespace tailmark::fuzz {

inline std::string_view textOf(const std::uint8_t* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

/// How an input is cut into network reads: pieces of 1 to `longest` bytes. Where depends on the input alone, so
/// that one that failed fails again; `turn` gives another way to cut the same bytes.
class Cuts
{
public:
    Cuts(std::string_view bytes, std::uint64_t turn, std::size_t longest) : m_longest(longest)
    {
        for (const char c : bytes) // FNV-1a
            m_state = (m_state ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
        m_state += turn * 0x9e3779b97f4a7c15ULL;
    }
    std::size_t next()
    {
        m_state = m_state * 6364136223846793005ULL + 1442695040888963407ULL;
        return 1 + (m_state >> 33) % m_longest;
    }

private:
    std::uint64_t m_state = 0xcbf29ce484222325ULL;
    std::size_t m_longest;
};

/// Calls `take(data, size)` for each piece, in a block of exactly its size, so that a memory checker sees a read
/// beyond its end.
template <typename Take> void cut(std::string_view bytes, Cuts cuts, Take take)
{
    while (!bytes.empty()) {
        const std::string_view piece = bytes.substr(0, cuts.next());
        const std::vector<char> block(piece.begin(), piece.end());
        take(block.data(), block.size());
        bytes.remove_prefix(piece.size());
    }
}

} // namespace tailmark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
