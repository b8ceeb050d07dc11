// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <optional>
#include <string_view>

namespace tailmark {

/// "2023-11-16 18:17:03.9799600", with blank or T, any number of fractional digits (nanoseconds are kept),
/// point or comma, and an optional offset (Z, +00:00, +0000, +00), as nanoseconds since 1970 in UTC. Without
/// an offset the time is taken as UTC. Absent for anything else, dates that do not exist included.
std::optional<Nanoseconds> parseTimestamp(std::string_view text);

} // namespace tailmark
