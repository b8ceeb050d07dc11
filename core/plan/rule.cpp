// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/rule.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

namespace tailmark::keys {

bool Rule::holds(double value) const
{
    return (openMin ? value > min : value >= min) && (openMax ? value < max : value <= max);
}

std::string exactText(double value)
{
    char digits[64];
    if (std::abs(value) >= 1e15 || value != std::floor(value)) {
        std::snprintf(digits, sizeof digits, "%.10g", value);
        return digits;
    }
    std::snprintf(digits, sizeof digits, "%.0f", value);
    std::string text = digits;
    const int sign = value < 0 ? 1 : 0;
    for (int at = static_cast<int>(text.size()) - 3; at > sign; at -= 3)
        text.insert(static_cast<std::size_t>(at), ",");
    return text;
}

std::string numberInWords(const Rule& rule, bool whole)
{
    if (rule.min == rule.max)
        return exactText(rule.min);
    std::string words = whole ? "a whole number" : "a number";
    const bool hasMin = std::isfinite(rule.min), hasMax = std::isfinite(rule.max);
    if (hasMin && hasMax && !rule.openMin && !rule.openMax) {
        words += " from " + exactText(rule.min) + " to " + exactText(rule.max);
    } else {
        if (hasMin)
            words += (rule.openMin ? " above " : " of at least ") + exactText(rule.min);
        if (hasMax)
            words += std::string(hasMin ? " and" : "") + (rule.openMax ? " below " : " at most ") +
                     exactText(rule.max);
    }
    if (!rule.unit.empty())
        words += " " + std::string(rule.unit);
    return words;
}

std::string choiceText(const std::string_view* begin, const std::string_view* end)
{
    std::string text;
    for (const std::string_view* it = begin; it != end; ++it) {
        if (it != begin)
            text += it + 1 == end ? " or " : ", ";
        text += '"' + std::string(*it) + '"';
    }
    return text;
}

namespace {

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row.back();
}

} // namespace

std::string nearestWord(std::string_view word, const std::string_view* begin, const std::string_view* end)
{
    // The start of a key often lacks only its unit ("duration" for "duration_s"), which a distance judges
    // harshly.
    std::string_view best;
    const std::size_t most = word.size() < 5 ? 1 : std::max<std::size_t>(2, word.size() / 3); // of "foo", "slo" is no guess
    std::size_t bestDistance = most + 1;
    for (const std::string_view* it = begin; it != end; ++it) {
        std::size_t distance = editDistance(word, *it);
        if (word.size() >= 3 && it->starts_with(word))
            distance = 1;
        if (distance < bestDistance) {
            best = *it;
            bestDistance = distance;
        }
    }
    return std::string(best);
}

} // namespace tailmark::keys
