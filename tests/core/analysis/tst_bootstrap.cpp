// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "analysis/bootstrap.h"
#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>

using namespace tailmark;

namespace {

std::vector<double> sortedCopy(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values;
}

/// In how many of `windows` series each kind of interval holds the true quantile.
struct Coverage
{
    double independent = 0, blocks = 0;
};

Coverage coverageOf(int windows, std::size_t n, double percent, double truth,
                    const std::function<void(std::vector<double>&)>& draw)
{
    Coverage coverage;
    std::vector<double> values(n);
    for (int window = 0; window < windows; ++window) {
        draw(values);
        const std::vector<double> sorted = sortedCopy(values);
        const auto holds = [&](const Interval& i) {
            return i.low <= truth && truth <= i.high ? 1.0 / windows : 0;
        };
        coverage.independent += holds(*quantileInterval(sorted, percent));
        coverage.blocks += holds(*blockBootstrapInterval(sorted, values, percent));
    }
    return coverage;
}

QByteArray words(const Coverage& c)
{
    return "independent " + QByteArray::number(c.independent) + ", blocks " + QByteArray::number(c.blocks);
}

} // namespace

class BootstrapTest : public QObject
{
    Q_OBJECT

private slots:
    void absentWhereTooFewForAny()
    {
        std::vector<double> values(367);
        std::iota(values.begin(), values.end(), 1.0);
        QVERIFY(!blockBootstrapInterval(values, values, 99));
        values.push_back(368);
        QVERIFY(blockBootstrapInterval(values, values, 99).has_value());
        QVERIFY(!blockBootstrapInterval({}, {}, 50));
    }

    void theSameValuesHaveTheSameInterval()
    {
        Rng rng(3);
        boost::random::uniform_01<double> uniform;
        std::vector<double> values(500);
        for (double& v : values)
            v = uniform(rng);
        const std::vector<double> sorted = sortedCopy(values);
        QCOMPARE(*blockBootstrapInterval(sorted, values, 90), *blockBootstrapInterval(sorted, values, 90));
    }

    /// Every block of twenty has ten values above the median, so that all resamples have the same count, and
    /// only the interval of independent values is left.
    void alternatingValuesHaveTheIntervalOfIndependentOnes()
    {
        std::vector<double> values(320);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] =
                i % 2 == 0 ? 1.0 + static_cast<double>(i) / 1000 : 2.0 + static_cast<double>(i) / 1000;
        const std::vector<double> sorted = sortedCopy(values);
        QCOMPARE(*blockBootstrapInterval(sorted, values, 50), *quantileInterval(sorted, 50));
    }

    /// 320 values between 1,000 and 1,320, then 320 above 2,000. Of a block of 40, 20 or 40 are above the
    /// p25: a spread of 10 a block, 40 over sixteen, so that ranks 160 -/+ 1.96 x 40 x 1.1 = 74 and 246 bound
    /// it; the values there are 1,074 and 1,246. Independent ones would be bound by ranks 139 and 182.
    void oneStepInTimeWidensFarBeyondIndependentValues()
    {
        std::vector<double> values(640);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = (i < 320 ? 1000.0 : 2000.0) + static_cast<double>(i * 7 % 320);
        const std::vector<double> sorted = sortedCopy(values);
        const Interval blocks = *blockBootstrapInterval(sorted, values, 25);
        const Interval independent = *quantileInterval(sorted, 25);
        QVERIFY(independent.low > 1130 && independent.high < 1190);
        QVERIFY2(std::fabs(blocks.low - 1074) < 10, qPrintable(QString::number(blocks.low)));
        QVERIFY2(std::fabs(blocks.high - 1246) < 10, qPrintable(QString::number(blocks.high)));
    }

    void independentValuesHaveHardlyWiderIntervals()
    {
        Rng rng(7);
        boost::random::uniform_01<double> uniform;
        double wider = 0;
        constexpr int kDraws = 50;
        for (int draw = 0; draw < kDraws; ++draw) {
            std::vector<double> values(2000);
            for (double& v : values)
                v = uniform(rng);
            const std::vector<double> sorted = sortedCopy(values);
            const Interval plain = *quantileInterval(sorted, 90);
            const Interval blocks = *blockBootstrapInterval(sorted, values, 90);
            QVERIFY(blocks.low <= plain.low && blocks.high >= plain.high);
            wider += (blocks.high - blocks.low) / (plain.high - plain.low) / kDraws;
        }
        QVERIFY2(wider < 1.25, qPrintable(QString::number(wider)));
    }

    /// Latencies whose logarithm is a first-order autoregression, like those of a queue whose length wanders.
    /// Neighbours correlate by 0.8, which leaves an effective sample of a ninth.
    void autoregressiveLatencies_data()
    {
        QTest::addColumn<double>("percent");
        QTest::addColumn<double>("normal"); // that quantile of the standard normal law
        QTest::addColumn<double>("atLeast");
        QTest::addColumn<double>("independentAtMost");
        QTest::newRow("p50") << 50.0 << 0.0 << 0.91 << 0.60;
        QTest::newRow("p90") << 90.0 << 1.2815515655 << 0.90 << 0.75;
        QTest::newRow("p99") << 99.0 << 2.3263478740 << 0.88 << 0.85;
    }
    void autoregressiveLatencies()
    {
        QFETCH(double, percent);
        QFETCH(double, normal);
        QFETCH(double, atLeast);
        QFETCH(double, independentAtMost);
        constexpr double kCorrelation = 0.8;
        Rng rng(20240229);
        boost::random::normal_distribution<double> shock;
        const Coverage c =
            coverageOf(600, 2000, percent, std::exp(5 + 0.5 * normal), [&](std::vector<double>& values) {
                double z = shock(rng);
                for (double& v : values) {
                    v = std::exp(5 + 0.5 * z);
                    z = kCorrelation * z + std::sqrt(1 - kCorrelation * kCorrelation) * shock(rng);
                }
            });
        QVERIFY2(c.blocks >= atLeast, words(c).constData());
        QVERIFY2(c.independent <= independentAtMost, words(c).constData());
    }

    /// Waits in a queue at 70 % of its capacity (M/M/1), one window after the other: the interval of each has
    /// to hold the quantile that the law gives. Taken as independent it would hold it in less than half of
    /// them.
    void intervalOfAQueueHoldsTheTruthToo()
    {
        Rng rng(20240229);
        boost::random::uniform_01<double> uniform;
        const auto exponential = [&] { return -std::log(1 - uniform(rng)); };
        constexpr double kLoad = 0.7;
        const double truth =
            -std::log(0.1) / (1 - kLoad); // response times are exponential with mean 1 / (1 - load)
        double response = 0;
        const Coverage c = coverageOf(500, 3000, 90, truth, [&](std::vector<double>& values) {
            for (double& v : values) {
                response = std::max(0.0, response - exponential() / kLoad) + exponential();
                v = response;
            }
        });
        QVERIFY2(c.blocks >= 0.88, words(c).constData());
        QVERIFY2(c.independent < 0.5, words(c).constData());
    }
};

QTEST_GUILESS_MAIN(BootstrapTest)
#include "tst_bootstrap.moc"
