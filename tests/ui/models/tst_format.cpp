// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/format.h"

#include <QLocale>
#include <QTest>

#include <cmath>

using namespace tailmark;
using namespace tailmark::ui;

class TestFormat : public QObject
{
    Q_OBJECT

private slots:
    void init() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void numbers_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("all digits before the point") << 6444.4 << QStringLiteral("6,444");
        QTest::newRow("more than four of them") << 123456.7 << QStringLiteral("123,457");
        QTest::newRow("four significant") << 1.23456 << QStringLiteral("1.235");
        QTest::newRow("no trailing zeros") << 44.3 << QStringLiteral("44.3");
        QTest::newRow("small") << 0.012346 << QStringLiteral("0.01235");
        QTest::newRow("zero") << 0.0 << QStringLiteral("0");
        QTest::newRow("whole") << 200.0 << QStringLiteral("200");
        QTest::newRow("not a number") << std::nan("") << QStringLiteral("–");
        QTest::newRow("infinite") << HUGE_VAL << QStringLiteral("∞");
    }
    void numbers()
    {
        QFETCH(double, value);
        QTEST(formatNumber(value), "text");
    }

    void followTheLocale()
    {
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        QCOMPARE(formatNumber(6444.4), QStringLiteral("6.444"));
        QCOMPARE(formatNumber(1.5), QStringLiteral("1,5"));
    }

    void unitsStayWithTheirNumber()
    {
        QCOMPARE(formatValue(1450.0, "ms"), QStringLiteral("1,450\u00a0ms"));
        QCOMPARE(formatValue(std::nullopt, "ms"), QStringLiteral("–"));
        QCOMPARE(formatMetric(Metric::SloAttainment, 0.5), QStringLiteral("50\u00a0%"));
    }

    /// A share that is not all must not read as all.
    void sharesNearOne()
    {
        QCOMPARE(formatShare(1.0), QStringLiteral("100\u00a0%"));
        QCOMPARE(formatShare(0.9997), QStringLiteral("99.97\u00a0%"));
        QVERIFY(formatShare(0.99999) != formatShare(1.0));
    }

    void changesCarryTheirSign()
    {
        QCOMPARE(formatChange(0.25), QStringLiteral("+25\u00a0%"));
        QCOMPARE(formatChange(-0.2), QStringLiteral("−20\u00a0%"));
        QCOMPARE(formatRatio(1.25), QStringLiteral("1.25×"));
    }

    void loadsAndPercentiles()
    {
        QCOMPARE(formatLoad({LoadAxis::Concurrency, 32}), QStringLiteral("32 concurrent"));
        QCOMPARE(formatLoad({LoadAxis::RatePerS, 0.5}), QStringLiteral("0.5 req/s"));
        QCOMPARE(percentileName(99), QStringLiteral("p99"));
        QCOMPARE(percentileName(99.9), QStringLiteral("p99.9"));
        QCOMPARE(percentileName(99.99999), QStringLiteral("p99.99999"));
    }
};

QTEST_GUILESS_MAIN(TestFormat)
#include "tst_format.moc"
