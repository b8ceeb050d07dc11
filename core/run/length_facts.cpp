// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/length_facts.h"

#include "schedule/recorded_arrivals.h"
#include "workload/log_times.h"
#include "workload/prompt.h"
#include "workload/request_table.h"

#include <algorithm>

namespace tailmark {

namespace {

void multiply(TokenFigures& figures, int by)
{
    figures.mean *= by;
    for (std::int64_t* value : {&figures.p50, &figures.p90, &figures.p95, &figures.p99, &figures.max})
        *value *= by;
}

std::int64_t longestOf(const LengthSource& lengths)
{
    std::int64_t longest = 0;
    for (const LengthPart& part : lengths.parts())
        for (const LengthPair& pair : part.pairs)
            longest = std::max(longest, std::int64_t{pair.promptTokens} + pair.outputTokens);
    return longest;
}

AskedLengths askedOf(std::span<const LengthPart> parts, int choices)
{
    AskedLengths asked = askedLengths(parts);
    multiply(asked.all.output, choices);
    for (AskedLengths::Part& part : asked.parts)
        multiply(part.figures.output, choices);
    return asked;
}

/// What is drawn apart is asked to have no correlation, whatever that of the pairs is that stand for it.
void tellDrawnApart(const Lengths& lengths, LengthFigures& figures)
{
    if (isDrawnFromLog(lengths.kind) && lengths.draw == LengthsDraw::Independent && figures.rankCorrelation)
        figures.rankCorrelation = 0;
}

} // namespace

StatedLengths::StatedLengths(std::shared_ptr<const LengthSource> stated, int choices, std::shared_ptr<const Trace> log)
    : m_stated(std::move(stated)), m_log(std::move(log)), m_asked(askedOf(m_stated->parts(), choices)), m_choices(choices)
{
}

/// The rows of the stretch of the log that the point replays; empty where it takes the whole log, or none.
std::span<const LengthPair> StatedLengths::stretchOf(const PointPlan& point) const
{
    const bool part = point.recorded.fromS > 0 || point.recorded.toS > 0;
    if (!m_log || !part || !point.openLoop() || point.process != ArrivalProcess::Recorded)
        return {};
    const std::vector<LengthPair>& rows = m_stated->parts().front().pairs;
    const RecordedTimes times = timesOf(*m_log);
    const Result<RecordedWindow> window = RecordedWindow::make(times, point.recorded, point.lengths.file);
    if (!window || rows.size() != times.arrivals.size())
        return {};
    return std::span(rows).subspan(window.value().row(0), window.value().rows());
}

/// What is drawn for the turns of a conversation is what each adds to it: the prompts are longer.
AskedLengths StatedLengths::askedBy(const PointPlan& point) const
{
    if (const std::span<const LengthPair> rows = stretchOf(point); !rows.empty()) {
        const LengthPart stretch{{}, 1, {rows.begin(), rows.end()}};
        return askedOf({&stretch, 1}, m_choices);
    }
    if (point.sessions.kind != SessionsKind::Synthetic) {
        AskedLengths asked = m_asked;
        tellDrawnApart(point.lengths, asked.all);
        for (std::size_t i = 0; i < std::min(asked.parts.size(), point.lengths.parts.size()); ++i)
            tellDrawnApart(point.lengths.parts[i].lengths, asked.parts[i].figures);
        return asked;
    }
    const auto turns = RequestTable::make(point, *m_stated, nullptr);
    if (!turns)
        return m_asked;
    LengthPart all;
    for (std::uint32_t i = 0; i < turns.value()->size(); ++i)
        all.pairs.push_back(turns.value()->row(i).lengths);
    return askedOf({&all, 1}, m_choices);
}

void StatedLengths::note(const PointPlan& point, const LengthSource& sent, const RecordBatch& batch,
                         PointFacts& facts) const
{
    facts.lengths = askedBy(point);
    if (&sent == m_stated.get())
        return;
    // Rows that are asked in the order of their log are not drawn: those that were cut fill the context.
    const bool inOrder = RequestTable::isNeeded(point) || replaysLog(point);
    const std::int64_t room = inOrder ? longestOf(sent) : 0;
    facts.clippedRequests = static_cast<std::uint64_t>(
        std::count_if(batch.records.begin(), batch.records.end(), [&](const RequestRecord& record) {
            if (inOrder)
                return std::int64_t{record.promptTokensPlanned} + record.outputTokensCap / m_choices == room;
            return sent.draw(point.seeds.lengths, record.request) !=
                   m_stated->draw(point.seeds.lengths, record.request);
        }));
}

} // namespace tailmark
