// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics.h"
#include "plan/validate.h"

#include <QtTest>

#include <algorithm>

using namespace tailmark;

/// The matrix names metrics by id a layer below the catalogue; the two must not drift apart.
class SloMetricIdsTest : public QObject
{
    Q_OBJECT

private slots:
    void everyIdIsAMetricThatARequestCanBeJudgedBy()
    {
        for (const std::string_view id : sloMetricIds()) {
            const std::optional<Metric> metric = metricFromId(id);
            QVERIFY2(metric.has_value(), std::string(id).c_str());
            QVERIFY(metricInfo(*metric).scope != MetricScope::Point);
        }
    }

    void everySuchMetricHasItsIdButTheGeneratorsOwn()
    {
        for (const MetricInfo& info : metricCatalogue()) {
            const bool listed = std::count(sloMetricIds().begin(), sloMetricIds().end(), info.id) == 1;
            const bool ofTheTarget = info.metric != Metric::SendLag && info.metric != Metric::TokensPerChunk;
            QVERIFY2(listed == (info.scope != MetricScope::Point && ofTheTarget), std::string(info.id).c_str());
        }
    }
};

QTEST_GUILESS_MAIN(SloMetricIdsTest)
#include "tst_slo_metric_ids.moc"
