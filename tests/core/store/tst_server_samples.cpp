// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QtTest>

#include "store/store.h"
#include "verify_ok.h"

#include <memory>

#include <sqlite3.h>

using namespace tailmark;

namespace {

Plan planOf(int points)
{
    Plan plan;
    plan.matrix.tests.emplace_back();
    for (int i = 0; i < points; ++i) {
        PointPlan point;
        point.index = PointIndex{i};
        point.test = "concurrency_sweep";
        point.concurrency = i + 1;
        plan.points.push_back(point);
    }
    return plan;
}

ServerSample sample(double atS, ServerCounter counter, double value)
{
    return {fromSeconds(atS), counter, value};
}

} // namespace

class ServerSamplesTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_path = m_dir->filePath(QStringLiteral("runs.sqlite")).toStdString();
    }

    void samplesBelongToTheirPoint()
    {
        Result<Store> store = Store::open(m_path);
        VERIFY_OK(store);
        const RunId other = store.value().createRun("other", planOf(1), {}, {}).value();
        VERIFY_OK(store.value().startPoint(other, planOf(1).points[0], "t"));
        VERIFY_OK(store.value().appendServerSamples(other, PointIndex{0},
                                                    std::vector{sample(9, ServerCounter::Running, 9)}));

        const Plan plan = planOf(2);
        const RunId run = store.value().createRun("n", plan, {}, {}).value();
        const std::vector<ServerSample> first = {sample(-0.5, ServerCounter::GeneratedTokens, 1e15),
                                                 sample(1, ServerCounter::Running, 0),
                                                 sample(1, ServerCounter::KvUse, 0.30000000000000004)};
        const std::vector<ServerSample> second = {sample(2, ServerCounter::QueuedRequests, 3)};
        for (int i = 0; i < 2; ++i)
            VERIFY_OK(store.value().startPoint(run, plan.points[static_cast<std::size_t>(i)], "t"));
        VERIFY_OK(store.value().appendServerSamples(run, PointIndex{0}, std::span(first).first(1)));
        VERIFY_OK(store.value().appendServerSamples(run, PointIndex{0}, std::span(first).subspan(1)));
        VERIFY_OK(store.value().appendServerSamples(run, PointIndex{1}, second));
        VERIFY_OK(store.value().appendServerSamples(run, PointIndex{1}, {}));
        PointFacts facts;
        facts.endedS = 3;
        facts.threadCpu = {0.25, 0.5};
        facts.timerLagMs = {0.1};
        facts.countedAtRequestEnd = {ServerCounter::GeneratedTokens, ServerCounter::QueueTime};
        facts.serverNote = "once: timeout";
        facts.serverSamples = second; // are stored already: not once more
        VERIFY_OK(store.value().finishPoint(run, PointIndex{0}, facts));

        const Result<StoredRun> stored = store.value().loadRun(run);
        VERIFY_OK(stored);
        const PointFacts& read = stored.value().points[0].facts;
        QCOMPARE(read.serverSamples.size(), first.size());
        for (const ServerSample& s : first)
            QVERIFY(std::find(read.serverSamples.begin(), read.serverSamples.end(), s) !=
                    read.serverSamples.end());
        QVERIFY(read.serverSamples[0] == first[0]); // by time
        QCOMPARE(read.threadCpu, facts.threadCpu);
        QCOMPARE(read.timerLagMs, facts.timerLagMs);
        QCOMPARE(read.countedAtRequestEnd, facts.countedAtRequestEnd);
        QCOMPARE(read.serverNote, facts.serverNote);
        QVERIFY(!stored.value().points[1].finished);
        QVERIFY(stored.value().points[1].facts.serverSamples == second); // of a point that goes on
    }

    void aFileOfTheFirstVersionIsBroughtUpToDate_data()
    {
        QTest::addColumn<bool>("reading");
        QTest::addRow("for writing") << false;
        QTest::addRow("for reading") << true;
    }
    void aFileOfTheFirstVersionIsBroughtUpToDate()
    {
        QFETCH(bool, reading);
        RunId run;
        {
            Result<Store> store = Store::open(m_path);
            VERIFY_OK(store);
            run = store.value().createRun("old", planOf(1), {}, {}).value();
            VERIFY_OK(store.value().startPoint(run, planOf(1).points[0], "t"));
            PointFacts facts;
            facts.newConnections = 5;
            VERIFY_OK(store.value().finishPoint(run, PointIndex{0}, facts));
            VERIFY_OK(store.value().finishRun(run, RunState::Done));
        }
        sqlite3* db = nullptr;
        QCOMPARE(sqlite3_open(m_path.c_str(), &db), SQLITE_OK);
        QCOMPARE(sqlite3_exec(db,
                              "DROP TABLE server_samples; DROP TABLE traces; DROP TABLE baselines; DROP TABLE digests;"
                              "ALTER TABLE runs DROP COLUMN partner;"
                              "UPDATE points SET facts = json_remove(facts, '$.thread_cpu', '$.timer_lag_ms',"
                              " '$.counted_at_request_end', '$.server_note');"
                              "PRAGMA user_version = 1",
                              nullptr, nullptr, nullptr),
                 SQLITE_OK);
        sqlite3_close(db);

        const Result<Store> store =
            Store::open(m_path, reading ? Store::Mode::ReadOnly : Store::Mode::ReadWrite);
        VERIFY_OK(store);
        const Result<StoredRun> stored = store.value().loadRun(run);
        VERIFY_OK(stored);
        QCOMPARE(stored.value().info.name, std::string("old"));
        QCOMPARE(stored.value().points[0].facts.newConnections, std::uint64_t(5));
        QVERIFY(stored.value().points[0].facts.serverSamples.empty());
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    std::string m_path;
};

QTEST_GUILESS_MAIN(ServerSamplesTest)
#include "tst_server_samples.moc"
