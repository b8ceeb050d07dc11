// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/claim_numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>
#include <string_view>

namespace tailmark {

namespace {

constexpr char kThin = '\x1f'; ///< a blank that only sets digits apart
constexpr char kDash = '\x1e'; ///< a dash that only means "to"

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// One byte for every sign that matters here.
std::string plain(const std::string& text)
{
    constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
        {"\u00a0", "\x1f"}, {"\u2007", "\x1f"}, {"\u2008", "\x1f"}, {"\u2009", "\x1f"}, {"\u200a", "\x1f"},
        {"\u202f", "\x1f"}, {"\u2019", "'"},    {"\u2212", "-"},    {"\u2013", "\x1e"}, {"\u2014", "\x1e"},
        {"\u00d7", "x"},    {"\u2264", "<="},   {"#", " "}};
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        if (constexpr std::string_view kWide = "\uff10"; // and the nine digits after it
            std::string_view(text).substr(i).starts_with(kWide.substr(0, 2)) && i + 2 < text.size() &&
            text[i + 2] >= kWide[2] && text[i + 2] <= kWide[2] + 9) {
            result += static_cast<char>('0' + (text[i + 2] - kWide[2]));
            i += kWide.size();
            continue;
        }
        const auto sign = std::ranges::find_if(
            kSigns, [&](const auto& s) { return std::string_view(text).substr(i).starts_with(s.first); });
        if (sign == std::end(kSigns)) {
            result += text[i++];
        } else {
            result += sign->second;
            i += sign->first.size();
        }
    }
    return result;
}

/// Digits and what stands between them.
struct Digits
{
    std::vector<std::string> groups;
    std::string separators;
};

class Scanner
{
public:
    explicit Scanner(std::string text) : m_text(std::move(text)) {}

    NumberedText scan()
    {
        NumberedText result;
        std::size_t lastEnd = std::string::npos; // of the number before
        while (m_at < m_text.size()) {
            if (!startsNumber()) {
                const char c = m_text[m_at++];
                result.text += c == kThin ? ' ' : c == kDash ? '-' : c;
                continue;
            }
            const std::size_t start = m_at;
            WrittenNumber number = readNumber();
            if (lastEnd != std::string::npos)
                doubtTogether(result.numbers.back(), number, lastEnd, start);
            lastEnd = m_at;
            result.text += "#" + std::to_string(result.numbers.size()) + "#";
            result.numbers.push_back(std::move(number));
        }
        return result;
    }

private:
    char charAt(std::size_t at) const { return at < m_text.size() ? m_text[at] : ' '; }
    char before(std::size_t at, std::size_t by = 1) const { return at >= by ? m_text[at - by] : ' '; }

    bool startsNumber() const
    {
        if (!isDigit(charAt(m_at)))
            return false;
        const char previous = before(m_at);
        if ((previous == 'x' || previous == 'X') && !isLetter(before(m_at, 2)))
            return true; // times
        return !isLetter(previous) && !isDigit(previous) && previous != '_' && previous != '.';
    }

    std::string digits()
    {
        const std::size_t start = m_at;
        while (isDigit(charAt(m_at)))
            ++m_at;
        return m_text.substr(start, m_at - start);
    }

    /// After a blank only a group of three digits goes on with the number.
    bool goesOn(const Digits& read) const
    {
        const char c = charAt(m_at);
        if (!isDigit(charAt(m_at + 1)))
            return false;
        if (c == '.' || c == ',' || c == '\'' || c == '_' || c == kThin)
            return true;
        const bool three = isDigit(charAt(m_at + 2)) && isDigit(charAt(m_at + 3)) && !isDigit(charAt(m_at + 4));
        return c == ' ' && three && read.groups.front().size() <= 3 &&
               read.separators.find_first_not_of(' ') == std::string::npos;
    }

