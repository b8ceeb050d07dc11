// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/operating_point.h"
#include "record/point_facts.h"
#include "record/request_record.h"

#include <memory>
#include <vector>

namespace tailmark {

/// A run held against one SLO after another: a limit that is dragged. Each point has its digest (analysis/point_digest.h),
/// so that another limit costs one walk over it (a million requests: some ms). One thread at a time.
class Reevaluation
{
public:
    explicit Reevaluation(FailureDenominator denominator);
    Reevaluation(Reevaluation&&) noexcept;
    Reevaluation& operator=(Reevaluation&&) noexcept;
    ~Reevaluation();

    /// `summary` as summarize() made it of these records and facts under any SLO. The records are kept.
    void add(const PointSummary& summary, std::shared_ptr<const RecordBatch> records, const PointFacts& facts);

    /// What summarize() says of every point under this SLO; only the percentiles of the distributions stay those that they
    /// were made with. Valid until the next call. An SLO that limits gaps between chunks is summarised anew.
    const std::vector<PointSummary>& under(const Slo& slo);
    /// Of the sweeps under this SLO.
    std::vector<OperatingPoint> operatingPoints(const Slo& slo);

private:
    class Point;
    FailureDenominator m_denominator;
    std::vector<std::unique_ptr<Point>> m_points;
    std::vector<PointSummary> m_summaries;
};

} // namespace tailmark
