// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/response_reader.h"

#include "base/bounded_json.h"
#include "target/error_text.h"
#include "target/json_scan.h"

#include <algorithm>
#include <bit>
#include <cctype>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

/// Of a refusal only the beginning matters; a whole response is kept for its usage.
constexpr std::size_t kMaxRefusalBytes = 16u << 10;
constexpr std::size_t kMaxWholeBytes = 64u << 20;

bool isEventStream(std::string_view contentType)
{
    constexpr std::string_view wanted = "text/event-stream";
    return contentType.size() >= wanted.size() &&
           std::equal(wanted.begin(), wanted.end(), contentType.begin(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

std::int32_t toCount(std::int64_t value)
{
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, kUnknownCount, INT32_MAX));
}

/// A later count replaces an earlier one, an absent one does not.
void takeKnown(std::int32_t& count, std::int64_t value)
{
    if (value >= 0)
        count = toCount(value);
}

} // namespace

void ResponseReader::reset(bool streaming, Nanoseconds origin, RequestRecord* record, TokenSink* sink,
                           EmptyDelta emptyDelta)
{
    m_parser.reset();
    m_record = record;
    m_sink = sink;
    m_origin = origin;
    m_emptyDelta = emptyDelta;
    m_streaming = streaming;
    m_asStream = m_errorSeen = m_rejected = m_continuous = false;
    m_contentType.clear();
    m_location.clear();
    m_body.clear();
    m_before.clear();
    m_errorText.clear();
    m_badFinish.clear();
    m_events = 0;
    m_lastRead = Nanoseconds(0);
    m_choicesSeen = m_choicesFinished = 0;
    m_counted = m_idTokens = 0;
    m_usageOutput = kUnknownCount;
    m_choiceOutputs = 0;
    m_choicesCounted = 0;
}

void ResponseReader::onHeaders(int status, std::string_view contentType, std::string_view location)
{
    m_record->httpStatus = static_cast<std::uint16_t>(status);
    m_contentType.assign(contentType);
    m_location.assign(location);
    m_asStream = m_streaming && status == 200 && isEventStream(contentType);
}

/// Most events of a response differ in nothing but the text of one delta. When the same bytes stand before
/// and behind it and the text between them is a valid string, the event says what the one before said: no
/// need to scan it.
inline bool ResponseReader::likeTheLast(std::string_view data) const
{
    if (m_before.empty() || data.size() <= m_before.size() + m_after.size() || !data.starts_with(m_before) ||
        !data.ends_with(m_after))
        return false;
    JsonCursor json(data, m_before.size() - 1);
    std::string_view text;
    return json.string(text) && text.size() == data.size() - m_before.size() - m_after.size();
}

bool ResponseReader::scanEvent(std::string_view data)
{
    m_before.clear();
    if (!scanResponseEvent(data, m_event))
        return false;
    if (m_event.onlyText()) {
        const auto offset = static_cast<std::size_t>(m_event.text.data() - data.data());
        m_before.assign(data.substr(0, offset));
        m_after.assign(data.substr(offset + m_event.text.size()));
    }
    return true;
}

/// Usage on the finish events of single choices (llama.cpp) has to be added up; a later one of all is the sum.
void ResponseReader::countChoices(std::int64_t generated)
{
    if (!m_event.hasChoices) {
        m_choicesCounted = 0;
        m_choiceOutputs = 0;
    } else if (m_event.finished != 0) {
        m_choicesCounted |= m_event.finished;
        m_choiceOutputs += generated;
    }
}

/// Whether an event without evidence stands for a token that has no visible text: known of the engine, where
/// its events carry no counts or ids that would tell for certain.
bool ResponseReader::silentToken(bool counted, std::uint64_t seenBefore) const
{
    if (m_emptyDelta == EmptyDelta::Nothing || !m_event.hasChoices || !m_event.badFinish.empty() ||
        m_idTokens > 0 || m_continuous || (counted && m_event.finished == 0))
        return false;
    const bool roleOnly = m_event.hasDelta && (m_event.seen & ~seenBefore) != 0;
    return m_emptyDelta == EmptyDelta::Token || !roleOnly;
}

