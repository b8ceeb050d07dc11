// SPDX-License-Identifier: GPL-3.0-or-later
#include "programs.h"

using namespace tailmark::test;

namespace {

constexpr const char* kTests = R"([{"kind":"concurrency_sweep","levels":[1,4]}])";

/// What a run of the short matrix on a simulated engine left behind.
struct Measured
{
    Ended run;
    QJsonObject result;
    std::unique_ptr<Csv> records;

    QJsonArray points() const { return result[u"points"_s].toArray(); }
    QJsonObject cache() const { return result[u"cache"_s].toObject(); }
    QJsonObject prompts() const { return result[u"prompts"_s].toObject(); }
    QString warnings() const
    {
        QStringList texts;
        for (const QJsonValue& warning : result[u"warnings"_s].toArray())
            texts << warning.toString();
        return texts.join(u'\n');
    }
};

} // namespace

/// Prompts of an exact length and a stated cache, from the matrix to the exports.
class TestPromptsAndCache : public QObject
{
    Q_OBJECT

private slots:
    void coldIsProved();
    void coldStaysColdInTheNextRun();
    void coldWithoutASaltField();
    void warmWithFourFifthsShared();
    void warmIsContradictedWithoutAPrefixCache();
    void unverifiedWhereNothingIsTold_data();
    void unverifiedWhereNothingIsTold();
    void asItWasFound();
    void tokenIdsInCompletions();
    void fittedByUsageWithoutATokenizer();
    void twoRunsAreComparable();
    void exportsTellIt();

private:
    Measured measured(const Simulator& simulator, const QStringList& settings)
    {
        const QString matrix = m_dir.filePath(u"m.tailmark.json"_s);
        const QString json = m_dir.filePath(u"result.json"_s), csv = m_dir.filePath(u"records.csv"_s);
        QStringList arguments = {u"run"_s,        matrix,
                                 u"--base-url"_s, simulator.url(),
                                 u"--json"_s,     json,
                                 u"--records"_s,  csv,
                                 u"--db"_s,       m_dir.filePath(u"runs.sqlite"_s)};
        for (const QString& setting : settings)
            arguments << u"--set"_s << setting;
        Measured m;
        if (!writeFile(matrix, QJsonDocument(shortMatrix(kTests)).toJson()))
            return m;
        m.run = cli(arguments);
        QFile file(json);
        if (file.open(QIODevice::ReadOnly))
            m.result = QJsonDocument::fromJson(file.readAll()).object();
        m.records = std::make_unique<Csv>(Csv::ofFile(csv));
        return m;
    }
    /// Planned, our own and the server's count of every completed request are the same.
    static void compareLengths(const Csv& records, bool ownCount)
    {
        qsizetype completed = 0;
        for (qsizetype row = 0; row < records.size(); ++row) {
            if (records.at(row, "outcome") != "completed")
                continue;
            ++completed;
            QCOMPARE(records.at(row, "prompt_tokens"), records.at(row, "prompt_tokens_planned"));
            QCOMPARE(records.at(row, "prompt_tokens_client"),
                     ownCount ? records.at(row, "prompt_tokens_planned") : QByteArray());
        }
        QVERIFY(completed > 20);
    }

    QTemporaryDir m_dir;
};

void TestPromptsAndCache::coldIsProved()
{
    const Simulator simulator;
    const Measured m = measured(simulator, {u"workload.cache=cold"_s});
    QCOMPARE(m.points().size(), 2);
    for (const QJsonValue& point : m.points()) {
        const QJsonObject cache = point[u"cache"_s].toObject();
        QCOMPARE(cache[u"stated"_s].toString(), u"cold"_s);
        QCOMPARE(cache[u"standing"_s].toString(), u"proved"_s);
        QCOMPARE(cache[u"cached_tokens"_s].toInt(-1), 0);
        QVERIFY2(cache[u"made"_s].toString().contains(u"by cache_salt"_s) &&
                     cache[u"made"_s].toString().contains(u"reset by /reset_prefix_cache"_s),
                 qPrintable(cache[u"made"_s].toString()));
        QVERIFY(cache[u"text"_s].toString().startsWith(u"cold, proved by cached tokens 0 of "_s));
        QCOMPARE(point[u"lengths"_s][u"prompt_error"_s][u"exact_share"_s].toDouble(), 1.0);
    }
    QCOMPARE(m.result[u"card"_s][u"cache"_s][u"value"_s].toString(), u"cold, proved"_s);
    QCOMPARE(m.prompts()[u"method"_s].toString(), u"tokenizer"_s);
    QCOMPARE(m.prompts()[u"overhead_tokens"_s].toInt(), 8); // the template's 7 and the first word
    QCOMPARE(m.prompts()[u"error"_s][u"max"_s].toInt(-1), 0);
    compareLengths(*m.records, true);
    QVERIFY2(m.run.err.contains("fitting prompt lengths"), m.run.err.constData());
}

