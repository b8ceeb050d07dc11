// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/distribution.h"
#include "analysis/quantile.h"
#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <QTest>
#include <boost/random/uniform_01.hpp>

using namespace tailmark;

namespace {

std::vector<double> upTo(int n)
{
    std::vector<double> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 1.0);
    return values;
}

} // namespace

class QuantileTest : public QObject
{
    Q_OBJECT

private slots:
    void nothingHasNoQuantile()
    {
        QVERIFY(!quantile({}, 50));
        QVERIFY(!quantileInterval({}, 50));
        QCOMPARE(quantileRank(0, 99), std::size_t(0));
    }

    void nearestRank_data()
    {
        QTest::addColumn<int>("n");
        QTest::addColumn<double>("percent");
        QTest::addColumn<double>("expected"); // of 1..n
        QTest::newRow("one value p50") << 1 << 50.0 << 1.0;
        QTest::newRow("one value p99") << 1 << 99.0 << 1.0;
        QTest::newRow("two values p50") << 2 << 50.0 << 1.0;
        QTest::newRow("two values p51") << 2 << 51.0 << 2.0;
        QTest::newRow("three values p50") << 3 << 50.0 << 2.0;
        QTest::newRow("three values p99 is the largest") << 3 << 99.0 << 3.0;
        QTest::newRow("hundred values p95 is 95, not 96 nor 95.05") << 100 << 95.0 << 95.0;
        QTest::newRow("hundred values p99") << 100 << 99.0 << 99.0;
        QTest::newRow("hundred values p99.9") << 100 << 99.9 << 100.0;
        QTest::newRow("thousand values p99.9") << 1000 << 99.9 << 999.0;
        QTest::newRow("thousand values p99") << 1000 << 99.0 << 990.0;
        QTest::newRow("p100") << 1000 << 100.0 << 1000.0;
        QTest::newRow("p0 is the smallest") << 1000 << 0.0 << 1.0;
        // 0.07 * 100 is 7.000000000000001 in binary floating point; its ceiling would be 8.
        QTest::newRow("whole-number arithmetic") << 100 << 7.0 << 7.0;
        QTest::newRow("whole-number arithmetic in thousandths") << 1000 << 57.3 << 573.0;
    }
    void nearestRank()
    {
        QFETCH(int, n);
        QFETCH(double, percent);
        QFETCH(double, expected);
        QCOMPARE(*quantile(upTo(n), percent), expected);
    }

    void threeSamplesDoNotFallToTheMedian()
    {
        const std::vector<double> values = {10, 20, 30};
        QCOMPARE(*quantile(values, 99), 30.0);
    }

    void weakBelowTenValuesAbove()
    {
        QVERIFY(isWeak(0, 99));
        QVERIFY(isWeak(999, 99));
        QVERIFY(!isWeak(1000, 99));
        QVERIFY(isWeak(200, 99.9));
        QVERIFY(isWeak(1000, 99.9));
        QVERIFY(isWeak(10, 50));
        QVERIFY(!isWeak(20, 50));
    }

    void intervalNeedsEnoughValues()
    {
        // 0.99^367 = 0.0250, so the largest of 367 values is not yet above the p99 with 97.5 %.
        QVERIFY(!quantileInterval(upTo(367), 99));
        QVERIFY(quantileInterval(upTo(368), 99).has_value());
        QVERIFY(!quantileInterval(upTo(5), 50));
        QCOMPARE(*quantileInterval(upTo(6), 50), (Interval{1, 6}));
    }

    void intervalOfTheMedianByHand()
    {
        // Binomial(20, 1/2): P(X <= 5) = 0.0207, P(X <= 6) = 0.0577, so ranks 6 and 15.
        QCOMPARE(*quantileInterval(upTo(20), 50), (Interval{6, 15}));
    }

    void intervalHoldsTheTruthNinetyFiveTimesInAHundred_data()
    {
        QTest::addColumn<double>("percent");
        QTest::newRow("p50") << 50.0;
        QTest::newRow("p90") << 90.0;
        QTest::newRow("p99") << 99.0;
    }
    void intervalHoldsTheTruthNinetyFiveTimesInAHundred()
    {
        QFETCH(double, percent);
        Rng rng(20240229);
        boost::random::uniform_01<double> uniform;
        constexpr int kDraws = 2000;
        const double truth = -std::log(1 - percent / 100); // of a unit exponential
        int hits = 0;
        std::vector<double> values(1000);
        for (int draw = 0; draw < kDraws; ++draw) {
            for (double& v : values)
                v = -std::log(1 - uniform(rng));
            std::sort(values.begin(), values.end());
            const Interval interval = *quantileInterval(values, percent);
            hits += interval.low <= truth && truth <= interval.high;
        }
        const double coverage = static_cast<double>(hits) / kDraws;
        QVERIFY2(coverage >= 0.93 && coverage <= 0.97, qPrintable(QString::number(coverage)));
    }

    void tailOfTheBinomial()
    {
        QCOMPARE(binomialTail(10, 0, 0.5), 1.0);
        QCOMPARE(binomialTail(10, 11, 0.5), 0.0);
        QVERIFY(std::fabs(binomialTail(2, 1, 0.5) - 0.75) < 1e-12);
        QVERIFY(std::fabs(binomialTail(2, 2, 0.1) - 0.01) < 1e-12);
    }

    void distributionShowsItsEvidence()
    {
        const std::vector<double> percents = {50, 99};
        const Distribution d = *makeDistribution(std::span<const double>(upTo(1000)), percents);
        QCOMPARE(d.n, std::size_t(1000));
        QCOMPARE(d.mean, 500.5);
        QCOMPARE(d.min, 1.0);
        QCOMPARE(d.max, 1000.0);
        QCOMPARE(d.at(50)->value, 500.0);
        QCOMPARE(d.at(99)->value, 990.0);
        QVERIFY(d.at(99)->ci95.has_value());
        QVERIFY(!d.at(99)->weak);
        QVERIFY(!d.at(90));
        QVERIFY(!makeDistribution(std::span<const double>(), percents));
    }

    void weightedValuesGiveTheSameQuantiles()
    {
        std::vector<WeightedValue> weighted;
        std::vector<double> plain;
        for (int v = 1; v <= 50; ++v) {
            weighted.push_back({double(v), std::uint64_t(v)});
            plain.insert(plain.end(), std::size_t(v), v);
        }
        const std::vector<double> percents = {1, 50, 90, 95, 99, 99.9};
        const Distribution a = *makeDistribution(std::span<const WeightedValue>(weighted), percents);
        const Distribution b = *makeDistribution(std::span<const double>(plain), percents);
        QCOMPARE(a.n, b.n);
        QVERIFY(std::fabs(a.mean - b.mean) < 1e-9);
        for (const double percent : percents)
            QCOMPARE(a.at(percent)->value, b.at(percent)->value);
        QVERIFY(!a.at(50)->ci95); // pooled values depend on each other
    }
};

QTEST_GUILESS_MAIN(QuantileTest)
#include "tst_quantile.moc"
