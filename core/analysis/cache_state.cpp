// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/cache_state.h"

#include "analysis/point_data.h"
#include "analysis/server_summary.h"
#include "analysis/text.h"
#include "plan/prefix_group.h"

#include <algorithm>
#include <array>

namespace tailmark {

namespace {

/// Of the prompt tokens, for what a plan does not foresee: a request that was preempted finds its own blocks.
constexpr double kTolerance = 0.05;
/// A chat template before the prompt is no longer than this where nobody measured it.
constexpr int kLongestTemplate = 96;
/// Engines keep blocks of 1 to 64 tokens; the last one of a prefix is shared only when it is full.
constexpr std::int64_t kLargestBlock = 64;
constexpr double kLeastOfShared = 0.9;

const char* stateWord(CachePolicy policy)
{
    static constexpr std::array<const char*, 3> words = {"cold", "warm", "as it was found"};
    return words[static_cast<std::size_t>(policy)];
}

/// Of the prompt, what is the shared prefix of its group.
std::int64_t tokensOfGroup(const PointPlan& point, const RequestRecord& r, int promptTokens)
{
    const std::uint32_t drawnFor =
        r.session == kUnknownCount ? r.request : static_cast<std::uint32_t>(r.session);
    const auto group = prefixGroup(point, drawnFor);
    return group ? std::min(group->tokens, promptTokens) : 0;
}

std::string countsText(const CacheState& s)
{
    std::string text = "cached tokens " + countText(s.cachedTokens) + " of " + countText(s.promptTokens);
    if (s.sharedTokens > 0)
        text += " (shared by plan: " + countText(s.sharedTokens) + ")";
    return text;
}

std::string countersText(const CacheState& s)
{
    std::string text = "prefix hits " + percentText(s.counterHits / s.counterQueries) + " by the server's counters";
    if (s.plannedShare > 0)
        text += " (shared by plan: " + percentText(s.plannedShare) + ")";
    return text;
}

/// Standing and words from the sums; `agrees` is asked where something was told and something is claimed.
template <typename Agrees> void settle(CacheState& s, Agrees&& agrees)
{
    const bool claimed = s.stated != CachePolicy::AsIs;
    const std::string state = stateWord(s.stated);
    if (s.requests == 0 && s.counterQueries <= 0) {
        s.standing = claimed ? CacheStanding::Unverified : CacheStanding::NotStated;
        s.text = state + (claimed ? ", unverified: " : ", ") +
                 (s.succeeded ? "the engine tells no cached tokens" : "no request succeeded");
        return;
    }
    const std::string evidence = s.requests > 0 ? countsText(s) : countersText(s);
    if (!claimed) {
        s.text = state + ", " + evidence;
    } else {
        s.standing = agrees() ? CacheStanding::Proved : CacheStanding::Contradicted;
        s.text = state + (s.standing == CacheStanding::Proved ? ", proved by " : ", contradicted by ") + evidence;
    }
}

/// What the requests of a point can have from the cache, in tokens.
struct Expected
{
    double prompts = 0;
    double shared = 0;    ///< by plan
    double leastWarm = 0; ///< what prefixes in whole blocks give
    double same = 0;      ///< what every prompt has

