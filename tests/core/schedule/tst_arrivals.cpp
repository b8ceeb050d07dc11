// SPDX-License-Identifier: GPL-3.0-or-later
#include "arrival_statistics.h"

#include <QtTest>

using namespace tailmark;
using namespace tailmark::test;

class ArrivalsTest : public QObject
{
    Q_OBJECT

private slots:
    void constantIsExact()
    {
        const auto arrivals = makeArrivals(openLoop(ArrivalProcess::Constant, {{"steady", 4, 3}}));
        QCOMPARE(arrivals.size(), std::size_t{12});
        for (std::size_t i = 0; i < arrivals.size(); ++i)
            QCOMPARE(arrivals[i].intended, Nanoseconds(static_cast<std::int64_t>(i) * 250'000'000));
    }

    void constantDoesNotDrift()
    {
        const auto fast = makeArrivals(openLoop(ArrivalProcess::Constant, {{"steady", 200, 5}}));
        QCOMPARE(fast.size(), std::size_t{1000});
        QCOMPARE(fast.back().intended, fromMs(4995));
        // A gap that is no whole number of ns, for an hour.
        const auto thirds = makeArrivals(openLoop(ArrivalProcess::Constant, {{"steady", 3, 3600}}));
        QCOMPARE(thirds.size(), std::size_t{10'800});
        for (std::size_t i = 0; i < thirds.size(); i += 3)
            QCOMPARE(thirds[i].intended, fromSeconds(static_cast<double>(i) / 3));
    }

    void wholeCountsInBinary()
    {
        // Each product is a whole number that binary fractions miss by a little.
        for (const auto& [rate, seconds, count] : {std::tuple{0.1, 30.0, 3}, std::tuple{1.1, 10.0, 11},
                                                   std::tuple{0.7, 100.0, 70}, std::tuple{2.3, 30.0, 69}})
            QCOMPARE(makeArrivals(openLoop(ArrivalProcess::Constant, {{"steady", rate, seconds}})).size(),
                     static_cast<std::size_t>(count));
    }

    void phasesNeitherAddNorLose()
    {
        // 2.5/s × 3 s ends in the middle of a gap; the other half of it passes at the next phase's rate.
        const auto arrivals = makeArrivals(openLoop(
            ArrivalProcess::Constant, {{"baseline", 2.5, 3}, {"burst", 10, 2}, {"recovery", 2.5, 3}}));
        QCOMPARE(arrivals.size(), std::size_t{35});
        QCOMPARE(arrivals[7].intended, fromSeconds(2.8));
        QCOMPARE(arrivals[7].phase, std::uint8_t{0});
        QCOMPARE(arrivals[8].intended, fromSeconds(3.05));
        QCOMPARE(arrivals[8].phase, std::uint8_t{1});
        QCOMPARE(arrivals[28].intended, fromSeconds(5.2));
        QCOMPARE(arrivals[28].phase, std::uint8_t{2});
    }

    void phasesHaveTheirRates_data()
    {
        QTest::addColumn<int>("process");
        QTest::newRow("constant") << static_cast<int>(ArrivalProcess::Constant);
        QTest::newRow("poisson") << static_cast<int>(ArrivalProcess::Poisson);
        QTest::newRow("gamma") << static_cast<int>(ArrivalProcess::Gamma);
        QTest::newRow("weibull") << static_cast<int>(ArrivalProcess::Weibull);
    }
    void phasesHaveTheirRates()
    {
        QFETCH(int, process);
        const std::vector<Phase> phases = {{"baseline", 4, 500}, {"burst", 20, 300}, {"recovery", 4, 700}};
        const auto arrivals = makeArrivals(openLoop(static_cast<ArrivalProcess>(process), phases, 11, 1.5));
        const double starts[] = {0, 500, 800, 1500};
        std::vector<double> counted(3, 0);
        for (std::size_t i = 0; i < arrivals.size(); ++i) {
            const double at = toSeconds(arrivals[i].intended);
            const std::size_t phase = arrivals[i].phase;
            QVERIFY(at >= starts[phase] && at <= starts[phase + 1]);
            QVERIFY(i == 0 || arrivals[i].intended >= arrivals[i - 1].intended);
            ++counted[phase];
        }
        for (std::size_t i = 0; i < 3; ++i) {
            const double expected = phases[i].ratePerS * phases[i].durationS;
            QVERIFY(std::abs(counted[i] - expected) < 4 * 1.5 * std::sqrt(expected));
        }
    }

    void seedsDecide()
    {
        for (const ArrivalProcess process :
             {ArrivalProcess::Poisson, ArrivalProcess::Gamma, ArrivalProcess::Weibull}) {
            const auto make = [&](std::uint64_t seed) {
                return makeArrivals(openLoop(process, {{"steady", 10, 100}}, seed, 2));
            };
            QVERIFY(make(1) == make(1));
            QVERIFY(make(1) != make(2));
        }
        // The same on every machine: the first arrivals of a seed, in µs.
        const auto arrivals = makeArrivals(openLoop(ArrivalProcess::Poisson, {{"steady", 10, 100}}, 42));
        QCOMPARE(arrivals[0].intended.count() / 1000, 53'662);
        QCOMPARE(arrivals[1].intended.count() / 1000, 130'836);
        QCOMPARE(arrivals[2].intended.count() / 1000, 510'992);
    }

    void otherSeedsChangeNothing()
    {
        PointPlan point = openLoop(ArrivalProcess::Poisson, {{"steady", 10, 100}}, 5);
        const auto before = makeArrivals(point);
        point.seeds.lengths = point.seeds.prompts = point.seeds.thinkTimes = 77;
        QVERIFY(makeArrivals(point) == before);
    }

    void aLongerScheduleBeginsLikeAShorterOne()
    {
        const auto longer = makeArrivals(openLoop(ArrivalProcess::Poisson, {{"steady", 10, 100}}, 3));
        const auto shorter = makeArrivals(openLoop(ArrivalProcess::Poisson, {{"steady", 10, 40}}, 3));
        QVERIFY(shorter.size() < longer.size());
        QVERIFY(std::equal(shorter.begin(), shorter.end(), longer.begin()));
    }

    void requestsAreLimited()
    {
        PointPlan point = openLoop(ArrivalProcess::Constant, {{"steady", 10, 100}});
        point.maxRequests = 7;
        QCOMPARE(makeArrivals(point).size(), std::size_t{7});
        point.maxRequests = 5000;
        QCOMPARE(makeArrivals(point).size(), std::size_t{1000});
    }
};

QTEST_GUILESS_MAIN(ArrivalsTest)
#include "tst_arrivals.moc"
