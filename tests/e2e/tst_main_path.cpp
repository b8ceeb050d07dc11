// SPDX-License-Identifier: GPL-3.0-or-later
// The main path as a user goes it: the simulated engine and the command line as processes, one short run of
// each kind of test, and what comes out held against the engine's own log of the truth.
#include "analysis/summary_bytes.h"
#include "programs.h"
#include "report/kept_digest.h"
#include "report/report.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

using namespace tailmark::test;

namespace {

constexpr const char* kTests = R"([
    {"kind": "fixed_shape", "prompt_tokens": 128, "output_tokens": 16, "concurrency": 1},
    {"kind": "concurrency_sweep", "levels": [1, 8, 48]},
    {"kind": "concurrency_sweep", "name": "thinking", "levels": [2, 6], "think_time_s": 0.05, "think_time": "exponential"},
    {"kind": "arrival_sweep", "name": "constant", "rates_per_s": [20, 60], "process": "constant"},
    {"kind": "arrival_sweep", "name": "poisson", "rates_per_s": [20, 60], "process": "poisson"},
    {"kind": "arrival_sweep", "name": "gamma", "rates_per_s": [40], "process": "gamma", "cv": 2},
    {"kind": "burst_recovery", "base_rate_per_s": 20, "burst_rate_per_s": 150, "baseline_s": 1, "burst_s": 0.5,
     "recovery_s": 1.5}])";
constexpr int kPoints = 12;

constexpr const char* kRecordsHeader = "request,test,load,repeat,phase,in_window,outcome,http_status,finish_"
                                       "reason,intended_ms,sent_ms,headers_ms,first_event_ms,"
                                       "first_token_ms,first_answer_token_ms,last_token_ms,closed_ms,connect_"
                                       "ms,new_connection,send_lag_ms,ttft_ms,"
                                       "ttft_intended_ms,tpot_ms,e2e_ms,e2e_intended_ms,prompt_tokens_"
                                       "planned,prompt_tokens,output_tokens_cap,output_tokens,"
                                       "cached_tokens,token_events,meets_slo,error,prompt_tokens_client,"
                                       "cached_tokens_planned,session,turn";

double quantileOf(QList<double> values, double p)
{
    std::sort(values.begin(), values.end());
    return values.at(std::max<qsizetype>(0, qsizetype(std::ceil(p * double(values.size()))) - 1));
}

/// A point of the records file: its rows, in the order in which they were sent.
struct SentPoint
{
    QByteArray test, load;
    QList<qsizetype> rows;
};

QList<SentPoint> sentPoints(const Csv& records)
{
    QList<SentPoint> points;
    for (qsizetype row = 0; row < records.size(); ++row) {
        const QByteArray test = records.at(row, "test"), load = records.at(row, "load");
        if (points.isEmpty() || points.last().test != test || points.last().load != load)
            points << SentPoint{test, load, {}};
        if (!records.at(row, "sent_ms").isEmpty())
            points.last().rows << row;
    }
    for (SentPoint& point : points)
        std::sort(point.rows.begin(), point.rows.end(), [&](qsizetype a, qsizetype b) {
            return records.number(a, "sent_ms") < records.number(b, "sent_ms");
        });
    return points;
}

} // namespace

class TestMainPath : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void runEndsAsItsPointsSay();
    void resultFileHasTheKeysOfTheContract();
    void everyTestHasItsCurve();
    void burstHasItsPhases();
    void recordsFileHasTheHeaderOfTheContract();
    void countsAgreeWithTheTruth();
    void timesAgreeWithTheTruth();
    void tokensAgreeWithTheTruth();
    void terminalGetsTableAndSentences();
    void listShowsTheRun();
    void exportsAreThoseOfTheRun();
    void operatingPointUnderAnotherLimit();
    void digestsSayWhatTheRecordsSay();
    void aRunIsNotComparedWithItself();
    void namesOfRuns();