void TestPromptsAndCache::coldStaysColdInTheNextRun()
{
    const Simulator simulator;
    const QStringList settings = {
        u"workload.cache=cold"_s,
        uR"(workload.prefix={"kind":"shared","shared_tokens":32,"groups":2,"share":0.5})"_s};
    for (int run = 0; run < 2; ++run) {
        const Measured m = measured(simulator, settings);
        QCOMPARE(m.cache()[u"standing"_s].toString(), u"proved"_s);
        const int cached = m.cache()[u"cached_tokens"_s].toInt(),
                  shared = m.cache()[u"shared_tokens"_s].toInt();
        QVERIFY(cached > 0); // what is shared inside a point is had from the cache
        QVERIFY(cached <= shared);
    }
}

void TestPromptsAndCache::coldWithoutASaltField()
{
    // The profile of an engine without a salt: the first words of each prompt have to do.
    const Simulator simulator;
    for (int run = 0; run < 2; ++run) {
        const Measured m = measured(simulator, {u"workload.cache=cold"_s, u"target.engine=generic"_s});
        QCOMPARE(m.cache()[u"standing"_s].toString(), u"proved"_s);
        QCOMPARE(m.cache()[u"cached_tokens"_s].toInt(-1), 0);
        QVERIFY(m.points()[0][u"cache"_s][u"made"_s].toString().contains(u"first words"_s));
        QCOMPARE(m.prompts()[u"method"_s].toString(), u"usage"_s);
    }
}

void TestPromptsAndCache::warmWithFourFifthsShared()
{
    const Simulator simulator;
    const Measured m = measured(
        simulator, {u"workload.cache=warm"_s, u"workload.lengths.prompt_tokens=200"_s,
                    uR"(workload.prefix={"kind":"shared","shared_tokens":128,"groups":4,"share":0.8})"_s});
    QCOMPARE(m.points().size(), 2);
    for (const QJsonValue& point : m.points()) {
        const QJsonObject cache = point[u"cache"_s].toObject();
        QVERIFY2(cache[u"standing"_s].toString() == u"proved"_s, qPrintable(cache[u"text"_s].toString()));
        QVERIFY(cache[u"made"_s].toString().contains(u"4 of 4 shared prefixes sent before the point"_s));
        // Blocks of 16 behind a template: all of what is shared, or the template's tokens more.
        const double cached = cache[u"cached_tokens"_s].toDouble(),
                     shared = cache[u"shared_tokens"_s].toDouble();
        QVERIFY(shared > 0 && cached >= shared * 0.99 && cached < shared * 1.1);
        const double prompts = cache[u"prompt_tokens"_s].toDouble();
        QVERIFY(cached / prompts > 0.3 && cached / prompts < 0.7); // 0.8 x 128 of 200
    }
    QCOMPARE(m.result[u"card"_s][u"cache"_s][u"value"_s].toString(), u"warm, proved"_s);
    QVERIFY(m.run.out.contains("prefix cache: warm, proved by cached tokens "));
    compareLengths(*m.records, true);
}

void TestPromptsAndCache::warmIsContradictedWithoutAPrefixCache()
{
    const Simulator simulator({u"--no-prefix-cache"_s});
    const Measured m = measured(
        simulator, {u"workload.cache=warm"_s,
                    uR"(workload.prefix={"kind":"shared","shared_tokens":48,"groups":1,"share":1})"_s});
    QCOMPARE(m.run.code, 4);
    for (const QJsonValue& point : m.points()) {
        QStringList codes;
        QString text;
        for (const QJsonValue& reason : point[u"verdict"_s][u"reasons"_s].toArray()) {
            codes << reason[u"code"_s].toString();
            if (codes.last() == u"cache_unproven"_s)
                text = reason[u"text"_s].toString();
        }
        QVERIFY(codes.contains(u"cache_unproven"_s));
        QVERIFY2(text.contains(u"warm, contradicted by cached tokens 0 of "_s), qPrintable(text));
    }
    QCOMPARE(m.result[u"card"_s][u"cache"_s][u"value"_s].toString(), u"warm, contradicted"_s);
}

void TestPromptsAndCache::unverifiedWhereNothingIsTold_data()
{
    QTest::addColumn<QString>("cache");
    QTest::newRow("cold") << u"cold"_s;
    QTest::newRow("warm") << u"warm"_s;
}
void TestPromptsAndCache::unverifiedWhereNothingIsTold()
{
    QFETCH(QString, cache);
    const Simulator simulator({u"--no-cached-tokens"_s});
    const Measured m = measured(
        simulator,
        {u"workload.cache="_s + cache, u"target.metrics_url="_s + simulator.url() + u"/no-counters"_s,
         uR"(workload.prefix={"kind":"shared","shared_tokens":48,"groups":1,"share":1})"_s});
    const QString text = cache + u", unverified: the engine tells no cached tokens"_s;
    for (const QJsonValue& point : m.points()) {
        QCOMPARE(point[u"cache"_s][u"text"_s].toString(), text);
        for (const QJsonValue& reason : point[u"verdict"_s][u"reasons"_s].toArray())
            QVERIFY(reason[u"code"_s].toString() != u"cache_unproven"_s);
    }
    QCOMPARE(m.cache()[u"standing"_s].toString(), u"unverified"_s);
    QVERIFY(m.run.out.contains("prefix cache: " + text.toUtf8()));
}

