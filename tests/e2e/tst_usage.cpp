// SPDX-License-Identifier: GPL-3.0-or-later
// What scripts and the workbench rely on: exit codes, one-line errors, help, events and control lines.
#include "programs.h"

#include <nlohmann/json.hpp>

#include "run/run_event.h"

#include <algorithm>

#include <QDir>
#include <sys/resource.h>

using namespace tailmark;
using namespace tailmark::test;

namespace {

constexpr const char* kTwoLevels = R"([{"kind": "concurrency_sweep", "levels": [1, 2]}])";

/// The names of the events, in their order; progress, preparation and warnings, which depend on the machine,
/// left out.
QByteArray namesOf(const QList<RunEvent>& events)
{
    QList<QByteArray> list;
    for (const RunEvent& event : events)
        if (!std::holds_alternative<Progress>(event) && !std::holds_alternative<Preparation>(event) &&
            !std::holds_alternative<RunWarning>(event))
            list << QByteArray::fromStdString(eventToJson(event).at("event").get<std::string>());
    return list.join(' ');
}

} // namespace

class TestUsage : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_database = file("runs.sqlite");
    }

    void helpAndVersion();
    void badInputIsOneLine_data();
    void badInputIsOneLine();
    void badDatabaseIsOneLine();
    void unwritableFilesAreToldBeforeTheRun();
    void lostOutputIsTold();
    void messagesStayOneLine();
    void validateTellsErrorsAndSize();
    void validateReadsTheLogAsTheRunDoes();
    void importTrace();
    void gatesFailTheRun();
    void settingsOverrideTheMatrix();
    void eventsTellTheRun();
    void recorderStandsBehindTheGenerator();
    void skipAndStop();
    void pauseHoldsTheNextPoint();
    void endOfInputStopsOnlyWhenAsked();

private:
    QString file(const char* name) const { return m_dir->filePath(QString::fromLatin1(name)); }
    QString matrixFile(const QJsonObject& matrix) const
    {
        writeFile(file("matrix.json"), QJsonDocument(matrix).toJson());
        return file("matrix.json");
    }
    QStringList runArguments(const Simulator& simulator, const QStringList& more = {},
                             const char* tests = kTwoLevels) const
    {
        return QStringList{u"run"_s,        matrixFile(shortMatrix(tests)),
                           u"--db"_s,       m_database,
                           u"--base-url"_s, simulator.url()} +
               more;
    }
    QString stateOfLatest() const
    {
        return cli({u"list"_s, u"--db"_s, m_database, u"--json"_s}).json()[0][u"state"_s].toString();
    }

    /// Reads events until one holds, the end included in the list.
    template <typename Predicate> static QList<RunEvent> eventsUntil(QProcess& run, Predicate holds)
    {
        QList<RunEvent> events;
        while (run.canReadLine() || run.waitForReadyRead(20'000)) {
            while (run.canReadLine()) {
                const Result<RunEvent> event = eventFromLine(run.readLine().toStdString());
                if (!event)
                    return {};
                events << event.value();
                if (holds(events.last()))
                    return events;
            }
        }
        return events;
    }
    static bool isEnd(const RunEvent& event) { return std::holds_alternative<RunFinished>(event); }
    static bool isProgress(const RunEvent& event) { return std::holds_alternative<Progress>(event); }

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_database;
};

void TestUsage::helpAndVersion()
{
    const Ended version = cli({u"--version"_s});
    QCOMPARE(version.code, 0);
    QCOMPARE(version.out.trimmed(), QByteArray("tailmark-cli " TAILMARK_VERSION));
    const Ended help = cli({u"--help"_s});
    QCOMPARE(help.code, 0);
    for (const char* command :
         {"run", "validate", "probe", "import-trace", "list", "export", "compare", "baseline", "operating-point"}) {
        QVERIFY2(help.out.contains(command), command);
        QCOMPARE(cli({QString::fromLatin1(command), u"--help"_s}).code, 0);
    }
    QVERIFY(help.out.contains("5 a --fail-if condition holds"));
    QVERIFY(help.out.contains("4 finished or stopped, but no point is valid"));
    const Ended metrics = cli({u"--help-metrics"_s});
    QCOMPARE(metrics.code, 0);
    for (const char* id : {"ttft_ms (ms)", "goodput_requests_per_s (1/s)", "slo_attainment  "})
        QVERIFY2(metrics.out.contains(id), id);
    const Ended keys = cli({u"--help-matrix"_s});
    QCOMPARE(keys.code, 0);
    for (const char* line : {"workload.prefix.share  a number from 0 to 1; default 0\n",
                             "tests[].timeout_s  a number above 0 and at most 86,400 s; default 900; only with kind \"cold_start\"\n",
                             "workload.cache  \"cold\", \"warm\" or \"as_is\"; default \"as_is\"\n"})
        QVERIFY2(keys.out.contains(line), line);
}