private:
    QString file(const char* name) const { return m_dir.filePath(QString::fromLatin1(name)); }
    QStringList onDb(const QStringList& arguments) const
    {
        return arguments + QStringList{u"--db"_s, file("runs.sqlite")};
    }
    QJsonArray points() const { return m_result[u"points"_s].toArray(); }

    QTemporaryDir m_dir;
    std::unique_ptr<Simulator> m_simulator;
    Ended m_run;
    QJsonObject m_result;
    std::unique_ptr<Csv> m_records, m_truth;
    qsizetype m_probes = 0; ///< rows of the truth that belong to a probe
    /// Rows before those of the load: the probe's, that of the run, and two requests whose prompt tokens the
    /// run holds its prompts against.
    qsizetype before() const { return 2 * m_probes + 2; }
};

void TestMainPath::initTestCase()
{
    m_simulator = std::make_unique<Simulator>(QStringList{u"--truth"_s, file("truth.csv")});
    QVERIFY2(!m_simulator->url().isEmpty(), "the simulated engine did not start");
    const Ended probed = cli({u"probe"_s, m_simulator->url(), u"--json"_s});
    QVERIFY2(probed.code == 0, probed.err.constData());
    QCOMPARE(probed.json()[u"engine"_s].toString(), u"sim"_s);
    // The simulator logs a request when its connection is done with it, a moment after the probe has its
    // answer.
    QTRY_VERIFY_WITH_TIMEOUT(Csv::ofFile(file("truth.csv")).size() >= 1, 5000);
    for (qsizetype before = 0; before != m_probes || before == 0;) {
        before = m_probes;
        QTest::qWait(300);
        m_probes = Csv::ofFile(file("truth.csv")).size();
    }

    QVERIFY(writeFile(file("short.tailmark.json"), QJsonDocument(shortMatrix(kTests)).toJson()));
    m_run = cli(onDb({u"run"_s, file("short.tailmark.json"), u"--base-url"_s, m_simulator->url(), u"--name"_s,
                      u"first"_s, u"--json"_s, file("result.json"), u"--records"_s, file("records.csv")}));
    QFile result(file("result.json"));
    QVERIFY2(result.open(QIODevice::ReadOnly), m_run.err.constData());
    m_result = QJsonDocument::fromJson(result.readAll()).object();
    m_records = std::make_unique<Csv>(Csv::ofFile(file("records.csv")));
    m_truth = std::make_unique<Csv>(Csv::ofFile(file("truth.csv")));
    m_simulator->stop();
}

void TestMainPath::runEndsAsItsPointsSay()
{
    // Whether a point may be believed depends on the machine's other work; what the exit code makes of it
    // does not.
    int valid = 0;
    for (const QJsonValue& point : points()) {
        const QJsonObject verdict = point[u"verdict"_s].toObject();
        valid += verdict[u"valid"_s].toBool();
        for (const QJsonValue& reason : verdict[u"reasons"_s].toArray())
            qInfo("%s %g: %s", qPrintable(point[u"test"_s].toString()),
                  point[u"load"_s][u"value"_s].toDouble(), qPrintable(reason[u"text"_s].toString()));
    }
    QCOMPARE(points().size(), qsizetype(kPoints));
    QCOMPARE(m_run.code, valid > 0 ? 0 : 4);
    QCOMPARE(m_result[u"run"_s][u"state"_s].toString(), u"done"_s);
}

void TestMainPath::resultFileHasTheKeysOfTheContract()
{
    for (const QString& key :
         {u"schema_version"_s, u"tool"_s, u"run"_s, u"matrix"_s, u"plan"_s, u"card"_s, u"environment"_s,
          u"points"_s, u"operating_points"_s, u"bound"_s, u"laws"_s, u"warnings"_s})
        QVERIFY2(m_result.contains(key), qPrintable(key));
    for (const QString& key : {u"id"_s, u"name"_s, u"started_at"_s, u"finished_at"_s, u"state"_s})
        QVERIFY2(m_result[u"run"_s].toObject().contains(key), qPrintable(key));
    QCOMPARE(m_result[u"matrix"_s][u"target"_s][u"base_url"_s].toString(), m_simulator->url());
    for (const QString& key : {u"kernel"_s, u"cpu"_s, u"cores"_s, u"memory_bytes"_s, u"client"_s, u"curl"_s,
                               u"file_descriptors"_s, u"event_stamps"_s, u"server_documents"_s})
        QVERIFY2(m_result[u"environment"_s].toObject().contains(key), qPrintable(key));
    for (const QJsonValue& point : points())
        for (const QString& key : {u"test"_s, u"kind"_s, u"load"_s, u"repeat"_s, u"window"_s, u"rates"_s,
                                   u"outcomes"_s, u"metrics"_s, u"slo"_s, u"verdict"_s, u"generator"_s})
            QVERIFY2(point.toObject().contains(key), qPrintable(key));
}

