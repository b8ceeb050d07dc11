// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/request_table.h"

#include <algorithm>
#include <numeric>

namespace tailmark {

namespace {

/// Rows of a table of synthetic sessions, as far as whole sessions fit: deep enough that lengths do not
/// repeat soon, small enough to be made for each point.
constexpr std::uint32_t kSyntheticRows = 1 << 16;
/// Longest prompt of a conversation, as for fixed lengths.
constexpr std::int32_t kMaxTokens = 2'000'000;

Error notTold(const PointPlan& point, const std::string& what)
{
    return {ErrorCode::BadInput, point.lengths.file, what};
}

} // namespace

bool RequestTable::isNeeded(const PointPlan& point)
{
    return point.prefix.kind == PrefixKind::Trace || point.sessions.kind != SessionsKind::None;
}

Result<std::shared_ptr<const RequestTable>>
RequestTable::make(const PointPlan& point, const LengthSource& lengths, std::shared_ptr<const Trace> log,
                   std::uint32_t firstRow)
{
    const bool blocks = point.prefix.kind == PrefixKind::Trace;
    const bool recorded = point.sessions.kind == SessionsKind::Trace;
    if (blocks || recorded) {
        if (!log)
            return notTold(point, "no log was read, which workload.prefix and workload.sessions of kind "
                                  "\"trace\" are taken from");
        if (log->sampledEvery > 1)
            return notTold(point, "has too many rows to keep them all, and a sample of its rows does not "
                                  "share what the log shares");
        if (log->rows.size() != lengths.parts().front().pairs.size())
            return notTold(point, "has other rows than lengths");
        if (blocks && log->blockSize <= 0)
            return notTold(point, "tells no prefix blocks, which workload.prefix.kind \"trace\" needs");
        if (recorded && !log->stats.sessions)
            return notTold(point, "tells no sessions, which workload.sessions.kind \"trace\" needs");
    }
    std::shared_ptr<RequestTable> table(new RequestTable);
    table->m_log = std::move(log);
    table->m_blockSize = blocks ? table->m_log->blockSize : 0;
    if (blocks || recorded)
        table->addLog(lengths, recorded);
    else
        table->addSyntheticSessions(point, lengths);
    if (blocks)
        table->countSharedBlocks(firstRow);
    else
        table->countSharedHistory();
    return std::shared_ptr<const RequestTable>(std::move(table));
}

RequestTable::Place RequestTable::placeOf(std::uint32_t request) const
{
    const auto rows = static_cast<std::uint32_t>(m_rows.size());
    return {request / rows, request % rows};
}

std::uint32_t RequestTable::sessions() const
{
    return m_sessionBegin.empty() ? 0 : static_cast<std::uint32_t>(m_sessionBegin.size() - 1);
}

std::uint32_t RequestTable::sessionOf(Place place) const
{
    const std::uint32_t count = sessions();
    return count == 0 ? place.lap * static_cast<std::uint32_t>(m_rows.size()) + place.row
                      : place.lap * count + static_cast<std::uint32_t>(m_rows[place.row].session);
}

RequestChain RequestTable::chain(std::uint32_t number) const
{
    const std::uint32_t count = sessions();
    if (count == 0)
        return {number, 1};
    const std::uint32_t lap = number / count, session = number % count;
    return {lap * static_cast<std::uint32_t>(m_rows.size()) + m_sessionBegin[session],
            m_sessionBegin[session + 1] - m_sessionBegin[session]};
}

std::int32_t RequestTable::tokensInBlocks(const Row& row) const
{
    std::int64_t count = 0;
    for (const BlockRun& run : blocks(row))
        count += run.count;
    return static_cast<std::int32_t>(std::min<std::int64_t>(count * m_blockSize, row.lengths.promptTokens));
}

Nanoseconds RequestTable::recordedPause(const Row& row) const
{
    if (!m_log)
        return Nanoseconds(0);
    const Nanoseconds pause = m_log->rows[row.logRow].thinkTime;
    return isPresent(pause) ? pause : Nanoseconds(0);
}

/// The rows of the log in its order; in sessions: those of one session after another, sessions by their first
/// row. A row of no session is one of its own.
void RequestTable::addLog(const LengthSource& lengths, bool inSessions)
{
    const auto rows = static_cast<std::uint32_t>(m_log->rows.size());
    std::vector<std::uint32_t> order(rows);
    std::iota(order.begin(), order.end(), 0u);
    std::vector<std::uint32_t> firstRow; ///< per row: the first one of its session
    if (inSessions) {
        std::vector<std::uint32_t> firstOf; ///< per session of the log
        firstRow.resize(rows);
        for (std::uint32_t i = 0; i < rows; ++i) {
            firstRow[i] = i;
            const std::int32_t session = m_log->rows[i].session;
            if (session < 0)
                continue;
            if (firstOf.size() <= static_cast<std::size_t>(session))
                firstOf.resize(static_cast<std::size_t>(session) + 1, rows);
            std::uint32_t& first = firstOf[static_cast<std::size_t>(session)];
            first = std::min(first, i);
            firstRow[i] = first;
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return firstRow[a] < firstRow[b]; });
    }
    m_rows.reserve(rows);
    for (const std::uint32_t logRow : order) {
        Row row;
        row.lengths = lengths.parts().front().pairs[logRow];
        row.logRow = logRow;
        if (inSessions) {
            const auto at = static_cast<std::uint32_t>(m_rows.size());
            if (firstRow[logRow] == logRow)
                m_sessionBegin.push_back(at);
            row.session = static_cast<std::int32_t>(m_sessionBegin.size()) - 1;
            row.turn = static_cast<std::int32_t>(at - m_sessionBegin.back());
        }
        m_rows.push_back(row);
    }
    if (inSessions)
        m_sessionBegin.push_back(rows);
}

