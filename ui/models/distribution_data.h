// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"
#include "record/request_record.h"

#include <QList>
#include <QPointF>

#include <optional>

namespace tailmark::ui {

/// The values of one metric in one point's window, successful requests only, ready to be drawn.
struct DistributionData
{
    struct Bar
    {
        double low = 0, high = 0;
        double count = 0;
    };

    Metric metric = Metric::Ttft;
    QList<QPointF> ecdf; ///< value, share of values not above it; a staircase of at most some hundred steps
    QList<Bar>
        histogram; ///< equal widths, or equal ratios where the values span more than a decade and a half
    bool logarithmic = false;
    std::optional<Distribution> summary; ///< the figures of the point's summary: the marks come from here
};

/// Request and Chunk scope.
DistributionData distributionData(Metric metric, const PointSummary& summary, const RecordBatch& records);
/// Those that this point has values of.
QList<Metric> distributionMetrics(const PointSummary& summary);

} // namespace tailmark::ui