void TestMainPath::everyTestHasItsCurve()
{
    QHash<QString, int> levels;
    for (const QJsonValue& point : points())
        ++levels[point[u"test"_s].toString()];
    const QHash<QString, int> expected = {{u"fixed_shape"_s, 1},   {u"concurrency_sweep"_s, 3},
                                          {u"thinking"_s, 2},      {u"constant"_s, 2},
                                          {u"poisson"_s, 2},       {u"gamma"_s, 1},
                                          {u"burst_recovery"_s, 1}};
    QCOMPARE(levels, expected);
    QStringList swept;
    for (const QJsonValue& point : m_result[u"operating_points"_s].toArray()) {
        swept << point[u"test"_s].toString();
        QVERIFY(QStringList(
                    {u"found"_s, u"not_reached"_s, u"below_first"_s, u"ambiguous"_s, u"no_valid_points"_s})
                    .contains(point[u"state"_s].toString()));
    }
    swept.sort();
    QCOMPARE(swept.join(u' '), u"concurrency_sweep constant gamma poisson thinking"_s);
}

void TestMainPath::burstHasItsPhases()
{
    for (const QJsonValue& point : points()) {
        if (point[u"kind"_s].toString() != u"burst_recovery"_s)
            continue;
        QStringList names;
        for (const QJsonValue& phase : point[u"phases"_s].toArray())
            names << phase[u"name"_s].toString();
        QCOMPARE(names.join(u' '), u"baseline burst recovery"_s);
        return;
    }
    QFAIL("there is no burst point");
}

void TestMainPath::recordsFileHasTheHeaderOfTheContract()
{
    QCOMPARE(m_records->header().join(','), QByteArray(kRecordsHeader));
    QCOMPARE(sentPoints(*m_records).size(), qsizetype(kPoints));
}

void TestMainPath::countsAgreeWithTheTruth()
{
    qsizetype sent = 0, completed = 0, completedTruly = 0;
    for (const SentPoint& point : sentPoints(*m_records))
        sent += point.rows.size();
    QVERIFY(sent > 300);
    QCOMPARE(m_truth->size(), sent + before());
    for (qsizetype row = 0; row < m_records->size(); ++row)
        completed += m_records->at(row, "outcome") == "completed";
    for (qsizetype row = before(); row < m_truth->size(); ++row)
        completedTruly +=
            m_truth->at(row, "finish_reason") == "stop" || m_truth->at(row, "finish_reason") == "length";
    QCOMPARE(completed, completedTruly);
}

void TestMainPath::timesAgreeWithTheTruth()
{
    QList<qsizetype> truth;
    for (qsizetype row = before(); row < m_truth->size(); ++row)
        truth << row;
    std::sort(truth.begin(), truth.end(), [&](qsizetype a, qsizetype b) {
        return m_truth->at(a, "received_ns").toLongLong() < m_truth->at(b, "received_ns").toLongLong();
    });
    // The points came one after another, and within one the requests arrived in the order in which they were
    // sent, but for some that were sent within the same fraction of a millisecond.
    QList<double> firstErrors, lastErrors;
    qsizetype next = 0;
    for (const SentPoint& point : sentPoints(*m_records)) {
        for (const qsizetype row : point.rows) {
            const qsizetype true_ = truth.at(next++);
            if (m_records->at(row, "outcome") != "completed")
                continue;
            const auto since = [&](const char* column) {
                return double(m_truth->at(true_, column).toLongLong() -
                              m_truth->at(true_, "received_ns").toLongLong()) /
                       1e6;
            };
            const double sent = m_records->number(row, "sent_ms");
            firstErrors << m_records->number(row, "first_token_ms") - sent - since("first_token_written_ns");
            if (point.test == "fixed_shape") // one at a time: here the pairs are certain
                lastErrors << m_records->number(row, "last_token_ms") - sent - since("last_token_written_ns");
        }
    }
    QVERIFY(firstErrors.size() > 300 && lastErrors.size() > 10);
    qInfo("time to first token, measured minus true: p50 %.3f ms, p99 %.3f ms of %lld requests",
          quantileOf(firstErrors, 0.5), quantileOf(firstErrors, 0.99), (long long)firstErrors.size());
    qInfo("last token, measured minus true: p50 %.3f ms, p99 %.3f ms of %lld requests",
          quantileOf(lastErrors, 0.5), quantileOf(lastErrors, 0.99), (long long)lastErrors.size());
    // Generous: a wrong definition is off by a queue or an answer, not by a scheduler's slice.
    QVERIFY(std::abs(quantileOf(firstErrors, 0.5)) < 10);
    QVERIFY(std::abs(quantileOf(lastErrors, 0.5)) < 10);
}

