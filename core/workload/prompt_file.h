// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "workload/lengths.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// Real prompts that are sent as they are. Immutable; any thread.
class FilePrompts
{
public:
    /// What is read: a ShareGPT array (of each conversation what was asked first); JSON lines or an array with a
    /// text under prompt, text, text_input, instruction, question, input, content or context; CSV with such a
    /// column; lines with OpenAI's `messages`, also inside a `body`. Plain or gzip. Errors name the file, and the
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
    /// SHA-256 of the prompts and their lengths, 64 hex digits.
    const std::string& hash() const { return m_hash; }
    const std::string& remark() const { return m_remark; }

private:
    struct Prompt
    {
        std::size_t begin = 0, size = 0; ///< in m_pool
        std::int32_t promptTokens = 0, outputTokens = 0, characters = 0;
    };
    friend class PromptFileReader;

    std::string m_pool;
    std::vector<Prompt> m_prompts;
    bool m_messages = false, m_tokensTold = true;
    std::string m_hash, m_remark;
};

/// Their lengths, for the plan: prompts that the file does not tell are counted roughly.
std::shared_ptr<const LengthSource> makePromptLengths(std::shared_ptr<const FilePrompts> prompts);

} // namespace tailmark
