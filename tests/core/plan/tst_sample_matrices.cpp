// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan.h"
#include "plan/plan_json.h"
#include "plan/validate.h"

#include <QtTest>

#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

const QString kFolder = QStringLiteral(TAILMARK_SOURCE_DIR "/resources/matrices");

std::string pathOf(const QString& name)
{
    return (kFolder + '/' + name).toStdString();
}

std::set<TestKind> kindsOf(const Matrix& matrix)
{
    std::set<TestKind> kinds;
    for (const Test& test : matrix.tests)
        kinds.insert(test.kind);
    return kinds;
}

} // namespace

class SampleMatricesTest : public QObject
{
    Q_OBJECT

private slots:
    void everySampleLoadsAndIsValid_data()
    {
        QTest::addColumn<QString>("name");
        for (const QString& name : QDir(kFolder).entryList({"*.json"}, QDir::Files))
            QTest::newRow(qPrintable(name)) << name;
    }
    void everySampleLoadsAndIsValid()
    {
        QFETCH(QString, name);
        QVERIFY(name.endsWith(".tailmark.json"));
        const Result<Matrix> matrix = loadMatrix(pathOf(name));
        QVERIFY2(matrix.ok(), matrix ? "" : matrix.error().line().c_str());
        for (const Finding& finding : validate(matrix.value()))
            QVERIFY2(finding.severity == Finding::Severity::Remark,
                     (finding.path + ": " + finding.message).c_str());
        const Result<Plan> plan = expand(matrix.value());
        QVERIFY2(plan.ok(), plan ? "" : plan.error().line().c_str());
        const auto back = planFromJson(nlohmann::json::parse(planToJson(plan.value()).dump()));
        QVERIFY(back.ok());
        QVERIFY(back.value() == plan.value());
    }

    void everySampleStatesItsPolicies_data() { everySampleLoadsAndIsValid_data(); }
    void everySampleStatesItsPolicies()
    {
        QFETCH(QString, name);
        std::ifstream file(pathOf(name));
        const nlohmann::json json = nlohmann::json::parse(file);
        QVERIFY(json["workload"].contains("cache"));
        QVERIFY(json["workload"]["cache"] != "as_is");
        QVERIFY(json["workload"].contains("output"));
        QVERIFY(json["measurement"].contains("failure_denominator"));
        QVERIFY(!json["slo"].empty());
    }

    void theDemoIsAboutTwoMinutes()
    {
        const Matrix matrix = loadMatrix(pathOf("demo.tailmark.json")).value();
        QVERIFY((kindsOf(matrix) == std::set<TestKind>{TestKind::ConcurrencySweep, TestKind::ArrivalSweep}));
        const Plan plan = expand(matrix).value();
        double drains = 0; // at most
        std::size_t levels = 0;
        for (const PointPlan& point : plan.points) {
            drains += point.drainS;
            levels += point.kind == TestKind::ConcurrencySweep;
        }
        QVERIFY(levels >= 8);
        QVERIFY(estimatedSeconds(plan) >= 60 && estimatedSeconds(plan) + drains <= 150);
    }

    /// Else its operating point would have no interval, and two of them no ratio that can be believed.
    void thePercentileOfTheDemoHasItsSamples()
    {
        const Matrix matrix = loadMatrix(pathOf("demo.tailmark.json")).value();
        constexpr double kFewestPerS = 37; // what the simulated engines answer where they cross the limit
        for (const SloLimit& limit : matrix.slo)
            QVERIFY(samplesForPercentile(limit.percentile) <= kFewestPerS * matrix.measurement.durationS);
    }

    void theRecommendedOneHasOneTestOfEachKind()
    {
        const Matrix matrix = loadMatrix(pathOf("recommended.tailmark.json")).value();
        QCOMPARE(matrix.tests.size(), std::size_t{5});
        QCOMPARE(kindsOf(matrix).size(), std::size_t{5});
        for (const Test& test : matrix.tests) // that one needs a target that is not up yet
            QCOMPARE(test.enabled, test.kind != TestKind::ColdStart);
        for (const Finding& finding : validate(matrix)) // only what low rates and a first try cannot avoid
            QVERIFY2(QString::fromStdString(finding.message).contains("needs about"),
                     finding.message.c_str());
    }
};

QTEST_GUILESS_MAIN(SampleMatricesTest)
#include "tst_sample_matrices.moc"
