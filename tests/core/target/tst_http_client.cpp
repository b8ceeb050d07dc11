// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/address.h"
#include "target/http_client.h"
#include "test_server.h"

#include <QtTest>

#include <atomic>
#include <chrono>
#include <thread>

using namespace tailmark;
using namespace std::chrono_literals;
using test::Reply;
using test::TestServer;

namespace {

HttpLimits shortLimits()
{
    HttpLimits limits;
    limits.connectS = 5;
    limits.totalS = 5;
    return limits;
}

} // namespace

class TestHttpClient : public QObject
{
    Q_OBJECT

private slots:
    void getsAndPosts()
    {
        TestServer server;
        server.on("/a", Reply::json("{\"x\":1}"));
        server.on("/b", Reply::text("no", 404));
        HttpClient http({"X-Own: yes"}, {});
        const Result<HttpReply> got = http.get(server.url("/a"), shortLimits());
        QVERIFY(got.ok());
        QCOMPARE(got.value().status, 200);
        QCOMPARE(got.value().body, std::string("{\"x\":1}"));
        QCOMPARE(got.value().contentType, std::string("application/json"));
        QVERIFY(got.value().complete);

        const Result<HttpReply> posted =
            http.postJson(server.url("/b"), std::string(4096, 'x'), shortLimits());
        QVERIFY(posted.ok());
        QCOMPARE(posted.value().status, 404);

        const auto requests = server.requests();
        QCOMPARE(requests.size(), std::size_t(2));
        QCOMPARE(requests[0].method, std::string("GET"));
        QCOMPARE(requests[0].header("x-own"), std::string("yes"));
        QCOMPARE(requests[1].method, std::string("POST"));
        QCOMPARE(requests[1].header("content-type"), std::string("application/json"));
        QCOMPARE(requests[1].header("expect"), std::string());
        QCOMPARE(requests[1].body.size(), std::size_t(4096));
        QCOMPARE(server.acceptedConnections(), 1);
    }

    void ignoresTheProxyOfTheEnvironment()
    {
        TestServer server;
        server.on("/a", Reply::json("{}"));
        qputenv("http_proxy", "http://127.0.0.1:9");
        HttpClient http({}, {});
        const Result<HttpReply> got = http.get(server.url("/a"), shortLimits());
        qunsetenv("http_proxy");
        QVERIFY(got.ok());
        QCOMPARE(got.value().status, 200);
    }

    void followsNoRedirect()
    {
        TestServer server;
        Reply moved = Reply::text("", 307);
        moved.extraHeaders = {"Location: " + server.url("/b")};
        server.on("/a", moved);
        server.on("/b", Reply::json("{}"));
        HttpClient http({}, {});
        const Result<HttpReply> got = http.get(server.url("/a"), shortLimits());
        QVERIFY(got.ok());
        QCOMPARE(got.value().status, 307);
        QCOMPARE(got.value().location, server.url("/b"));
        QCOMPARE(server.requests("/b").size(), std::size_t(0));
    }

    void chunksAndCuts()
    {
        TestServer server;
        const Reply events = Reply::events({"one", "two"});
        server.on("/whole", events.inPiecesOf(1));
        Reply cut = events;
        cut.end = Reply::End::Cut;
        server.on("/cut", cut);
        Reply reset = Reply::text("half");
        reset.end = Reply::End::Cut;
        server.on("/short", reset);
        Reply close = Reply::text("all");
        close.framing = Reply::Framing::UntilClose;
        server.on("/close", close);
        HttpClient http({}, {});
        const std::string body = "data: one\n\ndata: two\n\n";
        const auto get = [&](const char* path) { return http.get(server.url(path), shortLimits()); };
        QCOMPARE(get("/whole").value().body, body);
        QVERIFY(get("/whole").value().complete);
        QCOMPARE(get("/cut").value().body, body);
        QVERIFY(!get("/cut").value().complete);
        QCOMPARE(get("/short").value().body, std::string("half"));
        QVERIFY(!get("/short").value().complete);
        QCOMPARE(get("/close").value().body, std::string("all"));
        QVERIFY(get("/close").value().complete);
    }

    void stopsWhenAsked()
    {
        TestServer server;
        server.on("/hang", Reply::hang());
        std::atomic<bool> stop{false};
        HttpClient http({}, {}, &stop);
        std::thread user([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stop = true;
        });
        HttpLimits limits;
        limits.totalS = 60;
        const Result<HttpReply> got = http.get(server.url("/hang"), limits);
        user.join();
        QVERIFY(!got.ok());
        QCOMPARE(got.error().code, ErrorCode::Cancelled);
    }

