// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/api_request.h"

#include "base/bounded_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

namespace tailmark::sim {

using nlohmann::json;

namespace {

constexpr int kDefaultCompletionTokens = 16;
constexpr std::size_t kMaxSaltLength = 128;

/// Null where the key is absent or null: vLLM treats both alike.
const json* field(const json& body, const char* key)
{
    const auto it = body.find(key);
    return it == body.end() || it->is_null() ? nullptr : &*it;
}

/// Reads optional typed fields; the first wrong one is the error.
class Fields
{
public:
    explicit Fields(const json& body) : m_body(body) {}

    void take(const char* key, bool& out)
    {
        const json* value = field(m_body, key);
        if (value && !value->is_boolean())
            return fail(key, "must be a boolean");
        if (value)
            out = value->get<bool>();
    }
    void take(const char* key, std::string& out)
    {
        const json* value = field(m_body, key);
        if (value && !value->is_string())
            return fail(key, "must be a string");
        if (value)
            out = value->get<std::string>();
    }
    void take(const char* key, std::optional<int>& out)
    {
        const json* value = field(m_body, key);
        if (!value)
            return;
        const double number = value->is_number() ? value->get<double>() : 0.5;
        if (number != std::floor(number))
            return fail(key, "must be an integer");
        if (std::abs(number) > std::numeric_limits<int>::max())
            return fail(key, "is out of range");
        out = static_cast<int>(number);
    }
    const std::optional<ApiError>& error() const { return m_error; }

private:
    void fail(const std::string& key, const std::string& what)
    {
        if (!m_error)
            m_error = ApiError::badRequest("`" + key + "` " + what + ".", key);
    }

