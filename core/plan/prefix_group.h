// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tailmark {

/// Requests that begin with one shared prefix.
struct PrefixGroup
{
    std::uint64_t number = 0; ///< no other group of the point has it
    std::int32_t tokens = 0;  ///< of the prefix
    bool operator==(const PrefixGroup&) const = default;
};

/// The group whose shared prefix request `request` of the point (of sessions: every turn of session `request`)
/// begins with, by the prefix of its part of a mix, else the workload's; no value: its prompt is all its own. A pure
/// function of the point's seeds, so that whoever writes the prompts and whoever judges what came from the cache
/// mean the same requests.
std::optional<PrefixGroup> prefixGroup(const PointPlan& point, std::uint32_t request);

/// All groups that requests of the point can be of.
std::vector<PrefixGroup> prefixGroups(const PointPlan& point);

/// Whether prompts of the point begin alike by plan: shared prefixes, blocks of a log, or turns of a session.
bool sharesPrefixes(const PointPlan& point);

} // namespace tailmark
