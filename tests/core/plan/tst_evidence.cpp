// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "plan/evidence.h"

#include <cmath>

using namespace tailmark;

class EvidenceTest : public QObject
{
    Q_OBJECT

private slots:
    void samplesByHand()
    {
        // 0.99^367 = 0.0250029, 0.99^368 = 0.02475; 0.5^6 = 0.0156.
        QCOMPARE(samplesForInterval(99), 368.0);
        QCOMPARE(samplesForInterval(50), 6.0);
        QCOMPARE(samplesForInterval(1), 368.0);
        QCOMPARE(samplesForInterval(99.9), 3688.0); // ln 0.025 / ln 0.999 = 3687.03
        QCOMPARE(samplesForPercentile(99), 1000.0);
        QCOMPARE(samplesForPercentile(50), 20.0);
        // 99 x (3.919928 / (0.1 x 4.60517))^2 = 99 x 72.455 = 7173.0
        QVERIFY(std::fabs(samplesForWidth(99, 0.1) - 7173) <= 1);
        QVERIFY(std::fabs(widthOfSamples(99, 7173) - 0.1) < 1e-5);
        // A tenth of the width needs a hundred times the requests.
        QVERIFY(std::fabs(samplesForWidth(90, 0.01) / samplesForWidth(90, 0.1) - 100) < 0.5);
    }

    void kindsOfEvidence()
    {
        QCOMPARE(evidenceOf(99, 367), Evidence::None);
        QCOMPARE(evidenceOf(99, 368), Evidence::Weak);
        QCOMPARE(evidenceOf(99, 999), Evidence::Weak);
        QCOMPARE(evidenceOf(99, 1000), Evidence::Firm);
    }

    void everyLevelIsTold()
    {
        Matrix m;
        m.tests.resize(2);
        m.tests[0].kind = TestKind::ArrivalSweep;
        m.tests[0].ratesPerS = {4, 16, 40};
        m.tests[1].kind = TestKind::ConcurrencySweep;
        m.tests[1].levels = {8};
        m.measurement.repeats = 2;
        const std::vector<LevelEvidence> levels = expectedEvidence(expand(m).value());
        QCOMPARE(levels.size(), std::size_t(4));
        QCOMPARE(*levels[0].requests, 120.0);
        QCOMPARE(QString::fromStdString(levels[0].text),
                 QString("120 requests in 30 s: p99 has no interval, which needs 368"));
        // 8.4694 / sqrt(480) = 0.3866
        QCOMPARE(
            QString::fromStdString(levels[1].text),
            QString(
                "480 requests in 30 s: p99 is weak below 1,000, its interval about 39 % wide where latencies "
                "fall off exponentially"));
        QVERIFY(QString::fromStdString(levels[2].text)
                    .startsWith("1,200 requests in 30 s: p99 is firm, its interval"));
        m.tests[0].process = ArrivalProcess::Gamma;
        m.tests[0].cv = 8; // 8 / sqrt(480)
        QVERIFY(QString::fromStdString(expectedEvidence(expand(m).value())[1].text)
                    .startsWith("480 requests, give or take 37 %, in 30 s: p99 is weak"));
        QVERIFY(!levels[3].requests);
        QCOMPARE(QString::fromStdString(levels[3].text),
                 QString("p99 has an interval from 12 requests/s on and is firm from 33 requests/s on (1,000 "
                         "in 30 s)"));
    }

    void theLongestWindowCounts()
    {
        Matrix m;
        m.tests.resize(1);
        m.tests[0].kind = TestKind::ArrivalSweep;
        m.tests[0].ratesPerS = {10};
        m.measurement.untilStable = true;
        m.measurement.maxDurationS = 100;
        const Plan plan = expand(m).value();
        QCOMPARE(*expectedEvidence(plan)[0].requests, 1000.0);
        m.measurement.maxRequests = 400;
        QCOMPARE(*expectedEvidence(expand(m).value())[0].requests, 400.0);
    }

    void aBurstIsToldByItsBaseline()
    {
        Matrix m;
        m.tests.resize(1);
        m.tests[0].kind = TestKind::BurstRecovery; // 4/s for 20 s
        QCOMPARE(*expectedEvidence(expand(m).value())[0].requests, 80.0);
    }
};

QTEST_GUILESS_MAIN(EvidenceTest)
#include "tst_evidence.moc"
