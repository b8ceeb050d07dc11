// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "record/length_figures.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tailmark {

class FilePrompts;

/// Where lengths come from. Immutable after creation; `draw` is pure, cheap (no allocation) and safe from any
/// thread: request i of a point always gets the same pair for the same seed, whatever thread asks and in
/// whatever order.
class LengthSource
{
public:
    virtual ~LengthSource() = default;
    virtual LengthPair draw(std::uint64_t seed, std::uint32_t request) const = 0;
    /// What is drawn: the pair of fixed lengths, those of a log, or a sample that has the quantiles and the rank
    /// correlation of a distribution. Never empty, and no part is. For figures (record/length_figures.h) and
    /// pictures (length_preview.h).
    virtual const std::vector<LengthPart>& parts() const = 0;
    /// The part that request is of: an index into parts(). As plan/mix.h has it.
    virtual std::size_t partOf(std::uint64_t, std::uint32_t) const { return 0; }
    /// The prompts themselves, where real ones are sent (prompt_file.h); else null.
    virtual const FilePrompts* prompts() const { return nullptr; }
    /// What to know of the files it came from, like rows that were refused; mostly empty.
    virtual std::string remark() const { return {}; }
};

/// The lengths that a matrix states; reads the files that they name. Errors name the file, line and reason.
Result<std::shared_ptr<const LengthSource>> makeLengthSource(const Lengths& lengths);

/// A mix of sources that are there already, one for each of its parts.
std::shared_ptr<const LengthSource> makeMix(const Lengths& mix,
                                            std::vector<std::shared_ptr<const LengthSource>> parts);

struct Trace;
/// Whether lengths of the kind come from a log: the others need no file.
bool isDrawnFromLog(LengthsKind kind);
/// The log of such lengths. Its hash may be another than the one that `lengths` names.
Result<Trace> readTrace(const Lengths& lengths);
/// The pairs of a log that was read. Errors name `lengths.file`, line and reason.
Result<std::shared_ptr<const LengthSource>> makeLengthSource(const Lengths& lengths, const Trace& trace);

} // namespace tailmark
