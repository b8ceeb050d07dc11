// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/block_pool.h"

namespace tailmark::sim {

/// The simulated tokenizer: one whitespace-separated word is one token. Ids are a hash of the word below this
/// size; the identity used for the prefix cache is the word's full 64-bit hash, so that different words never
/// share a block.
inline constexpr int kVocabularySize = 128'256;

/// The chat template: three tokens open a message (start, role, end), one closes it, and three open the
/// reply. A chat prompt thus has its words + 4 per message + 3 tokens. The reply's opening equals that of an
/// assistant message, so that a conversation sent again with the reply in it finds the reply's blocks in the
/// prefix cache.
inline constexpr int kTokensPerMessage = 4;
inline constexpr int kTokensOfReplyOpening = 3;

/// A picture costs a token for each patch of so many pixels a side, as with vision transformers.
inline constexpr int kImagePatch = 28;

struct ImageSize
{
    int width = 0, height = 0;
};
/// The size of the PNG picture in a data URL; nothing when it is none.
std::optional<ImageSize> imageSize(std::string_view dataUrl);

/// A prompt as tokens: the ids a client may see, and the identities the prefix cache compares.
class TokenizedPrompt
{
public:
    void addText(std::string_view text);
    void addId(std::int32_t id);
    /// Pictures are told apart by their bytes.
    void addImage(std::string_view dataUrl, ImageSize size);
    void openMessage(std::string_view role);
    void closeMessage();

    int size() const { return static_cast<int>(m_ids.size()); }
    const std::vector<std::int32_t>& ids() const { return m_ids; }
    const std::vector<std::uint64_t>& identities() const { return m_identities; }
    /// A hash of the whole prompt.
    std::uint64_t contentHash() const;

private:
    void addWord(std::string_view word);

    std::vector<std::int32_t> m_ids;
    std::vector<std::uint64_t> m_identities;
};

/// One word the simulated model can say.
struct OutputWord
{
    std::string text; ///< plain lower-case ASCII: needs no escaping in JSON
    std::int32_t id;
    std::uint64_t identity;
};

/// What the model answers: word `index` of the answer whose seed this is. The same seed gives the same
/// answer.
const OutputWord& outputWord(std::uint64_t answerSeed, int index);

/// The seed of one of several answers to a prompt, numbered from 0; the first has the prompt's own.
std::uint64_t choiceSeed(std::uint64_t answerSeed, int choice);

/// Where an answer stops of itself: lognormal with this mean and coefficient of variation, at least 1 token.
int naturalLength(std::uint64_t answerSeed, double mean, double cv);

/// Chained hashes of the full blocks of prompt and answer together. Prompts under different salts share
/// nothing.
std::vector<BlockHash> blockHashes(const TokenizedPrompt& prompt, std::string_view salt,
                                   std::uint64_t answerSeed, int outputTokens, int block);

} // namespace tailmark::sim
