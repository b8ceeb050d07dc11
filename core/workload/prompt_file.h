// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "workload/lengths.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

/// Real prompts that are sent as they are. Immutable; any thread.
class FilePrompts
{
public:
    /// What is read: a ShareGPT array (of each conversation what was asked first); JSON lines or an array with a
    /// text under prompt, text, text_input, instruction, question, input, content or context; CSV with such a
    /// column; lines with OpenAI's `messages`, also inside a `body`. A record may have `extras`, fields of
    /// its own request. Plain or gzip. Errors name the file, and the
    /// line where one is meant. Records that cannot be used are counted in remark().
    static Result<std::shared_ptr<const FilePrompts>> read(const Lengths& lengths);

    std::size_t size() const { return m_prompts.size(); }
    /// Whether they are lists of chat messages; else texts.
    bool areMessages() const { return m_messages; }
    /// As JSON: the inside of a string, or the list of messages.
    std::string_view asJson(std::size_t i) const;
    /// Which prompt request `request` of a point is: all of them in an order of the seed's, then again.
    std::size_t indexOf(std::uint64_t seed, std::uint32_t request) const;
    /// Tokens of the prompt as the file tells them, kUnknownCount where it does not; and of its answer.
    std::int32_t promptTokens(std::size_t i) const { return m_prompts[i].promptTokens; }
    std::int32_t outputTokens(std::size_t i) const { return m_prompts[i].outputTokens; }
    /// The prompt tokens where told, else about one for four characters.
    std::int32_t roughTokens(std::size_t i) const;
    /// Whether the file tells the tokens of every prompt.
    bool tokensTold() const { return m_tokensTold; }
    /// The different `extras` of the rows; the first is none. And which of them a prompt has.
    const std::vector<nlohmann::json>& extras() const { return m_extras; }
    std::size_t extrasOf(std::size_t i) const { return m_prompts[i].extras; }
    /// How many prompts give which field.
    const std::map<std::string, std::uint64_t>& fieldsOfRows() const { return m_fieldsOfRows; }
    /// Error (BadInput, with the file and the line): requests of this API cannot carry the messages, or what a row gives.
    Status fitApi(Api api) const;
    /// SHA-256 of the prompts, their lengths and their extras, 64 hex digits.
    const std::string& hash() const { return m_hash; }
    const std::string& remark() const { return m_remark; }

private:
    struct Prompt
    {
        std::size_t begin = 0, size = 0; ///< in m_pool
        std::int32_t promptTokens = 0, outputTokens = 0, characters = 0;
        std::uint32_t extras = 0; ///< in m_extras
    };
    friend class PromptFileReader;

    std::string m_pool;
    std::vector<Prompt> m_prompts;
    std::vector<nlohmann::json> m_extras{nlohmann::json::object()};
    std::vector<std::int64_t> m_linesOfExtras{0}; ///< where each of them comes first
    std::map<std::string, std::uint64_t> m_fieldsOfRows;
    std::string m_file;
    std::int64_t m_firstLine = 0; ///< of a prompt
    bool m_messages = false, m_tokensTold = true;
    std::string m_hash, m_remark;
};

/// Their lengths, for the plan: prompts that the file does not tell are counted roughly.
std::shared_ptr<const LengthSource> makePromptLengths(std::shared_ptr<const FilePrompts> prompts);

} // namespace tailmark
