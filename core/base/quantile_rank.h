// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace tailmark {

/// The one quantile rule of the product: nearest rank. The 1-based rank ceil(p·n) of the p-th percentile of n
/// ascending values, p in percent, computed in whole numbers (thousandths of a percent); 0 for no value.
std::size_t quantileRank(std::size_t n, double percent);

} // namespace tailmark
