// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"
#include "plan/matrix.h"
#include "record/request_record.h"

#include <span>
#include <vector>

namespace tailmark {

/// What one request says about the SLO.
enum class Judgement : std::uint8_t {
    Good,      ///< succeeded and met every limit
    Miss,      ///< failed, was never sent, or broke a limit
    Undecided, ///< cut off by the end of the point before it had broken a limit
};

Judgement judge(const RequestRecord& record, std::span<const ChunkRecord> chunks, const Slo& slo);

/// Percentile in thousandths of a percent, as all shares are compared: `count` of `whole` is at least
/// `percent` %.
bool reaches(std::size_t count, std::size_t whole, double percent);

/// The metric of a limit, absent where its id is not in the catalogue.
std::optional<Metric> metricOf(const SloLimit& limit);
/// Not above a limit of latency, not below one of a rate. False for an unknown metric.
bool isWithinLimit(const SloLimit& limit, double value);
/// Whether so many of the requests within the limit are as many as its percentile asks.
bool isEnoughWithin(const SloLimit& limit, double share);
/// By the quantile where there is one, else by the share of requests within the limit.
bool meetsLimit(const SloLimit& limit, const std::optional<double>& quantile, double share);

/// The percentile of a Request-scope limit on its bad side: for latencies the quantile itself, for rates the value that
/// `percentile` % reach; with its interval as of values that follow each other. `inOrder` by time.
struct LimitedQuantile
{
    std::optional<double> value;
    std::optional<Interval> ci95;
};
LimitedQuantile limitedQuantile(const SloLimit& limit, std::span<const double> inOrder);
LimitedQuantile limitedQuantile(const SloLimit& limit, std::span<const double> sorted, std::span<const double> inOrder);

/// "met", "missed", or "not known" where it is not decided.
const char* sloResultText(const SloResult& result);

/// Holds a Request-scope limit against the whole denominator. `inOrder`: what each request of it says, by time: its value, no
/// number where it succeeded and cannot have one, infinite (of a rate: negative) where it did not succeed; `sorted`: the
/// numbers among the values of those that succeeded. Fills everything of `c` that lies beyond its value and interval.
void holdAgainst(ConstraintResult& c, std::span<const double> sorted, std::span<const double> inOrder);
/// The value of a failure in it.
double beyondEveryLimit(const SloLimit& limit);

/// What a metric of a request that was cut off would have been at least; absent where that cannot be said.
std::optional<double> valueAtLeast(Metric metric, const RequestRecord& record);

/// Judges a point. `records` are those intended in the window with their judgements; `summary` has its
/// metrics and rates.
SloResult evaluateSlo(const Slo& slo, FailureDenominator denominator,
                      std::span<const RequestRecord* const> records, std::span<const Judgement> judgements,
                      const RecordBatch& batch, const PointSummary& summary);

} // namespace tailmark
