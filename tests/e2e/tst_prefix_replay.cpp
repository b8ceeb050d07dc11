// SPDX-License-Identifier: GPL-3.0-or-later
#include "programs.h"

using namespace tailmark::test;

namespace {

/// A simulated engine with room for every prompt that it ever saw.
QStringList endlessCache()
{
    return {u"--kv-tokens"_s,    u"20000000"_s, u"--max-model-len"_s,           u"262144"_s,
            u"--max-num-seqs"_s, u"64"_s,       u"--max-num-batched-tokens"_s, u"16384"_s};
}

QString trace(const char* name)
{
    return QStringLiteral(TAILMARK_SHARED_DIR "/traces/") + QString::fromLatin1(name);
}

} // namespace

/// Logs with prefix blocks and with sessions, replayed on the simulated engine: what its cache serves is what
/// was planned.
class TestPrefixReplay : public QObject
{
    Q_OBJECT

private slots:
    void conversationInAClosedLoop();
    void conversationInAnOpenLoop();
    void agentSessions();
    void syntheticSessions_data();
    void syntheticSessions();
    void byTheCountersWhereAnswersDoNotTell();
    void logsWithoutBlocksAreRefused();

private:
    QJsonObject replayed(const Simulator& simulator, const QString& file, const QByteArray& tests,
                         const QStringList& settings)
    {
        const QString matrix = m_dir.filePath(u"m.tailmark.json"_s), json = m_dir.filePath(u"r.json"_s);
        QJsonObject m = shortMatrix(tests.constData());
        QJsonObject measurement = m[u"measurement"_s].toObject();
        measurement[u"warmup_s"_s] = 0;
        measurement[u"duration_s"_s] = 120;
        m[u"measurement"_s] = measurement;
        if (!writeFile(matrix, QJsonDocument(m).toJson()))
            return {};
        QStringList arguments = {u"run"_s,  matrix,  u"--base-url"_s, simulator.url(),
                                 u"--json"_s, json,  u"--db"_s,       m_dir.filePath(u"runs.sqlite"_s)};
        QStringList all = settings;
        if (!file.isEmpty())
            all << uR"(workload.lengths={"kind":"trace","file":"%1"})"_s.arg(file);
        for (const QString& setting : all)
            arguments << u"--set"_s << setting;
        m_run = cli(arguments);
        QFile result(json);
        return result.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(result.readAll()).object()
                                                : QJsonObject();
    }
    static double percent(const QJsonObject& sharing, const char* key)
    {
        return 100 * sharing[QLatin1String(key)].toDouble(-1);
    }
    /// Planned and measured agree within two points: blocks of 16 there, of others in the log.
    void verifyAgreement(const QJsonObject& result, double least, const char* by = "usage")
    {
        const QJsonObject sharing = result[u"points"_s][0][u"prefix_sharing"_s].toObject();
        const double planned = percent(sharing, "planned_hit_rate");
        const double measured = percent(sharing, "measured_hit_rate");
        const QString text = QString::number(planned) + u" and "_s + QString::number(measured);
        QVERIFY2(planned > least, qPrintable(text + QString::fromUtf8(m_run.err)));
        QVERIFY2(std::abs(planned - measured) < 2, qPrintable(text));
        QCOMPARE(sharing[u"measured_by"_s].toString(), QLatin1String(by));
        QVERIFY2(m_run.out.contains("prefix hit rate: planned "), m_run.out.constData());
        // Every prompt is as long as in the log.
        QCOMPARE(result[u"points"_s][0][u"lengths"_s][u"prompt_error"_s][u"exact_share"_s].toDouble(), 1.0);
    }

    QTemporaryDir m_dir;
    Ended m_run;
};

