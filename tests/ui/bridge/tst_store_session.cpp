// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/store_session.h"

#include "demo_run.h"
#include "patience.h"

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace tailmark;
using namespace tailmark::ui;

class TestStoreSession : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        m_path = m_folder.filePath(QStringLiteral("runs.sqlite"));
        auto store = Store::open(m_path.toStdString());
        QVERIFY(store.ok());
        m_run = test::writeDemoRun(store.value());
    }

    void listsRunsByItself()
    {
        StoreSession session(m_path);
        QSignalSpy changed(&session, &StoreSession::runsChanged);
        QVERIFY(changed.wait());
        QCOMPARE(session.runs()->size(), std::size_t(1));
        QCOMPARE(session.runs()->front().name, std::string("Demo run"));
    }

    void summarisesEveryPoint()
    {
        StoreSession session(m_path);
        const ResultsPtr results = resultsOf(session, {});
        QVERIFY(results);
        QCOMPARE(results->points.size(), std::size_t(14));
        QCOMPARE(results->operatingPoints.size(), std::size_t(2));
        for (const OperatingPoint& op : results->operatingPoints)
            qInfo("%s", op.sentence.c_str());
        QCOMPARE(results->operatingPoints.front().state, OperatingState::Found);
    }

    /// Dragging the SLO line must follow the hand: no reading, only computing.
    void anotherSloChangesTheOperatingPoint()
    {
        StoreSession session(m_path);
        const ResultsPtr strict = resultsOf(session, Slo{{"ttft_ms", 99, 300}});
        QElapsedTimer timer;
        timer.start();
        const ResultsPtr loose = resultsOf(session, Slo{{"ttft_ms", 99, 2500}});
        qInfo("another SLO on the same run: %lld ms", timer.elapsed());
        QVERIFY(strict && loose);
        QCOMPARE(loose->slo.front().limit, 2500.0);
        QVERIFY(strict->operatingPoints.front().lastPassing && loose->operatingPoints.front().lastPassing);
        QVERIFY(strict->operatingPoints.front().lastPassing->load <
                loose->operatingPoints.front().lastPassing->load);
    }

    /// What is answered from memory must be what a reading of all records says.
    void anotherSloIsAnsweredAsTheRecordsSay()
    {
        auto store = Store::open(m_path.toStdString());
        QVERIFY(store.ok());
        StoreSession session(m_path);
        QVERIFY(resultsOf(session, Slo{{"ttft_ms", 99, 300}, {"tpot_ms", 90, 40}}));
        for (const Slo& slo : {Slo{{"ttft_ms", 99, 900}, {"tpot_ms", 90, 40}}, Slo{{"ttft_ms", 99, 150}},
                               Slo{{"ttft_ms", 99, 300}, {"tpot_ms", 90, 40}}, Slo{{"ttft_ms", 50, 200}}}) {
            const ResultsPtr answer = resultsOf(session, slo);
            const auto read = loadResults(store.value(), m_run, slo);
            QVERIFY(answer && read.ok());
            const RunResults& full = read.value();
            QVERIFY(answer->slo == slo);
            QCOMPARE(answer->points.size(), full.points.size());
            for (std::size_t i = 0; i < full.points.size(); ++i) {
                const PointSummary &mine = answer->points[i], &theirs = full.points[i];
                QVERIFY(mine.point.index == theirs.point.index);
                QVERIFY(mine.slo == theirs.slo);
                QVERIFY(mine.verdict == theirs.verdict);
                QVERIFY(mine.rates == theirs.rates);
            }
            QCOMPARE(answer->operatingPoints.size(), full.operatingPoints.size());
            for (std::size_t i = 0; i < full.operatingPoints.size(); ++i)
                QCOMPARE(answer->operatingPoints[i].sentence, full.operatingPoints[i].sentence);
        }
    }

    void droppedRequestsAreNotAnswered()
    {
        StoreSession session(m_path);
        QSignalSpy ready(&session, &StoreSession::resultsReady);
        QList<RequestNumber> asked;
        for (int i = 0; i < 20; ++i) {
            if (!asked.isEmpty())
                session.drop(asked.last());
            asked << session.requestResults(m_run, Slo{{"ttft_ms", 99, 100.0 + i}});
        }
        TRY_COMPARE(ready.size(), 1);
        QTest::qWait(50);
        QCOMPARE(ready.size(), 1);
        QCOMPARE(ready.first().first().value<RequestNumber>(), asked.last());
    }

    void recordsOfAPoint()
    {
        StoreSession session(m_path);
        QSignalSpy ready(&session, &StoreSession::recordsReady);
        session.requestRecords(m_run, {4});
        QVERIFY(ready.wait());
        const auto records = ready.first().at(1).value<RecordsPtr>();
        QVERIFY(records->records.size() > 100);
    }

    /// A page may hear of a point before the store does.
    void aPointToComeHasNoRecordsYet()
    {
        auto store = Store::open(m_path.toStdString());
        QVERIFY(store.ok());
        const RunId id = test::writeDemoRun(store.value(), test::liveDemoRun());
        StoreSession session(m_path);
        QSignalSpy ready(&session, &StoreSession::recordsReady);
        QSignalSpy failed(&session, &StoreSession::failed);
        session.requestRecords(id, {0});
        TRY_COMPARE(ready.size() + failed.size(), 1);
        QCOMPARE(ready.size(), 1);
        QVERIFY(ready.first().at(1).value<RecordsPtr>()->empty());
        QVERIFY(store.value().finishRun(id, RunState::Cancelled).ok());
        QVERIFY(store.value().deleteRun(id).ok());
    }

    void changesShowInTheList()
    {
        StoreSession session(m_path);
        session.renameRun(m_run, QStringLiteral("Renamed"));
        session.setTags(m_run, {QStringLiteral("a"), QStringLiteral("b")});
        session.setNote(m_run, QStringLiteral("kept for the review"));
        TRY_VERIFY(!session.runs()->empty() && session.runs()->front().note == "kept for the review");
        QCOMPARE(session.runs()->front().name, std::string("Renamed"));
        QCOMPARE(session.runs()->front().tags.size(), std::size_t(2));
        session.deleteRun(m_run);
        TRY_VERIFY(session.runs()->empty());
        session.undeleteRun(m_run);
        TRY_COMPARE(session.runs()->size(), std::size_t(1));
    }

    void tellsWhatOthersWrite()
    {
        StoreSession session(m_path);
        QSignalSpy news(&session, &StoreSession::storeChanged);
        session.setLive(true);
        QVERIFY(news.wait()); // the first look
        news.clear();
        auto store = Store::open(m_path.toStdString());
        QVERIFY(store.ok());
        QVERIFY(store.value().setNote(m_run, "from elsewhere").ok());
        TRY_VERIFY(news.size() >= 1);
        TRY_COMPARE(session.runs()->front().note, std::string("from elsewhere"));
    }

    /// A run of the old file must never be shown under the number of one of the new file.
    void aReplacedDatabaseIsReadAnew()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("runs.sqlite"));
        const auto write = [&](const char* name) {
            auto store = Store::open(path.toStdString());
            const RunId run = test::writeDemoRun(store.value());
            return store.value().renameRun(run, name).ok() ? run : RunId{};
        };
        const RunId before = write("before");
        StoreSession session(path);
        QSignalSpy replaced(&session, &StoreSession::databaseReplaced);
        QSignalSpy changed(&session, &StoreSession::runsChanged);
        QSignalSpy ready(&session, &StoreSession::resultsReady);
        QSignalSpy failed(&session, &StoreSession::failed);
        session.requestResults(before); // in memory from now on
        TRY_COMPARE(ready.size(), 1);
        QCOMPARE(replaced.size(), 0);
        for (const char* ending : {"", "-wal", "-shm", "-writers"})
            QFile::remove(path + QLatin1String(ending));
        QCOMPARE(write("after"), before);
        session.renameRun(before, QStringLiteral("meant for the other"));
        TRY_COMPARE(failed.size(), 1);
        QCOMPARE(replaced.size(), 1);
        TRY_VERIFY(!session.runs()->empty() && session.runs()->front().name == "after");
        session.requestResults(before);
        TRY_COMPARE(ready.size(), 2);
        QCOMPARE(ready.last().at(1).value<ResultsPtr>()->run.info.name, std::string("after"));
    }

    void aRemovedDatabaseIsEmpty()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("runs.sqlite"));
        {
            auto store = Store::open(path.toStdString());
            test::writeDemoRun(store.value());
        }
        StoreSession session(path);
        TRY_COMPARE(session.runs()->size(), std::size_t(1));
        QSignalSpy replaced(&session, &StoreSession::databaseReplaced);
        for (const char* ending : {"", "-wal", "-shm", "-writers"})
            QFile::remove(path + QLatin1String(ending));
        TRY_COMPARE(replaced.size(), 1); // by itself
        TRY_VERIFY(session.runs()->empty());
    }

    /// Another window may write to the same file.
    void tellsWhatOthersWriteWhileNothingRunsHere()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("runs.sqlite"));
        auto store = std::make_unique<Store>(Store::open(path.toStdString()).value());
        const RunId id = test::writeDemoRun(*store, test::liveDemoRun());
        StoreSession session(path);
        TRY_VERIFY(!session.runs()->empty() && session.runs()->front().state == RunState::Running);
        QVERIFY(store->setNote(id, "from elsewhere").ok());
        TRY_COMPARE(session.runs()->front().note, std::string("from elsewhere"));
        store.reset(); // as if the writer had died: not a word in the file
        TRY_COMPARE(session.runs()->front().state, RunState::Interrupted);
    }

    void failuresAreTold()
    {
        StoreSession session(m_path + QStringLiteral("/no-folder.sqlite"));
        QSignalSpy failed(&session, &StoreSession::failed);
        QVERIFY(failed.wait());
        QVERIFY(!failed.first().at(1).toString().isEmpty());
        const RequestNumber request = session.requestResults({99});
        TRY_VERIFY(failed.last().first().value<RequestNumber>() == request);
    }

private:
    ResultsPtr resultsOf(StoreSession& session, const std::optional<Slo>& slo)
    {
        QSignalSpy ready(&session, &StoreSession::resultsReady);
        session.requestResults(m_run, slo);
        return ready.wait() ? ready.first().at(1).value<ResultsPtr>() : nullptr;
    }

    QTemporaryDir m_folder;
    QString m_path;
    RunId m_run;
};

QTEST_GUILESS_MAIN(TestStoreSession)
#include "tst_store_session.moc"
