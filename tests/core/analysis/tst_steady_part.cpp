// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "analysis/steady_part.h"
#include "base/rng.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>

using namespace tailmark;

namespace {

/// Requests at even distances, and what each took.
struct Series
{
    std::vector<double> atS, latencies;
};

Series every(double stepS, double untilS, const std::function<double(double)>& latencyAt)
{
    Series series;
    for (int i = 0; i * stepS < untilS; ++i) {
        series.atS.push_back(i * stepS);
        series.latencies.push_back(latencyAt(i * stepS));
    }
    return series;
}

class Noise
{
public:
    explicit Noise(std::uint64_t seed) : m_rng(seed) {}
    double exponential() { return -std::log(1 - m_uniform(m_rng)); }
    double normal() { return m_normal(m_rng); }

private:
    Rng m_rng;
    boost::random::uniform_01<double> m_uniform;
    boost::random::normal_distribution<double> m_normal;
};

} // namespace

class SteadyPartTest : public QObject
{
    Q_OBJECT

private slots:
    void mserByHand()
    {
        // Batches of five with the means 9, 5, 1, 1, 1, 1: the error is 0 from the third batch on.
        std::vector<double> values;
        for (const double mean : {9.0, 5.0, 1.0, 1.0, 1.0, 1.0})
            values.insert(values.end(), 5, mean);
        QCOMPARE(mserTruncation(values), std::size_t(10));
        // Means 3, 1, 2, 1: rests of 4 and 3 and 2 have squares 2.75, 2/3 and 1/2, over n squared 0.172,
        // 0.074, 0.125.
        values.clear();
        for (const double mean : {3.0, 1.0, 2.0, 1.0})
            values.insert(values.end(), 5, mean);
        QCOMPARE(mserTruncation(values), std::size_t(5));
        // All alike: nothing is left out.
        QCOMPARE(mserTruncation(std::vector<double>(100, 7.0)), std::size_t(0));
        QCOMPARE(mserTruncation({}), std::size_t(0));
    }

    void mannKendallByHand()
    {
        // Ten rising values: S = 45, variance 10 x 9 x 25 / 18 = 125, z = 44 / 11.18 = 3.935.
        std::vector<double> rising(10);
        std::iota(rising.begin(), rising.end(), 1.0);
        QVERIFY(std::fabs(mannKendallP(rising) - 8.303e-5) < 1e-7);
        const std::vector<double> falling(rising.rbegin(), rising.rend());
        QCOMPARE(mannKendallP(falling), mannKendallP(rising));
        // 1, 3, 2, 4: one of six pairs out of order, S = 4, variance 8.667, z = 3 / 2.944 = 1.019.
        QVERIFY(std::fabs(mannKendallP(std::vector<double>{1, 3, 2, 4}) - 0.3082) < 1e-3);
        QCOMPARE(mannKendallP(std::vector<double>(8, 5.0)), 1.0);
    }

    void evenLatenciesAreSteadyFromTheStart()
    {
        const Series s = every(0.1, 40, [](double) { return 100.0; });
        const auto part = findSteadyPart(s.atS, s.latencies, 40);
        QVERIFY(part.has_value());
        QCOMPARE(*part, (SteadyPart{0, 40, 1, 1}));
        QVERIFY(!findShortWarmup(s.atS, s.latencies, *part, 5));
        QVERIFY(!findSteadyPart(std::span(s.atS).first(99), std::span(s.latencies).first(99), 10));
    }

