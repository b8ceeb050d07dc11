// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "sim/http_parser.h"

using namespace tailmark::sim;

class TestHttpParser : public QObject
{
    Q_OBJECT

private slots:
    void readsARequest();
    void readsByteByByte();
    void readsRequestsSentAhead();
    void readsAChunkedBody();
    void keepAlive_data();
    void keepAlive();
    void expectsContinueOnce();
    void refuses_data();
    void refuses();
};

static const std::string kPost = "POST /v1/x?a=b HTTP/1.1\r\nHost: h\r\nContent-Type:  application/json \r\n"
                                 "X-Request-ID: r-1\r\nContent-Length: 5\r\n\r\nhello";

void TestHttpParser::readsARequest()
{
    HttpParser parser;
    parser.append(kPost);
    QCOMPARE(int(parser.parse()), int(HttpParser::State::Complete));
    const HttpRequest request = parser.take();
    QCOMPARE(request.method, std::string("POST"));
    QCOMPARE(request.path, std::string("/v1/x"));
    QCOMPARE(request.body, std::string("hello"));
    QCOMPARE(request.header("content-type"), std::string_view("application/json"));
    QCOMPARE(request.header("x-request-id"), std::string_view("r-1"));
    QCOMPARE(request.header("absent"), std::string_view());
    QVERIFY(request.http11);
    QVERIFY(parser.empty());
}

void TestHttpParser::readsByteByByte()
{
    for (const std::string& text :
         {kPost, std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                             "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nTrailer: t\r\n\r\n")}) {
        HttpParser parser;
        for (std::size_t i = 0; i < text.size(); ++i) {
            QCOMPARE(int(parser.parse()), int(HttpParser::State::NeedMore));
            parser.append(std::string_view(text).substr(i, 1));
        }
        QCOMPARE(int(parser.parse()), int(HttpParser::State::Complete));
        QCOMPARE(parser.take().body, std::string("hello"));
        QVERIFY(parser.empty());
    }
}

void TestHttpParser::readsRequestsSentAhead()
{
    HttpParser parser;
    parser.append(kPost + "\r\n" + kPost + "GET /health HTTP/1.1\r\n\r\n");
    for (int i = 0; i < 2; ++i) {
        QCOMPARE(int(parser.parse()), int(HttpParser::State::Complete));
        QCOMPARE(parser.take().body, std::string("hello"));
    }
    QCOMPARE(int(parser.parse()), int(HttpParser::State::Complete));
    const HttpRequest last = parser.take();
    QCOMPARE(last.path, std::string("/health"));
    QCOMPARE(last.body, std::string());
    QVERIFY(parser.empty());
}

void TestHttpParser::readsAChunkedBody()
{
    HttpParser parser;
    parser.append(
        "POST / HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\nA\r\n0123456789\r\n1\r\nx\r\n0\r\n\r\nGET");
    QCOMPARE(int(parser.parse()), int(HttpParser::State::Complete));
    QCOMPARE(parser.take().body, std::string("0123456789x"));
    QVERIFY(!parser.empty());
}

void TestHttpParser::keepAlive_data()
{
    QTest::addColumn<QByteArray>("head");
    QTest::addColumn<bool>("kept");
    QTest::newRow("1.1") << QByteArray("GET / HTTP/1.1\r\n\r\n") << true;
    QTest::newRow("1.1 close") << QByteArray("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n") << false;
    QTest::newRow("1.0") << QByteArray("GET / HTTP/1.0\r\n\r\n") << false;
    QTest::newRow("1.0 keep-alive") << QByteArray("GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n") << true;
}

void TestHttpParser::keepAlive()
{
    QFETCH(QByteArray, head);
    QFETCH(bool, kept);
    HttpParser parser;
    parser.append(head.toStdString());
    QCOMPARE(int(parser.parse()), int(HttpParser::State::Complete));
    QCOMPARE(parser.take().keepAlive, kept);
}

void TestHttpParser::expectsContinueOnce()
{
    HttpParser parser;
    parser.append("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    QCOMPARE(int(parser.parse()), int(HttpParser::State::NeedMore));
    QVERIFY(parser.takeExpectContinue());
    QVERIFY(!parser.takeExpectContinue());
    parser.append("ok");
    QCOMPARE(int(parser.parse()), int(HttpParser::State::Complete));
}

void TestHttpParser::refuses_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("status");
    QTest::newRow("no HTTP") << QByteArray("hello\r\n\r\n") << 400;
    QTest::newRow("TLS hello") << QByteArray("\x16\x03\x01\r\n\r\n", 7) << 400;
    QTest::newRow("HTTP/2 preface") << QByteArray("PRI * HTTP/2.0\r\n\r\n") << 505;
    QTest::newRow("header without colon") << QByteArray("GET / HTTP/1.1\r\nnonsense\r\n\r\n") << 400;
    QTest::newRow("bad length") << QByteArray("POST / HTTP/1.1\r\nContent-Length: 5x\r\n\r\n") << 400;
    QTest::newRow("negative length") << QByteArray("POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n") << 400;
    QTest::newRow("huge length") << QByteArray("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n")
                                 << 413;
    QTest::newRow("other encoding") << QByteArray("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n")
                                    << 501;
    QTest::newRow("bad chunk size") << QByteArray(
                                           "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")
                                    << 400;
    QTest::newRow("chunk without end")
        << QByteArray("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n") << 400;
    QTest::newRow("endless header") << QByteArray("GET / HTTP/1.1\r\nX: ") + QByteArray(70'000, 'x') << 431;
}

void TestHttpParser::refuses()
{
    QFETCH(QByteArray, text);
    QFETCH(int, status);
    HttpParser parser;
    parser.append({text.constData(), std::size_t(text.size())});
    QCOMPARE(int(parser.parse()), int(HttpParser::State::Bad));
    QCOMPARE(parser.badStatus(), status);
}

QTEST_GUILESS_MAIN(TestHttpParser)
#include "tst_http_parser.moc"
