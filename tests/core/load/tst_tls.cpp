// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "load_fixture.h"
#include "target/http_client.h"
#include "test_proxy.h"

#ifdef TAILMARK_TEST_TLS
#include "tls_front.h"
#endif

using namespace tailmark;
using namespace tailmark::test;
using namespace std::chrono_literals;

namespace {

/// What probe and load say to the same target: each the one line of its failure, empty when all went well.
struct Told
{
    std::string probe, load;
    Outcome outcome = Outcome::NotSent;
    StampSource stamps = StampSource::Processing;
};

Told ask(const std::string& url, const ConnectionOptions& connection, std::vector<std::string> headers = {},
         double connectTimeoutS = 5)
{
    Told told;
    HttpClient http(headers, connection);
    HttpLimits limits;
    limits.connectS = limits.totalS = connectTimeoutS;
    const Result<HttpReply> reply = http.postJson(url, "{}", limits);
    told.probe = reply ? reply.value().status == 200 ? "" : "HTTP " + std::to_string(reply.value().status)
                       : reply.error().message;
    Endpoint endpoint = endpointOf(url);
    endpoint.connection = connection;
    endpoint.headers = headers;
    endpoint.limits.connectTimeoutS = connectTimeoutS;
    LoadGenerator generator(endpoint, {});
    RecordBatch batch;
    if (Status begun = generator.begin(closedLoop(2, 20s, 4)); !begun) {
        told.load = begun.error().message;
        return told;
    }
    if (!collect(generator, batch) || batch.records.size() != 4 || !eachOnce(batch))
        qFatal("the point did not end as it should");
    told.load = batch.errorOf(batch.records[0]);
    told.outcome = batch.records[0].outcome;
    told.stamps = batch.records[0].stamps;
    return told;
}

} // namespace

/// TLS and proxies, each fault said in words of the user's by probe and load alike.
class TlsTest : public QObject
{
    Q_OBJECT

private slots:
    void verifies_data();
    void verifies();
    void plainServerIsSaid();
    void handshakeThatNeverComes();
    void proxyOnlyWhenAsked();
    void proxyThatIsDown();
    void proxyThatRefuses();
    void tunnelsKeepTheKeyFromTheProxy();
};

void TlsTest::verifies_data()
{
    QTest::addColumn<QString>("names");
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("until");
    QTest::addColumn<bool>("verify");
    QTest::addColumn<QString>("caFile"); // "own", "other", or a path
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* names, int from, int until, bool verify,
                        const char* caFile, const char* words) {
        QTest::newRow(name) << names << from << until << verify << caFile << words;
    };
    row("trusted", "DNS:localhost", -3600, 3600, true, "own", "");
    row("unknown authority", "DNS:localhost", -3600, 3600, true, "",
        "the server's TLS certificate is from no authority that is trusted here (");
    row("another authority", "DNS:localhost", -3600, 3600, true, "other",
        "the server's TLS certificate is from no authority that is trusted here (");
    row("another authority of the same name", "DNS:localhost", -3600, 3600, true, "namesake",
        "the server's TLS certificate is not signed by the authority that its issuer's name stands for here");
    row("another name", "DNS:example.org", -3600, 3600, true, "own",
        "the server's TLS certificate is not for the name localhost");
    row("an address in place of the name", "IP:127.0.0.1", -3600, 3600, true, "own",
        "the server's TLS certificate is not for the name localhost");
    row("expired", "DNS:localhost", -7200, -3600, true, "own", "the server's TLS certificate has expired");
    row("not yet valid", "DNS:localhost", 3600, 7200, true, "own",
        "the server's TLS certificate is not valid yet");
    row("no such file", "DNS:localhost", -3600, 3600, true, "/nowhere/ca.pem",
        "target.tls.ca_file cannot be read as certificates (PEM): /nowhere/ca.pem");
    row("all wrong, but not verified", "DNS:example.org", -7200, -3600, false, "", "");
}

void TlsTest::verifies()
{
#ifdef TAILMARK_TEST_TLS
    QFETCH(QString, names);
    QFETCH(int, from);
    QFETCH(int, until);
    QFETCH(bool, verify);
    QFETCH(QString, caFile);
    QFETCH(QString, words);
    const TestAuthority own, other("Another test authority"), namesake;
    QTemporaryDir folder;
    const std::string path = folder.filePath("ca.pem").toStdString();
    if (!caFile.isEmpty() && !caFile.startsWith('/'))
        (caFile == "own" ? own : caFile == "other" ? other : namesake).writeTo(path);
    ScriptedServer server([](Exchange& e) { answer(e, 3, 20ms); });
    const TlsFront front(server.port(), own.issue(names.toStdString(), from, until));
    ConnectionOptions connection;
    connection.tls.verify = verify;
    connection.tls.caFile = caFile.isEmpty() || caFile.startsWith('/') ? caFile.toStdString() : path;
    const Told told = ask("https://localhost:" + std::to_string(front.port()) + "/v1", connection);
    if (words.isEmpty()) {
        QCOMPARE(told.probe, std::string());
        QCOMPARE(told.load, std::string());
        QCOMPARE(told.outcome, Outcome::Completed);
        QVERIFY(told.stamps != StampSource::Processing);
        QCOMPARE(server.requests(), 5);
        qInfo("stamps over TLS: %s", std::string(stampSourceId(told.stamps)).c_str());
    } else {
        QVERIFY2(told.probe.starts_with(words.toStdString()), told.probe.c_str());
        QCOMPARE(told.load, told.probe);
        QCOMPARE(told.outcome, Outcome::ConnectFailed);
        QCOMPARE(server.requests(), 0);
    }
#else
    QSKIP("OpenSSL's headers are missing (libssl-dev): no TLS server to test against");
#endif
}

