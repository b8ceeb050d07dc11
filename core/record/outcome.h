// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tailmark {

/// How an intended request ended; every one ends in exactly one of these. Names in files are `outcomeId`.
enum class Outcome : std::uint8_t {
    Completed,
    Rejected,          ///< 429, 503, or the same told inside a 200 stream
    ClientError,       ///< another 4xx
    ServerError,       ///< 5xx, or an error object in the stream
    ConnectFailed,     ///< no connection
    TimeoutConnect,    ///< no connection within limits.connect_timeout_s
    TimeoutFirstToken, ///< no generated token within limits.first_token_timeout_s of the send
    TimeoutStall,      ///< silence longer than limits.stall_timeout_s inside the stream
    TimeoutTotal,      ///< not over within limits.total_timeout_s of the send
    Truncated,         ///< the stream ended without finish reason and without [DONE]
    Malformed,         ///< not an event stream, or nothing in it could be read
    NoContent,         ///< ended properly, but no token came
    Cancelled,         ///< by the end of the point or by the user
    NotSent,           ///< the generator could not send it in time
};
inline constexpr int kOutcomeCount = 14;

/// The id used in files and exports ("timeout_first_token").
std::string_view outcomeId(Outcome outcome);
std::optional<Outcome> outcomeFromId(std::string_view id);

/// Finish reason as the engine told it, folded to what matters for measuring.
enum class FinishReason : std::uint8_t { None, Stop, Length, ToolCalls, ContentFilter, Abort, Other };
std::string_view finishReasonId(FinishReason reason); ///< "" for None
FinishReason finishReasonFromId(std::string_view id);

} // namespace tailmark
