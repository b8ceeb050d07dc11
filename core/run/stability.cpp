// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/stability.h"

#include "analysis/metrics.h"
#include "analysis/slo.h"
#include "analysis/text.h"
#include "base/percentile_text.h"

#include <algorithm>

namespace tailmark {

Stability::Stability(const PointPlan& point, const Slo& slo)
    : m_windowStart(fromSeconds(point.warmupS)), m_stableWidth(point.stableWidth)
{
    for (const SloLimit& limit : slo) {
        const std::optional<Metric> metric = metricOf(limit);
        if (metric && metricInfo(*metric).scope == MetricScope::Request)
            m_watched.push_back({limit});
    }
    if (point.kind == TestKind::FixedShape || m_watched.empty()) {
        const std::string headline(metricInfo(headlineMetric(point.openLoop())).id);
        m_watched = {{{headline, point.kind == TestKind::FixedShape ? 50.0 : 99.0, 0}}};
    }
}

void Stability::add(const RecordBatch& finished)
{
    for (const RequestRecord& record : finished.records) {
        if (record.outcome != Outcome::Completed || !isPresent(record.intended) ||
            record.intended < m_windowStart)
            continue;
        for (Watched& watched : m_watched)
            if (const auto value = requestValue(*metricOf(watched.limit), record))
                watched.values.emplace_back(record.intended, *value);
    }
}

void Stability::Watched::refresh(bool anew)
{
    if (values.size() == computedAt || (!anew && values.size() <= computedAt + computedAt / 10))
        return;
    computedAt = values.size();
    std::sort(values.begin(), values.end());
    std::vector<double> inOrder;
    inOrder.reserve(values.size());
    for (const auto& [intended, value] : values)
        inOrder.push_back(value);
    const LimitedQuantile quantile = limitedQuantile(limit, inOrder);
    width = quantile.ci95 && *quantile.value > 0
                ? std::optional((quantile.ci95->high - quantile.ci95->low) / *quantile.value)
                : std::nullopt;
}

/// Unknown is wider than any.
const Stability::Watched* Stability::widest(bool anew)
{
    const Watched* widest = nullptr;
    for (Watched& watched : m_watched) {
        watched.refresh(anew);
        if (!watched.width)
            return &watched;
        if (!widest || *watched.width > *widest->width)
            widest = &watched;
    }
    return widest;
}

bool Stability::isReached()
{
    const Watched* const watched = widest(false);
    return watched->width && *watched->width <= m_stableWidth;
}

std::string Stability::text()
{
    const Watched* const watched = widest(true);
    return percentileText(watched->limit.percentile) + " " +
           std::string(metricInfo(*metricOf(watched->limit)).abbreviation) +
           (watched->width
                ? " has an interval " + percentText(*watched->width) + " wide"
                : " has too few requests for an interval (" + countText(watched->values.size()) + ")");
}

} // namespace tailmark
