// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "workload/trace/fields.h"
#include "workload/trace/trace.h"

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace tailmark {

struct TraceOptions
{
    std::string format = "auto";          ///< or an id of traceFormatIds()
    std::map<Field, std::string> columns; ///< name or JSON path (a.b.c) of fields, instead of guessing
    std::optional<TimeUnit> timeUnit;     ///< of numeric timestamps, instead of what format and size say
    int blockSize = 0;                    ///< tokens a block id stands for; 0 = as the format has it
    int outputTokens = 0;        ///< for rows of a file that tells no output; 0 = such rows are refused
    bool keepZeroOutput = false; ///< rows with no output, mostly failed requests, are kept
    bool dequantise = false;     ///< arrivals on a grid are spread evenly inside their tick
    bool pairs = false;          ///< prompt,output is a row without a header as well
    std::string model;           ///< rows of this model only; empty = all
    std::uint64_t keepRows = 6'000'000; ///< beyond, every second, fourth, … row is kept; all are measured
    std::uint64_t keepRejected = 1'000; ///< refused rows that are listed; all are counted
    std::function<void(double fraction, std::uint64_t rows)>
        progress;         ///< now and then, on the caller's thread
    std::stop_token stop; ///< ErrorCode::Cancelled
};

/// Reads a log of requests in one pass, plain or gzip by its content, in bounded memory. Formats and how they
/// are recognised: trace_formats.h. An error when nothing in the file can be read as a log of requests; its
/// message starts with a short code (no_header, no_rows, not_text, aggregate, …); single bad rows are counted
/// in the result. Blocks until done; any thread.
Result<Trace> importTrace(const std::string& path, const TraceOptions& options = {});

/// A log from its canonical rows (canonical_rows.h), measured again. ErrorCode::Io where the bytes are none.
Result<Trace> traceFromCanonical(std::string_view bytes);

/// Puts arrivals that sit on a grid evenly at random inside their tick, the same for the same seed, and
/// measures the arrivals again. Nothing where there is no grid. The hash stays that of the log.
void dequantiseArrivals(Trace& trace, std::uint64_t seed = 1);

} // namespace tailmark
