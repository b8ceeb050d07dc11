// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/outcome.h"
#include "record/request_record.h"

#include <cstdint>
#include <string_view>

namespace tailmark {

/// What a streamed event with a choice and no text means.
enum class EmptyDelta {
    Nothing,        ///< nothing is known
    TokenAfterRole, ///< a generated token without visible text, but for the first event of a chat's choice
    Token           ///< a generated token without visible text; there is no event that only has the role
};

/// What one JSON text of an OpenAI-dialect response told: an event of a stream, or a whole response. The
/// views point into that text.
struct ResponseEvent
{
    bool hasChoices = false; ///< choices is a non-empty array
    bool hasDelta = false;   ///< … of a chat's stream
    bool answer = false;
    bool reasoning = false;
    bool error = false;  ///< "error", or an object that says it is one
    bool detail = false; ///< FastAPI's way to tell an error, when there are no choices
    std::int32_t ids = 0;
    std::int32_t logprobs = 0;
    int choice = 0;                                 ///< index of the last choice that shows a token
    std::uint64_t seen = 0;                         ///< bit per choice index
    std::uint64_t finished = 0;                     ///< those with a finish reason
    FinishReason finishReason = FinishReason::None; ///< of choice 0
    std::string_view badFinish;                     ///< a finish reason that tells of a failure
    std::string_view text;                          ///< the last generated text, raw, inside the scanned JSON
    int texts = 0;                                  ///< how many generated texts there are
    std::int64_t promptTokens = kUnknownCount;
    std::int64_t completionTokens = kUnknownCount;
    std::int64_t cachedTokens = kUnknownCount;
    std::int64_t timedTokens = kUnknownCount; ///< llama.cpp's timings: tokens generated so far

    bool isError() const { return error || (detail && !hasChoices); }
    /// Some servers send zeros until they know.
    bool hasUsage() const { return promptTokens > 0 || completionTokens > 0; }
    /// Tells of nothing but one text.
    bool onlyText() const
    {
        return texts == 1 && !error && !finished && !hasUsage() && timedTokens < 0 && ids == 0 &&
               logprobs == 0;
    }
};

/// Fills `event` in one pass without allocation, from the keys that any of the engines is known to send, chat
/// or completions; all others are passed over. False when the text is not valid JSON.
bool scanResponseEvent(std::string_view json, ResponseEvent& event);

} // namespace tailmark
