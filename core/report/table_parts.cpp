// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/table_parts.h"

#include "analysis/operating_sentence.h"
#include "analysis/text.h"
#include "base/percentile_text.h"

#include <algorithm>

namespace tailmark {

namespace {

std::string namedLatency(Metric metric, double percent, double value)
{
    return percentileText(percent) + " " + std::string(metricInfo(metric).abbreviation) + " " + durationText(value);
}

} // namespace

std::string cell(const std::optional<double>& value)
{
    return value ? figureText(*value) : std::string();
}

ReportTable::Column textColumn(const std::string& title)
{
    return {title, {}, false};
}

ReportTable::Column metricColumn(Metric metric, const std::string& before)
{
    const MetricInfo& info = metricInfo(metric);
    const std::string unit = info.unit.empty() ? "" : " (" + std::string(info.unit) + ")";
    return {before + std::string(info.abbreviation) + unit, std::string(info.definition), true};
}

std::string pointName(const PointSummary& p)
{
    const std::string repeat = p.point.repeat > 0 ? " #" + std::to_string(p.point.repeat + 1) : "";
    const std::vector<Phase>& phases = p.point.phases;
    if (p.point.kind == TestKind::BurstRecovery && phases.size() > 1)
        return figureText(phases[0].ratePerS) + " to " + figureText(phases[1].ratePerS) + " requests/s" + repeat;
    return loadText(p.point.load) + repeat;
}

std::string quantileCell(const Distribution* d, double percent)
{
    const Distribution::Quantile* q = d ? d->at(percent) : nullptr;
    if (!q)
        return {};
    return figureText(q->value) + (q->weak ? " (weak)" : "");
}

std::string latencyBeside(const PointSummary& p)
{
    for (const ConstraintResult& c : p.slo.constraints) {
        const auto metric = metricFromId(c.limit.metric);
        if (metric && metricInfo(*metric).unit == "ms")
            return c.value ? namedLatency(*metric, c.limit.percentile, *c.value) : std::string(kUnknownText);
    }
    const Metric headline = headlineMetric(p.point.openLoop());
    const Distribution* d = p.distribution(headline);
    const Distribution::Quantile* q = d ? d->at(99) : nullptr;
    return q ? namedLatency(headline, 99, q->value) : std::string(kUnknownText);
}

std::vector<ReportTable> splitWide(const ReportTable& table, std::size_t keys, std::size_t most)
{
    const std::size_t values = table.columns.size() - keys;
    const std::size_t parts = std::max<std::size_t>(1, (values + most - 1) / most);
    const std::size_t each = (values + parts - 1) / parts;
    std::vector<ReportTable> split;
    for (std::size_t from = keys; from < table.columns.size() || split.empty(); from += each) {
        const auto part = [&](const auto& whole) {
            auto some = whole;
            some.erase(some.begin() + static_cast<std::ptrdiff_t>(std::min(whole.size(), from + each)), some.end());
            some.erase(some.begin() + static_cast<std::ptrdiff_t>(keys), some.begin() + static_cast<std::ptrdiff_t>(from));
            return some;
        };
        ReportTable next{part(table.columns), {}};
        for (const auto& row : table.rows)
            next.rows.push_back(part(row));
        split.push_back(std::move(next));
    }
    return split;
}

} // namespace tailmark
