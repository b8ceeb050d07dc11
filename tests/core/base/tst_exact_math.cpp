// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "base/exact_math.h"

#include <cmath>

#include <boost/math/distributions/normal.hpp>

using namespace tailmark;

namespace {

bool close(double value, double expected)
{
    return std::fabs(value - expected) <= 4e-15 * std::fabs(expected) + 1e-16;
}

} // namespace

class ExactMathTest : public QObject
{
    Q_OBJECT

private slots:
    void logAndExpAgreeWithTheLibrary()
    {
        for (double x = 1e-12; x < 1e12; x *= 1.37)
            QVERIFY2(std::fabs(exactLog(x) - std::log(x)) <= 4e-15 * std::max(1.0, std::fabs(std::log(x))),
                     qPrintable(QString::number(x)));
        for (double x = -30; x < 30; x += 0.0137)
            QVERIFY2(close(exactExp(x), std::exp(x)), qPrintable(QString::number(x)));
        QCOMPARE(exactLog(1), 0.0);
        QCOMPARE(exactExp(0), 1.0);
    }

    void sinAgreesWithTheLibrary()
    {
        for (double x = -1; x <= 1; x += 0.0011)
            QVERIFY(close(exactSin(x), std::sin(x)));
    }

    void normalQuantileAgreesWithBoost()
    {
        const boost::math::normal normal;
        for (const double p : {1e-16, 1e-12, 1e-9, 1e-4, 0.01, 0.05, 0.0749, 0.0751, 0.3, 0.7, 0.9, 0.95, 0.99,
                               0.9999, 1 - 0x1p-53})
            QVERIFY2(std::fabs(exactNormalQuantile(p) - boost::math::quantile(normal, p)) < 1e-12,
                     qPrintable(QString::number(p)));
        QCOMPARE(exactNormalQuantile(0.5), 0.0);
        QCOMPARE(exactNormalQuantile(0.25), -exactNormalQuantile(0.75));
    }

    /// The bits, not only the value: what a seed draws must not depend on the machine.
    void theBitsAreTheSameEverywhere()
    {
        QCOMPARE(QString::number(exactNormalQuantile(0.99), 'g', 17), QString("2.3263478740408399"));
        QCOMPARE(QString::number(exactLog(24000), 'g', 17), QString("10.085809109330082"));
        QCOMPARE(QString::number(exactExp(8.7), 'g', 17), QString("6002.9122172610178"));
    }
};

QTEST_GUILESS_MAIN(ExactMathTest)
#include "tst_exact_math.moc"
