// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong in the field: the target is down, hangs, cuts off, tells errors or refuses; the run is
// interrupted.
#include "programs.h"

#include <csignal>

#include <QDir>

using namespace tailmark::test;

namespace {

constexpr const char* kOneLevel = R"([{"kind": "concurrency_sweep", "levels": [8]}])";

QJsonObject withMeasurement(QJsonObject matrix, const char* values)
{
    QJsonObject measurement = matrix[u"measurement"_s].toObject();
    const QJsonObject changes = object(values);
    for (auto it = changes.begin(); it != changes.end(); ++it)
        measurement[it.key()] = it.value();
    matrix[u"measurement"_s] = measurement;
    return matrix;
}

} // namespace

class TestFaults : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_database = file("runs.sqlite");
    }

    void targetIsDown();
    void everyRequestFails();
    void targetGoesAway();
    void killedRunIsInterrupted();
    void lostDatabaseEndsTheRun();
    void twoRunsOnOneTargetAreTold();
    void interruptKeepsWhatWasMeasured();
    void interruptEndsTheProbe();
    void keysAreWrittenNowhere();

private:
    QString file(const char* name) const { return m_dir->filePath(QString::fromLatin1(name)); }
    QStringList runArguments(const QJsonObject& matrix, const QString& url)
    {
        writeFile(file("matrix.json"), QJsonDocument(matrix).toJson());
        return {u"run"_s, file("matrix.json"), u"--db"_s,           m_database,     u"--base-url"_s,
                url,      u"--json"_s,         file("result.json"), u"--records"_s, file("records.csv")};
    }
    QJsonObject result() const
    {
        QFile json(file("result.json"));
        return json.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(json.readAll()).object()
                                              : QJsonObject();
    }
    QJsonObject listed() const
    {
        return cli({u"list"_s, u"--db"_s, m_database, u"--json"_s}).json()[0].toObject();
    }
    /// Waits until the run has told that its first point began.
    static bool waitForPoint(QProcess& run)
    {
        QByteArray told;
        while (!told.contains("[1/") && run.waitForReadyRead(20'000))
            told += run.readAllStandardError();
        return told.contains("[1/");
    }
    static std::unique_ptr<QProcess> startRun(const QStringList& arguments)
    {
        auto run = std::make_unique<QProcess>();
        run->setProcessEnvironment(plainEnvironment());
        run->setReadChannel(QProcess::StandardError);
        run->start(binary("tailmark-cli"), arguments);
        return run;
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_database;
};

void TestFaults::targetIsDown()
{
    const Ended run = cli(runArguments(shortMatrix(kOneLevel), u"http://127.0.0.1:1/v1"_s));
    QCOMPARE(run.code, 3);
    QVERIFY2(run.err.contains("tailmark-cli: http://127.0.0.1:1/v1"), run.err.constData());
    QVERIFY(run.out.isEmpty());
    QCOMPARE(cli({u"list"_s, u"--db"_s, m_database, u"--json"_s}).json().array().size(), qsizetype(0));
    const Ended probe = cli({u"probe"_s, u"http://127.0.0.1:1/v1"_s});
    QCOMPARE(probe.code, 3);
    QCOMPARE(probe.errorLines().size(), qsizetype(1));
}

void TestFaults::everyRequestFails()
{
    // Longer than the model's context: the engine refuses each, but not the short request of the probe.
    Simulator simulator;
    QJsonObject matrix = withMeasurement(shortMatrix(kOneLevel), R"({"duration_s": 60, "warmup_s": 0, "max_requests": 40})");
    QJsonObject workload = matrix[u"workload"_s].toObject();
    workload[u"lengths"_s] = object(R"({"kind": "fixed", "prompt_tokens": 9000, "output_tokens": 8})");
    matrix[u"workload"_s] = workload;
    const Ended stopped = cli(runArguments(matrix, simulator.url()));
    QCOMPARE(stopped.code, 3);
    QVERIFY2(stopped.err.contains("the longest planned request is 90"), stopped.err.constData());
    QVERIFY2(stopped.err.contains("the target's context is 8192"), stopped.err.constData());

    workload[u"beyond_context"_s] = u"send"_s;
    matrix[u"workload"_s] = workload;
    const Ended run = cli(runArguments(matrix, simulator.url()));
    QCOMPARE(run.code, 4);
    QVERIFY2(run.err.contains("no point is valid"), run.err.constData());
    QVERIFY2(run.err.contains("failed requests: ") && run.err.contains("8192"), run.err.constData());
    const QJsonObject point = result()[u"points"_s][0].toObject();
    const QJsonObject outcomes = point[u"outcomes_of_point"_s].toObject();
    for (auto outcome = outcomes.begin(); outcome != outcomes.end(); ++outcome)
        QCOMPARE(outcome->toInt(), outcome.key() == u"client_error"_s ? 40 : 0);
    QStringList reasons; // on a busy machine the generator is late as well
    for (const QJsonValue& reason : point[u"verdict"_s][u"reasons"_s].toArray())
        reasons << reason[u"code"_s].toString();
    QVERIFY2(reasons.contains(u"no_success"_s), qPrintable(reasons.join(u' ')));
    for (const char* as : {"md", "html"}) {
        const Ended report =
            cli({u"export"_s, u"latest"_s, u"--as"_s, QString::fromLatin1(as), u"--db"_s, m_database});
        QCOMPARE(report.code, 0);
        QVERIFY2(report.out.contains("HTTP 400") && report.out.contains("8192"), as);
    }
}

void TestFaults::targetGoesAway()
{
    Simulator simulator;
    const auto run = startRun(runArguments(
        shortMatrix(R"([{"kind": "concurrency_sweep", "levels": [2, 4, 6, 8]}])"), simulator.url()));
    QVERIFY(waitForPoint(*run));
    QTest::qWait(800);
    simulator.kill();
    const Ended ended = collect(*run);
    QCOMPARE(ended.code, 3);
    QVERIFY2(ended.err.contains("the target is gone"), ended.err.constData());
    QCOMPARE(listed()[u"state"_s].toString(), u"failed"_s);
    QVERIFY(listed()[u"points_done"_s].toInt() < 4); // it did not go through the rest
    int completed = 0, refused = 0;
    const Csv records = Csv::ofFile(file("records.csv"));
    for (qsizetype row = 0; row < records.size(); ++row) {
        completed += records.at(row, "outcome") == "completed";
        refused += records.at(row, "outcome") == "connect_failed";
    }
    QVERIFY(completed > 0 && refused > 0);
}

void TestFaults::killedRunIsInterrupted()
{
    Simulator simulator;
    const auto run = startRun(
        runArguments(withMeasurement(shortMatrix(kOneLevel), R"({"duration_s": 60})"), simulator.url()));
    QVERIFY(waitForPoint(*run));
    QTest::qWait(1000);
    QCOMPARE(listed()[u"state"_s].toString(), u"running"_s);
    run->kill();
    run->waitForFinished();
    QCOMPARE(listed()[u"state"_s].toString(), u"interrupted"_s);
    const Ended records = cli({u"export"_s, u"latest"_s, u"--as"_s, u"records"_s, u"--db"_s, m_database});
    QCOMPARE(records.code, 0);
    QVERIFY(Csv(records.out).size() > 20);
    const Ended json = cli({u"export"_s, u"latest"_s, u"--as"_s, u"json"_s, u"--db"_s, m_database});
    QCOMPARE(json.json()[u"run"_s][u"state"_s].toString(), u"interrupted"_s);
}

/// Nothing is measured for a file that nobody will find, and nobody is told that it was kept.
void TestFaults::lostDatabaseEndsTheRun()
{
    Simulator simulator;
    const QJsonObject matrix = withMeasurement(shortMatrix(kOneLevel), R"({"duration_s": 30})");
    const auto run = startRun(runArguments(matrix, simulator.url()));
    QVERIFY(waitForPoint(*run));
    for (const QString& name : QDir(m_dir->path()).entryList({u"runs.sqlite*"_s}, QDir::Files))
        QVERIFY(QFile::remove(m_dir->filePath(name)));
    QVERIFY(run->waitForFinished(20'000)); // long before the point is over
    QCOMPARE(run->exitCode(), 1);
    const QByteArray told = run->readAllStandardError();
    QVERIFY2(told.contains("was removed or replaced while in use: nothing more can be kept"),
             told.constData());
    QVERIFY(!told.contains("finished"));
    QVERIFY(!QFile::exists(m_database));
}

void TestFaults::twoRunsOnOneTargetAreTold()
{
    Simulator simulator;
    const auto first = startRun(
        runArguments(withMeasurement(shortMatrix(kOneLevel), R"({"duration_s": 60})"), simulator.url()));
    QVERIFY(waitForPoint(*first));
    const Ended second = cli(runArguments(shortMatrix(kOneLevel), simulator.url()));
    QVERIFY2(second.code == 0 || second.code == 4, second.err.constData());
    const QByteArray warnings = QJsonDocument(result()[u"warnings"_s].toArray()).toJson();
    QVERIFY2(warnings.contains("Run 1 (") && warnings.contains("loads the same target at the same time"),
             warnings.constData());
    QVERIFY(interrupt(*first));
    collect(*first, 20'000);
}

void TestFaults::interruptKeepsWhatWasMeasured()
{
    Simulator simulator;
    const auto run = startRun(
        runArguments(withMeasurement(shortMatrix(kOneLevel), R"({"duration_s": 60})"), simulator.url()));
    QVERIFY(waitForPoint(*run));
    QTest::qWait(1500);
    QVERIFY(interrupt(*run));
    const Ended ended = collect(*run, 10'000);
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    QVERIFY2(ended.err.contains("ending: what was measured is being kept"), ended.err.constData());
    QCOMPARE(listed()[u"state"_s].toString(), u"cancelled"_s);
    QCOMPARE(result()[u"run"_s][u"state"_s].toString(), u"cancelled"_s);
    const QJsonObject point = result()[u"points"_s][0].toObject();
    QVERIFY(point[u"outcomes"_s][u"completed"_s].toInt() > 20);
    const double end = point[u"window"_s][u"end_s"_s].toDouble();
    QVERIFY(end > 1 && end < 30); // the window ends where the point was stopped
}

void TestFaults::interruptEndsTheProbe()
{
    Simulator simulator({u"--fault"_s, u"hang@1"_s}); // the probe waits for an answer
    QJsonObject matrix = shortMatrix(kOneLevel);
    QJsonObject limits = matrix[u"limits"_s].toObject();
    limits[u"first_token_timeout_s"_s] = 60;
    limits[u"total_timeout_s"_s] = 60;
    matrix[u"limits"_s] = limits;
    const auto run = startRun(runArguments(matrix, simulator.url()));
    QVERIFY(run->waitForStarted());
    QTest::qWait(1000);
    QVERIFY(interrupt(*run));
    const Ended ended = collect(*run, 5000);
    QCOMPARE(ended.code, 4);
}

void TestFaults::keysAreWrittenNowhere()
{
    constexpr const char* kSecret = "sk-very-secret-4711";
    Simulator simulator({u"--fault"_s, u"status:500@0.2"_s, u"--seed"_s, u"1"_s});
    QJsonObject matrix = withMeasurement(shortMatrix(kOneLevel), R"({"duration_s": 0.5})");
    QJsonObject target = matrix[u"target"_s].toObject();
    target[u"api_key_env"_s] = u"TEST_API_KEY"_s;
    matrix[u"target"_s] = target;
    const Ended unset = cli(runArguments(matrix, simulator.url()));
    QCOMPARE(unset.code, 2);
    QVERIFY2(unset.err.contains("TEST_API_KEY"), unset.err.constData());

    QProcessEnvironment environment = plainEnvironment();
    environment.insert(u"TEST_API_KEY"_s, QString::fromLatin1(kSecret));
    const Ended run = cli(runArguments(matrix, simulator.url()), environment);
    QVERIFY2(run.code == 0 || run.code == 4, run.err.constData());
    for (const QString& as : {u"json"_s, u"csv"_s, u"records"_s, u"md"_s, u"html"_s}) {
        const Ended exported =
            cli({u"export"_s, u"latest"_s, u"--as"_s, as, u"--db"_s, m_database}, environment);
        QCOMPARE(exported.code, 0);
        QVERIFY2(!exported.out.isEmpty() && !exported.out.contains(kSecret), qPrintable(as));
    }
    QVERIFY(!run.out.contains(kSecret) && !run.err.contains(kSecret));
    const QStringList names = QDir(m_dir->path()).entryList(QDir::Files);
    QVERIFY(names.contains(u"runs.sqlite"_s));
    for (const QString& name : names) {
        QFile written(m_dir->filePath(name));
        QVERIFY(written.open(QIODevice::ReadOnly));
        QVERIFY2(!written.readAll().contains(kSecret), qPrintable(name));
    }
}

QTEST_GUILESS_MAIN(TestFaults)
#include "tst_faults.moc"