inline void ResponseReader::commit(Nanoseconds at)
{
    const ResponseEvent& event = m_event;
    const std::uint64_t seenBefore = m_choicesSeen;
    m_choicesSeen |= event.seen;
    m_choicesFinished |= event.finished;
    if (event.finishReason != FinishReason::None)
        m_record->finishReason = event.finishReason;
    if (!event.badFinish.empty())
        m_badFinish.assign(event.badFinish);

    // A step of continuous usage is known only from event to event; a first usage on the finish event is the
    // final count, not a sign of a token.
    std::int64_t step = 0;
    const bool told = event.hasUsage() || event.timedTokens >= 0;
    const std::int64_t generated = event.hasUsage() ? event.completionTokens : event.timedTokens;
    // Of several choices each has counts of its own, so that no step is known from event to event.
    const bool single = (m_choicesSeen & (m_choicesSeen - 1)) == 0;
    const bool counted = event.hasChoices && told && generated >= 0 && single;
    if (told && generated >= 0)
        countChoices(generated);
    if (told) {
        takeKnown(m_record->promptTokens, event.promptTokens);
        takeKnown(m_record->cachedTokens, event.cachedTokens);
        takeKnown(m_usageOutput, generated);
        if (counted && m_counted >= 0)
            step = generated - m_counted;
    }
    const bool evidence = event.answer || event.reasoning || event.ids > 0 || event.logprobs > 0 ||
                          (step > 0 && (m_continuous || event.finished == 0)) ||
                          silentToken(counted, seenBefore);
    if (counted) {
        m_counted = generated;
        m_continuous = true;
    } else if (evidence) {
        m_counted = -1;
    }
    if (!evidence)
        return;

    TokenEvent token;
    token.at = at;
    token.answer = event.answer;
    token.choice = event.choice;
    token.coalesced = m_record->lastToken == at;
    if (event.ids > 0)
        token.tokens = event.ids;
    else if (step > 0)
        token.tokens = toCount(step);
    else if (event.logprobs > 0)
        token.tokens = event.logprobs;
    m_idTokens = event.ids > 0 && m_idTokens >= 0 ? m_idTokens + event.ids : -1;

    if (m_record->tokenEvents++ == 0) {
        m_record->firstToken = at;
        m_record->firstEventTokens = token.tokens;
    }
    if (event.answer && !isPresent(m_record->firstAnswerToken))
        m_record->firstAnswerToken = at;
    m_record->lastToken = at;
    m_record->coalescedEvents += token.coalesced;
    if (m_sink)
        m_sink->onTokenEvent(token);
}

bool ResponseReader::takeEvent(const SseEvent& sse, Nanoseconds at)
{
    const bool known = !sse.error && likeTheLast(sse.data);
    if (!known && sse.data == "[DONE]")
        m_record->doneSeen = true;
    else if (!known && !sse.error && !scanEvent(sse.data))
        return false;
    else if (!known && (sse.error || m_event.isError()))
        takeError(sse.data);
    else
        commit(at);
    if (m_events++ == 0)
        m_record->firstEvent = at;
    return true;
}

void ResponseReader::feed(const char* data, std::size_t size, Nanoseconds stamp)
{
    const Nanoseconds at = stamp - m_origin;
    if (!m_asStream) {
        const bool wanted = m_record->httpStatus == 200 && !m_streaming;
        const std::size_t limit = wanted ? kMaxWholeBytes : kMaxRefusalBytes;
        m_body.append(data, std::min(size, limit - std::min(limit, m_body.size())));
        if (wanted)
            m_record->lastToken = at;
        return;
    }
    m_parser.feed(data, size);
    SseEvent event;
    while (m_parser.next(event))
        if (!takeEvent(event, at))
            ++m_record->malformedEvents;
    m_lastRead = at;
}

void ResponseReader::takeError(std::string_view body)
{
    if (m_errorSeen)
        return; // the first one tells the cause
    m_errorSeen = true;
    const ServerError error = readServerError(body);
    m_rejected = error.rejected;
    m_errorText = error.text.empty() ? "the server sent an error event without a text" : error.text;
}

