// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tailmark {

/// Prompt tokens that the server reported less those that were planned, and how many requests had that error.
using LengthErrors = std::map<std::int32_t, std::size_t>;

/// Their distribution; quantiles by nearest rank, of the signed values.
struct LengthErrorSummary
{
    std::size_t n = 0;
    std::size_t exact = 0; ///< with exactly the planned tokens
    std::int32_t min = 0, p50 = 0, p99 = 0, max = 0;
    double exactShare() const { return static_cast<double>(exact) / static_cast<double>(n); }
};

std::optional<LengthErrorSummary> summarizeErrors(const LengthErrors& errors); ///< absent without a request
void addErrors(LengthErrors& to, const LengthErrors& more);
/// "4,096 of 4,096 prompts have exactly the planned tokens (as the server counts)", else with the quantiles.
std::string lengthErrorText(const LengthErrorSummary& errors);

} // namespace tailmark