void TestUsage::badInputIsOneLine_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("says");
    const QByteArray good = QJsonDocument(shortMatrix(kTwoLevels)).toJson();
    QTest::newRow("no JSON") << QByteArray("{\"name\": \"x\",\n oops}") << QStringList()
                             << QByteArray("matrix.json:2:");
    QTest::newRow("unknown key") << QByteArray(R"({"schema_version": 1, "wrokload": {}})") << QStringList()
                                 << QByteArray("wrokload");
    QTest::newRow("wrong type") << QByteArray(
                                       R"({"schema_version": 1, "measurement": {"duration_s": "long"}})")
                                << QStringList() << QByteArray("measurement.duration_s");
    QTest::newRow("out of range") << good << QStringList{u"--set"_s, u"tests[0].levels=[0]"_s}
                                  << QByteArray("tests[0].levels");
    QTest::newRow("no test left") << good << QStringList{u"--only"_s, u"soak"_s} << QByteArray("soak");
    QTest::newRow("setting without value")
        << good << QStringList{u"--set"_s, u"measurement"_s} << QByteArray("path=value");
    QTest::newRow("unknown option") << good << QStringList{u"--sed"_s, u"1"_s} << QByteArray("--sed");
    QTest::newRow("gate that is none")
        << good << QStringList{u"--fail-if"_s, u"ttft_ms>1"_s} << QByteArray("percentile");
    QTest::newRow("gate on a test that is none")
        << good << QStringList{u"--fail-if"_s, u"sweeep/ttft_ms:p99>1"_s}
        << QByteArray("no test of this run is called sweeep; there are concurrency_sweep");
    QTest::newRow("gate on a load that is none")
        << good << QStringList{u"--fail-if"_s, u"ttft_ms:p99@77>1"_s} << QByteArray("has the load 77");
    QTest::newRow("gate on an operating point without limits")
        << good << QStringList{u"--set"_s, u"slo=[]"_s, u"--fail-if"_s, u"operating_point.load<1"_s}
        << QByteArray("no operating point");
    QTest::newRow("two to standard output")
        << good << QStringList{u"--events"_s, u"-"_s, u"--json"_s, u"-"_s} << QByteArray("standard output");
    QTest::newRow("trace that is not there")
        << good
        << QStringList{u"--set"_s, u"workload.lengths={\"kind\":\"trace\",\"file\":\"/no/such/trace.csv\"}"_s}
        << QByteArray("/no/such/trace.csv");
}

void TestUsage::badInputIsOneLine()
{
    QFETCH(QByteArray, content);
    QFETCH(QStringList, options);
    QFETCH(QByteArray, says);
    QVERIFY(writeFile(file("matrix.json"), content));
    const Ended run =
        cli(QStringList{u"run"_s, file("matrix.json"), u"--no-progress"_s, u"--db"_s, m_database} + options);
    QCOMPARE(run.code, 2);
    QVERIFY2(run.errorLines().size() == 1 && run.err.startsWith("tailmark-cli: "), run.err.constData());
    QVERIFY2(run.err.contains(says), run.err.constData());
    QVERIFY(run.out.isEmpty());
}

void TestUsage::badDatabaseIsOneLine()
{
    QVERIFY(writeFile(m_database, QByteArray("not a database, whatever its name says\n").repeated(50)));
    for (const QStringList& command :
         {QStringList{u"list"_s}, QStringList{u"export"_s, u"1"_s, u"--as"_s, u"csv"_s}}) {
        const Ended ended = cli(command + QStringList{u"--db"_s, m_database});
        QCOMPARE(ended.code, 2);
        QCOMPARE(ended.err.trimmed(),
                 "tailmark-cli: " + m_database.toUtf8() + ": this is not a Tailmark database");
    }
    const Ended missing = cli({u"list"_s, u"--db"_s, file("other.sqlite")});
    QCOMPARE(missing.code, 2);
    // The default place may be empty: no runs yet.
    QProcessEnvironment environment = plainEnvironment();
    environment.insert(u"XDG_DATA_HOME"_s, m_dir->path());
    const Ended none = cli({u"list"_s, u"--json"_s}, environment);
    QCOMPARE(none.code, 0);
    QCOMPARE(none.out.trimmed(), QByteArray("[]"));
    QVERIFY2(none.err.startsWith("There is no run yet in "), none.err.constData());
    const Ended plain = cli({u"list"_s}, environment);
    QCOMPARE(plain.code, 0);
    QVERIFY(plain.out.isEmpty() && plain.errorLines().size() == 1);
}

