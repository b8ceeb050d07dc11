// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/error_text.h"

#include <QtTest>
#include <nlohmann/json.hpp>

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

    void hidesSecretsInText_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("hidden");
        const auto row = [](const char* text, const char* hidden) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(hidden);
        };
        row("Authorization: Bearer abc.DEF-123 refused", "Authorization: Bearer ••• refused");
        row("key sk-proj-abcdef123456 is wrong", "key ••• is wrong");
        row("GET /v1?key=abc123&x=1 answers 403", "GET /v1?key=•••&x=1 answers 403");
        row("{\"api_key\": \"abc\", \"n\": 1}", "{\"api_key\": \"•••\", \"n\": 1}");
        row("hf_abcdefghijklmn and hf_abcdefghijklmo", "••• and •••");
        row("max_tokens=5 and the task-force", "max_tokens=5 and the task-force");
        row("the key is missing", "the key is missing");
        row("http://me:p!ss@host:80/v1 and http://host/a@b", "http://•••@host:80/v1 and http://host/a@b");
        row("{'authorization': 'Bearer abc', \"password\":\"a!b c\"}",
            "{'authorization': 'Bearer •••', \"password\":\"•••\"}");
        row("bearer ", "bearer ");
        row("password=", "password=");
    }
    void hidesSecretsInText()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, hidden);
        QCOMPARE(QByteArray::fromStdString(hideSecrets(text.toStdString())), hidden);
    }

    void hidesSecretsInJson()
    {
        nlohmann::json json = {{"api_key", "a"},
                               {"admin_api_key", "b"},
                               {"tokenizer_path", "/models/x"},
                               {"eos_token_id", 2},
                               {"kv_bytes_per_token", 131072},
                               {"max_total_tokens", 4096},
                               {"launch_command", "python -m x --api-key c"},
                               {"nested", {{{"hf_token", "d"}, {"note", "Bearer eeee"}}}},
                               {"ssl_keyfile", nullptr},
                               {"password", nullptr}};
        hideSecrets(json);
        QCOMPARE(json["tokenizer_path"].get<std::string>(), std::string("/models/x"));
        QCOMPARE(json["eos_token_id"].get<int>(), 2);
        QCOMPARE(json["kv_bytes_per_token"].get<int>(), 131072);
        QCOMPARE(json["max_total_tokens"].get<int>(), 4096);
        QVERIFY(json["password"].is_null());
        for (const char* key : {"api_key", "admin_api_key", "launch_command"})
            QCOMPARE(json[key].get<std::string>(), std::string("•••"));
        QCOMPARE(json["nested"][0]["hf_token"].get<std::string>(), std::string("•••"));
        QCOMPARE(json["nested"][0]["note"].get<std::string>(), std::string("Bearer •••"));
    }
};

QTEST_GUILESS_MAIN(TestErrorText)
#include "tst_error_text.moc"
