// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "sim/faults.h"

namespace tailmark::sim {

/// What really happened to one request, to check what a client measured. Times are CLOCK_MONOTONIC, the same
/// clock as a client's on this machine. Column names of the file are in backquotes; absent values are empty
/// fields.
struct TruthRow
{
    std::string requestId;              ///< `request_id`: the client's X-Request-Id, else the server's own
    Nanoseconds received = kAbsentTime; ///< `received_ns`: the whole request was read
    Nanoseconds firstTokenWritten =
        kAbsentTime; ///< `first_token_written_ns`: right before the write of the first
                     ///< chunk that holds a token (of the whole body when not streamed)
    Nanoseconds lastTokenWritten = kAbsentTime; ///< `last_token_written_ns`: the same of the last such chunk
    Nanoseconds closed = kAbsentTime; ///< `closed_ns`: the answer was written, or the client had gone
    int httpStatus = 0;               ///< `http_status`: 0 where nothing was answered
    int promptTokens = 0;             ///< `prompt_tokens`
    int outputTokens = 0;             ///< `output_tokens`: those written
    int cachedTokens = 0;             ///< `cached_tokens`: prompt tokens from the prefix cache
    int tokenEvents = 0;              ///< `token_events`: stream chunks that held tokens
    int preemptions = 0;              ///< `preemptions`: times it lost its KV blocks
    Nanoseconds queued = kAbsentTime; ///< `queue_ms`: time in the waiting queue until first scheduled
    std::string finishReason; ///< `finish_reason`: stop, length; abort when it was cut off; else empty
    FaultKind fault = FaultKind::None; ///< `fault`: the injected fault it met
};

/// The CSV file (RFC 4180), one row a request, written out when the request ends.
class TruthLog
{
public:
    /// Creates or replaces the file and writes the header line.
    static Result<TruthLog> create(const std::string& path);
    /// A log that keeps nothing.
    TruthLog() = default;

    void write(const TruthRow& row);

private:
    struct Closer
    {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Closer> m_file;
};

} // namespace tailmark::sim
