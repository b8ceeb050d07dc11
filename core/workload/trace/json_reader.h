// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "workload/trace/byte_source.h"
#include "workload/trace/trace_builder.h"

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// Puts the requests of one JSON record into the builder.
class JsonRowReader
{
public:
    virtual ~JsonRowReader() = default;
    virtual void read(const nlohmann::json& record, std::int64_t line) = 0;
};

/// Readers of records that hold several requests: agent sessions with `requests` (weka), conversations with
/// `conversations` or `conversation` (ShareGPT, LMSYS, WildChat), sessions with `turns` (AIPerf). Null where
/// the record is none of these, or another format was asked for.
std::unique_ptr<JsonRowReader> makeNestedReader(const nlohmann::json& record, const TraceOptions& options,
                                                TraceBuilder& rows);

/// Reads a file of JSON records: lines, one array, or values one after another. False when the user stopped
/// it.
Result<bool> readJson(ByteSource& source, const TraceOptions& options, TraceBuilder& builder);

} // namespace tailmark
