// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/error_text.h"

#include <QtTest>

using namespace tailmark;

class TestErrorText : public QObject
{
    Q_OBJECT

private slots:
    void shapes_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("rejected");
        QTest::newRow("object") << QByteArray(R"({"error":{"message":"no","type":"x","code":404}})")
                                << QByteArray("no (404, x)") << false;
        QTest::newRow("string") << QByteArray(R"({"error":"no"})") << QByteArray("no") << false;
        QTest::newRow("flat") << QByteArray(R"({"object":"error","message":"no","code":503})")
                              << QByteArray("no (503)") << true;
        QTest::newRow("code as text")
            << QByteArray(R"({"error":{"message":"no","code":"429"}})") << QByteArray("no (429)") << true;
        QTest::newRow("type") << QByteArray(R"({"error":{"message":"no","type":"overloaded_error"}})")
                              << QByteArray("no (overloaded_error)") << true;
        QTest::newRow("words") << QByteArray(R"({"error":"The queue is full."})")
                               << QByteArray("The queue is full.") << true;
        QTest::newRow("queue wait") << QByteArray(
                                           R"({"error":{"message":"queue wait limit reached","code":504}})")
                                    << QByteArray("queue wait limit reached (504)") << false;
        QTest::newRow("detail") << QByteArray(R"({"detail":"Not Found"})") << QByteArray("Not Found")
                                << false;
        QTest::newRow("no message") << QByteArray(R"({"error":{"status":3}})")
                                    << QByteArray(R"({"status":3})") << false;
        QTest::newRow("html") << QByteArray("<html><h1>502  Bad\r\nGateway</h1>1 < 2</html>")
                              << QByteArray("502 Bad Gateway 1 < 2") << false;
        QTest::newRow("plain") << QByteArray("  not\tfound\n") << QByteArray("not found") << false;
        QTest::newRow("empty") << QByteArray() << QByteArray() << false;
        QTest::newRow("control") << QByteArray("a\x1b[31mb\x00", 8) << QByteArray("a [31mb") << false;
    }
    void shapes()
    {
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, text);
        QFETCH(bool, rejected);
        const ServerError error = readServerError(body.toStdString());
        QCOMPARE(QByteArray::fromStdString(error.text), text);
        QCOMPARE(error.rejected, rejected);
    }

    void deepAnswersAreTakenAsText()
    {
        const std::string deep = R"({"error":{"message":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}}";
        QVERIFY(readServerError(deep).text.starts_with("{"));
    }

    void cutsAtACharacter()
    {
        std::string text;
        for (int i = 0; i < 200; ++i)
            text += "é€";
        for (std::size_t limit = 10; limit < 40; ++limit) {
            const std::string line = plainLine(text, limit);
            QVERIFY(line.size() <= limit && line.ends_with("…"));
            QVERIFY(!QString::fromStdString(line).contains(QChar::ReplacementCharacter));
        }
        QCOMPARE(plainLine("short", 5), std::string("short"));
    }

    void aLineHidesSecrets()
    {
        QCOMPARE(plainLine("bad key: Bearer abcdef"), std::string("bad key: Bearer •••"));
        QCOMPARE(readServerError(R"({"error":"wrong api_key=abc"})").text, std::string("wrong api_key=•••"));
    }
};

QTEST_GUILESS_MAIN(TestErrorText)
#include "tst_error_text.moc"
