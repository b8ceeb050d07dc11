// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/point_data.h"
#include "analysis/window_rate.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailmark {

/// One metric of every request of a point, by intended start.
struct MetricColumn
{
    /// No number where a request cannot have it, which breaks no limit; of one that was cut off the least that it
    /// would have been.
    std::vector<double> values;
    std::vector<double> sorted; ///< of successful requests in the window
};
MetricColumn metricColumn(Metric metric, const PointFrame& frame);

/// What an SLO asks of the requests of a point, without their records: how each ended, when its tokens came, and a column
/// for each metric that is limited. Another limit costs one walk over it, another percentile a bootstrap more.
class PointDigest
{
public:
    PointDigest(const PointFrame& frame, const RecordBatch& records);

    bool hasColumn(Metric metric) const { return m_columns.contains(metric); }
    void addColumn(Metric metric, MetricColumn column);

    /// Whether a digest can tell of every limit: all are of requests, none of gaps between chunks or of the point.
    static bool answers(const Slo& slo);
    /// Turns `summary`, as summarize() made it of this point under any SLO, into what it says under this one; only the
    /// percentiles of the distributions stay those that they were made with. `slo` is one that it answers, with a column
    /// for each of its metrics.
    void evaluate(const Slo& slo, FailureDenominator denominator, PointSummary& summary);

    // As bytes, little-endian, the columns apart. What is read may be of anybody: nothing where it is not whole.
    std::string bytes() const;
    static std::optional<PointDigest> fromBytes(std::span<const std::byte> bytes);
    static std::string columnBytes(const MetricColumn& column);
    /// False where these are not the values of a column of this point.
    bool addColumn(Metric metric, std::span<const std::byte> bytes);

private:
    enum Flag : std::uint8_t { Completed = 1, Cancelled = 2, Accepted = 4, InWindow = 8 };
    struct Request
    {
        std::uint8_t flags = 0;
        std::uint8_t completedIn = kWindowSlices; ///< slice of the window; that many = outside
        std::uint8_t tokensFrom = 0, tokensEnd = 0; ///< slices in which its tokens came
    };
    struct Column : MetricColumn
    {
        std::map<double, LimitedQuantile> quantiles; ///< by percentile
    };

    PointDigest() = default;
    const LimitedQuantile& quantileOf(Column& column, const SloLimit& limit) const;
    ConstraintResult constraint(const SloLimit& limit);
    void setRates(const Slo& slo, PointSummary& summary) const;

    Nanoseconds m_windowStart{0}, m_windowEnd{0};
    std::vector<Request> m_requests; ///< by intended start
    std::vector<double> m_tokens;    ///< of successful requests, one after another
    std::map<Metric, Column> m_columns;

    std::vector<std::uint8_t> m_good, m_broken; ///< under the SLO that is being evaluated
};

} // namespace tailmark
