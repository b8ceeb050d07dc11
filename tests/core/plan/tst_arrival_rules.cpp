// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_json.h"
#include "plan/validate.h"

#include <QRegularExpression>
#include <QtTest>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

Matrix matrixOf(TestKind kind)
{
    Matrix m;
    m.workload.cache = CachePolicy::Cold;
    m.tests.emplace_back();
    m.tests.back().kind = kind;
    return m;
}

Matrix replay()
{
    Matrix m = matrixOf(TestKind::ArrivalSweep);
    m.workload.lengths = fileLengths(LengthsKind::Trace, "log.csv");
    m.tests[0].process = ArrivalProcess::Recorded;
    return m;
}

QStringList said(const Matrix& matrix, Finding::Severity severity)
{
    QStringList list;
    for (const Finding& finding : validate(matrix))
        if (finding.severity == severity)
            list << QString::fromStdString(finding.path + ": " + finding.message);
    return list;
}

QStringList errors(const Matrix& matrix)
{
    return said(matrix, Finding::Severity::Error);
}

PointPlan onlyPoint(const Matrix& matrix)
{
    return expand(matrix).value().points.at(0);
}

} // namespace

class ArrivalRulesTest : public QObject
{
    Q_OBJECT

private slots:
    void fewLargeBurstsMakeTheNumberOfRequestsAMatterOfChance()
    {
        Matrix m = matrixOf(TestKind::ArrivalSweep);
        m.tests[0].ratesPerS = {10, 1000};
        const auto remark = [&](const QString& path) {
            return said(m, Finding::Severity::Remark).filter(QRegularExpression("^" + QRegularExpression::escape(path))).join('|');
        };
        m.tests[0].process = ArrivalProcess::Gamma;
        m.tests[0].cv = 8;
        QCOMPARE(remark("tests[0].cv"),
                 QString("tests[0].cv: is 8: the number of requests at 10/s in 30 s, 300, has a standard deviation of 46 % "
                         "(1 of 2 rates above 10 %), and a point that is offered more than 20 % off its rate is not "
                         "believed; a longer window narrows it"));
        m.tests[0].cv = 1.5;
        QCOMPARE(remark("tests[0].cv"), QString());
        m.tests[0].process = ArrivalProcess::Poisson;
        m.tests[0].cv = 8; // not of this process
        QCOMPARE(remark("tests[0].cv"), QString());
        m.tests[0].fanOut = 16;
        QVERIFY(remark("tests[0].fan_out").contains("standard deviation of 23 %"));
        m.tests[0].process = ArrivalProcess::Constant;
        QCOMPARE(remark("tests[0].fan_out"), QString()); // 16 of 300
        m.tests[0].fanOut = 64;
        QVERIFY(remark("tests[0].fan_out").contains("standard deviation of 21 %"));
    }

    void aLogIsNeeded()
    {
        Matrix m = replay();
        QCOMPARE(errors(m), QStringList());
        m.workload.lengths = fixedLengths(100, 10);
        QCOMPARE(errors(m), QStringList{"tests[0].process: \"recorded\" needs the log that workload.lengths names: its "
                                        "kind must be \"trace\""});
        m = matrixOf(TestKind::ConcurrencySweep);
        m.tests[0].thinkTime = ThinkTime::Trace;
        QCOMPARE(errors(m), QStringList{"tests[0].think_time: needs the log that workload.lengths names: its kind must "
                                        "be \"trace\""});
        m.workload.lengths = fileLengths(LengthsKind::Trace, "log.csv");
        QCOMPARE(errors(m), QStringList());
    }

    void aStretchOfTheLog()
    {
        Matrix m = replay();
        m.tests[0].recorded = {100, 50, 0};
        QCOMPARE(errors(m), QStringList{"tests[0].recorded.to_s: must be above from_s (100), or 0 for the end of the "
                                        "log; is 50"});
        m.tests[0].recorded = {100, 0, 0};
        QCOMPARE(errors(m), QStringList());
        QCOMPARE(onlyPoint(m).recorded, m.tests[0].recorded);
        m.tests[0].process = ArrivalProcess::Poisson;
        QCOMPARE(onlyPoint(m).recorded, RecordedArrivals());
    }

    void aTimeScaleHasOneRate()
    {
        Matrix m = replay();
        m.tests[0].recorded.timeScale = 2;
        QCOMPARE(errors(m), QStringList{"tests[0].rates_per_s: must be one rate, that of the log, where "
                                        "recorded.time_scale says how fast it runs"});
        m.tests[0].ratesPerS = {5};
        QCOMPARE(errors(m), QStringList());
        QVERIFY(said(m, Finding::Severity::Remark).filter("levels").isEmpty());
        m = replay();
        m.tests[0].kind = TestKind::BurstRecovery;
        m.tests[0].recorded.timeScale = 2;
        QCOMPARE(errors(m), QStringList{"tests[0].recorded.time_scale: must be 0 here: the phases have their own rates"});
    }

