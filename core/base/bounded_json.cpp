// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/bounded_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace tailmark {

bool isNestedTooDeep(std::string_view text)
{
    // Most texts have fewer brackets than levels are allowed, which one quick look tells.
    if (std::count(text.begin(), text.end(), '[') + std::count(text.begin(), text.end(), '{') <= kMaxJsonDepth)
        return false;
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else
                quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kMaxJsonDepth)
                return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

nlohmann::json boundedJson(std::string_view text)
{
    return isNestedTooDeep(text) ? nlohmann::json(nlohmann::json::value_t::discarded)
                                 : nlohmann::json::parse(text, nullptr, false);
}

} // namespace tailmark
