// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/api_request.h"

namespace tailmark::sim {

struct Usage
{
    int promptTokens = 0;
    int outputTokens = 0;
    int cachedTokens = 0; ///< −1 = not told
};

/// The bytes of one answer in vLLM's shapes. The parts that stay the same through a stream are formatted
/// once, when it begins; a token chunk then is three appends. Pure; one thread.
class AnswerWriter
{
public:
    AnswerWriter() = default;
    /// `created` in Unix seconds. Keeps a reference to nothing.
    AnswerWriter(const GenerationRequest& request, std::string_view requestId, const std::string& model,
                 std::int64_t created, std::uint64_t answerSeed);

    /// Chat only: the chunk with the role and no content.
    void appendRoleChunk(std::string& out, int choice, const Usage& usage) const;
    /// The chunk of tokens first … first + count - 1 of one choice; `finishReason` is empty until its last.
    /// Usage is that after the chunk; it is written only where the request asked for it in every chunk.
    void appendTokenChunk(std::string& out, int choice, int first, int count, std::string_view finishReason,
                          const Usage& usage) const;
    void appendUsageChunk(std::string& out, const Usage& usage) const;
    static void appendDone(std::string& out) { out += "data: [DONE]\n\n"; }
    /// An error object in the stream.
    static void appendErrorEvent(std::string& out, int code, std::string_view message);

    /// One choice of a whole answer.
    struct Whole
    {
        int tokens = 0;
        std::string_view finishReason;
    };
    /// The whole answer when it is not streamed.
    std::string body(std::span<const Whole> choices, const Usage& usage, bool withUsage) const;

private:
    void appendText(std::string& out, int choice, int first, int count) const;
    void appendTokenIds(std::string& out, int choice, int first, int count) const;
    void appendToolCall(std::string& out, int choice, int first, int count,
                        std::string_view finishReason) const;
    void closeChunk(std::string& out, const Usage& usage) const;

    Api m_api = Api::Chat;
    bool m_tokenIds = false;
    bool m_continuousUsage = false;
    std::uint64_t m_answerSeed = 0;
    std::string m_identity;       ///< `"id":…,"object":…,"created":…,"model":…`
    std::string m_chunkHead;      ///< of a token chunk, up to the number of the choice
    std::string m_tool;           ///< JSON text: the function that is called; empty = none
    std::string m_promptTokenIds; ///< JSON array, or null
};

/// `{"error":{message, type, param, code}}`
std::string errorBody(int status, std::string_view message, std::string_view param = {});

std::string modelsBody(const ServedModel& model, std::string_view root, std::int64_t created);
std::string tokenizeBody(const TokenizedPrompt& prompt, int maxModelLen);

} // namespace tailmark::sim
