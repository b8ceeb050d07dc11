// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/arrivals.h"

#include <QtTest>

#include <cmath>
#include <numeric>

using namespace tailmark;

namespace {

PointPlan openLoop(ArrivalProcess process, std::vector<Phase> phases, std::uint64_t seed = 1, double cv = 1)
{
    PointPlan point;
    point.process = process;
    point.phases = std::move(phases);
    point.cv = cv;
    point.seeds.arrivals = seed;
    return point;
}

/// Gaps between arrivals, in units of the mean gap.
std::vector<double> gapsOf(const std::vector<Arrival>& arrivals, double rate)
{
    std::vector<double> gaps;
    for (std::size_t i = 1; i < arrivals.size(); ++i)
        gaps.push_back(toSeconds(arrivals[i].intended - arrivals[i - 1].intended) * rate);
    return gaps;
}

double mean(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(const std::vector<double>& values)
{
    const double m = mean(values);
    double sum = 0;
    for (const double v : values)
        sum += (v - m) * (v - m);
    return sum / static_cast<double>(values.size() - 1);
}

/// Largest distance between the values' distribution and the exponential one with mean 1.
double kolmogorovSmirnov(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const double n = static_cast<double>(values.size());
    double distance = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double expected = 1 - std::exp(-values[i]);
        distance = std::max({distance, std::abs(expected - static_cast<double>(i) / n),
                             std::abs(static_cast<double>(i + 1) / n - expected)});
    }
    return distance;
}

/// Arrivals in each second.
std::vector<double> counts(const std::vector<Arrival>& arrivals, int seconds)
{
    std::vector<double> counts(static_cast<std::size_t>(seconds), 0.0);
    for (const Arrival& arrival : arrivals)
        ++counts[static_cast<std::size_t>(toSeconds(arrival.intended))];
    return counts;
}

} // namespace

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

    void poissonGapsAreExponential()
    {
        for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL, 1'000'003ULL, 9'007'199'254'740'991ULL}) {
            const auto gaps =
                gapsOf(makeArrivals(openLoop(ArrivalProcess::Poisson, {{"steady", 50, 200}}, seed)), 50);
            QVERIFY(std::abs(static_cast<double>(gaps.size()) - 10'000) < 4 * std::sqrt(10'000));
            const double limit =
                1.63 / std::sqrt(static_cast<double>(gaps.size())); // 1 % of samples are beyond
            QVERIFY2(kolmogorovSmirnov(gaps) < limit, std::to_string(kolmogorovSmirnov(gaps)).c_str());
        }
    }

    void poissonCountsAreAsDispersedAsTheirMean()
    {
        for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL, 4ULL}) {
            const int seconds = 2000;
            const auto perSecond = counts(
                makeArrivals(openLoop(ArrivalProcess::Poisson, {{"steady", 8, seconds}}, seed)), seconds);
            const double dispersion = variance(perSecond) / mean(perSecond);
            QVERIFY2(std::abs(dispersion - 1) < 3 * std::sqrt(2.0 / seconds),
                     std::to_string(dispersion).c_str());
        }
    }

    void gammaHasItsVariation_data()
    {
        QTest::addColumn<double>("cv");
        for (const double cv : {0.2, 0.5, 1.0, 2.0, 4.0})
            QTest::addRow("%g", cv) << cv;
    }
    void gammaHasItsVariation()
    {
        QFETCH(double, cv);
        for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL}) {
            const auto gaps =
                gapsOf(makeArrivals(openLoop(ArrivalProcess::Gamma, {{"steady", 20, 5000}}, seed, cv)), 20);
            const double n = static_cast<double>(gaps.size());
            QVERIFY(std::abs(mean(gaps) - 1) < 4 * cv / std::sqrt(n));
            QVERIFY2(std::abs(std::sqrt(variance(gaps)) / mean(gaps) - cv) < 0.04 * cv,
                     std::to_string(cv).c_str());
        }
        if (cv == 1.0) // is Poisson
            QVERIFY(kolmogorovSmirnov(gapsOf(
                        makeArrivals(openLoop(ArrivalProcess::Gamma, {{"steady", 50, 200}}, 5, 1)), 50)) <
                    1.63 / std::sqrt(10'000));
    }

    void shortGammaSchedulesHaveTheirRate()
    {
        // A process that began with an arrival would have (CV² − 1) / 2 = 4 more than 20 on average.
        double sum = 0;
        const int schedules = 4000;
        for (int seed = 0; seed < schedules; ++seed)
            sum += static_cast<double>(makeArrivals(openLoop(ArrivalProcess::Gamma, {{"steady", 10, 2}},
                                                             static_cast<std::uint64_t>(seed), 3))
                                           .size());
        QVERIFY2(std::abs(sum / schedules - 20) < 0.7, std::to_string(sum / schedules).c_str());
    }

    void phasesHaveTheirRates_data()
    {
        QTest::addColumn<int>("process");
        QTest::newRow("constant") << static_cast<int>(ArrivalProcess::Constant);
        QTest::newRow("poisson") << static_cast<int>(ArrivalProcess::Poisson);
        QTest::newRow("gamma") << static_cast<int>(ArrivalProcess::Gamma);
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
        for (const ArrivalProcess process : {ArrivalProcess::Poisson, ArrivalProcess::Gamma}) {
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
        QCOMPARE(arrivals[2].intended.count() / 1000, 510'991);
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

    void thinkTimes()
    {
        PointPlan point;
        point.concurrency = 3;
        point.thinkTimeS = 2;
        for (std::uint32_t i = 0; i < 3; ++i)
            QCOMPARE(thinkTime(point, i), Nanoseconds{0});
        QCOMPARE(thinkTime(point, 3), fromSeconds(2));
        QCOMPARE(thinkTime(point, 1'000'000), fromSeconds(2));

        point.thinkTime = ThinkTime::Exponential;
        std::vector<double> times;
        for (std::uint32_t i = 3; i < 10'003; ++i) {
            times.push_back(toSeconds(thinkTime(point, i)) / 2);
            QCOMPARE(thinkTime(point, i), thinkTime(point, i));
        }
        QVERIFY(kolmogorovSmirnov(times) < 1.63 / std::sqrt(10'000));
        const Nanoseconds before = thinkTime(point, 50);
        point.seeds.arrivals = 9;
        QCOMPARE(thinkTime(point, 50), before);
        point.seeds.thinkTimes = 9;
        QVERIFY(thinkTime(point, 50) != before);
        point.thinkTimeS = 0;
        QCOMPARE(thinkTime(point, 50), Nanoseconds{0});
    }
};

QTEST_GUILESS_MAIN(ArrivalsTest)
#include "tst_arrivals.moc"
