// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "record/request_record.h"
#include "target/response_event.h"
#include "target/sse_parser.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tailmark {

/// One event that proves at least one generated token.
struct TokenEvent
{
    Nanoseconds at{0}; ///< relative to the reader's origin
    std::int32_t tokens =
        kUnknownCount;      ///< token ids, else the step of continuous usage, else logprobs entries
    bool answer = false;    ///< carries text of the answer: content, refusal or tool call, not only reasoning
    int choice = 0;         ///< which of several answers to the request it belongs to
    bool coalesced = false; ///< has the stamp of the token event before it: both came in one read
};

/// Takes token events as they come. Called on the reader's thread.
class TokenSink
{
public:
    virtual ~TokenSink() = default;
    virtual void onTokenEvent(const TokenEvent& event) = 0;
};

/// Interprets one response of an OpenAI-dialect server, chat or completions, streamed or whole, and writes
/// what it finds straight into the caller's RequestRecord: outcome, finishReason, doneSeen, httpStatus,
/// firstEvent, firstToken, firstAnswerToken, lastToken, all counts of tokens and events. The other members
/// are the caller's.
///
/// Definitions: contract §1 to §3. A token event has non-empty content, text, reasoning, refusal or tool call
/// (name or arguments), token ids, logprobs entries, or a step of continuous usage; an event with a choice
/// and without text only where the engine is known to send one for each step of decoding (EmptyDelta). A line
/// that is no JSON is counted as malformed and the stream goes on. A whole (not streamed) response has a
/// lastToken, the stamp of its last read, and no firstToken: it has no time to first token.
///
/// Made for the generator's thread: in a stream nothing is allocated per event once buffers have grown. Use
/// again with reset(). One thread at a time; never throws.
class ResponseReader
{
public:
    /// Before each request. Stamps are absolute monotonic times, times in the record and in token events are
    /// relative to `origin` (the start of the point). `record` must outlive the response; `sink` may be null.
    void reset(bool streaming, Nanoseconds origin, RequestRecord* record, TokenSink* sink,
               EmptyDelta emptyDelta = EmptyDelta::Nothing);
    /// Once, at the end of the final response's headers. `location`: where a redirect points.
    void onHeaders(int status, std::string_view contentType, std::string_view location = {});
    /// One network read; all events in it carry `stamp`.
    void feed(const char* data, std::size_t size, Nanoseconds stamp);
    /// Once, at the end; `transportOk`: the connection ended as HTTP says. Decides outcome, finish reason and
    /// output tokens. A caller that knows better (timeout, cancelled, no connection) overwrites the outcome
    /// afterwards.
    void finish(bool transportOk);

    /// Why the request failed: one plain line of at most 300 bytes, secrets hidden; empty when it did not.
    const std::string& errorText() const { return m_errorText; }

private:
    bool takeEvent(const SseEvent& event, Nanoseconds at); ///< false when it could not be read
    bool likeTheLast(std::string_view data) const;
    bool scanEvent(std::string_view data);
    void commit(Nanoseconds at);
    void countChoices(std::int64_t generated);
    bool silentToken(bool counted, std::uint64_t seenBefore) const;
    void takeError(std::string_view body);
    void finishWhole(bool transportOk);
    void finishRefused();
    void end(Outcome outcome, std::string text = {});

    SseParser m_parser;
    RequestRecord* m_record = nullptr;
    TokenSink* m_sink = nullptr;
    Nanoseconds m_origin{0};
    EmptyDelta m_emptyDelta = EmptyDelta::Nothing;
    bool m_streaming = true;
    bool m_asStream = false; ///< the response is an event stream, as asked
    std::string m_contentType;
    std::string m_location;
    std::string m_body;    ///< of a response that is no event stream
    ResponseEvent m_event; ///< the event scanned last
    std::string m_before;  ///< when it told of nothing but one text: the bytes before that, its quote
                           ///< included; else empty
    std::string m_after;   ///< … and behind it
    std::string m_errorText;
    std::string m_badFinish; ///< finish reason that tells of a failure
    bool m_errorSeen = false;
    bool m_rejected = false;
    std::int64_t m_events = 0; ///< readable ones, [DONE] included
    Nanoseconds m_lastRead{0};
    std::uint64_t m_choicesSeen = 0; ///< bit per choice index
    std::uint64_t m_choicesFinished = 0;
    std::int64_t m_counted = 0;  ///< continuous count up to the last event; −1 = lost
    bool m_continuous = false;   ///< an event with choices has carried a count
    std::int64_t m_idTokens = 0; ///< sum of token ids; −1 = some token event had none
    std::int32_t m_usageOutput = kUnknownCount;
    std::int64_t m_choiceOutputs = 0;   ///< sum of the usages on the finish events of single choices
    std::uint64_t m_choicesCounted = 0; ///< … of these; 0 once there was a usage of all together
};

} // namespace tailmark
