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

    void durations()
    {
        QCOMPARE(formatDuration(0.4), "0 s");
        QCOMPARE(formatDuration(99.4), "99 s");
        QCOMPARE(formatDuration(100), "2 min");
        QCOMPARE(formatDuration(59 * 60), "59 min");
        QCOMPARE(formatDuration(2 * 3600 + 5 * 60), "2 h 05 min");
    }

    void setTimesAreNotRounded()
    {
        QCOMPARE(formatSeconds(1.5), QStringLiteral("1.5\u00a0s"));
        QCOMPARE(formatSeconds(600), QStringLiteral("600\u00a0s"));
    }

    void counts()
    {
        QCOMPARE(formatEstimate(740), "740");
        QCOMPARE(formatEstimate(12'400), "12,400");
        QCOMPARE(formatEstimate(310'000), "310 k");
        QCOMPARE(formatEstimate(1'948'800), "1.9 M");
    }

    void editableReadsBack_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("whole") << 64.0 << "64";
        QTest::newRow("decimal") << 0.25 << "0.25";
        QTest::newRow("large") << 8'000'000'000.0 << "8000000000";
        QTest::newRow("tiny") << 1e-7 << "1E-07";
        QTest::newRow("zero") << 0.0 << "0";
    }
    void editableReadsBack()
    {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(formatEditable(value), text);
        QCOMPARE(parseNumber(formatEditable(value)).value_or(-1), value);
    }

    void readsWhatPeopleType()
    {
        QCOMPARE(parseNumber(u" 2.5 ").value_or(0), 2.5);
        QCOMPARE(parseNumber(u"1e3").value_or(0), 1000.0);
        QVERIFY(!parseNumber(u"1,000"));
        QVERIFY(!parseNumber(u"12x"));
        QVERIFY(!parseNumber(u""));
        QVERIFY(!parseNumber(u"inf"));
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        QCOMPARE(parseNumber(u"2,5").value_or(0), 2.5);
        QCOMPARE(parseNumber(u"2.5").value_or(0), 2.5);
        QCOMPARE(formatEditable(2.5), "2,5");
    }
};

QTEST_GUILESS_MAIN(TestFormat)
#include "tst_format.moc"
