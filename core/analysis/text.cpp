// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tailmark {

namespace {

std::string fixedText(double value, int decimals)
{
    char buffer[400];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals).ptr;
    return std::string(buffer, end);
}

std::string withSeparators(std::string digits)
{
    const std::size_t dot = std::min(digits.find('.'), digits.size());
    const std::size_t first = digits.starts_with('-') ? 1 : 0;
    for (std::size_t i = dot; i > first + 3; i -= 3)
        digits.insert(i - 3, 1, ',');
    return digits;
}

void dropTrailingZeros(std::string& text)
{
    if (text.find('.') == std::string::npos)
        return;
    while (text.back() == '0')
        text.pop_back();
    if (text.back() == '.')
        text.pop_back();
}

} // namespace

std::string figureText(double value)
{
    if (!std::isfinite(value))
        return "unknown";
    const double size = std::fabs(value);
    if (size == 0)
        return "0";
    const int magnitude = static_cast<int>(std::floor(std::log10(size)));
    std::string text = fixedText(value, std::clamp(2 - magnitude, 0, 9));
    dropTrailingZeros(text);
    return text == "-0" ? "0" : withSeparators(std::move(text));
}

std::string countText(std::uint64_t value)
{
    return withSeparators(std::to_string(value));
}

std::string durationText(double ms)
{
    if (std::fabs(ms) < 1000)
        return figureText(ms) + " ms";
    return figureText(ms / 1000) + " s";
}

std::string percentText(double share)
{
    constexpr int kMostDecimals = 9;
    int decimals = 1;
    std::string text = fixedText(share * 100, decimals);
    while (share < 1 && text.starts_with("100.") && decimals < kMostDecimals)
        text = fixedText(share * 100, ++decimals);
    dropTrailingZeros(text);
    return (text == "-0" ? "0" : text) + " %";
}

} // namespace tailmark