    WrittenNumber readNumber()
    {
        const std::size_t start = m_at;
        const char sign = before(start);
        const bool negative = sign == '-' && !isLetter(before(start, 2)) && !isDigit(before(start, 2));
        Digits read;
        read.groups.push_back(digits());
        while (goesOn(read)) {
            read.separators += m_text[m_at++];
            read.groups.push_back(digits());
        }
        std::string exponent;
        if ((charAt(m_at) == 'e' || charAt(m_at) == 'E')) {
            const std::size_t sized = m_at + 1 + (charAt(m_at + 1) == '-' || charAt(m_at + 1) == '+' ? 1 : 0);
            if (isDigit(charAt(sized))) {
                m_at = sized;
                exponent = std::string(m_text[sized - 1] == '-' ? "e-" : "e") + digits();
            }
        }
        WrittenNumber number;
        number.written = (negative ? "-" : "") + m_text.substr(start, m_at - start);
        std::ranges::replace(number.written, kThin, ' ');
        const double factor = readFactor();
        if (charAt(m_at) == '+' && charAt(m_at + 1) == ' ')
            ++m_at; // or more
        const std::string plainDigits = asOneNumber(read, number);
        if (!number.doubt.empty())
            return number;
        const std::string whole = plainDigits + exponent;
        const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), number.value);
        number.value *= factor;
        if (error != std::errc() || !std::isfinite(number.value))
            number.doubt = number.written + " is out of range";
        else if (negative)
            number.doubt = number.written + " is below 0";
        else if (read.separators.find(' ') != std::string::npos && followsKeyword(start))
            number.doubt = number.written + " may be one number or two; put a comma between two, or none of the blanks";
        return number;
    }

    /// "k", "million", …, which it moves behind.
    double readFactor()
    {
        static const std::regex kFactor(R"(^ ?(?:(k|thousand)|(m|million))(?![a-z0-9]))", std::regex::icase);
        std::smatch match;
        const std::string rest = m_text.substr(m_at, 12);
        if (!std::regex_search(rest, match, kFactor))
            return 1;
        m_at += static_cast<std::size_t>(match.length(0));
        return match[1].matched ? 1e3 : 1e6;
    }

    /// The digits without what sets groups apart, and with a point before decimals; with a doubt where that is not certain.
    static std::string asOneNumber(const Digits& read, WrittenNumber& number)
    {
        const std::string& separators = read.separators;
        const std::string& first = read.groups.front();
        std::string decimals;
        std::size_t groups = read.groups.size();
        const bool both = separators.find_first_not_of(separators.empty() ? ' ' : separators.back()) != std::string::npos;
        const char last = separators.empty() ? '\0' : separators.back();
        if ((last == '.' || (last == ',' && both)) && std::ranges::count(separators, last) == 1) {
            decimals = "." + read.groups.back();
            --groups;
        }
        const std::string_view between = std::string_view(separators).substr(0, groups - 1);
        bool grouped = between.find_first_not_of(between.empty() ? ' ' : between.front()) == std::string_view::npos &&
                       (groups == 1 || (first.size() <= 3 && first[0] != '0'));
        for (std::size_t i = 1; i < groups; ++i)
            grouped = grouped && read.groups[i].size() == 3;
        if (!grouped) {
            number.doubt = number.written + " is no number; groups have three digits, and decimals a point before them";
            return {};
        }
        std::string all;
        for (std::size_t i = 0; i < groups; ++i)
            all += read.groups[i];
        if (groups == 1 && decimals.size() == 4 && first.size() <= 3 && first != "0") {
            number.doubt = number.written + " may be " + first + "," + decimals.substr(1) + " or " + first +
                           " and a fraction; write " + all + decimals.substr(1) + " or fewer decimals";
            return {};
        }
        return all + decimals;
    }

    bool followsKeyword(std::size_t at) const
    {
        static const std::regex kKeyword(
            R"((?:concurrency|batch|size|flight|parallelism|isl|osl)\s*(?:of|=|:|is)?\s*$)", std::regex::icase);
        const std::size_t from = at > 40 ? at - 40 : 0;
        const std::string beside = m_text.substr(from, at - from);
        return std::regex_search(beside, kKeyword);
    }

    /// Of two numbers next to each other: a range, or digits whose comma has a blank behind it.
    void doubtTogether(WrittenNumber& a, WrittenNumber& b, std::size_t end, std::size_t start)
    {
        static const std::regex kRange(R"(^\s*(?:-|\x1e|to|\.\.+)\s*$)", std::regex::icase);
        const std::string between = m_text.substr(end, start - end);
        const auto isWhole = [](const std::string& text) { return std::ranges::all_of(text, isDigit); };
        if (std::regex_search(between, kRange) && a.doubt.empty()) {
            a.doubt = b.doubt = a.written + between + b.written + " is a range; say one number";
            std::ranges::replace(a.doubt, kDash, '-');
            std::ranges::replace(b.doubt, kDash, '-');
        } else if (between == ", " && b.doubt.empty() && isWhole(a.written) && a.written.size() <= 3 && isWhole(b.written) &&
                   b.written.size() == 3 && !followsKeyword(end - a.written.size())) {
            b.doubt = a.written + ", " + b.written + " may be one number or two; write " + a.written + "," + b.written +
                      " or leave the comma out";
        }
    }

    std::string m_text;
    std::size_t m_at = 0;
};

} // namespace

NumberedText takeNumbers(const std::string& text)
{
    return Scanner(plain(text)).scan();
}

} // namespace tailmark