void TestUsage::unwritableFilesAreToldBeforeTheRun()
{
    Simulator simulator;
    const Ended run = cli(runArguments(simulator, {u"--json"_s, u"/no/such/folder/result.json"_s}));
    QCOMPARE(run.code, 2);
    QCOMPARE(
        run.err,
        QByteArray(
            "tailmark-cli: /no/such/folder/result.json: cannot be written: No such file or directory\n"));
    QVERIFY(!QFile::exists(m_database));
    // What cannot be known before: the run is kept.
    const Ended full = cli(runArguments(simulator, {u"--json"_s, u"/dev/full"_s}));
    QCOMPARE(full.code, 1);
    QCOMPARE(full.errorLines().last(),
             QByteArray("tailmark-cli: /dev/full: cannot be written: No space left on device"));
    QCOMPARE(stateOfLatest(), u"done"_s);
}

/// A caller that gets half of an output, or none, must not be told that all is well.
void TestUsage::lostOutputIsTold()
{
    Simulator simulator;
    const QStringList brief = {u"--set"_s, u"measurement.duration_s=0.3"_s, u"--no-progress"_s};
    const QStringList run =
        runArguments(simulator, brief, R"([{"kind": "concurrency_sweep", "levels": [4]}])");
    QCOMPARE(cli(run).code, 0);
    const QStringList stored = {u"--db"_s, m_database};
    for (const QStringList& command :
         {QStringList{u"--help"_s}, QStringList{u"validate"_s, file("matrix.json")},
          QStringList{u"list"_s} + stored, QStringList{u"list"_s, u"--json"_s} + stored,
          QStringList{u"export"_s, u"latest"_s, u"--as"_s, u"records"_s} + stored,
          QStringList{u"operating-point"_s, u"latest"_s} + stored, run,
          run + QStringList{u"--json"_s, u"-"_s}, run + QStringList{u"--events"_s, u"-"_s}}) {
        for (const QString& redirection : {u">/dev/full"_s, u">&-"_s}) {
            QProcess shell;
            shell.setProcessEnvironment(plainEnvironment());
            shell.start(u"/bin/sh"_s, QStringList{u"-c"_s, u"exec \"$0\" \"$@\" </dev/null "_s + redirection,
                                                  binary("tailmark-cli")} +
                                          command);
            const Ended ended = collect(shell);
            QVERIFY2(ended.code == 1, qPrintable(command.join(u' ') + redirection));
            // Remarks and warnings of a run stand before it.
            const QByteArray said = "tailmark-cli: standard output: cannot be written in full\n";
            QVERIFY2(command.contains(u"run"_s) ? ended.err.endsWith(said) : ended.err == said, ended.err.constData());
        }
    }
}

void TestUsage::messagesStayOneLine()
{
    QJsonObject matrix = shortMatrix(kTwoLevels);
    matrix[u"a\r\nb\u001b[31m"_s] = 1;
    const Ended key = cli({u"validate"_s, matrixFile(matrix)});
    QCOMPARE(key.code, 2);
    QCOMPARE(key.errorLines().size(), qsizetype(1));
    QVERIFY2(key.err.contains("a\\r\\nb\\u001b[31m: is not a key here"), key.err.constData());
    const Ended command = cli({u"nonsense"_s});
    QCOMPARE(command.code, 2);
    QVERIFY2(command.err.startsWith("tailmark-cli: nonsense: is not a command; allowed: run, validate, "),
             command.err.constData());
}

