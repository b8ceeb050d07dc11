// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"
#include "record/point_facts.h"
#include "record/request_record.h"
#include "workload/lengths.h"
#include "workload/trace/trace.h"

#include <memory>
#include <span>

namespace tailmark {

/// Lengths as the matrix states them, to hold against those that the requests had.
class StatedLengths
{
public:
    /// `choices`: answers that each request asks for; its output tokens are those of all. `log`: whose lengths they
    /// are, which tells those of a stretch; null where they are of none.
    StatedLengths(std::shared_ptr<const LengthSource> stated, int choices, std::shared_ptr<const Trace> log = nullptr);

    /// Into the facts of a point whose requests had lengths of `sent`: what was asked for, and how many of the
    /// requests were cut.
    void note(const PointPlan& point, const LengthSource& sent, const RecordBatch& batch, PointFacts& facts) const;

private:
    std::span<const LengthPair> stretchOf(const PointPlan& point) const;
    AskedLengths askedBy(const PointPlan& point) const;

    std::shared_ptr<const LengthSource> m_stated;
    std::shared_ptr<const Trace> m_log;
    AskedLengths m_asked;
    int m_choices;
};

} // namespace tailmark
