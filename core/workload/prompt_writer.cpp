// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/prompt_writer.h"

#include "base/rng.h"
#include "plan/prefix_group.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

/// What a seed of prompts stands for; part of what it means, so never changed (3 is the group's,
/// prefix_group).
enum TextsOf : std::uint64_t { kRequests = 1, kGroups = 2, kBlocks = 4, kConversations = 5 };

/// What keeps a point's prompts apart from those that others left in the cache; empty: nothing does.
std::string saltOf(const PointPlan& point, const BodyOptions& options)
{
    switch (point.cache) {
    case CachePolicy::Cold:
        return options.runSalt + "-" + std::to_string(point.index.value);
    case CachePolicy::Warm:
        return options.runSalt;
    case CachePolicy::AsIs:
        break;
    }
    return {};
}

/// The salt as part of the words; 0 = it is not there.
std::uint64_t saltOfWords(const PointPlan& point, const BodyOptions& options)
{
    const std::string salt = saltOf(point, options);
    return options.saltField.empty() && !salt.empty() ? hashText(salt) : 0;
}

} // namespace

nlohmann::json cacheFields(const PointPlan& point, const BodyOptions& options)
{
    nlohmann::json fields = nlohmann::json::object();
    const std::string salt = saltOf(point, options);
    if (!options.saltField.empty() && !salt.empty())
        fields[options.saltField] = salt;
    // A stated sharing has to be had from the cache, so that it cannot be passed by.
    if (point.cache == CachePolicy::Cold && !sharesPrefixes(point))
        fields.update(options.bypassFields);
    return fields;
}

PromptWriter::PromptWriter(const Matrix& matrix, const PointPlan& point, const BodyOptions& options)
    : m_point(point), m_fit(options.fit), m_chat(matrix.target.api == Api::Chat), m_corpus(deriveSeed(matrix.workload.seed, 1), options.fit.pieces),
      m_body(matrix, options, cacheFields(point, options)), m_salt(saltOfWords(point, options)),
      m_requestKey(deriveSeed(point.seeds.prompts, 0, kRequests)),
      m_groupKey(deriveSeed(matrix.workload.seed, 0, kGroups))
{
}

void PromptWriter::writeRequest(std::uint32_t index, LengthPair lengths, std::string& body) const
{
    // One-to-one in the index, so that no two requests of a point begin with the same words.
    const std::uint64_t number = mixBits(m_requestKey + index);
    begin(body, number);
    std::size_t left = m_fit.piecesFor(lengths.promptTokens);
    left -= writeSharedPrefix(body, index, left);
    write(body, number, left);
    m_body.end(body, lengths.outputTokens, number);
}

void PromptWriter::writeRow(std::uint32_t index, const RequestTable& table, RequestTable::Place place,
                            std::string& body) const
{
    const std::uint64_t number = mixBits(m_requestKey + index);
    begin(body, number);
    const RequestTable::Row& row = table.row(place.row);
    std::size_t left = m_fit.piecesFor(row.lengths.promptTokens);
    if (table.blockSize() > 0) {
        left -= writeBlocks(body, table, place, left);
        write(body, number, left); // what the log has no block for is the request's own
    } else if (m_chat) {
        writeMessages(body, table, place);
    } else {
        left -= writeSharedPrefix(body, table.sessionOf(place), left);
        write(body, textOf(table, place), left);
    }
    m_body.end(body, row.lengths.outputTokens, number);
}

std::uint64_t PromptWriter::textOf(const RequestTable& table, RequestTable::Place place) const
{
    return mixBits(deriveSeed(m_point.seeds.prompts, place.lap, kConversations) + table.row(place.row).text);
}

/// The turns so far, parted where the template of a chat parts them. The assistant's messages are planned text of the
/// planned length and not what the engine answered: so one seed asks the same bytes of every engine on every machine,
/// with prompts as long as planned, and no turn depends on how the one before it was answered.
void PromptWriter::writeMessages(std::string& body, const RequestTable& table, RequestTable::Place place) const
{
    const std::uint64_t text = textOf(table, place);
    const std::uint32_t first = table.row(place.row).text;
    std::size_t done = m_fit.piecesFor(table.row(first).lengths.promptTokens);
    const std::size_t shared = writeSharedPrefix(body, table.sessionOf(place), done);
    write(body, text, done - shared);
    int furtherTurns = 0;
    for (std::uint32_t row = first + 1; row <= place.row; ++row) {
        const int promptTokens = table.row(row).lengths.promptTokens;
        // What adds less than two messages take makes the last question longer.
        const bool opens = m_fit.holds(promptTokens, done, furtherTurns + 1);
        furtherTurns += opens;
        const std::size_t total = std::max(done, m_fit.piecesFor(promptTokens, furtherTurns));
        if (opens) {
            const double answerTokens = table.row(row - 1).lengths.outputTokens;
            const auto answer = static_cast<std::size_t>(std::max(0L, std::lround(answerTokens / m_fit.tokensPerPiece) - 1));
            const std::size_t end = std::min(total, done + answer);
            m_body.nextMessage(body, "assistant");
            m_corpus.appendFirst(body);
            done += write(body, text, end - done, done - shared);
            m_body.nextMessage(body, "user");
            m_corpus.appendFirst(body);
        }
        done += write(body, text, total - done, done - shared);
    }
}

void PromptWriter::writePrefix(const PrefixGroup& group, std::string& body) const
{
    const std::uint64_t number = deriveSeed(m_groupKey, group.number);
    begin(body, number);
    write(body, number, piecesOf(group));
    m_body.end(body, 1, number);
}

void PromptWriter::begin(std::string& body, std::uint64_t number) const
{
    m_body.begin(body, number);
    m_corpus.appendFirst(body);
}

std::size_t PromptWriter::writeSharedPrefix(std::string& body, std::uint32_t drawnFor, std::size_t room) const
{
    const auto group = prefixGroup(m_point, drawnFor);
    return group ? write(body, deriveSeed(m_groupKey, group->number), std::min(room, piecesOf(*group))) : 0;
}

/// A block ends where a prompt of so many tokens would: rounding does not add up, and the overhead of every
/// prompt is part of its first block.
std::size_t PromptWriter::writeBlocks(std::string& body, const RequestTable& table, RequestTable::Place place,
                                      std::size_t room) const
{
    const std::uint64_t key = deriveSeed(m_point.seeds.prompts, place.lap, kBlocks);
    std::size_t done = 0;
    int endTokens = 0;
    for (const BlockRun& run : table.blocks(table.row(place.row)))
        for (std::uint32_t i = 0; i < run.count && done < room; ++i) {
            endTokens += table.blockSize();
            const std::size_t end = std::min(room, m_fit.piecesFor(endTokens));
            done += write(body, mixBits(key + run.first + i), end - done);
        }
    return done;
}

std::size_t PromptWriter::piecesOf(const PrefixGroup& group) const
{
    return static_cast<std::size_t>(std::lround(group.tokens / m_fit.tokensPerPiece));
}

/// Of the number's text, whose first pieces are its own, `count` pieces from piece `from` on; how many.
std::size_t PromptWriter::write(std::string& body, std::uint64_t number, std::size_t count, std::size_t from) const
{
    const std::size_t begun = std::min(from, Corpus::kPiecesOfNumber);
    const std::size_t own = std::min(count, Corpus::kPiecesOfNumber - begun);
    if (own > 0)
        m_corpus.appendNumber(body, (m_salt ? mixBits(number ^ m_salt) : number) >> (8 * begun), own);
    m_corpus.append(body, mixBits(number) + (from - begun), count - own);
    return count;
}

} // namespace tailmark
