// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/address.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace tailmark {

namespace {

std::string_view withoutTail(std::string_view url)
{
    while (url.ends_with('/'))
        url.remove_suffix(1);
    return url;
}

bool isHeaderName(std::string_view name)
{
    return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) ||
               std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
    });
}

bool isHeaderValue(std::string_view value)
{
    return std::none_of(value.begin(), value.end(),
                        [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

bool isAuthorization(std::string_view name)
{
    constexpr std::string_view wanted = "authorization";
    return std::equal(name.begin(), name.end(), wanted.begin(), wanted.end(),
                      [](unsigned char a, char b) { return std::tolower(a) == b; });
}

} // namespace

std::string apiUrl(const Target& target, std::string_view path)
{
    return std::string(withoutTail(target.baseUrl)).append(path);
}

std::string serverUrl(const Target& target, std::string_view path)
{
    std::string_view base = withoutTail(target.baseUrl);
    if (base.ends_with("/v1"))
        base.remove_suffix(3);
    return std::string(base).append(path);
}

std::string completionsUrl(const Target& target)
{
    return apiUrl(target, target.api == Api::Chat ? "/chat/completions" : "/completions");
}

Result<std::vector<std::string>> requestHeaders(const Target& target)
{
    std::vector<std::string> lines;
    for (const auto& [name, value] : target.headers) {
        const std::string where = "target.headers." + name;
        if (!isHeaderName(name))
            return Error{ErrorCode::BadInput, where,
                         "not a header name: letters, digits and -_. are allowed"};
        if (!isHeaderValue(value))
            return Error{ErrorCode::BadInput, where,
                         "a header value must be one line without control characters"};
        if (isAuthorization(name) && !target.apiKeyEnv.empty())
            return Error{ErrorCode::BadInput, where,
                         "allowed only without target.api_key_env, which sets the same header"};
        lines.push_back(name + ": " + value);
    }
    if (target.apiKeyEnv.empty())
        return lines;
    const char* const set = std::getenv(target.apiKeyEnv.c_str());
    std::string key = set ? set : "";
    while (!key.empty() && std::isspace(static_cast<unsigned char>(key.back())))
        key.pop_back(); // a line break at the end comes with many a key file
    if (key.empty())
        return Error{ErrorCode::BadInput, "target.api_key_env",
                     "the environment variable " + target.apiKeyEnv + " is not set"};
    if (!isHeaderValue(key))
        return Error{ErrorCode::BadInput, "target.api_key_env",
                     "the value of " + target.apiKeyEnv + " holds control characters"};
    lines.push_back("Authorization: Bearer " + key);
    return lines;
}

} // namespace tailmark
