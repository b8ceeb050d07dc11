// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/prefix_group.h"

#include "base/rng.h"

namespace tailmark {

namespace {

/// Uniform in [0, 1).
double unit(std::uint64_t bits)
{
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

} // namespace

std::optional<std::uint64_t> prefixGroup(const PointPlan& point, std::uint32_t request)
{
    if (point.prefix.kind != PrefixKind::Shared)
        return std::nullopt;
    const std::uint64_t pick = deriveSeed(deriveSeed(point.seeds.prompts, 3), request);
    if (unit(pick) >= point.prefix.share)
        return std::nullopt;
    return mixBits(pick) % static_cast<std::uint64_t>(point.prefix.groups);
}

bool sharesPrefixes(const PointPlan& point)
{
    return point.prefix.kind != PrefixKind::None || point.sessions.kind != SessionsKind::None;
}

} // namespace tailmark
