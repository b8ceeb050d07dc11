// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/load_generator.h"

#include "scripted_server.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <set>

using namespace tailmark;
using namespace tailmark::test;
using namespace std::chrono_literals;

namespace {

/// Numbered bodies; open loop when a gap is given.
class NumberedSource final : public RequestSource
{
public:
    explicit NumberedSource(std::uint32_t count = 0, Nanoseconds gap = 0ns, std::size_t bodyBytes = 0)
        : m_count(count), m_gap(gap), m_bodyBytes(bodyBytes)
    {
    }
    std::uint32_t count() const override { return m_count; }
    PlannedRequest planned(std::uint32_t index) const override
    {
        PlannedRequest planned;
        planned.intended = m_gap * index;
        planned.promptTokens = 12;
        planned.outputTokens = 8;
        return planned;
    }
    void writeBody(std::uint32_t index, std::string& body) const override
    {
        body = "{\"n\":" + std::to_string(index) + "}";
        body.resize(std::max(body.size(), m_bodyBytes), ' ');
    }

private:
    std::uint32_t m_count;
    Nanoseconds m_gap;
    std::size_t m_bodyBytes;
};

Endpoint endpointOf(const std::string& url)
{
    Endpoint endpoint;
    endpoint.url = url;
    endpoint.limits.maxInFlight = 2048;
    return endpoint;
}

PointLoad closedLoop(int workers, Nanoseconds sendFor, std::int64_t maxRequests = 0)
{
    PointLoad load;
    load.source = std::make_shared<NumberedSource>();
    load.concurrency = workers;
    load.sendFor = sendFor;
    load.drain = 20s;
    load.maxRequests = maxRequests;
    return load;
}

PointLoad openLoop(std::uint32_t count, Nanoseconds gap, Nanoseconds sendFor)
{
    PointLoad load;
    load.source = std::make_shared<NumberedSource>(count, gap);
    load.sendFor = sendFor;
    load.drain = 20s;
    return load;
}

/// Waits for the end of a point, with a bound far above what any of these takes.
bool collect(LoadGenerator& generator, RecordBatch& batch, Nanoseconds bound = 60s)
{
    const MonotonicClock clock;
    const Nanoseconds end = clock.now() + bound;
    while (!generator.finished() && clock.now() < end) {
        generator.takeRecords(batch);
        std::this_thread::sleep_for(1ms);
    }
    const bool finished = generator.finished();
    generator.takeRecords(batch);
    return finished;
}

bool waitUntil(const std::function<bool()>& condition, Nanoseconds bound = 20s)
{
    const MonotonicClock clock;
    for (const Nanoseconds end = clock.now() + bound; !condition(); std::this_thread::sleep_for(1ms))
        if (clock.now() > end)
            return false;
    return true;
}

std::size_t countOf(const RecordBatch& batch, Outcome outcome)
{
    return static_cast<std::size_t>(
        std::count_if(batch.records.begin(), batch.records.end(),
                      [&](const RequestRecord& r) { return r.outcome == outcome; }));
}

std::string outcomesOf(const RecordBatch& batch)
{
    std::map<std::string, int> counts;
    for (const RequestRecord& record : batch.records)
        ++counts[std::string(outcomeId(record.outcome)) + " (" + std::string(batch.errorOf(record)) + ")"];
    std::string text;
    for (const auto& [name, n] : counts)
        text += name + ": " + std::to_string(n) + "  ";
    return text;
}

bool eachOnce(const RecordBatch& batch)
{
    std::set<std::uint32_t> numbers;
    for (const RequestRecord& record : batch.records)
        numbers.insert(record.request);
    return numbers.size() == batch.records.size() &&
           (numbers.empty() || *numbers.rbegin() == numbers.size() - 1);
}

} // namespace

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
    void allWorkersAreInFlightAtOnce();
    void openLoopKeepsItsTimes();
    void limitOfRequestsInFlight();
    void threadsShareTheWork_data();
    void threadsShareTheWork();
    void stopAccountsForEverything_data();
    void stopAccountsForEverything();
    void stopOfManyStreamsIsQuick();
    void goesAwayWhileRequestsHang();
    void hostWithoutAddress();
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
        QVERIFY(record.lastToken - record.firstToken >= 79ms);
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
            QVERIFY(i == 0 || chunks[i].sinceSentUs > chunks[i - 1].sinceSentUs);
            QCOMPARE(chunks[i].flags, std::uint16_t(ChunkRecord::Answer));
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

using Script = std::function<void(Exchange&)>;
Q_DECLARE_METATYPE(Script)

void LoadGeneratorTest::namesEachOutcome_data()
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

void LoadGeneratorTest::namesEachOutcome()
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

void LoadGeneratorTest::readsWholeResponses()
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

void LoadGeneratorTest::serverThatIsDown_data()
{
    QTest::addColumn<bool>("open");
    QTest::newRow("open") << true;
    QTest::newRow("closed") << false;
}

void LoadGeneratorTest::serverThatIsDown()
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
    QVERIFY(batch.errorOf(batch.records[0]).starts_with("Couldn't connect to server"));
    QCOMPARE(generator.snapshot().sent, 0U);
}

void LoadGeneratorTest::serverThatNeverAnswers()
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

void LoadGeneratorTest::serverThatDoesNotAccept()
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

void LoadGeneratorTest::silenceInsideAStream()
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

void LoadGeneratorTest::longStreamsMayLast()
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

void LoadGeneratorTest::totalLimitKeepsWhatCame()
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

void LoadGeneratorTest::serverThatClosesAfterEachResponse()
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

void LoadGeneratorTest::closedConnectionIsRetriedOnce()
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

void LoadGeneratorTest::serverThatClosesOnEveryRequest()
{
    ScriptedServer server([](Exchange& e) { e.close(); });
    LoadGenerator generator(endpointOf(server.url()), {});
    QVERIFY(generator.begin(closedLoop(2, 30s, 30)).ok());
    RecordBatch batch;
    QVERIFY(collect(generator, batch));
    QCOMPARE(countOf(batch, Outcome::Truncated), 30U);
    QCOMPARE(server.requests(), 30); // a fresh connection that dies is the server's doing
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

void LoadGeneratorTest::hostWithoutAddress()
{
    LoadGenerator generator(endpointOf("http://no-such-host.invalid/v1"), {});
    const Status status = generator.begin(closedLoop(1, 1s));
    QVERIFY(!status.ok());
    QCOMPARE(status.error().code, ErrorCode::Unreachable);
    LoadGenerator other(endpointOf("ftp://127.0.0.1/v1"), {});
    QCOMPARE(other.begin(closedLoop(1, 1s)).error().code, ErrorCode::BadInput);
}

QTEST_GUILESS_MAIN(LoadGeneratorTest)
#include "tst_load_generator.moc"
