// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>

namespace tailmark {

/// A row of the store's `runs`. 0 is no run.
struct RunId
{
    std::int64_t value = 0;
    auto operator<=>(const RunId&) const = default;
};

/// Position of a point in its plan, from 0.
struct PointIndex
{
    std::int32_t value = -1;
    auto operator<=>(const PointIndex&) const = default;
};

} // namespace tailmark
