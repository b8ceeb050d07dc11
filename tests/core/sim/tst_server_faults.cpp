// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "live_server.h"
#include "patience.h"

using namespace tailmark::sim;

/// What a client meets when a fault is injected, on streams and whole answers, and what the truth log says of
/// it.
class TestServerFaults : public QObject
{
    Q_OBJECT

private slots:
    void status();
    void stall();
    void stallOfAWholeAnswer();
    void hang();
    void cut();
    void cutBeforeTheFirstToken();
    void cutThatComesTooLate();
    void error();
    void garbage();
    void slowStart();
    void noUsage();
    void shareLeavesTheRestAlone();
    void engineIsFreeAfterFaults_data();
    void engineIsFreeAfterFaults();
};

static const std::string kStream =
    R"({"messages":[{"role":"user","content":"x"}],"ignore_eos":true,"max_tokens":10,"stream":true,"stream_options":{"include_usage":true}})";
static const std::string kWhole =
    R"({"messages":[{"role":"user","content":"x"}],"ignore_eos":true,"max_tokens":10})";
static const std::string kId = "X-Request-Id: r\r\n";

/// Chunks with text.
static int tokenEvents(const Reply& reply)
{
    int count = 0;
    for (const auto& event : reply.events())
        count += event.contains("choices") && !event["choices"].empty() &&
                 !event["choices"][0]["delta"].value("content", "").empty();
    return count;
}

void TestServerFaults::status()
{
    const TestServer server("status:503@1");
    for (const std::string& body : {kStream, kWhole}) {
        const Reply reply = server.post(kChat, body, kId);
        QCOMPARE(reply.status, 503);
        QCOMPARE(reply.json()["error"]["code"], 503);
    }
    QCOMPARE(server.truth("r").at("http_status"), std::string("503"));
    QCOMPARE(server.truth("r").at("fault"), std::string("status"));
    QCOMPARE(server.get("/health").status, 200);
    QCOMPARE(TestServer("status:418").post(kChat, kWhole).status, 418);
}

void TestServerFaults::stall()
{
    const TestServer server("stall:0.3@1");
    RawClient client(server.port());
    QElapsedTimer timer;
    timer.start();
    client.post(kChat, kStream, kId);
    const Reply reply = client.read();
    QVERIFY(reply.done());
    QCOMPARE(tokenEvents(reply), 10);
    QVERIFY(timer.elapsed() >= 300);
    const auto truth = server.truth("r");
    QCOMPARE(truth.at("fault"), std::string("stall"));
    QCOMPARE(truth.at("token_events"), std::string("10"));
    const auto between =
        std::stoll(truth.at("last_token_written_ns")) - std::stoll(truth.at("first_token_written_ns"));
    QVERIFY2(between >= 300'000'000, "the stall lies inside the stream");
}

void TestServerFaults::stallOfAWholeAnswer()
{
    const TestServer server("stall:0.3@1");
    QElapsedTimer timer;
    timer.start();
    const Reply reply = server.post(kChat, kWhole);
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.json()["usage"]["completion_tokens"], 10);
    QVERIFY(timer.elapsed() >= 300);
}

void TestServerFaults::hang()
{
    TestServer server("hang@1");
    RawClient client(server.port());
    client.post(kChat, kStream, kId);
    QVERIFY(!client.readSome(200));
    client.disconnect();
    const auto truth = server.truth("r");
    QCOMPARE(truth.at("http_status"), std::string("0"));
    QCOMPARE(truth.at("fault"), std::string("hang"));
    QCOMPARE(truth.at("finish_reason"), std::string("abort"));
}

void TestServerFaults::cut()
{
    const TestServer server("cut:4@1");
    const Reply stream = server.post(kChat, kStream, kId);
    QCOMPARE(stream.status, 200);
    QVERIFY(!stream.complete && stream.closed);
    QCOMPARE(tokenEvents(stream), 4);
    for (const auto& event : stream.events())
        QVERIFY(event["choices"][0]["finish_reason"].is_null());
    const auto truth = server.truth("r");
    QCOMPARE(truth.at("fault"), std::string("cut"));
    QCOMPARE(truth.at("token_events"), std::string("4"));
    QCOMPARE(truth.at("finish_reason"), std::string("abort"));
    const Reply whole = server.post(kChat, kWhole);
    QCOMPARE(whole.status, 200);
    QVERIFY(!whole.complete && whole.closed);
}

void TestServerFaults::cutBeforeTheFirstToken()
{
    const TestServer server("cut:0@1");
    const Reply reply = server.post(kChat, kStream);
    QCOMPARE(reply.status, 200);
    QVERIFY(!reply.complete);
    QCOMPARE(tokenEvents(reply), 0);
}

