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
    /// A fraction of a second in ns; digits beyond the ninth are cut.
    Nanoseconds fraction()
    {
        std::int64_t value = 0, unit = 100'000'000;
        while (atDigit()) {
            value += unit * takeDigit();
            unit /= 10;
        }
        return Nanoseconds(value);
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
    const auto number = [&](std::size_t at, std::size_t digits) {
        unsigned value = 0;
        for (std::size_t i = at; i < at + digits; ++i) {
            const unsigned digit = static_cast<unsigned char>(text[i]) - unsigned{'0'};
            notDigits |= digit > 9;
            value = value * 10 + digit;
        }
        return static_cast<int>(value);
    };
    const int y = number(0, 4), mo = number(5, 2), d = number(8, 2);
    const int h = number(11, 2), mi = number(14, 2), s = number(17, 2);
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
    Scanner scan(text.substr(kSecondsEnd));
    if (scan.anyOf(".,")) {
        if (!scan.atDigit())
            return std::nullopt;
        time += scan.fraction();
    }
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
