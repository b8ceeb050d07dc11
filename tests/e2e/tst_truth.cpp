// SPDX-License-Identifier: GPL-3.0-or-later
// What was measured is what happened: every fault that the simulated engine knows, held against its own log
// of each request.
#include "programs.h"

#include "target/http_client.h"

#include <map>

using namespace tailmark::test;

namespace {

constexpr int kRequests = 150;

/// Outcome, chunks and output tokens of a request; a count that a client cannot know is −1.
using Told = std::tuple<QByteArray, QByteArray, int, int>;

QString textOf(const std::map<Told, int>& requests)
{
    QString text;
    for (const auto& [told, n] : requests)
        text += u"%1× %2 HTTP %3 chunks %4 tokens %5\n"_s.arg(n)
                    .arg(QString::fromUtf8(std::get<0>(told)), QString::fromUtf8(std::get<1>(told)))
                    .arg(std::get<2>(told))
                    .arg(std::get<3>(told));
    return text;
}

QJsonObject with(QJsonObject matrix, const QString& part, const char* values)
{
    QJsonObject object = matrix[part].toObject();
    const QJsonObject changes = tailmark::test::object(values);
    for (auto it = changes.begin(); it != changes.end(); ++it)
        object[it.key()] = it.value();
    matrix[part] = object;
    return matrix;
}

} // namespace

class TestTruth : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void everyFault_data();
    void everyFault();
    void slowStart();
    void speculation_data();
    void speculation();

private:
    QString file(const char* name) const { return m_dir->filePath(QString::fromLatin1(name)); }
    Ended run(const QJsonObject& matrix, const QString& url) const
    {
        writeFile(file("matrix.json"), QJsonDocument(matrix).toJson());
        return cli({u"run"_s, file("matrix.json"), u"--db"_s, file("runs.sqlite"), u"--base-url"_s, url,
                    u"--json"_s, file("result.json"), u"--records"_s, file("records.csv")});
    }
    QJsonObject point() const
    {
        QFile json(file("result.json"));
        return json.open(QIODevice::ReadOnly)
                   ? QJsonDocument::fromJson(json.readAll())[u"points"_s][0].toObject()
                   : QJsonObject();
    }

    std::unique_ptr<QTemporaryDir> m_dir;
};

void TestTruth::everyFault_data()
{
    QTest::addColumn<QString>("api");
    QTest::addColumn<bool>("streaming");
    QTest::newRow("chat") << u"chat"_s << true;
    QTest::newRow("completions") << u"completions"_s << true;
    QTest::newRow("chat, whole answers") << u"chat"_s << false;
}

