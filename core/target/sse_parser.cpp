// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/sse_parser.h"

#include <algorithm>
#include <cstring>

namespace tailmark {

namespace {

const char* find(const char* begin, const char* end, char c)
{
    return static_cast<const char*>(std::memchr(begin, c, static_cast<std::size_t>(end - begin)));
}

/// The LF or CR that ends the line, null when there is none. memchr twice is far cheaper than a loop over the
/// bytes.
const char* lineEnd(const char* begin, const char* end)
{
    if (*begin == '\n' || *begin == '\r')
        return begin; // a blank line, every second one
    const char* const lf = find(begin, end, '\n');
    const char* const cr = find(begin, lf ? lf : end, '\r');
    return cr ? cr : lf;
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

void appendBounded(std::string& to, std::string_view text)
{
    to.append(text.substr(0, SseParser::kMaxEventBytes - std::min(SseParser::kMaxEventBytes, to.size())));
}

} // namespace

void SseParser::reset()
{
    m_at = m_end = nullptr;
    m_line.clear();
    m_data = {};
    m_dataInRead = m_hasData = m_error = m_skipLf = m_foreignLine = false;
    m_firstLine = true;
}

void SseParser::feed(const char* data, std::size_t size)
{
    m_at = data;
    m_end = data + size;
}

/// The usual line, data that lies in the read and is all of its event, is dealt with on the spot.
inline void SseParser::takeLine(std::string_view line, bool inRead)
{
    if (line.starts_with("data:") && inRead && !m_hasData && !m_firstLine) {
        m_data = trimmed(line.substr(5));
        m_dataInRead = m_hasData = true;
    } else {
        takeAnyLine(line);
    }
}

inline bool SseParser::dispatch(SseEvent& event)
{
    event.data = m_data;
    event.error = m_error;
    const bool worthTelling = !m_data.empty() || m_error;
    m_data = {};
    m_dataInRead = m_hasData = m_error = false;
    return worthTelling;
}

bool SseParser::next(SseEvent& event)
{
    while (m_at != m_end) {
        if (m_skipLf) {
            m_skipLf = false;
            if (*m_at == '\n') {
                ++m_at;
                continue;
            }
        }
        const char* const end = lineEnd(m_at, m_end);
        const std::string_view piece(m_at, static_cast<std::size_t>((end ? end : m_end) - m_at));
        if (!end) {
            appendBounded(m_line, piece);
            m_at = m_end;
            break;
        }
        m_at = end + 1;
        m_skipLf = *end == '\r';
        if (m_line.empty() && piece.empty()) {
            if (dispatch(event))
                return true;
        } else if (m_line.empty()) {
            takeLine(piece, true);
        } else {
            appendBounded(m_line, piece);
            takeLine(m_line, false);
            m_line.clear();
        }
    }
    if (m_dataInRead) {
        m_joined.assign(m_data);
        m_data = m_joined;
        m_dataInRead = false;
    }
    return false;
}

bool SseParser::takeUnfinished(SseEvent& event)
{
    if (!m_line.empty()) {
        takeLine(m_line, false);
        m_line.clear();
    }
    return dispatch(event);
}

void SseParser::takeAnyLine(std::string_view line)
{
    if (m_firstLine && line.starts_with("\xEF\xBB\xBF"))
        line.remove_prefix(3);
    m_firstLine = false;
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon); // empty for a comment
    const std::string_view value =
        trimmed(colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1));
    if (name == "event")
        m_error = m_error || value == "error";
    if (name == "error")
        m_error = true;
    if (name != "data" && name != "error") {
        m_foreignLine =
            m_foreignLine || !(name.empty() || name == "event" || name == "id" || name == "retry");
        return;
    }
    if (!m_hasData)
        m_joined.clear();
    else if (m_dataInRead)
        m_joined.assign(m_data);
    if (m_hasData)
        m_joined += '\n';
    appendBounded(m_joined, value);
    m_data = m_joined;
    m_dataInRead = false;
    m_hasData = true;
}

} // namespace tailmark
