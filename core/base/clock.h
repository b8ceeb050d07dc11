// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace tailmark {

using Nanoseconds = std::chrono::nanoseconds;

/// A moment that never came. Times of records are plain values (fixed size), so absence needs a value of its own.
inline constexpr Nanoseconds kAbsentTime{std::numeric_limits<std::int64_t>::min()};

constexpr bool isPresent(Nanoseconds t)
{
    return t != kAbsentTime;
}
constexpr double toMs(Nanoseconds t)
{
    return static_cast<double>(t.count()) / 1e6;
}
constexpr double toSeconds(Nanoseconds t)
{
    return static_cast<double>(t.count()) / 1e9;
}
constexpr Nanoseconds fromSeconds(double seconds)
{
    return Nanoseconds(static_cast<std::int64_t>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5)));
}
constexpr Nanoseconds fromMs(double ms)
{
    return fromSeconds(ms / 1e3);
}
/// b − a in ms, absent where either moment is.
inline std::optional<double> msBetween(Nanoseconds a, Nanoseconds b)
{
    if (!isPresent(a) || !isPresent(b))
        return std::nullopt;
    return toMs(b - a);
}

/// The monotonic clock, as an interface so that tests run in virtual time. Any thread.
class Clock
{
public:
    virtual ~Clock() = default;
    virtual Nanoseconds now() const = 0;
};

/// CLOCK_MONOTONIC.
class MonotonicClock final : public Clock
{
public:
    Nanoseconds now() const override;
};

/// Wall-clock time now as ISO 8601 in UTC with milliseconds ("2026-01-31T12:00:00.000Z").
std::string utcNow();

} // namespace tailmark
