// SPDX-License-Identifier: GPL-3.0-or-later
#include "load_fixture.h"

#include <QtTest>

using namespace tailmark;
using namespace tailmark::test;
using namespace std::chrono_literals;

/// Measuring, connections, times, threads and the end of a point, against servers that work.
class LoadGeneratorTest : public QObject
{
    Q_OBJECT

private slots:
    void measuresAStream();
    void stampsDoNotCarryTheClientsQueue();
    void reusesConnections();
    void keepsConnectionsFromPointToPoint();
    void sendsWhatItShould();
    void sendsLargeBodies();
    void ignoresProxiesOfTheEnvironment();
    void allWorkersAreInFlightAtOnce();
    void openLoopKeepsItsTimes();
    void limitOfRequestsInFlight();
    void threadsShareTheWork_data();
    void threadsShareTheWork();
    void stopAccountsForEverything_data();
    void stopAccountsForEverything();
    void stopOfManyStreamsIsQuick();
    void goesAwayWhileRequestsHang();
};

void LoadGeneratorTest::measuresAStream()
{
    ScriptedServer server([](Exchange& e) { answer(e, 5, 20ms); });
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(closedLoop(2, 10s, 6)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY(eachOnce(batch));
    QCOMPARE(batch.records.size(), 6U);
    for (const RequestRecord& record : batch.records) {
        QVERIFY2(record.outcome == Outcome::Completed, std::string(batch.errorOf(record)).c_str());
        QVERIFY(record.worker == 0 || record.worker == 1);
        QVERIFY(record.intended <= record.sent && record.sent <= record.headers);
        QVERIFY(record.headers <= record.firstEvent && record.firstEvent == record.firstToken);
        QVERIFY(record.firstToken < record.lastToken && record.lastToken <= record.closed);
        QCOMPARE(record.httpStatus, std::uint16_t(200));
        QCOMPARE(record.finishReason, FinishReason::Stop);
        QVERIFY(record.doneSeen);
        QCOMPARE(record.promptTokensPlanned, 12);
        QCOMPARE(record.outputTokensCap, 8);
        QCOMPARE(record.promptTokens, 10);
        QCOMPARE(record.outputTokens, 5);
        QCOMPARE(record.tokenEvents, 5);
        QCOMPARE(record.newConnection, isPresent(record.connect) && record.connect > 0ns);
        const auto chunks = batch.chunksOf(record);
        QCOMPARE(chunks.size(), 5U);
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            // a machine that is busy elsewhere may let two come together
            const bool together = i > 0 && chunks[i].sinceSentUs == chunks[i - 1].sinceSentUs;
            QVERIFY(i == 0 || chunks[i].sinceSentUs >= chunks[i - 1].sinceSentUs);
            QCOMPARE(int(chunks[i].flags), ChunkRecord::Answer | (together ? int(ChunkRecord::Coalesced) : 0));
        }
        QCOMPARE(chunks.front().sinceSentUs,
                 static_cast<std::uint32_t>((record.firstToken - record.sent).count() / 1000));
    }
    const LoadSnapshot snapshot = generator.snapshot();
    QCOMPARE(snapshot.intended, 6U);
    QCOMPARE(snapshot.sent, 6U);
    QCOMPARE(snapshot.accepted, 6U);
    QCOMPARE(snapshot.completed, 6U);
    QCOMPARE(snapshot.outputTokens, 30U);
    QCOMPARE(snapshot.inFlight, 0U);
    const GeneratorHealth health = generator.health();
    QVERIFY(health.cpuCores > 0 && health.cpuCores < 1);
    QVERIFY(health.runDelayShare >= 0 && health.runDelayShare <= 1);
    QCOMPARE(health.events, 30U);
    QCOMPARE(health.newConnections, 2U);
    QVERIFY(health.note.empty());
}