void TestPromptsAndCache::asItWasFound()
{
    const Simulator simulator;
    const QStringList settings = {u"workload.cache=as_is"_s, u"measurement.max_requests=30"_s};
    const Measured first = measured(simulator, settings), second = measured(simulator, settings);
    QCOMPARE(first.cache()[u"standing"_s].toString(), u"not_stated"_s);
    QCOMPARE(first.cache()[u"cached_tokens"_s].toInt(-1), 0);
    // The same matrix asks the same: what the first run left behind is found, and said.
    QVERIFY(second.cache()[u"cached_tokens"_s].toInt() > second.cache()[u"prompt_tokens"_s].toInt() / 2);
    QVERIFY(second.run.out.contains("prefix cache: as it was found, cached tokens "));
}

void TestPromptsAndCache::tokenIdsInCompletions()
{
    const Simulator simulator;
    const Measured m = measured(simulator, {u"target.api=completions"_s, u"workload.cache=cold"_s});
    QCOMPARE(m.prompts()[u"method"_s].toString(), u"token_ids"_s);
    QCOMPARE(m.prompts()[u"error"_s][u"exact_share"_s].toDouble(), 1.0);
    QCOMPARE(m.cache()[u"standing"_s].toString(), u"proved"_s);
    compareLengths(*m.records, true);
}

void TestPromptsAndCache::fittedByUsageWithoutATokenizer()
{
    const Simulator simulator({u"--no-tokenizer"_s});
    const Measured m = measured(simulator, {});
    QCOMPARE(m.prompts()[u"method"_s].toString(), u"usage"_s);
    QCOMPARE(m.prompts()[u"error"_s][u"exact_share"_s].toDouble(), 1.0);
    QVERIFY2(m.warnings().contains(u"tokenizer cannot be used"_s), qPrintable(m.warnings()));
    compareLengths(*m.records, false);
}

void TestPromptsAndCache::twoRunsAreComparable()
{
    const Simulator told;
    const Simulator silent({u"--no-cached-tokens"_s});
    QVERIFY(!measured(told, {u"workload.cache=cold"_s}).result.isEmpty());
    QVERIFY(!measured(silent, {u"workload.cache=cold"_s}).result.isEmpty());
    const QString db = m_dir.filePath(u"runs.sqlite"_s);
    const QJsonArray runs = cli({u"list"_s, u"--json"_s, u"--db"_s, db}).json().array();
    const auto id = [&](int i) { return QString::number(runs[i][u"id"_s].toInt()); };
    const Ended compared = cli({u"compare"_s, id(1), id(0), u"--json"_s, u"--db"_s, db});
    QCOMPARE(compared.code, 0);
    // Whether an engine tells its cached tokens makes no other condition.
    for (const QJsonValue& difference : compared.json()[u"differences"_s].toArray())
        QVERIFY(difference[u"key"_s].toString() != u"card.cache"_s);
}

void TestPromptsAndCache::exportsTellIt()
{
    const Simulator simulator;
    QVERIFY(!measured(simulator, {u"workload.cache=cold"_s}).result.isEmpty());
    const QString db = m_dir.filePath(u"runs.sqlite"_s);
    for (const QString& format : {u"md"_s, u"html"_s}) {
        const QByteArray report = cli({u"export"_s, u"latest"_s, u"--as"_s, format, u"--db"_s, db}).out;
        QVERIFY(report.contains("cold, proved by cached tokens 0 of "));
        QVERIFY(report.contains("prompts have exactly the planned tokens"));
        QVERIFY(report.contains("kept apart from earlier points by cache"));
    }
    const Csv points(cli({u"export"_s, u"latest"_s, u"--as"_s, u"csv"_s, u"--db"_s, db}).out);
    QCOMPARE(points.size(), qsizetype(2));
    QCOMPARE(points.at(0, "cache_stated"), QByteArray("cold"));
    QCOMPARE(points.at(0, "cache_standing"), QByteArray("proved"));
    QCOMPARE(points.at(0, "cached_tokens"), QByteArray("0"));
    QCOMPARE(points.number(0, "prompt_error_exact_share"), 1.0);
}

QTEST_GUILESS_MAIN(TestPromptsAndCache)
#include "tst_prompts_and_cache.moc"
