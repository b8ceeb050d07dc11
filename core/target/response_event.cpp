// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/response_event.h"

#include "target/json_scan.h"

#include <algorithm>

namespace tailmark {

namespace {

FinishReason foldFinishReason(std::string_view reason)
{
    if (reason == "stop" || reason == "eos_token" || reason == "stop_sequence")
        return FinishReason::Stop;
    if (reason == "length")
        return FinishReason::Length;
    if (reason == "tool_calls" || reason == "function_call")
        return FinishReason::ToolCalls;
    if (reason == "content_filter")
        return FinishReason::ContentFilter;
    if (reason == "abort")
        return FinishReason::Abort;
    return reason.empty() ? FinishReason::None : FinishReason::Other;
}

/// The engine gave up or something was cut out: no answer whose times may be compared with others.
bool tellsOfFailure(std::string_view reason)
{
    return reason == "abort" || reason == "error" || reason == "parse_error" || reason == "content_filter";
}

/// Walks one JSON event. The keys are those that any of the engines is known to send.
struct Scan
{
    JsonCursor& json;
    ResponseEvent& event;

    bool generatedText()
    {
        std::string_view found;
        if (!json.string(found)) {
            json.skip();
            return false;
        }
        if (found.empty())
            return false;
        event.text = found;
        ++event.texts;
        return true;
    }

    void members()
    {
        if (!json.enterObject()) {
            json.skip();
            return;
        }
        std::string_view key;
        while (json.nextKey(key)) {
            if (key == "choices")
                choices();
            else if (key == "usage")
                usage();
            else if (key == "timings")
                timings();
            else if (key == "error") {
                event.error |= !json.isNull();
                json.skip();
            } else if (key == "detail") {
                event.detail |= !json.isNull();
                json.skip();
            } else if (key == "object") {
                std::string_view name;
                if (json.string(name))
                    event.error |= name == "error";
                else
                    json.skip();
            } else {
                json.skip();
            }
        }
    }

    void choices()
    {
        if (!json.enterArray()) {
            json.skip();
            return;
        }
        while (json.nextElement()) {
            event.hasChoices = true;
            choice();
        }
    }

    void choice()
    {
        if (!json.enterObject()) {
            json.skip();
            return;
        }
        std::int64_t index = 0;
        std::string_view reason;
        std::string_view key;
        const auto shown = [this] { return event.texts + event.ids + event.logprobs; };
        const std::int32_t before = shown();
        while (json.nextKey(key)) {
            if (key == "delta" || key == "message") { // streamed, whole
                event.hasDelta |= key == "delta";
                delta();
            } else if (key == "text") {
                event.answer |= generatedText();
            } else if (key == "finish_reason") {
                if (!json.string(reason))
                    json.skip();
            } else if (key == "index") {
                if (!json.integer(index))
                    json.skip();
            } else if (key == "logprobs")
                logprobs();
            else if (isIdList(key))
                event.ids += json.countElements();
            else
                json.skip();
        }
        const int number = static_cast<int>(std::clamp<std::int64_t>(index, 0, 63));
        const std::uint64_t bit = 1ULL << number;
        if (shown() != before)
            event.choice = number;
        event.seen |= bit;
        if (!reason.empty()) {
            event.finished |= bit;
            if (bit == 1)
                event.finishReason = foldFinishReason(reason);
            if (tellsOfFailure(reason))
                event.badFinish = reason;
        }
    }

    void delta()
    {
        if (!json.enterObject()) {
            json.skip();
            return;
        }
        std::string_view key;
        while (json.nextKey(key)) {
            if (key == "content" || key == "refusal")
                event.answer |= generatedText();
            else if (key == "reasoning_content" || key == "reasoning")
                event.reasoning |= generatedText();
            else if (key == "tool_calls")
                toolCalls();
            else if (key == "function_call")
                functionCall();
            else if (isIdList(key))
                event.ids += json.countElements();
            else
                json.skip();
        }
    }

    void toolCalls()
    {
        if (!json.enterArray()) {
            json.skip();
            return;
        }
        while (json.nextElement()) {
            if (!json.enterObject()) {
                json.skip();
                continue;
            }
            std::string_view key;
            while (json.nextKey(key)) {
                if (key == "function")
                    functionCall();
                else
                    json.skip();
            }
        }
    }

    void functionCall()
    {
        if (!json.enterObject()) {
            json.skip();
            return;
        }
        std::string_view key;
        while (json.nextKey(key)) {
            if (key == "name" || key == "arguments")
                event.answer |= generatedText();
            else
                json.skip();
        }
    }

    void logprobs()
    {
        if (!json.enterObject()) {
            json.skip();
            return;
        }
        std::string_view key;
        while (json.nextKey(key)) {
            if (key == "content" || key == "tokens") // chat, completions
                event.logprobs += json.countElements();
            else
                json.skip();
        }
    }

    void usage()
    {
        if (!json.enterObject()) {
            json.skip();
            return;
        }
        std::string_view key;
        while (json.nextKey(key)) {
            if (key == "prompt_tokens")
                count(event.promptTokens);
            else if (key == "completion_tokens")
                count(event.completionTokens);
            else if (key == "prompt_tokens_details" && json.enterObject()) {
                while (json.nextKey(key)) {
                    if (key == "cached_tokens")
                        count(event.cachedTokens);
                    else
                        json.skip();
                }
            } else
                json.skip();
        }
    }

    /// llama.cpp's own account: on the last event, or on each when asked for.
    void timings()
    {
        if (!json.enterObject()) {
            json.skip();
            return;
        }
        std::string_view key;
        while (json.nextKey(key)) {
            if (key == "predicted_n")
                count(event.timedTokens);
            else if (key == "cache_n" && event.cachedTokens < 0)
                count(event.cachedTokens);
            else
                json.skip();
        }
    }

    void count(std::int64_t& value)
    {
        if (!json.integer(value))
            json.skip();
    }

    static bool isIdList(std::string_view key)
    {
        return key == "token_ids" || key == "output_ids" || key == "tokens";
    }
};

} // namespace

bool scanResponseEvent(std::string_view text, ResponseEvent& event)
{
    event = {};
    JsonCursor json(text);
    Scan{json, event}.members();
    return json.atEnd();
}

} // namespace tailmark
