// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/level_track.h"
#include "analysis/slo.h"
#include "analysis/summary.h"
#include "record/point_facts.h"
#include "record/request_record.h"

#include <vector>

namespace tailmark {

/// One point prepared for summarising: what every part of the summary asks of its records, worked out once.
struct PointData
{
    const PointPlan& point;
    const Slo& slo;
    const RecordBatch& batch;
    const PointFacts& facts;

    Window window;
    Nanoseconds windowStart{0}, windowEnd{0};
    Nanoseconds ended{0}; ///< the end of the point; requests without an end of their own waited until then
    Metric headline = Metric::Ttft;

    std::vector<Judgement> judgements;          ///< of every record
    std::vector<const RequestRecord*> inWindow; ///< by intended start, in that order
    std::vector<Judgement> inWindowJudgements;
    LevelTrack backlog;   ///< intended and not yet ended
    LevelTrack inFlight;  ///< sent and not yet ended
    LevelTrack answering; ///< successful requests between sent and last token

    PointData(const PointPlan& point, const Slo& slo, const RecordBatch& batch, const PointFacts& facts);

    /// Of the window, from its first moment to its last.
    double backlogGrowth() const
    {
        return static_cast<double>(backlog.at(windowEnd)) - static_cast<double>(backlog.at(windowStart));
    }
    bool covers(Nanoseconds t) const { return isPresent(t) && t >= windowStart && t < windowEnd; }
};

} // namespace tailmark
