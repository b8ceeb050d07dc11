// SPDX-License-Identifier: GPL-3.0-or-later
#include "arrival_statistics.h"
#include "plan/rate_curve.h"

#include <QtTest>

#include <map>

using namespace tailmark;
using namespace tailmark::test;

namespace {

PointPlan shaped(ArrivalProcess process, double rate, double warmupS, double durationS,
                 std::vector<RateFactor> shape, std::uint64_t seed = 1)
{
    PointPlan point = openLoop(process, {{"steady", rate, warmupS + durationS}}, seed);
    point.warmupS = warmupS;
    point.durationS = durationS;
    point.shape = std::move(shape);
    return point;
}

std::size_t between(const std::vector<Arrival>& arrivals, double fromS, double toS)
{
    return static_cast<std::size_t>(std::count_if(arrivals.begin(), arrivals.end(), [&](const Arrival& a) {
        return a.intended >= fromSeconds(fromS) && a.intended < fromSeconds(toS);
    }));
}

} // namespace

class ShapesTest : public QObject
{
    Q_OBJECT

private slots:
    void segmentsOfASteps()
    {
        const std::vector<RateSegment> segments =
            rateSegments(shaped(ArrivalProcess::Constant, 10, 5, 30, {{10, 1}, {10, 3}, {20, 3}, {20, 0}}));
        QCOMPARE(segments.size(), std::size_t{3});
        QCOMPARE(segments[0].durationS, 15.0); // the warm-up and what comes before the first corner
        QCOMPARE(segments[0].fromPerS, 10.0);
        QCOMPARE(segments[0].toPerS, 10.0);
        QCOMPARE(segments[1].durationS, 10.0);
        QCOMPARE(segments[1].fromPerS, 30.0);
        QCOMPARE(segments[1].toPerS, 30.0);
        QCOMPARE(segments[2].durationS, 10.0);
        QCOMPARE(segments[2].toPerS, 0.0);
    }

