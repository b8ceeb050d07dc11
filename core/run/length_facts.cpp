// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/length_facts.h"

#include <algorithm>

namespace tailmark {

namespace {

void multiply(TokenFigures& figures, int by)
{
    figures.mean *= by;
    for (std::int64_t* value : {&figures.p50, &figures.p90, &figures.p95, &figures.p99, &figures.max})
        *value *= by;
}

} // namespace

StatedLengths::StatedLengths(std::shared_ptr<const LengthSource> stated, int choices)
    : m_stated(std::move(stated)), m_asked(askedLengths(m_stated->parts()))
{
    multiply(m_asked.all.output, choices);
    for (AskedLengths::Part& part : m_asked.parts)
        multiply(part.figures.output, choices);
}

void StatedLengths::note(const PointPlan& point, const LengthSource& sent, const RecordBatch& batch,
                         PointFacts& facts) const
{
    facts.lengths = m_asked;
    if (&sent == m_stated.get())
        return;
    facts.clippedRequests = static_cast<std::uint64_t>(
        std::count_if(batch.records.begin(), batch.records.end(), [&](const RequestRecord& record) {
            return sent.draw(point.seeds.lengths, record.request) !=
                   m_stated->draw(point.seeds.lengths, record.request);
        }));
}

} // namespace tailmark
