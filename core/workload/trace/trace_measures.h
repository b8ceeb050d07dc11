// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/arrival_accumulator.h"
#include "workload/trace/canonical_rows.h"
#include "base/integer_counts.h"
#include "workload/trace/prefix_accumulator.h"
#include "workload/trace/trace.h"

#include <vector>

namespace tailmark {

/// Whole numbers with their sum and exact ends.
class IntegerAccumulator
{
public:
    void add(std::int64_t value);
    IntegerStats stats() const;
    const IntegerCounts& counts() const { return m_counts; }
    double sum() const { return m_sum; }

private:
    IntegerCounts m_counts;
    double m_sum = 0;
    std::int64_t m_min = 0, m_max = 0;
};

/// The one accumulator of everything that a log shows: rows go in one by one, in the order of time where they
/// have one, and memory does not grow with their number.
class TraceMeasures
{
public:
    void add(const TraceRow& row, std::span<const BlockRun> blocks, int blockSize);
    /// Into `trace.stats` and `trace.hash`; `trace` has its rows and facts already.
    void finish(Trace& trace);

private:
    struct Session
    {
        std::int32_t turns = 0;
        std::int32_t lastPrompt = 0;
    };
    void addSession(const TraceRow& row);
    std::optional<double> pearson() const;
    std::optional<double> spearman(const TraceRows& rows) const;
    std::optional<ArrivalStats> arrivals(const Trace& trace) const;
    std::optional<SessionStats> sessionStats() const;

    std::uint64_t m_rows = 0;
    IntegerAccumulator m_prompt, m_output, m_cached;
    double m_promptOfCached = 0;
    std::int32_t m_promptShift = 0,
                 m_outputShift = 0; ///< sums are taken from the first row, to keep their digits
    double m_sumP = 0, m_sumO = 0, m_sumPP = 0, m_sumOO = 0, m_sumPO = 0;
    std::uint64_t m_withArrival = 0;
    ArrivalAccumulator m_arrivals;
    bool m_ordered = true;
    Nanoseconds m_lastArrival = kAbsentTime;
    PrefixAccumulator m_prefix;
    std::vector<Session> m_sessions;
    IntegerAccumulator m_thinkMs, m_growth;
    CanonicalHash m_hash;
};

} // namespace tailmark
