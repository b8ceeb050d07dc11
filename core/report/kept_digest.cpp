// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/kept_digest.h"

#include "analysis/summary_bytes.h"

namespace tailmark {

namespace {

// Names of the parts; a column has the id of its metric.
constexpr std::string_view kSummary = "summary", kRequests = "requests";

} // namespace

std::optional<KeptDigest> readDigest(const Store& store, RunId run, const PointPlan& point, const Slo& slo)
{
    std::optional<PointSummary> summary;
    std::optional<PointDigest> requests;
    const auto read = [&](std::string_view part, const auto& use) {
        return store.readDigest(run, point.index, part, summaryVersion(), use).ok();
    };
    if (!read(kSummary, [&](std::span<const std::byte> bytes) { summary = summaryFromBytes(point, bytes); }) || !summary)
        return std::nullopt;
    if (!read(kRequests, [&](std::span<const std::byte> bytes) { requests = PointDigest::fromBytes(bytes); }) ||
        !requests)
        return std::nullopt;
    for (const SloLimit& limit : slo) {
        const Metric metric = *metricOf(limit);
        if (requests->hasColumn(metric))
            continue;
        const auto addColumn = [&](std::span<const std::byte> bytes) { requests->addColumn(metric, bytes); };
        if (!read(limit.metric, addColumn) || !requests->hasColumn(metric))
            return std::nullopt;
    }
    return KeptDigest{std::move(*summary), std::move(*requests)};
}

Status keepDigest(Store& store, RunId run, const PointSummary& summary, const RecordBatch& records,
                  const PointFacts& facts)
{
    const auto keep = [&](std::string_view part, const std::string& bytes) {
        return store.keepDigest(run, summary.point.index, part, summaryVersion(), std::as_bytes(std::span(bytes)));
    };
    const PointFrame frame(summary.point, records, facts);
    if (Status status = keep(kRequests, PointDigest(frame, records).bytes()); !status)
        return status;
    for (const MetricInfo& info : metricCatalogue())
        if (info.scope == MetricScope::Request)
            if (Status status = keep(info.id, PointDigest::columnBytes(metricColumn(info.metric, frame))); !status)
                return status;
    return keep(kSummary, summaryToBytes(summary));
}

} // namespace tailmark