    void hidesItsOwnSecretsWhereverTheyCome()
    {
        TestServer server;
        server.on("/a", Reply::text("no user plainword99 here; EMPTY is fine"));
        HttpClient http({"Authorization: Bearer plainword99", "X-Api-Key: EMPTY", "X-Own: here"}, {});
        QCOMPARE(http.get(server.url("/a"), shortLimits()).value().body,
                 std::string("no user \u2022\u2022\u2022 here; EMPTY is fine"));
    }

    void errorsInOneLine()
    {
        HttpClient http({}, {});
        const auto line = [&](const std::string& url, HttpLimits limits = shortLimits()) {
            const Result<HttpReply> got = http.get(url, limits);
            return got ? std::string("no error") : got.error().line();
        };
        QCOMPARE(line("http://127.0.0.1:1/v1/models"),
                 std::string("http://127.0.0.1:1/v1/models: could not connect: Connection refused"));
        QCOMPARE(line("ftp://127.0.0.1/x"),
                 std::string("ftp://127.0.0.1/x: not a URL that begins with http:// or https://"));
        QVERIFY(line("http://no-such-host.invalid/").ends_with("could not resolve the host name"));
        QVERIFY(line("http://me:secret@127.0.0.1:1/?key=abc")
                    .starts_with("http://•••@127.0.0.1:1/?key=•••: could not"));

        TestServer server;
        server.on("/hang", Reply::hang());
        Reply nothing = Reply::hang();
        nothing.end = Reply::End::Close;
        server.on("/nothing", nothing);
        server.on("/long", Reply::text(std::string(5000, 'x')));
        HttpLimits limits = shortLimits();
        limits.totalS = 0.2;
        QVERIFY(line(server.url("/hang"), limits).ends_with(": no complete answer within 0.2 s"));
        // the server knows no TLS and waits for more: the connection is never there
        QVERIFY(line(server.url("/x").replace(0, 4, "https"), limits)
                    .ends_with(": could not connect within 0.2 s, TLS included; is it an http:// server?"));
        QVERIFY(
            line(server.url("/nothing")).ends_with(": the server closed the connection without an answer"));
        limits = shortLimits();
        limits.maxBodyBytes = 4999;
        QVERIFY(line(server.url("/long"), limits).ends_with(": the answer is longer than 4999 bytes"));
    }

    void addresses()
    {
        Target target;
        target.baseUrl = "http://h:1/v1/";
        QCOMPARE(apiUrl(target, "/models"), std::string("http://h:1/v1/models"));
        QCOMPARE(serverUrl(target, "/version"), std::string("http://h:1/version"));
        QCOMPARE(completionsUrl(target), std::string("http://h:1/v1/chat/completions"));
        target.api = Api::Completions;
        target.baseUrl = "http://h:1/openai";
        QCOMPARE(completionsUrl(target), std::string("http://h:1/openai/completions"));
        QCOMPARE(serverUrl(target, "/version"), std::string("http://h:1/openai/version"));
    }

    void headers()
    {
        const auto of = [](std::map<std::string, std::string> given, const char* keyEnv) {
            Target target;
            target.headers = std::move(given);
            target.apiKeyEnv = keyEnv;
            return requestHeaders(target);
        };
        qputenv("TAILMARK_TEST_KEY", "s3cr3t\n");
        const auto lines = of({{"X-Team", "a b"}}, "TAILMARK_TEST_KEY");
        QVERIFY(lines.ok());
        QCOMPARE(lines.value(), (std::vector<std::string>{"X-Team: a b", "Authorization: Bearer s3cr3t"}));
        QCOMPARE(of({}, "").value().size(), std::size_t(0));
        for (const auto& [name, value] :
             std::map<std::string, std::string>{{"", "x"}, {"a b", "x"}, {"a:", "x"}, {"a", "x\r\ny: z"}}) {
            QVERIFY(!of({{name, value}}, "").ok());
            QCOMPARE(of({{name, value}}, "").error().code, ErrorCode::BadInput);
        }
        QVERIFY(!of({{"authorization", "x"}}, "TAILMARK_TEST_KEY").ok());
        QCOMPARE(
            of({}, "TAILMARK_TEST_NO_SUCH_KEY").error().line(),
            std::string("target.api_key_env: the environment variable TAILMARK_TEST_NO_SUCH_KEY is not set"));
        qputenv("TAILMARK_TEST_KEY", "a\nb");
        QVERIFY(!of({}, "TAILMARK_TEST_KEY").ok());
        QVERIFY(of({}, "TAILMARK_TEST_KEY").error().line().find("a\nb") == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestHttpClient)
#include "tst_http_client.moc"
