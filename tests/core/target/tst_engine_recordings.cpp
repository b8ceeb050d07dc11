// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "engine_recordings.h"
#include "load/load_generator.h"
#include "target/response_reader.h"
#include "test_server.h"

#include <memory>
#include <random>
#include <set>
#include <thread>

using namespace tailmark;
using namespace std::chrono_literals;
using test::EngineRecording;
using test::Reply;
using test::TestServer;

Q_DECLARE_METATYPE(const EngineRecording*)

namespace {

const QString kFolder = QStringLiteral(TAILMARK_TEST_DATA "/engines");

struct Sink : TokenSink
{
    std::vector<TokenEvent> events;
    void onTokenEvent(const TokenEvent& event) override { events.push_back(event); }
};

struct Reading
{
    RequestRecord record;
    std::vector<TokenEvent> events;
    std::string error;
};

/// Reads the body cut at `cuts` (rising); the stamp of a read is the number of its last byte, counted from 1.
Reading read(const EngineRecording& recording, const std::vector<std::size_t>& cuts)
{
    Reading reading;
    Sink sink;
    ResponseReader reader;
    reader.reset(recording.streaming(), 0ns, &reading.record, &sink, recording.emptyDelta());
    reader.onHeaders(recording.status(), recording.contentType());
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
        const std::size_t end = i < cuts.size() ? cuts[i] : recording.body.size();
        // what is exactly as long as the read, so that reading past its end shows in a memory checker
        const std::vector<char> piece(recording.body.begin() + static_cast<std::ptrdiff_t>(begin),
                                      recording.body.begin() + static_cast<std::ptrdiff_t>(end));
        reader.feed(piece.data(), piece.size(), Nanoseconds(static_cast<std::int64_t>(end)));
        begin = end;
    }
    reader.finish(recording.endsProperly());
    reading.events = std::move(sink.events);
    reading.error = reader.errorText();
    return reading;
}

std::vector<std::size_t> everyByte(const std::string& body)
{
    std::vector<std::size_t> cuts;
    for (std::size_t i = 1; i < body.size(); ++i)
        cuts.push_back(i);
    return cuts;
}

/// One request, for the real client.
class OneRequest final : public RequestSource
{
public:
    std::uint32_t count() const override { return 0; } // closed loop
    PlannedRequest planned(std::uint32_t) const override
    {
        PlannedRequest planned;
        planned.promptTokens = 32;
        planned.outputTokens = 8;
        return planned;
    }
    void writeBody(std::uint32_t, std::string& body) const override { body = "{}"; }
};

} // namespace

/// What each engine sends, with what it means: read whole, byte by byte and cut at every single place, and
/// once by the whole client from a socket.
class TestEngineRecordings : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_all = test::engineRecordings(kFolder);
        std::set<std::string> engines;
        for (const EngineRecording& recording : m_all)
            engines.insert(recording.engine);
        QCOMPARE(engines.size(), engineProfiles().size());
        for (const EngineProfile& profile : engineProfiles())
            QVERIFY2(engines.contains(profile.id), profile.id.c_str());
    }

    void everyCut_data() { rows(); }
    void everyCut()
    {
        QFETCH(const EngineRecording*, recording);
        check(*recording, {});
        const std::vector<std::size_t> bytes = everyByte(recording->body);
        check(*recording, bytes);
        for (const std::size_t cut : bytes)
            check(*recording, {cut});
    }

    /// As a busy network would cut it: several places at once, far more often than there are events.
    void randomCuts_data() { rows(); }
    void randomCuts()
    {
        QFETCH(const EngineRecording*, recording);
        std::mt19937 random(7);
        std::uniform_int_distribution<std::size_t> place(1, std::max<std::size_t>(2, recording->body.size()) -
                                                                1);
        for (int round = 0; round < 200; ++round) {
            std::set<std::size_t> cuts;
            for (int i = 0; i < 1 + round % 20; ++i)
                cuts.insert(place(random));
            check(*recording, {cuts.begin(), cuts.end()});
        }
    }

    /// Fed byte by byte, every event has the stamp of its own last byte.
    void stamps_data() { rows(); }
    void stamps()
    {
        QFETCH(const EngineRecording*, recording);
        const Reading reading = read(*recording, everyByte(recording->body));
        const std::vector<std::size_t> ends = recording->eventEnds();
        const nlohmann::json& expected = recording->expected();
        const auto stampOf = [&](const char* key) {
            const nlohmann::json& index = expected[key];
            return index.is_null() ? kAbsentTime.count()
                                   : static_cast<std::int64_t>(ends.at(index.get<std::size_t>()));
        };
        QCOMPARE(reading.record.firstToken.count(), stampOf("first_token_event"));
        QCOMPARE(reading.record.firstAnswerToken.count(), stampOf("first_answer_event"));
        if (recording->streaming())
            QCOMPARE(reading.record.lastToken.count(), stampOf("last_token_event"));
        std::vector<int> tokens, wanted;
        for (const TokenEvent& event : reading.events)
            tokens.push_back(event.tokens);
        for (const nlohmann::json& count : expected["event_tokens"])
            wanted.push_back(test::countOrUnknown(count));
        QCOMPARE(tokens, wanted);
    }

    void throughTheClient_data() { rows(); }
    void throughTheClient()
    {
        QFETCH(const EngineRecording*, recording);
        TestServer server;
        Reply reply = Reply::text(recording->body, recording->status(), recording->contentType());
        reply.framing = Reply::Framing::Chunked;
        if (!recording->endsProperly())
            reply.end = Reply::End::Cut;
        server.on("/v1/chat/completions", reply.inPiecesOf(97));
        Endpoint endpoint;
        endpoint.url = server.url("/v1/chat/completions");
        endpoint.streaming = recording->streaming();
        endpoint.emptyDelta = recording->emptyDelta();
        LoadGenerator generator(endpoint, GeneratorOptions{1});
        PointLoad load;
        load.source = std::make_shared<OneRequest>();
        load.concurrency = 1;
        load.sendFor = 20s;
        load.drain = 20s;
        load.maxRequests = 1;
        QVERIFY(generator.begin(load).ok());
        RecordBatch batch;
        const auto handedOver = [&] {
            generator.takeRecords(batch);
            return generator.finished();
        };
        QTRY_VERIFY_WITH_TIMEOUT(handedOver(), 20'000);
        generator.takeRecords(batch);
        QCOMPARE(batch.records.size(), std::size_t(1));
        const RequestRecord& record = batch.records.front();
        const std::string difference =
            test::differenceFrom(*recording, record, std::string(batch.errorOf(record)));
        QVERIFY2(difference.empty(), difference.c_str());
        QCOMPARE(isPresent(record.firstToken), !recording->expected()["first_token_event"].is_null());
    }

private:
    void rows()
    {
        QTest::addColumn<const EngineRecording*>("recording");
        for (const EngineRecording& recording : m_all)
            QTest::newRow((recording.engine + '/' + recording.name).c_str()) << &recording;
    }
    static void check(const EngineRecording& recording, const std::vector<std::size_t>& cuts)
    {
        if (QTest::currentTestFailed())
            return;
        const Reading reading = read(recording, cuts);
        std::string difference = test::differenceFrom(recording, reading.record, reading.error);
        if (!difference.empty() && cuts.size() == 1)
            difference += " when cut at " + std::to_string(cuts.front());
        QVERIFY2(difference.empty(), difference.c_str());
    }

    std::vector<EngineRecording> m_all;
};

QTEST_GUILESS_MAIN(TestEngineRecordings)
#include "tst_engine_recordings.moc"
