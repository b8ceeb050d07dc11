// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/level_track.h"
#include "analysis/slo.h"
#include "analysis/summary.h"
#include "record/point_facts.h"
#include "record/request_record.h"

#include <span>
#include <vector>

namespace tailmark {

/// The requests of a point in their order, and which of them are in its window.
struct PointFrame
{
    Nanoseconds windowStart{0}, windowEnd{0};
    Nanoseconds ended{0}; ///< the end of the point; requests without an end of their own waited until then
    std::vector<const RequestRecord*> byStart; ///< all, by intended start
    std::span<const RequestRecord* const> inWindow; ///< of these

    /// The records must live as long.
    PointFrame(const PointPlan& point, const RecordBatch& records, const PointFacts& facts);
    PointFrame(const PointFrame&) = delete;
    PointFrame& operator=(const PointFrame&) = delete;

    bool covers(Nanoseconds t) const { return isPresent(t) && t >= windowStart && t < windowEnd; }
    /// Of the first request in the window among all.
    std::size_t firstInWindow() const { return static_cast<std::size_t>(inWindow.data() - byStart.data()); }
};

/// One point prepared for summarising: what every part of the summary asks of its records, worked out once.
struct PointData : PointFrame
{
    const PointPlan& point;
    const Slo& slo;
    const RecordBatch& batch;
    const PointFacts& facts;

    Window window;
    Metric headline = Metric::Ttft;

    std::vector<Judgement> judgements; ///< of `byStart`
    LevelTrack backlog;   ///< intended and not yet ended
    LevelTrack inFlight;  ///< sent and not yet ended
    LevelTrack answering; ///< successful requests between sent and last token

    PointData(const PointPlan& point, const Slo& slo, const RecordBatch& batch, const PointFacts& facts);

    std::span<const Judgement> inWindowJudgements() const
    {
        return std::span(judgements).subspan(firstInWindow(), inWindow.size());
    }
    /// Of the window, from its first moment to its last.
    double backlogGrowth() const
    {
        return static_cast<double>(backlog.at(windowEnd)) - static_cast<double>(backlog.at(windowStart));
    }
};

} // namespace tailmark
