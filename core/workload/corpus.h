// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// A long text of random common words, made once, from which prompts are copied. Every word is short English
/// of lower-case letters with a blank before it, which the usual tokenizers take as one token. Immutable; any
/// thread.
class Corpus
{
public:
    static constexpr std::size_t kWords = 1 << 16;
    static constexpr std::size_t kWordsOfNumber = 8;

    /// The text of a seed.
    explicit Corpus(std::uint64_t seed);

    /// Adds `words` words of the text from word `first` on, which wraps around.
    void append(std::string& out, std::uint64_t first, std::size_t words) const;
    /// Adds the first `words` of the kWordsOfNumber words that stand for a number: different numbers,
    /// different words.
    static void appendNumber(std::string& out, std::uint64_t number, std::size_t words = kWordsOfNumber);
    /// The 256 words.
    static const std::string_view* vocabulary();

private:
    std::string m_text;
    std::vector<std::uint32_t> m_begin; ///< where each word begins, and the end of the text
};

} // namespace tailmark
