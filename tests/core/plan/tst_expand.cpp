// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <set>

using namespace tailmark;

namespace {

Test testOf(TestKind kind, const std::string& name = {})
{
    Test test;
    test.kind = kind;
    test.name = name;
    return test;
}

Matrix twoSweeps()
{
    Matrix m;
    m.tests = {testOf(TestKind::ConcurrencySweep, "c"), testOf(TestKind::ArrivalSweep, "a")};
    m.tests[0].levels = {1, 2, 4};
    m.tests[1].ratesPerS = {0.5, 8};
    m.measurement.repeats = 2;
    return m;
}

/// "c1/0 c2/0 …": test, load, repeat.
QString order(const Plan& plan)
{
    QStringList list;
    for (const PointPlan& point : plan.points)
        list << QString::fromStdString(point.test) + QString::number(point.load.value) + '/' +
                    QString::number(point.repeat);
    return list.join(' ');
}

using Place = std::tuple<std::string, double, int>;

std::map<Place, PointSeeds> seedsByPlace(const Matrix& matrix)
{
    std::map<Place, PointSeeds> seeds;
    for (const PointPlan& point : expand(matrix).value().points)
        seeds[{point.test, point.load.value, point.repeat}] = point.seeds;
    return seeds;
}

} // namespace

class ExpandTest : public QObject
{
    Q_OBJECT

private slots:
    void orders()
    {
        Matrix m = twoSweeps();
        QCOMPARE(order(expand(m).value()), "c1/0 c2/0 c4/0 c1/1 c2/1 c4/1 a0.5/0 a8/0 a0.5/1 a8/1");
        m.measurement.order = PointOrder::Interleaved;
        QCOMPARE(order(expand(m).value()), "c1/0 a0.5/0 c2/0 a8/0 c4/0 c1/1 a0.5/1 c2/1 a8/1 c4/1");
        m.measurement.order = PointOrder::Shuffled;
        const QString shuffled = order(expand(m).value());
        QCOMPARE(order(expand(m).value()), shuffled);
        QStringList sorted = shuffled.split(' '),
                    whole =
                        QStringLiteral("c1/0 a0.5/0 c2/0 a8/0 c4/0 c1/1 a0.5/1 c2/1 a8/1 c4/1").split(' ');
        // Each repeat is a block of its own.
        QVERIFY(std::is_sorted(sorted.begin(), sorted.end(),
                               [](const QString& a, const QString& b) { return a.back() < b.back(); }));
        QVERIFY(sorted != whole);
        sorted.sort();
        whole.sort();
        QCOMPARE(sorted, whole);

        std::set<QString> orders;
        for (m.workload.seed = 0; m.workload.seed < 50; ++m.workload.seed)
            orders.insert(order(expand(m).value()));
        QVERIFY(orders.size() > 40); // of 120 × 120
    }

    void indexIsThePosition()
    {
        const Plan plan = expand(twoSweeps()).value();
        for (std::size_t i = 0; i < plan.points.size(); ++i)
            QCOMPARE(plan.points[i].index.value, static_cast<std::int32_t>(i));
    }

    void aPointIsResolved()
    {
        Matrix m = twoSweeps();
        m.tests[0].thinkTimeS = 0.5;
        m.tests[0].thinkTime = ThinkTime::Exponential;
        m.tests[1].process = ArrivalProcess::Gamma;
        m.tests[1].cv = 2;
        m.measurement.maxRequests = 99;
        m.workload.prefix = {PrefixKind::Shared, 16, 2, 0.5};
        m.workload.cache = CachePolicy::Cold;
        const Plan plan = expand(m).value();
        const PointPlan& closed = plan.points[2];
        QVERIFY((closed.load == Load{LoadAxis::Concurrency, 4}));
        QVERIFY(!closed.openLoop());
        QCOMPARE(closed.concurrency, 4);
        QCOMPARE(closed.thinkTimeS, 0.5);
        QCOMPARE(closed.thinkTime, ThinkTime::Exponential);
        QCOMPARE(closed.warmupS, 5.0);
        QCOMPARE(closed.durationS, 30.0);
        QCOMPARE(closed.drainS, 30.0);
        QCOMPARE(closed.cooldownS, 2.0);
        QCOMPARE(closed.maxRequests, std::int64_t{99});
        QVERIFY(closed.lengths == m.workload.lengths);
        QVERIFY(closed.prefix == m.workload.prefix);
        QCOMPARE(closed.output, OutputPolicy::Forced);
        QCOMPARE(closed.cache, CachePolicy::Cold);
        const PointPlan& open = plan.points[6];
        QVERIFY((open.load == Load{LoadAxis::RatePerS, 0.5}));
        QVERIFY(open.openLoop());
        QVERIFY((open.phases == std::vector<Phase>{{"steady", 0.5, 35}}));
        QCOMPARE(open.process, ArrivalProcess::Gamma);
        QCOMPARE(open.cv, 2.0);
        QCOMPARE(open.testIndex, 1);
        QCOMPARE(open.kind, TestKind::ArrivalSweep);
    }

    void fixedShapeHasItsOwnLengths()
    {
        Matrix m;
        m.workload.lengths = fileLengths(LengthsKind::Trace, "trace.csv", "azure");
        m.tests = {testOf(TestKind::FixedShape)};
        m.tests[0].promptTokens = 1000;
        m.tests[0].outputTokens = 10;
        m.tests[0].concurrency = 3;
        const Plan plan = expand(m).value();
        QCOMPARE(plan.points.size(), std::size_t{1});
        QVERIFY((plan.points[0].lengths == fixedLengths(1000, 10)));
        QCOMPARE(plan.points[0].concurrency, 3);
        QVERIFY((plan.points[0].load == Load{LoadAxis::Concurrency, 3}));
    }

