// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tailmark {

/// Prompt and output length of one request, drawn together.
struct LengthPair
{
    std::int32_t promptTokens = 0;
    std::int32_t outputTokens = 0;
    bool operator==(const LengthPair&) const = default;
};

/// Where lengths come from. Immutable after creation; `draw` is pure, cheap (no allocation) and safe from any
/// thread: request i of a point always gets the same pair for the same seed, whatever thread asks and in
/// whatever order.
class LengthSource
{
public:
    virtual ~LengthSource() = default;
    virtual LengthPair draw(std::uint64_t seed, std::uint32_t request) const = 0;
    /// Every pair of the source with equal weight, for previews and percentiles; one pair when fixed.
    virtual const std::vector<LengthPair>& pairs() const = 0;
    /// What to know of the file it came from, like rows that were refused; mostly empty.
    virtual std::string remark() const { return {}; }
};

/// Fixed lengths, or the pairs of a file. Errors name the file, line and reason.
Result<std::shared_ptr<const LengthSource>> makeLengthSource(const Lengths& lengths);

struct Trace;
/// The file of lengths that are not fixed. Its hash may be another than the one that `lengths` names.
Result<Trace> readTrace(const Lengths& lengths);
/// The pairs of a log that was read. Errors name `lengths.file`, line and reason.
Result<std::shared_ptr<const LengthSource>> makeLengthSource(const Lengths& lengths, const Trace& trace);

} // namespace tailmark
