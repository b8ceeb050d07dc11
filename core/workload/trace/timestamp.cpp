// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/timestamp.h"

#include <algorithm>
#include <cstring>

namespace tailmark {

namespace {

/// The parts of a timestamp that many rows of a log share, as they were read last: "2023-11-16 18:17" and "+00:00".
struct LastRead
{
    static constexpr std::size_t kMinute = 16, kZone = 8;
    char minute[kMinute] = {};
    std::optional<Nanoseconds> minuteTime;
    char zone[kZone] = {};
    std::size_t zoneSize = 0; ///< 0 = none yet
    Nanoseconds zoneTime{0};
};

/// Takes what it is asked for from the front of a text.
class Scanner
{
public:
    explicit Scanner(std::string_view text) : m_rest(text) {}

    bool atEnd() const { return m_rest.empty(); }
    bool atDigit() const { return !m_rest.empty() && m_rest[0] >= '0' && m_rest[0] <= '9'; }
    /// One of the characters, or 0.
    char anyOf(std::string_view characters)
    {
        if (m_rest.empty() || characters.find(m_rest[0]) == std::string_view::npos)
            return 0;
        const char c = m_rest[0];
        m_rest.remove_prefix(1);
        return c;
    }
    /// Exactly `digits` digits, or −1.
    int number(int digits)
    {
        int value = 0;
        for (int i = 0; i < digits; ++i) {
            if (!atDigit())
                return -1;
            value = value * 10 + takeDigit();
        }
        return value;
    }

private:
    int takeDigit()
    {
        const int digit = m_rest[0] - '0';
        m_rest.remove_prefix(1);
        return digit;
    }
    std::string_view m_rest;
};

/// The minute of "2023-11-16 18:17".
std::optional<Nanoseconds> minuteOf(std::string_view text)
{
    using namespace std::chrono;
    Scanner scan(text);
    const int y = scan.number(4);
    const bool dash = scan.anyOf("-");
    const int mo = scan.number(2);
    const bool secondDash = scan.anyOf("-");
    const int d = scan.number(2);
    const bool gap = scan.anyOf(" T");
    const int h = scan.number(2);
    const bool colon = scan.anyOf(":");
    const int mi = scan.number(2);
    if (!dash || !secondDash || !gap || !colon)
        return std::nullopt;
    // ±292 years around 1970 fit into 64 bits of ns; nothing was logged before.
    if (y < 1970 || y > 2200 || mo < 0 || d < 0 || h < 0 || h > 23 || mi < 0 || mi > 59)
        return std::nullopt;
    const year_month_day date{year(y), month(static_cast<unsigned>(mo)), day(static_cast<unsigned>(d))};
    if (!date.ok())
        return std::nullopt;
    return sys_days(date).time_since_epoch() + hours(h) + minutes(mi);
}

/// What is to be added for "Z", "+01:00", "-0530", "+02" or nothing.
std::optional<Nanoseconds> zoneOf(std::string_view text)
{
    using namespace std::chrono;
    Scanner scan(text);
    Nanoseconds zone{0};
    if (scan.anyOf("Zz") == 0) {
        if (const char sign = scan.anyOf("+-")) {
            const int offsetHours = scan.number(2);
            const bool colon = scan.anyOf(":");
            const int offsetMinutes = colon || scan.atDigit() ? scan.number(2) : 0;
            if (offsetHours < 0 || offsetHours > 14 || offsetMinutes < 0 || offsetMinutes > 59)
                return std::nullopt;
            const minutes offset = hours(offsetHours) + minutes(offsetMinutes);
            zone = sign == '+' ? -offset : offset;
        }
    }
    return scan.atEnd() ? std::optional(zone) : std::nullopt;
}

} // namespace

std::optional<Nanoseconds> parseTimestamp(std::string_view text)
{
    constexpr std::size_t kSecondsEnd = 19; // of "2023-11-16 18:17:03"
    if (text.size() < kSecondsEnd)
        return std::nullopt;
    static thread_local LastRead last; // logs have millions of rows, and few minutes and zones
    if (!last.minuteTime || std::memcmp(last.minute, text.data(), LastRead::kMinute) != 0) {
        const std::optional<Nanoseconds> minute = minuteOf(text.substr(0, LastRead::kMinute));
        if (!minute)
            return std::nullopt;
        std::memcpy(last.minute, text.data(), LastRead::kMinute);
        last.minuteTime = *minute;
    }
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    if (text[16] != ':' || !isDigit(text[17]) || !isDigit(text[18]) || text[17] > '5')
        return std::nullopt;
    const int seconds = 10 * (text[17] - '0') + (text[18] - '0');
    Nanoseconds time = *last.minuteTime + std::chrono::seconds(seconds);

    const char* at = text.data() + kSecondsEnd;
    const char* const end = text.data() + text.size();
    if (at != end && (*at == '.' || *at == ',')) {
        const char* const begin = ++at;
        std::int64_t fraction = 0;
        for (; at != end && isDigit(*at); ++at)
            if (at - begin < 9) // those beyond the ninth are cut
                fraction = fraction * 10 + (*at - '0');
        if (at == begin)
            return std::nullopt;
        constexpr std::int64_t kUnits[] = {1'000'000'000, 100'000'000, 10'000'000, 1'000'000, 100'000,
                                           10'000,        1'000,       100,        10,        1};
        time += Nanoseconds(fraction * kUnits[std::min<std::ptrdiff_t>(at - begin, 9)]);
    }
    if (at == end)
        return time;
    const std::string_view zone(at, static_cast<std::size_t>(end - at));
    if (zone != std::string_view(last.zone, last.zoneSize)) {
        const std::optional<Nanoseconds> offset = zoneOf(zone);
        if (!offset || zone.size() > LastRead::kZone)
            return std::nullopt;
        std::memcpy(last.zone, zone.data(), zone.size());
        last.zoneSize = zone.size();
        last.zoneTime = *offset;
    }
    return time + last.zoneTime;
}

} // namespace tailmark
