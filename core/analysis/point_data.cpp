// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/point_data.h"

#include "analysis/summarize.h"

#include <algorithm>

namespace tailmark {

namespace {

Nanoseconds lastMoment(const RecordBatch& batch)
{
    Nanoseconds last{0};
    for (const RequestRecord& r : batch.records) {
        last = std::max(last, r.intended);
        last = std::max(last, endTime(r));
    }
    return last;
}

/// A point that ended by its number of requests holds its load until the first worker finds nothing left to
/// send; after that the load dies away and would pull every rate down.
Nanoseconds loadHeldUntil(const RecordBatch& batch, Nanoseconds ended)
{
    Nanoseconds lastStart{0};
    for (const RequestRecord& r : batch.records)
        lastStart = std::max(lastStart, r.intended);
    Nanoseconds firstEnd = ended;
    for (const RequestRecord& r : batch.records) {
        const Nanoseconds end = endTime(r);
        if (isPresent(end) && end >= lastStart)
            firstEnd = std::min(firstEnd, end);
    }
    return firstEnd + Nanoseconds(1); // that request itself is inside
}

} // namespace

PointData::PointData(const PointPlan& pointPlan, const Slo& limits, const RecordBatch& records,
                     const PointFacts& kept)
    : point(pointPlan), slo(limits), batch(records), facts(kept),
      headline(headlineMetric(pointPlan.openLoop()))
{
    ended = facts.endedS > 0 ? fromSeconds(facts.endedS) : lastMoment(batch);
    windowStart = fromSeconds(point.warmupS);
    windowEnd = windowStart + fromSeconds(facts.windowS > 0 ? facts.windowS : point.longestWindowS());
    if (facts.endedS > 0)
        windowEnd = std::min(windowEnd, ended);
    if (facts.endedBy == "count")
        windowEnd = std::min(windowEnd, loadHeldUntil(batch, ended));
    windowEnd = std::max(windowEnd, windowStart);
    window = {toSeconds(windowStart), toSeconds(windowEnd), point.warmupS, point.durationS, facts.windowNote};

    judgements.reserve(batch.records.size());
    for (const RequestRecord& r : batch.records) {
        judgements.push_back(judge(r, batch.chunksOf(r), slo));
        if (covers(r.intended))
            inWindow.push_back(&r);
        const Nanoseconds end = isPresent(endTime(r)) ? endTime(r) : ended;
        backlog.add(r.intended, end);
        inFlight.add(r.sent, end);
        if (r.outcome == Outcome::Completed)
            answering.add(r.sent, completionTime(r));
    }
    backlog.finish();
    inFlight.finish();
    answering.finish();

    const auto earlier = [](const RequestRecord* a, const RequestRecord* b) { return a->intended < b->intended; };
    if (!std::is_sorted(inWindow.begin(), inWindow.end(), earlier)) // as most are
        std::stable_sort(inWindow.begin(), inWindow.end(), earlier);
    inWindowJudgements.reserve(inWindow.size());
    for (const RequestRecord* r : inWindow)
        inWindowJudgements.push_back(judgements[static_cast<std::size_t>(r - batch.records.data())]);
}

} // namespace tailmark
