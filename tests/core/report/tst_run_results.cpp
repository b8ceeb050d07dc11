// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/summarize.h"
#include "report/kept_digest.h"
#include "report/report.h"
#include "result_fixture.h"

#include <sstream>

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <nlohmann/json.hpp>

using namespace tailmark;
using namespace tailmark::test;

namespace {

/// The fixture written to a store and read back; the id is the store's.
class StoredRunOfTest
{
public:
    explicit StoredRunOfTest(const StoredFixture& fixture, bool finish = true) : m_store(open())
    {
        Store& store = m_store.value();
        const StoredRun& run = fixture.run;
        id = store.createRun(run.info.name, run.plan, run.card, run.environment).value();
        for (const std::string& warning : run.warnings)
            ok &= store.addWarning(id, warning).ok();
        for (std::size_t i = 0; i < run.points.size(); ++i) {
            const StoredPoint& point = run.points[i];
            ok &= store.startPoint(id, point.point, "2026-01-31T12:00:00.000Z").ok();
            ok &= store.appendRecords(id, point.point.index, fixture.batches[i]).ok();
            if (point.finished)
                ok &= store.finishPoint(id, point.point.index, point.facts).ok();
        }
        if (finish)
            ok &= store.finishRun(id, RunState::Done).ok();
    }
    Store& store() { return m_store.value(); }
    std::string path() const { return m_dir.filePath("runs.sqlite").toStdString(); }

    RunId id;
    bool ok = true;

private:
    Result<Store> open() { return Store::open(m_dir.filePath("runs.sqlite").toStdString()); }
    QTemporaryDir m_dir;
    Result<Store> m_store;
};

RunResults loaded(const Slo& slo = {})
{
    StoredRunOfTest stored(sweepFixture());
    return loadResults(stored.store(), stored.id, slo).value();
}

/// What is kept of each point: of a digest its summary, whole or not.
std::vector<bool> keptDigests(const StoredRunOfTest& stored, const Store& store, const Slo& slo = {})
{
    std::vector<bool> kept;
    const StoredRun run = store.loadRun(stored.id).value();
    for (const StoredPoint& point : run.points)
        kept.push_back(readDigest(store, stored.id, point.point, slo).has_value());
    return kept;
}

std::string jsonOf(const RunResults& results)
{
    return resultToJson(results).dump(1);
}

/// Cells of one CSV text, quotes undone (RFC 4180).
QList<QStringList> csvRows(const std::string& text)
{
    QList<QStringList> rows;
    QStringList row;
    QString cell;
    bool quoted = false;
    const QString all = QString::fromStdString(text);
    for (qsizetype i = 0; i < all.size(); ++i) {
        const QChar c = all[i];
        if (quoted) {
            if (c == '"' && i + 1 < all.size() && all[i + 1] == '"') {
                cell += '"';
                ++i;
            } else if (c == '"') {
                quoted = false;
            } else {
                cell += c;
            }
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',') {
            row << cell;
            cell.clear();
        } else if (c == '\r' && i + 1 < all.size() && all[i + 1] == '\n') {
            rows << (row << cell);
            row.clear();
            cell.clear();
            ++i;
        } else {
            cell += c;
        }
    }
    return rows;
}

std::string recordsCsv(const Slo& slo = {})
{
    StoredRunOfTest stored(sweepFixture());
    const RunResults results = loadResults(stored.store(), stored.id, slo).value();
    std::ostringstream out;
    return writeRecordsCsv(results, stored.store(), out).ok() ? out.str() : std::string();
}

} // namespace

