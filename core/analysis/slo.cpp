// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/slo.h"

#include "analysis/bootstrap.h"
#include "analysis/summarize.h"
#include "base/sort_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailmark {

namespace {

struct GapCount
{
    std::uint64_t within = 0;
    std::uint64_t all = 0;
};

/// Gaps of one request within the limit; for the inter-token latency weighted by tokens, and only where they
/// are known.
GapCount countGaps(Metric metric, std::span<const ChunkRecord> chunks, double limitMs)
{
    GapCount n;
    const bool byToken = metric == Metric::Itl;
    if (byToken &&
        std::any_of(chunks.begin(), chunks.end(), [](const ChunkRecord& c) { return c.tokens == 0; }))
        return n;
    for (std::size_t i = 1; i < chunks.size(); ++i) {
        const std::uint32_t before = chunks[i - 1].sinceSentUs;
        const std::uint32_t now = std::max(before, chunks[i].sinceSentUs);
        const std::uint64_t weight = byToken ? chunks[i].tokens : 1;
        n.all += weight;
        if ((now - before) / 1000.0 / static_cast<double>(weight) <= limitMs)
            n.within += weight;
    }
    return n;
}

/// A completed request within one limit. A metric that this request cannot have (one token has no time per
/// token) is no miss.
bool isWithin(const SloLimit& limit, const RequestRecord& r, std::span<const ChunkRecord> chunks)
{
    const std::optional<Metric> metric = metricOf(limit);
    if (!metric)
        return false;
    switch (metricInfo(*metric).scope) {
    case MetricScope::Request: {
        const std::optional<double> value = requestValue(*metric, r);
        return !value || isWithinLimit(limit, *value);
    }
    case MetricScope::Chunk: {
        const GapCount gaps = countGaps(*metric, chunks, limit.limit);
        return gaps.all == 0 || reaches(gaps.within, gaps.all, limit.percentile);
    }
    case MetricScope::Point:
        break;
    }
    return true;
}

/// A request that was cut off has certainly broken this limit: a moment came too late, or had not come when
/// it was already too late.
bool hasBroken(const SloLimit& limit, const RequestRecord& r)
{
    const std::optional<Metric> metric = metricOf(limit);
    const std::optional<double> value = metric ? valueAtLeast(*metric, r) : std::nullopt;
    return value && *value > limit.limit;
}

/// Fewer than ten values beyond the quantile of a limit.
bool isWeakLimit(const SloLimit& limit, std::size_t n)
{
    return n > 0 && isWeak(n, limit.percentile);
}

bool belongs(FailureDenominator denominator, const RequestRecord& r)
{
    return denominator == FailureDenominator::Attempted || isAccepted(r);
}

/// By time, as the records are.
std::vector<double> valuesOf(Metric metric, std::span<const RequestRecord* const> records)
{
    std::vector<double> values;
    for (const RequestRecord* r : records) {
        if (r->outcome != Outcome::Completed)
            continue;
        if (const std::optional<double> value = requestValue(metric, *r))
            values.push_back(*value);
    }
    return values;
}

struct Denominator
{
    FailureDenominator kind;
    std::size_t size = 0;      ///< decided requests that belong to it
    std::size_t succeeded = 0; ///< of these
};

void requestConstraint(ConstraintResult& c, Metric metric, std::span<const RequestRecord* const> records,
                       std::span<const Judgement> judgements, const Denominator& whole)
{
    std::vector<double> values = valuesOf(metric, records);
    std::vector<double> sorted = values;
    sortValues(sorted);
    const LimitedQuantile quantile = limitedQuantile(c.limit, sorted, values);
    c.value = quantile.value;
    c.ci95 = quantile.ci95;
    std::vector<double> inOrder;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const RequestRecord& r = *records[i];
        if (judgements[i] == Judgement::Undecided || !belongs(whole.kind, r))
            continue;
        inOrder.push_back(r.outcome == Outcome::Completed
                              ? requestValue(metric, r).value_or(std::numeric_limits<double>::quiet_NaN())
                              : beyondEveryLimit(c.limit));
    }
    holdAgainst(c, sorted, inOrder);
}

