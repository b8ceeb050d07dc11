// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/response_reader.h"

#include <QtTest>

using namespace tailmark;
using namespace std::chrono_literals;

namespace {

struct Sink : TokenSink
{
    std::vector<TokenEvent> events;
    void onTokenEvent(const TokenEvent& event) override { events.push_back(event); }
};

std::string chunk(const std::string& text)
{
    return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
}

} // namespace

/// What the response cases do not show: whole responses, reads and stamps, use again.
class TestResponseReader : public QObject
{
    Q_OBJECT

private slots:
    void eventsSayWhoseTheyAre()
    {
        RequestRecord record;
        Sink sink;
        ResponseReader reader;
        reader.reset(true, 0s, &record, &sink);
        reader.onHeaders(200, "text/event-stream");
        std::string stream;
        for (int i = 0; i < 6; ++i)
            stream += "data: {\"choices\":[{\"index\":" + std::to_string(i % 3) +
                      ",\"delta\":{\"content\":\"a\"}}]}\n\n";
        reader.feed(stream.data(), stream.size(), 10ms);
        QCOMPARE(sink.events.size(), std::size_t{6});
        for (int i = 0; i < 6; ++i)
            QCOMPARE(sink.events[static_cast<std::size_t>(i)].choice, i % 3);
        // each choice has to come to its end
        const std::string one =
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
        reader.feed(one.data(), one.size(), 20ms);
        reader.finish(true);
        QCOMPARE(record.outcome, Outcome::Truncated);
    }