void ResponseReader::finish(bool transportOk)
{
    if (m_record->httpStatus == 0)
        return end(Outcome::Truncated, "the connection ended before a response came");
    if (m_record->httpStatus != 200)
        return finishRefused();
    if (!m_asStream)
        return finishWhole(transportOk);

    SseEvent last;
    if (m_parser.takeUnfinished(last))
        takeEvent(
            last,
            m_lastRead); // counts when it is whole; one that was cut is part of the truncation, not malformed
    const bool several = (m_choicesSeen & (m_choicesSeen - 1)) != 0;
    if (several && m_choicesCounted == m_choicesSeen)
        m_record->outputTokens = toCount(m_choiceOutputs);
    else if (m_usageOutput >= 0)
        m_record->outputTokens = m_usageOutput;
    else if (m_idTokens > 0)
        m_record->outputTokens = toCount(m_idTokens);
    if (std::popcount(m_choicesSeen) > 1)
        m_record->firstEventTokens = m_record->outputTokens;

    if (m_errorSeen)
        return end(m_rejected ? Outcome::Rejected : Outcome::ServerError, m_errorText);
    if (!m_badFinish.empty())
        return end(Outcome::ServerError,
                   "the engine ended the request with finish_reason " + plainLine(m_badFinish, 40));
    if (m_events == 0 && (m_record->malformedEvents > 0 || m_parser.sawForeignLine()))
        return end(Outcome::Malformed, "nothing in the event stream could be read as a JSON event");
    const bool finished = m_choicesSeen != 0 && (m_choicesFinished & m_choicesSeen) == m_choicesSeen;
    if (!finished && !m_record->doneSeen)
        return end(Outcome::Truncated,
                   std::string("the stream ended without finish_reason and [DONE] after ") +
                       std::to_string(m_record->tokenEvents) + " token events" +
                       (transportOk ? "" : ", the connection broke"));
    if (m_record->tokenEvents == 0)
        return end(Outcome::NoContent, "the stream ended properly without any generated token");
    end(Outcome::Completed);
}

/// Any status but 200. Redirects are not followed, so 3xx is a refusal too.
void ResponseReader::finishRefused()
{
    const int status = m_record->httpStatus;
    const ServerError error = readServerError(m_body);
    std::string text = "HTTP " + std::to_string(status);
    if (status >= 300 && status < 400)
        text += ": redirects are not followed" +
                (m_location.empty() ? std::string() : " (to " + hideSecrets(m_location) + ")");
    if (!error.text.empty())
        text += ": " + error.text;
    if (status == 429 || status == 503 || error.rejected)
        return end(Outcome::Rejected, text);
    end(status >= 300 && status < 500 ? Outcome::ClientError : Outcome::ServerError, text);
}

/// Status 200 and no event stream: the whole answer when it was asked for so, else not what was asked for.
void ResponseReader::finishWhole(bool transportOk)
{
    if (m_streaming || isEventStream(m_contentType)) {
        const ServerError error = readServerError(m_body);
        const nlohmann::json json = boundedJson(m_body);
        if (m_streaming && json.is_object() && (json.contains("error") || json.contains("detail")))
            return end(error.rejected ? Outcome::Rejected : Outcome::ServerError, error.text);
        return end(Outcome::Malformed,
                   "asked for " + std::string(m_streaming ? "an event stream" : "one JSON body") +
                       ", the server sent " +
                       (m_contentType.empty() ? "no content type" : plainLine(m_contentType, 80)));
    }
    if (!transportOk)
        return end(Outcome::Truncated, "the connection broke inside the response");

    ResponseEvent event;
    if (!scanResponseEvent(m_body, event))
        return end(Outcome::Malformed, "the response is not valid JSON: " + plainLine(m_body, 120));
    if (event.hasUsage()) {
        takeKnown(m_record->promptTokens, event.promptTokens);
        takeKnown(m_record->cachedTokens, event.cachedTokens);
        takeKnown(m_record->outputTokens, event.completionTokens);
    } else if (event.ids > 0) {
        m_record->outputTokens = event.ids;
    } else {
        takeKnown(m_record->outputTokens, event.timedTokens);
    }
    m_record->finishReason = event.finishReason;
    if (event.isError()) {
        const ServerError error = readServerError(m_body);
        return end(error.rejected ? Outcome::Rejected : Outcome::ServerError, error.text);
    }
    if (!event.badFinish.empty())
        return end(Outcome::ServerError,
                   "the engine ended the request with finish_reason " + plainLine(event.badFinish, 40));
    if (!event.answer && !event.reasoning && event.ids == 0 && event.logprobs == 0) {
        m_record->lastToken = kAbsentTime;
        return end(Outcome::NoContent, "the response holds no generated token");
    }
    end(Outcome::Completed);
}

void ResponseReader::end(Outcome outcome, std::string text)
{
    m_record->outcome = outcome;
    m_errorText = plainLine(text);
    // what is kept between requests stays small, thousands of readers exist at once
    if (m_body.capacity() > kMaxRefusalBytes)
        std::string().swap(m_body);
}

} // namespace tailmark
