// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/metrics.h"
#include "analysis/quantile.h"
#include "base/ids.h"
#include "plan/plan.h"
#include "report/run_results.h"

#include <QList>
#include <QPointF>
#include <QString>
#include <QStringList>

#include <optional>

namespace tailmark::ui {

/// What the frontier shows: throughput across, a percentile of a latency upwards.
struct FrontierAxes
{
    Metric x = Metric::OutputTokensPerS;
    Metric y = Metric::Ttft;
    double percent = 99;
    bool operator==(const FrontierAxes&) const = default;
};

struct FrontierPoint
{
    PointIndex point;
    Load load;
    double x = 0, y = 0;
    std::optional<Interval> interval; ///< 95 % of y
    bool valid = false, passes = false;
    QString details; ///< lines for the tooltip: figures with units, count, verdict
};

/// Where the SLO is crossed, on the chart's axes.
struct FrontierMark
{
    std::optional<Interval> bracket;   ///< x of the last passing and of the first failing level
    QList<double> crossings;           ///< x; one, or all of an ambiguous curve
    std::optional<Interval> uncertain; ///< x of the crossing, 95 %
    QString label;
};

struct FrontierSeries
{
    QString name;
    QList<FrontierPoint> points; ///< by load; those without a place on the axes are left out
    QList<QPointF> line;         ///< through the levels that may be believed (median of the repeats)
    /// What the hardware bounds at each level's batch, at the height of the level: only where x is the
    /// output.
    QList<QPointF> bound;
    std::optional<FrontierMark> mark;
    int hidden = 0; ///< points left out
};

/// The curve of one test. `label` of the mark names load, throughput and the latency it was had at.
FrontierSeries frontierSeries(const RunResults& results, const std::string& test, const FrontierAxes& axes);

/// Names of the tests of a run in the order of its plan.
QStringList testsOf(const Plan& plan);
/// The headline latency, unless the SLO limits another latency and not this one; its percentile, else the
/// 99th.
FrontierAxes defaultAxes(const Plan& plan, const Slo& slo, const std::string& test);
/// What the three selectors offer.
QList<Metric> throughputMetrics();
QList<Metric> latencyMetrics();
QList<double> percentiles(const Slo& slo);

/// The limit on what the y axis shows.
std::optional<double> limitOn(const Slo& slo, const FrontierAxes& axes);
/// The same SLO with this limit on what the y axis shows, added where it had none.
Slo withLimit(const Slo& slo, const FrontierAxes& axes, double limit);
Slo withoutLimit(const Slo& slo, const FrontierAxes& axes);
/// All limits in words, one sentence.
QString sloText(const Slo& slo);

/// The operating point of a test, none where it has no curve.
const OperatingPoint* operatingPointOf(const RunResults& results, const std::string& test);

} // namespace tailmark::ui
