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

PointFrame::PointFrame(const PointPlan& point, const RecordBatch& records, const PointFacts& facts)
{
    ended = facts.endedS > 0 ? fromSeconds(facts.endedS) : lastMoment(records);
    windowStart = fromSeconds(point.warmupS);
    windowEnd = windowStart + fromSeconds(facts.windowS > 0 ? facts.windowS : point.longestWindowS());
    if (facts.endedS > 0)
        windowEnd = std::min(windowEnd, ended);
    if (facts.endedBy == "count")
        windowEnd = std::min(windowEnd, loadHeldUntil(records, ended));
    windowEnd = std::max(windowEnd, windowStart);

    byStart.reserve(records.records.size());
    for (const RequestRecord& r : records.records)
        byStart.push_back(&r);
    const auto earlier = [](const RequestRecord* a, const RequestRecord* b) { return a->intended < b->intended; };
    if (!std::is_sorted(byStart.begin(), byStart.end(), earlier)) // as most are
        std::stable_sort(byStart.begin(), byStart.end(), earlier);
    const auto firstAt = [&](Nanoseconds t) {
        return std::ranges::lower_bound(byStart, t, {}, &RequestRecord::intended);
    };
    inWindow = {firstAt(windowStart), firstAt(windowEnd)};
}

PointData::PointData(const PointPlan& pointPlan, const Slo& limits, const RecordBatch& records,
                     const PointFacts& kept)
    : PointFrame(pointPlan, records, kept), point(pointPlan), slo(limits), batch(records), facts(kept),
      headline(headlineMetric(pointPlan.openLoop()))
{
    window = {toSeconds(windowStart), toSeconds(windowEnd), point.warmupS, point.durationS, facts.windowNote};
    judgements.reserve(byStart.size());
    for (const RequestRecord* r : byStart) {
        judgements.push_back(judge(*r, batch.chunksOf(*r), slo));
        const Nanoseconds end = isPresent(endTime(*r)) ? endTime(*r) : ended;
        backlog.add(r->intended, end);
        inFlight.add(r->sent, end);
        if (r->outcome == Outcome::Completed)
            answering.add(r->sent, completionTime(*r));
    }
    backlog.finish();
    inFlight.finish();
    answering.finish();
}

} // namespace tailmark
