// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "record/request_record.h"
#include "target/response_reader.h"

#include <cstdint>
#include <string>
#include <vector>

#include <curl/curl.h>

namespace tailmark {

class CurlTransport;

/// Some transfers on one multi handle. libcurl walks through the transfers and connections of a multi handle,
/// so its cost per request grows with their number (126k instructions at 1,024, 85k at 64); several handles
/// on one event loop keep it flat.
struct Shard
{
    static constexpr int kTransfers = 64;

    CurlTransport* owner = nullptr;
    CURLM* multi = nullptr;
    int active = 0;         ///< transfers that are under way
    bool callNow = false;   ///< libcurl asked to be called at once
    bool mayBeDone = false; ///< a transfer may have ended outside the processing of its event
    Nanoseconds callAt = Nanoseconds::max(); ///< libcurl asked to be called then
};

/// One request under way, and all that is used again by the next one: easy handle, body, reader, chunk times.
struct Transfer final : TokenSink
{
    CurlTransport* owner = nullptr;
    Shard* shard = nullptr;
    CURL* easy = nullptr;
    std::uint32_t index = 0; ///< in the transport
    bool active = false;     ///< carries a request
    bool attached = false;   ///< libcurl has the handle

    RequestRecord record;
    std::vector<ChunkRecord> chunks;
    std::string body;
    ResponseReader reader;
    std::string contentType;
    std::string location;              ///< where a redirect points
    int status = 0;                    ///< of the header block that is being read
    char detail[CURL_ERROR_SIZE] = ""; ///< libcurl's words for a failure
    std::string abortedFor;            ///< why we ended the response ourselves; empty = we did not

    bool headersDone = false;

    // absolute monotonic times
    Nanoseconds begun{0};                ///< handed to libcurl
    Nanoseconds totalDeadline{0};        ///< once sent
    Nanoseconds lastStamp = kAbsentTime; ///< of its latest data: times of one response never go backwards

    bool freshConnection = false;  ///< must not use a connection again
    bool handedOver = false;       ///< the request was handed to the socket
    bool secondAttempt = false;    ///< libcurl wanted to send again by itself and was kept from it
    bool openedConnection = false; ///< in this attempt
    bool outOfDescriptors = false;

    /// So many events are no answer to what was asked: the server ignores the cap. Bounds the memory of
    /// chunks.
    std::size_t maxChunks() const;
    void onTokenEvent(const TokenEvent& event) override;
};

} // namespace tailmark
