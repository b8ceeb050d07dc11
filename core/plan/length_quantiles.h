// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tailmark {

/// Where the ends of a length's distribution stand: one request in 10,000 has the shortest, one the longest.
inline constexpr double kShortestPercent = 0.01, kLongestPercent = 99.99;

/// The percent that a name of a quantile stands for: "p50" is 50, "p99.9" is 99.9 (0.1 to 99.9), "min" and "max"
/// are the ends. Absent for other names.
std::optional<double> quantilePercent(std::string_view name);

/// A given quantile.
struct QuantilePoint
{
    std::string name;
    double percent = 0;
    int tokens = 0;
};
/// Those with a known name, by rising percent.
std::vector<QuantilePoint> quantilePoints(const LengthQuantiles& quantiles);

/// What keeps the quantiles from making a distribution: the name that is wrong (empty: all of them together) and
/// why. Absent where nothing does: at least two, each 1 to 2,000,000 tokens, none below one of a lower percent.
std::optional<std::pair<std::string, std::string>> quantilesFault(const LengthQuantiles& quantiles);

/// What is allowed, in words.
std::string quantilesWords();

} // namespace tailmark
