// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/trace_measures.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

void IntegerAccumulator::add(std::int64_t value)
{
    const bool first = m_counts.total() == 0;
    m_min = first ? value : std::min(m_min, value);
    m_max = first ? value : std::max(m_max, value);
    m_sum += static_cast<double>(value);
    m_counts.add(value);
}

IntegerStats IntegerAccumulator::stats() const
{
    IntegerStats stats;
    stats.n = m_counts.total();
    if (stats.n == 0)
        return stats;
    const auto at = [&](double percent) { return std::clamp(m_counts.quantile(percent), m_min, m_max); };
    stats.min = m_min;
    stats.max = m_max;
    stats.p10 = at(10);
    stats.p25 = at(25);
    stats.p50 = at(50);
    stats.p75 = at(75);
    stats.p90 = at(90);
    stats.p95 = at(95);
    stats.p99 = at(99);
    stats.mean = m_sum / static_cast<double>(stats.n);
    return stats;
}

void TraceMeasures::add(const TraceRow& row, std::span<const BlockRun> blocks, int blockSize)
{
    const std::int32_t prompt = row.lengths.promptTokens, output = row.lengths.outputTokens;
    if (m_rows == 0) {
        m_promptShift = prompt;
        m_outputShift = output;
    }
    ++m_rows;
    m_prompt.add(prompt);
    m_output.add(output);
    const double p = prompt - m_promptShift, o = output - m_outputShift;
    m_sumP += p;
    m_sumO += o;
    m_sumPP += p * p;
    m_sumOO += o * o;
    m_sumPO += p * o;
    if (isPresent(row.arrival)) {
        ++m_withArrival;
        if (isPresent(m_lastArrival) && row.arrival < m_lastArrival)
            m_ordered = false;
        if (m_ordered)
            m_arrivals.add(row.arrival);
        m_lastArrival = row.arrival;
    }
    if (row.cachedTokens != TraceRow::kNotTold) {
        m_cached.add(row.cachedTokens);
        m_promptOfCached += prompt;
    }
    if (blockSize > 0)
        m_prefix.add(row.arrival, prompt, blockSize, blocks);
    if (isPresent(row.thinkTime))
        m_thinkMs.add(row.thinkTime.count() / 1'000'000);
    if (row.session != TraceRow::kNotTold)
        addSession(row);
    m_hash.add(row, blocks);
}

void TraceMeasures::addSession(const TraceRow& row)
{
    const auto index = static_cast<std::size_t>(row.session);
    if (index >= m_sessions.size())
        m_sessions.resize(index + 1);
    Session& session = m_sessions[index];
    if (session.turns > 0 && row.lengths.promptTokens >= session.lastPrompt)
        m_growth.add(row.lengths.promptTokens - session.lastPrompt);
    ++session.turns;
    session.lastPrompt = row.lengths.promptTokens;
}

std::optional<double> TraceMeasures::pearson() const
{
    const auto n = static_cast<double>(m_rows);
    const double pp = m_sumPP - m_sumP * m_sumP / n, oo = m_sumOO - m_sumO * m_sumO / n;
    const IntegerStats prompt = m_prompt.stats(), output = m_output.stats();
    if (prompt.min == prompt.max || output.min == output.max)
        return std::nullopt;
    return (m_sumPO - m_sumP * m_sumO / n) / std::sqrt(pp * oo);
}

/// Pearson's coefficient of mid-ranks. The rank of a length follows from the counts, so that nothing is
/// sorted.
std::optional<double> TraceMeasures::spearman(const TraceRows& rows) const
{
    const auto ranksOf = [](const IntegerCounts& counts) {
        std::vector<double> ranks(counts.slotCount());
        double below = 0;
        counts.forEach([&](std::int64_t value, std::uint64_t times) {
            ranks[IntegerCounts::slotOf(value)] = below + (static_cast<double>(times) + 1) / 2;
            below += static_cast<double>(times);
        });
        return ranks;
    };
    const std::vector<double> promptRanks = ranksOf(m_prompt.counts()),
                              outputRanks = ranksOf(m_output.counts());
    const double mean = (static_cast<double>(m_rows) + 1) / 2;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double a = promptRanks[IntegerCounts::slotOf(rows.prompts()[i])] - mean;
        const double b = outputRanks[IntegerCounts::slotOf(rows.outputs()[i])] - mean;
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    if (aa <= 0 || bb <= 0)
        return std::nullopt;
    return ab / std::sqrt(aa * bb);
}

std::optional<ArrivalStats> TraceMeasures::arrivals(const Trace& trace) const
{
    if (trace.sessionClock || m_withArrival < m_rows || m_rows == 0 || !m_ordered)
        return std::nullopt;
    return m_arrivals.stats(trace.rows.arrivals());
}

std::optional<SessionStats> TraceMeasures::sessionStats() const
{
    if (m_sessions.empty())
        return std::nullopt;
    SessionStats stats;
    IntegerAccumulator turns;
    for (const Session& session : m_sessions)
        if (session.turns > 0)
            turns.add(session.turns);
    stats.turns = turns.stats();
    stats.sessions = stats.turns.n;
    if (m_thinkMs.counts().total() > 0)
        stats.thinkMs = m_thinkMs.stats();
    if (m_growth.counts().total() > 0)
        stats.growth = m_growth.stats();
    return stats;
}

void TraceMeasures::finish(Trace& trace)
{
    TraceStats& stats = trace.stats;
    stats.prompt = m_prompt.stats();
    stats.output = m_output.stats();
    stats.pearson = pearson();
    stats.spearman = spearman(trace.rows);
    stats.arrivals = arrivals(trace);
    stats.prefix = m_prefix.stats(trace.blockSize, trace.sessionClock || stats.arrivals.has_value());
    stats.sessions = sessionStats();
    if (m_cached.counts().total() > 0) {
        stats.cached = m_cached.stats();
        stats.cachedShare = m_promptOfCached > 0 ? m_cached.sum() / m_promptOfCached : 0;
    }
    const std::size_t points = std::min(trace.rows.size(), TraceStats::kScatterPoints);
    for (std::size_t i = 0; i < points; ++i)
        stats.scatter.push_back(trace.rows[i * trace.rows.size() / points].lengths);
    trace.hash = m_hash.finish(trace);
}

} // namespace tailmark