class RunResultsTest : public QObject
{
    Q_OBJECT

private slots:
    void resultsOfAStoredRun()
    {
        StoredRunOfTest stored(sweepFixture());
        QVERIFY(stored.ok);
        const Result<RunResults> r = loadResults(stored.store(), stored.id);
        QVERIFY2(r.ok(), r.ok() ? "" : r.error().line().c_str());
        const RunResults& results = r.value();
        QCOMPARE(results.points.size(), std::size_t(4));
        QCOMPARE(results.slo, results.run.plan.matrix.slo);
        QCOMPARE(results.points[1].distribution(Metric::Ttft)->at(99)->value, 400.0);
        QCOMPARE(results.operatingPoints.size(), std::size_t(1));
        QCOMPARE(results.operatingPoints[0].state, OperatingState::Found);
        QCOMPARE(results.operatingPoints[0].lastPassing->load, 2.0);
        QCOMPARE(results.operatingPoints[0].crossing->load, 3.0);
        QVERIFY(!loadResults(stored.store(), RunId{99}).ok());
    }

    void thePercentileOfTheLimitHasItsColumn()
    {
        const std::string p95 = markdownReport(loaded({{"ttft_ms", 95, 1000}, {"e2e_ms", 90, 5000}}));
        QVERIFY(p95.find("p50 TTFT (ms) | p95 TTFT (ms) | p99 TTFT (ms)") != std::string::npos);
        QVERIFY(p95.find("p90 E2E (ms) | p99 E2E (ms)") != std::string::npos);
        const std::string p99 = markdownReport(loaded({{"ttft_ms", 99, 1000}}));
        QVERIFY(p99.find("p50 TTFT (ms) | p99 TTFT (ms) | p50 TPOT (ms)") != std::string::npos); // not twice
    }

    void anotherLimitGivesAnotherOperatingPoint()
    {
        const RunResults results = loaded({{"ttft_ms", 99, 200}});
        QCOMPARE(results.slo[0].limit, 200.0);
        QCOMPARE(results.operatingPoints[0].lastPassing->load, 1.0);
        QCOMPARE(results.points[1].slo.good, std::size_t(0));
    }

    void anotherSloByDigestsSaysWhatTheRecordsSay_data()
    {
        QTest::addColumn<Slo>("slo");
        QTest::newRow("the run's own") << Slo{};
        QTest::newRow("another limit") << Slo{{"ttft_ms", 99, 200}};
        QTest::newRow("another metric") << Slo{{"tpot_ms", 99, 10}};
        QTest::newRow("several") << Slo{{"e2e_ms", 99, 700}, {"output_tokens_per_s_user", 99, 30}, {"send_lag_ms", 99, 1}};
        QTest::newRow("gaps between chunks") << Slo{{"itl_ms", 99, 9}};
        QTest::newRow("of the point") << Slo{{"output_tokens_per_s", 99, 100}};
    }
    void anotherSloByDigestsSaysWhatTheRecordsSay()
    {
        QFETCH(Slo, slo);
        StoredFixture fixture = sweepFixture();
        fixture.run.points[2].finished = false; // cut off
        fixture.batches[2].records.resize(150);
        StoredRunOfTest stored(fixture);
        const std::string full = jsonOf(loadResults(stored.store(), stored.id, slo).value());
        for (int i = 0; i < 3; ++i) // at first from the records
            QCOMPARE(jsonOf(reevaluateRun(stored.store(), stored.id, slo).value()), full);
        const bool answered = PointDigest::answers(slo);
        QCOMPARE(keptDigests(stored, stored.store()), std::vector<bool>({answered, answered, false, answered}));
    }

    void anotherPercentileByDigestsGivesTheSameOperatingPoints()
    {
        StoredRunOfTest stored(sweepFixture());
        const Slo slo = {{"ttft_ms", 87.5, 333}};
        const auto operatingPoints = [](const RunResults& results) {
            return resultToJson(results)["operating_points"].dump(1);
        };
        const std::string full = operatingPoints(loadResults(stored.store(), stored.id, slo).value());
        for (int i = 0; i < 2; ++i)
            QCOMPARE(operatingPoints(reevaluateRun(stored.store(), stored.id, slo).value()), full);
    }

