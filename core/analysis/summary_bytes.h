// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace tailmark {

/// A summary as bytes (little-endian) and back, exactly, but for its `point`, which is the plan's. Only the version that
/// wrote them knows how to read them.
std::string summaryToBytes(const PointSummary& summary);
/// Nothing where the bytes are not those of a whole summary.
std::optional<PointSummary> summaryFromBytes(const PointPlan& point, std::span<const std::byte> bytes);

} // namespace tailmark
