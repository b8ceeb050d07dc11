// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/tokens.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/rng.h"

namespace tailmark::sim {

namespace {

/// FNV-1a over the bytes, then mixed: a word's identity.
std::uint64_t hashText(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return mixBits(hash);
}

std::int32_t idOf(std::uint64_t identity)
{
    return static_cast<std::int32_t>(identity % kVocabularySize);
}

bool isSpace(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Names of the template's tokens start with a space, so that no word can equal one.
constexpr std::string_view kStartHeader = " start_header";
constexpr std::string_view kEndHeader = " end_header";
constexpr std::string_view kEndOfTurn = " end_of_turn";

constexpr int kImageTokenId = kVocabularySize - 1;

/// Of a PNG's first bytes in base64; nothing behind them is looked at.
std::array<unsigned char, 24> firstBytes(std::string_view base64)
{
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<unsigned char, 24> bytes{};
    for (std::size_t i = 0; i + 4 <= base64.size() && i < 32; i += 4) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 4; ++k)
            three = three << 6 | static_cast<std::uint32_t>(digits.find(base64[i + k]) & 63);
        for (std::size_t k = 0; k < 3; ++k)
            bytes[i / 4 * 3 + k] = static_cast<unsigned char>(three >> (16 - 8 * k));
    }
    return bytes;
}

constexpr int kOutputWords = 1024;

const std::array<OutputWord, kOutputWords>& outputWords()
{
    static const auto words = [] {
        constexpr std::string_view onsets[] = {"b", "d", "f", "g", "k", "l", "m",  "n",
                                               "p", "r", "s", "t", "v", "z", "st", "tr"};
        constexpr std::string_view vowels[] = {"a", "e"};
        constexpr std::string_view endings[] = {"lo",  "ra",  "mi",  "ne",  "so",  "tu",  "den", "kal",
                                                "vor", "sin", "tar", "bel", "rok", "fin", "mun", "ga"};
        std::array<OutputWord, kOutputWords> list;
        for (int i = 0; i < kOutputWords; ++i) {
            OutputWord& word = list[i];
            word.text = onsets[i % 16];
            word.text += vowels[i / 16 % 2];
            word.text += endings[i / 32 % 16];
            if (i >= 512)
                word.text += 's';
            word.identity = hashText(word.text);
            word.id = idOf(word.identity);
        }
        return list;
    }();
    return words;
}

} // namespace

void TokenizedPrompt::addWord(std::string_view word)
{
    const std::uint64_t identity = hashText(word);
    m_identities.push_back(identity);
    m_ids.push_back(idOf(identity));
}

void TokenizedPrompt::addText(std::string_view text)
{
    std::size_t at = 0;
    while (at < text.size()) {
        while (at < text.size() && isSpace(text[at]))
            ++at;
        const std::size_t start = at;
        while (at < text.size() && !isSpace(text[at]))
            ++at;
        if (at > start)
            addWord(text.substr(start, at - start));
    }
}

void TokenizedPrompt::addId(std::int32_t id)
{
    m_ids.push_back(id);
    m_identities.push_back(mixBits(static_cast<std::uint64_t>(id)));
}

std::optional<ImageSize> imageSize(std::string_view dataUrl)
{
    constexpr std::string_view prefix = "data:image/png;base64,";
    if (!dataUrl.starts_with(prefix))
        return std::nullopt;
    const auto bytes = firstBytes(dataUrl.substr(prefix.size()));
    const auto number = [&](std::size_t at) {
        return bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3];
    };
    const ImageSize size{number(16), number(20)};
    const bool png = bytes[1] == 'P' && bytes[2] == 'N' && bytes[3] == 'G';
    if (!png || size.width < 1 || size.height < 1 || size.width > 16'384 || size.height > 16'384)
        return std::nullopt;
    return size;
}

void TokenizedPrompt::addImage(std::string_view dataUrl, ImageSize size)
{
    const auto patches = [](int pixels) { return (pixels + kImagePatch - 1) / kImagePatch; };
    const std::uint64_t picture = hashText(dataUrl);
    for (int i = 0; i < patches(size.width) * patches(size.height); ++i) {
        m_ids.push_back(kImageTokenId);
        m_identities.push_back(deriveSeed(picture, static_cast<std::uint64_t>(i)));
    }
}

void TokenizedPrompt::openMessage(std::string_view role)
{
    addWord(kStartHeader);
    addWord(role);
    addWord(kEndHeader);
}

void TokenizedPrompt::closeMessage()
{
    addWord(kEndOfTurn);
}

std::uint64_t TokenizedPrompt::contentHash() const
{
    std::uint64_t hash = 0;
    for (const std::uint64_t identity : m_identities)
        hash = mixBits(hash ^ identity);
    return hash;
}

const OutputWord& outputWord(std::uint64_t answerSeed, int index)
{
    return outputWords()[deriveSeed(answerSeed, static_cast<std::uint64_t>(index)) % kOutputWords];
}

std::uint64_t choiceSeed(std::uint64_t answerSeed, int choice)
{
    return choice == 0 ? answerSeed : deriveSeed(answerSeed, static_cast<std::uint64_t>(choice), 3);
}

int naturalLength(std::uint64_t answerSeed, double mean, double cv)
{
    // Box and Muller on two derived draws: seeding a generator for each request would cost more than the
    // request.
    constexpr double kUnit = 0x1p-53;
    const double u = (static_cast<double>(deriveSeed(answerSeed, 1, 1) >> 11) + 0.5) * kUnit;
    const double v = (static_cast<double>(deriveSeed(answerSeed, 1, 2) >> 11) + 0.5) * kUnit;
    const double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
    const double variance = std::log1p(cv * cv);
    const double length = std::exp(std::log(mean) - variance / 2 + std::sqrt(variance) * normal);
    return static_cast<int>(std::clamp(std::round(length), 1.0, 1e9));
}

std::vector<BlockHash> blockHashes(const TokenizedPrompt& prompt, std::string_view salt,
                                   std::uint64_t answerSeed, int outputTokens, int block)
{
    const int promptTokens = prompt.size();
    const int full = (promptTokens + outputTokens) / block;
    std::vector<BlockHash> hashes;
    hashes.reserve(static_cast<std::size_t>(full));
    BlockHash hash = salt.empty() ? 0 : hashText(salt);
    for (int i = 0; i < full * block; ++i) {
        const std::uint64_t identity =
            i < promptTokens ? prompt.identities()[i] : outputWord(answerSeed, i - promptTokens).identity;
        hash = mixBits(hash ^ identity);
        if ((i + 1) % block == 0)
            hashes.push_back(hash);
    }
    return hashes;
}

} // namespace tailmark::sim
