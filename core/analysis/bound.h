// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"
#include "plan/matrix.h"

#include <optional>
#include <string>

namespace tailmark {

/// Contract §6: B × bandwidth / (weight_bytes + B × L × kv_bytes_per_token) in output tok/s for a batch of
/// `batch` sequences of mean context `contextTokens`. Absent where bandwidth or parameters are not stated.
std::optional<double> bandwidthBound(const BoundInput& input, double batch, double contextTokens);
/// The compute bound: peak FLOP/s × devices / (2 × active parameters). Absent where it is not stated.
std::optional<double> computeBound(const BoundInput& input);

/// What a measured point reached of its bounds.
struct BoundCheck
{
    double batch = 0; ///< mean requests in flight over the window
    double contextTokens =
        0; ///< mean prompt plus half of the mean output: the context that a decode step reads
    double bandwidthTokensPerS = 0;    ///< of this batch
    double singleStreamTokensPerS = 0; ///< batch 1 without context: the classic bound of one stream
    std::optional<double> computeTokensPerS;
    std::optional<double> measuredTokensPerS;
    std::optional<double> fraction; ///< measured / bandwidth bound
    std::string text;               ///< formula with its inputs, and what the fraction says
    bool operator==(const BoundCheck&) const = default;
};
/// Absent where bandwidth or parameters are not stated, or nothing was in flight.
std::optional<BoundCheck> checkBound(const BoundInput& input, const PointSummary& point);

} // namespace tailmark
