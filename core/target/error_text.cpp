// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/error_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

constexpr std::string_view kHidden = "•••";

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

bool isTokenChar(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' || c == '~' ||
           c == '+' || c == '/' || c == '=';
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

struct Span
{
    std::size_t begin = std::string::npos;
    std::size_t end = std::string::npos;
};

Span tokenAt(std::string_view text, std::size_t begin)
{
    std::size_t end = begin;
    while (end < text.size() && isTokenChar(text[end]))
        ++end;
    return {begin, end};
}

/// The value behind name=, "name": or name="…", empty where nothing is assigned there.
Span assignedValue(std::string_view text, std::size_t nameEnd)
{
    const auto skip = [&](std::size_t i, std::string_view any) {
        const std::size_t next = text.find_first_not_of(any, i);
        return next == std::string_view::npos ? text.size() : next;
    };
    const std::size_t sign = skip(nameEnd, "\"' ");
    const bool quotedName = nameEnd < text.size() && (text[nameEnd] == '"' || text[nameEnd] == '\'');
    if (sign == text.size() || !(text[sign] == '=' || (text[sign] == ':' && quotedName)))
        return {nameEnd, nameEnd};
    std::size_t begin = skip(sign + 1, " ");
    const char quote =
        begin < text.size() && (text[begin] == '"' || text[begin] == '\'') ? text[begin] : '\0';
    begin += quote != '\0';
    for (const std::string_view scheme : {"bearer ", "basic "})
        if (text.substr(begin).starts_with(scheme))
            begin += scheme.size();
    return quote ? Span{begin, std::min(text.find(quote, begin), text.size())} : tokenAt(text, begin);
}

/// The first secret at or behind `at` in a text in lower case.
Span nextSecret(std::string_view text, std::size_t at)
{
    Span best;
    /// The first place behind `at` where `mark` stands and `secretOf` finds something.
    const auto search = [&](std::string_view mark, auto secretOf) {
        for (std::size_t i = text.find(mark, at); i < best.begin; i = text.find(mark, i + 1)) {
            const Span found = secretOf(i);
            if (found.begin < found.end && found.begin < best.begin) {
                best = found;
                return;
            }
        }
    };
    search("bearer ", [&](std::size_t i) { return tokenAt(text, i + 7); });
    for (const std::string_view mark : {"sk-", "hf_", "nvapi-", "gsk_"})
        search(mark, [&](std::size_t i) {
            const bool startsWord = i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]));
            const Span word = tokenAt(text, i);
            return startsWord && word.end - i >= 12 ? word : Span{i, i};
        });
    for (const std::string_view name : {"key", "token", "secret", "password", "authorization"})
        search(name, [&](std::size_t i) { return assignedValue(text, i + name.size()); });
    search("://", [&](std::size_t i) { // user and password in a URL
        const std::size_t end = std::min(text.find_first_of("/?# \"'<>", i + 3), text.size());
        const std::size_t mark = text.substr(0, end).rfind('@');
        return mark != std::string_view::npos && mark > i ? Span{i + 3, mark} : Span{i, i};
    });
    return best;
}

} // namespace

ServerError readServerError(std::string_view body)
{
    ServerError error;
    const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
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

bool namesSecret(std::string_view key)
{
    const std::string low = lowered(key);
    const auto has = [&](const char* part) { return low.find(part) != std::string::npos; };
    if (has("tokenizer") || has("token_id") || has("per_token"))
        return false;
    for (const char* sign :
         {"api_key", "api-key", "apikey", "secret", "password", "passwd", "authorization", "credential",
          "bearer", "access_key", "private_key", "ssl_key", "launch_command"})
        if (has(sign))
            return true;
    const auto endsWith = [&](std::string_view end) { return low.ends_with(end); };
    return low == "key" || low == "token" || low == "cookie" || low == "set-cookie" || endsWith("_key") ||
           endsWith("-key") || endsWith("_token") || endsWith("-token");
}

std::string hideSecrets(std::string_view text)
{
    const std::string low = lowered(text);
    std::string out;
    std::size_t at = 0;
    for (Span secret; (secret = nextSecret(low, at)).begin < text.size(); at = secret.end) {
        out.append(text.substr(at, secret.begin - at));
        out += kHidden;
    }
    out.append(text.substr(at));
    return out;
}

std::vector<std::string> secretsOf(const std::vector<std::string>& headers)
{
    constexpr std::size_t kShortest = 8;
    std::vector<std::string> secrets;
    for (const std::string& line : headers) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos || !namesSecret(std::string_view(line).substr(0, colon)))
            continue;
        const std::size_t begin = std::min(line.find_first_not_of(' ', colon + 1), line.size());
        const std::size_t scheme = line.find(' ', begin); // "Bearer …"
        std::string value = line.substr(scheme == std::string::npos ? begin : scheme + 1);
        if (value.size() >= kShortest)
            secrets.push_back(std::move(value));
    }
    return secrets;
}

std::string hideThese(const std::vector<std::string>& secrets, std::string text)
{
    for (const std::string& secret : secrets)
        for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += kHidden.size())
            text.replace(at, secret.size(), kHidden);
    return text;
}

void hideSecrets(nlohmann::json& json)
{
    if (json.is_object()) {
        for (auto& [key, value] : json.items()) {
            if (namesSecret(key) && !value.is_null())
                value = std::string(kHidden);
            else
                hideSecrets(value);
        }
    } else if (json.is_array()) {
        for (auto& value : json)
            hideSecrets(value);
    } else if (json.is_string()) {
        json = hideSecrets(json.get_ref<const std::string&>());
    }
}

} // namespace tailmark
