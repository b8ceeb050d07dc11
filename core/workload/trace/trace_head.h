// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "workload/trace/trace_import.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tailmark {

/// A column of a table, or a value of JSON records by its path, with what the first records have there.
struct TraceColumn
{
    std::string name;
    std::vector<std::string> samples; ///< as text, cut; empty where a record has none
};

/// What the first records of a log look like, to choose its columns by.
struct TraceHead
{
    std::vector<TraceColumn> columns;
    /// Records that hold several requests (sessions, conversations), or no table at all: there is nothing to
    /// choose.
    bool nested = false;
    std::map<Field, std::string> guessed; ///< where each field is looked for with the options given
    std::optional<TimeUnit> timeUnit;     ///< of the timestamps; absent where none are found
};

/// Reads the first records, with as many samples as `records`. An error where the file cannot be opened or
/// holds no records. Blocks; any thread.
Result<TraceHead> readTraceHead(const std::string& path, const TraceOptions& options = {},
                                std::size_t records = 20);

} // namespace tailmark