void TlsTest::plainServerIsSaid()
{
    ScriptedServer server([](Exchange& e) { answer(e); });
    const Told told = ask("https://127.0.0.1:" + std::to_string(server.port()) + "/v1", {}, {}, 1);
    // a server that waits for the end of a line is as quiet as one that is not there
    QVERIFY2(told.probe.ends_with("is it an http:// server?"), told.probe.c_str());
    QVERIFY(told.outcome == Outcome::ConnectFailed || told.outcome == Outcome::TimeoutConnect);
}

void TlsTest::handshakeThatNeverComes()
{
    LoopbackListener* self = nullptr;
    LoopbackListener silent([&self](int) {
        while (self && !self->stopping())
            std::this_thread::sleep_for(10ms);
    });
    self = &silent;
    const Told told = ask("https://127.0.0.1:" + std::to_string(silent.port()) + "/v1", {}, {}, 0.3);
    QCOMPARE(told.probe,
             std::string("could not connect within 0.3 s, TLS included; is it an http:// server?"));
    QCOMPARE(told.outcome, Outcome::TimeoutConnect);
    QCOMPARE(told.load, std::string("no connection within 0.3 s, TLS included; is it an http:// server?"));
}

void TlsTest::proxyOnlyWhenAsked()
{
    ScriptedServer server([](Exchange& e) { answer(e); });
    const TestProxy proxy(server.port());
    for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"})
        qputenv(name, "http://127.0.0.1:9");
    const Told direct = ask(server.url(), {});
    QCOMPARE(direct.probe + direct.load, std::string());
    QVERIFY(proxy.heads().empty());

    // a name that only the proxy can find, and an environment that would go around it
    qputenv("no_proxy", "*");
    ConnectionOptions connection;
    connection.proxy = proxy.url();
    const Told through = ask("http://engine.invalid:8000/v1/chat/completions", connection);
    QCOMPARE(through.probe + through.load, std::string());
    QCOMPARE(server.requests(), 10);
    QVERIFY(!proxy.heads().empty());
    for (const std::string& head : proxy.heads())
        QVERIFY2(head.starts_with("POST http://engine.invalid:8000/v1/chat/completions HTTP/1.1"),
                 head.c_str());
    for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY", "no_proxy"})
        qunsetenv(name);
}

void TlsTest::proxyThatIsDown()
{
    int port = 0;
    {
        const ScriptedServer gone(nullptr);
        port = gone.port();
    }
    ConnectionOptions connection;
    connection.proxy = "http://127.0.0.1:" + std::to_string(port);
    const Told told = ask("http://engine.invalid/v1", connection);
    QCOMPARE(told.probe, "could not connect to the proxy " + connection.proxy + ": Connection refused");
    QCOMPARE(told.load, told.probe);
    QCOMPARE(told.outcome, Outcome::ConnectFailed);

    connection.proxy = "http://proxy.invalid:3128";
    const Told unknown = ask("http://engine.invalid/v1", connection);
    QCOMPARE(unknown.probe, std::string("could not resolve the name of the proxy http://proxy.invalid:3128"));
    QVERIFY2(unknown.load.starts_with("the host has no address"), unknown.load.c_str());
}

void TlsTest::proxyThatRefuses()
{
    const TestProxy proxy(0, "403 Forbidden");
    ConnectionOptions connection;
    connection.proxy = proxy.url();
    const Told told = ask("https://engine.invalid/v1", connection);
    QCOMPARE(told.probe, "the proxy " + proxy.url() + " refused to connect to the target: HTTP 403");
    QCOMPARE(told.load, told.probe);
    QCOMPARE(told.outcome, Outcome::ConnectFailed);
}

void TlsTest::tunnelsKeepTheKeyFromTheProxy()
{
#ifdef TAILMARK_TEST_TLS
    const TestAuthority authority;
    QTemporaryDir folder;
    ConnectionOptions connection;
    connection.tls.caFile = folder.filePath("ca.pem").toStdString();
    authority.writeTo(connection.tls.caFile);
    std::mutex mutex;
    std::string seen;
    ScriptedServer server([&](Exchange& e) {
        const std::lock_guard lock(mutex);
        seen = e.head;
        answer(e);
    });
    const TlsFront front(server.port(), authority.issue("DNS:engine.invalid"));
    const TestProxy proxy(front.port());
    connection.proxy = proxy.url();
    const Told told =
        ask("https://engine.invalid/v1", connection, {"Authorization: Bearer 4711-key", "X-Empty: "});
    QCOMPARE(told.probe + told.load, std::string());
    QVERIFY(seen.find("Authorization: Bearer 4711-key\r\n") != std::string::npos);
    QVERIFY2(seen.find("X-Empty:\r\n") != std::string::npos, seen.c_str());
    for (const std::string& head : proxy.heads()) {
        QVERIFY2(head.starts_with("CONNECT engine.invalid:443 HTTP/1.1"), head.c_str());
        QVERIFY2(head.find("4711") == std::string::npos, head.c_str());
    }
#else
    QSKIP("OpenSSL's headers are missing (libssl-dev): no TLS server to test against");
#endif
}

QTEST_GUILESS_MAIN(TlsTest)
#include "tst_tls.moc"
