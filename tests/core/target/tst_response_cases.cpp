// SPDX-License-Identifier: GPL-3.0-or-later
#include "response_text.h"
#include "target/response_reader.h"

#include <QDir>
#include <QFile>
#include <QtTest>

using namespace tailmark;
using namespace std::chrono_literals;

namespace {

struct Sink : TokenSink
{
    std::vector<TokenEvent> events;
    void onTokenEvent(const TokenEvent& event) override { events.push_back(event); }
};

struct Reading
{
    RequestRecord record;
    Sink sink;
    test::ResponseText text;
    std::string error;
};

constexpr Nanoseconds kOrigin = 77s;

/// Feeds the body cut at `cuts`; bytes that complete JSON event k carry the stamp times[k].
Reading read(const nlohmann::json& http, const QByteArray& body, const std::vector<qsizetype>& cuts,
             const std::vector<Nanoseconds>& times)
{
    Reading r;
    ResponseReader reader;
    reader.reset(true, kOrigin, &r.record, &r.sink);
    reader.onHeaders(http["status"].get<int>(), http["content_type"].get<std::string>());
    qsizetype begin = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
        const qsizetype end = i < cuts.size() ? cuts[i] : body.size();
        // what is exactly as long as the read, so that reading past its end shows in a memory checker
        const std::vector<char> piece(body.begin() + begin, body.begin() + end);
        r.text.feed(piece.data(), piece.size());
        const auto known = std::min<std::size_t>(times.size(), std::size_t(std::max(1, r.text.jsonEvents)));
        reader.feed(piece.data(), piece.size(), kOrigin + (known > 0 ? times[known - 1] : 1ms));
        begin = end;
    }
    r.text.finish();
    reader.finish(http["transport_end"] == "clean");
    r.error = reader.errorText();
    return r;
}

std::vector<qsizetype> everyByte(const QByteArray& body)
{
    std::vector<qsizetype> cuts;
    for (qsizetype i = 1; i < body.size(); ++i)
        cuts.push_back(i);
    return cuts;
}

std::string kindOf(const Reading& r)
{
    switch (r.record.outcome) {
    case Outcome::Completed:
        return "";
    case Outcome::Truncated:
        return "truncated";
    case Outcome::NoContent:
        return "no_content";
    case Outcome::Malformed:
        return "not_sse";
    default:
        return r.record.httpStatus == 200 ? "server_error" : "http_error";
    }
}

} // namespace

/// Every response with a known answer, cut in every way: whole, byte by byte, at the given places, at each
/// single place.
class TestResponseCases : public QObject
{
    Q_OBJECT

private slots:
    void sharedCases_data() { rows(QDir(TAILMARK_SHARED_DIR "/cases")); }
    void sharedCases() { check(); }
    void ownCases_data()
    {
        rows(QDir(TAILMARK_TEST_DATA "/sse"));
        QVERIFY(QDir(TAILMARK_TEST_DATA "/sse").entryList({"sse-*.json"}).size() > 40);
    }
    void ownCases() { check(); }

private:
    void rows(const QDir& folder)
    {
        QTest::addColumn<QString>("file");
        for (const QString& name : folder.entryList({"sse-*.json"}))
            QTest::newRow(qPrintable(name.chopped(5))) << folder.filePath(name);
        if (folder.entryList({"sse-*.json"}).isEmpty())
            QTest::newRow("missing") << QString();
    }

    void check()
    {
        QFETCH(QString, file);
        if (file.isEmpty())
            QSKIP("THE FOLDER OF CASES IS ABSENT: nothing was checked (set TAILMARK_SHARED_DIR)");
        QFile json(file), txt(file.chopped(5) + ".txt");
        QVERIFY(json.open(QFile::ReadOnly) && txt.open(QFile::ReadOnly));
        const nlohmann::json known = nlohmann::json::parse(json.readAll().toStdString());
        const QByteArray body = txt.readAll();
        if (known.contains("body_bytes"))
            QCOMPARE(body.size(), known["body_bytes"].get<int>());

        std::vector<Nanoseconds> times;
        for (int i = 0; i < 1000; ++i)
            times.push_back(Nanoseconds((i + 1) * 1000000LL));
        if (known.contains("timed")) {
            times.clear();
            for (const auto& ms : known["timed"]["event_times_ms"])
                times.push_back(fromMs(ms.get<double>()));
        }

        const Reading bytes = read(known["http"], body, everyByte(body), times);
        compare(known, bytes);
        if (QTest::currentTestFailed())
            return;
        compareTimes(known, bytes, times);
        const auto cutAt = [&](const std::vector<qsizetype>& cuts) {
            if (!QTest::currentTestFailed())
                compare(known, read(known["http"], body, cuts, times));
        };
        cutAt({});
        std::vector<qsizetype> splits;
        for (const auto& at : known.value("feed_splits", nlohmann::json::array()))
            splits.push_back(at.get<qsizetype>());
        cutAt(splits);
        for (qsizetype i = 1; i < body.size() && body.size() < 4096; ++i)
            cutAt({i});
    }

