// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tailmark {

struct PointData;
struct ServerSummary;

enum class CacheStanding {
    NotStated,    ///< the cache was taken as it was: nothing is claimed
    Proved,       ///< what the engine told agrees with the claim
    Contradicted, ///< what the engine told does not
    Unverified,   ///< the engine told nothing
};
std::string_view cacheStandingId(CacheStanding standing); ///< "not_stated", "proved", "contradicted", "unverified"

/// The state of the engine's prefix cache that a point claims, and how the claim stands. Tokens are of the
/// successful requests in the window whose cached tokens are known.
struct CacheState
{
    CachePolicy stated = CachePolicy::AsIs;
    CacheStanding standing = CacheStanding::NotStated;
    std::string made; ///< what was done for it before the point; empty = nothing
    bool succeeded = false; ///< some request did, whatever was told of it
    std::uint64_t requests = 0;
    std::uint64_t promptTokens = 0;
    std::uint64_t cachedTokens = 0;
    std::uint64_t sharedTokens = 0; ///< of the prompts, in prefixes that they are planned to share: of groups, blocks of a log, turns
    /// Where no usage told cached tokens (`requests` is 0): by the server's own counters over the window, prompt tokens
    /// (or blocks) that the prefix cache was asked for, and those it had. 0 asked = not told.
    double counterQueries = 0, counterHits = 0;
    double plannedShare = 0; ///< with counters: of the prompt tokens, those that are planned to be shared
    std::string text;               ///< "cold, proved by cached tokens 0 of 51,200"
    bool operator==(const CacheState&) const = default;
};

/// Judges a point's claim by the cached tokens of its requests; where none tells any, by the share of hits that the
/// server's counters tell. Cold: no more may come from the cache than the
/// prompts share by plan, and what is the same in all of them. Warm: no more than that either, but most of
/// what they share by plan, up to one block of a prefix that caches keep in whole blocks only.
CacheState judgeCache(const PointData& data, const ServerSummary* server = nullptr);

/// The points of a run together: the sums, and the worst standing of any point that had requests to tell of.
CacheState pooled(std::span<const CacheState> points);

/// Without figures, so that it is the same for two runs under the same condition: "cold, proved".
std::string cacheEntryText(const CacheState& state);

} // namespace tailmark
