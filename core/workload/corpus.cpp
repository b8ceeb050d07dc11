// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/corpus.h"

#include "base/rng.h"

#include <algorithm>

namespace tailmark {

namespace {

// clang-format off
constexpr std::string_view kVocabulary[PromptPieces::kCount] = {
    "time", "year", "people", "way", "day", "man", "thing", "woman", "life", "child", "world", "school",
    "state", "family", "student", "group", "country", "problem", "hand", "part", "place", "case", "week",
    "company", "system", "program", "question", "work", "number", "night", "point", "home", "water",
    "room", "mother", "area", "money", "story", "fact", "month", "lot", "right", "study", "book", "eye",
    "job", "word", "business", "issue", "side", "kind", "head", "house", "service", "friend", "father",
    "power", "hour", "game", "line", "end", "member", "law", "car", "city", "community", "name", "team",
    "minute", "idea", "body", "back", "parent", "face", "level", "office", "door", "health", "person",
    "art", "history", "party", "result", "change", "morning", "reason", "research", "girl", "guy",
    "moment", "air", "teacher", "force", "foot", "boy", "age", "policy", "music", "market", "sense",
    "nation", "plan", "college", "interest", "experience", "effect", "use", "class", "control", "field",
    "development", "role", "effort", "rate", "heart", "show", "leader", "light", "voice", "wife", "police",
    "mind", "price", "report", "decision", "son", "view", "town", "road", "form", "season", "food",
    "table", "bank", "film", "land", "ground", "value", "base", "court", "river", "summer", "winter",
    "stone", "green", "blue", "red", "white", "black", "small", "large", "high", "long", "great", "young",
    "old", "early", "late", "open", "clear", "free", "full", "true", "sure", "simple", "strong", "short",
    "hard", "easy", "deep", "dark", "cold", "warm", "fast", "slow", "north", "south", "east", "west",
    "spring", "garden", "paper", "letter", "window", "street", "corner", "bridge", "ship", "train", "sea",
    "sky", "sun", "moon", "star", "tree", "flower", "bird", "fish", "horse", "dog", "cat", "farm", "bread",
    "milk", "fruit", "gold", "silver", "iron", "glass", "wood", "fire", "wind", "rain", "snow", "ice",
    "hill", "mountain", "island", "beach", "coast", "forest", "valley", "king", "queen", "doctor",
    "lawyer", "artist", "writer", "player", "driver", "captain", "soldier", "guest", "owner", "brother",
    "sister", "daughter", "husband", "baby", "send", "take", "make", "find", "give", "tell", "ask", "seem",
    "feel", "try", "leave", "call", "keep", "let", "begin", "help", "talk",
};
// clang-format on

} // namespace

const PromptPieces& commonWords()
{
    static const PromptPieces words = [] {
        PromptPieces made;
        made.first = "text";
        for (std::size_t i = 0; i < made.pieces.size(); ++i)
            made.pieces[i] = " " + std::string(kVocabulary[i]);
        return made;
    }();
    return words;
}

Corpus::Corpus(std::uint64_t seed, const PromptPieces& pieces) : m_pieces(pieces)
{
    m_text.reserve(kPieces * 7);
    m_begin.reserve(kPieces + 1);
    Rng rng(seed);
    for (std::size_t i = 0; i < kPieces; i += 8) {
        std::uint64_t bits = rng();
        for (int j = 0; j < 8; ++j, bits >>= 8) {
            m_begin.push_back(static_cast<std::uint32_t>(m_text.size()));
            m_text += m_pieces.pieces[bits & 0xff];
        }
    }
    m_begin.push_back(static_cast<std::uint32_t>(m_text.size()));
}

void Corpus::append(std::string& out, std::uint64_t first, std::size_t count) const
{
    std::size_t at = static_cast<std::size_t>(first % kPieces);
    while (count > 0) {
        const std::size_t some = std::min(count, kPieces - at);
        out.append(m_text, m_begin[at], m_begin[at + some] - m_begin[at]);
        count -= some;
        at = 0;
    }
}

void Corpus::appendNumber(std::string& out, std::uint64_t number, std::size_t count) const
{
    for (std::size_t i = 0; i < std::min(count, kPiecesOfNumber); ++i)
        out += m_pieces.pieces[(number >> (8 * i)) & 0xff];
}

} // namespace tailmark
