// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "workload/lengths.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace tailmark {

/// One request of an imported log.
struct TraceRow
{
    Nanoseconds arrival = kAbsentTime; ///< since the first accepted row in time order
    LengthPair lengths;
    std::int64_t line = 0; ///< physical line where the record starts, header = 1
};

/// A row that was refused: nothing is dropped in silence.
struct RejectedRow
{
    std::int64_t line = 0;
    std::string field;  ///< "timestamp", "prompt" or "output": the first that is wrong, in this order
    std::string reason; ///< short code: not_an_integer, empty_value, negative, zero, missing_column,
                        ///< bad_timestamp, out_of_range
    bool operator==(const RejectedRow&) const = default;
};

struct Trace
{
    std::string format;         ///< "azure"
    std::vector<TraceRow> rows; ///< sorted by arrival
    std::vector<RejectedRow> rejected;
    std::vector<std::string> warnings; ///< short codes: unsorted
};

/// Reads a trace file in one pass. `format`: "auto" or "azure" (AzurePublicDataset: TIMESTAMP, ContextTokens,
/// GeneratedTokens, found by name). An error when nothing in the file can be read as that format; its message
/// starts with a short code (no_header, no_rows, not_text, …); single bad rows are counted in the result.
/// Rows come out in the order of time, ties in the order of the file.
Result<Trace> importTrace(const std::string& path, const std::string& format = "auto");

} // namespace tailmark
