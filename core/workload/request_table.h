// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "plan/plan.h"
#include "workload/lengths.h"
#include "workload/request_source.h"
#include "workload/trace/trace.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tailmark {

/// The requests of a workload whose prompts hang together, one row each, in the order in which they are
/// asked: rows of a log whose prompts share blocks, and the turns of conversations, of which each repeats
/// what went before it. Rows cannot be drawn at random, since the sharing lies in their order. Behind its
/// last row the table begins again with texts of its own (another lap), so that no lap finds the one before
/// it in a cache. Immutable; any thread; nothing here allocates once the table is made.
class RequestTable
{
public:
    struct Row
    {
        LengthPair lengths;
        /// Of the prompt, what rows of the lap before this one have: an endless prefix cache serves these.
        std::int32_t cachedTokens = 0;
        std::int32_t session = -1; ///< within the lap; −1 = of none
        std::int32_t turn = -1;    ///< of its session, from 0
        /// Without blocks: which text of the lap the prompt is the beginning of; the row of its first turn.
        std::uint32_t text = 0;
        std::uint32_t logRow = 0;  ///< of the log
    };
    /// A request of the point: row `row` of lap `lap`.
    struct Place
    {
        std::uint32_t lap = 0;
        std::uint32_t row = 0;
    };

    /// Whether the workload of the point is one of those.
    static bool isNeeded(const PointPlan& point);
    /// `lengths`: the log's own, in its order, perhaps cut to what fits the target, or those that turns are
    /// drawn from; `log`: may be null where nothing comes from a log; `firstRow`: where a replay of
    /// arrivals begins, before which nothing was sent that a cache could have. Errors: the log does not tell
    /// what the workload asks of it.
    static Result<std::shared_ptr<const RequestTable>>
    make(const PointPlan& point, const LengthSource& lengths, std::shared_ptr<const Trace> log,
         std::uint32_t firstRow = 0);

    std::size_t size() const { return m_rows.size(); }
    Place placeOf(std::uint32_t request) const;
    const Row& row(std::uint32_t row) const { return m_rows[row]; }
    /// How many sessions a lap has; 0 = there are none.
    std::uint32_t sessions() const;
    /// The requests of the `number`th session of the point; of the `number`th request where there are none.
    RequestChain chain(std::uint32_t number) const;
    /// The session's number within the point; where there are none, the request's.
    std::uint32_t sessionOf(Place place) const;
    /// Tokens of a block; 0 = prompts are no chains of blocks.
    int blockSize() const { return m_blockSize; }
    /// The blocks that the row's prompt begins with; a block has the same number in every row.
    std::span<const BlockRun> blocks(const Row& row) const { return m_log->rows.blocks(row.logRow); }
    /// Of the row's prompt, what is in its blocks.
    std::int32_t tokensInBlocks(const Row& row) const;
    /// The pause before the row's request as the log has it; 0 where it tells none.
    Nanoseconds recordedPause(const Row& row) const;

private:
    RequestTable() = default;
    void addLog(const LengthSource& lengths, bool inSessions);
    void addSyntheticSessions(const PointPlan& point, const LengthSource& lengths);
    void countSharedBlocks(std::uint32_t firstRow);
    void countSharedHistory();

    std::vector<Row> m_rows;
    std::vector<std::uint32_t> m_sessionBegin; ///< first row of each session, and the end
    std::shared_ptr<const Trace> m_log;
    int m_blockSize = 0;
};

} // namespace tailmark
