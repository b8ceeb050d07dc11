// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"
#include "record/point_facts.h"
#include "record/request_record.h"
#include "workload/lengths.h"

#include <memory>

namespace tailmark {

/// Lengths as the matrix states them, to hold against those that the requests had.
class StatedLengths
{
public:
    /// `choices`: answers that each request asks for; its output tokens are those of all.
    StatedLengths(std::shared_ptr<const LengthSource> stated, int choices);

    /// Into the facts of a point whose requests had lengths of `sent`: what was asked for, and how many of the
    /// requests were cut.
    void note(const PointPlan& point, const LengthSource& sent, const RecordBatch& batch, PointFacts& facts) const;

private:
    AskedLengths askedBy(const PointPlan& point) const;

    std::shared_ptr<const LengthSource> m_stated;
    AskedLengths m_asked;
    int m_choices;
};

} // namespace tailmark
