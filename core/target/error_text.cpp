// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/error_text.h"

#include "base/bounded_json.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

char lower(char c)
{
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}

bool tellsOverload(std::string_view text)
{
    const std::string low = lowered(text);
    for (const char* sign : {"overloaded", "queue is full", "rate limit", "rate_limit", "too many requests"})
        if (low.find(sign) != std::string::npos)
            return true;
    return false;
}

std::string scalarText(const nlohmann::json& value)
{
    if (value.is_string())
        return value.get<std::string>();
    return value.is_null() ? std::string()
                           : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void readErrorObject(const nlohmann::json& object, ServerError& error)
{
    std::string kind;
    for (const char* key : {"code", "http_status_code", "type", "error_type"}) {
        const auto it = object.find(key);
        if (it == object.end() || !(it->is_string() || it->is_number_integer()))
            continue;
        const std::string value = scalarText(*it);
        error.rejected |= value == "429" || value == "503" || tellsOverload(value);
        if (!value.empty())
            kind += (kind.empty() ? "" : ", ") + value;
    }
    for (const char* key : {"message", "detail", "error", "error_message"}) {
        if (error.text.empty() && object.contains(key))
            error.text = scalarText(object[key]);
    }
    error.rejected |= tellsOverload(error.text);
    if (error.text.empty())
        error.text = scalarText(object);
    else if (!kind.empty())
        error.text += " (" + kind + ")";
}

/// Tags out, text in; script and style are not worth a special case in one line.
std::string withoutTags(std::string_view text)
{
    std::string out;
    bool inTag = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (!inTag && c == '<' && i + 1 < text.size() &&
            (std::isalpha(static_cast<unsigned char>(text[i + 1])) || text[i + 1] == '/' ||
             text[i + 1] == '!')) {
            inTag = true;
            out += ' ';
        } else if (inTag && c == '>') {
            inTag = false;
        } else if (!inTag) {
            out += c;
        }
    }
    return out;
}

} // namespace

ServerError readServerError(std::string_view body)
{
    ServerError error;
    const nlohmann::json json = boundedJson(body);
    if (json.is_object()) {
        const auto inner = json.find("error");
        if (inner != json.end() && inner->is_object())
            readErrorObject(*inner, error);
        else
            readErrorObject(json, error);
    } else if (json.is_string()) {
        error.text = json.get<std::string>();
        error.rejected = tellsOverload(error.text);
    } else {
        error.text = body;
        error.rejected = tellsOverload(body);
    }
    error.text = plainLine(error.text);
    return error;
}

std::string plainLine(std::string_view text, std::size_t maxBytes)
{
    // enough to fill the line even when most of it is mark-up
    const std::string plain = withoutTags(text.substr(0, 64 * maxBytes));
    std::string line;
    for (const char c : plain) {
        const bool space = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
        if (!space)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    while (!line.empty() && line.back() == ' ')
        line.pop_back();
    line = hideSecrets(line);
    constexpr std::string_view ellipsis = "…";
    if (line.size() > maxBytes) {
        std::size_t cut = maxBytes - ellipsis.size();
        while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xC0) == 0x80)
            --cut; // not inside a character
        line.resize(cut);
        line += ellipsis;
    }
    return line;
}

} // namespace tailmark
