// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/timestamp.h"

namespace tailmark {

namespace {

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

} // namespace

std::optional<Nanoseconds> parseTimestamp(std::string_view text)
{
    using namespace std::chrono;
    constexpr std::size_t kSecondsEnd = 19; // of "2023-11-16 18:17:03"
    if (text.size() < kSecondsEnd)
        return std::nullopt;
    // By position, without a branch for each character: logs have millions of these.
    unsigned notDigits = 0;
    const auto digit = [&](std::size_t at) {
        const unsigned value = static_cast<unsigned char>(text[at]) - unsigned{'0'};
        notDigits |= value > 9;
        return static_cast<int>(value);
    };
    const auto two = [&](std::size_t at) { return 10 * digit(at) + digit(at + 1); };
    const int y = 100 * two(0) + two(2), mo = two(5), d = two(8);
    const int h = two(11), mi = two(14), s = two(17);
    if (notDigits || text[4] != '-' || text[7] != '-' || (text[10] != ' ' && text[10] != 'T') ||
        text[13] != ':' || text[16] != ':')
        return std::nullopt;
    // ±292 years around 1970 fit into 64 bits of ns; nothing was logged before.
    if (y < 1970 || y > 2200 || h > 23 || mi > 59 || s > 59)
        return std::nullopt;
    const year_month_day date{year(y), month(static_cast<unsigned>(mo)), day(static_cast<unsigned>(d))};
    if (!date.ok())
        return std::nullopt;
    Nanoseconds time = sys_days(date).time_since_epoch() + hours(h) + minutes(mi) + seconds(s);
    const char* at = text.data() + kSecondsEnd;
    const char* const end = text.data() + text.size();
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    if (at != end && (*at == '.' || *at == ',')) {
        if (++at == end || !isDigit(*at))
            return std::nullopt;
        std::int64_t ns = 0;
        int digits = 0;
        for (; at != end && isDigit(*at); ++at) // those beyond the ninth are cut
            if (digits < 9) {
                ns = ns * 10 + (*at - '0');
                ++digits;
            }
        for (; digits < 9; ++digits)
            ns *= 10;
        time += Nanoseconds(ns);
    }
    if (at == end)
        return time;
    Scanner scan(std::string_view(at, static_cast<std::size_t>(end - at)));
    if (scan.anyOf("Zz") == 0) {
        if (const char sign = scan.anyOf("+-")) {
            const int offsetHours = scan.number(2);
            const bool colon = scan.anyOf(":");
            const int offsetMinutes = colon || scan.atDigit() ? scan.number(2) : 0;
            if (offsetHours < 0 || offsetHours > 14 || offsetMinutes < 0 || offsetMinutes > 59)
                return std::nullopt;
            const minutes offset = hours(offsetHours) + minutes(offsetMinutes);
            time += sign == '+' ? -offset : offset;
        }
    }
    if (!scan.atEnd())
        return std::nullopt;
    return time;
}

} // namespace tailmark