    void stepsHaveTheirRates()
    {
        const auto arrivals = makeArrivals(
            shaped(ArrivalProcess::Constant, 10, 5, 30, {{10, 1}, {10, 3}, {20, 3}, {20, 0}}));
        QCOMPARE(arrivals.size(), std::size_t{450});
        QCOMPARE(between(arrivals, 0, 15), std::size_t{150});
        QCOMPARE(between(arrivals, 15, 25), std::size_t{300});
        QCOMPARE(arrivals.back().intended, Nanoseconds(24'966'667'000)); // 15 s + 299 / (30/s), in whole µs
    }

    void rampIsTheIntegralOfItsRate()
    {
        // 0 to 20/s over 10 s: t seconds have t² arrivals, so that arrival n comes at √n.
        const auto arrivals = makeArrivals(shaped(ArrivalProcess::Constant, 10, 0, 10, {{0, 0}, {10, 2}}));
        QCOMPARE(arrivals.size(), std::size_t{100});
        for (std::size_t n = 0; n < 100; ++n)
            QVERIFY(std::abs(toSeconds(arrivals[n].intended) - std::sqrt(static_cast<double>(n))) < 1e-6);
        // and down again
        const auto down = makeArrivals(shaped(ArrivalProcess::Constant, 10, 0, 10, {{0, 2}, {10, 0}}));
        QCOMPARE(down.size(), std::size_t{100});
        for (std::size_t n = 0; n < 100; ++n)
            QVERIFY(std::abs(toSeconds(down[n].intended) - (10 - std::sqrt(100.0 - static_cast<double>(n)))) <
                    1e-6);
    }

    void anArrivalAtTheFootOfARampStaysThere()
    {
        // 10/s for 10 s, then from none to 20/s over 10 s: arrival 100 comes as the ramp begins.
        const auto arrivals =
            makeArrivals(shaped(ArrivalProcess::Constant, 10, 0, 20, {{10, 1}, {10, 0}, {20, 2}}));
        QCOMPARE(arrivals.size(), std::size_t{200});
        QCOMPARE(arrivals[100].intended, Nanoseconds(10'000'000'000));
        QVERIFY(std::is_sorted(arrivals.begin(), arrivals.end(),
                               [](const Arrival& a, const Arrival& b) { return a.intended < b.intended; }));
    }

    void expectedRequestsFollow()
    {
        const PointPlan point = shaped(ArrivalProcess::Poisson, 10, 5, 40, {{0, 0.5}, {40, 1.5}});
        QCOMPARE(*expectedRequests(point), 5 * 5.0 + 40 * 10.0);
        QCOMPARE(meanFactor(point.shape, 40), 1.0);
        QCOMPARE(meanFactor({}, 40), 1.0);
        QCOMPARE(meanFactor({{0, 0}, {10, 1}}, 20), 0.75);
    }

    void everyProcessKeepsTheShape_data()
    {
        QTest::addColumn<int>("process");
        QTest::newRow("constant") << static_cast<int>(ArrivalProcess::Constant);
        QTest::newRow("poisson") << static_cast<int>(ArrivalProcess::Poisson);
        QTest::newRow("gamma") << static_cast<int>(ArrivalProcess::Gamma);
        QTest::newRow("weibull") << static_cast<int>(ArrivalProcess::Weibull);
    }
    void everyProcessKeepsTheShape()
    {
        QFETCH(int, process);
        PointPlan point = shaped(static_cast<ArrivalProcess>(process), 20, 0, 2'400,
                                 {{0, 0.5}, {600, 1.5}, {1'800, 1.5}, {2'400, 0.5}}, 5);
        point.cv = 2;
        const auto arrivals = makeArrivals(point);
        for (int i = 0; i < 4; ++i) {
            const double expected = i == 0 || i == 3 ? 12'000 : 18'000;
            const double counted = static_cast<double>(between(arrivals, i * 600, (i + 1) * 600));
            QVERIFY2(std::abs(counted - expected) < 4 * point.cv * std::sqrt(expected),
                     std::to_string(counted).c_str());
        }
        QVERIFY(std::is_sorted(arrivals.begin(), arrivals.end(),
                               [](const Arrival& a, const Arrival& b) { return a.intended < b.intended; }));
    }

    void poissonStaysPoissonUnderAShape()
    {
        // In operational time the gaps of an inhomogeneous Poisson process are exponential again.
        const PointPlan point = shaped(ArrivalProcess::Poisson, 10, 0, 1'000, {{0, 0}, {1'000, 2}}, 3);
        std::vector<double> gaps;
        double last = 0;
        for (const Arrival& arrival : makeArrivals(point)) {
            const double at = std::pow(toSeconds(arrival.intended), 2) / 100;
            gaps.push_back(at - last);
            last = at;
        }
        QVERIFY(kolmogorovSmirnov(gaps) < kolmogorovSmirnovLimit(gaps.size()));
    }

    void fanOutKeepsTheRate_data() { everyProcessKeepsTheShape_data(); }
    void fanOutKeepsTheRate()
    {
        QFETCH(int, process);
        PointPlan point = openLoop(static_cast<ArrivalProcess>(process),
                                   {{"baseline", 8, 1'000}, {"burst", 40, 500}, {"recovery", 8, 1'000}}, 7, 1.5);
        point.fanOut = 8;
        const auto arrivals = makeArrivals(point);
        QCOMPARE(*expectedRequests(point), 36'000.0);
        const double arrivalCv = point.process == ArrivalProcess::Poisson ? 1 : 1.5;
        QVERIFY2(std::abs(static_cast<double>(arrivals.size()) - 36'000) <
                     8 + 8 * 4 * arrivalCv * std::sqrt(36'000 / 8.0),
                 std::to_string(arrivals.size()).c_str());
        std::map<Nanoseconds, int> atOnce;
        for (const Arrival& arrival : arrivals)
            ++atOnce[arrival.intended];
        for (const auto& [moment, requests] : atOnce)
            QCOMPARE(requests % 8, 0); // bursts may share a µs
        QVERIFY(atOnce.size() > arrivals.size() / 8 * 0.98);
    }

    void fanOutOfAnEvenScheduleIsExact()
    {
        PointPlan point = openLoop(ArrivalProcess::Constant, {{"steady", 10, 12}});
        point.fanOut = 5;
        const auto arrivals = makeArrivals(point);
        QCOMPARE(arrivals.size(), std::size_t{120});
        for (std::size_t i = 0; i < arrivals.size(); ++i)
            QCOMPARE(arrivals[i].intended, fromMs(500 * static_cast<double>(i / 5)));
        point.maxRequests = 7;
        QCOMPARE(makeArrivals(point).size(), std::size_t{7});
    }

    void nothingIsIntendedAtTheEndOfAPoint()
    {
        // where nothing is sent any more: a time that rounds to it is kept before it
        for (std::uint64_t seed = 1; seed < 200; ++seed)
            for (const Arrival& arrival : makeArrivals(openLoop(ArrivalProcess::Poisson, {{"steady", 5'000, 0.01}}, seed)))
                QVERIFY(arrival.intended < fromSeconds(0.01));
    }
};

QTEST_GUILESS_MAIN(ShapesTest)
#include "tst_shapes.moc"
