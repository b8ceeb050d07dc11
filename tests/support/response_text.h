// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "target/sse_parser.h"

#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace tailmark::test {

/// What a reader of the answer would see, read with a full JSON parser and nothing of the response reader:
/// the oracle that the reader's findings are held against.
class ResponseText
{
public:
    std::string output; ///< visible text of choice 0
    std::string reasoning;
    std::map<int, std::string> otherChoices;
    struct ToolCall
    {
        std::string name, arguments;
    };
    std::map<int, ToolCall> toolCalls;
    int jsonEvents = 0;    ///< events whose data is JSON
    int contentEvents = 0; ///< those with text, reasoning or a tool call
    int firstContent = -1; ///< number of the first of them
    int firstAnswer = -1;  ///< the same without reasoning

    void feed(const char* data, std::size_t size)
    {
        m_parser.feed(data, size);
        SseEvent event;
        while (m_parser.next(event))
            take(event);
    }
    void finish()
    {
        SseEvent event;
        if (m_parser.takeUnfinished(event))
            take(event);
    }

private:
    using Json = nlohmann::json;

    static std::string text(const Json& object, const char* key)
    {
        const auto it = object.find(key);
        return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
    }
    void take(const SseEvent& event)
    {
        const Json json = Json::parse(event.data, nullptr, false);
        if (json.is_discarded() || event.data == "[DONE]")
            return;
        const int number = jsonEvents++;
        bool answer = false, reasoned = false;
        const auto choices = json.is_object() ? json.find("choices") : json.end();
        if (json.is_object() && choices != json.end() && choices->is_array())
            for (const Json& choice : *choices) {
                const int index = choice.value("index", 0);
                const Json delta = choice.contains("delta") && choice["delta"].is_object() ? choice["delta"]
                                                                                           : Json::object();
                const std::string visible =
                    text(choice, "text") + text(delta, "content") + text(delta, "refusal");
                (index == 0 ? output : otherChoices[index]) += visible;
                const std::string thought = text(delta, "reasoning_content") + text(delta, "reasoning");
                reasoning += thought;
                answer |= !visible.empty();
                reasoned |= !thought.empty();
                if (delta.contains("tool_calls") && delta["tool_calls"].is_array())
                    for (const Json& call : delta["tool_calls"]) {
                        const Json function = call.value("function", Json::object());
                        ToolCall& known = toolCalls[call.value("index", 0)];
                        known.name += text(function, "name");
                        known.arguments += text(function, "arguments");
                        answer |= !text(function, "name").empty() || !text(function, "arguments").empty();
                    }
            }
        if (!answer && !reasoned)
            return;
        ++contentEvents;
        if (firstContent < 0)
            firstContent = number;
        if (answer && firstAnswer < 0)
            firstAnswer = number;
    }

    SseParser m_parser;
};

} // namespace tailmark::test
