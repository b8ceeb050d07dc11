// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/length_figures.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tailmark {

struct PointData;
struct PointSummary;

/// The lengths that a point's requests had, held against what the matrix asks for. The quantiles of what was
/// planned and measured are in the summary itself (promptTokensPlanned, promptTokens, outputTokensCap,
/// outputTokens).
struct LengthMatch
{
    std::optional<AskedLengths> asked; ///< absent in runs of versions that did not keep it
    /// Of the requests of the window as they were sent, and of the successful ones as they came out.
    std::optional<double> plannedCorrelation, measuredCorrelation;
    struct Part
    {
        std::string name;
        double askedShare = 0;      ///< of the requests
        std::uint64_t requests = 0; ///< of the window
        double share = 0;           ///< of the requests of the window
        bool operator==(const Part&) const = default;
    };
    std::vector<Part> parts;   ///< of a mix
    std::uint64_t clipped = 0; ///< requests of the point that were cut to fit the target's context
    bool operator==(const LengthMatch&) const = default;
};

LengthMatch matchLengths(const PointData& data);

/// A figure that was asked for and the one that came out: "800 / 812"; the second is "–" where nobody knows it.
struct AskedAndRealised
{
    std::string what; ///< "p50"
    std::string text;
};
/// p50, p90, p95 and p99 of the prompts, as the server counted them, else as they were planned; empty where
/// nothing is known of what was asked.
std::vector<AskedAndRealised> promptMatch(const PointSummary& point);
/// The same of the outputs that came.
std::vector<AskedAndRealised> outputMatch(const PointSummary& point);

/// All of it on one line: "prompt tokens asked / realised p50 800 / 812, p90 …; output tokens (forced) p50 …; rank
/// correlation 0.3 / 0.28; chat 50 % / 49.2 %; 3 requests cut to the target's context". Empty where nothing is
/// known of what was asked.
std::string lengthMatchText(const PointSummary& point);

/// Of each test the point with the most requests, which says most about its lengths.
std::vector<const PointSummary*> largestPoints(const std::vector<PointSummary>& points);

} // namespace tailmark