    void digestsAreReadInsteadOfRecords()
    {
        StoredRunOfTest stored(sweepFixture());
        const RunResults before = reevaluateRun(stored.store(), stored.id).value();
        // A digest that says something else shows who was asked.
        PointSummary other = before.points[0];
        other.rates[Metric::OutputTokensPerS] = 12345;
        const RecordBatch records = stored.store().loadRecords(stored.id, {0}).value();
        QVERIFY(keepDigest(stored.store(), stored.id, other, records, before.run.points[0].facts).ok());
        QCOMPARE(reevaluateRun(stored.store(), stored.id).value().points[0].rate(Metric::OutputTokensPerS), 12345);

        // What is written to the point makes it forgotten.
        QVERIFY(stored.store().appendRecords(stored.id, {0}, levelRecords(900)).ok());
        QCOMPARE(keptDigests(stored, stored.store()), std::vector<bool>({false, true, true, true}));
        const std::string full = jsonOf(loadResults(stored.store(), stored.id).value());
        for (int i = 0; i < 2; ++i)
            QCOMPARE(jsonOf(reevaluateRun(stored.store(), stored.id).value()), full);
        QCOMPARE(keptDigests(stored, stored.store(), {{"tpot_ms", 99, 1}}), std::vector<bool>(4, true));
    }

    void aDamagedOrOlderDigestIsMadeAnew()
    {
        StoredRunOfTest stored(sweepFixture());
        Store& store = stored.store();
        const std::string full = jsonOf(loadResults(store, stored.id).value());
        QVERIFY(reevaluateRun(store, stored.id).ok());
        const std::string rubbish = "rubbish";
        const auto damage = [&](std::string_view part, std::string_view version) {
            return store.keepDigest(stored.id, {1}, part, version, std::as_bytes(std::span(rubbish))).ok();
        };
        for (const auto& [part, version] : {std::pair<std::string_view, std::string_view>{"summary", summaryVersion()},
                                            {"requests", summaryVersion()},
                                            {"ttft_ms", summaryVersion()},
                                            {"summary", "0.0.1/1"},
                                            {"requests", "0.0.1/1"},
                                            {"ttft_ms", "0.0.1/1"}}) {
            QVERIFY(damage(part, version));
            QVERIFY(!keptDigests(stored, store, {{"ttft_ms", 99, 1}})[1]);
            QCOMPARE(jsonOf(reevaluateRun(store, stored.id).value()), full);
            QVERIFY(keptDigests(stored, store, {{"ttft_ms", 99, 1}})[1]);
        }
    }

    void whoOnlyReadsEvaluatesAgainToo()
    {
        StoredRunOfTest stored(sweepFixture());
        const Slo slo = {{"ttft_ms", 99, 200}};
        const std::string full = jsonOf(loadResults(stored.store(), stored.id, slo).value());
        const Store reader = Store::open(stored.path(), Store::Mode::ReadOnly).value();
        QCOMPARE(jsonOf(reevaluateRun(reader, stored.id, slo).value()), full);
        QCOMPARE(keptDigests(stored, reader), std::vector<bool>(4, true)); // through a connection of its own
        QCOMPARE(jsonOf(reevaluateRun(reader, stored.id, slo).value()), full);
        QVERIFY(!reevaluateRun(reader, RunId{99}, slo).ok());
    }

    void whereNothingCanBeKeptItIsStillEvaluated()
    {
        StoredRunOfTest stored(sweepFixture());
        const Slo slo = {{"ttft_ms", 99, 200}};
        const std::string full = jsonOf(loadResults(stored.store(), stored.id, slo).value());
        Result<Store> reader = Store::open(stored.path(), Store::Mode::ReadOnly);
        QVERIFY(reader.ok());
        QFile file(QString::fromStdString(stored.path()));
        QVERIFY(file.rename(file.fileName() + ".moved")); // what would be written there is another database
        QCOMPARE(jsonOf(reevaluateRun(reader.value(), stored.id, slo).value()), full);
        QVERIFY(!QFile::exists(QString::fromStdString(stored.path())));
    }

