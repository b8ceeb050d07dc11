// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace tailmark::keys {

/// What a key of the matrix may hold beside its type. One rule serves the reader, validate() and the hints.
struct Rule
{
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool openMin = false; ///< min itself is not allowed
    bool openMax = false;
    std::string_view unit = {};                  ///< "s", "tokens"; only for the wording
    bool (*accepts)(std::string_view) = nullptr; ///< texts: whether the value is one
    std::string (*allowedText)() = nullptr;      ///< texts: what is allowed, in words
    bool secret = false;    ///< the value may hold a secret by mistake: never repeat it in a message
    bool required = false;  ///< a missing key is an error
    bool ascending = false; ///< lists: not empty, each value above the one before

    constexpr Rule mandatory() const
    {
        Rule rule = *this;
        rule.required = true;
        return rule;
    }
    constexpr Rule rising() const
    {
        Rule rule = *this;
        rule.ascending = true;
        return rule;
    }
    bool holds(double value) const;
};

constexpr Rule atLeast(double min, double max, std::string_view unit = {})
{
    return {.min = min, .max = max, .unit = unit};
}
constexpr Rule above(double min, double max, std::string_view unit = {})
{
    return {.min = min, .max = max, .openMin = true, .unit = unit};
}
constexpr Rule between(double min, double max)
{
    return {.min = min, .max = max, .openMin = true, .openMax = true};
}
constexpr Rule text(bool (*accepts)(std::string_view), std::string (*allowedText)())
{
    return {.accepts = accepts, .allowedText = allowedText};
}
constexpr Rule secretText(bool (*accepts)(std::string_view), std::string (*allowedText)())
{
    return {.accepts = accepts, .allowedText = allowedText, .secret = true};
}

/// "a whole number from 1 to 65,536", "a number above 0 and at most 86,400 s".
std::string numberInWords(const Rule& rule, bool whole);
/// 65536 -> "65,536"; 0.25 -> "0.25".
std::string exactText(double value);
/// `"a", "b" or "c"`.
std::string choiceText(const std::string_view* begin, const std::string_view* end);
/// The candidate nearest to `word` (edit distance), empty when none is near.
std::string nearestWord(std::string_view word, const std::string_view* begin, const std::string_view* end);

} // namespace tailmark::keys