void TestUsage::validateTellsErrorsAndSize()
{
    const Ended good = cli({u"validate"_s, matrixFile(shortMatrix(kTwoLevels))});
    QCOMPARE(good.code, 0);
    QVERIFY2(good.out.contains("2 points, about 3 s"), good.out.constData());
    QVERIFY(good.out.contains("remark: "));
    const Ended empty = cli({u"validate"_s, matrixFile(shortMatrix("[]"))});
    QCOMPARE(empty.code, 2);
    QVERIFY2(empty.err.startsWith("tailmark-cli: " + file("matrix.json").toUtf8() + ": tests: "),
             empty.err.constData());
    QJsonObject wrong = shortMatrix(R"([{"kind": "concurrency_sweep", "levels": [0]}])");
    wrong[u"slo"_s] = QJsonArray{QJsonObject{{u"metric"_s, u"ttft_ms"_s}, {u"limit"_s, -5}}};
    wrong[u"measurement"_s] = QJsonObject{{u"repeats"_s, 0}, {u"duration_s"_s, -1}};
    const Ended all = cli({u"validate"_s, matrixFile(wrong)});
    QCOMPARE(all.code, 2);
    QVERIFY2(all.errorLines().size() == 4, all.err.constData());
    for (const char* path :
         {"slo[0].limit", "measurement.repeats", "measurement.duration_s", "tests[0].levels[0]"})
        QVERIFY2(all.err.contains(path), all.err.constData());
    const Ended missing = cli({u"validate"_s, file("none.json")});
    QCOMPARE(missing.code, 2);
    QCOMPARE(missing.errorLines().size(), qsizetype(1));
}

void TestUsage::validateReadsTheLogAsTheRunDoes()
{
    const QString log = file("log.csv"), database = file("logs.sqlite");
    QVERIFY(writeFile(log, "timestamp_ms,prompt_tokens,output_tokens\n0,800,100\n250,600,20\n1000,60,20\n"));
    const Ended kept = cli({u"import-trace"_s, log, u"--db"_s, database, u"--json"_s});
    QCOMPARE(kept.code, 0);
    const auto matrix = [&](const QString& hash, const QString& recorded) {
        const QString text = u"{\"schema_version\":1,\"workload\":{\"lengths\":{\"kind\":\"trace\",\"file\":\"%1\","
                             "\"hash\":\"%2\"}},\"tests\":[{\"kind\":\"arrival_sweep\",\"rates_per_s\":[5],"
                             "\"process\":\"recorded\",\"recorded\":{%3}}]}"_s;
        const QString path = file("recorded.json");
        return writeFile(path, text.arg(log, hash, recorded).toUtf8()) ? path : QString();
    };
    const QString hash = kept.json()[u"hash"_s].toString();
    QCOMPARE(cli({u"validate"_s, matrix(hash, {}), u"--db"_s, database}).code, 0);
    const Ended other = cli({u"validate"_s, matrix(QString(64, u'a'), {}), u"--db"_s, database});
    QCOMPARE(other.code, 2);
    QVERIFY2(other.err.contains("has changed") && other.errorLines().size() == 1, other.err.constData());
    // The rate is the log's own: 2/s x 1e6, whatever the level is called.
    const Ended many = cli({u"validate"_s, matrix(hash, u"\"time_scale\":1000000"_s), u"--db"_s, database});
    QCOMPARE(many.code, 2);
    QVERIFY2(many.err.contains("at most 5,000,000"), many.err.constData());
    const Ended placed = cli({u"validate"_s, matrix(hash, u"\"time_scale\":10"_s), u"--db"_s, database});
    QCOMPARE(placed.code, 0);
    QVERIFY2(placed.out.contains("the log offers 20 requests/s in the window, where arrival_sweep stands, not at 5/s"),
             placed.out.constData());
    QVERIFY(QFile::remove(log)); // and is taken from the library
    const Ended gone = cli({u"validate"_s, matrix(hash, {}), u"--db"_s, database});
    QCOMPARE(gone.code, 0);
    QVERIFY2(gone.out.contains("as it is kept"), gone.out.constData());
    QCOMPARE(cli({u"validate"_s, matrix(hash, {}), u"--db"_s, file("none.sqlite")}).code, 2);
}