    const json& m_body;
    std::optional<ApiError> m_error;
};

std::variant<json, ApiError> parseObject(std::string_view body)
{
    json root = boundedJson(body);
    if (root.is_discarded())
        return ApiError::badRequest("The request body is not valid JSON.");
    if (!root.is_object())
        return ApiError::badRequest("The request body must be a JSON object.");
    return root;
}

std::optional<ApiError> addContent(const json& message, TokenizedPrompt& prompt)
{
    const json* content = field(message, "content");
    if (!content)
        return std::nullopt; // an assistant message with tool calls alone
    if (content->is_string()) {
        prompt.addText(content->get_ref<const std::string&>());
        return std::nullopt;
    }
    if (!content->is_array())
        return ApiError::badRequest("A message's `content` must be a string or a list of parts.", "messages");
    for (const json& part : *content) {
        const json* image = part.is_object() ? field(part, "image_url") : nullptr;
        if (image) {
            const json* url = image->is_object() ? field(*image, "url") : nullptr;
            const auto size = url && url->is_string() ? imageSize(url->get_ref<const std::string&>())
                                                      : std::optional<ImageSize>();
            if (!size)
                return ApiError::badRequest("An image must be a data URL with a PNG picture.", "messages");
            prompt.addImage(url->get_ref<const std::string&>(), *size);
            continue;
        }
        const json* text = part.is_object() ? field(part, "text") : nullptr;
        if (!text || !text->is_string())
            return ApiError::badRequest("This model takes text and image parts only.", "messages");
        prompt.addText(text->get_ref<const std::string&>());
    }
    return std::nullopt;
}

std::optional<ApiError> addMessages(const json& messages, bool openReply, TokenizedPrompt& prompt)
{
    if (!messages.is_array() || messages.empty())
        return ApiError::badRequest("`messages` must be a list with at least one message.", "messages");
    for (const json& message : messages) {
        const json* role = message.is_object() ? field(message, "role") : nullptr;
        if (!role || !role->is_string())
            return ApiError::badRequest("Each message needs a `role`.", "messages");
        prompt.openMessage(role->get_ref<const std::string&>());
        if (auto error = addContent(message, prompt))
            return error;
        prompt.closeMessage();
    }
    if (openReply)
        prompt.openMessage("assistant");
    return std::nullopt;
}

bool isTokenIds(const json& value)
{
    return value.is_array() && !value.empty() && value[0].is_number_integer();
}

std::optional<ApiError> addPrompt(const json& value, TokenizedPrompt& prompt)
{
    if (value.is_string()) {
        prompt.addText(value.get_ref<const std::string&>());
    } else if (isTokenIds(value)) {
        for (const json& id : value) {
            const auto number = id.is_number_integer() ? id.get<std::int64_t>() : -1;
            if (number < 0 || number >= kVocabularySize)
                return ApiError::badRequest("Token id " + id.dump() + " is out of vocabulary.", "prompt");
            prompt.addId(static_cast<std::int32_t>(number));
        }
    } else if (value.is_array() && value.size() == 1 && (value[0].is_string() || isTokenIds(value[0]))) {
        return addPrompt(value[0], prompt);
    } else {
        return ApiError::badRequest("`prompt` must be one string or one list of token ids.", "prompt");
    }
    return std::nullopt;
}

std::optional<ApiError> checkModel(const std::string& asked, const ServedModel& model)
{
    if (asked.empty() || asked == model.name ||
        std::find(model.adapters.begin(), model.adapters.end(), asked) != model.adapters.end())
        return std::nullopt;
    return ApiError{404, "The model `" + asked + "` does not exist.", "model"};
}

/// max_completion_tokens wins over max_tokens; without both a chat runs to the end of the context.
std::optional<ApiError> settleLengths(const json& body, const ServedModel& model, GenerationRequest& request)
{
    std::optional<int> maxTokens;
    std::optional<int> maxCompletionTokens;
    std::optional<int> minTokens;
    Fields fields(body);
    fields.take("max_tokens", maxTokens);
    if (request.api == Api::Chat)
        fields.take("max_completion_tokens", maxCompletionTokens);
    fields.take("min_tokens", minTokens);
    if (fields.error())
        return fields.error();

    const int promptTokens = request.prompt.size();
    const std::string context =
        "This model's maximum context length is " + std::to_string(model.maxModelLen) + " tokens. ";
    if (promptTokens >= model.maxModelLen)
        return ApiError::badRequest(context + "However, your request has " + std::to_string(promptTokens) +
                                        " input tokens. Please reduce the length of the input messages.",
                                    "input_tokens");
    const bool explicitCap = maxCompletionTokens || maxTokens || request.api == Api::Completions;
    const int fallback =
        request.api == Api::Completions ? kDefaultCompletionTokens : model.maxModelLen - promptTokens;
    request.maxTokens = maxCompletionTokens.value_or(maxTokens.value_or(fallback));
    if (request.maxTokens < 1)
        return ApiError::badRequest("max_tokens must be at least 1, got " +
                                        std::to_string(request.maxTokens) + ".",
                                    maxCompletionTokens ? "max_completion_tokens" : "max_tokens");
    if (explicitCap && request.maxTokens > model.maxModelLen - promptTokens)
        return ApiError::badRequest(
            "'max_tokens' or 'max_completion_tokens' is too large: " + std::to_string(request.maxTokens) +
                ". " + context + "Your request has " + std::to_string(promptTokens) + " input tokens.",
            "max_tokens");
    request.minTokens = minTokens.value_or(0);
    if (request.minTokens < 0 || request.minTokens > request.maxTokens)
        return ApiError::badRequest(
            "min_tokens must lie between 0 and max_tokens=" + std::to_string(request.maxTokens) + ", got " +
                std::to_string(request.minTokens) + ".",
            "min_tokens");
    return std::nullopt;
}

/// The function that `tools` and `tool_choice` make the model call.
std::optional<ApiError> readTools(const json& body, std::string& tool)
{
    const json* tools = field(body, "tools");
    if (!tools)
        return std::nullopt;
    std::vector<std::string> names;
    for (const json& entry : *tools) {
        const json* function = entry.is_object() ? field(entry, "function") : nullptr;
        const json* name = function && function->is_object() ? field(*function, "name") : nullptr;
        if (!name || !name->is_string())
            return ApiError::badRequest("Each tool needs a function with a name.", "tools");
        names.push_back(name->get<std::string>());
    }
    const json* choice = field(body, "tool_choice");
    if (!choice || *choice == "auto" || *choice == "none" || names.empty())
        return std::nullopt; // this model calls no tool of its own accord
    if (*choice == "required") {
        tool = names.front();
        return std::nullopt;
    }
    const json* function = choice->is_object() ? field(*choice, "function") : nullptr;
    const json* name = function && function->is_object() ? field(*function, "name") : nullptr;
    if (!name || !name->is_string() || std::find(names.begin(), names.end(), *name) == names.end())
        return ApiError::badRequest("`tool_choice` names no tool of `tools`.", "tool_choice");
    tool = name->get<std::string>();
    return std::nullopt;
}

std::optional<ApiError> readOptions(const json& body, GenerationRequest& request)
{
    Fields fields(body);
    std::optional<int> n;
    fields.take("n", n);
    fields.take("stream", request.stream);
    fields.take("ignore_eos", request.ignoreEos);
    fields.take("return_token_ids", request.returnTokenIds);
    fields.take("cache_salt", request.cacheSalt);
    if (fields.error())
        return fields.error();
    request.choices = n.value_or(1);
    if (request.choices < 1 || request.choices > kMaxChoices)
        return ApiError::badRequest("n must lie between 1 and " + std::to_string(kMaxChoices) + ", got " +
                                        std::to_string(request.choices) + ".",
                                    "n");
    if (const json* format = field(body, "response_format");
        format && !(format->is_object() && format->contains("type")))
        return ApiError::badRequest("`response_format` must be an object with a type.", "response_format");
    if (request.api == Api::Chat)
        if (auto error = readTools(body, request.tool))
            return error;
    if (request.cacheSalt.size() > kMaxSaltLength)
        return ApiError::badRequest("cache_salt may have at most 128 characters.", "cache_salt");
    request.includeUsage = !request.stream;
    if (const json* options = field(body, "stream_options")) {
        if (!request.stream)
            return ApiError::badRequest("Stream options can only be defined when `stream=True`.",
                                        "stream_options");
        if (!options->is_object())
            return ApiError::badRequest("`stream_options` must be an object.", "stream_options");
        Fields stream(*options);
        stream.take("include_usage", request.includeUsage);
        stream.take("continuous_usage_stats", request.continuousUsage);
        request.continuousUsage = request.continuousUsage && request.includeUsage;
        return stream.error();
    }
    return std::nullopt;
}

} // namespace

std::variant<GenerationRequest, ApiError> parseGeneration(Api api, std::string_view text,
                                                          const ServedModel& model)
{
    auto parsed = parseObject(text);
    if (const auto* error = std::get_if<ApiError>(&parsed))
        return *error;
    const json& body = std::get<json>(parsed);
    GenerationRequest request;
    request.api = api;
    Fields fields(body);
    fields.take("model", request.model);
    if (fields.error())
        return *fields.error();
    if (auto error = checkModel(request.model, model))
        return *error;
    const char* key = api == Api::Chat ? "messages" : "prompt";
    const json* input = field(body, key);
    if (!input)
        return ApiError::badRequest(std::string("`") + key + "` is required.", key);
    if (auto error =
            api == Api::Chat ? addMessages(*input, true, request.prompt) : addPrompt(*input, request.prompt))
        return *error;
    if (request.prompt.size() == 0)
        return ApiError::badRequest("The prompt must not be empty.", key);
    if (auto error = readOptions(body, request))
        return *error;
    if (auto error = settleLengths(body, model, request))
        return *error;
    return request;
}

std::variant<TokenizedPrompt, ApiError> parseTokenize(std::string_view text, const ServedModel& model)
{
    auto parsed = parseObject(text);
    if (const auto* error = std::get_if<ApiError>(&parsed))
        return *error;
    const json& body = std::get<json>(parsed);
    std::string asked;
    bool openReply = true;
    Fields fields(body);
    fields.take("model", asked);
    fields.take("add_generation_prompt", openReply);
    if (fields.error())
        return *fields.error();
    if (auto error = checkModel(asked, model))
        return *error;
    TokenizedPrompt prompt;
    std::optional<ApiError> error;
    if (const json* messages = field(body, "messages"))
        error = addMessages(*messages, openReply, prompt);
    else if (const json* value = field(body, "prompt"); value && value->is_string())
        prompt.addText(value->get_ref<const std::string&>());
    else
        error = ApiError::badRequest("`prompt` or `messages` is required.", "prompt");
    if (error)
        return *error;
    return prompt;
}

} // namespace tailmark::sim
