// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/trace_rows.h"

#include <algorithm>
#include <numeric>

namespace tailmark {

TraceRow TraceRows::operator[](std::size_t i) const
{
    TraceRow row;
    row.arrival = m_arrival.at(i);
    row.lengths = {m_prompt[i], m_output[i]};
    row.line = m_line.at(i);
    row.cachedTokens = m_cached.at(i);
    row.session = m_session.at(i);
    row.turn = m_turn.at(i);
    row.thinkTime = m_think.at(i);
    row.model = m_model.at(i);
    return row;
}

std::span<const BlockRun> TraceRows::blocks(std::size_t i) const
{
    const std::uint32_t begin = i == 0 ? 0 : m_runsEnd.at(i - 1);
    return std::span(m_runs).subspan(begin, m_runsEnd.at(i) - begin);
}

void TraceRows::expect(std::size_t rows)
{
    m_prompt.reserve(rows);
    m_output.reserve(rows);
    for (auto* column : {&m_arrival, &m_think})
        column->expected = rows;
    for (auto* column : {&m_cached, &m_session, &m_turn, &m_model})
        column->expected = rows;
    m_line.expected = m_runsEnd.expected = rows;
}

void TraceRows::push_back(const TraceRow& row, std::span<const BlockRun> blocks)
{
    const std::size_t i = size();
    appendTo(m_prompt, row.lengths.promptTokens);
    appendTo(m_output, row.lengths.outputTokens);
    m_arrival.append(i, row.arrival);
    m_think.append(i, row.thinkTime);
    m_line.append(i, static_cast<std::uint32_t>(row.line));
    m_cached.append(i, row.cachedTokens);
    m_session.append(i, row.session);
    m_turn.append(i, row.turn);
    m_model.append(i, row.model);
    for (const BlockRun& run : blocks)
        appendTo(m_runs, run);
    m_runsEnd.append(i, static_cast<std::uint32_t>(m_runs.size()));
}

/// New row i is the old row source(i).
template <typename Select> void TraceRows::keep(std::size_t count, Select&& source)
{
    if (!m_runsEnd.values.empty()) {
        std::vector<BlockRun> runs;
        std::vector<std::uint32_t> ends;
        ends.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::span<const BlockRun> blocks = this->blocks(source(i));
            runs.insert(runs.end(), blocks.begin(), blocks.end());
            ends.push_back(static_cast<std::uint32_t>(runs.size()));
        }
        m_runs = std::move(runs);
        m_runsEnd.values = std::move(ends);
    }
    const auto select = [&](auto& values) {
        if (values.empty())
            return;
        std::decay_t<decltype(values)> kept(count);
        for (std::size_t i = 0; i < count; ++i)
            kept[i] = values[source(i)];
        values = std::move(kept);
    };
    select(m_prompt);
    select(m_output);
    select(m_arrival.values);
    select(m_think.values);
    select(m_line.values);
    select(m_cached.values);
    select(m_session.values);
    select(m_turn.values);
    select(m_model.values);
}

void TraceRows::startAtZero()
{
    Nanoseconds first = kAbsentTime;
    for (const Nanoseconds arrival : m_arrival.values)
        if (isPresent(arrival) && (!isPresent(first) || arrival < first))
            first = arrival;
    for (Nanoseconds& arrival : m_arrival.values)
        if (isPresent(arrival))
            arrival -= first;
}

void TraceRows::thin()
{
    keep((size() + 1) / 2, [](std::size_t i) { return 2 * i; });
}

void TraceRows::sortByArrival()
{
    std::vector<std::uint32_t> order(size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return m_arrival.at(a) < m_arrival.at(b); });
    keep(order.size(), [&](std::size_t i) { return order[i]; });
}

std::size_t TraceRows::bytes() const
{
    const auto of = [](const auto& values) { return values.size() * sizeof(values[0]); };
    return of(m_prompt) + of(m_output) + of(m_arrival.values) + of(m_think.values) + of(m_line.values) +
           of(m_cached.values) + of(m_session.values) + of(m_turn.values) + of(m_model.values) + of(m_runs) +
           of(m_runsEnd.values);
}

} // namespace tailmark
