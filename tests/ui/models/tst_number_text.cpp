// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/number_text.h"

#include <QLocale>
#include <QTest>

using namespace tailmark::ui;

class TestNumberText : public QObject
{
    Q_OBJECT

private slots:
    void init() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void durations()
    {
        QCOMPARE(durationText(0.4), "0 s");
        QCOMPARE(durationText(99.4), "99 s");
        QCOMPARE(durationText(100), "2 min");
        QCOMPARE(durationText(59 * 60), "59 min");
        QCOMPARE(durationText(2 * 3600 + 5 * 60), "2 h 05 min");
    }

    void counts()
    {
        QCOMPARE(countText(740), "740");
        QCOMPARE(countText(12'400), "12,400");
        QCOMPARE(countText(310'000), "310 k");
        QCOMPARE(countText(1'948'800), "1.9 M");
    }

    void editTextReadsBack_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("whole") << 64.0 << "64";
        QTest::newRow("decimal") << 0.25 << "0.25";
        QTest::newRow("large") << 8'000'000'000.0 << "8000000000";
        QTest::newRow("tiny") << 1e-7 << "1E-07";
        QTest::newRow("zero") << 0.0 << "0";
    }
    void editTextReadsBack()
    {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(editText(value), text);
        QCOMPARE(numberFromText(editText(value)).value_or(-1), value);
    }

    void readsWhatPeopleType()
    {
        QCOMPARE(numberFromText(u" 2.5 ").value_or(0), 2.5);
        QCOMPARE(numberFromText(u"1e3").value_or(0), 1000.0);
        QVERIFY(!numberFromText(u"1,000"));
        QVERIFY(!numberFromText(u"12x"));
        QVERIFY(!numberFromText(u""));
        QVERIFY(!numberFromText(u"inf"));
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        QCOMPARE(numberFromText(u"2,5").value_or(0), 2.5);
        QCOMPARE(numberFromText(u"2.5").value_or(0), 2.5);
        QCOMPARE(editText(2.5), "2,5");
    }
};

QTEST_GUILESS_MAIN(TestNumberText)
#include "tst_number_text.moc"
