// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/profile.h"
#include "sim/tokens.h"

namespace tailmark::sim {

enum class Api { Chat, Completions };

/// Answers that one request may ask for (`n`).
inline constexpr int kMaxChoices = 64;
/// Each of them is a sequence of its own in the engine; this is its id there.
constexpr std::uint64_t engineId(std::uint64_t request, int choice)
{
    return request * kMaxChoices + static_cast<std::uint64_t>(choice);
}
constexpr std::uint64_t requestOf(std::uint64_t engineId)
{
    return engineId / kMaxChoices;
}
constexpr int choiceOf(std::uint64_t engineId)
{
    return static_cast<int>(engineId % kMaxChoices);
}

/// An HTTP error as vLLM words it.
struct ApiError
{
    int status = 400;
    std::string message;
    std::string param; ///< the offending field, empty where none

    static ApiError badRequest(std::string message, std::string param = {})
    {
        return {400, std::move(message), std::move(param)};
    }
};

/// A checked body of /v1/chat/completions or /v1/completions.
struct GenerationRequest
{
    Api api = Api::Chat;
    std::string model; ///< as asked
    TokenizedPrompt prompt;
    std::string cacheSalt;
    int choices = 1;
    std::string tool;  ///< the function that is to be called; empty = the answer is text
    int maxTokens = 0; ///< at least 1; prompt + maxTokens fit the model's context
    int minTokens = 0;
    bool ignoreEos = false;
    bool stream = false;
    bool includeUsage = false; ///< always when not streamed
    bool continuousUsage = false;
    bool returnTokenIds = false;
    bool cachedTokensInUsage = true; ///< not the client's choice but the server's
};

/// What requests are checked against.
struct ServedModel
{
    std::string name;
    int maxModelLen = 0;
    std::vector<std::string> adapters; ///< LoRA adapters by their names, which are model names too
};

/// Reads and checks a body. Unknown fields are ignored, as vLLM does; a response_format is checked and then
/// ignored too: the answer is words whatever was asked for.
std::variant<GenerationRequest, ApiError> parseGeneration(Api api, std::string_view body,
                                                          const ServedModel& model);

/// A body of /tokenize: `prompt` or `messages`.
std::variant<TokenizedPrompt, ApiError> parseTokenize(std::string_view body, const ServedModel& model);

} // namespace tailmark::sim
