// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/live_mark.h"

#include "analysis/quantile.h"

#include <algorithm>

namespace tailmark {

namespace {

std::optional<double> quantileOfUnsorted(std::vector<double>& values, double percent)
{
    if (values.empty())
        return std::nullopt;
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(quantileRank(values.size(), percent)) - 1;
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
}

} // namespace

LiveMark::LiveMark(const PointPlan& point)
    : m_headline(headlineMetric(point.openLoop())), m_windowStart(fromSeconds(point.warmupS)),
      m_windowEnd(fromSeconds(point.warmupS + point.durationS))
{
}

void LiveMark::Sample::refresh()
{
    if (values.size() <= computedAt + computedAt / 64)
        return;
    computedAt = values.size();
    p50 = quantileOfUnsorted(values, 50);
    p99 = quantileOfUnsorted(values, 99);
}

void LiveMark::add(const RecordBatch& finished)
{
    const auto inWindow = [&](Nanoseconds t) {
        return isPresent(t) && t >= m_windowStart && t < m_windowEnd;
    };
    for (const RequestRecord& record : finished.records) {
        if (const auto lag = requestValue(Metric::SendLag, record))
            m_sendLag.values.push_back(*lag);
        if (record.outcome != Outcome::Completed)
            continue;
        if (inWindow(completionTime(record))) {
            ++m_completed;
            m_tokensKnown = m_tokensKnown && record.outputTokens != kUnknownCount;
            m_outputTokens += static_cast<std::uint64_t>(std::max(record.outputTokens, 0));
        }
        if (inWindow(record.intended)) {
            if (const auto latency = requestValue(m_headline, record))
                m_latency.values.push_back(*latency);
        }
    }
}

void LiveMark::fill(Progress& progress, Nanoseconds elapsed)
{
    m_sendLag.refresh();
    progress.sendLagP99Ms = m_sendLag.p99.value_or(0);
    const double length = toSeconds(std::min(elapsed, m_windowEnd) - m_windowStart);
    if (length <= 0)
        return;
    m_latency.refresh();
    progress.headlineP50Ms = m_latency.p50;
    progress.headlineP99Ms = m_latency.p99;
    progress.requestsPerS = static_cast<double>(m_completed) / length;
    if (m_tokensKnown)
        progress.outputTokensPerS = static_cast<double>(m_outputTokens) / length;
}

} // namespace tailmark
