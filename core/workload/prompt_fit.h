// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/corpus.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// How the tokens of a prompt are known beforehand.
enum class PromptMethod {
    Unchecked, ///< nobody told: a word is taken for a token
    Usage,     ///< from the prompt tokens that the server reported for a few requests
    Tokenizer, ///< every word was checked with the server's own tokenizer
    TokenIds,  ///< prompts are sent as token ids
};
std::string_view promptMethodId(PromptMethod method); ///< "unchecked", "usage", "tokenizer", "token_ids"

/// How a prompt of a wanted number of tokens is written for one target: tokens = overhead + further turns of a chat ×
/// tokens of a turn + pieces behind the first of each message × tokens of a piece. Made before the load
/// (target/prompt_calibration.h), so that the load needs no tokenizer.
struct PromptFit
{
    PromptMethod method = PromptMethod::Unchecked;
    PromptPieces pieces = commonWords(); ///< those that a check left; the others' places are taken by them
    int overheadTokens = 1;              ///< of the first piece, and of what the server puts around every prompt
    /// Of the first pieces of an answer and the question behind it, and of what the chat template puts around the two.
    int turnTokens = 2;
    double tokensPerPiece = 1;
    std::vector<std::string> dropped;    ///< words that are more than one token on this target

    /// How many pieces follow the first one (of each message) in a prompt of so many tokens.
    std::size_t piecesFor(int promptTokens, int furtherTurns = 0) const;
    /// Whether a chat of so many further turns and pieces is no longer than this.
    bool holds(int promptTokens, std::size_t pieces, int furtherTurns) const;
    /// The tokens of such a prompt as we count them: each piece is known to be one. Absent where it is not.
    std::optional<int> clientTokens(int promptTokens) const;
    /// True: every prompt longer than the overhead has exactly the planned tokens.
    bool exact() const { return method != PromptMethod::Unchecked && tokensPerPiece == 1; }

    bool operator==(const PromptFit&) const = default;
};

/// "every prompt is sent as token ids", "249 of 256 words checked with the server's tokenizer, 11 tokens …":
/// the fit in words.
std::string promptFitText(const PromptFit& fit);

} // namespace tailmark
