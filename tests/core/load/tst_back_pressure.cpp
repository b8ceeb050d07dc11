// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "load_fixture.h"

#include <fstream>

using namespace tailmark;
using namespace tailmark::test;
using namespace std::chrono_literals;

namespace {

/// Memory of this process, in MB.
double residentMb()
{
    std::ifstream file("/proc/self/statm");
    std::size_t pages = 0;
    file >> pages >> pages;
    return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

} // namespace

/// A server that sends more, and faster, than can be taken in fills its own buffers, not ours.
class BackPressureTest : public QObject
{
    Q_OBJECT

private slots:
    void floods_data();
    void floods();
    void serverWithoutEnd();
};

void BackPressureTest::floods_data()
{
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<QByteArray>("piece");
    QTest::newRow("comments") << QByteArray("text/event-stream")
                              << QByteArray(": still here\n\n").repeated(1000);
    QTest::newRow("events without tokens")
        << QByteArray("text/event-stream") << QByteArray("data: {\"choices\":[]}\n\n").repeated(1000);
    QTest::newRow("a page without end")
        << QByteArray("text/html") << QByteArray("<p>word</p>\n").repeated(1000);
    QTest::newRow("a line without end")
        << QByteArray("text/event-stream") << QByteArray("x").repeated(20'000);
}

void BackPressureTest::floods()
{
    QFETCH(QByteArray, type);
    QFETCH(QByteArray, piece);
    std::atomic<std::uint64_t> sent{0};
    ScriptedServer server([&](Exchange& e) {
        e.send("HTTP/1.1 200 OK\r\nContent-Type: " + type.toStdString() +
               "\r\nTransfer-Encoding: chunked\r\n\r\n");
        while (e.pause(0ms)) {
            e.chunk({piece.constData(), static_cast<std::size_t>(piece.size())});
            sent += static_cast<std::uint64_t>(piece.size());
        }
    });
    Endpoint endpoint = endpointOf(server.url());
    endpoint.limits.firstTokenTimeoutS = 1;
    LoadGenerator generator(endpoint, {});
    const double before = residentMb();
    QVERIFY(generator.begin(closedLoop(4, 20s, 4)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    const double grown = residentMb() - before;
    QCOMPARE(batch.records.size(), 4U);
    QVERIFY2(countOf(batch, Outcome::TimeoutFirstToken) == 4, outcomesOf(batch).c_str());
    qInfo("%.0f MB were sent, memory grew by %.1f MB", static_cast<double>(sent) / 1e6, grown);
    // a line is kept up to 16 MiB, a page up to 16 KiB
    QVERIFY2(grown < 150, qPrintable(QString::number(grown)));
}

void BackPressureTest::serverWithoutEnd()
{
    // tokens without end, whatever was asked for: ended long before the time limits are
    std::string many;
    for (int i = 0; i < 500; ++i)
        many += tokenEvent("t");
    ScriptedServer server([&](Exchange& e) {
        e.beginStream();
        while (e.pause(0ms))
            e.chunk(many);
    });
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(closedLoop(2, 20s, 4)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY2(countOf(batch, Outcome::Malformed) == 4, outcomesOf(batch).c_str());
    for (const RequestRecord& record : batch.records) {
        QCOMPARE(batch.chunksOf(record).size(), std::size_t{65'536});
        QVERIFY(batch.errorOf(record).starts_with("ended after 65536 token events"));
    }
}

QTEST_GUILESS_MAIN(BackPressureTest)
#include "tst_back_pressure.moc"