    void burstIsOnePointOfThreePhases()
    {
        Matrix m;
        m.tests = {testOf(TestKind::BurstRecovery)};
        const Plan plan = expand(m).value();
        QCOMPARE(plan.points.size(), std::size_t{1});
        const PointPlan& point = plan.points[0];
        QVERIFY((point.load == Load{LoadAxis::RatePerS, 20}));
        QVERIFY((point.phases ==
                 std::vector<Phase>{{"baseline", 4, 25}, {"burst", 20, 20}, {"recovery", 4, 60}}));
        QCOMPARE(point.warmupS, 5.0);
        QCOMPARE(point.durationS, 100.0);
        QCOMPARE(expectedRequests(point).value(), 4 * 25 + 20 * 20 + 4 * 60.0);
    }

    void seedsBelongToTestLoadAndRepeat()
    {
        const Matrix m = twoSweeps();
        const auto seeds = seedsByPlace(m);
        Matrix changed = m;
        changed.measurement.order = PointOrder::Shuffled;
        changed.measurement.durationS = 7;
        changed.measurement.repeats = 3;
        changed.name = "other";
        changed.target.baseUrl = "http://elsewhere:1/v1";
        changed.tests.insert(changed.tests.begin(), testOf(TestKind::FixedShape));
        changed.tests[1].levels = {2, 3, 4};
        changed.tests[2].enabled = true;
        const auto after = seedsByPlace(changed);
        int same = 0;
        for (const auto& [place, point] : seeds) {
            const auto it = after.find(place);
            if (it == after.end())
                continue;
            QVERIFY(it->second == point);
            ++same;
        }
        QCOMPARE(same, 8); // all but level 1, twice

        Matrix reseeded = m;
        reseeded.workload.seed = 2;
        for (const auto& [place, point] : seedsByPlace(reseeded))
            QVERIFY(!(point == seeds.at(place)));
    }

    void everySeedIsItsOwnAndFitsIntoADouble()
    {
        std::set<std::uint64_t> all;
        std::size_t count = 0;
        for (const auto& [place, s] : seedsByPlace(twoSweeps())) {
            for (const std::uint64_t seed : {s.arrivals, s.lengths, s.prompts, s.thinkTimes}) {
                all.insert(seed);
                ++count;
                QVERIFY(seed < (1ULL << 53));
            }
        }
        QCOMPARE(all.size(), count);
    }

    void seedsAreTheSameOnEveryMachine()
    {
        Matrix m;
        m.tests = {testOf(TestKind::ConcurrencySweep)};
        m.tests[0].levels = {1};
        const PointSeeds seeds = expand(m).value().points[0].seeds;
        QCOMPARE(seeds.arrivals, std::uint64_t{3'003'561'611'524'777});
    }

    void onlySomeTests()
    {
        Matrix m = twoSweeps();
        m.measurement.repeats = 1;
        QCOMPARE(order(expand(m, {"a"}).value()), "a0.5/0 a8/0");
        QCOMPARE(order(expand(m, {"a", "c"}).value()), "c1/0 c2/0 c4/0 a0.5/0 a8/0");
        // What is left of a plan is what it would have been in the whole one.
        QVERIFY(expand(m, {"a"}).value().points[0].seeds == expand(m).value().points[3].seeds);
        const auto unknown = expand(m, {"x"});
        QVERIFY(!unknown.ok());
        QCOMPARE(unknown.error().code, ErrorCode::BadInput);
        QCOMPARE(QString::fromStdString(unknown.error().line()),
                 "tests: there is no enabled test \"x\"; there are: c, a");
        m.tests[1].enabled = false;
        QVERIFY(!expand(m, {"a"}).ok());
        QCOMPARE(order(expand(m).value()), "c1/0 c2/0 c4/0");
        m.tests[0].enabled = false;
        QVERIFY(!expand(m).ok());
    }

    void errorsOfTheMatrix()
    {
        Matrix m = twoSweeps();
        m.tests[1].ratesPerS[1] = -1;
        const auto plan = expand(m);
        QVERIFY(!plan.ok());
        QCOMPARE(plan.error().where, std::string("tests[1].rates_per_s[1]"));
        QVERIFY(!expand(Matrix()).ok());
    }

    void names()
    {
        std::vector<Test> tests = {
            testOf(TestKind::ConcurrencySweep), testOf(TestKind::ArrivalSweep),
            testOf(TestKind::ConcurrencySweep), testOf(TestKind::ConcurrencySweep, "mine"),
            testOf(TestKind::ConcurrencySweep), testOf(TestKind::ArrivalSweep, "concurrency_sweep#2")};
        QVERIFY((testNames(tests) == std::vector<std::string>{"concurrency_sweep", "arrival_sweep",
                                                              "concurrency_sweep#3", "mine",
                                                              "concurrency_sweep#4", "concurrency_sweep#2"}));
        tests[0].enabled = false;
        QCOMPARE(testNames(tests)[2], std::string("concurrency_sweep#3"));
    }

    void estimates()
    {
        Matrix m = twoSweeps();
        const Plan plan = expand(m).value();
        QCOMPARE(estimatedSeconds(plan), 10 * (5 + 30 + 2.0));
        QVERIFY(!expectedRequests(plan.points[0]).has_value());
        QCOMPARE(expectedRequests(plan.points[6]).value(), 0.5 * 35);
        m.measurement.maxRequests = 10;
        QCOMPARE(expectedRequests(expand(m).value().points[6]).value(), 10.0);
    }
};

QTEST_GUILESS_MAIN(ExpandTest)
#include "tst_expand.moc"