void TestPrefixReplay::conversationInAClosedLoop()
{
    const QString file = trace("mooncake_conversation_head1506.jsonl");
    if (!QFile::exists(file))
        QSKIP("../shared/traces IS NOT THERE: no replay of a log was tried");
    const Simulator simulator(endlessCache());
    const QJsonObject result =
        replayed(simulator, file, R"([{"kind":"concurrency_sweep","levels":[16]}])",
                 {u"workload.prefix.kind=trace"_s, u"measurement.max_requests=200"_s, u"workload.cache=cold"_s});
    verifyAgreement(result, 5);
    QCOMPARE(result[u"points"_s][0][u"outcomes"_s][u"completed"_s].toInt(), 200);
    QCOMPARE(result[u"cache"_s][u"standing"_s].toString(), u"proved"_s);
}

void TestPrefixReplay::conversationInAnOpenLoop()
{
    const QString file = trace("mooncake_conversation_head1506.jsonl");
    if (!QFile::exists(file))
        QSKIP("../shared/traces IS NOT THERE: no replay of a log was tried");
    const Simulator simulator(endlessCache());
    const QJsonObject result =
        replayed(simulator, file, R"([{"kind":"arrival_sweep","rates_per_s":[12]}])",
                 {u"workload.prefix.kind=trace"_s, u"measurement.max_requests=100"_s});
    verifyAgreement(result, 3);
}

void TestPrefixReplay::agentSessions()
{
    const QString file = trace("claude_code_sessions_raw6.jsonl");
    if (!QFile::exists(file))
        QSKIP("../shared/traces IS NOT THERE: no replay of agent sessions was tried");
    const Simulator simulator(endlessCache());
    const QJsonObject result =
        replayed(simulator, file, R"([{"kind":"concurrency_sweep","levels":[3]}])",
                 {u"workload.prefix.kind=trace"_s, u"workload.sessions.kind=trace"_s,
                  u"measurement.max_requests=61"_s});
    verifyAgreement(result, 80);
    QVERIFY(percent(result[u"prefix_sharing"_s].toObject(), "measured_hit_rate") > 80);
}

void TestPrefixReplay::syntheticSessions_data()
{
    QTest::addColumn<QString>("api");
    QTest::newRow("chat") << u"chat"_s;
    QTest::newRow("completions") << u"completions"_s;
}

/// Longer ones, of which most is history; in a chat with the template's tokens around every turn.
void TestPrefixReplay::syntheticSessions()
{
    QFETCH(QString, api);
    const Simulator simulator(endlessCache());
    const QJsonObject result =
        replayed(simulator, {}, R"([{"kind":"concurrency_sweep","levels":[4]}])",
                 {uR"(workload.lengths={"kind":"fixed","prompt_tokens":400,"output_tokens":24})"_s,
                  uR"(workload.sessions={"kind":"synthetic","turns":12})"_s, u"limits.generator_threads=2"_s,
                  u"target.api="_s + api, u"measurement.max_requests=120"_s});
    verifyAgreement(result, 80);
    QVERIFY(percent(result[u"points"_s][0][u"prefix_sharing"_s].toObject(), "measured_hit_rate") > 80);
}

void TestPrefixReplay::byTheCountersWhereAnswersDoNotTell()
{
    const Simulator simulator(endlessCache() << u"--no-cached-tokens"_s);
    const QJsonObject result =
        replayed(simulator, {}, R"([{"kind":"concurrency_sweep","levels":[4]}])",
                 {uR"(workload.lengths={"kind":"fixed","prompt_tokens":400,"output_tokens":24})"_s,
                  uR"(workload.sessions={"kind":"synthetic","turns":6})"_s,
                  u"measurement.max_requests=600"_s});
    verifyAgreement(result, 70, "counters");
}

void TestPrefixReplay::logsWithoutBlocksAreRefused()
{
    const Simulator simulator;
    replayed(simulator, QStringLiteral(TAILMARK_TEST_DATA "/traces/azure_small.csv"),
             R"([{"kind":"concurrency_sweep","levels":[4]}])", {u"workload.prefix.kind=trace"_s});
    QCOMPARE(m_run.code, 2);
    QVERIFY2(m_run.err.contains("tells no prefix blocks"), m_run.err.constData());
}

QTEST_GUILESS_MAIN(TestPrefixReplay)
#include "tst_prefix_replay.moc"