    void aPointCutOffWithItsProcessEndsWithItsRecords()
    {
        StoredFixture f = sweepFixture();
        f.run.points[1].finished = false;
        f.batches[1].records.resize(150); // up to 16 s
        StoredRunOfTest stored(f);
        const RunResults results = loadResults(stored.store(), stored.id).value();
        QVERIFY(results.points[1].window.endS < 17);
        QVERIFY(*results.points[1].rate(Metric::CompletedPerS) > 9);
    }

    void aPointStillBeingMeasuredIsLeftOut()
    {
        StoredFixture f = sweepFixture();
        f.run.points[3].finished = false;
        StoredRunOfTest stored(f, false);
        QCOMPARE(loadResults(stored.store(), stored.id).value().points.size(), std::size_t(3));
    }

    void jsonHasTheKeysOfTheContract()
    {
        const nlohmann::ordered_json json = resultToJson(loaded());
        for (const char* key : {"schema_version", "tool", "run", "matrix", "plan", "card", "environment", "points",
                                "operating_points", "bound", "laws", "warnings"})
            QVERIFY2(json.contains(key), key);
        for (const char* key : {"id", "name", "started_at", "finished_at", "state"})
            QVERIFY2(json["run"].contains(key), key);
        const auto& point = json["points"][1];
        for (const char* key : {"test", "kind", "load", "repeat", "window", "rates", "outcomes", "metrics", "slo",
                                "verdict", "generator", "server", "phases"})
            QVERIFY2(point.contains(key), key);
        QVERIFY(point["load"]["axis"] == "concurrency");
        QVERIFY(point["load"]["value"] == 2.0);
        for (const char* key : {"start_s", "end_s", "warmup_s"})
            QVERIFY2(point["window"].contains(key), key);
        for (const char* key : {"output_tokens_per_s", "requests_per_s", "offered_per_s", "sent_per_s",
                                "accepted_per_s", "completed_per_s", "goodput_requests_per_s", "goodput_tokens_per_s",
                                "slo_attainment"})
            QVERIFY2(point["rates"][key].is_number(), key);
        QCOMPARE(point["outcomes"].size(), std::size_t(kOutcomeCount));
        QVERIFY(point["outcomes"]["completed"] == 300);
        const auto& ttft = point["metrics"]["ttft_ms"];
        for (const char* key : {"n", "mean", "min", "p50", "p90", "p95", "p99", "max"})
            QVERIFY2(ttft[key].is_number(), key);
        QVERIFY(ttft["p99"] == 400.0);
        QCOMPARE(ttft["ci95"]["p50"].size(), std::size_t(2));
        QVERIFY(ttft["ci95"]["p99"].is_null()); // 300 values cannot bound a p99
        QVERIFY(ttft["weak"] == nlohmann::json({"p99"}));
        QVERIFY(point["slo"]["met"] == true);
        QVERIFY(point["slo"]["constraints"][0]["value"] == 400.0);
        QVERIFY(point["verdict"]["valid"] == true);
        QVERIFY(point["generator"]["send_lag_ms"]["p99"].is_number());
        QVERIFY(point["generator"]["cpu_cores"] == 0.25);
        const auto& op = json["operating_points"][0];
        for (const char* key : {"test", "state", "slo", "last_passing", "first_failing", "crossing", "crossing_interval"})
            QVERIFY2(op.contains(key), key);
        QVERIFY(op["state"] == "found");
        for (const char* key : {"load", "requests_per_s", "output_tokens_per_s", "goodput_requests_per_s"})
            QVERIFY2(op["crossing"][key].is_number(), key);
        QVERIFY(!json["laws"].empty());
        QVERIFY(json["bound"].is_null());
    }