    /// A start that dies away: ten times the latency at first, the excess down to a third every 3 s. After 12
    /// s it is 16 %, within the noise.
    void aSlowStartIsFoundAndToldFromTheWarmup()
    {
        Noise noise(1);
        const Series s = every(0.05, 60, [&](double t) {
            return 100 * (1 + 9 * std::exp(-t / 3)) * std::exp(0.2 * noise.normal());
        });
        const auto part = findSteadyPart(s.atS, s.latencies, 60);
        QVERIFY(part.has_value());
        QVERIFY2(part->startS > 6 && part->startS < 16, qPrintable(QString::number(part->startS)));
        QVERIFY(part->pValue > 0.002);
        const auto shortWarmup = findShortWarmup(s.atS, s.latencies, *part, 2);
        QVERIFY(shortWarmup && shortWarmup->pValue < 1e-4);
        QVERIFY(shortWarmup->ratio > 1.5 && shortWarmup->ratio < 5);
        QVERIFY(shortWarmup->spoils);
        QVERIFY(!findShortWarmup(s.atS, s.latencies, *part, 20));
        const std::string text = shortWarmupText({12.4, 60, 1, 1}, {1.8, 0.001, true}, 5, "TTFT");
        QCOMPARE(QString::fromStdString(text), QString("steady only from 12.4 s on; warm-up was 5 s, and from "
                                                       "there until then TTFT was 1.8 times that of "
                                                       "the steady part"));
    }

    void aFasterStartIsFoundToo()
    {
        Noise noise(2);
        const Series s =
            every(0.05, 60, [&](double t) { return (t < 8 ? 50 : 100) * std::exp(0.2 * noise.normal()); });
        const auto part = findSteadyPart(s.atS, s.latencies, 60);
        QVERIFY(part && std::fabs(part->startS - 8) < 0.6);
        const auto shortWarmup = findShortWarmup(s.atS, s.latencies, *part, 5);
        QVERIFY(shortWarmup && std::fabs(shortWarmup->ratio - 0.5) < 0.05);
        // 3 s of 55 are 5.5 %; where the warm-up was 7 s it is 1 s, too little to spoil the window.
        QVERIFY(shortWarmup->spoils);
        const auto little = findShortWarmup(s.atS, s.latencies, *part, 7);
        QVERIFY(little && !little->spoils);
    }

    /// A latency that grows throughout has no steady part; MSER alone would name one.
    void growthHasNoSteadyPart()
    {
        Noise noise(3);
        const Series s =
            every(0.05, 60, [&](double t) { return (100 + 10 * t) * std::exp(0.2 * noise.normal()); });
        QVERIFY(!findSteadyPart(s.atS, s.latencies, 60));
    }

    /// A steady level must seldom be called otherwise: independent latencies, those that wander
    /// (autoregressive, 0.8) and waits in a queue at 70 % of its capacity.
    void steadyLevelsRaiseFewAlarms_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("independent") << 0;
        QTest::newRow("wandering") << 1;
        QTest::newRow("queue") << 2;
    }
    void steadyLevelsRaiseFewAlarms()
    {
        QFETCH(int, kind);
        Noise noise(20240229);
        constexpr int kTrials = 400;
        int missing = 0, alarms = 0;
        for (int trial = 0; trial < kTrials; ++trial) {
            double state = kind == 1 ? noise.normal() : 0;
            for (int i = 0; kind == 2 && i < 500; ++i)
                state = std::max(0.0, state + 0.7 * noise.exponential() - noise.exponential());
            const Series s = every(0.025, 35, [&](double) {
                if (kind == 0)
                    return 100 * noise.exponential();
                if (kind == 1) {
                    state = 0.8 * state + 0.6 * noise.normal();
                    return 100 * std::exp(0.5 * state);
                }
                const double service = 0.7 * noise.exponential();
                const double response = state + service;
                state = std::max(0.0, response - noise.exponential());
                return 100 * response;
            });
            const auto part = findSteadyPart(s.atS, s.latencies, 35);
            missing += !part;
            alarms += part && findShortWarmup(s.atS, s.latencies, *part, 5);
        }
        const QString figures = QString("%1 without a steady part, %2 alarms").arg(missing).arg(alarms);
        QVERIFY2(missing <= kTrials / 50, qPrintable(figures));
        QVERIFY2(alarms <= kTrials / 50, qPrintable(figures));
    }
};

QTEST_GUILESS_MAIN(SteadyPartTest)
#include "tst_steady_part.moc"
