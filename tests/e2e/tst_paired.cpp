// SPDX-License-Identifier: GPL-3.0-or-later
// Two simulated engines, one matrix: the runs of a pair as a user gets them.
#include "programs.h"

using namespace tailmark::test;

namespace {

constexpr const char* kTests = R"([{"kind": "concurrency_sweep", "levels": [2, 4]},
    {"kind": "arrival_sweep", "rates_per_s": [30], "process": "poisson"}])";

} // namespace

class TestPaired : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }
    void bothGetTheSameInTurn();
    void oneThatGoesAwayEndsItsHalfOnly();
    void bothMustAnswerBeforeAnythingIsStored();
    void stopEndsBoth();
    void skippedOnBoth();
    void pauseHoldsBetweenPoints();

private:
    QString file(const char* name) const { return m_dir->filePath(QString::fromLatin1(name)); }
    QStringList arguments(const QString& a, const QString& b, const QStringList& more = {}) const
    {
        QJsonObject matrix = shortMatrix(kTests);
        writeFile(file("matrix.json"), QJsonDocument(matrix).toJson());
        return QStringList{u"run"_s, file("matrix.json"), u"--db"_s, file("runs.sqlite"), u"--base-url"_s, a,
                           u"--paired-url"_s, b, u"--name"_s, u"pair"_s} +
               more;
    }
    Csv records(int run) const
    {
        cli({u"export"_s, QString::number(run), u"--as"_s, u"records"_s, u"-o"_s, file("records.csv"), u"--db"_s,
             file("runs.sqlite")});
        return Csv::ofFile(file("records.csv"));
    }
    /// "A2 B2 …": side and level of the points as they were started.
    static QString startsIn(const QByteArray& events)
    {
        QStringList starts;
        for (const QByteArray& line : events.split('\n')) {
            const QJsonObject event = QJsonDocument::fromJson(line).object();
            if (event[u"event"_s].toString() == u"point_started"_s)
                starts << event[u"side"_s].toString() + QString::number(event[u"load"_s][u"value"_s].toDouble());
        }
        return starts.join(' ');
    }

    /// What the run told until this point had started, or it fell silent.
    static QByteArray eventsUntil(QProcess& process, const QString& start)
    {
        QByteArray events;
        while (!startsIn(events).contains(start) && process.waitForReadyRead(20'000))
            events += process.readAllStandardOutput();
        return events;
    }

    std::unique_ptr<QTemporaryDir> m_dir;
};

void TestPaired::bothGetTheSameInTurn()
{
    Simulator a, b({u"--seed"_s, u"9"_s});
    const Ended ended = cli(arguments(a.url(), b.url(), {u"--json"_s, file("result.json")}));
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    for (const char* part : {"A: run 1", "B: run 2", "paired, level by level on one engine after the other",
                             "concurrency_sweep: ", "B/A"})
        QVERIFY2(ended.out.contains(part), ended.out.constData());

    QFile json(file("result.json"));
    QVERIFY(json.open(QIODevice::ReadOnly));
    const QJsonObject result = object(json.readAll());
    QCOMPARE(result[u"runs"_s].toArray().size(), qsizetype(2));
    QVERIFY(result[u"comparison"_s][u"paired"_s].toBool());
    QCOMPARE(result[u"comparison"_s][u"a"_s][u"paired_with"_s].toInt(), 2);
    QCOMPARE(result[u"comparison"_s][u"b"_s][u"paired_with"_s].toInt(), 1);
    QCOMPARE(result[u"comparison"_s][u"levels"_s].toArray().size(), qsizetype(3));

    // One schedule: the same requests were due at the same times with the same lengths.
    const Csv recordsA = records(1), recordsB = records(2);
    QHash<QByteArray, QByteArray> dueA;
    const auto key = [](const Csv& csv, qsizetype row) {
        return csv.at(row, "test") + '/' + csv.at(row, "load") + '/' + csv.at(row, "request");
    };
    for (qsizetype row = 0; row < recordsA.size(); ++row)
        dueA[key(recordsA, row)] = recordsA.at(row, "intended_ms") + '/' + recordsA.at(row, "prompt_tokens_planned");
    int compared = 0;
    for (qsizetype row = 0; row < recordsB.size(); ++row)
        if (recordsB.at(row, "test") == "arrival_sweep") {
            QCOMPARE(recordsB.at(row, "intended_ms") + '/' + recordsB.at(row, "prompt_tokens_planned"),
                     dueA.value(key(recordsB, row)));
            ++compared;
        }
    QVERIFY(compared > 20);
    QVERIFY(cli({u"list"_s, u"--db"_s, file("runs.sqlite")}).out.contains("pair [B]"));
}

void TestPaired::oneThatGoesAwayEndsItsHalfOnly()
{
    Simulator a;
    Simulator b;
    const auto process = startCli(arguments(a.url(), b.url(), {u"--events"_s, u"-"_s}));
    QByteArray out = eventsUntil(*process, u"b4"_s);
    b.kill();
    const Ended ended = collect(*process);
    out += ended.out;
    QCOMPARE(ended.code, 3);
    QVERIFY2(ended.err.contains("the target is gone"), ended.err.constData());
    const QJsonArray runs =
        cli({u"list"_s, u"--json"_s, u"--db"_s, file("runs.sqlite")}).json().array(); // newest first
    QCOMPARE(runs[0][u"state"_s].toString(), u"failed"_s);
    QCOMPARE(runs[1][u"state"_s].toString(), u"done"_s);
    QCOMPARE(runs[1][u"points_done"_s].toInt(), 3);
    QVERIFY2(startsIn(out).startsWith(u"a2 b2 b4 a4 a30"_s), qPrintable(startsIn(out)));
}

void TestPaired::bothMustAnswerBeforeAnythingIsStored()
{
    Simulator a;
    const Ended ended = cli(arguments(a.url(), u"http://127.0.0.1:1/v1"_s));
    QCOMPARE(ended.code, 3);
    QVERIFY2(ended.err.contains("127.0.0.1:1"), ended.err.constData());
    QCOMPARE(cli({u"list"_s, u"--json"_s, u"--db"_s, file("runs.sqlite")}).out.trimmed(), QByteArray("[]"));
}

void TestPaired::stopEndsBoth()
{
    Simulator a, b;
    const auto process = startCli(arguments(a.url(), b.url(), {u"--events"_s, u"-"_s}));
    QByteArray out = eventsUntil(*process, u"b2"_s);
    process->write("stop\n");
    out += collect(*process).out;
    const QJsonArray runs = cli({u"list"_s, u"--json"_s, u"--db"_s, file("runs.sqlite")}).json().array();
    QCOMPARE(runs.size(), qsizetype(2));
    for (const QJsonValue& run : runs)
        QCOMPARE(run[u"state"_s].toString(), u"cancelled"_s);
    QCOMPARE(startsIn(out), u"a2 b2"_s);
}

void TestPaired::skippedOnBoth()
{
    Simulator a, b;
    const auto process = startCli(arguments(a.url(), b.url(), {u"--events"_s, u"-"_s}));
    QByteArray out = eventsUntil(*process, u"a2"_s);
    process->write("skip\n");
    out += collect(*process).out;
    QCOMPARE(startsIn(out), u"a2 b4 a4 a30 b30"_s);
}

void TestPaired::pauseHoldsBetweenPoints()
{
    Simulator a, b;
    const auto process = startCli(arguments(a.url(), b.url(), {u"--events"_s, u"-"_s, u"--no-progress"_s}));
    QByteArray out = eventsUntil(*process, u"a2"_s);
    process->write("pause\n");
    out += eventsUntil(*process, u"b2"_s); // the other side of the point follows at once
    QElapsedTimer clock;
    for (clock.start(); out.count("\"point_finished\"") < 2;) {
        QVERIFY(clock.elapsed() < 30'000);
        process->waitForReadyRead(1'000);
        out += process->readAllStandardOutput();
    }
    process->waitForReadyRead(700);
    out += process->readAllStandardOutput();
    QCOMPARE(startsIn(out), u"a2 b2"_s);
    process->write("resume\n");
    const Ended ended = collect(*process);
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    QCOMPARE(startsIn(out + ended.out), u"a2 b2 b4 a4 a30 b30"_s);
}

QTEST_GUILESS_MAIN(TestPaired)
#include "tst_paired.moc"
