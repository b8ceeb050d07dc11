// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace tailmark {

/// A forward-only cursor over one JSON text (RFC 8259): allocates nothing, copies nothing, looks at each byte
/// once. For the few keys that matter in a stream of small events; anything rare goes to a real parser.
///
///     JsonCursor json(text);
///     std::string_view key;
///     if (json.enterObject())
///         while (json.nextKey(key)) // each value must be consumed: by a reader below or by skip()
///             json.skip();
///     const bool valid = json.atEnd();
///
/// After the first error every call returns false, so loops end, and so does atEnd(). Strings are returned
/// raw, escapes checked but not decoded. Not checked: UTF-8 validity, duplicate keys.
class JsonCursor
{
public:
    explicit JsonCursor(std::string_view text, std::size_t offset = 0)
        : m_at(text.data() + offset), m_end(text.data() + text.size())
    {
    }

    /// The text was valid and only white space is left.
    bool atEnd()
    {
        skipSpace();
        return m_ok && m_at == m_end;
    }

    /// True when the value is an object, which is then entered; otherwise nothing is consumed.
    bool enterObject() { return enter('{'); }
    /// The next key of the object entered last; false at its end.
    bool nextKey(std::string_view& key)
    {
        if (!nextItem('}'))
            return false;
        if (m_at == m_end || *m_at != '"' || !scanString(key))
            return fail();
        skipSpace();
        if (m_at == m_end || *m_at != ':')
            return fail();
        ++m_at;
        return true;
    }
    /// True when the value is an array, which is then entered; otherwise nothing is consumed.
    bool enterArray() { return enter('['); }
    /// Moves to the next element of the array entered last; false at its end.
    bool nextElement() { return nextItem(']'); }

    /// Consumes the value when it is a string; otherwise nothing is consumed.
    bool string(std::string_view& raw)
    {
        skipSpace();
        return m_at != m_end && *m_at == '"' && scanString(raw);
    }
    /// Consumes the value when it is a number; fractions are cut. Otherwise nothing is consumed.
    bool integer(std::int64_t& value);
    /// Whether the value is null; consumes nothing.
    bool isNull()
    {
        skipSpace();
        return m_at != m_end && *m_at == 'n';
    }
    /// Consumes any value.
    void skip() { skipValue(0); }
    /// Consumes an array and tells how many elements it has; 0 for any other value, which is consumed too.
    std::int32_t countElements();

private:
    static constexpr int kMaxDepth = 128;

    bool fail()
    {
        m_ok = false;
        m_at = m_end;
        return false;
    }
    void skipSpace()
    {
        while (m_at != m_end && static_cast<unsigned char>(*m_at) <= ' ' &&
               (*m_at == ' ' || *m_at == '\n' || *m_at == '\r' || *m_at == '\t'))
            ++m_at;
    }
    bool enter(char open)
    {
        skipSpace();
        if (m_at == m_end || *m_at != open)
            return false;
        ++m_at;
        m_first = true;
        return true;
    }
    bool nextItem(char close)
    {
        skipSpace();
        if (m_at == m_end)
            return fail();
        if (*m_at == close) {
            ++m_at;
            m_first = false;
            return false;
        }
        if (m_first) {
            m_first = false;
            return true;
        }
        if (*m_at != ',')
            return fail();
        ++m_at;
        skipSpace();
        return (m_at != m_end && *m_at != close) || fail();
    }
    bool scanString(std::string_view& raw); ///< from the opening quote
    bool scanEscapedString(std::string_view& raw);
    bool scanEscape(); ///< from behind the backslash
    bool scanNumber();
    bool scanLiteral(std::string_view literal);
    void skipValue(int depth);

    const char* m_at;
    const char* m_end;
    bool m_first = false; ///< just behind an opening bracket
    bool m_ok = true;
};

} // namespace tailmark
