// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "load_fixture.h"
#include "target/http_client.h"

#ifdef TAILMARK_TEST_HTTP2
#include "http2_server.h"
#endif
#ifdef TAILMARK_TEST_TLS
#include "tls_front.h"
#endif

using namespace tailmark;
using namespace tailmark::test;
using namespace std::chrono_literals;

namespace {

Endpoint http2Endpoint(const std::string& url)
{
    Endpoint endpoint = endpointOf(url);
    endpoint.connection.httpVersion = HttpVersion::Http2;
    return endpoint;
}

std::string urlOf(const char* scheme, int port)
{
    return std::string(scheme) + "://127.0.0.1:" + std::to_string(port) + "/v1/chat/completions";
}

std::string probed(const std::string& url, const ConnectionOptions& connection)
{
    HttpClient http({}, connection);
    HttpLimits limits;
    limits.connectS = limits.totalS = 5;
    const Result<HttpReply> reply = http.get(url, limits);
    return reply ? "" : reply.error().message;
}

} // namespace

/// HTTP/2 where it is asked for, and nothing else in its place.
class Http2Test : public QObject
{
    Q_OBJECT

private slots:
    void requestsShareConnections();
    void giveUpOneStreamOnly();
    void withoutTls();
    void serversWithoutItAreRefused();
};

void Http2Test::requestsShareConnections()
{
#if defined TAILMARK_TEST_HTTP2 && defined TAILMARK_TEST_TLS
    const TestAuthority authority;
    QTemporaryDir folder;
    // no answer before 48 requests are open at once
    const std::string stream = tokenEvent("a") + tokenEvent("b") + closingEvents(9, 2);
    Http2Server server([&](const std::string&) { return stream; }, 48);
    const TlsFront front(server.port(), authority.issue("IP:127.0.0.1"), "h2");
    Endpoint endpoint = http2Endpoint(urlOf("https", front.port()));
    endpoint.connection.tls.caFile = folder.filePath("ca.pem").toStdString();
    authority.writeTo(endpoint.connection.tls.caFile);
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(closedLoop(48, 30s, 480)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY(eachOnce(batch));
    QVERIFY2(countOf(batch, Outcome::Completed) == 480, outcomesOf(batch).c_str());
    QCOMPARE(server.requests(), 480);
    QCOMPARE(front.handshakes(), 1);
    QCOMPARE(server.mostOpen(), 48);
    int opened = 0;
    for (const RequestRecord& record : batch.records) {
        QCOMPARE(record.tokenEvents, 2);
        QCOMPARE(record.outputTokens, 2);
        QVERIFY(record.firstToken >= record.sent && record.closed >= record.lastToken);
        opened += record.newConnection;
    }
    QCOMPARE(opened, 1);
    QCOMPARE(generator.health().staleConnections, 0U);
    QCOMPARE(probed(endpoint.url, endpoint.connection), std::string());
#else
    QSKIP("libssl-dev or libnghttp2-dev is missing: no HTTP/2 server behind TLS to test against");
#endif
}

void Http2Test::giveUpOneStreamOnly()
{
#if defined TAILMARK_TEST_HTTP2 && defined TAILMARK_TEST_TLS
    // three requests wait for a fourth that never comes; their connection is none the worse for it
    const TestAuthority authority;
    Http2Server server([](const std::string&) { return tokenEvent("a") + closingEvents(9, 1); }, 4);
    const TlsFront front(server.port(), authority.issue("IP:127.0.0.1"), "h2");
    Endpoint endpoint = http2Endpoint(urlOf("https", front.port()));
    endpoint.connection.tls.verify = false;
    endpoint.limits.firstTokenTimeoutS = 0.3;
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(closedLoop(3, 30s, 6)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY2(countOf(batch, Outcome::TimeoutFirstToken) == 3, outcomesOf(batch).c_str());
    QCOMPARE(countOf(batch, Outcome::Completed), 3U);
    QCOMPARE(front.handshakes(), 1);
    QCOMPARE(server.resets(), 3);
#else
    QSKIP("libssl-dev or libnghttp2-dev is missing: no HTTP/2 server behind TLS to test against");
#endif
}

void Http2Test::withoutTls()
{
#ifdef TAILMARK_TEST_HTTP2
    Http2Server server([](const std::string&) { return tokenEvent("a") + closingEvents(9, 1); });
    const Endpoint endpoint = http2Endpoint(urlOf("http", server.port()));
    QCOMPARE(probed(endpoint.url, endpoint.connection), std::string());
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(closedLoop(8, 30s, 80)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY2(countOf(batch, Outcome::Completed) == 80, outcomesOf(batch).c_str());
    if (needsOwnConnections(endpoint.connection, endpoint.url))
        QVERIFY(server.acceptedConnections() >= 81);
    else
        QCOMPARE(server.acceptedConnections(), 2);
#else
    QSKIP("libnghttp2's headers are missing (libnghttp2-dev): no HTTP/2 server to test against");
#endif
}

void Http2Test::serversWithoutItAreRefused()
{
    ScriptedServer server([](Exchange& e) { answer(e); });
    const Endpoint plain = http2Endpoint(server.url());
    const std::string words = probed(plain.url, plain.connection);
    QVERIFY2(words.ends_with(" (asked in HTTP/2, as target.http_version says)"), words.c_str());
#ifdef TAILMARK_TEST_TLS
    const TestAuthority authority;
    const TlsFront front(server.port(), authority.issue("IP:127.0.0.1"));
    Endpoint endpoint = http2Endpoint(urlOf("https", front.port()));
    endpoint.connection.tls.verify = false;
    const std::string told = "the server answers in HTTP/1.1, but target.http_version asks for 2";
    QCOMPARE(probed(endpoint.url, endpoint.connection), told);
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(closedLoop(2, 30s, 4)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QCOMPARE(countOf(batch, Outcome::Malformed), 4U);
    QCOMPARE(std::string(batch.errorOf(batch.records[0])), told);
#endif
}

QTEST_GUILESS_MAIN(Http2Test)
#include "tst_http2.moc"
