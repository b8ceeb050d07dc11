// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/distribution.h"

#include <algorithm>
#include <numeric>

namespace tailmark {

std::vector<double> shownPercentiles(const Slo& slo)
{
    std::vector<double> percents = {50, 90, 95, 99};
    for (const SloLimit& limit : slo)
        percents.push_back(limit.percentile);
    std::sort(percents.begin(), percents.end());
    percents.erase(std::unique(percents.begin(), percents.end()), percents.end());
    return percents;
}

std::optional<Distribution> makeDistribution(std::span<const double> sorted, std::span<const double> percents)
{
    if (sorted.empty())
        return std::nullopt;
    Distribution d;
    d.n = sorted.size();
    d.min = sorted.front();
    d.max = sorted.back();
    d.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(d.n);
    for (const double percent : percents)
        d.quantiles.push_back(
            {percent, *quantile(sorted, percent), quantileInterval(sorted, percent), isWeak(d.n, percent)});
    return d;
}

std::optional<Distribution> makeDistribution(std::span<const WeightedValue> sorted,
                                             std::span<const double> percents)
{
    if (sorted.empty())
        return std::nullopt;
    Distribution d;
    double sum = 0;
    for (const WeightedValue& v : sorted) {
        d.n += v.weight;
        sum += v.value * static_cast<double>(v.weight);
    }
    d.min = sorted.front().value;
    d.max = sorted.back().value;
    d.mean = sum / static_cast<double>(d.n);

    auto at = sorted.begin();
    std::uint64_t counted = at->weight;
    for (const double percent : percents) {
        const std::size_t rank = quantileRank(d.n, percent);
        while (counted < rank)
            counted += (++at)->weight;
        d.quantiles.push_back({percent, at->value, std::nullopt, isWeak(d.n, percent)});
    }
    return d;
}

const Distribution::Quantile* Distribution::at(double percent) const
{
    const auto it = std::find_if(quantiles.begin(), quantiles.end(),
                                 [&](const Quantile& q) { return q.percent == percent; });
    return it == quantiles.end() ? nullptr : &*it;
}

const Distribution* PointSummary::distribution(Metric m) const
{
    const auto it = metrics.find(m);
    return it == metrics.end() ? nullptr : &it->second;
}

double PointSummary::coalescedShare() const
{
    return tokenEvents > 0 ? static_cast<double>(coalescedEvents) / static_cast<double>(tokenEvents) : 0;
}

std::optional<double> PointSummary::rate(Metric m) const
{
    const auto it = rates.find(m);
    return it == rates.end() ? std::nullopt : std::optional(it->second);
}

} // namespace tailmark
