// SPDX-License-Identifier: GPL-3.0-or-later
// Whether arrivals have the distribution that they claim: fixed seeds, stated levels.
#include "arrival_statistics.h"
#include "schedule/unit_arrivals.h"

#include <QtTest>

#include <boost/math/special_functions/gamma.hpp>

using namespace tailmark;
using namespace tailmark::test;

namespace {

std::vector<double> unitGaps(ArrivalProcess process, double cv, std::uint64_t seed, std::size_t n = 10'000)
{
    UnitArrivals unit(process, cv, seed);
    double last = unit.next();
    std::vector<double> gaps;
    for (std::size_t i = 0; i < n; ++i) {
        const double at = unit.next();
        gaps.push_back(at - last);
        last = at;
    }
    return gaps;
}

double gammaCdf(double x, double cv)
{
    return boost::math::gamma_p(1 / (cv * cv), x / (cv * cv));
}

double weibullCdf(double x, double cv)
{
    const double shape = weibullShape(cv);
    return 1 - std::exp(-std::pow(x * std::tgamma(1 + 1 / shape), shape));
}

} // namespace

class GoodnessOfFitTest : public QObject
{
    Q_OBJECT

private slots:
    void gapsHaveTheirDistribution_data()
    {
        QTest::addColumn<int>("process");
        QTest::addColumn<double>("cv");
        QTest::newRow("poisson") << static_cast<int>(ArrivalProcess::Poisson) << 1.0;
        for (const double cv : {0.3, 1.0, 2.0, 4.0}) {
            QTest::addRow("gamma, CV %g", cv) << static_cast<int>(ArrivalProcess::Gamma) << cv;
            QTest::addRow("weibull, CV %g", cv) << static_cast<int>(ArrivalProcess::Weibull) << cv;
        }
    }
    void gapsHaveTheirDistribution()
    {
        QFETCH(int, process);
        QFETCH(double, cv);
        const auto kind = static_cast<ArrivalProcess>(process);
        const auto cdf = [&](double x) {
            return kind == ArrivalProcess::Gamma     ? gammaCdf(x, cv)
                   : kind == ArrivalProcess::Weibull ? weibullCdf(x, cv)
                                                     : 1 - std::exp(-x);
        };
        for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL, 4ULL}) {
            const std::vector<double> gaps = unitGaps(kind, cv, seed);
            const double distance = kolmogorovSmirnov(gaps, cdf, 1e-9); // at the 1 % level
            QVERIFY2(distance < kolmogorovSmirnovLimit(gaps.size()), std::to_string(distance).c_str());
            // each gap knows nothing of the one before it: at the 0.1 % level
            QVERIFY(std::abs(serialCorrelation(gaps)) < 3.29 / std::sqrt(static_cast<double>(gaps.size())));
        }
    }

    void variationIsTheOneAskedFor_data()
    {
        QTest::addColumn<int>("process");
        QTest::addColumn<double>("cv");
        for (const double cv : {0.1, 0.5, 1.0, 2.0, 4.0}) {
            QTest::addRow("gamma, CV %g", cv) << static_cast<int>(ArrivalProcess::Gamma) << cv;
            QTest::addRow("weibull, CV %g", cv) << static_cast<int>(ArrivalProcess::Weibull) << cv;
        }
    }
    void variationIsTheOneAskedFor()
    {
        QFETCH(int, process);
        QFETCH(double, cv);
        for (const std::uint64_t seed : {1ULL, 2ULL}) {
            const std::vector<double> gaps = unitGaps(static_cast<ArrivalProcess>(process), cv, seed, 100'000);
            QVERIFY(std::abs(mean(gaps) - 1) < 4 * cv / std::sqrt(100'000));
            const double observed = std::sqrt(variance(gaps)) / mean(gaps);
            // heavy tails make the sample's own variation vary
            QVERIFY2(std::abs(observed - cv) < (cv > 1 ? 0.1 : 0.01) * cv, std::to_string(observed).c_str());
        }
    }

    void weibullShapeIsTheOneOfItsVariation()
    {
        QCOMPARE(weibullShape(1), 1.0);
        // k = 1/2: mean Γ(3) = 2, mean square Γ(5) = 24, CV² = 24 / 4 − 1 = 5; k = 2: Rayleigh, CV² = 4/π − 1
        QVERIFY(std::abs(weibullShape(std::sqrt(5)) - 0.5) < 1e-9);
        QVERIFY(std::abs(weibullShape(std::sqrt(4 / M_PI - 1)) - 2) < 1e-9);
        QVERIFY(std::abs(weibullShape(0.1) - 12.1534) < 1e-3);
        for (const double cv : {1e-4, 0.01, 10.0, 100.0})
            QVERIFY(std::isfinite(weibullShape(cv)) && weibullShape(cv) > 0);
    }

    void countsAreDispersedAsTheirProcess_data()
    {
        QTest::addColumn<int>("process");
        QTest::addColumn<double>("cv");
        QTest::newRow("poisson") << static_cast<int>(ArrivalProcess::Poisson) << 1.0;
        QTest::newRow("gamma") << static_cast<int>(ArrivalProcess::Gamma) << 2.0;
        QTest::newRow("weibull") << static_cast<int>(ArrivalProcess::Weibull) << 2.0;
        QTest::newRow("constant") << static_cast<int>(ArrivalProcess::Constant) << 0.0;
    }
    void countsAreDispersedAsTheirProcess()
    {
        // Over windows of many gaps variance / mean of the counts tends to CV² (renewal theory).
        QFETCH(int, process);
        QFETCH(double, cv);
        const int windows = 2'000;
        for (const std::uint64_t seed : {1ULL, 2ULL}) {
            const auto perSecond = counts(makeArrivals(openLoop(static_cast<ArrivalProcess>(process),
                                                                {{"steady", 100, windows}}, seed, cv)),
                                          windows);
            const double dispersion = variance(perSecond) / mean(perSecond);
            QVERIFY2(std::abs(dispersion - cv * cv) < 4 * cv * cv * std::sqrt(2.0 / windows) + 1e-3,
                     std::to_string(dispersion).c_str());
        }
    }

    void schedulesAreStationaryFromTheirFirstMoment_data()
    {
        QTest::addColumn<int>("process");
        QTest::newRow("gamma") << static_cast<int>(ArrivalProcess::Gamma);
        QTest::newRow("weibull") << static_cast<int>(ArrivalProcess::Weibull);
    }
    void schedulesAreStationaryFromTheirFirstMoment()
    {
        // A process that began with an arrival would have (CV² − 1) / 2 = 4 more than 20 on average.
        QFETCH(int, process);
        double sum = 0;
        const int schedules = 2'000;
        for (int seed = 0; seed < schedules; ++seed)
            sum += static_cast<double>(makeArrivals(openLoop(static_cast<ArrivalProcess>(process),
                                                             {{"steady", 10, 2}},
                                                             static_cast<std::uint64_t>(seed), 3))
                                           .size());
        QVERIFY2(std::abs(sum / schedules - 20) < 1, std::to_string(sum / schedules).c_str());
    }
};

QTEST_GUILESS_MAIN(GoodnessOfFitTest)
#include "tst_goodness_of_fit.moc"