void LoadGeneratorTest::stampsDoNotCarryTheClientsQueue()
{
    // the server writes the truth into each token; all streams start together, so that the client has a queue
    const auto nowUs = [] { return std::to_string(MonotonicClock().now().count() / 1000); };
    std::mutex mutex;
    std::map<int, std::vector<std::int64_t>> truth; // by number in the body
    ScriptedServer server([&](Exchange& e) {
        const int number = std::stoi(e.body.substr(5));
        std::vector<std::int64_t> times;
        e.beginStream();
        for (int i = 0; i < 10 && e.pause(10ms); ++i) {
            times.push_back(std::stoll(nowUs()));
            e.chunk(tokenEvent("t"));
        }
        e.chunk(closingEvents(1, 10));
        {
            const std::lock_guard lock(mutex);
            truth[number] = times;
        }
        e.endStream();
    });
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(closedLoop(32, 10s, 64)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    std::vector<double> gapErrors;
    std::size_t kernel = 0;
    for (const RequestRecord& record : batch.records) {
        QCOMPARE(record.outcome, Outcome::Completed);
        kernel += record.stamps == StampSource::Kernel;
        const auto& times = truth[static_cast<int>(record.request)];
        const auto chunks = batch.chunksOf(record);
        for (std::size_t i = 1; i < std::min(times.size(), chunks.size()); ++i) {
            const auto measured =
                static_cast<std::int64_t>(chunks[i].sinceSentUs) - chunks[i - 1].sinceSentUs;
            gapErrors.push_back(std::abs(static_cast<double>(measured - (times[i] - times[i - 1]))));
        }
    }
    std::sort(gapErrors.begin(), gapErrors.end());
    QVERIFY(gapErrors.size() > 500);
    qInfo("gap error: median %.0f us, p99 %.0f us; kernel stamps on %zu of %zu",
          gapErrors[gapErrors.size() / 2], gapErrors[gapErrors.size() * 99 / 100], kernel,
          batch.records.size());
    QVERIFY(gapErrors[gapErrors.size() / 2] < 5000);
    if (kernel == 0)
        QSKIP("this kernel gives no receive stamps");
    QVERIFY(kernel > batch.records.size() / 2);
}

void LoadGeneratorTest::reusesConnections()
{
    ScriptedServer server([](Exchange& e) { answer(e); });
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(closedLoop(100, 30s, 5000)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QCOMPARE(countOf(batch, Outcome::Completed), 5000U);
    QVERIFY(eachOnce(batch));
    QCOMPARE(server.requests(), 5000);
    QVERIFY2(server.connections() <= 100, qPrintable(QString::number(server.connections())));
    const auto fresh = std::count_if(batch.records.begin(), batch.records.end(),
                                     [](const RequestRecord& r) { return r.newConnection; });
    QCOMPARE(generator.health().newConnections, static_cast<std::uint64_t>(fresh));
    QCOMPARE(generator.health().staleConnections, 0U);
}

void LoadGeneratorTest::keepsConnectionsFromPointToPoint()
{
    ScriptedServer server([](Exchange& e) { answer(e); });
    LoadGenerator generator(endpointOf(server.url()), {});
    for (int point = 0; point < 3; ++point) {
        QVERIFY(generator.begin(closedLoop(8, 10s, 200)).ok());
        RecordBatch batch;
        QVERIFY(collect(generator, batch));
        QCOMPARE(countOf(batch, Outcome::Completed), 200U);
        QVERIFY(eachOnce(batch)); // numbers begin anew
        QCOMPARE(generator.snapshot().completed, 200U);
    }
    QVERIFY2(server.connections() <= 16, qPrintable(QString::number(server.connections())));
}

void LoadGeneratorTest::sendsWhatItShould()
{
    std::mutex mutex;
    std::string head;
    std::set<std::string> bodies;
    ScriptedServer server([&](Exchange& e) {
        {
            const std::lock_guard lock(mutex);
            head = e.head;
            bodies.insert(e.body);
        }
        answer(e);
    });
    Endpoint endpoint = endpointOf(server.url());
    endpoint.headers = {"Authorization: Bearer key", "X-Trace: on"};
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(closedLoop(4, 10s, 40)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QCOMPARE(bodies.size(), 40U);
    QVERIFY(bodies.count("{\"n\":39}"));
    QVERIFY(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    for (const char* wanted :
         {"Content-Type: application/json\r\n", "Authorization: Bearer key\r\n", "X-Trace: on\r\n"})
        QVERIFY2(head.find(wanted) != std::string::npos, wanted);
    for (const char* unwanted : {"Expect", "Accept-Encoding", "Connection: Upgrade"})
        QVERIFY2(head.find(unwanted) == std::string::npos, unwanted);
}

void LoadGeneratorTest::sendsLargeBodies()
{
    std::atomic<std::size_t> received{0};
    ScriptedServer server([&](Exchange& e) {
        received += e.body.size();
        answer(e);
    });
    LoadGenerator generator(endpointOf(server.url()), {});
    PointLoad load = closedLoop(3, 10s, 12);
    load.source = std::make_shared<NumberedSource>(0, 0ns, 3'000'000);
    QVERIFY(generator.begin(load).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QCOMPARE(countOf(batch, Outcome::Completed), 12U);
    QCOMPARE(received.load(), 12U * 3'000'000U);
}

void LoadGeneratorTest::ignoresProxiesOfTheEnvironment()
{
    qputenv("http_proxy", "http://127.0.0.1:9");
    qputenv("ALL_PROXY", "http://127.0.0.1:9");
    ScriptedServer server([](Exchange& e) { answer(e); });
    LoadGenerator generator(endpointOf("http://localhost:" + std::to_string(server.port()) + "/v1"), {});
    QVERIFY(generator.begin(closedLoop(1, 10s, 3)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    qunsetenv("http_proxy");
    qunsetenv("ALL_PROXY");
    QCOMPARE(countOf(batch, Outcome::Completed), 3U);
}

void LoadGeneratorTest::allWorkersAreInFlightAtOnce()
{
    ScriptedServer server([](Exchange& e) {
        e.pause(500ms);
        answer(e);
    });
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(closedLoop(256, 30s, 512)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QCOMPARE(countOf(batch, Outcome::Completed), 512U);
    QCOMPARE(server.mostAtOnce(), 256);
}

void LoadGeneratorTest::openLoopKeepsItsTimes()
{
    ScriptedServer server([](Exchange& e) { answer(e); });
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(openLoop(200, 2ms, 400ms)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY(eachOnce(batch));
    QCOMPARE(countOf(batch, Outcome::Completed), 200U);
    std::vector<double> lags;
    for (const RequestRecord& record : batch.records) {
        QCOMPARE(record.intended.count(), Nanoseconds(2ms * record.request).count());
        QVERIFY(record.sent >= record.intended);
        QCOMPARE(record.worker, -1);
        lags.push_back(toMs(record.sent - record.intended));
    }
    std::sort(lags.begin(), lags.end());
    qInfo("send lag: median %.3f ms, p99 %.3f ms", lags[100], lags[197]);
    QVERIFY(lags[100] < 50);
}

void LoadGeneratorTest::limitOfRequestsInFlight()
{
    ScriptedServer server([](Exchange& e) {
        e.pause(100ms);
        answer(e);
    });
    Endpoint endpoint = endpointOf(server.url());
    endpoint.limits.maxInFlight = 4;
    LoadGenerator generator(endpoint, {});
    QVERIFY(generator.begin(openLoop(50, 10ms, 500ms)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY(eachOnce(batch));
    QCOMPARE(batch.records.size(), 50U);
    QCOMPARE(server.mostAtOnce(), 4);
    QVERIFY(countOf(batch, Outcome::NotSent) >= 20);
    Nanoseconds worst{0};
    for (const RequestRecord& record : batch.records)
        if (isPresent(record.sent))
            worst = std::max(worst, record.sent - record.intended);
    QVERIFY(worst > 100ms); // the wait is not hidden
}

void LoadGeneratorTest::threadsShareTheWork_data()
{
    QTest::addColumn<bool>("open");
    QTest::newRow("open") << true;
    QTest::newRow("closed") << false;
}

void LoadGeneratorTest::threadsShareTheWork()
{
    QFETCH(bool, open);
    ScriptedServer server([](Exchange& e) { answer(e); });
    GeneratorOptions options;
    options.threads = 3;
    LoadGenerator generator(endpointOf(server.url()), options);
    PointLoad load = open ? openLoop(500, 500us, 300ms) : closedLoop(7, 30s, 500);
    QVERIFY(generator.begin(load).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QVERIFY(eachOnce(batch));
    QCOMPARE(countOf(batch, Outcome::Completed), 500U);
    QCOMPARE(generator.snapshot().completed, 500U);
    if (!open) {
        std::set<std::int32_t> workers;
        for (const RequestRecord& record : batch.records)
            workers.insert(record.worker);
        QCOMPARE(workers, (std::set<std::int32_t>{0, 1, 2, 3, 4, 5, 6}));
    }
}

void LoadGeneratorTest::stopAccountsForEverything_data()
{
    QTest::addColumn<bool>("open");
    QTest::addColumn<int>("behaviour");
    for (const bool open : {true, false})
        for (const auto& [name, behaviour] :
             std::map<const char*, int>{{"answers", 0}, {"hangs", 1}, {"streams", 2}})
            QTest::addRow("%s, server %s", open ? "open" : "closed", name) << open << behaviour;
}

void LoadGeneratorTest::stopAccountsForEverything()
{
    QFETCH(bool, open);
    QFETCH(int, behaviour);
    ScriptedServer server([behaviour](Exchange& e) {
        if (behaviour == 0)
            answer(e);
        else if (behaviour == 2)
            answer(e, 100000, 5ms);
        else
            while (e.pause(10ms)) {
            }
    });
    Endpoint endpoint = endpointOf(server.url());
    endpoint.limits.maxInFlight = 32;
    LoadGenerator generator(endpoint, {});
    PointLoad load = open ? openLoop(100000, 1ms, 100s) : closedLoop(16, 100s);
    QVERIFY(generator.begin(load).ok());
    QVERIFY(waitUntil([&] { return server.requests() >= 16; }));
    QTest::qWait(60);
    const LoadSnapshot before = generator.snapshot();
    generator.stop();
    RecordBatch batch;
    QVERIFY(collect(generator, batch, 5s));
    QVERIFY(eachOnce(batch));
    QVERIFY(batch.records.size() >= before.intended);
    const LoadSnapshot after = generator.snapshot();
    QCOMPARE(after.intended, batch.records.size());
    QCOMPARE(after.inFlight, 0U);
    QCOMPARE(after.waiting, 0U);
    QCOMPARE(countOf(batch, Outcome::Completed) + countOf(batch, Outcome::Cancelled) +
                 countOf(batch, Outcome::NotSent),
             batch.records.size());
    if (behaviour != 0)
        QCOMPARE(countOf(batch, Outcome::Cancelled), open ? 32U : 16U);
    generator.stop(); // again does nothing
    QVERIFY(generator.finished());
}

void LoadGeneratorTest::stopOfManyStreamsIsQuick()
{
    ScriptedServer server([](Exchange& e) { answer(e, 100000, 100ms); });
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(closedLoop(1024, 100s)).ok());
    QVERIFY(waitUntil([&] { return generator.snapshot().accepted == 1024; }));
    const MonotonicClock clock;
    const Nanoseconds start = clock.now();
    generator.stop();
    QVERIFY(waitUntil([&] { return generator.finished(); }));
    const Nanoseconds took = clock.now() - start;
    qInfo("stop of 1,024 streams: %.1f ms", toMs(took));
    RecordBatch batch;
    generator.takeRecords(batch);
    QCOMPARE(countOf(batch, Outcome::Cancelled), 1024U);
    QVERIFY(took < 2s);
}

void LoadGeneratorTest::goesAwayWhileRequestsHang()
{
    ScriptedServer server([](Exchange& e) {
        while (e.pause(10ms)) {
        }
    });
    const MonotonicClock clock;
    Nanoseconds start{0};
    {
        LoadGenerator generator(endpointOf(server.url()), {});
        QVERIFY(generator.begin(closedLoop(64, 100s)).ok());
        QVERIFY(waitUntil([&] { return server.requests() == 64; }));
        start = clock.now();
    }
    QVERIFY(clock.now() - start < 5s);
    LoadGenerator unused(endpointOf(server.url()), {});
    QVERIFY(unused.finished());
    QCOMPARE(unused.snapshot().intended, 0U);
}

QTEST_GUILESS_MAIN(LoadGeneratorTest)
#include "tst_load_generator.moc"
