// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include <boost/random/mersenne_twister.hpp>

namespace tailmark {

/// The generator behind every seeded draw. Boost's engines and distributions give the same sequence on every
/// platform; the standard library's distributions do not.
using Rng = boost::random::mt19937_64;

/// SplitMix64's finaliser: turns a counter into 64 independent-looking bits. Pure.
constexpr std::uint64_t mixBits(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// A seed for one dimension (arrivals, lengths, prompts, order) of one point, so that changing how many draws
/// one dimension makes never shifts another.
constexpr std::uint64_t deriveSeed(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0)
{
    return mixBits(mixBits(seed ^ mixBits(a)) ^ mixBits(b + 0x5851f42d4c957f2dULL));
}

/// FNV-1a: a seed from a name, the same on every platform (unlike std::hash).
constexpr std::uint64_t hashText(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

} // namespace tailmark
