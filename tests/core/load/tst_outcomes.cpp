// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_fixture.h"

#include <QtTest>

using namespace tailmark;
using namespace tailmark::test;
using namespace std::chrono_literals;

using Script = std::function<void(Exchange&)>;
Q_DECLARE_METATYPE(Script)

/// Whatever the server does, each request ends in the one outcome that names it.
class OutcomesTest : public QObject
{
    Q_OBJECT

private slots:
    void namesEachOutcome_data();
    void namesEachOutcome();
    void readsWholeResponses();
    void serverThatIsDown_data();
    void serverThatIsDown();
    void serverThatNeverAnswers();
    void serverThatDoesNotAccept();
    void silenceInsideAStream();
    void longStreamsMayLast();
    void totalLimitKeepsWhatCame();
    void serverThatClosesAfterEachResponse();
    void closedConnectionIsRetriedOnce();
    void serverThatClosesOnEveryRequest();
    void hostWithoutAddress();
};

void OutcomesTest::namesEachOutcome_data()
{
    QTest::addColumn<Script>("script");
    QTest::addColumn<QString>("outcome");
    QTest::addColumn<int>("status");
    const auto row = [](const char* name, Script script, const char* outcome, int status) {
        QTest::newRow(name) << script << QString(outcome) << status;
    };
    const auto json = [](const char* status, const char* text) -> Script {
        return [=](Exchange& e) { e.respond(status, "application/json", text); };
    };
    row(
        "a stream", [](Exchange& e) { answer(e); }, "completed", 200);
    row("429", json("429 Too Many Requests", "{\"error\":{\"message\":\"slow down\"}}"), "rejected", 429);
    row("503", json("503 Service Unavailable", "busy"), "rejected", 503);
    row("400", json("400 Bad Request", "{\"error\":{\"message\":\"too long\"}}"), "client_error", 400);
    row("redirect", json("302 Found\r\nLocation: http://127.0.0.1:9/", ""), "client_error", 302);
    row("500", json("500 Internal Server Error", "{\"error\":\"dead\"}"), "server_error", 500);
    row(
        "an error inside a stream",
        [](Exchange& e) {
            e.beginStream();
            e.chunk("data: {\"error\":{\"message\":\"dead\",\"code\":500}}\n\ndata: [DONE]\n\n");
            e.endStream();
        },
        "server_error", 200);
    row(
        "nothing in the stream",
        [](Exchange& e) {
            e.beginStream();
            e.chunk(closingEvents(1, 0));
            e.endStream();
        },
        "no_content", 200);
    row(
        "a cut inside the stream",
        [](Exchange& e) {
            e.beginStream();
            e.chunk(tokenEvent("t"));
            e.close();
        },
        "truncated", 200);
    row(
        "a cut before the headers end",
        [](Exchange& e) {
            e.send("HTTP/1.1 200 OK\r\nContent-Ty");
            e.close();
        },
        "truncated", 0);
    row(
        "no response at all", [](Exchange& e) { e.close(); }, "truncated", 0);
    row(
        "garbage",
        [](Exchange& e) {
            e.send("\x16\x03\x01 what?\r\n\r\n");
            e.close();
        },
        "malformed", 0);
    row(
        "a web page", [](Exchange& e) { e.respond("200 OK", "text/html", "<html></html>"); }, "malformed",
        200);
    row(
        "an interim response first",
        [](Exchange& e) {
            e.send("HTTP/1.1 102 Processing\r\n\r\n");
            answer(e);
        },
        "completed", 200);
    row(
        "trailers",
        [](Exchange& e) {
            e.beginStream();
            e.chunk(tokenEvent("t") + closingEvents(1, 1));
            e.send("0\r\nX-Trailer: yes\r\n\r\n");
        },
        "completed", 200);
    row(
        "until the connection closes",
        [](Exchange& e) {
            e.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
            e.send(tokenEvent("t") + closingEvents(1, 1));
            e.close();
        },
        "completed", 200);
}