    void jsonIsStrictEvenWhenNothingSucceeded()
    {
        StoredFixture f = sweepFixture();
        for (std::size_t i = 0; i < 3; ++i)
            f.batches[i] = f.batches[3];
        StoredRunOfTest stored(f);
        const std::string text = resultToJson(loadResults(stored.store(), stored.id).value()).dump();
        QVERIFY(nlohmann::json::accept(text));
        const nlohmann::json json = nlohmann::json::parse(text);
        const auto& point = json["points"][0];
        QVERIFY(point["metrics"]["ttft_ms"].is_null());
        QVERIFY(point["slo"]["constraints"][0]["value"].is_null());
        QVERIFY(point["rates"]["output_tokens_per_s"] == 0.0);
        QVERIFY(point["verdict"]["reasons"][0]["code"] == "no_success");
        QCOMPARE(point["errors"].size(), std::size_t(1));
        QVERIFY(json["operating_points"][0]["state"] == "below_first");
        QVERIFY(!QString::fromStdString(text).contains("nan", Qt::CaseInsensitive));
    }

    void unknownTokensAreNullNotZero()
    {
        StoredFixture f = sweepFixture();
        for (RequestRecord& r : f.batches[0].records) {
            r.outputTokens = kUnknownCount;
            r.chunkCount = 0;
        }
        StoredRunOfTest stored(f);
        const auto json = resultToJson(loadResults(stored.store(), stored.id).value());
        QVERIFY(json["points"][0]["rates"]["output_tokens_per_s"].is_null());
        QVERIFY(json["points"][0]["lengths"]["output_tokens_unknown"] == 300);
    }

    void secretsStayAtHome()
    {
        const RunResults results = loaded();
        const QStringList texts = {QString::fromStdString(resultToJson(results).dump()),
                                   QString::fromStdString(htmlReport(results)),
                                   QString::fromStdString(markdownReport(results))};
        for (const QString& text : texts) {
            QVERIFY(!text.contains("very-secret"));
            QVERIFY(!text.contains("other-secret"));
            QVERIFY(text.contains("blue"));
        }
    }

    void pointsCsvHasOneRowAPoint()
    {
        std::ostringstream out;
        writePointsCsv(loaded(), out);
        const QList<QStringList> rows = csvRows(out.str());
        QCOMPARE(rows.size(), qsizetype(5));
        const QStringList& header = rows[0];
        for (const QStringList& row : rows)
            QCOMPARE(row.size(), header.size());
        const auto cell = [&](int row, const char* column) { return rows[row][header.indexOf(column)]; };
        QCOMPARE(cell(1, "test"), QString("'=sweep,\"a\"")); // no formula
        QCOMPARE(cell(2, "ttft_ms_p99"), QString("400"));
        QCOMPARE(cell(2, "ttft_ms_n"), QString("300"));
        QCOMPARE(cell(4, "ttft_ms_p99"), QString());
        QCOMPARE(cell(4, "rejected"), QString("300"));
        QCOMPARE(cell(2, "slo_met"), QString("true"));
        QCOMPARE(cell(3, "slo_met"), QString("false"));
        QCOMPARE(cell(2, "verdict"), QString("valid"));
        QVERIFY(cell(4, "verdict").startsWith("no_success: "));
    }

