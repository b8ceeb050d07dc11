// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/text.h"

#include <limits>

#include <QTest>

using namespace tailmark;

class TextTest : public QObject
{
    Q_OBJECT

private slots:
    void numbers_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << 0.0 << "0";
        QTest::newRow("small") << 0.04567 << "0.0457";
        QTest::newRow("one") << 1.0 << "1";
        QTest::newRow("units") << 1.256 << "1.26";
        QTest::newRow("tens") << 44.27 << "44.3";
        QTest::newRow("rounds up a digit") << 99.96 << "100";
        QTest::newRow("thousands") << 6443.8 << "6,444";
        QTest::newRow("millions") << 1234567.0 << "1,234,567";
        QTest::newRow("negative") << -1234.4 << "-1,234";
        QTest::newRow("negative below a digit") << -0.0000000001 << "0";
        QTest::newRow("not a number") << std::numeric_limits<double>::quiet_NaN() << "unknown";
        QTest::newRow("infinite") << std::numeric_limits<double>::infinity() << "unknown";
    }
    void numbers()
    {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(figureText(value)), text);
    }

    void units()
    {
        QCOMPARE(countText(999), std::string("999"));
        QCOMPARE(countText(1000000), std::string("1,000,000"));
        QCOMPARE(durationText(250), std::string("250 ms"));
        QCOMPARE(durationText(1000), std::string("1 s"));
        QCOMPARE(durationText(1450), std::string("1.45 s"));
        QCOMPARE(percentText(0.9866), std::string("98.7 %"));
        QCOMPARE(percentText(1), std::string("100 %"));
        QCOMPARE(percentText(0.99949), std::string("99.9 %"));
        QCOMPARE(percentText(0.99998), std::string("99.998 %")); // not all
    }
};

QTEST_GUILESS_MAIN(TextTest)
#include "tst_text.moc"