    void compare(const nlohmann::json& known, const Reading& r)
    {
        const nlohmann::json& expected = known["expected"];
        const nlohmann::json more = known.value("expected_more", nlohmann::json::object());
        const auto count = [](const nlohmann::json& v) { return v.is_null() ? kUnknownCount : v.get<int>(); };
        const auto stringOf = [](const nlohmann::json& v) {
            return v.is_null() ? std::string() : v.get<std::string>();
        };

        const bool failed = !expected["error"].is_null();
        QCOMPARE(kindOf(r), failed ? expected["error"]["kind"].get<std::string>() : "");
        if (expected.contains("outcome"))
            QCOMPARE(std::string(outcomeId(r.record.outcome)), expected["outcome"].get<std::string>());
        QCOMPARE(r.error.empty(), !failed);
        if (failed && expected["error"].contains("message"))
            QVERIFY2(r.error.find(stringOf(expected["error"]["message"])) != std::string::npos,
                     r.error.c_str());
        QVERIFY(r.error.size() <= 300 && r.error.find('\n') == std::string::npos);

        QCOMPARE(r.record.promptTokens, count(expected["prompt_tokens"]));
        QCOMPARE(r.record.outputTokens, count(expected["completion_tokens"]));
        if (expected.contains("cached_tokens"))
            QCOMPARE(r.record.cachedTokens, count(expected["cached_tokens"]));
        QCOMPARE(std::string(finishReasonId(r.record.finishReason)), stringOf(expected["finish_reason"]));
        QCOMPARE(r.record.malformedEvents, more.value("malformed_events", 0));
        QCOMPARE(r.record.doneSeen, more.value("done_seen", true));

        if (r.record.httpStatus == 200 && known["http"]["content_type"] != "application/json") {
            QCOMPARE(r.text.output, stringOf(expected["output_text"]));
            QCOMPARE(r.text.contentEvents, expected["content_chunks"].get<int>());
            QCOMPARE(r.text.firstContent, count(expected["ttft_chunk_index"]));
            QCOMPARE(r.text.reasoning, more.value("reasoning_text", std::string()));
            const nlohmann::json calls = more.value("tool_calls", nlohmann::json::array());
            QCOMPARE(r.text.toolCalls.size(), calls.size());
            for (const auto& call : calls) {
                const auto& got = r.text.toolCalls.at(call["index"].get<int>());
                QCOMPARE(got.name, call["name"].get<std::string>());
                QCOMPARE(got.arguments, call["arguments"].get<std::string>());
            }
            const nlohmann::json others = more.value("other_choices", nlohmann::json::object());
            QCOMPARE(r.text.otherChoices.size(), others.size());
            for (const auto& [index, text] : others.items())
                QCOMPARE(r.text.otherChoices.at(std::stoi(index)), text.get<std::string>());
        }
        // Token events are the content events, and those that prove a token without text (said in the case).
        const int tokenEvents =
            expected.value("token_events", r.text.contentEvents + stepsWithoutText(known));
        QCOMPARE(r.record.tokenEvents, tokenEvents);
        QCOMPARE(int(r.sink.events.size()), tokenEvents);
        QCOMPARE(isPresent(r.record.firstToken), tokenEvents > 0);
        QCOMPARE(isPresent(r.record.firstAnswerToken), r.text.firstAnswer >= 0);
        int coalesced = 0;
        for (std::size_t i = 0; i < r.sink.events.size(); ++i) {
            QCOMPARE(r.sink.events[i].coalesced, i > 0 && r.sink.events[i].at == r.sink.events[i - 1].at);
            coalesced += r.sink.events[i].coalesced;
        }
        QCOMPARE(r.record.coalescedEvents, coalesced);
        if (expected.contains("event_tokens")) {
            std::vector<int> tokens;
            for (const TokenEvent& event : r.sink.events)
                tokens.push_back(event.tokens);
            QCOMPARE(tokens, expected["event_tokens"].get<std::vector<int>>());
            QCOMPARE(r.record.firstEventTokens, tokens.front());
        }
    }

    /// The finish event of this case raises the running usage from 5 to 6: a token whose text is empty.
    static int stepsWithoutText(const nlohmann::json& known)
    {
        return known["case"] == "sse-25-usage-in-every-chunk" ? 1 : 0;
    }

    /// Fed byte by byte every event has the stamp of its own last byte.
    void compareTimes(const nlohmann::json& known, const Reading& r, const std::vector<Nanoseconds>& times)
    {
        const nlohmann::json& expected = known["expected"];
        const auto timeOf = [&](const nlohmann::json& index) {
            return index.is_null() ? kAbsentTime : times[index.get<std::size_t>()];
        };
        QCOMPARE(r.record.firstToken.count(),
                 timeOf(expected.value("first_token_index", expected["ttft_chunk_index"])).count());
        const nlohmann::json more = known.value("expected_more", nlohmann::json::object());
        if (more.contains("first_answer_chunk_index"))
            QCOMPARE(r.record.firstAnswerToken.count(), timeOf(more["first_answer_chunk_index"]).count());
        if (r.text.jsonEvents > 0)
            QCOMPARE(r.record.firstEvent.count(), times[0].count());
        if (!known.contains("timed"))
            return;
        const nlohmann::json& timed = known["timed"]["expected"];
        const auto near = [](double a, double b) { return std::abs(a - b) < 5e-4; };
        QVERIFY(near(toMs(r.record.firstToken), timed["ttft_ms"].get<double>()));
        QVERIFY(near(toMs(r.record.lastToken), timed["last_token_ms"].get<double>()));
        std::vector<double> gaps;
        for (std::size_t i = 1; i < r.sink.events.size(); ++i)
            gaps.push_back(toMs(r.sink.events[i].at - r.sink.events[i - 1].at));
        QCOMPARE(gaps, timed["chunk_gaps_ms"].get<std::vector<double>>());
        if (!timed["tpot_ms"].is_null())
            QVERIFY(near(toMs(r.record.lastToken - r.record.firstToken) / (r.record.outputTokens - 1),
                         timed["tpot_ms"].get<double>()));
    }
};

QTEST_GUILESS_MAIN(TestResponseCases)
#include "tst_response_cases.moc"