void TestMainPath::tokensAgreeWithTheTruth()
{
    QList<int> measured, true_;
    for (qsizetype row = 0; row < m_records->size(); ++row)
        if (m_records->at(row, "outcome") == "completed")
            measured << m_records->at(row, "output_tokens").toInt();
    for (qsizetype row = before(); row < m_truth->size(); ++row)
        if (m_truth->at(row, "finish_reason") == "stop" || m_truth->at(row, "finish_reason") == "length")
            true_ << m_truth->at(row, "output_tokens").toInt();
    std::sort(measured.begin(), measured.end());
    std::sort(true_.begin(), true_.end());
    QVERIFY(measured.first() < measured.last()); // natural lengths differ
    QCOMPARE(measured, true_);
}

void TestMainPath::terminalGetsTableAndSentences()
{
    const QList<QByteArray> lines = m_run.out.split('\n');
    QVERIFY(lines.first().startsWith("test"));
    QCOMPARE(std::count_if(lines.begin(), lines.end(),
                           [](const QByteArray& line) { return line.startsWith("poisson "); }),
             2);
    QVERIFY(m_run.out.contains("concurrency_sweep: "));
    QVERIFY2(m_run.err.contains("[12/12] burst_recovery"), m_run.err.constData());
    QVERIFY(!m_run.err.contains('\r')); // standard error is no terminal here
}

void TestMainPath::listShowsTheRun()
{
    const Ended text = cli(onDb({u"list"_s}));
    QCOMPARE(text.code, 0);
    QVERIFY(text.out.contains("first") && text.out.contains("done") && text.out.contains("12/12"));
    const QJsonObject run = cli(onDb({u"list"_s, u"--json"_s})).json()[0].toObject();
    QCOMPARE(run[u"name"_s].toString(), u"first"_s);
    QCOMPARE(run[u"state"_s].toString(), u"done"_s);
    QCOMPARE(run[u"engine"_s].toString(), u"sim"_s);
    QCOMPARE(run[u"points_done"_s].toInt(), kPoints);
}

void TestMainPath::exportsAreThoseOfTheRun()
{
    const Ended json = cli(onDb({u"export"_s, u"latest"_s, u"--as"_s, u"json"_s}));
    QCOMPARE(json.code, 0);
    QCOMPARE(json.json().object(), m_result);
    QFile records(file("records.csv"));
    QVERIFY(records.open(QIODevice::ReadOnly));
    QCOMPARE(cli(onDb({u"export"_s, u"first"_s, u"--as"_s, u"records"_s})).out, records.readAll());
    QCOMPARE(Csv(cli(onDb({u"export"_s, u"1"_s, u"--as"_s, u"csv"_s})).out).size(), qsizetype(kPoints));
    QVERIFY(cli(onDb({u"export"_s, u"1"_s, u"--as"_s, u"md"_s})).out.contains("first"));
    QCOMPARE(cli(onDb({u"export"_s, u"1"_s, u"--as"_s, u"html"_s, u"-o"_s, file("report.html")})).code, 0);
    QFile html(file("report.html"));
    QVERIFY(html.open(QIODevice::ReadOnly));
    QVERIFY(html.readAll().contains("</html>"));
    QVERIFY(!QFile::exists(file("report.html.part")));
}