    void wholeResponse_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("outcome");
        QTest::addColumn<int>("outputTokens");
        QTest::addColumn<QByteArray>("finish");
        const auto row = [](const char* name, const char* body, const char* outcome, int tokens,
                            const char* finish) {
            QTest::newRow(name) << QByteArray(body) << QByteArray(outcome) << tokens << QByteArray(finish);
        };
        row("chat",
            R"({"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"length"}],"usage":{"prompt_tokens":7,"completion_tokens":4}})",
            "completed", 4, "length");
        row("completions",
            R"({"choices":[{"index":0,"text":"hi","finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":1}})",
            "completed", 1, "stop");
        row("reasoning only",
            R"({"choices":[{"message":{"content":null,"reasoning_content":"hm"},"finish_reason":"length"}]})",
            "completed", -1, "length");
        row("token ids",
            R"({"choices":[{"message":{"content":"x"},"token_ids":[1,2,3],"finish_reason":"stop"}]})",
            "completed", 3, "stop");
        row("tool call",
            R"({"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]})",
            "completed", -1, "tool_calls");
        row("empty",
            R"({"choices":[{"message":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":0}})",
            "no_content", 0, "stop");
        row("error", R"({"error":{"message":"broken","code":500}})", "server_error", -1, "");
        row("overload", R"({"error":{"message":"broken","code":503}})", "rejected", -1, "");
        row("abort", R"({"choices":[{"message":{"content":"a"},"finish_reason":"abort"}]})", "server_error",
            -1, "abort");
        row("cut", "{\"choices\":[{\"message\":{\"con", "malformed", -1, "");
    }
    void wholeResponse()
    {
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, outcome);
        QFETCH(int, outputTokens);
        QFETCH(QByteArray, finish);
        RequestRecord record;
        ResponseReader reader;
        reader.reset(false, 1s, &record, nullptr);
        reader.onHeaders(200, "application/json");
        reader.feed(body.data(), 10, 1s + 30ms);
        reader.feed(body.data() + 10, std::size_t(body.size() - 10), 1s + 50ms);
        reader.finish(true);
        QCOMPARE(QByteArray(outcomeId(record.outcome).data()), outcome);
        QCOMPARE(record.outputTokens, outputTokens);
        QCOMPARE(QByteArray(finishReasonId(record.finishReason).data()), finish);
        QCOMPARE(reader.errorText().empty(), outcome == "completed");
        // no time to first token: its answer came whole
        QVERIFY(!isPresent(record.firstToken) && !isPresent(record.firstAnswerToken) &&
                !isPresent(record.firstEvent));
        QCOMPARE(record.tokenEvents, 0);
        if (outcome == "completed")
            QCOMPARE(record.lastToken, Nanoseconds(50ms));
    }

    void wholeResponseCutByTheTransport()
    {
        RequestRecord record;
        ResponseReader reader;
        reader.reset(false, 0s, &record, nullptr);
        reader.onHeaders(200, "application/json");
        reader.feed("{}", 2, 1ms);
        reader.finish(false);
        QCOMPARE(record.outcome, Outcome::Truncated);
    }

    void streamThoughNoneWasAsked()
    {
        RequestRecord record;
        ResponseReader reader;
        reader.reset(false, 0s, &record, nullptr);
        reader.onHeaders(200, "text/event-stream");
        reader.finish(true);
        QCOMPARE(record.outcome, Outcome::Malformed);
    }

    /// Said to be an event stream, and is none; comments alone are one that was cut off.
    void rubbishUnderTheRightType()
    {
        for (const auto& [body, outcome] :
             {std::pair<std::string_view, Outcome>("<html>no\xff events</html>\r\n", Outcome::Malformed),
              {"<html>no line end", Outcome::Malformed},
              {": ping\n\nid: 4\nretry: 10\n\n", Outcome::Truncated}}) {
            RequestRecord record;
            ResponseReader reader;
            reader.reset(true, 0s, &record, nullptr);
            reader.onHeaders(200, "text/event-stream");
            reader.feed(body.data(), body.size(), 1ms);
            reader.finish(true);
            QCOMPARE(record.outcome, outcome);
        }
    }

    void noResponse()
    {
        RequestRecord record;
        ResponseReader reader;
        reader.reset(true, 0s, &record, nullptr);
        reader.finish(false);
        QCOMPARE(record.outcome, Outcome::Truncated);
        QCOMPARE(int(record.httpStatus), 0);
        QVERIFY(!reader.errorText().empty());
    }

    /// libcurl hands over each chunk of one network read in a call of its own: the stamp tells that they are
    /// one.
    void coalescedByStamp()
    {
        RequestRecord record;
        Sink sink;
        ResponseReader reader;
        reader.reset(true, 1s, &record, &sink);
        reader.onHeaders(200, "text/event-stream");
        const std::string one = chunk("a"), two = chunk("b") + chunk("c");
        reader.feed(one.data(), one.size(), 1s + 10ms);
        reader.feed(one.data(), one.size(), 1s + 10ms);
        reader.feed(two.data(), two.size(), 1s + 20ms);
        reader.feed(one.data(), one.size(), 1s + 30ms);
        std::vector<bool> coalesced;
        for (const TokenEvent& event : sink.events)
            coalesced.push_back(event.coalesced);
        QCOMPARE(coalesced, (std::vector<bool>{false, true, false, true, false}));
        QCOMPARE(record.coalescedEvents, 2);
        QCOMPARE(record.tokenEvents, 5);
        QCOMPARE(record.firstToken, Nanoseconds(10ms));
        QCOMPARE(record.lastToken, Nanoseconds(30ms));
    }

    /// A role chunk that shares its read with the first token makes no gap false.
    void roleAndFirstTokenInOneRead()
    {
        RequestRecord record;
        Sink sink;
        ResponseReader reader;
        reader.reset(true, 0s, &record, &sink);
        reader.onHeaders(200, "text/event-stream");
        const std::string read =
            R"(data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]})" +
            ("\n\n" + chunk("a"));
        reader.feed(read.data(), read.size(), 5ms);
        QCOMPARE(record.coalescedEvents, 0);
        QCOMPARE(record.tokenEvents, 1);
    }

    void useAgain()
    {
        ResponseReader reader;
        RequestRecord first;
        reader.reset(true, 0s, &first, nullptr);
        reader.onHeaders(200, "text/event-stream");
        const std::string cut = chunk("a") + "event: error\ndata: {\"choi";
        reader.feed(cut.data(), cut.size(), 5ms);
        reader.finish(false);
        QCOMPARE(first.outcome, Outcome::ServerError);

        RequestRecord second;
        reader.reset(true, 0s, &second, nullptr);
        reader.onHeaders(200, "text/event-stream");
        const std::string good = chunk("a") + "data: [DONE]\n\n";
        reader.feed(good.data(), good.size(), 7ms);
        reader.finish(true);
        QCOMPARE(second.outcome, Outcome::Completed);
        QVERIFY(reader.errorText().empty());
        QCOMPARE(second.malformedEvents, 0);
        QCOMPARE(second.firstEvent, Nanoseconds(7ms));
        QCOMPARE(second.outputTokens, kUnknownCount);

        RequestRecord refused;
        reader.reset(true, 0s, &refused, nullptr);
        reader.onHeaders(404, "application/json");
        reader.feed("{\"detail\":\"x\"}", 14, 7ms);
        reader.finish(true);
        QCOMPARE(refused.outcome, Outcome::ClientError);
        QCOMPARE(reader.errorText(), std::string("HTTP 404: x"));
    }

    /// A finished answer is one even when the connection then breaks.
    void connectionBreaksAfterTheEnd()
    {
        RequestRecord record;
        ResponseReader reader;
        reader.reset(true, 0s, &record, nullptr);
        reader.onHeaders(200, "Text/Event-Stream; charset=utf-8");
        const std::string body = chunk("a") + "data: [DONE]\n\n";
        reader.feed(body.data(), body.size(), 5ms);
        reader.finish(false);
        QCOMPARE(record.outcome, Outcome::Completed);
    }
};

QTEST_GUILESS_MAIN(TestResponseReader)
#include "tst_response_reader.moc"