/// Over pooled gaps: those that a failed request never showed count as misses, in proportion to the requests.
void chunkConstraint(ConstraintResult& c, Metric metric, std::span<const RequestRecord* const> records,
                     const RecordBatch& batch, const Denominator& whole, const PointSummary& summary)
{
    GapCount gaps;
    for (const RequestRecord* r : records) {
        if (r->outcome != Outcome::Completed)
            continue;
        const GapCount own = countGaps(metric, batch.chunksOf(*r), c.limit.limit);
        gaps.within += own.within;
        gaps.all += own.all;
    }
    const Distribution* pooled = summary.distribution(metric);
    if (const Distribution::Quantile* q = pooled ? pooled->at(c.limit.percentile) : nullptr) {
        c.value = q->value;
        c.n = pooled->n;
        c.weak = q->weak;
    }
    c.measured = gaps.all > 0 || !reaches(whole.succeeded, whole.size, c.limit.percentile);
    if (gaps.all > 0 && whole.size > 0)
        c.withinShare = static_cast<double>(gaps.within) / static_cast<double>(gaps.all) *
                        static_cast<double>(whole.succeeded) / static_cast<double>(whole.size);
    c.met = c.value && isWithinLimit(c.limit, *c.value) && isEnoughWithin(c.limit, c.withinShare);
}

void pointConstraint(ConstraintResult& c, Metric metric, const PointSummary& summary)
{
    c.value = summary.rate(metric);
    c.met = c.value && isWithinLimit(c.limit, *c.value);
    c.withinShare = c.met ? 1 : 0;
}

} // namespace

bool SloResult::measured() const
{
    return std::all_of(constraints.begin(), constraints.end(), [](const ConstraintResult& c) { return c.measured; });
}

bool SloResult::decided() const
{
    return measured() || std::any_of(constraints.begin(), constraints.end(),
                                     [](const ConstraintResult& c) { return c.measured && !c.met; });
}

const char* sloResultText(const SloResult& result)
{
    return !result.decided() ? "not known" : result.met ? "met" : "missed";
}

bool reaches(std::size_t count, std::size_t whole, double percent)
{
    return whole > 0 && count >= quantileRank(whole, percent);
}

std::optional<Metric> metricOf(const SloLimit& limit)
{
    return metricFromId(limit.metric);
}

bool isWithinLimit(const SloLimit& limit, double value)
{
    const std::optional<Metric> metric = metricOf(limit);
    return metric && (metricInfo(*metric).lowerIsBetter ? value <= limit.limit : value >= limit.limit);
}

bool isEnoughWithin(const SloLimit& limit, double share)
{
    constexpr double kRounding = 1e-12;
    return share + kRounding >= limit.percentile / 100;
}

bool meetsLimit(const SloLimit& limit, const std::optional<double>& quantile, double share)
{
    return quantile ? isWithinLimit(limit, *quantile) : isEnoughWithin(limit, share);
}

LimitedQuantile limitedQuantile(const SloLimit& limit, std::span<const double> inOrder)
{
    std::vector<double> sorted(inOrder.begin(), inOrder.end());
    sortValues(sorted);
    return limitedQuantile(limit, sorted, inOrder);
}

LimitedQuantile limitedQuantile(const SloLimit& limit, std::span<const double> sorted, std::span<const double> inOrder)
{
    const std::optional<Metric> metric = metricOf(limit);
    if (!metric || sorted.empty())
        return {};
    if (metricInfo(*metric).lowerIsBetter)
        return {quantile(sorted, limit.percentile), blockBootstrapInterval(sorted, inOrder, limit.percentile)};
    return {sorted[sorted.size() - quantileRank(sorted.size(), limit.percentile)],
            blockBootstrapInterval(sorted, inOrder, 100 - limit.percentile)};
}

double beyondEveryLimit(const SloLimit& limit)
{
    constexpr double kBeyond = std::numeric_limits<double>::infinity();
    const std::optional<Metric> metric = metricOf(limit);
    return metric && !metricInfo(*metric).lowerIsBetter ? -kBeyond : kBeyond;
}

