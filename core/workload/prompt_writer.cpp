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
    : m_point(point), m_fit(options.fit), m_corpus(deriveSeed(matrix.workload.seed, 1), options.fit.pieces),
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
    } else {
        left -= writeSharedPrefix(body, table.sessionOf(place), left);
        write(body, mixBits(deriveSeed(m_point.seeds.prompts, place.lap, kConversations) + row.text), left);
    }
    m_body.end(body, row.lengths.outputTokens, number);
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

/// `count` pieces, of which the first are the number's own; how many.
std::size_t PromptWriter::write(std::string& body, std::uint64_t number, std::size_t count) const
{
    const std::size_t own = std::min(count, Corpus::kPiecesOfNumber);
    m_corpus.appendNumber(body, m_salt ? mixBits(number ^ m_salt) : number, own);
    m_corpus.append(body, mixBits(number), count - own);
    return count;
}

} // namespace tailmark
