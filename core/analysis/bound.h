// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"

#include <optional>

namespace tailmark {

/// Contract §6: B × bandwidth / (weight_bytes + B × L × kv_bytes_per_token) in output tok/s for a batch of `batch`
/// sequences of mean context `contextTokens`. Absent where bandwidth or parameters are not stated.
std::optional<double> bandwidthBound(const BoundInput& input, double batch, double contextTokens);
/// The compute bound: peak FLOP/s × devices / (2 × active parameters). Absent where it is not stated.
std::optional<double> computeBound(const BoundInput& input);

} // namespace tailmark