void holdAgainst(ConstraintResult& c, std::span<const double> sorted, std::span<const double> inOrder)
{
    const bool lower = beyondEveryLimit(c.limit) > 0;
    const std::size_t size = inOrder.size();
    std::vector<double> counted(inOrder.begin(), inOrder.end()), isMiss(size);
    std::size_t within = 0, succeeded = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const bool absent = std::isnan(counted[i]);
        const bool isWithin = absent || isWithinLimit(c.limit, counted[i]);
        within += isWithin;
        succeeded += absent || !std::isinf(counted[i]);
        isMiss[i] = isWithin ? 0 : 1;
        if (absent) // no miss, whatever the limit
            counted[i] = -beyondEveryLimit(c.limit);
    }
    c.n = sorted.size();
    c.weak = isWeakLimit(c.limit, c.n);
    c.withinShare = size > 0 ? static_cast<double>(within) / static_cast<double>(size) : 0;
    if (const auto misses = blockBootstrapShare(isMiss))
        c.withinCi95 = Interval{1 - misses->high, 1 - misses->low};
    c.met = c.value && isWithinLimit(c.limit, *c.value) && reaches(within, size, c.limit.percentile);
    c.measured = c.value || !reaches(succeeded, size, c.limit.percentile);
    if (!c.value || size == 0)
        return;
    c.counted = c.value;
    c.countedCi95 = c.ci95;
    if (succeeded == size && sorted.size() == size)
        return;
    std::vector<double> all = counted;
    sortValues(all);
    const std::size_t rank = quantileRank(size, c.limit.percentile);
    const double quantile = lower ? all[rank - 1] : all[size - rank];
    if (lower ? quantile <= *c.value : quantile >= *c.value)
        return; // those that cannot have a value alone would move it
    c.counted = quantile;
    c.countedCi95 = std::isinf(quantile)
                        ? std::nullopt
                        : blockBootstrapInterval(all, counted, lower ? c.limit.percentile : 100 - c.limit.percentile);
}

std::optional<double> valueAtLeast(Metric metric, const RequestRecord& record)
{
    RequestRecord atLeast = record;
    const Nanoseconds cut = endTime(record);
    switch (metric) {
    case Metric::Ttft:
    case Metric::TtftIntended:
        if (!isPresent(record.firstToken))
            atLeast.firstToken = cut;
        break;
    case Metric::E2e:
    case Metric::E2eIntended:
        atLeast.lastToken = cut;
        break;
    default:
        return std::nullopt;
    }
    return requestValue(metric, atLeast);
}

Judgement judge(const RequestRecord& r, std::span<const ChunkRecord> chunks, const Slo& slo)
{
    if (r.outcome == Outcome::Completed) {
        const bool good = std::all_of(slo.begin(), slo.end(),
                                      [&](const SloLimit& limit) { return isWithin(limit, r, chunks); });
        return good ? Judgement::Good : Judgement::Miss;
    }
    if (r.outcome != Outcome::Cancelled)
        return Judgement::Miss;
    const bool broken =
        std::any_of(slo.begin(), slo.end(), [&](const SloLimit& limit) { return hasBroken(limit, r); });
    return broken ? Judgement::Miss : Judgement::Undecided;
}

bool meetsSlo(const RequestRecord& record, std::span<const ChunkRecord> chunks, const Slo& slo)
{
    return judge(record, chunks, slo) == Judgement::Good;
}

SloResult evaluateSlo(const Slo& slo, FailureDenominator denominator,
                      std::span<const RequestRecord* const> records, std::span<const Judgement> judgements,
                      const RecordBatch& batch, const PointSummary& summary)
{
    SloResult result;
    Denominator whole{denominator};
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (judgements[i] == Judgement::Undecided) {
            ++result.undecided;
        } else if (belongs(denominator, *records[i])) {
            ++whole.size;
            whole.succeeded += records[i]->outcome == Outcome::Completed;
            result.good += judgements[i] == Judgement::Good;
        }
    }
    result.denominator = whole.size;
    if (whole.size > 0)
        result.attainment = static_cast<double>(result.good) / static_cast<double>(whole.size);

    for (const SloLimit& limit : slo) {
        ConstraintResult c;
        c.limit = limit;
        if (const std::optional<Metric> metric = metricOf(limit)) {
            switch (metricInfo(*metric).scope) {
            case MetricScope::Request:
                requestConstraint(c, *metric, records, judgements, whole);
                break;
            case MetricScope::Chunk:
                chunkConstraint(c, *metric, records, batch, whole, summary);
                break;
            case MetricScope::Point:
                pointConstraint(c, *metric, summary);
                break;
            }
        }
        result.constraints.push_back(c);
    }
    result.met = !slo.empty() && std::all_of(result.constraints.begin(), result.constraints.end(),
                                             [](const ConstraintResult& c) { return c.met; });
    return result;
}

} // namespace tailmark
