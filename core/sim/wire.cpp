// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/wire.h"

#include <charconv>

#include <nlohmann/json.hpp>

namespace tailmark::sim {

using nlohmann::json;

namespace {

void appendNumber(std::string& out, std::int64_t value)
{
    char text[24];
    out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string jsonString(std::string_view text)
{
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string idArray(const std::vector<std::int32_t>& ids)
{
    std::string out = "[";
    for (const std::int32_t id : ids) {
        if (out.size() > 1)
            out += ',';
        appendNumber(out, id);
    }
    return out += ']';
}

void appendUsage(std::string& out, const Usage& usage)
{
    out += "{\"prompt_tokens\":";
    appendNumber(out, usage.promptTokens);
    out += ",\"total_tokens\":";
    appendNumber(out, usage.promptTokens + usage.outputTokens);
    out += ",\"completion_tokens\":";
    appendNumber(out, usage.outputTokens);
    if (usage.cachedTokens >= 0) {
        out += ",\"prompt_tokens_details\":{\"cached_tokens\":";
        appendNumber(out, usage.cachedTokens);
        out += '}';
    }
    out += '}';
}

std::string_view errorType(int status)
{
    switch (status) {
    case 400:
        return "BadRequestError";
    case 404:
        return "NotFoundError";
    case 429:
        return "TooManyRequestsError";
    case 500:
        return "InternalServerError";
    case 503:
        return "ServiceUnavailableError";
    default:
        return status < 500 ? "ClientError" : "ServerError";
    }
}

} // namespace

AnswerWriter::AnswerWriter(const GenerationRequest& request, std::string_view requestId,
                           const std::string& model, std::int64_t created, std::uint64_t answerSeed)
    : m_api(request.api), m_tokenIds(request.returnTokenIds), m_continuousUsage(request.continuousUsage),
      m_answerSeed(answerSeed)
{
    const bool chat = m_api == Api::Chat;
    const std::string object = !chat            ? "text_completion"
                               : request.stream ? "chat.completion.chunk"
                                                : "chat.completion";
    m_identity = "\"id\":" + jsonString((chat ? "chatcmpl-" : "cmpl-") + std::string(requestId)) +
                 ",\"object\":\"" + object + "\",\"created\":" + std::to_string(created) +
                 ",\"model\":" + jsonString(model);
    m_chunkHead = "data: {" + m_identity + ",\"choices\":[{\"index\":";
    m_tool = request.tool.empty() ? std::string() : jsonString(request.tool);
    m_promptTokenIds = m_tokenIds ? idArray(request.prompt.ids()) : "null";
}

void AnswerWriter::appendText(std::string& out, int choice, int first, int count) const
{
    const std::uint64_t seed = choiceSeed(m_answerSeed, choice);
    for (int i = first; i < first + count; ++i) {
        if (i > 0 || m_api == Api::Completions) // a completion goes on where the prompt ends
            out += ' ';
        out += outputWord(seed, i).text;
    }
}

void AnswerWriter::appendTokenIds(std::string& out, int choice, int first, int count) const
{
    if (!m_tokenIds) {
        out += "null";
        return;
    }
    const std::uint64_t seed = choiceSeed(m_answerSeed, choice);
    for (int i = first; i < first + count; ++i) {
        out += i == first ? '[' : ',';
        appendNumber(out, outputWord(seed, i).id);
    }
    out += ']';
}

/// The members of a delta or message that calls the tool with {"text":"…"}; a call that is cut by the limit
/// of tokens stays open, as with real engines.
void AnswerWriter::appendToolCall(std::string& out, int choice, int first, int count,
                                  std::string_view finishReason) const
{
    out += "\"tool_calls\":[{\"index\":0,";
    if (first == 0) {
        out += "\"id\":\"call_";
        appendNumber(out, choice);
        out.append("\",\"type\":\"function\",\"function\":{\"name\":").append(m_tool);
        out += R"(,"arguments":"{\"text\":\")";
    } else {
        out += R"("function":{"arguments":")";
    }
    appendText(out, choice, first, count);
    if (finishReason == "tool_calls")
        out += R"(\"})";
    out += "\"}}]";
}

void AnswerWriter::closeChunk(std::string& out, const Usage& usage) const
{
    if (m_continuousUsage) {
        out += ",\"usage\":";
        appendUsage(out, usage);
    }
    out += "}\n\n";
}

void AnswerWriter::appendRoleChunk(std::string& out, int choice, const Usage& usage) const
{
    out += m_chunkHead;
    appendNumber(out, choice);
    out += ",\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,"
           "\"finish_reason\":null}],\"prompt_token_ids\":";
    out += m_promptTokenIds;
    closeChunk(out, usage);
}

void AnswerWriter::appendTokenChunk(std::string& out, int choice, int first, int count,
                                    std::string_view finishReason, const Usage& usage) const
{
    out += m_chunkHead;
    appendNumber(out, choice);
    if (!m_tool.empty()) {
        out += ",\"delta\":{";
        appendToolCall(out, choice, first, count, finishReason);
        out += "},\"logprobs\":null,\"finish_reason\":";
    } else {
        out += m_api == Api::Chat ? ",\"delta\":{\"content\":\"" : ",\"text\":\"";
        appendText(out, choice, first, count);
        out += m_api == Api::Chat ? "\"},\"logprobs\":null,\"finish_reason\":"
                                  : "\",\"logprobs\":null,\"finish_reason\":";
    }
    if (finishReason.empty())
        out += "null";
    else
        out.append("\"").append(finishReason).append("\"");
    if (m_api == Api::Completions || !finishReason.empty())
        out += ",\"stop_reason\":null";
    if (m_api == Api::Completions)
        out.append(",\"prompt_token_ids\":").append(first == 0 ? std::string_view(m_promptTokenIds) : "null");
    out += ",\"token_ids\":";
    appendTokenIds(out, choice, first, count);
    out += "}]";
    closeChunk(out, usage);
}

void AnswerWriter::appendUsageChunk(std::string& out, const Usage& usage) const
{
    out.append("data: {").append(m_identity).append(",\"choices\":[],\"usage\":");
    appendUsage(out, usage);
    out += "}\n\n";
}

void AnswerWriter::appendErrorEvent(std::string& out, int code, std::string_view message)
{
    out.append("data: ").append(errorBody(code, message)).append("\n\n");
}

std::string AnswerWriter::body(std::span<const Whole> choices, const Usage& usage, bool withUsage) const
{
    std::string out = "{" + m_identity + ",\"choices\":[";
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const int choice = static_cast<int>(i);
        const Whole& whole = choices[i];
        out += i > 0 ? ",{\"index\":" : "{\"index\":";
        appendNumber(out, choice);
        if (!m_tool.empty()) {
            out += ",\"message\":{\"role\":\"assistant\",\"content\":null,";
            appendToolCall(out, choice, 0, whole.tokens, whole.finishReason);
            out += "},";
        } else {
            out +=
                m_api == Api::Chat ? ",\"message\":{\"role\":\"assistant\",\"content\":\"" : ",\"text\":\"";
            appendText(out, choice, 0, whole.tokens);
            out += m_api == Api::Chat ? "\",\"refusal\":null,\"tool_calls\":[]}," : "\",";
        }
        out.append("\"logprobs\":null,\"finish_reason\":\"")
            .append(whole.finishReason)
            .append("\",\"stop_reason\":null,");
        if (m_api == Api::Completions)
            out.append("\"prompt_token_ids\":").append(m_promptTokenIds).append(",");
        out += "\"token_ids\":";
        appendTokenIds(out, choice, 0, whole.tokens);
        out += "}";
    }
    out += "]";
    if (m_api == Api::Chat)
        out.append(",\"prompt_token_ids\":").append(m_promptTokenIds);
    if (withUsage) {
        out += ",\"usage\":";
        appendUsage(out, usage);
    }
    return out += "}";
}

std::string errorBody(int status, std::string_view message, std::string_view param)
{
    std::string out = "{\"error\":{\"message\":" + jsonString(message) + ",\"type\":\"";
    out.append(errorType(status)).append("\",\"param\":").append(param.empty() ? "null" : jsonString(param));
    out += ",\"code\":" + std::to_string(status) + "}}";
    return out;
}

std::string modelsBody(const ServedModel& model, std::string_view root, std::int64_t created)
{
    json models = {{{"id", model.name},
                    {"object", "model"},
                    {"created", created},
                    {"owned_by", "tailmark-sim"},
                    {"root", root},
                    {"parent", nullptr},
                    {"max_model_len", model.maxModelLen}}};
    for (const std::string& adapter : model.adapters)
        models.push_back({{"id", adapter},
                          {"object", "model"},
                          {"created", created},
                          {"owned_by", "tailmark-sim"},
                          {"root", adapter},
                          {"parent", model.name},
                          {"max_model_len", nullptr}});
    const json body = {{"object", "list"}, {"data", models}};
    return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string tokenizeBody(const TokenizedPrompt& prompt, int maxModelLen)
{
    std::string out = "{\"count\":";
    appendNumber(out, prompt.size());
    out += ",\"max_model_len\":";
    appendNumber(out, maxModelLen);
    out.append(",\"tokens\":").append(idArray(prompt.ids())).append(",\"token_strs\":null}");
    return out;
}

} // namespace tailmark::sim
