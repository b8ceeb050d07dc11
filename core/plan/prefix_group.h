// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"

#include <cstdint>
#include <optional>

namespace tailmark {

/// The group whose shared prefix request `request` of the point (of sessions: every turn of session `request`)
/// begins with; no value: its prompt is all its own. A pure function of the point's seeds, so that whoever writes the prompts and whoever judges what came
/// from the cache mean the same requests.
std::optional<std::uint64_t> prefixGroup(const PointPlan& point, std::uint32_t request);

/// Whether prompts of the point begin alike by plan: shared prefixes, blocks of a log, or turns of a session.
bool sharesPrefixes(const PointPlan& point);

} // namespace tailmark