void OutcomesTest::namesEachOutcome()
{
    QFETCH(Script, script);
    QFETCH(QString, outcome);
    QFETCH(int, status);
    ScriptedServer server(script);
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(closedLoop(2, 20s, 8)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QCOMPARE(batch.records.size(), 8U);
    QVERIFY(eachOnce(batch));
    for (const RequestRecord& record : batch.records) {
        QCOMPARE(QString::fromStdString(std::string(outcomeId(record.outcome))), outcome);
        QCOMPARE(int(record.httpStatus), status);
        QCOMPARE(batch.errorOf(record).empty(), record.outcome == Outcome::Completed);
        QVERIFY(isPresent(record.sent) && record.closed >= record.sent);
    }
    qInfo("%s", outcomesOf(batch).c_str());
}

void OutcomesTest::readsWholeResponses()
{
    ScriptedServer server([](Exchange& e) {
        e.pause(30ms);
        e.respond(
            "200 OK", "application/json",
            "{\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
            "\"content\":\"Hello\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,"
            "\"completion_tokens\":4}}");
    });
    Endpoint endpoint = endpointOf(server.url());
    endpoint.streaming = false;
    endpoint.limits.firstTokenTimeoutS = 0.01; // no such moment in a whole response
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(closedLoop(2, 20s, 4)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QCOMPARE(countOf(batch, Outcome::Completed), 4U);
    for (const RequestRecord& record : batch.records) {
        QCOMPARE(record.outputTokens, 4);
        QVERIFY(!isPresent(record.firstToken));
        QVERIFY(record.lastToken - record.sent >= 29ms);
    }
    QCOMPARE(generator.snapshot().accepted, 4U);
}

void OutcomesTest::serverThatIsDown_data()
{
    QTest::addColumn<bool>("open");
    QTest::newRow("open") << true;
    QTest::newRow("closed") << false;
}

void OutcomesTest::serverThatIsDown()
{
    QFETCH(bool, open);
    int port = 0;
    {
        const ScriptedServer gone(nullptr);
        port = gone.port();
    }
    LoadGenerator generator(endpointOf("http://localhost:" + std::to_string(port) + "/v1/chat/completions"),
                            {});
    QVERIFY(generator.begin(open ? openLoop(20, 10ms, 250ms) : closedLoop(3, 250ms)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY(eachOnce(batch));
    QVERIFY(open ? batch.records.size() == 20 : batch.records.size() >= 3 && batch.records.size() <= 9);
    QCOMPARE(countOf(batch, Outcome::ConnectFailed), batch.records.size());
    for (const RequestRecord& record : batch.records)
        QVERIFY(!isPresent(record.sent) && isPresent(record.closed));
    QVERIFY(batch.errorOf(batch.records[0]).starts_with("could not connect: Connection refused"));
    QCOMPARE(generator.snapshot().sent, 0U);
}

void OutcomesTest::serverThatNeverAnswers()
{
    ScriptedServer server([](Exchange& e) {
        while (e.pause(10ms)) {
        }
    });
    Endpoint endpoint = endpointOf(server.url());
    endpoint.limits.firstTokenTimeoutS = 0.2;
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(openLoop(1, 10ms, 50ms)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch, 5s));
    QCOMPARE(batch.records.size(), 1U);
    const RequestRecord& record = batch.records[0];
    QCOMPARE(record.outcome, Outcome::TimeoutFirstToken);
    QVERIFY(record.closed - record.sent >= 200ms && record.closed - record.sent < 2s);
    QCOMPARE(QString::fromStdString(std::string(batch.errorOf(record))), QString("no token within 0.2 s"));
}

void OutcomesTest::serverThatDoesNotAccept()
{
    const ScriptedServer server(nullptr, 0); // the first connections wait in its queue, the others outside
    Endpoint endpoint = endpointOf(server.url());
    endpoint.limits.connectTimeoutS = 0.3;
    endpoint.limits.firstTokenTimeoutS = 0.3;
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(openLoop(8, 1ms, 50ms)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch, 10s));
    QVERIFY(eachOnce(batch));
    QCOMPARE(batch.records.size(), 8U);
    QVERIFY2(countOf(batch, Outcome::TimeoutConnect) >= 4, outcomesOf(batch).c_str());
    QCOMPARE(countOf(batch, Outcome::TimeoutConnect) + countOf(batch, Outcome::TimeoutFirstToken), 8U);
}

void OutcomesTest::silenceInsideAStream()
{
    ScriptedServer server([](Exchange& e) {
        e.beginStream();
        e.chunk(tokenEvent("t"));
        while (e.pause(10ms)) {
        }
    });
    Endpoint endpoint = endpointOf(server.url());
    endpoint.limits.stallTimeoutS = 0.2;
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(closedLoop(2, 20s, 4)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch, 20s));
    QCOMPARE(countOf(batch, Outcome::TimeoutStall), 4U);
    for (const RequestRecord& record : batch.records)
        QCOMPARE(batch.chunksOf(record).size(), 1U);
}

void OutcomesTest::longStreamsMayLast()
{
    // every limit but the total one is shorter than the stream
    ScriptedServer server([](Exchange& e) { answer(e, 20, 50ms); });
    Endpoint endpoint = endpointOf(server.url());
    endpoint.limits.connectTimeoutS = endpoint.limits.firstTokenTimeoutS = endpoint.limits.stallTimeoutS =
        0.5;
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(closedLoop(2, 20s, 2)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY2(countOf(batch, Outcome::Completed) == 2, outcomesOf(batch).c_str());
}

void OutcomesTest::totalLimitKeepsWhatCame()
{
    ScriptedServer server([](Exchange& e) { answer(e, 40, 50ms); });
    Endpoint endpoint = endpointOf(server.url());
    endpoint.limits.totalTimeoutS = 0.5;
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(closedLoop(2, 20s, 2)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QCOMPARE(countOf(batch, Outcome::TimeoutTotal), 2U);
    for (const RequestRecord& record : batch.records) {
        QVERIFY(record.tokenEvents >= 2 && record.tokenEvents < 40);
        QCOMPARE(batch.chunksOf(record).size(), static_cast<std::size_t>(record.tokenEvents));
        QVERIFY(isPresent(record.firstToken));
    }
}

void OutcomesTest::serverThatClosesAfterEachResponse()
{
    // as llama.cpp's server does after each stream, without saying so
    ScriptedServer server([](Exchange& e) {
        answer(e);
        e.close();
    });
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(closedLoop(8, 30s, 400)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY(eachOnce(batch));
    QVERIFY2(countOf(batch, Outcome::Completed) == 400, outcomesOf(batch).c_str());
    const auto resent = static_cast<std::uint64_t>(std::count_if(
        batch.records.begin(), batch.records.end(), [](const auto& r) { return r.resentAfterStale; }));
    QCOMPARE(generator.health().staleConnections, resent);
    qInfo("%llu of 400 were sent again on a fresh connection", static_cast<unsigned long long>(resent));
}

void OutcomesTest::closedConnectionIsRetriedOnce()
{
    // the second request on a connection finds it dead
    ScriptedServer server([](Exchange& e) {
        if (e.onConnection == 0)
            answer(e);
        else
            e.close();
    });
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(closedLoop(1, 30s, 20)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY2(countOf(batch, Outcome::Completed) == 20, outcomesOf(batch).c_str());
    QCOMPARE(generator.health().staleConnections, 19U);
    QCOMPARE(server.requests(), 20 + 19);
    for (const RequestRecord& record : batch.records) {
        QCOMPARE(record.resentAfterStale, record.request > 0);
        QVERIFY(record.newConnection);
    }
    QCOMPARE(generator.snapshot().sent, 20U);
}

void OutcomesTest::serverThatClosesOnEveryRequest()
{
    ScriptedServer server([](Exchange& e) { e.close(); });
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(closedLoop(2, 30s, 30)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QCOMPARE(countOf(batch, Outcome::Truncated), 30U);
    QCOMPARE(server.requests(), 30); // a fresh connection that dies is the server's doing
}

void OutcomesTest::hostWithoutAddress()
{
    LoadGenerator generator(endpointOf("http://no-such-host.invalid/v1"), {});
    const Status status = generator.begin(closedLoop(1, 1s));
    QVERIFY(!status.ok());
    QCOMPARE(status.error().code, ErrorCode::Unreachable);
    LoadGenerator other(endpointOf("ftp://127.0.0.1/v1"), {});
    QCOMPARE(other.begin(closedLoop(1, 1s)).error().code, ErrorCode::BadInput);
}

QTEST_GUILESS_MAIN(OutcomesTest)
#include "tst_outcomes.moc"