    void recordsCsvHasTheColumnsOfTheContract()
    {
        const QList<QStringList> rows = csvRows(recordsCsv());
        QCOMPARE(rows[0].join(','),
                 QString("request,test,load,repeat,phase,in_window,outcome,http_status,finish_reason,intended_ms,sent_ms,"
                         "headers_ms,first_event_ms,first_token_ms,first_answer_token_ms,last_token_ms,closed_ms,"
                         "connect_ms,new_connection,send_lag_ms,ttft_ms,ttft_intended_ms,tpot_ms,e2e_ms,"
                         "e2e_intended_ms,prompt_tokens_planned,prompt_tokens,output_tokens_cap,output_tokens,"
                         "cached_tokens,token_events,meets_slo,error,prompt_tokens_client,"
                         "cached_tokens_planned,session,turn"));
        QCOMPARE(rows.size(), qsizetype(1 + 4 * 300));
        for (const QStringList& row : rows)
            QCOMPARE(row.size(), rows[0].size());
        const auto cell = [&](qsizetype row, const char* column) { return rows[row][rows[0].indexOf(column)]; };
        QCOMPARE(cell(301, "request"), QString("0"));
        QCOMPARE(cell(301, "load"), QString("2"));
        QCOMPARE(cell(301, "in_window"), QString("true"));
        QCOMPARE(cell(301, "outcome"), QString("completed"));
        QCOMPARE(cell(301, "intended_ms"), QString("1000"));
        QCOMPARE(cell(301, "first_token_ms"), QString("1400"));
        QCOMPARE(cell(301, "ttft_ms"), QString("400"));
        QCOMPARE(cell(301, "tpot_ms"), QString("10"));
        QCOMPARE(cell(301, "cached_tokens"), QString());
        QCOMPARE(cell(301, "meets_slo"), QString("true"));
        QCOMPARE(cell(601, "meets_slo"), QString("false"));
        QCOMPARE(cell(901, "outcome"), QString("rejected"));
        QCOMPARE(cell(901, "http_status"), QString("429"));
        QCOMPARE(cell(901, "ttft_ms"), QString());
        QCOMPARE(cell(901, "meets_slo"), QString("false"));
        QCOMPARE(cell(901, "error"), QString("busy, \"try\" <later>\nplease"));
    }

