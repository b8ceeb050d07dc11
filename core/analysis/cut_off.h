// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tailmark {

struct PointData;

/// Answers that the end of the point cut off before the server told their tokens. What of them arrived inside the window
/// is missing in the output rate.
struct CutOff
{
    std::size_t requests = 0;
    std::uint64_t tokenEvents = 0; ///< theirs inside the window
    /// What is missing, were their events as rich as those of the answers that ended; absent where these tell nothing.
    std::optional<double> tokensPerS;
    bool operator==(const CutOff&) const = default;
};

CutOff cutOffOf(const PointData& data);

/// What is to be said beside an output rate: "leaves out 12 answers … : about 16 %"; empty where nothing is missing.
std::string cutOffText(const CutOff& cutOff, const std::optional<double>& outputTokensPerS);

} // namespace tailmark
