// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/request_extras.h"

#include "plan/json_visitors.h"

#include <optional>
#include <span>

namespace tailmark {

namespace {

Error wrong(const std::string& path, const std::string& message)
{
    return {ErrorCode::BadInput, path, message};
}

/// Fields about messages, tools and templates, which a mere text has not.
constexpr const char* kOfChats[] = {"images",
                                    "tools",
                                    "tool_choice",
                                    "parallel_tool_calls",
                                    "functions",
                                    "function_call",
                                    "top_logprobs",
                                    "chat_template",
                                    "chat_template_kwargs",
                                    "add_generation_prompt",
                                    "continue_final_message",
                                    "documents",
                                    "reasoning_effort",
                                    "include_reasoning",
                                    "separate_reasoning",
                                    "stream_reasoning",
                                    "modalities",
                                    "audio",
                                    "prediction",
                                    "verbosity",
                                    "web_search_options"};
constexpr const char* kOfTexts[] = {"suffix", "prompt_embeds"};

std::optional<Error> readVariants(const nlohmann::json& list, const std::string& path,
                                  std::vector<Variant>& variants)
{
    if (!list.is_array() || list.empty())
        return wrong(path, "must be a list of objects, each a kind of request, is " + keys::shown(list));
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string item = keys::indexed(path, i);
        if (!list[i].is_object())
            return wrong(item, "must be an object, is " + keys::shown(list[i]));
        Variant variant;
        keys::Reader reader(list[i], "", item);
        keys::describeVariant(reader, variant);
        reader.allowOthers();
        if (std::optional<Error> error = reader.finish())
            return error;
        variant.fields = list[i];
        variant.fields.erase("weight");
        variants.push_back(std::move(variant));
    }
    return std::nullopt;
}

} // namespace

Result<RequestExtras> readExtras(const nlohmann::json& json, const std::string& path)
{
    RequestExtras extras;
    keys::Reader reader(json, "", path);
    keys::describeExtras(reader, extras);
    reader.allowOthers();
    if (std::optional<Error> error = reader.finish())
        return *error;
    extras.fields = json;
    extras.hasImages = json.contains("images");
    extras.fields.erase("images");
    if (extras.choices == 1)
        extras.fields.erase("n");
    if (const auto variants = json.find("variants"); variants != json.end()) {
        if (std::optional<Error> error = readVariants(*variants, keys::joined(path, "variants"), extras.variants))
            return *error;
        extras.fields.erase("variants");
    }
    return extras;
}

std::optional<Error> otherApisField(const nlohmann::json& fields, Api api, const std::string& path,
                                    const std::string& apiKey)
{
    if (!fields.is_object())
        return std::nullopt;
    const bool chat = api == Api::Chat;
    const std::span<const char* const> others =
        chat ? std::span<const char* const>(kOfTexts) : std::span<const char* const>(kOfChats);
    for (const char* key : others)
        if (fields.contains(key))
            return wrong(keys::joined(path, key), std::string("needs ") + apiKey + (chat ? " \"completions\"" : " \"chat\""));
    const auto logprobs = fields.find("logprobs");
    if (logprobs == fields.end() || logprobs->is_null())
        return std::nullopt;
    if (chat && logprobs->is_number())
        return wrong(keys::joined(path, "logprobs"), "must be true or false with " + apiKey +
                                                         " \"chat\", where top_logprobs is the number, is " +
                                                         keys::shown(*logprobs));
    if (!chat && logprobs->is_boolean())
        return wrong(keys::joined(path, "logprobs"),
                     "must be a whole number with " + apiKey + " \"completions\", is " + keys::shown(*logprobs));
    return std::nullopt;
}

void keepOneTextAnswer(nlohmann::json& extras)
{
    if (extras.is_object())
        for (const char* key : {"images", "n", "variants"})
            extras.erase(key);
}

} // namespace tailmark