void TestServerFaults::cutThatComesTooLate()
{
    const TestServer server("cut:10@1");
    QVERIFY(server.post(kChat, kStream, kId).done()); // the tenth chunk was the last
    QCOMPARE(server.truth("r").at("fault"), std::string());
}

void TestServerFaults::error()
{
    const TestServer server("error:3@1");
    const Reply stream = server.post(kChat, kStream, kId);
    QCOMPARE(stream.status, 200);
    QVERIFY(stream.complete && stream.done());
    QCOMPARE(tokenEvents(stream), 3);
    QCOMPARE(stream.events().back()["error"]["code"], 500);
    QCOMPARE(server.truth("r").at("fault"), std::string("error"));
    QCOMPARE(server.truth("r").at("finish_reason"), std::string("abort"));
    const Reply whole = server.post(kChat, kWhole);
    QCOMPARE(whole.status, 500);
    QCOMPARE(whole.json()["error"]["code"], 500);
}

void TestServerFaults::garbage()
{
    const TestServer server("garbage@1");
    for (const std::string& body : {kStream, kWhole}) {
        const Reply reply = server.post(kChat, body, kId);
        QCOMPARE(reply.status, 200);
        QVERIFY(reply.complete);
        QVERIFY(!reply.body.empty());
        QVERIFY(reply.body.find("data:") == std::string::npos);
        QVERIFY(reply.json().is_discarded());
    }
    QCOMPARE(server.truth("r").at("fault"), std::string("garbage"));
    QCOMPARE(server.truth("r").at("output_tokens"), std::string("0"));
}

void TestServerFaults::slowStart()
{
    const TestServer server("slow-start:0.5");
    QCOMPARE(server.get("/health").status, 503);
    QCOMPARE(server.get("/v1/models").status, 503);
    const Reply early = server.post(kChat, kWhole, kId);
    QCOMPARE(early.status, 503);
    QCOMPARE(early.json()["error"]["code"], 503);
    QCOMPARE(server.truth("r").at("http_status"), std::string("503"));
    QTRY_COMPARE_WITH_TIMEOUT(server.get("/health").status, 200, 20'000);
    QCOMPARE(server.post(kChat, kWhole).status, 200);
}

void TestServerFaults::noUsage()
{
    const TestServer server("no-usage@1");
    const Reply stream = server.post(kChat, kStream, kId);
    QVERIFY(stream.done());
    for (const auto& event : stream.events())
        QVERIFY(!event.contains("usage"));
    QCOMPARE(server.truth("r").at("fault"), std::string("no-usage"));
    const Reply whole = server.post(kChat, kWhole);
    QCOMPARE(whole.status, 200);
    QVERIFY(!whole.json().contains("usage"));
    std::string continuous = kStream;
    continuous.insert(continuous.find("\"include_usage\""), R"("continuous_usage_stats":true,)");
    for (const auto& event : server.post(kChat, continuous).events())
        QVERIFY(!event.contains("usage"));
}

void TestServerFaults::shareLeavesTheRestAlone()
{
    const TestServer server("status:500@0.5");
    int failed = 0;
    for (int i = 0; i < 60; ++i)
        failed +=
            server.post(kChat, R"({"messages":[{"role":"user","content":"x"}],"max_tokens":1})").status ==
            500;
    QVERIFY2(failed >= 15 && failed <= 45, qPrintable(QString::number(failed)));
}

void TestServerFaults::engineIsFreeAfterFaults_data()
{
    QTest::addColumn<QByteArray>("fault");
    for (const char* fault : {"status:500", "stall:0.05", "cut:2", "error:2", "garbage", "no-usage"})
        QTest::newRow(fault) << QByteArray(fault);
}

void TestServerFaults::engineIsFreeAfterFaults()
{
    QFETCH(QByteArray, fault);
    const TestServer server(fault.constData());
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<RawClient>(server.port()));
        clients.back()->post(kChat, i % 2 ? kStream : kWhole);
    }
    for (const auto& client : clients)
        client->read();
    TRY_COMPARE(int(server.truthRows().size()), 20);
    QCOMPARE(server.metric("vllm:num_requests_running"), 0.0);
    QCOMPARE(server.metric("vllm:num_requests_waiting"), 0.0);
    QCOMPARE(server.metric("vllm:kv_cache_usage_perc"), 0.0);
}

QTEST_GUILESS_MAIN(TestServerFaults)
#include "tst_server_faults.moc"
