// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// Prompt and output length of one request.
struct LengthPair
{
    std::int32_t promptTokens = 0;
    std::int32_t outputTokens = 0;
    bool operator==(const LengthPair&) const = default;
};

/// Requests of one kind: the part of a mix, or all.
struct LengthPart
{
    std::string name; ///< of a mix's part; empty where there is no mix
    double share = 1; ///< of the requests, 0..1
    std::vector<LengthPair> pairs; ///< each with equal weight
};

/// Of a length in tokens; quantiles by nearest rank.
struct TokenFigures
{
    double mean = 0;
    std::int64_t p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
    bool operator==(const TokenFigures&) const = default;
};

struct LengthFigures
{
    TokenFigures prompt, output;
    std::optional<double> rankCorrelation; ///< Spearman, by mid-ranks; absent where one side does not vary
    bool operator==(const LengthFigures&) const = default;
};

/// Of all parts together, each with its share. Takes time in proportion to the pairs, and sorts none.
LengthFigures lengthFigures(std::span<const LengthPart> parts);
/// Of pairs alone; absent where one side does not vary.
std::optional<double> rankCorrelation(std::span<const LengthPair> pairs);

/// What lengths a point's requests are to have, by what the matrix states, before anything is cut.
struct AskedLengths
{
    LengthFigures all;
    struct Part
    {
        std::string name;
        double share = 0;
        LengthFigures figures;
        bool operator==(const Part&) const = default;
    };
    std::vector<Part> parts; ///< of a mix
    bool operator==(const AskedLengths&) const = default;
};
AskedLengths askedLengths(std::span<const LengthPart> parts);

nlohmann::ordered_json askedLengthsToJson(const AskedLengths& lengths);
/// Throws what nlohmann::json throws where the object has another shape.
AskedLengths askedLengthsFromJson(const nlohmann::json& json);

} // namespace tailmark
