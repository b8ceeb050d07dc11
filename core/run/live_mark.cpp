// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/live_mark.h"

#include "analysis/distribution.h"
#include "analysis/quantile.h"

#include <algorithm>

namespace tailmark {

LiveMark::LiveMark(const PointPlan& point, const Slo& slo)
    : m_headline(headlineMetric(point.openLoop())), m_windowStart(fromSeconds(point.warmupS)),
      m_windowEnd(fromSeconds(point.warmupS + point.longestWindowS())), m_latency{shownPercentiles(slo)}, m_sendLag{
                                                                                                       {99}}
{
}

void LiveMark::Sample::refresh()
{
    if (values.size() <= computedAt + computedAt / 64)
        return;
    computedAt = values.size();
    auto rest = values.begin(); // no value before it is above any behind it
    for (const double percent : percents) {
        const auto nth =
            values.begin() + static_cast<std::ptrdiff_t>(quantileRank(values.size(), percent)) - 1;
        std::nth_element(rest, nth, values.end());
        quantiles[percent] = *nth;
        rest = nth;
    }
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
    progress.sendLagP99Ms = m_sendLag.quantiles.empty() ? 0 : m_sendLag.quantiles.at(99);
    const double length = toSeconds(std::min(elapsed, m_windowEnd) - m_windowStart);
    if (length <= 0)
        return;
    m_latency.refresh();
    progress.headlineMs = m_latency.quantiles;
    progress.requestsPerS = static_cast<double>(m_completed) / length;
    if (m_tokensKnown)
        progress.outputTokensPerS = static_cast<double>(m_outputTokens) / length;
}

} // namespace tailmark
