// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/store_worker.h"
#include "models/cold_start_table.h"
#include "models/compare_tables.h"
#include "models/distribution_data.h"
#include "models/event_list_model.h"
#include "models/format.h"
#include "models/frontier_data.h"
#include "models/run_library_model.h"
#include "models/run_text.h"
#include "models/tables.h"

#include "demo_run.h"

#include <QAbstractItemModelTester>
#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace tailmark;
using namespace tailmark::ui;

namespace {

const std::string kSweep = "concurrency_sweep";

int columnOf(const Table& table, const QString& title)
{
    for (int c = 0; c < table.columns.size(); ++c)
        if (table.columns[c].title == title)
            return c;
    return -1;
}

} // namespace

class TestTables : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        QVERIFY(m_folder.isValid());
        const std::string path = m_folder.filePath(QStringLiteral("runs.sqlite")).toStdString();
        auto store = Store::open(path);
        QVERIFY(store.ok());
        test::DemoRun run;
        m_run = test::writeDemoRun(store.value(), run);
        run.server.streams = 64;
        run.engine = "sglang";
        const RunId other = test::writeDemoRun(store.value(), run);
        m_worker = std::make_unique<StoreWorker>(path);
        m_results = m_worker->results(m_run, {}).value();
        m_other = m_worker->results(other, {}).value();
    }

    /// Of a run of another tool: what its file tells, and neither believed nor not.
    void whatAnotherToolMeasuredIsNotChecked()
    {
        RunResults theirs = *m_results;
        theirs.run.info.foreign = "vllm";
        PointSummary& point = theirs.points.front();
        point.verdict = {true, false, false, {{"foreign", "measured by vLLM"}}};
        point.outcomes = {};
        point.meanInFlight = NAN;
        for (StoredPoint& stored : theirs.run.points) {
            stored.facts.foreign.emplace();
            stored.facts.foreign->completed = 1140;
            stored.facts.foreign->failed = 500;
        }
        const Table table = pointsTable(theirs);
        const auto cell = [&](const Table& of, const char* title) {
            return of.rows.front()[columnOf(of, QString::fromLatin1(title))];
        };
        QCOMPARE(cell(table, "Verdict").text, QStringLiteral("not checked"));
        QCOMPARE(cell(table, "Verdict").badge, Badge::Neutral);
        QCOMPARE(cell(table, "Completed").sort.toDouble(), 1140.0);
        QCOMPARE(cell(table, "Failed").sort.toDouble(), 500.0);
        QCOMPARE(cell(table, "In flight").text, absentText());
        for (StoredPoint& stored : theirs.run.points)
            stored.facts.foreign->failed.reset();
        QCOMPARE(cell(pointsTable(theirs), "Failed").text, absentText());

        LevelComparison level;
        level.test = kSweep;
        level.validA = level.validB = true;
        level.checkedB = false;
        const Table levels = levelsTable(std::vector{level}, kSweep, QStringLiteral("B"));
        QCOMPARE(cell(levels, "Believed").text, QStringLiteral("A, B not checked"));
        QCOMPARE(cell(levels, "Believed").badge, Badge::Neutral);
    }

    void everyNumberSaysWhatItIs()
    {
        const Table table = pointsTable(*m_results, kSweep);
        QCOMPARE(table.rows.size(), 8);
        QCOMPARE(table.ids.size(), 8);
        const int throughput = columnOf(table, QStringLiteral("Throughput [tok/s]"));
        QVERIFY(throughput >= 0);
        // The latency it was had at stands right of the throughput.
        QCOMPARE(table.columns[throughput + 1].title, QStringLiteral("p99 TTFT [ms]"));
        QVERIFY(table.columns[throughput + 1].toolTip.contains(QStringLiteral("First token minus sent")));
        const Cell& latency = table.rows[5][throughput + 1];
        QVERIFY2(latency.toolTip.contains(QStringLiteral("samples")), qPrintable(latency.toolTip));
        QVERIFY(latency.text.endsWith(QStringLiteral("weak"))); // some 700 samples do not carry a p99
        QVERIFY(latency.toolTip.contains(QStringLiteral("Weak")));
        for (const QList<Cell>& row : table.rows)
            QCOMPARE(row.size(), table.columns.size());
    }

    /// What says whether the limit is met must be seen beside the throughput.
    void thePercentileOfTheLimitStandsFirst()
    {
        const Table table =
            pointsTable(*m_worker->results(m_run, Slo{{"ttft_ms", 95, 1000}}).value(), kSweep);
        const int throughput = columnOf(table, QStringLiteral("Throughput [tok/s]"));
        QCOMPARE(table.columns[throughput + 1].title, QStringLiteral("p95 TTFT [ms]"));
        QVERIFY(columnOf(table, QStringLiteral("p99 TTFT [ms]")) > throughput);
    }

    /// Also where the limit counts from the send and the headline of the test from the intended start.
    void theMetricOfTheLimitStandsFirstInAnOpenLoop()
    {
        const Table table =
            pointsTable(*m_worker->results(m_run, Slo{{"ttft_ms", 95, 1000}}).value(), "arrival_sweep");
        const int throughput = columnOf(table, QStringLiteral("Throughput [tok/s]"));
        QCOMPARE(table.columns[throughput + 1].title, QStringLiteral("p95 TTFT [ms]"));
        QVERIFY(columnOf(table, QStringLiteral("p99 TTFT (intended) [ms]")) > throughput);
    }

    void openAndClosedLoopHaveTheirOwnHeadline()
    {
        QVERIFY(columnOf(pointsTable(*m_results, "arrival_sweep"),
                         QStringLiteral("p99 TTFT (intended) [ms]")) >= 0);
        QCOMPARE(columnOf(pointsTable(*m_results, kSweep), QStringLiteral("p99 TTFT (intended) [ms]")), -1);
    }

    void tablesOfOnePointHaveEqualRows()
    {
        const PointSummary& point = m_results->points[6];
        for (const Table& table : {metricsTable(point), outcomesTable(point), lawsTable(point),
                                   constraintsTable(point), cardTable(m_results->run.card)}) {
            QVERIFY(!table.rows.isEmpty());
            for (const QList<Cell>& row : table.rows)
                QCOMPARE(row.size(), table.columns.size());
        }
    }

    void modelKeepsItsShape()
    {
        TableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        Table table = pointsTable(*m_results, kSweep);
        const Table whole = table;
        table.rows.resize(3);
        table.ids.resize(3);
        model.setTable(table);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.setTable(whole); // points that were finished meanwhile
        QCOMPARE(reset.size(), 0);
        QCOMPARE(inserted.size(), 1);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(model.rowCount(), 8);
        model.setTable(pointsTable(*m_results, "arrival_sweep"));
        QCOMPARE(reset.size(), 1);
        QCOMPARE(model.rowOf(model.idOf(2)), 2);
        QCOMPARE(model.rowOf(12345), -1);
        model.setTable({});
        QCOMPARE(model.rowCount(), 0);
    }

    void tsvHasPlainNumbers()
    {
        QLocale::setDefault(QLocale(QLocale::English));
        TableModel model;
        model.setTable({{{QStringLiteral("a\tb"), {}, false}, {QStringLiteral("n"), {}, true}},
                        {{{QStringLiteral("x\ny"), {}, {}, Badge::None},
                          {QStringLiteral("6,444"), 6444.4, {}, Badge::None}}},
                        {}});
        QCOMPARE(toTsv(model, {0}), QStringLiteral("a b\tn\nx y\t6444.4\n"));
        QLocale::setDefault(QLocale::c());
    }

    void phasesOfAColdStartHaveTheirTimes()
    {
        ColdStartSummary cold;
        cold.connectedS = 3;
        cold.readyS = 12;
        Table table = coldStartPhases(cold);
        QCOMPARE(table.rows.size(), 4);
        QCOMPARE(table.rows[1][1].sort.toDouble(), 12.0);
        QCOMPARE(table.rows[1][2].sort.toDouble(), 9.0);
        QCOMPARE(table.rows[2][1].text, absentText()); // no request had a token
        QCOMPARE(table.rows[3][2].text, absentText());
        cold.firstTokenS = 16.5;
        cold.steadyS = 20;
        cold.steadyRequest = 4;
        table = coldStartPhases(cold);
        QCOMPARE(table.rows[2][2].sort.toDouble(), 4.5);
        QVERIFY(table.rows[3][0].text.contains(QLatin1Char('4')));
        QCOMPARE(table.rows[3][1].sort.toDouble(), 20.0);
        QCOMPARE(table.rows[3][2].sort.toDouble(), 3.5);
    }

    void comparisonMarksWhatIsCertain()
    {
        const auto levels = compareLevels(m_results->points, m_other->points);
        const Table table = levelsTable(levels, kSweep, QStringLiteral("B"));
        QCOMPARE(table.rows.size(), 8);
        const int ratio = columnOf(table, QStringLiteral("B/A"));
        QCOMPARE(table.rows[6][ratio].badge,
                 Badge::Good); // 64 streams: one server queues, the other does not
        const int latency = columnOf(table, QStringLiteral("B/A latency"));
        QCOMPARE(table.rows[6][latency].badge, Badge::Good); // lower is better
        const auto found = differences({m_results->run.plan.matrix, m_results->run.card},
                                       {m_other->run.plan.matrix, m_other->run.card});
        const Table differing = differencesTable(found, "B");
        QVERIFY(std::any_of(differing.rows.begin(), differing.rows.end(),
                            [](const auto& row) { return row[0].text == QStringLiteral("card.engine"); }));
        const RunResults* both[] = {&*m_results, &*m_other};
        QCOMPARE(capacityTable(both).rows.size(), 4);
    }

    void frontierStandsWhereTheSummariesSay()
    {
        const FrontierAxes axes = defaultAxes(m_results->run.plan, m_results->slo, kSweep);
        QCOMPARE(axes.y, Metric::Ttft);
        const FrontierSeries series = frontierSeries(*m_results, kSweep, axes);
        QCOMPARE(series.points.size(), 8);
        QCOMPARE(series.hidden, 0);
        for (const FrontierPoint& p : series.points) {
            const PointSummary& s = m_results->points[static_cast<std::size_t>(p.point.value)];
            QCOMPARE(p.x, *s.rate(Metric::OutputTokensPerS));
            QCOMPARE(p.y, s.distribution(Metric::Ttft)->at(99)->value);
            QVERIFY(std::isfinite(p.x) && std::isfinite(p.y));
        }
        QVERIFY(series.mark && series.mark->bracket);
        QCOMPARE(series.mark->crossings.size(), 1);
        QCOMPARE(series.mark->crossings.first(),
                 *operatingPointOf(*m_results, kSweep)->crossing->outputTokensPerS);
        QVERIFY2(series.mark->label.contains(QStringLiteral("tok/s")) &&
                     series.mark->label.contains(QStringLiteral("p99 TTFT")),
                 qPrintable(series.mark->label));
    }

    void limitsAreSetAddedAndTakenAway()
    {
        const FrontierAxes axes{Metric::OutputTokensPerS, Metric::Ttft, 99};
        const Slo slo{{"tpot_ms", 99, 60}};
        QVERIFY(!limitOn(slo, axes));
        const Slo added = withLimit(slo, axes, 800);
        QCOMPARE(limitOn(added, axes), std::optional(800.0));
        QCOMPARE(withLimit(added, axes, 900).size(), std::size_t(2));
        QCOMPARE(withoutLimit(added, axes), slo);
    }

    void distributionEndsAtAll()
    {
        const PointSummary& point = m_results->points[5];
        const auto records = m_worker->records(m_run, point.point.index).value();
        for (Metric metric : distributionMetrics(point)) {
            const DistributionData data = distributionData(metric, point, *records);
            QVERIFY2(!data.ecdf.isEmpty(), metricInfo(metric).id.data());
            QCOMPARE(data.ecdf.last().y(), 1.0);
            double count = 0;
            for (const auto& bar : data.histogram)
                count += bar.count;
            QVERIFY(count > 0);
            for (qsizetype i = 1; i < data.ecdf.size(); ++i)
                QVERIFY(data.ecdf[i].x() >= data.ecdf[i - 1].x() && data.ecdf[i].y() >= data.ecdf[i - 1].y());
            QVERIFY(data.ecdf.size() < 2000);
        }
    }

    /// The live timeline, fed with running counts, gives rates and not counts.
    void liveTimelineGivesRates()
    {
        LiveTimeline live;
        PointStarted point;
        point.kind = TestKind::ArrivalSweep;
        point.warmupS = 5;
        point.durationS = 30;
        live.start(point);
        QCOMPARE(live.data().latency, Metric::TtftIntended);
        for (int i = 1; i <= 100; ++i) { // 20 a second, ten times a second; half of them done
            LoadSnapshot s;
            s.elapsed = fromSeconds(i * 0.1);
            s.intended = s.sent = static_cast<std::uint64_t>(i * 2);
            s.completed = static_cast<std::uint64_t>(i);
            s.inFlight = static_cast<std::uint32_t>(i);
            live.add(s);
        }
        QVERIFY(live.data().bins.size() >= 9);
        for (const TimelineBin& bin : live.data().bins) {
            QCOMPARE(bin.offeredPerS, 20.0);
            QCOMPARE(bin.completedPerS, 10.0);
        }
        QCOMPARE(live.data().windowStartS, 5.0);
        QCOMPARE(live.data().windowEndS, 35.0);
    }

    void libraryFiltersAndSorts()
    {
        auto runs = std::make_shared<std::vector<RunInfo>>();
        for (int i = 0; i < 1000; ++i) {
            RunInfo run;
            run.id = {i + 1};
            run.name = "run " + std::to_string(i);
            run.engine = i % 2 ? "vllm" : "sglang";
            run.startedAt = "2026-01-01T00:00:" + std::to_string(1000 + i);
            run.tags = {i == 7 ? "lucky" : "plain"};
            runs->push_back(run);
        }
        RunLibraryModel model;
        RunFilterModel filtered;
        filtered.setSourceModel(&model);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester filterTester(&filtered,
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRuns(runs);
        QCOMPARE(filtered.index(0, 0).data().toString(), QStringLiteral("run 999")); // newest first
        filtered.setFilterText(QStringLiteral("LUCKY vllm"));
        QCOMPARE(filtered.rowCount(), 1);
        QCOMPARE(filtered.index(0, 0).data().toString(), QStringLiteral("run 7"));
        filtered.setFilterText({});
        filtered.setOrder(RunFilterModel::Order::Engine);
        QVERIFY(filtered.index(0, 0).data(RunLibraryModel::EngineRole).toString() ==
                QStringLiteral("sglang"));

        QSignalSpy rename(&model, &RunLibraryModel::renameRequested);
        QVERIFY(model.setData(model.index(0), QStringLiteral("other"), Qt::EditRole));
        QCOMPARE(rename.size(), 1);
        QVERIFY(!model.setData(model.index(0), QStringLiteral("  "), Qt::EditRole));
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.setRuns(
            std::make_shared<std::vector<RunInfo>>(*runs)); // the same runs: nothing loses its selection
        QCOMPARE(reset.size(), 0);
    }

    void eventsAreBounded()
    {
        EventListModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (int i = 0; i < 2100; ++i)
            model.add(QTime(1, 2, 3), QString::number(i));
        QCOMPARE(model.rowCount(), 2000);
        QCOMPARE(model.index(0).data().toString(), QStringLiteral("01:02:03  100"));
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    void systemAndWorkloadInOneLine()
    {
        QVERIFY(systemLine(m_results->run.card).contains(QStringLiteral("vllm 0.6.3")));
        const QString workload = workloadLine(m_results->run.plan.matrix);
        for (const char* part : {"512", "128", "cache", "output", "attempted", "window"})
            QVERIFY2(workload.contains(QString::fromLatin1(part)), part);
    }

private:
    QTemporaryDir m_folder;
    RunId m_run;
    std::unique_ptr<StoreWorker> m_worker;
    std::shared_ptr<const RunResults> m_results, m_other;
};

QTEST_GUILESS_MAIN(TestTables)
#include "tst_tables.moc"