void TestMainPath::operatingPointUnderAnotherLimit()
{
    const Ended own = cli(onDb({u"operating-point"_s, u"1"_s, u"--json"_s}));
    QCOMPARE(own.code, 0);
    QJsonArray points;
    for (const QJsonValue& value : own.json().array()) {
        QJsonObject point = value.toObject();
        QVERIFY(point.contains(u"bound"_s)); // stands once for all in the result
        point.remove(u"bound"_s);
        points.append(point);
    }
    QCOMPARE(points, m_result[u"operating_points"_s].toArray());
    // No latency is as short: nothing passes, whatever the machine did. Only points that may be believed
    // decide.
    const Ended strict =
        cli(onDb({u"operating-point"_s, u"1"_s, u"--slo"_s, u"e2e_ms:p50<=0.001"_s, u"--json"_s}));
    QCOMPARE(strict.code, 0);
    QCOMPARE(strict.json().array().size(), qsizetype(5));
    for (const QJsonValue& point : strict.json().array())
        QVERIFY(point[u"state"_s].toString() == u"below_first"_s ||
                point[u"state"_s].toString() == u"no_valid_points"_s);
    const Ended text = cli(onDb({u"operating-point"_s, u"1"_s, u"--slo"_s, u"e2e_ms:p50<=0.001"_s}));
    QVERIFY(text.out.contains("concurrency_sweep: "));
    const Ended wrong = cli(onDb({u"operating-point"_s, u"1"_s, u"--slo"_s, u"ttft:p99<=1"_s}));
    QCOMPARE(wrong.code, 2);
    QCOMPARE(wrong.errorLines().size(), qsizetype(1));
}

/// What the runner kept of each point as it ended, against what its records say.
void TestMainPath::digestsSayWhatTheRecordsSay()
{
    const auto store = tailmark::Store::open(file("runs.sqlite").toStdString(), tailmark::Store::Mode::ReadOnly);
    QVERIFY(store.ok());
    const tailmark::RunId run{1};
    const auto full = tailmark::loadResults(store.value(), run);
    QVERIFY(full.ok());
    for (const tailmark::PointSummary& point : full.value().points) {
        const auto kept = tailmark::readDigest(store.value(), run, point.point, full.value().slo);
        QVERIFY(kept);
        QCOMPARE(tailmark::summaryToBytes(kept->summary), tailmark::summaryToBytes(point));
    }
    for (const tailmark::MetricInfo& metric : tailmark::metricCatalogue()) {
        const tailmark::Slo slo = {{std::string(metric.id), 99, 50}};
        const auto expected = tailmark::loadResults(store.value(), run, slo);
        const auto found = tailmark::reevaluateRun(store.value(), run, slo);
        QVERIFY(expected.ok() && found.ok());
        QCOMPARE(tailmark::resultToJson(found.value()).dump(1), tailmark::resultToJson(expected.value()).dump(1));
    }
}

void TestMainPath::aRunIsNotComparedWithItself()
{
    for (const QString& again : {u"1"_s, u"latest"_s}) {
        const Ended same = cli(onDb({u"compare"_s, u"1"_s, again}));
        QCOMPARE(same.code, 2);
        QCOMPARE(same.errorLines().size(), qsizetype(1));
        QVERIFY2(same.err.contains("run 1: is given twice: a run compared with itself says nothing"),
                 same.err.constData());
    }
    QCOMPARE(cli(onDb({u"compare"_s, u"1"_s})).code, 2);
}

void TestMainPath::namesOfRuns()
{
    for (const QString& name : {u"2"_s, u"second"_s, u"-1"_s}) {
        const Ended ended = cli(onDb({u"export"_s, u"--as"_s, u"json"_s, u"--"_s, name}));
        QCOMPARE(ended.code, 2);
        QCOMPARE(ended.errorLines().size(), qsizetype(1));
    }
}

QTEST_GUILESS_MAIN(TestMainPath)
#include "tst_main_path.moc"
