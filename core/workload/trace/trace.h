// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/trace_rows.h"
#include "workload/trace/trace_stats.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tailmark {

/// A row that was refused: nothing is dropped in silence.
struct RejectedRow
{
    std::int64_t line = 0; ///< where its record starts, from 1; in a JSON array the number of the record
    std::string field;  ///< "timestamp", "prompt" or "output": the first that is wrong, in this order; empty
                        ///< where the record as a whole is
    std::string reason; ///< short code: not_an_integer, empty_value, negative, zero, missing_column,
                        ///< bad_timestamp, out_of_range, invalid_json, not_an_object, too_few_turns, …
    bool operator==(const RejectedRow&) const = default;
};

/// Something to know of a log that was read.
struct TraceWarning
{
    std::string code; ///< unsorted, hash_ids_length_mismatch, total_mismatch, extra_turns_ignored, …
    std::string text; ///< one line, with figures and the first line of the file that is concerned
    bool operator==(const TraceWarning&) const = default;
};

/// A log of requests that was read: its rows, what was refused, and what it shows.
struct Trace
{
    std::string format;                ///< an id of traceFormatIds()
    std::string lengthUnit = "tokens"; ///< or "unicode code points", where only texts are told
    std::string hash;                  ///< SHA-256 of the rows in their canonical form, 64 hex digits
    TraceRows rows;                    ///< in the order of time, else of the file; every `sampledEvery`th
    std::uint64_t rowsAccepted = 0;    ///< more than there are in `rows` where those are a sample
    std::uint64_t sampledEvery = 1;
    std::uint64_t rowsRejected = 0;
    std::vector<RejectedRow> rejected; ///< the first of them
    std::map<std::string, std::uint64_t> rejectedByReason;
    std::vector<TraceWarning> warnings;
    std::vector<std::pair<std::string, std::string>> columns; ///< field and the name that it was found under
    std::vector<std::string> models;
    int blockSize = 0;         ///< tokens; 0 = no row tells blocks
    bool sessionClock = false; ///< arrivals count from the start of each session
    TraceStats stats;

    /// Every row has an arrival on one common clock, so that the log can be replayed by time.
    bool timed() const { return stats.arrivals.has_value(); }
};

} // namespace tailmark