void TestUsage::importTrace()
{
    QVERIFY(writeFile(file("trace.csv"), "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                                         "2023-11-16 18:15:46.6805900,100,10\n"
                                         "2023-11-16 18:15:47.6805900,x,10\n"
                                         "2023-11-16 18:15:50.6805900,300,30\n"));
    const Ended json = cli({u"import-trace"_s, file("trace.csv"), u"--json"_s});
    QCOMPARE(json.code, 0);
    const QJsonObject trace = json.json().object();
    QCOMPARE(trace[u"rows_accepted"_s].toInt(), 2);
    QCOMPARE(trace[u"rejected"_s][0][u"line"_s].toInt(), 3);
    QCOMPARE(trace[u"rejected"_s][0][u"reason"_s].toString(), u"not_an_integer"_s);
    QCOMPARE(trace[u"inter_arrival"_s][u"mean_ms"_s].toDouble(), 4000.0);
    QCOMPARE(trace[u"duration_ms"_s].toDouble(), 4000.0);
    QVERIFY(cli({u"import-trace"_s, file("trace.csv")}).out.contains("line 3: prompt: not_an_integer"));
    QVERIFY(writeFile(file("trace.csv"), "hello\n"));
    const Ended none = cli({u"import-trace"_s, file("trace.csv"), u"--json"_s});
    QCOMPARE(none.code, 2);
    QCOMPARE(none.errorLines().size(), qsizetype(1));
}

void TestUsage::gatesFailTheRun()
{
    Simulator simulator;
    const auto run = [&](const QString& gate) {
        return cli(runArguments(simulator, {u"--fail-if"_s, gate}));
    };
    const Ended holds = run(u"requests_per_s@1>=0"_s);
    if (holds.code == 4)
        QSKIP("no point is valid: the machine is too busy to measure");
    QCOMPARE(holds.code, 5);
    QVERIFY2(holds.errorLines().last().contains("requests_per_s@1>=0"), holds.err.constData());
    QCOMPARE(run(u"requests_per_s<0"_s).code, 0);
}

void TestUsage::settingsOverrideTheMatrix()
{
    Simulator simulator({u"--model"_s, u"other/model"_s});
    const Ended run =
        cli(runArguments(simulator, {u"--set"_s, u"tests[0].levels=[3]"_s, u"--set"_s,
                                     u"measurement.duration_s=0.4"_s, u"--model"_s, u"other/model"_s,
                                     u"--only"_s, u"concurrency_sweep"_s, u"--json"_s, u"-"_s}));
    const QJsonObject result = run.json().object();
    QCOMPARE(result[u"points"_s].toArray().size(), qsizetype(1));
    QCOMPARE(result[u"points"_s][0][u"load"_s][u"value"_s].toDouble(), 3.0);
    QCOMPARE(result[u"points"_s][0][u"window"_s][u"end_s"_s].toDouble(), 0.7);
    QCOMPARE(result[u"matrix"_s][u"target"_s][u"model"_s].toString(), u"other/model"_s);
    QCOMPARE(result[u"run"_s][u"name"_s].toString(), u"short"_s);
    const Ended refused = cli(runArguments(simulator, {u"--model"_s, u"no/such"_s}));
    QCOMPARE(refused.code, 3);
}

void TestUsage::eventsTellTheRun()
{
    Simulator simulator;
    const auto run = startCli(
        runArguments(simulator, {u"--events"_s, u"-"_s, u"--no-progress"_s, u"--set"_s, u"slo=[]"_s}));
    QElapsedTimer clock;
    clock.start();
    const QList<RunEvent> events = eventsUntil(*run, isEnd);
    const double seconds = double(clock.elapsed()) / 1000;
    QVERIFY2(!events.isEmpty(), "a line is no event");
    const Ended ended = collect(*run);
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    QVERIFY(ended.out.isEmpty());

    const QByteArray names = namesOf(events);
    QVERIFY2(names.startsWith("run_started point_started point_finished ") &&
                 names.endsWith(" run_finished") && names.count("point_started") == 2 &&
                 names.count("point_finished") == 2,
             names.constData());
    const RunStarted& started = std::get<RunStarted>(events.first());
    QCOMPARE(started.points, 2);
    QCOMPARE(QString::fromStdString(started.database), m_database);
    QCOMPARE(QString::fromStdString(started.target), simulator.url());
    QCOMPARE(started.engine, std::string("sim"));
    const RunFinished& finished = std::get<RunFinished>(events.last());
    QCOMPARE(finished.state, std::string("done"));
    QCOMPARE(finished.run, started.run);

    int progress = 0;
    bool marked = false;
    std::uint64_t completed = 0;
    for (const RunEvent& event : events) {
        if (const auto* p = std::get_if<Progress>(&event)) {
            ++progress;
            marked = marked || (p->outputTokensPerS && p->headlineMs.count(99) && p->requestsPerS > 0);
            QVERIFY(p->load.elapsed >= Nanoseconds(300'000'000) ||
                    !p->outputTokensPerS); // not before the window
            completed = p->load.completed;
        }
    }
    QVERIFY(marked && completed > 0);
    QVERIFY(progress >= 4 && progress <= 20 * seconds);
}

