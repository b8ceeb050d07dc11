// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/json_records.h"

#include "base/bounded_json.h"

#include <algorithm>
#include <cstring>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view withoutMark(std::string_view text)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    return text;
}

} // namespace

JsonShape jsonShapeOf(std::string_view text)
{
    text = withoutMark(text);
    const auto begin = std::find_if_not(text.begin(), text.end(), isSpace);
    if (begin != text.end() && *begin == '[')
        return JsonShape::Array;
    // A line that is an object of its own tells lines; inside of a value over several lines there may be one
    // too, but not in most of its lines. A first line that is longer than what was read so far is one line.
    std::size_t lines = 0, objects = 0;
    for (std::string_view rest = text; !rest.empty() && lines < 100;) {
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos && lines == 0)
            return JsonShape::Lines;
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (std::all_of(line.begin(), line.end(), isSpace))
            continue;
        const bool object = boundedJson(line).is_object();
        if (object && lines == 0)
            return JsonShape::Lines;
        objects += object;
        ++lines;
    }
    return 2 * objects >= lines ? JsonShape::Lines : JsonShape::Values;
}

JsonRecords::JsonRecords(ByteSource& source, JsonShape shape) : m_source(source), m_shape(shape) {}

bool JsonRecords::next(std::string_view& record)
{
    m_source.consume(m_consumed);
    m_consumed = 0;
    if (!m_begun) {
        m_begun = true;
        m_source.consume(m_source.window().size() - withoutMark(m_source.window()).size());
    }
    return m_shape == JsonShape::Lines ? nextLine(record) : nextValue(record);
}

bool JsonRecords::nextLine(std::string_view& record)
{
    std::size_t from = 0;
    for (;;) {
        const std::string_view window = m_source.window();
        const void* found =
            window.size() > from ? std::memchr(window.data() + from, '\n', window.size() - from) : nullptr;
        if (!found && !m_source.full()) {
            from = window.size();
            if (m_source.more())
                continue;
        }
        m_tooLong = !found && m_source.full();
        if ((!found && window.empty()) || m_tooLong)
            return false;
        const std::size_t end =
            found ? static_cast<std::size_t>(static_cast<const char*>(found) - window.data()) : window.size();
        record = window.substr(0, end);
        m_line = m_lines++;
        if (std::any_of(record.begin(), record.end(), [](char c) { return !isSpace(c); })) {
            m_consumed = end + (found != nullptr);
            return true;
        }
        m_source.consume(end + (found != nullptr));
        from = 0;
        if (!found)
            return false;
    }
}

/// Up to the begin of a value; in an array over brackets and commas too. What follows the array is read on.
bool JsonRecords::skipBlanks()
{
    for (;;) {
        const std::string_view window = m_source.window();
        for (std::size_t i = 0; i < window.size(); ++i) {
            const char c = window[i];
            m_lines += c == '\n';
            if (isSpace(c) || c == ',')
                continue;
            if (m_shape == JsonShape::Array && c == (m_inArray ? ']' : '[')) {
                m_inArray = !m_inArray;
                continue;
            }
            m_source.consume(i);
            return true;
        }
        m_source.consume(window.size());
        if (!m_source.more())
            return false;
    }
}

/// Where the value at the begin of the window ends, by brackets and quotes. False where the file ends in it.
bool JsonRecords::endOfValue(std::size_t& end)
{
    int depth = 0;
    bool text = false, escaped = false;
    std::size_t at = 0;
    for (;;) {
        const std::string_view window = m_source.window();
        for (; at < window.size(); ++at) {
            const char c = window[at];
            if (text) {
                if (escaped)
                    escaped = false;
                else if (c == '\\')
                    escaped = true;
                else if (c == '"')
                    text = false;
                if (text || depth > 0)
                    continue;
                end = at + 1;
                return true;
            }
            if (c == '"') {
                text = true;
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if (c == '}' || c == ']') {
                if (--depth > 0)
                    continue;
                end = depth < 0 ? at : at + 1;
                return true;
            } else if (depth == 0 && (c == ',' || isSpace(c))) {
                end = at;
                return true;
            }
        }
        if (!m_source.more()) {
            end = window.size();
            return false;
        }
    }
}

bool JsonRecords::nextValue(std::string_view& record)
{
    if (!skipBlanks())
        return false;
    ++m_items;
    m_line = m_shape == JsonShape::Array ? m_items : m_lines;
    std::size_t end = 0;
    const bool whole = endOfValue(end);
    m_tooLong = !whole && m_source.full();
    if (m_tooLong)
        return false;
    record = m_source.window().substr(0, std::max<std::size_t>(end, 1));
    m_lines += std::count(record.begin(), record.end(), '\n');
    m_consumed = record.size();
    return true;
}

} // namespace tailmark
