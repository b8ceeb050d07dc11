// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/strict_json.h"

#include "base/bounded_json.h"
#include "plan/json_value.h"

#include <algorithm>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using nlohmann::json;

Error badInput(std::string where, std::string message)
{
    return {ErrorCode::BadInput, std::move(where), std::move(message)};
}

/// "source:line:column" of a byte of the text, counted from 1.
std::string positionIn(const std::string& text, const std::string& source, std::size_t byte)
{
    const std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
    const auto stop = text.begin() + static_cast<std::ptrdiff_t>(end);
    const auto line = 1 + std::count(text.begin(), stop, '\n');
    const std::size_t lineStart = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    const std::size_t column = lineStart == std::string::npos ? end + 1 : end - lineStart;
    return source + ':' + std::to_string(line) + ':' + std::to_string(column);
}

/// What the parser says without its own prefix: "[json.exception.…] parse error at line 3, column 5: syntax
/// error…".
std::string parserWords(const std::string& what)
{
    std::string words = what;
    for (const char* mark : {"column ", "parse error"}) {
        const std::size_t at = words.find(mark);
        const std::size_t colon = at == std::string::npos ? at : words.find(": ", at);
        if (colon != std::string::npos) {
            words = words.substr(colon + 2);
            break;
        }
    }
    // Where there is no position: "[json.exception.out_of_range.406] number overflow…".
    if (words.starts_with("[json.exception"))
        if (const std::size_t end = words.find("] "); end != std::string::npos)
            words = words.substr(end + 2);
    std::replace_if(
        words.begin(), words.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    if (words.size() > 200)
        words = words.substr(0, 197) + "...";
    return words;
}

} // namespace

Result<json> parseStrictly(const std::string& text, const std::string& source)
{
    if (isNestedTooDeep(text))
        return badInput(source, "is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    std::vector<std::set<std::string>> keys;
    std::string duplicate;
    const auto watch = [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start)
            keys.emplace_back();
        else if (event == json::parse_event_t::object_end)
            keys.pop_back();
        else if (event == json::parse_event_t::key && duplicate.empty()) {
            const std::string& key = parsed.get_ref<const std::string&>();
            if (!keys.back().insert(key).second)
                duplicate = key;
        }
        return true;
    };
    try {
        json parsed = json::parse(text, watch);
        if (!duplicate.empty())
            return badInput(source, "the key " + keys::shown(duplicate) + " stands twice in one object");
        return parsed;
    } catch (const json::parse_error& e) {
        return badInput(positionIn(text, source, e.byte), "is not valid JSON: " + parserWords(e.what()));
    } catch (const json::exception& e) { // a number too large to hold, which has no position
        return badInput(source, "is not valid JSON: " + parserWords(e.what()));
    }
}

} // namespace tailmark
