// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/distribution_data.h"

#include "analysis/gap_tally.h"
#include "analysis/summarize.h"

#include <algorithm>
#include <cmath>

namespace tailmark::ui {

namespace {

constexpr int kSteps = 400;       // of the staircase: more than a chart has pixels to tell apart
constexpr int kTailSteps = 20000; // above 99 %, which is what matters: a hundredth of it is drawn
constexpr int kBars = 40;

/// Ascending.
std::vector<WeightedValue> valuesOf(Metric metric, const Window& window, const RecordBatch& batch)
{
    const MetricScope scope = metricInfo(metric).scope;
    GapTally gaps;
    std::vector<WeightedValue> values;
    for (const RequestRecord& r : batch.records) {
        if (r.outcome != Outcome::Completed || !inWindow(r, window))
            continue;
        if (scope == MetricScope::Chunk)
            gaps.add(batch.chunksOf(r));
        else if (const auto value = requestValue(metric, r))
            values.push_back({*value, 1});
    }
    if (metric == Metric::ChunkGap)
        return gaps.gapsMs();
    if (metric == Metric::Itl)
        return gaps.itlMs();
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
    return values;
}

} // namespace

DistributionData distributionData(Metric metric, const PointSummary& summary, const RecordBatch& records)
{
    DistributionData data;
    data.metric = metric;
    if (const Distribution* d = summary.distribution(metric))
        data.summary = *d;
    const std::vector<WeightedValue> values = valuesOf(metric, summary.window, records);
    double total = 0;
    for (const WeightedValue& v : values)
        total += static_cast<double>(v.weight);
    if (total <= 0)
        return data;

    double below = 0, drawn = 0;
    data.ecdf.append({values.front().value, 0});
    for (std::size_t i = 0; i < values.size(); ++i) {
        below += static_cast<double>(values[i].weight);
        const double share = below / total;
        if (share - drawn < 1.0 / (share < 0.99 ? kSteps : kTailSteps) && i + 1 < values.size())
            continue;
        data.ecdf.append({values[i].value, data.ecdf.last().y()});
        data.ecdf.append({values[i].value, share});
        drawn = share;
    }

    const double low = values.front().value, high = values.back().value;
    data.logarithmic = low > 0 && high / low > 30;
    const auto forward = [&](double v) { return data.logarithmic ? std::log10(v) : v; };
    const auto back = [&](double t) { return data.logarithmic ? std::pow(10.0, t) : t; };
    const double from = forward(low);
    const double width = (forward(high) - from) / kBars;
    if (!(width > 0)) {
        data.histogram.append({low - 0.5, high + 0.5, total});
        return data;
    }
    for (int i = 0; i < kBars; ++i)
        data.histogram.append({back(from + i * width), back(from + (i + 1) * width), 0});
    for (const WeightedValue& v : values) {
        const int bar = std::clamp(static_cast<int>((forward(v.value) - from) / width), 0, kBars - 1);
        data.histogram[bar].count += static_cast<double>(v.weight);
    }
    return data;
}

QList<Metric> distributionMetrics(const PointSummary& summary)
{
    QList<Metric> found;
    for (const auto& [metric, distribution] : summary.metrics)
        if (distribution.n > 0)
            found.append(metric);
    return found;
}

} // namespace tailmark::ui