    void add(const PointData& data, const RequestRecord& r, int promptTokens)
    {
        prompts += promptTokens;
        same += data.facts.cache.overheadTokens.value_or(std::min(kLongestTemplate, promptTokens / 2));
        const std::int64_t ofGroup = tokensOfGroup(data.point, r, promptTokens);
        shared += static_cast<double>(std::max<std::int64_t>(ofGroup, std::min(r.cachedTokensPlanned, promptTokens)));
        leastWarm += static_cast<double>(std::max<std::int64_t>(0, ofGroup - kLargestBlock));
    }
    bool holds(CachePolicy stated, double cached) const
    {
        const bool tooMuch = cached > shared + same + kTolerance * prompts;
        const bool tooLittle = stated == CachePolicy::Warm && (cached <= 0 || cached < kLeastOfShared * leastWarm);
        return !tooMuch && !tooLittle;
    }
};

} // namespace

std::string_view cacheStandingId(CacheStanding standing)
{
    static constexpr std::array<std::string_view, 4> ids = {"not_stated", "proved", "contradicted", "unverified"};
    return ids[static_cast<std::size_t>(standing)];
}

CacheState judgeCache(const PointData& data, const ServerSummary* server)
{
    const CacheFacts& facts = data.facts.cache;
    CacheState s;
    s.stated = data.point.cache;
    s.made = facts.made;
    const bool anyTold = std::ranges::any_of(data.inWindow, [](const RequestRecord* r) {
        return r->outcome == Outcome::Completed && r->cachedTokens != kUnknownCount;
    });
    Expected told, sent;
    for (const RequestRecord* r : data.inWindow) {
        if (isPresent(r->sent) && std::max(r->promptTokens, r->promptTokensPlanned) > 0)
            sent.add(data, *r, r->promptTokens > 0 ? r->promptTokens : r->promptTokensPlanned);
        const bool isTold = r->cachedTokens != kUnknownCount || (anyTold && facts.absentIsZero);
        s.succeeded |= r->outcome == Outcome::Completed;
        if (r->outcome != Outcome::Completed || !isTold || r->promptTokens <= 0)
            continue;
        told.add(data, *r, r->promptTokens);
        ++s.requests;
        s.promptTokens += static_cast<std::uint64_t>(r->promptTokens);
        s.cachedTokens += static_cast<std::uint64_t>(std::max(0, r->cachedTokens));
    }
    s.sharedTokens = static_cast<std::uint64_t>(told.shared);
    if (s.requests == 0 && s.succeeded && server && server->prefixHitShare() && sent.prompts > 0) {
        s.counterQueries = *server->delta(ServerCounter::PrefixQueries);
        s.counterHits = *server->delta(ServerCounter::PrefixHits);
        s.plannedShare = sent.shared / sent.prompts;
    }
    settle(s, [&] {
        return s.requests > 0 ? told.holds(s.stated, static_cast<double>(s.cachedTokens))
                              : sent.holds(s.stated, *server->prefixHitShare() * sent.prompts);
    });
    return s;
}

CacheState pooled(std::span<const CacheState> points)
{
    CacheState s;
    if (points.empty())
        return s;
    s.stated = points.front().stated;
    s.made = points.front().made;
    std::size_t contradicted = 0;
    bool untold = false;
    for (const CacheState& p : points) {
        s.counterHits += p.counterHits;
        s.plannedShare += p.plannedShare * p.counterQueries;
        s.counterQueries += p.counterQueries;
        s.requests += p.requests;
        s.promptTokens += p.promptTokens;
        s.cachedTokens += p.cachedTokens;
        s.sharedTokens += p.sharedTokens;
        contradicted += p.standing == CacheStanding::Contradicted;
        untold |= p.standing == CacheStanding::Unverified && p.succeeded;
        s.succeeded |= p.succeeded;
    }
    if (s.counterQueries > 0)
        s.plannedShare /= s.counterQueries;
    if (untold && contradicted == 0) {
        s.requests = 0; // what some points did not tell is not known of the run
        s.counterQueries = 0;
    }
    settle(s, [&] { return contradicted == 0; });
    if (contradicted > 0) {
        s.standing = CacheStanding::Contradicted;
        s.text = std::string(stateWord(s.stated)) + ", contradicted at " + countText(contradicted) + " of " +
                 countText(points.size()) + " points: " + (s.requests > 0 ? countsText(s) : countersText(s));
    }
    return s;
}

std::string cacheEntryText(const CacheState& state)
{
    std::string text = stateWord(state.stated);
    if (state.standing != CacheStanding::NotStated)
        text += ", " + std::string(cacheStandingId(state.standing));
    return text;
}

} // namespace tailmark
