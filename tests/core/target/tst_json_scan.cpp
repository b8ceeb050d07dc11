// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/rng.h"
#include "target/json_scan.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

bool valid(std::string_view text)
{
    // exactly as long as the text, so that reading past its end shows in a memory checker
    const std::vector<char> exact(text.begin(), text.end());
    JsonCursor json(std::string_view(exact.data(), exact.size()));
    json.skip();
    return json.atEnd();
}

const char* const kEvent = "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":176,"
                           "\"x\":[1.5e-3,-0,true,false,null,{},[]],"
                           "\"choices\":[{\"index\":0,\"delta\":{\"content\":\" "
                           "s\\u00e9\\n\\\"\\\\ky\"},\"logprobs\":null}], \"t\" : \"long enough for words\"}";

} // namespace

class TestJsonScan : public QObject
{
    Q_OBJECT

private slots:
    void grammar_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"{}",
                                 "[]",
                                 " { } ",
                                 "[1]",
                                 "[1,2]",
                                 "[1,]",
                                 "[,1]",
                                 "[1 2]",
                                 "{\"a\":1}",
                                 "{\"a\":1,}",
                                 "{\"a\" 1}",
                                 "{a:1}",
                                 "{\"a\":}",
                                 "{\"a\"}",
                                 "{,}",
                                 "[",
                                 "{",
                                 "]",
                                 "}",
                                 "[}",
                                 "{]",
                                 "\"",
                                 "\"a",
                                 "\"a\"",
                                 "\"\\\"",
                                 "\"\\\"\"",
                                 "\"\\u12\"",
                                 "\"\\u12g4\"",
                                 "\"\\u12F4\"",
                                 "\"\\x\"",
                                 "\"\\",
                                 "\"a\tb\"",
                                 "\"12345678\\",
                                 "0",
                                 "-0",
                                 "-",
                                 "01",
                                 "1.",
                                 ".1",
                                 "1.5",
                                 "1e",
                                 "1e5",
                                 "1E+5",
                                 "1e-",
                                 "+1",
                                 "tru",
                                 "true",
                                 "truee",
                                 "nul",
                                 "null",
                                 "NaN",
                                 "",
                                 " ",
                                 "{} {}",
                                 "{}x",
                                 "[[[[]]]]",
                                 "[[[[]]]",
                                 "{\"a\":{\"b\":[{\"c\":null}]}}"})
            QTest::newRow(text) << QByteArray(text);
    }
    void grammar()
    {
        QFETCH(QByteArray, text);
        QCOMPARE(valid(text.toStdString()), nlohmann::json::accept(text.toStdString()));
    }

    /// Every one-byte change and every cut of an event is judged as a full parser judges it.
    void agreesWithAFullParser()
    {
        const std::string event = kEvent;
        QVERIFY(valid(event));
        for (std::size_t i = 0; i < event.size(); ++i) {
            QCOMPARE(valid(event.substr(0, i)), false);
            for (const char c : std::string("\"\\{}[],:0-.e tn\x01")) {
                std::string changed = event;
                changed[i] = c;
                if (valid(changed) != nlohmann::json::accept(changed))
                    QFAIL(changed.c_str());
            }
        }
        Rng rng(7);
        for (int n = 0; n < 20000; ++n) {
            std::string changed = event;
            for (int k = 0; k < 3; ++k)
                changed.erase(rng() % changed.size(), 1 + rng() % 3);
            if (valid(changed) != nlohmann::json::accept(changed))
                QFAIL(changed.c_str());
        }
    }

    void depthIsBounded()
    {
        QVERIFY(valid(std::string(100, '[') + std::string(100, ']')));
        QVERIFY(!valid(std::string(100000, '[')));
    }

    void reads()
    {
        JsonCursor json("{\"s\":\"a\\\"b\",\"n\":-12.7,\"big\":123456789012345678901,\"o\":{\"k\":[10,[],{}]}"
                        ",\"z\":null}");
        std::string_view key, text;
        std::int64_t number = 0;
        QVERIFY(!json.enterArray());
        QVERIFY(json.enterObject());
        QVERIFY(json.nextKey(key) && key == "s" && !json.integer(number) && json.string(text) &&
                text == "a\\\"b");
        QVERIFY(json.nextKey(key) && key == "n" && !json.string(text) && json.integer(number) &&
                number == -12);
        QVERIFY(json.nextKey(key) && key == "big" && json.integer(number) && number == 123456789012345678);
        QVERIFY(json.nextKey(key) && key == "o" && json.enterObject() && json.nextKey(key));
        QCOMPARE(json.countElements(), 3);
        QVERIFY(!json.nextKey(key));
        QVERIFY(json.nextKey(key) && key == "z" && json.isNull());
        QCOMPARE(json.countElements(), 0);
        QVERIFY(!json.nextKey(key) && json.atEnd());
    }

    void errorsEndLoops()
    {
        JsonCursor json("{\"a\":1 \"b\":2}");
        std::string_view key;
        QVERIFY(json.enterObject() && json.nextKey(key));
        json.skip();
        QVERIFY(!json.nextKey(key) && !json.nextKey(key) && !json.enterObject() && !json.atEnd());
    }
};

QTEST_GUILESS_MAIN(TestJsonScan)
#include "tst_json_scan.moc"