/// Every turn adds to the conversation what is drawn for it: the prompt tokens of the question, and the
/// output tokens of the answer, which the next turn repeats.
void RequestTable::addSyntheticSessions(const PointPlan& point, const LengthSource& lengths)
{
    const auto turns = static_cast<std::uint32_t>(std::max(1, point.sessions.turns));
    const std::uint32_t sessions = std::max(1u, kSyntheticRows / turns);
    m_rows.reserve(static_cast<std::size_t>(sessions) * turns);
    for (std::uint32_t session = 0; session < sessions; ++session) {
        m_sessionBegin.push_back(static_cast<std::uint32_t>(m_rows.size()));
        std::int64_t history = 0;
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            Row row;
            row.lengths = lengths.draw(point.seeds.lengths, static_cast<std::uint32_t>(m_rows.size()));
            if (turn > 0 && point.sessions.growthTokens > 0)
                row.lengths.promptTokens = point.sessions.growthTokens;
            history = std::min<std::int64_t>(history + row.lengths.promptTokens, kMaxTokens);
            row.lengths.promptTokens = static_cast<std::int32_t>(history);
            history += row.lengths.outputTokens;
            row.session = static_cast<std::int32_t>(session);
            row.turn = static_cast<std::int32_t>(turn);
            m_rows.push_back(row);
        }
    }
    m_sessionBegin.push_back(static_cast<std::uint32_t>(m_rows.size()));
}

/// Leading blocks that a row before has; a block can be reused as soon as a row has named it.
void RequestTable::countSharedBlocks(std::uint32_t firstRow)
{
    std::vector<bool> seen;
    for (std::size_t i = firstRow; i < m_rows.size(); ++i) {
        Row& row = m_rows[i];
        const std::int32_t prompt = row.lengths.promptTokens;
        const bool isWhole = prompt == m_log->rows.prompts()[row.logRow];
        // Of a prompt that was cut to fit, the block at the cut is not the one of the log.
        std::int64_t left = isWhole ? (prompt + m_blockSize - 1) / m_blockSize : prompt / m_blockSize;
        std::int64_t hits = 0;
        bool hit = true;
        for (const BlockRun& run : blocks(row)) {
            if (seen.size() < std::size_t{run.first} + run.count)
                seen.resize(std::size_t{run.first} + run.count);
            for (std::uint32_t i = 0; i < run.count && left > 0; ++i, --left) {
                hit = hit && seen[run.first + i];
                hits += hit;
                seen[run.first + i] = true;
            }
        }
        row.cachedTokens = static_cast<std::int32_t>(std::min<std::int64_t>(hits * m_blockSize, prompt));
    }
}

/// Each turn repeats the conversation so far. A prompt that is shorter than the one before it was made anew.
void RequestTable::countSharedHistory()
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        Row& row = m_rows[i];
        const bool goesOn = row.turn > 0 && row.lengths.promptTokens >= m_rows[i - 1].lengths.promptTokens;
        row.text = goesOn ? m_rows[i - 1].text : static_cast<std::uint32_t>(i);
        row.cachedTokens = goesOn ? m_rows[i - 1].lengths.promptTokens : 0;
    }
}

} // namespace tailmark