    void shapes()
    {
        Matrix m = matrixOf(TestKind::ArrivalSweep);
        m.measurement.durationS = 40;
        m.tests[0].shape = {{0, 0.5}, {40, 1.5}};
        QCOMPARE(errors(m), QStringList());
        QVERIFY(said(m, Finding::Severity::Remark).filter("shape").isEmpty());
        QVERIFY(onlyPoint(m).shape == m.tests[0].shape);
        m.tests[0].shape = {{0, 0.5}, {20, 1.5}, {10, 1}};
        QCOMPARE(errors(m), QStringList{"tests[0].shape[2].at_s: must not be below the one before it (20), is 10"});
        m.tests[0].shape = {{0, 0}, {20, 0}};
        QCOMPARE(errors(m), QStringList{"tests[0].shape: must have a factor above 0"});
        m.tests[0].shape = {{0, 0}, {40, 1}};
        QVERIFY(said(m, Finding::Severity::Remark)
                    .contains("tests[0].shape: has a mean factor of 0.5 over the window: a level's mean rate is its "
                              "rate times that"));
        m.tests[0].shape = {{0, 1'000}};
        m.tests[0].ratesPerS = {1'000};
        QCOMPARE(errors(m), QStringList{"tests[0].rates_per_s[0]: makes 45,000,000 requests in one point; at most "
                                        "5,000,000"});
    }

    void variationAndFanOutReachThePoint()
    {
        Matrix m = matrixOf(TestKind::BurstRecovery);
        m.tests[0].process = ArrivalProcess::Weibull;
        m.tests[0].cv = 3;
        m.tests[0].fanOut = 4;
        QCOMPARE(onlyPoint(m).cv, 3.0);
        QCOMPARE(onlyPoint(m).fanOut, 4);
        m.tests[0].fanOut = 0;
        QCOMPARE(errors(m), QStringList{"tests[0].fan_out: must be a whole number from 1 to 1,024 requests, is 0"});
    }

    void aColdStartComesFirstAndOnce()
    {
        Matrix m = matrixOf(TestKind::FixedShape);
        m.tests.emplace_back();
        m.tests.back().kind = TestKind::ColdStart;
        m.tests.back().requests = 12;
        m.tests.back().timeoutS = 60;
        m.measurement.repeats = 3;
        for (const PointOrder order : {PointOrder::Sequential, PointOrder::Interleaved, PointOrder::Shuffled}) {
            m.measurement.order = order;
            const Plan plan = expand(m).value();
            QCOMPARE(plan.points.size(), std::size_t{4});
            QCOMPARE(plan.points[0].kind, TestKind::ColdStart);
            QCOMPARE(plan.points[0].concurrency, 1);
            QCOMPARE(plan.points[0].maxRequests, 12);
            QCOMPARE(plan.points[0].warmupS, 0.0);
            QCOMPARE(plan.points[0].durationS, 60.0);
            QCOMPARE(plan.points[0].load.value, 1.0);
            for (std::size_t i = 1; i < 4; ++i)
                QCOMPARE(plan.points[i].kind, TestKind::FixedShape);
            QCOMPARE(estimatedSeconds(plan), 3 * (5 + 30 + 2.0));
        }
        QVERIFY(!said(m, Finding::Severity::Remark).filter("tests[1].command: is empty").isEmpty());

        m.tests.push_back(m.tests[1]);
        QCOMPARE(errors(m), QStringList{"tests[2].kind: is a second cold start beside tests[1]; only the first test of a "
                                        "run finds the target cold"});
        m.tests[2].enabled = false;
        QCOMPARE(errors(m), QStringList());
        m.tests[1].command = {"", "serve"};
        QCOMPARE(errors(m), QStringList{"tests[1].command[0]: must be the name of a program"});
        m.tests[1].command = {"engine"};
        m.tests[1].requests = 5;
        QCOMPARE(errors(m), QStringList{"tests[1].requests: must be a whole number from 6 to 1,000, is 5"});
    }

    void theFileHoldsAllOfIt()
    {
        Matrix m = replay();
        m.tests[0].ratesPerS = {5};
        m.tests[0].recorded = {10, 250.5, 2};
        m.tests[0].fanOut = 3;
        m.tests[0].shape = {{0, 0.5}, {3.5, 2}};
        m.tests.emplace_back();
        m.tests[1].thinkTime = ThinkTime::Trace;
        m.tests[1].thinkTimeS = 2;
        m.tests.emplace_back();
        m.tests[2].kind = TestKind::ColdStart;
        m.tests[2].requests = 9;
        m.tests[2].command = {"engine", "serve", "--port", "8000"};
        m.tests[2].keepRunning = true;
        m.tests[2].timeoutS = 60;
        const Result<Matrix> back = matrixFromText(matrixToJson(m).dump(), "m.json");
        QVERIFY2(back.ok(), back ? "" : back.error().line().c_str());
        QVERIFY(back.value() == m);
        const Plan plan = expand(m).value();
        const Result<Plan> planBack = planFromJson(nlohmann::json::parse(planToJson(plan).dump()));
        QVERIFY(planBack.ok());
        QVERIFY(planBack.value() == plan);
    }

    void everyKeyHasItsWords()
    {
        for (const char* key : {"tests.fan_out", "tests.recorded.from_s", "tests.recorded.to_s",
                                "tests.recorded.time_scale", "tests.shape.at_s", "tests.shape.factor",
                                "tests.requests", "tests.command", "tests.keep_running", "tests.timeout_s"})
            QVERIFY2(!allowedAt(key).empty(), key);
    }
};

QTEST_GUILESS_MAIN(ArrivalRulesTest)
#include "tst_arrival_rules.moc"
