// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/prefix_group.h"

#include "base/rng.h"
#include "plan/mix.h"

#include <algorithm>

namespace tailmark {

namespace {

/// Uniform in [0, 1).
double unit(std::uint64_t bits)
{
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Groups of a part's own prefix are numbered apart from the workload's and from those of other parts.
std::uint64_t firstGroup(const Lengths& lengths, std::size_t part)
{
    const bool own = part < lengths.parts.size() && lengths.parts[part].prefix;
    return own ? static_cast<std::uint64_t>(part + 1) << 32 : 0;
}

void addGroups(const Prefix& prefix, std::uint64_t first, std::vector<PrefixGroup>& groups)
{
    if (prefix.kind != PrefixKind::Shared || prefix.share <= 0 || prefix.sharedTokens <= 0)
        return;
    for (int i = 0; i < prefix.groups; ++i)
        groups.push_back({first + static_cast<std::uint64_t>(i), prefix.sharedTokens});
}

} // namespace

std::optional<PrefixGroup> prefixGroup(const PointPlan& point, std::uint32_t request)
{
    const Prefix& prefix = prefixOf(point, request);
    if (prefix.kind != PrefixKind::Shared)
        return std::nullopt;
    const std::uint64_t pick = deriveSeed(deriveSeed(point.seeds.prompts, 3), request);
    if (unit(pick) >= prefix.share)
        return std::nullopt;
    const std::uint64_t first =
        firstGroup(point.lengths, partOf(point.lengths, point.seeds.lengths, request));
    return PrefixGroup{first + mixBits(pick) % static_cast<std::uint64_t>(prefix.groups), prefix.sharedTokens};
}

std::vector<PrefixGroup> prefixGroups(const PointPlan& point)
{
    std::vector<PrefixGroup> groups;
    const std::vector<MixPart>& parts = point.lengths.parts;
    if (parts.empty() ||
        std::any_of(parts.begin(), parts.end(), [](const MixPart& part) { return !part.prefix; }))
        addGroups(point.prefix, 0, groups);
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i].prefix)
            addGroups(*parts[i].prefix, firstGroup(point.lengths, i), groups);
    return groups;
}

bool sharesPrefixes(const PointPlan& point)
{
    return point.prefix.kind != PrefixKind::None || point.sessions.kind != SessionsKind::None ||
           std::any_of(point.lengths.parts.begin(), point.lengths.parts.end(), [](const MixPart& part) {
               return part.prefix && part.prefix->kind != PrefixKind::None;
           });
}

} // namespace tailmark
