// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "base/clock.h"
#include "live_server.h"

using namespace tailmark;
using namespace tailmark::sim;

/// Connections and what the truth log says of them: keep-alive, disconnects, slow readers, many streams.
class TestServerConnections : public QObject
{
    Q_OBJECT

private slots:
    void keepsConnectionsAlive();
    void answersRequestsSentAhead();
    void http10StreamEndsWithTheConnection();
    void continueIsSent();
    void clientDisconnectFreesTheSlot();
    void slowReaderGetsEverything();
    void truthOfARequest();
    void truthOfOpenRequestsAtTheEnd();
    void manyStreamsAtOnce();
    void portInUse();
    void truthFileThatCannotBe();
};

void TestServerConnections::keepsConnectionsAlive()
{
    const TestServer server;
    RawClient client(server.port());
    for (int i = 0; i < 3; ++i) {
        client.post(kChat, chatBody(R"("stream":true,"max_tokens":2)"));
        QVERIFY(client.read().done());
        client.get("/health");
        QCOMPARE(client.read().status, 200);
        client.post(kChat, "{");
        QCOMPARE(client.read().status, 400);
    }
    client.post(kChat, chatBody(R"("max_tokens":2)"), "Connection: close\r\n");
    const Reply last = client.read();
    QCOMPARE(last.status, 200);
    QCOMPARE(last.headers.at("connection"), std::string("close"));
    QVERIFY(!client.readSome());
}

void TestServerConnections::answersRequestsSentAhead()
{
    const TestServer server;
    RawClient client(server.port());
    for (int i = 0; i < 5; ++i)
        client.post(kChat, chatBody(R"("stream":true,"max_tokens":)" + std::to_string(i + 1)));
    for (int i = 0; i < 5; ++i)
        QCOMPARE(int(client.read().events().size()), i + 2);
}

void TestServerConnections::http10StreamEndsWithTheConnection()
{
    const TestServer server;
    RawClient client(server.port());
    const std::string body = chatBody(R"("stream":true,"max_tokens":2)");
    client.sendRaw("POST " + kChat + " HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: " +
                   std::to_string(body.size()) + "\r\n\r\n" + body);
    const Reply reply = client.read();
    QVERIFY(!reply.headers.contains("transfer-encoding"));
    QVERIFY(reply.complete && reply.done());
}

void TestServerConnections::continueIsSent()
{
    const TestServer server;
    RawClient client(server.port());
    const std::string body = chatBody(R"("max_tokens":1)");
    client.sendRaw("POST " + kChat +
                   " HTTP/1.1\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: " +
                   std::to_string(body.size()) + "\r\n\r\n");
    QVERIFY(client.readSome());
    QCOMPARE(client.buffered(), std::string("HTTP/1.1 100 Continue\r\n\r\n"));
    client.sendRaw(body);
    QCOMPARE(client.read().status, 100);
    QCOMPARE(client.read().status, 200);
}

void TestServerConnections::clientDisconnectFreesTheSlot()
{
    ServerOptions options = slowOptions();
    options.profile.maxNumSeqs = 1;
    const TestServer server(options);
    RawClient running(server.port());
    running.post(kChat, chatBody(R"("stream":true,"max_tokens":5000,"ignore_eos":true)"),
                 "X-Request-Id: running\r\n");
    while (running.buffered().find("content\":\" ") == std::string::npos)
        QVERIFY(running.readSome());
    RawClient waiting(server.port());
    waiting.post(kChat, chatBody(R"("max_tokens":5000,"ignore_eos":true)"), "X-Request-Id: waiting\r\n");
    while (server.metric("vllm:num_requests_waiting") != 1)
        QThread::msleep(10);
    waiting.disconnect();
    QCOMPARE(server.truth("waiting").at("finish_reason"), std::string("abort"));
    QCOMPARE(server.truth("waiting").at("http_status"), std::string("0"));
    running.disconnect();
    QCOMPARE(server.truth("running").at("finish_reason"), std::string("abort"));
    QCOMPARE(server.truth("running").at("http_status"), std::string("200"));
    QVERIFY(std::stoi(server.truth("running").at("output_tokens")) >= 1);
    QCOMPARE(server.metric("vllm:num_requests_running"), 0.0);
    QCOMPARE(server.metric("vllm:kv_cache_usage_perc"), 0.0);
    QCOMPARE(
        server.metric(
            "vllm:request_success_total{engine=\"0\",model_name=\"sim-model\",finished_reason=\"abort\""),
        2.0);
    QCOMPARE(server.post(kChat, chatBody(R"("max_tokens":1)")).status, 200);
}

