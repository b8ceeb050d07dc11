// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/metrics.h"
#include "plan/plan.h"
#include "record/request_record.h"
#include "run/run_event.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tailmark {

/// The moving mark of the running point: figures over the part of its window that has passed. A rough view of
/// what summarize() will say at the end, cheap enough to be had ten times a second beside the load.
/// Throughput counts whole requests that completed inside the window, since only finished requests are known.
class LiveMark
{
public:
    LiveMark(const PointPlan& point, const Slo& slo);

    void add(const RecordBatch& finished);
    /// Of a window that goes on until it is stable: where it ends.
    void setWindowEnd(Nanoseconds end) { m_windowEnd = end; }
    /// Sets the mark's members and the send lag; the window's figures stay absent until it has begun.
    void fill(Progress& progress, Nanoseconds elapsed);

private:
    /// Exact values with some of their quantiles, computed anew only when the sample has grown by a 64th, so
    /// that the whole point costs a fixed number of steps per request.
    struct Sample
    {
        std::vector<double> percents; ///< ascending
        std::vector<double> values = {};
        std::size_t computedAt = 0;
        std::map<double, double> quantiles = {};
        void refresh();
    };

    Metric m_headline;
    Nanoseconds m_windowStart, m_windowEnd;
    Sample m_latency; ///< headline latency of successful requests intended in the window
    Sample m_sendLag; ///< of all requests sent
    std::uint64_t m_completed = 0;
    std::uint64_t m_outputTokens = 0;
    bool m_tokensKnown = true; ///< the target told the tokens of every request so far
};

} // namespace tailmark
