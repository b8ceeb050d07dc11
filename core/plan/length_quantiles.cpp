// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/length_quantiles.h"

#include "plan/rule.h"

#include <algorithm>
#include <charconv>

namespace tailmark {

namespace {

constexpr int kMaxTokens = 2'000'000;

} // namespace

std::optional<double> quantilePercent(std::string_view name)
{
    if (name == "min")
        return kShortestPercent;
    if (name == "max")
        return kLongestPercent;
    if (!name.starts_with('p') || name.size() < 2 || name[1] < '0' || name[1] > '9')
        return std::nullopt;
    double percent = 0;
    const auto [end, error] =
        std::from_chars(name.data() + 1, name.data() + name.size(), percent, std::chars_format::fixed);
    if (error != std::errc() || end != name.data() + name.size() || percent < 0.1 || percent > 99.9)
        return std::nullopt;
    return percent;
}

std::vector<QuantilePoint> quantilePoints(const LengthQuantiles& quantiles)
{
    std::vector<QuantilePoint> points;
    for (const auto& [name, tokens] : quantiles)
        if (const std::optional<double> percent = quantilePercent(name))
            points.push_back({name, *percent, tokens});
    std::stable_sort(points.begin(), points.end(), [](const QuantilePoint& a, const QuantilePoint& b) {
        return a.percent < b.percent;
    });
    return points;
}

std::optional<std::pair<std::string, std::string>> quantilesFault(const LengthQuantiles& quantiles)
{
    for (const auto& [name, tokens] : quantiles) {
        if (!quantilePercent(name))
            return std::pair(name, std::string("is no quantile; allowed: p0.1 to p99.9, min and max"));
        if (tokens < 1 || tokens > kMaxTokens)
            return std::pair(name, "must be " + keys::numberInWords(keys::atLeast(1, kMaxTokens, "tokens"), true) +
                                       ", is " + keys::exactText(tokens));
    }
    const std::vector<QuantilePoint> points = quantilePoints(quantiles);
    if (points.size() < 2)
        return std::pair(std::string(), "must be " + quantilesWords());
    for (std::size_t i = 1; i < points.size(); ++i) {
        const QuantilePoint &before = points[i - 1], &point = points[i];
        if (before.percent == point.percent)
            return std::pair(point.name, "is the same quantile as " + before.name);
        if (point.tokens < before.tokens)
            return std::pair(point.name, "must not be below " + before.name + " (" +
                                             keys::exactText(before.tokens) + "), is " +
                                             keys::exactText(point.tokens));
    }
    return std::nullopt;
}

std::string quantilesWords()
{
    return "an object of at least two quantiles in tokens, like {\"p50\": 800, \"p95\": 6000, \"p99\": 24000}";
}

} // namespace tailmark
