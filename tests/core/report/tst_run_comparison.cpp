// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QtTest>

#include "report/report.h"
#include "report/run_comparison.h"
#include "result_fixture.h"

#include <nlohmann/json.hpp>

using namespace tailmark;
using namespace tailmark::test;

namespace {

/// The fixture's sweep, its latencies multiplied: another speed.
StoredFixture fixtureOf(const std::string& name, double slower = 1)
{
    StoredFixture f = sweepFixture();
    f.run.info.name = name;
    const double ttft[] = {100, 400, 1600};
    for (std::size_t i = 0; i < 3; ++i)
        f.batches[i] = levelRecords(ttft[i] * slower);
    return f;
}

/// What a burst of four times the rate does when the queue takes so long to empty.
StoredFixture burstFixture(const std::string& name, int queueS)
{
    StoredFixture f = sweepFixture();
    f.run.info.name = name;
    f.run.points.resize(1);
    f.run.plan.points.resize(1);
    f.run.plan.matrix.tests = {Test()};
    f.run.plan.matrix.tests[0].kind = TestKind::BurstRecovery;
    PointPlan& point = f.run.points[0].point;
    point.test = "burst_recovery";
    point.kind = TestKind::BurstRecovery;
    point.concurrency = 0;
    point.load = {LoadAxis::RatePerS, 20};
    point.phases = {{"baseline", 5, 11}, {"burst", 20, 10}, {"recovery", 5, 30}};
    point.durationS = 50;
    f.run.plan.points[0] = point;
    f.run.points[0].facts.endedS = 55;
    RecordBuilder b;
    for (int i = 0; i < 51 * 5; ++i) { // with the burst: each of its seconds 15 more
        const double at = 200.0 * i;
        const bool late = at >= 11'000 && at < 21'000 + 1000 * queueS;
        b.completed(at, late ? 3000 : 50, late ? 3100 : 150, 4);
        for (int more = 0; more < 3 && at >= 11'000 && at < 21'000; ++more)
            b.completed(at + 50 * (more + 1), 3000, 3100, 4);
    }
    f.batches = {std::move(b.batch)};
    return f;
}

} // namespace

class RunComparisonTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_store.emplace(Store::open(m_dir->filePath(QStringLiteral("runs.sqlite")).toStdString()));
        QVERIFY(m_store->ok());
    }

    void runsAgainstTheFirst()
    {
        const RunId a = stored(fixtureOf("base"));
        const RunId b = stored(fixtureOf("same"));
        const RunId c = stored(fixtureOf("slower", 1.5));
        const Result<ComparedRuns> loaded = loadCompared(store(), {a, b, c});
        QVERIFY(loaded.ok());
        const ComparedRuns& compared = loaded.value();
        QCOMPARE(compared.comparisons.size(), std::size_t(2));
        QCOMPARE(compared.comparisons[0].nameB, std::string("B"));
        QCOMPARE(compared.comparisons[1].nameB, std::string("C"));
        QCOMPARE(*compared.comparisons[1].levels[0].latencyRatio, 1.5);
        QVERIFY(compared.comparisons[0].pairing == Pairing::Apart);
        const auto json = comparisonToJson(compared);
        QVERIFY(json["baseline"]["id"] == a.value);
        QVERIFY(json["comparisons"][1]["b"]["name"] == "slower");
        QVERIFY(json["comparisons"][0]["capacities"][0]["distinguishable"].is_null()); // 300 requests bound no p99
    }

    void twoRunsAreOneObject()
    {
        const RunId a = stored(fixtureOf("base"));
        const RunId b = stored(fixtureOf("slower", 1.5));
        const auto json = comparisonToJson(loadCompared(store(), {a, b}).value());
        for (const char* key : {"a", "b", "controlled", "sentence", "paired", "same_requests", "differences", "levels",
                                "capacities", "figures"})
            QVERIFY2(json.contains(key), key);
        QVERIFY(json["same_requests"].is_null()); // nobody kept a hash of them
        const auto& capacity = json["capacities"][0];
        const double ratio = capacity["ratio"];
        QCOMPARE(capacity["throughput_gained_percent"].get<double>(), 100 * (ratio - 1));
        QCOMPARE(capacity["time_saved_percent"].get<double>(), 100 * (1 - 1 / ratio));
    }

    void theLimitsOfTheFirstHoldForAll()
    {
        const RunId a = stored(fixtureOf("base"));
        StoredFixture other = fixtureOf("other");
        other.run.plan.matrix.slo = {{"ttft_ms", 99, 200}};
        const RunId b = stored(other);
        const ComparedRuns compared = loadCompared(store(), {a, b}).value();
        QVERIFY(compared.runs[1].slo == compared.runs[0].slo);
        const ComparedRuns given = loadCompared(store(), {a, b}, {{"ttft_ms", 50, 300}}).value();
        QCOMPARE(given.runs[1].slo[0].limit, 300.0);
    }

    void oneRunTwiceIsRefused()
    {
        const RunId a = stored(fixtureOf("base"));
        const RunId b = stored(fixtureOf("other"));
        for (const std::vector<RunId>& runs : {std::vector{a, a}, std::vector{a, b, a}, std::vector{a}}) {
            const Result<ComparedRuns> compared = loadCompared(store(), runs);
            QVERIFY(!compared.ok());
            QCOMPARE(compared.error().code, ErrorCode::BadInput);
        }
        QVERIFY(!loadCompared(store(), {a, RunId{77}}).ok());
    }

    void runsOfAPairAreComparedAsOne()
    {
        const RunId a = stored(fixtureOf("base"));
        const RunId b = stored(fixtureOf("beside", 1.5));
        QVERIFY(store().pairRuns(a, b).ok());
        const ComparedRuns compared = loadCompared(store(), {a, b}).value();
        QVERIFY(compared.comparisons[0].pairing == Pairing::Paired);
        QVERIFY(compared.comparisons[0].conditions().find("paired, level by level") != std::string::npos);
        QVERIFY(comparisonToJson(compared)["paired"] == true);
        QVERIFY(comparisonToJson(compared)["a"]["paired_with"] == b.value);
    }

    void sameRequestsByTheirHash()
    {
        StoredFixture one = fixtureOf("one"), two = fixtureOf("two"), three = fixtureOf("three");
        one.run.environment["requests"] = {{"sha256", "a"}, {"prompts_sha256", "p"}};
        two.run.environment["requests"] = {{"sha256", "a"}, {"prompts_sha256", "p"}};
        three.run.environment["requests"] = {{"sha256", "c"}, {"prompts_sha256", "q"}};
        StoredFixture four = fixtureOf("four");
        four.run.environment["requests"] = {{"sha256", "d"}, {"prompts_sha256", "p"}};
        const RunId a = stored(one), b = stored(two), c = stored(three), d = stored(four);
        const ComparedRuns compared = loadCompared(store(), {a, b, c, d}).value();
        QVERIFY(compared.comparisons[0].sameRequests == SameRequests::Yes);
        QVERIFY(compared.comparisons[0].conditions().ends_with("; same requests"));
        QVERIFY(compared.comparisons[1].sameRequests == SameRequests::No);
        QVERIFY(compared.comparisons[2].conditions().ends_with("; same prompts, lengths and times"));
    }

    void burstsSideBySide()
    {
        const RunId a = stored(burstFixture("quick", 2));
        const RunId b = stored(burstFixture("slow", 40));
        const auto json = comparisonToJson(loadCompared(store(), {a, b}).value());
        const auto figure = [&](const char* id) {
            for (const auto& row : json["figures"])
                if (row["figure"] == id)
                    return row;
            return nlohmann::ordered_json();
        };
        QVERIFY(figure("latency_recovered_s")["a"].is_number());
        QVERIFY(figure("latency_recovered_s")["b"].is_null()); // not within the recovery
        QVERIFY(figure("peak_backlog")["a"].is_number());
        QVERIFY(figure("burst_ttft_intended_ms_p99")["b"] == 3000.0);
        const std::string md = comparisonMarkdown(loadCompared(store(), {a, b}).value());
        QVERIFY(md.find("not within the 30 s of recovery") != std::string::npos);
    }

    void reportIsOneFileThatTellsAll()
    {
        const RunId a = stored(fixtureOf("base <b>"));
        StoredFixture other = fixtureOf("slower", 1.5);
        other.run.card.type("quantization", "fp8");
        other.run.plan.matrix.workload.seed = 9;
        const RunId b = stored(other);
        const ComparedRuns compared = loadCompared(store(), {a, b}).value();
        const QString html = QString::fromStdString(comparisonHtml(compared));
        QVERIFY(html.startsWith("<!DOCTYPE html>"));
        QCOMPARE(html.count("<svg "), qsizetype(1));
        QVERIFY(!html.contains("<script") && !html.contains("<b>"));
        for (const char* part : {"A (base &lt;b&gt;)", "B (slower)", "Uncontrolled: ", "workload.seed",
                                 "card.quantization", "not distinguishable", "Whether the two differ cannot be said",
                                 "Capacity at the SLO", "How it was compared"})
            QVERIFY2(html.contains(part), part);
        const QString md = QString::fromStdString(comparisonMarkdown(compared));
        QVERIFY(md.startsWith("# Comparison"));
        QVERIFY(md.contains("workload.seed"));
    }

    void lettersOfRuns()
    {
        QCOMPARE(runLetter(0), std::string("A"));
        QCOMPARE(runLetter(25), std::string("Z"));
        QCOMPARE(runLetter(26), std::string("AA"));
    }

private:
    Store& store() { return m_store->value(); }
    RunId stored(const StoredFixture& fixture)
    {
        const StoredRun& run = fixture.run;
        const RunId id = store().createRun(run.info.name, run.plan, run.card, run.environment).value();
        bool ok = true;
        for (std::size_t i = 0; i < run.points.size(); ++i) {
            const StoredPoint& point = run.points[i];
            ok &= store().startPoint(id, point.point, "2026-01-31T12:00:00.000Z").ok();
            ok &= store().appendRecords(id, point.point.index, fixture.batches[i]).ok();
            ok &= store().finishPoint(id, point.point.index, point.facts).ok();
        }
        ok &= store().finishRun(id, RunState::Done).ok();
        return ok ? id : RunId();
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::optional<Result<Store>> m_store;
};

QTEST_GUILESS_MAIN(RunComparisonTest)
#include "tst_run_comparison.moc"