    void timesInCsvEndAtTheNanosecond()
    {
        StoredFixture f = sweepFixture();
        for (RequestRecord& r : f.batches[0].records) {
            r.intended = r.sent - Nanoseconds(300'000);
            r.connect = Nanoseconds(100'000); // 0.3 - 0.1 is 0.19999999999999998
            r.lastToken = r.firstToken + Nanoseconds(100'000'000);
            r.outputTokens = 4; // a third of 100 ms each
        }
        StoredRunOfTest stored(f);
        const RunResults results = loadResults(stored.store(), stored.id).value();
        std::ostringstream records, points;
        QVERIFY(writeRecordsCsv(results, stored.store(), records).ok());
        writePointsCsv(results, points);
        for (const std::string& csv : {records.str(), points.str()}) {
            const QList<QStringList> rows = csvRows(csv);
            for (qsizetype column = 0; column < rows[0].size(); ++column)
                if (rows[0][column].contains("_ms"))
                    for (const QStringList& row : rows.mid(1))
                        QVERIFY2(row[column].section('.', 1).size() <= 6,
                                 qPrintable(rows[0][column] + ": " + row[column]));
        }
        const QList<QStringList> rows = csvRows(records.str());
        const auto cell = [&](const char* column) { return rows[1][rows[0].indexOf(column)]; };
        QCOMPARE(cell("send_lag_ms"), QString("0.2"));
        QCOMPARE(cell("connect_ms"), QString("0.1"));
        QCOMPARE(cell("tpot_ms"), QString("33.333333"));
    }

    void recordsCsvJudgesUnderTheLimitThatIsAskedFor()
    {
        const QList<QStringList> rows = csvRows(recordsCsv({{"chunk_gap_ms", 99, 5}}));
        QCOMPARE(rows[301][rows[0].indexOf("meets_slo")], QString("false")); // gaps of 10 ms
    }

    void htmlIsSelfContainedAndEscaped()
    {
        const QString html = QString::fromStdString(htmlReport(loaded()));
        QVERIFY(html.startsWith("<!DOCTYPE html>"));
        QVERIFY(html.contains("night &lt;run&gt; &amp; co"));
        QVERIFY(html.contains("&lt;b&gt;llama|8b&lt;/b&gt;"));
        QVERIFY(!html.contains("<b>"));
        QVERIFY(!html.contains("<script", Qt::CaseInsensitive));
        QVERIFY(!html.contains(QRegularExpression("(src|href)\\s*=|@import|url\\(")));
        QVERIFY(html.contains("prefers-color-scheme: dark"));
        QCOMPARE(html.count("<svg "), qsizetype(1));
        for (const char* part : {"concurrency 3", "95 %", "warm-up", "Definitions", "How to run it again", "no_success",
                                 "Run card", "rejected", "HTTP 429", "Time to first token", "clocks were changed"})
            QVERIFY2(html.contains(part), part);
    }

    /// With the latencies of the limits beside all else a table would be wider than a page.
    void tablesShowTheLimitAndFitAPage()
    {
        const RunResults results = loaded({{"ttft_ms", 92, 1000}, {"tpot_ms", 97, 50}});
        const QString html = QString::fromStdString(htmlReport(results));
        const QString md = QString::fromStdString(markdownReport(results));
        for (const char* title : {"p92 TTFT (ms)", "p97 TPOT (ms)"}) {
            QVERIFY2(html.contains(title), title);
            QVERIFY2(md.contains(title), title);
        }
        const QStringList tables = html.split("<thead><tr><th scope=\"col\">Load</th>").mid(1);
        QCOMPARE(tables.size(), qsizetype(3)); // the curve, the load, the latencies
        for (const QString& head : tables) {
            const qsizetype columns = head.section("</thead>", 0, 0).count("<th ");
            QVERIFY2(columns <= 12, qPrintable(head.section("</thead>", 0, 0)));
        }
    }

    void everyTableFitsAPage()
    {
        StoredFixture f = sweepFixture();
        for (StoredPoint& point : f.run.points) // a server that tells all there is
            for (const ServerCounterInfo& info : serverCounters())
                for (int second = 0; second <= 31; ++second)
                    point.facts.serverSamples.push_back({fromSeconds(second), info.counter, 5.0 * second});
        RunResults results;
        results.run = f.run;
        const auto records = [&](const StoredPoint& point) -> Result<std::shared_ptr<const RecordBatch>> {
            return std::make_shared<const RecordBatch>(f.batches[static_cast<std::size_t>(point.point.index.value)]);
        };
        const QString html = QString::fromStdString(
            htmlReport(summarizeRun(f.run, {{"ttft_ms", 99, 1000}, {"tpot_ms", 97, 50}}, records).value()));
        const QStringList tables = html.split("<thead>").mid(1);
        QVERIFY(tables.size() > 12);
        QVERIFY(html.contains("Preemptions") && html.contains("Generated tokens"));
        for (const QString& table : tables)
            QVERIFY2(table.section("</thead>", 0, 0).count("<th ") <= 11, qPrintable(table.section("</thead>", 0, 0)));
    }

    void aFirstReaderFindsWhatWasMeasured()
    {
        StoredFixture f = sweepFixture();
        f.run.card.read("flags.max_num_seqs", "512");
        f.run.card.setStandard("flags.max_num_seqs", "256");
        StoredRunOfTest stored(f);
        const QString md =
            QString::fromStdString(markdownReport(loadResults(stored.store(), stored.id).value())).remove('\\');
        for (const char* part :
             {"| Engine | vllm, version unknown |", "revision unknown |", "| Quantization | unknown |",
              "| Hardware | unknown, count unknown |", "| Parallelism | unknown |", "max_num_seqs 512 (default 256)",
              "prompt tokens p50 512, p90 512, p95 512, p99 512; output tokens p50 50", "| Prefix sharing | none is planned",
              "closed loop, concurrency 1, 2, 4, 8", "1 s of warm-up discarded, then a window of 30 s at each of 4 points",
              "| Bound and fraction reached | unknown", "tailmark-cli run matrix.tailmark.json", "Secrets are hidden"})
            QVERIFY2(md.contains(part), qPrintable(QString(part) + "\n" + md.left(4000)));
    }

    void theSimulatedEngineIsStartedFirst()
    {
        StoredFixture f = sweepFixture();
        f.run.plan.matrix.target.baseUrl = "http://127.0.0.1:8123/v1";
        const auto commands = [&] {
            StoredRunOfTest stored(f);
            return QString::fromStdString(markdownReport(loadResults(stored.store(), stored.id).value()));
        };
        QVERIFY(!commands().contains("tailmark-sim"));
        QVERIFY(commands().contains("--base-url"));
        f.run.card = RunCard();
        f.run.card.read("engine", "sim");
        f.run.card.read("flags.profile", "8b-b200");
        QVERIFY(commands().contains("tailmark-sim --profile 8b-b200 --port 8123 &\ntailmark-cli run matrix.tailmark.json"));
        f.run.environment["server_documents"] = {
            {"/server_info", {{"engine", "tailmark-sim"}, {"started_with", "--max-num-seqs 16 --fault hang@0.1"}}}};
        QVERIFY(commands().contains("tailmark-sim --profile 8b-b200 --max-num-seqs 16 --fault hang@0.1 --port 8123 &\n"));
    }

    /// Each figure of throughput has its latency in the same row.
    void noThroughputStandsWithoutItsLatency()
    {
        const QString md = QString::fromStdString(markdownReport(loaded()));
        for (const QString& line : md.split('\n'))
            if (line.startsWith("| Load |") && line.contains("Throughput (tok/s)"))
                QVERIFY2(line.contains("p99 TTFT (ms)"), qPrintable(line));
    }

    void htmlIsWellFormed()
    {
        QString html = QString::fromStdString(htmlReport(loaded()));
        html.remove("<!DOCTYPE html>");
        html.replace(QRegularExpression("<meta ([^>]*)>"), "<meta \\1/>");
        QXmlStreamReader xml(html);
        while (!xml.atEnd())
            xml.readNext();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    }

    void chartShowsLevelsLimitAndCrossing()
    {
        const QString html = QString::fromStdString(htmlReport(loaded()));
        const QString svg = html.mid(html.indexOf("<svg "), html.indexOf("</svg>") - html.indexOf("<svg "));
        QCOMPARE(svg.count("class=\"passing\""), qsizetype(2));
        QCOMPARE(svg.count("class=\"failing\""), qsizetype(1)); // the level without a success has no latency
        QCOMPARE(svg.count("class=\"limit\""), qsizetype(1));
        QCOMPARE(svg.count("class=\"bracket\""), qsizetype(1));
        QCOMPARE(svg.count("class=\"crossing\""), qsizetype(1));
        QVERIFY(html.contains("1 without a latency or a throughput cannot be drawn"));
    }

    void markdownTakesNoMarkupFromTheData()
    {
        const QString md = QString::fromStdString(markdownReport(loaded()));
        QVERIFY(md.startsWith("# night \\<run\\> & co"));
        QVERIFY(md.contains("\\<b\\>llama\\|8b\\</b\\>"));
        const QStringList lines = md.split('\n');
        for (const QString& line : lines)
            QVERIFY(!line.startsWith("please")); // a line break inside an error stays in its paragraph
        QVERIFY(md.contains("> =sweep,\"a\": 99 % of requests see their first token within 1 s up to concurrency 3"));
    }

    void reportsOfAnEmptyRunAreWritten()
    {
        RunResults empty;
        QVERIFY(!htmlReport(empty).empty());
        QVERIFY(!markdownReport(empty).empty());
        QVERIFY(nlohmann::json::accept(resultToJson(empty).dump()));
        std::ostringstream out;
        writePointsCsv(empty, out);
        QCOMPARE(csvRows(out.str()).size(), qsizetype(1));
    }
};

QTEST_GUILESS_MAIN(RunResultsTest)
#include "tst_run_results.moc"
