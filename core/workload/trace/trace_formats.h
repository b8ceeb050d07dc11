// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "workload/trace/fields.h"
#include "workload/trace/trace_import.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

// How the formats of flat records (a line of CSV, an object of JSON) differ: in the names of their fields,
// the unit of their times and the size of their blocks. Formats of nested records have readers of their own
// (json_sessions.h, servegen.h).
//
// Sources: Azure/AzurePublicDataset, HPMLL/BurstGPT, kvcache-ai/Mooncake,
// alibaba-edu/qwen-bailian-usagetraces-anon, microsoft/vidur, callanjfox/kv-cache-tester and the
// documentation of vLLM, AIPerf and GuideLLM.

/// A name of a file, with the value that it has in the first records.
struct SourceName
{
    std::string name;              ///< of a CSV column, or the path of a JSON value, joined by dots
    std::size_t column = 0;        ///< CSV
    std::vector<std::string> path; ///< JSON; in CSV inside a cell that holds JSON
    std::vector<FieldValue> samples;
};

/// Where the fields of a request are found, and how their values are read.
struct Layout
{
    std::string format;
    std::array<std::optional<SourceName>, kFieldCount> sources;
    TimeUnit timestampUnit = TimeUnit::Seconds, thinkUnit = TimeUnit::Seconds;
    bool unitGuessed = false;
    Nanoseconds earliest = kEarliestTime, latest = kLatestTime; ///< that can be of this log, by its first records
    int blockSize = 0;
    bool wholeBlocksOnly = false;   ///< the last partial block has no id
    bool idsOfSession = false;      ///< block ids mean the same within one session only
    bool sessionClock = false;      ///< times count from the start of each session
    bool timestampOptional = false; ///< not every record has one
    std::string requestKind;        ///< records of another Kind are no requests; empty = all are

    bool has(Field field) const { return sources[static_cast<std::size_t>(field)].has_value(); }
    const SourceName* source(Field field) const
    {
        const auto& found = sources[static_cast<std::size_t>(field)];
        return found ? &*found : nullptr;
    }
};

/// A name without what varies between copies of one format: case, blanks, underscores, hyphens.
std::string foldedName(std::string_view name);

/// Finds the layout of flat records by the names that they have. no_header where no format has them,
/// no_column where a column that was asked for is not there, aggregate where records are sums over many
/// requests.
Result<Layout> layoutOf(std::vector<SourceName> names, const TraceOptions& options);

/// One line: which names the format (any, with "auto") is recognised by.
std::string namesLookedFor(std::string_view format);

} // namespace tailmark
