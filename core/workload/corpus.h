// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// What prompts are put together from: the piece that every prompt begins with, and 256 pieces that follow in
/// any order. As text they are words, as token ids numbers.
///
/// The first piece is the same in every prompt because what a chat template or a tokenizer does with the
/// beginning of a text (trim its blank, add one) then costs every prompt the same.
struct PromptPieces
{
    static constexpr std::size_t kCount = 256;
    std::string first;
    std::array<std::string, kCount> pieces;
    bool operator==(const PromptPieces&) const = default;
};

/// Short common English words of lower-case letters with a blank before them, which the usual tokenizers take
/// as one token each.
const PromptPieces& commonWords();

/// A long text of random pieces, made once, from which prompts are copied. Immutable; any thread.
class Corpus
{
public:
    static constexpr std::size_t kPieces = 1 << 16;
    static constexpr std::size_t kPiecesOfNumber = 8;

    /// The text of a seed.
    explicit Corpus(std::uint64_t seed, const PromptPieces& pieces = commonWords());

    /// Adds the piece that prompts begin with.
    void appendFirst(std::string& out) const { out += m_pieces.first; }
    /// Adds `count` pieces of the text from piece `first` on, which wraps around.
    void append(std::string& out, std::uint64_t first, std::size_t count) const;
    /// Adds the first `count` of the kPiecesOfNumber pieces that stand for a number: different numbers,
    /// different pieces.
    void appendNumber(std::string& out, std::uint64_t number, std::size_t count = kPiecesOfNumber) const;

private:
    PromptPieces m_pieces;
    std::string m_text;
    std::vector<std::uint32_t> m_begin; ///< where each piece begins, and the end of the text
};

} // namespace tailmark
