// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/json_scan.h"

#include <bit>
#include <cstring>

namespace tailmark {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighs = 0x8080808080808080ULL;

/// Non-zero when one of the eight bytes is a quote, a backslash or a control character; on a little-endian
/// machine the lowest set bit then belongs to the first such byte (the borrow can only spoil bytes above a
/// true hit).
std::uint64_t stopBytes(std::uint64_t word)
{
    const std::uint64_t quote = word ^ (kOnes * '"');
    const std::uint64_t backslash = word ^ (kOnes * '\\');
    return (((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) |
            ((word - kOnes * 0x20) & ~word)) &
           kHighs;
}

/// The first quote, backslash or control character, or `end`.
inline const char* plainEnd(const char* at, const char* end)
{
    // eight bytes at a time: ids and model names are most of an event
    for (; end - at >= 8; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        if (const std::uint64_t stops = stopBytes(word)) {
            if constexpr (std::endian::native == std::endian::little)
                return at + std::countr_zero(stops) / 8;
            break;
        }
    }
    while (at != end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20)
        ++at;
    return at;
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isHexDigit(char c)
{
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

} // namespace

bool JsonCursor::scanString(std::string_view& raw)
{
    const char* const begin = m_at + 1;
    const char* const stop = plainEnd(begin, m_end);
    if (stop == m_end || *stop != '"')
        return scanEscapedString(raw);
    raw = std::string_view(begin, static_cast<std::size_t>(stop - begin));
    m_at = stop + 1;
    return true;
}

bool JsonCursor::scanEscapedString(std::string_view& raw)
{
    const char* const begin = ++m_at;
    while ((m_at = plainEnd(m_at, m_end)) != m_end && *m_at == '\\') {
        ++m_at;
        if (!scanEscape())
            return false;
    }
    if (m_at == m_end || *m_at != '"')
        return fail();
    raw = std::string_view(begin, static_cast<std::size_t>(m_at - begin));
    ++m_at;
    return true;
}

bool JsonCursor::scanEscape()
{
    if (m_at == m_end)
        return fail();
    const char c = *m_at++;
    if (c == 'u') {
        if (m_end - m_at < 4)
            return fail();
        for (int i = 0; i < 4; ++i)
            if (!isHexDigit(*m_at++))
                return fail();
        return true;
    }
    return (c != '\0' && std::strchr("\"\\/bfnrt", c)) || fail();
}

bool JsonCursor::scanNumber()
{
    const auto digits = [this] {
        const char* const begin = m_at;
        while (m_at != m_end && isDigit(*m_at))
            ++m_at;
        return m_at != begin;
    };
    if (m_at != m_end && *m_at == '-')
        ++m_at;
    if (m_at != m_end && *m_at == '0')
        ++m_at;
    else if (!digits())
        return fail();
    if (m_at != m_end && *m_at == '.') {
        ++m_at;
        if (!digits())
            return fail();
    }
    if (m_at != m_end && (*m_at == 'e' || *m_at == 'E')) {
        ++m_at;
        if (m_at != m_end && (*m_at == '+' || *m_at == '-'))
            ++m_at;
        if (!digits())
            return fail();
    }
    return true;
}

bool JsonCursor::scanLiteral(std::string_view literal)
{
    if (static_cast<std::size_t>(m_end - m_at) < literal.size() ||
        std::memcmp(m_at, literal.data(), literal.size()) != 0)
        return fail();
    m_at += literal.size();
    return true;
}

bool JsonCursor::integer(std::int64_t& value)
{
    skipSpace();
    if (m_at == m_end || (*m_at != '-' && !isDigit(*m_at)))
        return false;
    const char* at = m_at;
    if (!scanNumber())
        return false;
    const bool negative = *at == '-';
    if (negative)
        ++at;
    std::int64_t magnitude = 0;
    // beyond 18 digits nothing is counted; no count of tokens is that long
    for (int n = 0; at != m_at && isDigit(*at) && n < 18; ++at, ++n)
        magnitude = magnitude * 10 + (*at - '0');
    value = negative ? -magnitude : magnitude;
    return true;
}

std::int32_t JsonCursor::countElements()
{
    if (!enterArray()) {
        skip();
        return 0;
    }
    std::int32_t count = 0;
    for (; nextElement(); ++count)
        skip();
    return count;
}

void JsonCursor::skipValue(int depth)
{
    skipSpace();
    if (m_at == m_end || depth > kMaxDepth) {
        fail();
        return;
    }
    std::string_view text;
    switch (*m_at) {
    case '"':
        scanString(text);
        break;
    case '{':
        enterObject();
        while (nextKey(text))
            skipValue(depth + 1);
        break;
    case '[':
        enterArray();
        while (nextElement())
            skipValue(depth + 1);
        break;
    case 'n':
        scanLiteral("null");
        break;
    case 't':
        scanLiteral("true");
        break;
    case 'f':
        scanLiteral("false");
        break;
    default:
        scanNumber();
    }
}

} // namespace tailmark
