// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/bound_data.h"
#include "models/frontier_data.h"

#include "demo_run.h"

#include <QLocale>
#include <QTemporaryDir>
#include <QTest>

using namespace tailmark;
using namespace tailmark::ui;

class TestBoundData : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        QTemporaryDir folder;
        auto store = Store::open(folder.filePath("runs.sqlite").toStdString());
        QVERIFY(store.ok());
        const RunId run = test::writeDemoRun(store.value(), test::DemoRun{});
        auto results = loadResults(store.value(), run);
        QVERIFY(results.ok());
        m_results = std::move(results).value();
        m_results.run.plan.matrix.bound = {};
    }

    void withoutFiguresThereIsNone()
    {
        const BoundData data = boundData(m_results, "concurrency_sweep");
        QVERIFY(!data.known());
        QVERIFY(data.table.rows.isEmpty());
        QVERIFY(frontierSeries(m_results, "concurrency_sweep", {}).bound.isEmpty());
    }

    void everyLevelStandsBelowItsBound()
    {
        RunResults results = m_results;
        results.run.plan.matrix.bound.bandwidthGbPerS = 3350;
        results.run.plan.matrix.bound.activeParams = 7.5e9;
        results.run.plan.matrix.bound.bytesPerParam = 2;
        results.run.plan.matrix.bound.peakTflops = 989;
        const BoundData data = boundData(results, "concurrency_sweep");
        QVERIFY(data.known());
        QCOMPARE(data.bandwidth.first().x(), 1.0);
        QVERIFY(data.bandwidth.last().x() >= 96); // beyond what was measured
        QCOMPARE(data.compute.size(), data.bandwidth.size());
        QCOMPARE(data.levels.size(), data.table.rows.size());
        QVERIFY(data.levels.size() >= 6);
        for (const BoundData::Level& level : data.levels)
            QVERIFY(level.at.y() > 0 && level.at.x() > 0);
        QVERIFY2(!data.formula.isEmpty() && !data.claim.isEmpty(), qPrintable(data.formula));
        QCOMPARE(data.table.ids.size(), data.table.rows.size());
    }

    void aBoundThatIsFarOffIsNotDrawnOverTheCurve()
    {
        RunResults results = m_results;
        results.run.plan.matrix.bound.activeParams = 7.5e9;
        results.run.plan.matrix.bound.bytesPerParam = 2;
        results.run.plan.matrix.bound.bandwidthGbPerS = 1e6;
        QVERIFY(frontierSeries(results, "concurrency_sweep", {}).bound.isEmpty());
        results.run.plan.matrix.bound.bandwidthGbPerS = 900;
        const FrontierSeries series = frontierSeries(results, "concurrency_sweep", {});
        QVERIFY(!series.bound.isEmpty());
        FrontierAxes requests;
        requests.x = Metric::RequestsPerS;
        QVERIFY(frontierSeries(results, "concurrency_sweep", requests).bound.isEmpty());
    }

private:
    RunResults m_results;
};

QTEST_GUILESS_MAIN(TestBoundData)
#include "tst_bound_data.moc"
