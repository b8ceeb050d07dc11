// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

constexpr std::string_view kHidden = "•••";

/// How keys of known makers begin, in lower case, and how long one is at least.
struct KeyShape
{
    std::string_view begin;
    std::size_t length;
};
constexpr KeyShape kKeyShapes[] = {
    {"sk-", 12},         {"hf_", 12},       {"nvapi-", 12}, {"gsk_", 12},  {"ghp_", 20},  {"gho_", 20},
    {"ghs_", 20},        {"ghu_", 20},      {"glpat-", 16}, {"xoxb-", 16}, {"xoxp-", 16}, {"akia", 20},
    {"github_pat_", 20}, {"aiza", 30},      {"r8_", 20},    {"pplx-", 20}, {"xai-", 20},  {"ya29.", 20},
    {"tgp_v1_", 20},     {"dckr_pat_", 16}, {"csk-", 20},   {"eyj", 30},   {"pypi-", 20},
};

/// Words that name a secret when something is assigned to them in running text.
constexpr std::string_view kAssigned[] = {"key",  "keys",       "token",     "secret",      "secrets",
                                          "pwd",  "password",   "passwords", "passwd",      "passphrase",
                                          "cred", "credential", "cookie",    "credentials", "authorization"};
/// Those that do so with a mere colon too ("x-api-key: …"), where "key: value" may be plain words.
constexpr std::string_view kAssignedByColon[] = {"api-key",  "api_key", "apikey",     "api key",
                                                 "password", "secret",  "passphrase", "authorization"};

bool isAlnum(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool isTokenChar(char c)
{
    return isAlnum(c) || c == '-' || c == '_' || c == '.' || c == '~' || c == '+' || c == '/' || c == '=';
}

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
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

/// A value without quotes ends where a list of values or a sentence would go on.
Span bareValueAt(std::string_view text, std::size_t begin)
{
    return {begin, std::min(text.find_first_of(" \t\r\n\"'<>,;&)}]", begin), text.size())};
}

std::size_t skip(std::string_view text, std::size_t i, std::string_view any)
{
    const std::size_t next = text.find_first_not_of(any, std::min(i, text.size()));
    return next == std::string_view::npos ? text.size() : next;
}

/// What stands behind `begin`, in quotes or bare, without the scheme of an Authorization header.
Span valueAt(std::string_view text, std::size_t begin)
{
    const char quote =
        begin < text.size() && (text[begin] == '"' || text[begin] == '\'') ? text[begin] : '\0';
    begin += quote != '\0';
    for (const std::string_view scheme : {"bearer ", "basic "})
        if (text.substr(std::min(begin, text.size())).starts_with(scheme))
            begin += scheme.size();
    return quote ? Span{begin, std::min(text.find(quote, begin), text.size())} : bareValueAt(text, begin);
}

/// The value behind name=, "name": or name="…", empty where nothing is assigned there.
Span assignedValue(std::string_view text, std::size_t nameEnd, bool byColon)
{
    const std::size_t sign = skip(text, nameEnd, "\"' ");
    const bool quotedName = nameEnd < text.size() && (text[nameEnd] == '"' || text[nameEnd] == '\'');
    if (sign == text.size() || !(text[sign] == '=' || (text[sign] == ':' && (quotedName || byColon))))
        return {nameEnd, nameEnd};
    return valueAt(text, skip(text, sign + 1, " "));
}

/// The word behind --api-key: the argument's name reaches from its dashes to `nameEnd`.
Span argumentValue(std::string_view text, std::size_t name, std::size_t nameEnd)
{
    std::size_t begin = name;
    while (begin > 0 && (isAlnum(text[begin - 1]) || text[begin - 1] == '-' || text[begin - 1] == '_'))
        --begin;
    if (!text.substr(begin).starts_with("--") || nameEnd >= text.size() || text[nameEnd] != ' ')
        return {nameEnd, nameEnd};
    const Span value = valueAt(text, skip(text, nameEnd, " "));
    return text.substr(value.begin).starts_with("--") ? Span{nameEnd, nameEnd} : value;
}

/// The first secret at or behind `at` in a text in lower case.
Span nextSecret(std::string_view text, std::size_t at)
{
    Span best;
    /// The first place behind `at` where `mark` stands and `secretOf` finds something.
    const auto search = [&](std::string_view mark, auto secretOf) {
        for (std::size_t i = text.find(mark, at); i < best.begin; i = text.find(mark, i + 1)) {
            const Span found = secretOf(i);
            if (found.begin < found.end && found.begin < best.begin &&
                !text.substr(found.begin).starts_with(kHidden)) {
                best = found;
                return;
            }
        }
    };
    search("bearer ", [&](std::size_t i) { return tokenAt(text, i + 7); });
    for (const KeyShape& shape : kKeyShapes)
        search(shape.begin, [&](std::size_t i) {
            const bool startsWord = i == 0 || !isAlnum(text[i - 1]);
            const Span word = tokenAt(text, i);
            return startsWord && word.end - i >= shape.length ? word : Span{i, i};
        });
    for (const std::string_view name : kAssigned)
        search(name, [&](std::size_t i) { return assignedValue(text, i + name.size(), false); });
    for (const std::string_view name : kAssignedByColon)
        search(name, [&](std::size_t i) { return assignedValue(text, i + name.size(), true); });
    for (const std::string_view name : kAssigned)
        search(name, [&](std::size_t i) { return argumentValue(text, i, i + name.size()); });
    search("private key-----", [&](std::size_t i) { // PEM
        return Span{i + 16, std::min(text.find("-----end", i), text.size())};
    });
    search("://", [&](std::size_t i) { // user and password in a URL
        const std::size_t end = std::min(text.find_first_of("/?# \"'<>", i + 3), text.size());
        const std::size_t mark = text.substr(0, end).rfind('@');
        return mark != std::string_view::npos && mark > i ? Span{i + 3, mark} : Span{i, i};
    });
    return best;
}

/// Texts and lists go, numbers and switches stay: "require_api_key": true is no secret.
void hideAll(nlohmann::json& json)
{
    if (json.is_string())
        json = std::string(kHidden);
    else if (json.is_structured() && !json.empty())
        json = std::string(kHidden);
}

bool isEnvironment(std::string_view key)
{
    const std::string low = lowered(key);
    return low == "env" || low == "environ" || low == "env_vars" || low.ends_with("_env");
}

} // namespace

