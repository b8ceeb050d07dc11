// SPDX-License-Identifier: GPL-3.0-or-later
// A run that another tool measured: kept, listed, shown, and compared with one of ours.
#include "foreign/import.h"
#include "report/report.h"
#include "report/run_comparison.h"
#include "result_fixture.h"

#include <cmath>
#include <sstream>

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace tailmark;
using namespace tailmark::test;

namespace {

const Slo kTtft1000 = {{"ttft_ms", 99, 1000}};

std::vector<ForeignLevel> levelsOf(std::initializer_list<const char*> names)
{
    std::vector<ForeignLevel> all;
    for (const char* name : names) {
        auto levels = readForeignResult(std::string(TAILMARK_TEST_DATA) + "/foreign/" + name, "auto");
        if (levels)
            for (ForeignLevel& level : levels.value())
                all.push_back(std::move(level));
    }
    return all;
}

/// A database with the three levels of vLLM.
class Imported
{
public:
    explicit Imported(const std::vector<ForeignLevel>& levels, const std::string& test = {})
        : m_store(Store::open(m_dir.filePath("runs.sqlite").toStdString())),
          id(importForeignRun(m_store.value(), "theirs", test, levels))
    {
    }
    Store& store() { return m_store.value(); }
    RunResults results(const Slo& slo = kTtft1000) { return loadResults(store(), id.value(), slo).value(); }

private:
    QTemporaryDir m_dir;
    Result<Store> m_store;

public:
    Result<RunId> id;
};

const auto kSweep = {"vllm-c64.json", "vllm-c8.json", "vllm-c32.json"};

/// Ours, with the levels of theirs: TTFT 400 ms from the send, 50 ms after a first event without a token.
RunId storeOurs(Store& store)
{
    StoredFixture f = sweepFixture();
    Test& test = f.run.plan.matrix.tests[0];
    test.name = "concurrency_sweep";
    test.levels = {8, 32};
    f.run.plan.points.clear();
    for (std::size_t i = 0; i < 2; ++i) {
        PointPlan& point = f.run.points[i].point;
        point.test = test.name;
        point.concurrency = test.levels[i];
        point.load.value = test.levels[i];
        f.run.plan.points.push_back(point);
        for (RequestRecord& r : f.batches[i].records)
            r.firstEvent = r.sent + fromMs(50);
    }
    const RunId id = store.createRun("ours", f.run.plan, f.run.card, f.run.environment).value();
    for (std::size_t i = 0; i < 2; ++i) {
        const StoredPoint& point = f.run.points[i];
        (void)store.startPoint(id, point.point, "2026-01-31T12:00:00.000Z");
        (void)store.appendRecords(id, point.point.index, f.batches[i]);
        (void)store.finishPoint(id, point.point.index, point.facts);
    }
    (void)store.finishRun(id, RunState::Done);
    return id;
}

bool holds(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class ForeignRunTest : public QObject
{
    Q_OBJECT

private slots:
    void severalFilesMakeASweep()
    {
        Imported imported(levelsOf(kSweep));
        QVERIFY2(imported.id.ok(), imported.id.ok() ? "" : imported.id.error().line().c_str());
        const RunInfo info = imported.store().listRuns().value().at(0);
        QCOMPARE(info.foreign, std::string("vllm"));
        QCOMPARE(info.state, RunState::Done);
        QCOMPARE(info.model, std::string("example/8b-instruct"));
        QVERIFY(info.engine.empty()); // the file names the client's dialect, not the engine
        QVERIFY(info.target.empty());
        QCOMPARE(info.pointsDone, 3);
        const RunResults results = imported.results();
        QCOMPARE(results.points.size(), std::size_t(3));
        QCOMPARE(results.points[0].point.load.value, 8.0);
        QCOMPARE(results.points[2].point.load.value, 64.0);
        QCOMPARE(results.points[1].distribution(Metric::Ttft)->at(99)->value, 720.0);
        QCOMPARE(*results.points[1].rate(Metric::OutputTokensPerS), 5606.4);
        // p99 TTFT of 720 and 1,450 ms: crossed at 44.3
        QCOMPARE(results.operatingPoints.at(0).state, OperatingState::Found);
        QVERIFY(std::fabs(results.operatingPoints[0].crossing->load - 44.27) < 0.01);
    }

    void whatIsNotKnownIsSaid()
    {
        Imported imported(levelsOf({"sglang.jsonl"}));
        const RunResults results = imported.results();
        QCOMPARE(results.points.size(), std::size_t(2));
        const PointSummary& p = results.points[0];
        QVERIFY(p.verdict.valid);
        QCOMPARE(p.verdict.reasons.at(0).code, std::string("foreign"));
        for (const char* part : {"measured by SGLang", "sglang.jsonl", "no records", "not told: failed requests"})
            QVERIFY2(holds(p.verdict.reasons[0].text, part), p.verdict.reasons[0].text.c_str());
        QVERIFY(!p.rate(Metric::OfferedPerS));
        QVERIFY(!p.rate(Metric::SloAttainment));
        QVERIFY(!p.distribution(Metric::SendLag));
        QCOMPARE(results.points[1].point.test, std::string("arrival_sweep"));
        QVERIFY(results.points[1].point.openLoop());
    }

    /// Absent is never 0, and what is told is shown.
    void whatIsToldIsShownAndNothingElse()
    {
        auto levels = levelsOf({"vllm-c8.json"});
        levels[0].figures.latencies.erase("e2e_ms"); // so that nobody knows how many were in flight
        levels[0].figures.failed = 500;
        Imported imported(levels);
        const RunResults results = imported.results({});
        const nlohmann::ordered_json json = resultToJson(results);
        const auto& point = json["points"][0];
        QVERIFY(point["mean_in_flight"].is_null());
        QCOMPARE(point["failed"].get<int>(), 500);
        QCOMPARE(point["outcomes"]["completed"].get<int>(), 1000);
        for (const char* key : {"rejected", "server_error", "cancelled", "not_sent"})
            QVERIFY2(point["outcomes"][key].is_null() && point["outcomes_of_point"][key].is_null(), key);
        QVERIFY(point["verdict"]["valid"].is_null());
        QVERIFY(point["generator"].is_null());
        QVERIFY(point["slo"]["denominator"].is_null());
        QVERIFY(json["cache"]["text"] == "not told by vLLM's file");
        const std::string report = markdownReport(results);
        QVERIFY2(holds(report, "|  | 1,000 | 500 |"), report.c_str());
        QVERIFY(holds(report, "500 of 1,500 requests failed"));
        QVERIFY(!holds(report, "## Windows"));
        QVERIFY(holds(report, "vLLM counts: TTFT ends at the first event"));
        QVERIFY(!holds(report, "nearest rank"));
        std::ostringstream csv;
        writePointsCsv(results, csv);
        const QStringList lines = QString::fromStdString(csv.str()).split('\n');
        const QStringList names = lines[0].trimmed().split(','), values = lines[1].split(',');
        const auto column = [&](const char* name) { return values[names.indexOf(QString::fromLatin1(name))]; };
        QCOMPARE(column("failed"), QStringLiteral("500"));
        QCOMPARE(column("completed"), QStringLiteral("1000"));
        for (const char* name : {"mean_in_flight", "rejected", "not_sent", "new_connections", "valid"})
            QVERIFY2(column(name).isEmpty(), name);

        levels[0].figures.failed.reset();
        levels[0].figures.durationS.reset();
        Imported less(levels);
        const RunResults untold = less.results({});
        const nlohmann::ordered_json other = resultToJson(untold)["points"][0];
        QVERIFY(other["failed"].is_null() && other["window"]["end_s"].is_null());
        QVERIFY(holds(markdownReport(untold), "|  | 1,000 |  |"));
    }

    /// Neither believed nor not.
    void whatCouldNotBeCheckedIsNotBelieved()
    {
        Imported imported(levelsOf(kSweep));
        const RunId ours = storeOurs(imported.store());
        const Result<RunId> again = importForeignRun(imported.store(), "again", "", levelsOf(kSweep));
        const Result<ComparedRuns> theirs = loadCompared(imported.store(), {imported.id.value(), again.value()}, kTtft1000);
        const LevelComparison& level = theirs.value().comparisons.at(0).levels.at(0);
        QCOMPARE(believedText(level, "A", "B"), std::string("not checked"));
        const auto json = comparisonToJson(theirs.value());
        QVERIFY(json["levels"][0]["valid"]["a"].is_null() && json["levels"][0]["valid"]["b"].is_null());
        const Result<ComparedRuns> mixed = loadCompared(imported.store(), {ours, imported.id.value()}, kTtft1000);
        const LevelComparison& one = mixed.value().comparisons.at(0).levels.at(0);
        QCOMPARE(believedText(one, "A", "B"), std::string(one.validA ? "A, B not checked" : "not A, B not checked"));
        QVERIFY(!holds(comparisonMarkdown(mixed.value()), ".."));
    }

    void aPercentileThatIsNotToldDecidesNothing()
    {
        Imported imported(levelsOf(kSweep));
        const RunResults results = imported.results({{"ttft_ms", 95, 1000}});
        QVERIFY(!results.points[0].verdict.valid);
        QVERIFY(holds(results.points[0].verdict.reasons.at(1).text, "p95 TTFT"));
        QCOMPARE(results.operatingPoints.at(0).state, OperatingState::NoValidPoints);
        QCOMPARE(results.operatingPoints[0].sentence,
                 std::string("No level can be judged, so there is no operating point. Not judged: 8, 32, 64, because as "
                             "vLLM counts it is not told: p95 TTFT."));
    }

    void failuresThatMayBeMissesDecideNothing()
    {
        auto levels = levelsOf({"vllm-c8.json"});
        levels[0].figures.failed = 5; // of 1,005: the p99 of the successful ones is not that of all
        Imported some(levels);
        QVERIFY(!some.results().points[0].verdict.valid);
        const std::string sentence = some.results().operatingPoints.at(0).sentence;
        QVERIFY2(holds(sentence, "not told: p99 TTFT with the failed requests as misses"), sentence.c_str());
        levels[0].figures.failed = 50; // whatever their latencies, more than 1 % missed
        Imported many(levels);
        const PointSummary p = many.results().points[0];
        QVERIFY(p.verdict.valid);
        QVERIFY(!p.slo.met);
    }

    void theSameLevelTwiceMakesRepeats()
    {
        Imported imported(levelsOf({"vllm-c8.json", "vllm-c8.json"}), "theirs");
        const RunResults results = imported.results();
        QCOMPARE(results.points.size(), std::size_t(2));
        QCOMPARE(results.points[1].point.repeat, 1);
        QCOMPARE(results.points[1].point.test, std::string("theirs"));
    }

    void aRunIsOfOneTool()
    {
        Imported imported(levelsOf({"vllm-c8.json", "aiperf.json"}));
        QVERIFY(!imported.id.ok());
        QVERIFY(holds(imported.id.error().line(), "a run is of one tool"));
        QVERIFY(imported.store().listRuns().value().empty());
    }

    void reportAndFilesInventNothing()
    {
        for (const auto& names : {std::vector<const char*>{"vllm-c8.json"}, {"sglang.jsonl"}, {"guidellm.json"},
                                  {"aiperf.json"}, {"inference-perf-stage_0.json"}, {"llmperf_summary.json"}}) {
            Imported imported(levelsOf({names[0]}));
            QVERIFY2(imported.id.ok(), names[0]);
            const RunResults results = imported.results({});
            const nlohmann::ordered_json json = resultToJson(results);
            QVERIFY(json["matrix"].is_null() && json["plan"].is_null());
            QVERIFY(json["run"]["measured_by"] != "tailmark");
            QVERIFY(nlohmann::json::parse(json.dump()) == nlohmann::json(json)); // no NaN among the numbers
            const auto& length = json["points"][0]["lengths"]["prompt_tokens"];
            QVERIFY(length["mean"].is_number() && length["min"].is_null());
            QVERIFY(json["points"][0]["rates"]["offered_per_s"].is_null());
            std::ostringstream csv;
            writePointsCsv(results, csv);
            QVERIFY(!holds(csv.str(), "nan"));
            for (const std::string& report : {markdownReport(results), htmlReport(results)}) {
                QVERIFY(holds(report, "not by Tailmark"));
                QVERIFY(holds(report, "Where the figures come from"));
                QVERIFY(!holds(report, "How to run it again"));
                QVERIFY(!holds(report, "127.0.0.1:8000/v1")); // of the plan that nobody wrote
                QVERIFY(!holds(report, "nan"));
            }
        }
    }

    void oursIsCountedAsTheirsIs()
    {
        Imported imported(levelsOf(kSweep));
        const RunId ours = storeOurs(imported.store());
        const Result<ComparedRuns> compared = loadCompared(imported.store(), {ours, imported.id.value()}, kTtft1000);
        QVERIFY2(compared.ok(), compared.ok() ? "" : compared.error().line().c_str());
        const RunComparison& c = compared.value().comparisons.at(0);
        QVERIFY(!c.controlled());
        for (const char* part : {"Uncontrolled", "A is counted as B is, as vLLM counts: TTFT ends at the first event"})
            QVERIFY2(holds(c.conditions(), part), c.conditions().c_str());
        QCOMPARE(c.levels.size(), std::size_t(2));
        QCOMPARE(*c.levels[0].latencyA, 50.0);  // to the first event, as vLLM has it
        QCOMPARE(*c.levels[0].latencyB, 340.0);
        QVERIFY2(holds(c.conditions(), " more; "), c.conditions().c_str()); // not all of sixty in one sentence
        QVERIFY(std::any_of(c.differences.begin(), c.differences.end(), [](const Difference& d) {
            return d.key == "workload.lengths.prompt_tokens" && d.unknown && d.b == "unknown";
        }));
        // The other way round nothing changes but the letters.
        const Result<ComparedRuns> swapped = loadCompared(imported.store(), {imported.id.value(), ours}, kTtft1000);
        QVERIFY(swapped.ok());
        QCOMPARE(*swapped.value().comparisons[0].levels[0].latencyB, 50.0);
    }

    /// Also of two of ours, where a third run is of another tool: all are shown alike, and it is said how.
    void twoOfOursBesideATheirsAreCountedAlike()
    {
        Imported imported(levelsOf(kSweep));
        const RunId ours = storeOurs(imported.store()), again = storeOurs(imported.store());
        const Result<ComparedRuns> compared =
            loadCompared(imported.store(), {ours, again, imported.id.value()}, kTtft1000);
        QVERIFY(compared.ok());
        const RunComparison& c = compared.value().comparisons.at(0);
        QCOMPARE(*c.levels[0].latencyA, 50.0);
        QVERIFY2(holds(c.conditions(), "Both are counted as vLLM counts: TTFT ends at the first event"),
                 c.conditions().c_str());
        QVERIFY2(holds(compared.value().comparisons.at(1).conditions(), "A is counted as C is, as vLLM counts"),
                 compared.value().comparisons.at(1).conditions().c_str());
    }

    void toolsThatCountDifferentlyAreSaid()
    {
        Imported imported(levelsOf(kSweep));
        const Result<RunId> other = importForeignRun(imported.store(), "others", "", levelsOf({"guidellm.json"}));
        const Result<ComparedRuns> compared = loadCompared(imported.store(), {imported.id.value(), other.value()});
        const RunComparison& c = compared.value().comparisons.at(0);
        QVERIFY2(holds(c.conditions(), "The definitions differ: A as vLLM counts"), c.conditions().c_str());
        QVERIFY(!c.controlled());
        QVERIFY(std::any_of(c.differences.begin(), c.differences.end(),
                            [](const Difference& d) { return d.key == "workload" && d.unknown; }));
    }

    void twoRunsOfWhichNothingIsToldAreNoRepeat()
    {
        Imported imported(levelsOf({"sglang.jsonl"}));
        const Result<RunId> other = importForeignRun(imported.store(), "again", "", levelsOf({"sglang.jsonl"}));
        const Result<ComparedRuns> compared = loadCompared(imported.store(), {imported.id.value(), other.value()});
        const std::string text = compared.value().comparisons.at(0).conditions();
        QVERIFY2(text.starts_with("Nothing that is known differs; ") && holds(text, "Both as SGLang counts"),
                 text.c_str());
    }

    void theBoundStandsOnLittlesMean()
    {
        Imported imported(levelsOf(kSweep));
        const RunResults results = imported.results();
        // 43.8 requests/s x 734.2 ms
        QVERIFY(std::fabs(results.points[1].meanInFlight - 32.16) < 0.01);
    }
};

QTEST_GUILESS_MAIN(ForeignRunTest)
#include "tst_foreign_run.moc"