void TestServerConnections::slowReaderGetsEverything()
{
    ServerOptions options = TestServer::fastOptions();
    options.profile.decode.c0 = 0.05;
    options.profile.maxModelLen = 60'000;
    const TestServer server(options);
    RawClient client(server.port());
    client.post(kChat, chatBody(R"("stream":true,"max_tokens":40000,"ignore_eos":true)"),
                "X-Request-Id: slow\r\n");
    // Nobody reads: some 10 MB wait in the server, and the engine does not.
    QCOMPARE(server.truth("slow").at("output_tokens"), std::string("40000"));
    const Reply reply = client.read();
    QVERIFY(reply.complete && reply.done());
    QCOMPARE(reply.chunks.size(), 40'002u);
}

void TestServerConnections::truthOfARequest()
{
    const TestServer server;
    const MonotonicClock clock;
    RawClient client(server.port());
    const std::int64_t before = clock.now().count();
    client.post(kChat, chatBody(R"("stream":true,"max_tokens":10)", words(40)), "X-Request-ID: t-1\r\n");
    QVERIFY(client.read().done());
    const auto truth = server.truth("t-1");
    const std::int64_t after = clock.now().count();
    const auto number = [&truth](const char* name) { return std::stoll(truth.at(name)); };
    QVERIFY(before <= number("received_ns"));
    QVERIFY(number("received_ns") < number("first_token_written_ns"));
    // Nine steps of 1 ms lie between; steps do not run early.
    QVERIFY(number("last_token_written_ns") - number("first_token_written_ns") > 8'000'000);
    QVERIFY(number("last_token_written_ns") <= number("closed_ns"));
    QVERIFY(number("closed_ns") <= after);
    QCOMPARE(number("http_status"), 200);
    QCOMPARE(number("prompt_tokens"), 47);
    QCOMPARE(number("output_tokens"), 10);
    QCOMPARE(number("cached_tokens"), 0);
    QCOMPARE(number("token_events"), 10);
    QCOMPARE(number("preemptions"), 0);
    QVERIFY(std::stod(truth.at("queue_ms")) >= 0);
    QCOMPARE(truth.at("finish_reason"), std::string("length"));
    QCOMPARE(truth.at("fault"), std::string());

    server.post(kChat, chatBody(R"("max_tokens":10)", words(40)), "X-Request-ID: t-2\r\n");
    QCOMPARE(server.truth("t-2").at("cached_tokens"), std::string("32"));
    QCOMPARE(server.truth("t-2").at("first_token_written_ns"),
             server.truth("t-2").at("last_token_written_ns"));
    server.post(kChat, chatBody(R"("max_tokens":1)")); // without an id: its number
    QCOMPARE(server.truth("3").at("output_tokens"), std::string("1"));
}

void TestServerConnections::truthOfOpenRequestsAtTheEnd()
{
    TestServer server(slowOptions());
    RawClient client(server.port());
    client.post(kChat, chatBody(R"("stream":true,"max_tokens":5000,"ignore_eos":true)"),
                "X-Request-Id: open\r\n");
    QVERIFY(client.readSome());
    server.stop();
    QCOMPARE(server.truth("open").at("finish_reason"), std::string("abort"));
}

void TestServerConnections::manyStreamsAtOnce()
{
    ServerOptions options = slowOptions();
    options.profile.maxNumSeqs = 300;
    const TestServer server(options);
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 300; ++i) {
        clients.push_back(std::make_unique<RawClient>(server.port()));
        QVERIFY(clients.back()->connected());
        clients.back()->post(kChat, chatBody(R"("stream":true,"ignore_eos":true,"max_tokens":20)",
                                             words(3, std::to_string(i) + "x")));
    }
    for (const auto& client : clients) {
        const Reply reply = client->read();
        QVERIFY(reply.done());
        QCOMPARE(reply.events().size(), 21u);
    }
    QCOMPARE(server.metric("vllm:generation_tokens_total"), 6000.0);
}

void TestServerConnections::portInUse()
{
    const TestServer server;
    ServerOptions options = TestServer::fastOptions();
    options.port = server.port();
    const auto second = Server::create(options);
    QVERIFY(!second.ok());
    QVERIFY(second.error().line().find("cannot listen") != std::string::npos);
    options.host = "no.such.host.invalid";
    QVERIFY(!Server::create(options).ok());
}

void TestServerConnections::truthFileThatCannotBe()
{
    ServerOptions options = TestServer::fastOptions();
    options.truthFile = "/no/such/folder/truth.csv";
    const auto server = Server::create(options);
    QVERIFY(!server.ok());
    QCOMPARE(int(server.error().code), int(ErrorCode::BadInput));
}

QTEST_GUILESS_MAIN(TestServerConnections)
#include "tst_server_connections.moc"