void TestTruth::everyFault()
{
    QFETCH(QString, api);
    QFETCH(bool, streaming);
    QStringList arguments{u"--truth"_s, file("truth.csv"), u"--seed"_s, u"23"_s, u"--max-num-seqs"_s,
                          u"8"_s,       u"--max-queue"_s,  u"4"_s};
    for (const char* fault : {"hang@0.04", "stall:30@0.04", "stall:0.2@0.05", "cut:0@0.05", "cut:3@0.06",
                              "error:0@0.05", "error:3@0.06", "garbage@0.06", "status:400@0.05",
                              "status:429@0.05", "status:500@0.05", "status:503@0.05", "no-usage@0.08"})
        arguments << u"--fault"_s << QString::fromLatin1(fault);
    Simulator simulator(arguments);
    QJsonObject matrix = shortMatrix(R"([{"kind": "concurrency_sweep", "levels": [16]}])");
    matrix = with(matrix, u"target"_s, api == u"chat"_s ? R"({"api": "chat"})" : R"({"api": "completions"})");
    matrix = with(matrix, u"workload"_s,
                  streaming ? R"({"output": "forced"})" : R"({"output": "forced", "streaming": false})");
    matrix = with(matrix, u"limits"_s,
                  R"({"first_token_timeout_s": 1, "stall_timeout_s": 1, "total_timeout_s": 3})");
    matrix = with(matrix, u"measurement"_s, R"({"duration_s": 60, "warmup_s": 0, "max_requests": 150})");
    if (!streaming)
        matrix[u"slo"_s] =
            QJsonDocument::fromJson(R"([{"metric": "e2e_ms", "percentile": 90, "limit": 1000}])").array();
    const Ended ended = run(matrix, simulator.url());
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    simulator.stop();

    const auto outcomeOf = [&](const QByteArray& fault, const QByteArray& status,
                               const QByteArray& finish) -> QByteArray {
        if (fault == "hang")
            return streaming ? "timeout_first_token" : "timeout_total";
        if (fault == "stall" && finish == "abort")
            return streaming ? "timeout_stall" : "timeout_total";
        if (fault == "cut")
            return "truncated";
        if (fault == "error")
            return "server_error";
        if (fault == "garbage")
            return "malformed";
        if (status == "429" || status == "503")
            return "rejected";
        if (status == "400")
            return "client_error";
        return status == "500" ? "server_error" : status == "200" ? "completed" : "unknown";
    };
    const Csv truth = Csv::ofFile(file("truth.csv")), records = Csv::ofFile(file("records.csv"));
    // The first are the probe's, and those that tell the server's count of a prompt: two, each of which is
    // tried once more where it met a fault.
    const qsizetype before = truth.size() - kRequests;
    QVERIFY2(before >= 3 && before <= 5, qPrintable(QString::number(before)));
    QCOMPARE(records.size(), qsizetype(kRequests));
    std::map<Told, int> expected, measured;
    QSet<QByteArray> faults;
    for (qsizetype row = before; row < truth.size(); ++row) {
        const QByteArray fault = truth.at(row, "fault"), status = truth.at(row, "http_status");
        const QByteArray outcome = outcomeOf(fault, status, truth.at(row, "finish_reason"));
        const bool counted = outcome == "completed" && fault != "no-usage";
        const bool answered = status == "200" || outcome.startsWith("timeout_stall");
        ++expected[{outcome,
                    outcome == "timeout_stall" ? "200"
                    : status == "0"            ? ""
                                               : status,
                    streaming && answered ? truth.at(row, "token_events").toInt() : 0,
                    counted ? truth.at(row, "output_tokens").toInt() : -1}];
        faults.insert(fault);
    }
    for (qsizetype row = 0; row < records.size(); ++row) {
        const QByteArray tokens = records.at(row, "output_tokens");
        const QByteArray outcome = records.at(row, "outcome");
        ++measured[{outcome, records.at(row, "http_status"), records.at(row, "token_events").toInt(),
                    tokens.isEmpty() ? -1 : tokens.toInt()}];
        QCOMPARE(records.at(row, "error").isEmpty(), outcome == "completed");
        QVERIFY(streaming || records.at(row, "ttft_ms").isEmpty());
    }
    QVERIFY2(measured == expected,
             qPrintable(u"measured:\n"_s + textOf(measured) + u"the engine's log:\n"_s + textOf(expected)));
    for (const char* fault : {"", "hang", "stall", "cut", "error", "garbage", "status", "no-usage"})
        QVERIFY2(faults.contains(fault), fault);
    // the result counts the same
    const QJsonObject outcomes = point()[u"outcomes_of_point"_s].toObject();
    std::map<QByteArray, int> byOutcome;
    for (const auto& [told, n] : expected)
        byOutcome[std::get<0>(told)] += n;
    for (const auto& [outcome, n] : byOutcome)
        QCOMPARE(outcomes[QString::fromUtf8(outcome)].toInt(), n);
    if (!streaming) {
        const QJsonObject metrics = point()[u"metrics"_s].toObject();
        QCOMPARE(metrics[u"ttft_ms"_s][u"n"_s].toInt(), 0); // absent, not zero
        QVERIFY(metrics[u"ttft_ms"_s][u"p50"_s].isNull() || metrics[u"ttft_ms"_s][u"p50"_s].isUndefined());
        QVERIFY(metrics[u"e2e_ms"_s][u"n"_s].toInt() > 0);
    }
}

