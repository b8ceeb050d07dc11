// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/timestamp.h"

#include <QtTest>

using namespace tailmark;

class TimestampTest : public QObject
{
    Q_OBJECT

private slots:
    void times_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("ns");
        const qint64 second = 1'700'158'623; // 2023-11-16 18:17:03 UTC
        const qint64 ns = second * 1'000'000'000;
        QTest::newRow("whole second") << "2023-11-16 18:17:03" << ns;
        QTest::newRow("seven digits") << "2023-11-16 18:17:03.9799600" << ns + 979'960'000;
        QTest::newRow("100 ns") << "2023-11-16 18:17:03.0000001" << ns + 100;
        QTest::newRow("one digit") << "2023-11-16 18:17:03.5" << ns + 500'000'000;
        QTest::newRow("nine digits") << "2023-11-16 18:17:03.123456789" << ns + 123'456'789;
        QTest::newRow("twelve digits") << "2023-11-16 18:17:03.123456789999" << ns + 123'456'789;
        QTest::newRow("comma") << "2023-11-16 18:17:03,25" << ns + 250'000'000;
        QTest::newRow("T and Z") << "2023-11-16T18:17:03.5Z" << ns + 500'000'000;
        QTest::newRow("UTC offset") << "2023-11-16 18:17:03.009930+00:00" << ns + 9'930'000;
        QTest::newRow("offset without fraction") << "2023-11-16 18:17:03+00:00" << ns;
        QTest::newRow("east") << "2023-11-16 20:17:03+02:00" << ns;
        QTest::newRow("west, half an hour") << "2023-11-16 14:47:03-0330" << ns;
        QTest::newRow("hours only") << "2023-11-16 20:17:03+02" << ns;
        QTest::newRow("epoch") << "1970-01-01 00:00:00" << qint64(0);
        QTest::newRow("leap day") << "2024-02-29 00:00:00" << qint64(1'709'164'800'000'000'000);
    }
    void times()
    {
        QFETCH(QString, text);
        const auto time = parseTimestamp(text.toStdString());
        QVERIFY(time.has_value());
        QTEST(static_cast<qint64>(time->count()), "ns");
    }

    void noTimes_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"",
                                 "not a date",
                                 "2025-13-40 09:00:10",
                                 "2025-02-30 09:00:00",
                                 "2023-02-29 00:00:00",
                                 "2025-00-10 00:00:00",
                                 "2025-01-01",
                                 "2025-01-01 24:00:00",
                                 "2025-01-01 09:60:00",
                                 "2025-01-01 09:00:60",
                                 "2025-01-01 09:00:0",
                                 "2025-01-01 09:00:00.",
                                 "2025-01-01 09:00:00 x",
                                 "2025-01-01 09:00:00+",
                                 "2025-01-01 09:00:00+99:00",
                                 "2025-01-01 09:00:00+02:",
                                 "2025-01-01 09:00:00ZZ",
                                 "1025-01-01 09:00:00",
                                 "9999-01-01 09:00:00",
                                 "25-01-01 09:00:00",
                                 "2025/01/01 09:00:00",
                                 "123456789",
                                 "-2025-01-01 09:00:00"})
            QTest::newRow(*text ? text : "empty") << QString::fromLatin1(text);
    }
    void noTimes()
    {
        QFETCH(QString, text);
        QVERIFY(!parseTimestamp(text.toStdString()).has_value());
    }
};

QTEST_GUILESS_MAIN(TimestampTest)
#include "tst_timestamp.moc"