/// Writing to the store must take no time from sending and receiving.
void TestUsage::recorderStandsBehindTheGenerator()
{
    Simulator simulator;
    const auto run = startCli(runArguments(
        simulator, {u"--events"_s, u"-"_s, u"--no-progress"_s, u"--set"_s, u"measurement.duration_s=60"_s}));
    QVERIFY(!eventsUntil(*run, isProgress).isEmpty());
    const qint64 id = run->processId();
    QVERIFY(id > 0);
    const auto priority = [](qint64 thread) {
        return ::getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
    };
    QCOMPARE(priority(id), priority(0)); // 0 is this test: what is done after the load stands behind nobody
    int generators = 0, recorders = 0;
    const QString threads = u"/proc/%1/task"_s.arg(id);
    for (const QString& thread : QDir(threads).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile name(threads + u'/' + thread + u"/comm"_s);
        if (!name.open(QIODevice::ReadOnly))
            continue;
        const QByteArray called = name.readAll().trimmed();
        if (called == "record") {
            ++recorders;
            QCOMPARE(priority(thread.toLongLong()), std::max(priority(0), 10));
        }
        if (called != "load")
            continue;
        ++generators;
        QVERIFY(priority(thread.toLongLong()) <= priority(0));
    }
    QVERIFY(generators > 0);
    QCOMPARE(recorders, 1);
    run->write("stop\n");
    collect(*run);
}

void TestUsage::skipAndStop()
{
    Simulator simulator;
    const auto run = startCli(runArguments(
        simulator, {u"--events"_s, u"-"_s, u"--no-progress"_s, u"--set"_s, u"measurement.duration_s=60"_s},
        R"([{"kind": "concurrency_sweep", "levels": [1, 2, 3]}])"));
    QVERIFY(!eventsUntil(*run, isProgress).isEmpty());
    run->write("skip\n");
    const auto secondStarted = [](const RunEvent& event) {
        const auto* started = std::get_if<PointStarted>(&event);
        return started && started->point.value == 1;
    };
    QVERIFY(!eventsUntil(*run, secondStarted).isEmpty());
    QVERIFY(!eventsUntil(*run, isProgress).isEmpty());
    run->write("nonsense\nst");
    run->write("op\n");
    const QList<RunEvent> events = eventsUntil(*run, isEnd);
    QCOMPARE(std::get<RunFinished>(events.last()).state, std::string("cancelled"));
    QCOMPARE(std::get<RunFinished>(events.last()).points, 2);
    collect(*run);
    QCOMPARE(stateOfLatest(), u"cancelled"_s);
}

void TestUsage::pauseHoldsTheNextPoint()
{
    Simulator simulator;
    const auto run = startCli(runArguments(simulator, {u"--events"_s, u"-"_s, u"--no-progress"_s}));
    QVERIFY(!eventsUntil(*run, isProgress).isEmpty());
    run->write("pause\n");
    const auto pointEnded = [](const RunEvent& event) {
        return std::holds_alternative<PointFinished>(event);
    };
    QVERIFY(pointEnded(eventsUntil(*run, pointEnded).last()));
    QTest::qWait(700);
    for (QByteArray line; !(line = run->readLine()).isEmpty();)
        QVERIFY2(!line.contains("point_started"), line.constData());
    run->write("resume\n");
    const QList<RunEvent> events = eventsUntil(*run, isEnd);
    QVERIFY(namesOf(events).startsWith("point_started"));
    QCOMPARE(std::get<RunFinished>(events.last()).state, std::string("done"));
    collect(*run);
}

void TestUsage::endOfInputStopsOnlyWhenAsked()
{
    Simulator simulator;
    const QStringList arguments = runArguments(simulator, {u"--events"_s, u"-"_s, u"--no-progress"_s});
    for (const bool asked : {false, true}) {
        const auto run = startCli(asked ? arguments + QStringList{u"--stop-on-eof"_s} : arguments);
        QVERIFY(!eventsUntil(*run, isProgress).isEmpty());
        run->closeWriteChannel();
        const QList<RunEvent> events = eventsUntil(*run, isEnd);
        QCOMPARE(std::get<RunFinished>(events.last()).state, std::string(asked ? "cancelled" : "done"));
        collect(*run);
    }
}

QTEST_GUILESS_MAIN(TestUsage)
#include "tst_usage.moc"