bool namesSecret(std::string_view key)
{
    const std::string low = lowered(key);
    const auto has = [&](const char* part) { return low.find(part) != std::string::npos; };
    if (has("tokenizer") || has("token_id") || has("per_token"))
        return false;
    for (const char* plain : {"bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token",
                              "mask_token", "next_token"})
        if (low == plain)
            return false;
    for (const char* sign : {"api_key", "api-key", "apikey", "secret", "password", "passwd", "passphrase",
                             "authorization", "credential", "bearer", "access_key", "private_key", "ssl_key",
                             "launch_command", "command_line", "cmdline", "signature", "cookie"})
        if (has(sign))
            return true;
    const auto endsWith = [&](std::string_view end) { return low.ends_with(end); };
    return low == "key" || low == "keys" || low == "token" || low == "jwt" || low == "pwd" || low == "argv" ||
           endsWith("_key") || endsWith("-key") || endsWith("_token") || endsWith("-token") ||
           endsWith("_pwd") || endsWith("_jwt");
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

void hideSecrets(nlohmann::json& json)
{
    if (json.is_object()) {
        for (auto& [key, value] : json.items()) {
            if (namesSecret(key))
                hideAll(value);
            else if (isEnvironment(key) && value.is_structured())
                hideAll(value);
            else
                hideSecrets(value);
        }
    } else if (json.is_array()) {
        bool hideNext = false; // "--api-key", "…"
        for (auto& value : json) {
            if (hideNext && value.is_string())
                value = std::string(kHidden);
            else
                hideSecrets(value);
            const std::string* const word = value.get_ptr<const std::string*>();
            hideNext = word && word->starts_with("--") && word->find_first_of("= ") == std::string::npos &&
                       namesSecret(std::string_view(*word).substr(2));
        }
    } else if (json.is_string()) {
        json = hideSecrets(json.get_ref<const std::string&>());
    }
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

} // namespace tailmark