void TestTruth::slowStart()
{
    Simulator simulator({u"--fault"_s, u"slow-start:60"_s});
    const Ended early = run(shortMatrix(R"([{"kind": "fixed_shape"}])"), simulator.url());
    QCOMPARE(early.code, 3);
    QVERIFY2(early.err.contains("HTTP 503: The engine is starting."), early.err.constData());
    QCOMPARE(early.failures().size(), qsizetype(1));
}

void TestTruth::speculation_data()
{
    QTest::addColumn<QString>("acceptance");
    QTest::newRow("none accepted") << u"0"_s;
    QTest::newRow("some accepted") << u"0.6"_s;
    QTest::newRow("all accepted") << u"1"_s;
}

void TestTruth::speculation()
{
    QFETCH(QString, acceptance);
    Simulator simulator(
        {u"--truth"_s, file("truth.csv"), u"--speculative-tokens"_s, u"3"_s, u"--acceptance"_s, acceptance});
    QJsonObject matrix = shortMatrix(R"([{"kind": "concurrency_sweep", "levels": [8]}])");
    // 1 token of the prefill step and then 4 a step: with all accepted the end is no cut
    matrix = with(
        matrix, u"workload"_s,
        R"({"output": "forced", "lengths": {"kind": "fixed", "prompt_tokens": 64, "output_tokens": 33}})");
    matrix = with(matrix, u"measurement"_s, R"({"duration_s": 60, "warmup_s": 0, "max_requests": 80})");
    const Ended ended = run(matrix, simulator.url());
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    tailmark::HttpClient http({}, {});
    const QString metricsUrl = simulator.url().replace(u"/v1"_s, u"/metrics"_s);
    const auto metrics = http.get(metricsUrl.toStdString(), {});
    QVERIFY(metrics.ok());
    const auto counter = [&](const char* name) {
        for (const QByteArray& line : QByteArray::fromStdString(metrics.value().body).split('\n'))
            if (line.startsWith(name))
                return static_cast<long long>(line.mid(line.lastIndexOf(' ') + 1).toDouble());
        return -1LL;
    };

    const Csv truth = Csv::ofFile(file("truth.csv")), records = Csv::ofFile(file("records.csv"));
    QCOMPARE(records.size(), qsizetype(80));
    QCOMPARE(truth.size(), qsizetype(83)); // the probe's, and two that tell the server's count of a prompt
    std::map<std::pair<int, int>, int> expected, measured; // chunks and tokens of a request
    long long extra = 0;                                   // tokens beyond one a chunk: accepted drafts
    for (qsizetype row = 0; row < truth.size(); ++row) {
        const std::pair request(truth.at(row, "token_events").toInt(),
                                truth.at(row, "output_tokens").toInt());
        extra += request.second - request.first;
        expected[request] += row > 2;
    }
    std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
    for (qsizetype row = 0; row < records.size(); ++row)
        ++measured[{records.at(row, "token_events").toInt(), records.at(row, "output_tokens").toInt()}];
    QVERIFY(measured == expected);
    const long long accepted = counter("vllm:spec_decode_num_accepted_tokens_total");
    if (acceptance == u"0.6"_s) // what was accepted beyond the end of an answer is not sent
        QVERIFY2(extra > 0 && extra <= accepted && accepted - extra <= 3 * truth.size(),
                 qPrintable(u"%1 of %2"_s.arg(extra).arg(accepted)));
    else // the eight tokens of each of the three before the load end inside a step of four
        QCOMPARE(accepted, extra + (acceptance == u"1"_s ? 3 : 0));
    if (acceptance == u"1"_s)
        QCOMPARE(measured.begin()->first, std::pair(9, 33));
}

QTEST_GUILESS_MAIN(TestTruth)
#include "tst_truth.moc"
