// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/estimate.h"

#include <QTest>

using namespace tailmark;

class TestEstimatePlan : public QObject
{
    Q_OBJECT

    static Matrix matrixOf(TestKind kind)
    {
        Matrix matrix;
        matrix.measurement.warmupS = 5;
        matrix.measurement.durationS = 30;
        matrix.measurement.cooldownS = 2;
        matrix.measurement.repeats = 2;
        matrix.tests.resize(1);
        matrix.tests[0].kind = kind;
        return matrix;
    }

private slots:
    void anOpenLoopFixesItsRequests()
    {
        Matrix matrix = matrixOf(TestKind::ArrivalSweep);
        matrix.tests[0].ratesPerS = {2, 6};
        const auto estimate = estimateTest(matrix, 0);
        QVERIFY(estimate.ok());
        QCOMPARE(estimate.value().points, 4);
        QCOMPARE(estimate.value().seconds, 4 * 37.0);
        QCOMPARE(estimate.value().requests.value(), 2 * (2 + 6) * 35.0);
    }

    void aClosedLoopDoesNot()
    {
        const auto estimate = estimateTest(matrixOf(TestKind::ConcurrencySweep), 0);
        QVERIFY(estimate.ok());
        QCOMPARE(estimate.value().points, 16);
        QVERIFY(!estimate.value().requests.has_value());
    }

    void aDisabledTestIsEstimatedToo()
    {
        Matrix matrix = matrixOf(TestKind::FixedShape);
        matrix.tests.push_back(matrix.tests[0]);
        matrix.tests[1].enabled = false;
        const auto estimate = estimateTest(matrix, 1);
        QVERIFY(estimate.ok());
        QCOMPARE(estimate.value().points, 2);
    }

    void aWrongValueIsAnError()
    {
        Matrix matrix = matrixOf(TestKind::ArrivalSweep);
        matrix.tests[0].ratesPerS.clear();
        QVERIFY(!estimateTest(matrix, 0).ok());
    }
};

QTEST_GUILESS_MAIN(TestEstimatePlan)
#include "tst_estimate.moc"
