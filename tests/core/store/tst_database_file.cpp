// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of the file itself: removed or replaced while it is in use, read where nothing can be written,
// left alone once it is closed.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "store/store.h"

#include <memory>

#include <sys/stat.h>
#include <unistd.h>

using namespace tailmark;

namespace {

/// While it lives, rights of files count, also where the tests run as root.
class OrdinaryUser
{
public:
    OrdinaryUser() : m_before(::geteuid())
    {
        if (m_before == 0)
            m_changed = ::seteuid(65534) == 0;
    }
    ~OrdinaryUser()
    {
        if (m_changed && ::seteuid(m_before) != 0)
            qFatal("the rights of the test cannot be had back");
    }

private:
    uid_t m_before;
    bool m_changed = false;
};

Plan onePoint()
{
    Plan plan;
    plan.matrix.target.baseUrl = "http://127.0.0.1:9/v1";
    plan.matrix.tests.emplace_back();
    PointPlan point;
    point.test = "concurrency_sweep";
    point.concurrency = 1;
    point.load = {LoadAxis::Concurrency, 1};
    point.index = PointIndex{0};
    plan.points.push_back(point);
    return plan;
}

RecordBatch oneRecord()
{
    RecordBatch batch;
    batch.records.emplace_back();
    return batch;
}

} // namespace

class TestDatabaseFile : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
        m_path = m_dir->filePath(QStringLiteral("runs.sqlite"));
    }

    void removedWhileARunIsWritten_data();
    void removedWhileARunIsWritten();
    void isReadWhereNothingCanBeWritten();
    void leavesNothingBesideIt();
    void theLastWriterTakesItsFileAway();

private:
    Store opened(Store::Mode mode = Store::Mode::ReadWrite) const
    {
        Result<Store> store = Store::open(m_path.toStdString(), mode);
        if (!store)
            qFatal("%s", store.error().line().c_str());
        return std::move(store).value();
    }
    void writeRun() const
    {
        Store store = opened();
        const RunId run = store.createRun("kept", onePoint(), {}, {}).value();
        QVERIFY(store.startPoint(run, onePoint().points[0], "2026-01-01T00:00:00Z").ok());
        QVERIFY(store.appendRecords(run, {0}, oneRecord()).ok());
        QVERIFY(store.finishRun(run, RunState::Done).ok());
    }
    void removeAll() const
    {
        for (const QString& name : files())
            QVERIFY(QFile::remove(m_dir->filePath(name)));
    }
    QStringList files() const { return QDir(m_dir->path()).entryList(QDir::Files, QDir::Name); }

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_path;
};

void TestDatabaseFile::removedWhileARunIsWritten_data()
{
    QTest::addColumn<bool>("replaced");
    QTest::newRow("removed") << false;
    QTest::newRow("replaced by another") << true;
}

void TestDatabaseFile::removedWhileARunIsWritten()
{
    QFETCH(const bool, replaced);
    Store store = opened();
    const RunId run = store.createRun("lost", onePoint(), {}, {}).value();
    QVERIFY(store.startPoint(run, onePoint().points[0], "2026-01-01T00:00:00Z").ok());
    QVERIFY(store.appendRecords(run, {0}, oneRecord()).ok());
    QVERIFY(store.checkInPlace().ok());

    removeAll();
    if (replaced)
        writeRun();
    const Status kept = store.appendRecords(run, {0}, oneRecord());
    QVERIFY(!kept.ok());
    QCOMPARE(kept.error().code, ErrorCode::Io);
    QCOMPARE(QString::fromStdString(kept.error().line()),
             m_path + QStringLiteral(
                          ": the database was removed or replaced while in use: nothing more can be kept"));
    QVERIFY(!store.checkInPlace().ok());
    QVERIFY(!store.finishPoint(run, {0}, {}).ok());
    QVERIFY(!store.addWarning(run, "w").ok());
    QVERIFY(!store.renameRun(run, "n").ok());
    QVERIFY(!store.createRun("another", onePoint(), {}, {}).ok());
    QVERIFY(!store.finishRun(run, RunState::Done).ok());
    if (replaced)
        QCOMPARE(opened(Store::Mode::ReadOnly).listRuns().value().front().name, std::string("kept"));
}

void TestDatabaseFile::isReadWhereNothingCanBeWritten()
{
    writeRun();
    QCOMPARE(files(), QStringList{QStringLiteral("runs.sqlite")});
    QVERIFY(::chmod(m_path.toLocal8Bit().constData(), 0444) == 0);
    QVERIFY(::chmod(m_dir->path().toLocal8Bit().constData(), 0555) == 0);
    {
        const OrdinaryUser user;
        Result<Store> store = Store::open(m_path.toStdString(), Store::Mode::ReadOnly);
        QVERIFY2(store.ok(), store.ok() ? "" : store.error().line().c_str());
        const auto runs = store.value().listRuns();
        QVERIFY2(runs.ok(), runs.ok() ? "" : runs.error().line().c_str());
        QCOMPARE(runs.value().size(), std::size_t(1));
        QCOMPARE(store.value().loadRecords(runs.value().front().id, {0}).value().records.size(),
                 std::size_t(1));
        QVERIFY(!Store::open(m_path.toStdString()).ok());
    }
    QVERIFY(::chmod(m_dir->path().toLocal8Bit().constData(), 0755) == 0);
}

void TestDatabaseFile::leavesNothingBesideIt()
{
    writeRun();
    {
        const Store reader = opened(Store::Mode::ReadOnly);
        QCOMPARE(reader.listRuns().value().size(), std::size_t(1));
    }
    QCOMPARE(files(), QStringList{QStringLiteral("runs.sqlite")});
}

void TestDatabaseFile::theLastWriterTakesItsFileAway()
{
    const QString writers = m_path + QStringLiteral("-writers");
    auto first = std::make_unique<Store>(opened());
    const RunId run = first->createRun("first", onePoint(), {}, {}).value();
    {
        Store second = opened();
        const RunId other = second.createRun("second", onePoint(), {}, {}).value();
        QVERIFY(second.finishRun(other, RunState::Done).ok());
    }
    QVERIFY(QFile::exists(writers)); // the first run still goes on
    QCOMPARE(opened().loadRun(run).value().info.state, RunState::Running);
    QVERIFY(first->finishRun(run, RunState::Done).ok());
    {
        Store third = opened();
        const RunId other = third.createRun("third", onePoint(), {}, {}).value();
        QVERIFY(third.finishRun(other, RunState::Done).ok());
    } // takes the file away that the first store has open
    QVERIFY(!QFile::exists(writers));
    const RunId again = first->createRun("again", onePoint(), {}, {}).value();
    QCOMPARE(opened().loadRun(again).value().info.state, RunState::Running);
    QVERIFY(first->finishRun(again, RunState::Done).ok());
    first.reset();
    QVERIFY(!QFile::exists(writers));
}

QTEST_GUILESS_MAIN(TestDatabaseFile)
#include "tst_database_file.moc"
