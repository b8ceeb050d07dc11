// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "plan/plan.h"
#include "workload/prompt.h"
#include "workload/request_table.h"
#include "workload/trace/trace_import.h"

#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

constexpr const char* kShared = TAILMARK_SHARED_DIR "/traces/";

Matrix matrixOf(const std::string& file, PrefixKind prefix, SessionsKind sessions = SessionsKind::None)
{
    Matrix m;
    m.workload.lengths.kind = LengthsKind::Trace;
    m.workload.lengths.file = file;
    m.workload.prefix.kind = prefix;
    m.workload.sessions.kind = sessions;
    m.tests.emplace_back();
    m.tests[0].kind = TestKind::ConcurrencySweep;
    m.tests[0].levels = {4, 8};
    return m;
}

PointPlan pointOf(const Matrix& matrix, std::size_t index = 0)
{
    return expand(matrix).value().points.at(index);
}

nlohmann::json bodyOf(const RequestSource& source, std::uint32_t index)
{
    std::string body;
    source.writeBody(index, body);
    return nlohmann::json::parse(body);
}

std::vector<std::string> wordsIn(const std::string& text)
{
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

/// Of all messages, or of the text.
std::vector<std::string> wordsOf(const RequestSource& source, std::uint32_t index)
{
    const nlohmann::json body = bodyOf(source, index);
    if (body.contains("prompt"))
        return wordsIn(body["prompt"]);
    std::vector<std::string> words;
    for (const nlohmann::json& message : body["messages"])
        for (std::string& word : wordsIn(message["content"]))
            words.push_back(std::move(word));
    return words;
}

/// How many words two prompts begin alike with.
std::size_t alike(const std::vector<std::string>& a, const std::vector<std::string>& b)
{
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t n = 0;
    while (n < most && a[n] == b[n])
        ++n;
    return n;
}

/// Hit tokens / prompt tokens of the first `rows` requests.
double plannedHitRate(const RequestSource& source, std::uint32_t rows)
{
    double hits = 0, tokens = 0;
    for (std::uint32_t i = 0; i < rows; ++i) {
        const PlannedRequest planned = source.planned(i);
        hits += planned.cachedTokens;
        tokens += planned.promptTokens;
    }
    return hits / tokens;
}

} // namespace

class RequestTableTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_dir.isValid()); }

    void blocksAreSharedAsInTheLog()
    {
        // Blocks of 512 tokens; the last one of a row may be a part.
        const std::string file = written(
            {{1100, {0, 1, 2}}, {1400, {0, 1, 3}}, {1100, {0, 1, 2}}, {600, {4, 5}}, {1536, {0, 6, 7}}});
        Matrix m = matrixOf(file, PrefixKind::Trace);
        BodyOptions options;
        options.fit.overheadTokens = 12; // one of them the first word
        const auto source = makeRequestSource(m, pointOf(m), options).value();
        const std::vector<std::int32_t> cached = {0, 1024, 1100, 0, 512};
        std::vector<std::vector<std::string>> prompts;
        for (std::uint32_t i = 0; i < 5; ++i) {
            QCOMPARE(source->planned(i).cachedTokens, cached[i]);
            prompts.push_back(wordsOf(*source, i));
            // In the order of the log, each exactly as long as there: words + overhead − the first word.
            QCOMPARE(prompts[i].size() + 11, static_cast<std::size_t>(source->planned(i).promptTokens));
        }
        QCOMPARE(source->planned(1).promptTokens, 1400);
        QCOMPARE(alike(prompts[0], prompts[1]), std::size_t{1024 - 11});
        QCOMPARE(prompts[0], prompts[2]);
        QCOMPARE(alike(prompts[0], prompts[3]), std::size_t{1}); // the first word, which all have
        QCOMPARE(alike(prompts[0], prompts[4]), std::size_t{512 - 11});
    }

    void beyondItsEndTheLogBeginsAgainWithOtherTexts()
    {
        const std::string file = written({{600, {0, 1}}, {700, {0, 2}}});
        const Matrix m = matrixOf(file, PrefixKind::Trace);
        const auto source = makeRequestSource(m, pointOf(m), {}).value();
        QCOMPARE(source->planned(2).promptTokens, 600);
        QCOMPARE(source->planned(2).cachedTokens, 0);
        QCOMPARE(source->planned(3).cachedTokens, 512);
        QCOMPARE(alike(wordsOf(*source, 0), wordsOf(*source, 2)), std::size_t{1});
        QCOMPARE(alike(wordsOf(*source, 2), wordsOf(*source, 3)), std::size_t{512});
    }

    void replayedArrivalsKeepTheirRows()
    {
        const std::string file = written({{600, {0, 1}}, {700, {0, 2}}, {1300, {0, 2, 3}}, {650, {0, 4}}});
        Matrix m = matrixOf(file, PrefixKind::Trace);
        m.tests[0].kind = TestKind::ArrivalSweep;
        m.tests[0].ratesPerS = {2};
        m.tests[0].process = ArrivalProcess::Recorded;
        m.tests[0].recorded.fromS = 1;
        m.tests[0].fanOut = 2;
        m.measurement.warmupS = 0;
        m.measurement.durationS = 3;
        const auto source = makeRequestSource(m, pointOf(m), {}).value();
        QCOMPARE(source->count(), 6u);
        // Nothing before the second row was sent; two come from each row.
        const std::vector<std::int32_t> prompts = {700, 700, 1300, 1300, 650, 650};
        const std::vector<std::int32_t> cached = {0, 700, 1024, 1300, 512, 650};
        for (std::uint32_t i = 0; i < 6; ++i) {
            QCOMPARE(source->planned(i).promptTokens, prompts[i]);
            QCOMPARE(source->planned(i).cachedTokens, cached[i]);
        }
        QCOMPARE(alike(wordsOf(*source, 0), wordsOf(*source, 2)), std::size_t{700});
    }

    void textsArePureAndOfThePoint()
    {
        const std::string file = written({{600, {0, 1}}, {700, {0, 2}}});
        const Matrix m = matrixOf(file, PrefixKind::Trace);
        const auto one = makeRequestSource(m, pointOf(m), {}).value();
        const auto again = makeRequestSource(m, pointOf(m), {}).value();
        const auto other = makeRequestSource(m, pointOf(m, 1), {}).value();
        QCOMPARE(wordsOf(*one, 1), wordsOf(*again, 1));
        QCOMPARE(alike(wordsOf(*one, 0), wordsOf(*other, 0)), std::size_t{1});
    }

    /// Pieces that are more than a token: blocks end where prompts of so many tokens would, so that rounding
    /// does not add up.
    void blocksOfARoundedFit()
    {
        const std::string file =
            written({{5120, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, {5632, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}});
        Matrix m = matrixOf(file, PrefixKind::Trace);
        BodyOptions options;
        options.fit.overheadTokens = 9;
        options.fit.tokensPerPiece = 1.3;
        const auto source = makeRequestSource(m, pointOf(m), options).value();
        const auto first = wordsOf(*source, 0), second = wordsOf(*source, 1);
        QCOMPARE(first.size(), 1 + options.fit.piecesFor(5120));
        QCOMPARE(alike(first, second), first.size());
    }

    void whatTheLogHasNoBlockForIsTheRequestsOwn()
    {
        // Agent sessions name whole blocks of 64 only.
        const Matrix m =
            matrixOf(TAILMARK_TEST_DATA "/traces/agent_session.json", PrefixKind::Trace, SessionsKind::Trace);
        const auto log = importTrace(m.workload.lengths.file).value();
        const auto source = makeRequestSource(m, pointOf(m), {}).value();
        std::uint32_t request = 0;
        int continued = 0;
        for (std::uint32_t session = 0; session < log.stats.sessions->sessions; ++session) {
            const RequestChain chain = source->chain(session);
            QCOMPARE(chain.first, request);
            for (std::uint32_t turn = 0; turn < chain.count; ++turn, ++request) {
                const PlannedRequest planned = source->planned(request);
                QCOMPARE(planned.session, static_cast<std::int32_t>(session));
                QCOMPARE(planned.turn, static_cast<std::int32_t>(turn));
                if (turn == 0 || planned.cachedTokens == 0)
                    continue;
                QCOMPARE(planned.cachedTokens % 64, 0);
                const std::size_t same = alike(wordsOf(*source, request - 1), wordsOf(*source, request));
                QCOMPARE(same, static_cast<std::size_t>(planned.cachedTokens));
                ++continued;
            }
        }
        QCOMPARE(request, static_cast<std::uint32_t>(log.rows.size()));
        QVERIFY(continued > 0);
    }

    void pausesAreThoseOfTheLog()
    {
        Matrix m = matrixOf(TAILMARK_TEST_DATA "/traces/agent_session.json", PrefixKind::Trace,
                            SessionsKind::Trace);
        m.tests[0].thinkTime = ThinkTime::Trace;
        const auto log = importTrace(m.workload.lengths.file).value();
        const auto source = makeRequestSource(m, pointOf(m), {}).value();
        double sumS = 0, told = 0;
        std::multiset<std::int64_t> ofTheLog, planned;
        for (const TraceRow row : log.rows) {
            const bool isTold = isPresent(row.thinkTime);
            ofTheLog.insert(isTold ? row.thinkTime.count() : 0);
            sumS += isTold ? toSeconds(row.thinkTime) : 0;
            told += isTold;
        }
        for (std::uint32_t i = 0; i < log.rows.size(); ++i)
            planned.insert(source->planned(i).thinkTime.count());
        QVERIFY(sumS > 0);
        QCOMPARE(planned, ofTheLog);
        m.tests[0].thinkTimeS = 2 * sumS / told; // stretched to this mean
        const auto slower = makeRequestSource(m, pointOf(m), {}).value();
        for (std::uint32_t i = 0; i < log.rows.size(); ++i)
            QVERIFY(std::abs(2 * toSeconds(source->planned(i).thinkTime) -
                             toSeconds(slower->planned(i).thinkTime)) < 1e-6);
    }

    void turnsRepeatTheConversation_data()
    {
        QTest::addColumn<int>("api");
        QTest::newRow("chat") << int(Api::Chat);
        QTest::newRow("completions") << int(Api::Completions);
    }

    void turnsRepeatTheConversation()
    {
        QFETCH(int, api);
        Matrix m = matrixOf("", PrefixKind::None, SessionsKind::Synthetic);
        m.target.api = Api(api);
        m.workload.lengths = fixedLengths(100, 20);
        m.workload.sessions.turns = 4;
        const auto source = makeRequestSource(m, pointOf(m), {}).value();
        std::set<std::vector<std::string>> beginnings;
        for (std::uint32_t session = 0; session < 20; ++session) {
            QCOMPARE(source->chain(session), (RequestChain{4 * session, 4}));
            std::vector<std::string> before;
            for (std::uint32_t turn = 0; turn < 4; ++turn) {
                const std::uint32_t request = 4 * session + turn;
                const PlannedRequest planned = source->planned(request);
                // question, answer, question, answer, …
                QCOMPARE(planned.promptTokens, static_cast<std::int32_t>(100 + 120 * turn));
                QCOMPARE(planned.outputTokens, 20);
                QCOMPARE(planned.cachedTokens, turn == 0 ? 0 : static_cast<std::int32_t>(120 * turn - 20));
                const std::vector<std::string> words = wordsOf(*source, request);
                QCOMPARE(words.size(), static_cast<std::size_t>(planned.promptTokens));
                QCOMPARE(alike(before, words), before.size());
                before = words;
            }
            beginnings.insert({before.begin(), before.begin() + 9});
        }
        QCOMPARE(beginnings.size(), std::size_t{20}); // every conversation is another
        m.workload.sessions.growthTokens = 30;
        const auto growing = makeRequestSource(m, pointOf(m), {}).value();
        QCOMPARE(growing->planned(0).promptTokens, 100);
        QCOMPARE(growing->planned(3).promptTokens, 100 + 3 * 50);
    }

    /// A template that puts 7 tokens around a prompt of one message, and 8 around an answer and the question behind it,
    /// whose first words are two more: prompts are as long as planned all the same.
    void turnsOfAChatAreMessages()
    {
        Matrix m = matrixOf("", PrefixKind::None, SessionsKind::Synthetic);
        m.workload.lengths = fixedLengths(100, 20);
        m.workload.sessions.turns = 5;
        BodyOptions options;
        options.fit.method = PromptMethod::Tokenizer;
        options.fit.overheadTokens = 8;
        options.fit.turnTokens = 10;
        const auto source = makeRequestSource(m, pointOf(m), options).value();
        nlohmann::json before = nlohmann::json::array();
        for (std::uint32_t turn = 0; turn < 5; ++turn) {
            const nlohmann::json messages = bodyOf(*source, turn)["messages"];
            QCOMPARE(messages.size(), std::size_t{2 * turn + 1});
            int tokens = 7 + 8 * static_cast<int>(turn);
            for (std::size_t i = 0; i < messages.size(); ++i) {
                QCOMPARE(messages[i]["role"], nlohmann::json(i % 2 == 0 ? "user" : "assistant"));
                const std::vector<std::string> words = wordsIn(messages[i]["content"]);
                QCOMPARE(words.front(), std::string("text"));
                tokens += static_cast<int>(words.size());
                if (i % 2 == 1)
                    QCOMPARE(words.size(), std::size_t{20}); // the planned answer
                if (i < before.size())
                    QVERIFY(messages[i] == before[i]);
            }
            QCOMPARE(tokens, source->planned(turn).promptTokens);
            QCOMPARE(source->planned(turn).promptTokensClient, tokens);
            before = messages;
        }
        QVERIFY(before[2] != before[4] && before[1] != before[3]);
        QVERIFY(bodyOf(*source, 5)["messages"][0] != before[0]); // another conversation
        // with a salt in the words none of it is as before
        m.workload.cache = CachePolicy::Cold;
        options.runSalt = "x";
        QVERIFY(bodyOf(*makeRequestSource(m, pointOf(m), options).value(), 4)["messages"][0] != before[0]);
    }

    /// What a turn adds may be too little for two messages: then the last question is longer.
    void turnsTooShortForMessages()
    {
        Matrix m = matrixOf("", PrefixKind::None, SessionsKind::Synthetic);
        m.workload.lengths = fixedLengths(100, 1);
        m.workload.sessions = {SessionsKind::Synthetic, 12, 2}; // 3 tokens a turn
        BodyOptions options;
        options.fit.method = PromptMethod::Tokenizer;
        options.fit.overheadTokens = 8;
        options.fit.turnTokens = 10;
        const auto source = makeRequestSource(m, pointOf(m), options).value();
        std::vector<std::string> before;
        for (std::uint32_t turn = 0; turn < 12; ++turn) {
            QCOMPARE(bodyOf(*source, turn)["messages"].size(), std::size_t{1});
            const std::vector<std::string> words = wordsOf(*source, turn);
            QCOMPARE(7 + words.size(), std::size_t{100 + 3 * turn});
            QCOMPARE(alike(before, words), before.size());
            before = words;
        }
        // as many tokens as the template takes, and the answer has none but its first word
        m.workload.sessions.growthTokens = 9;
        const auto least = makeRequestSource(m, pointOf(m), options).value();
        QCOMPARE(bodyOf(*least, 1)["messages"].size(), std::size_t{3});
        QCOMPARE(7 + 8 + wordsOf(*least, 1).size(), std::size_t{110});
    }

    void turnsWithPictures()
    {
        Matrix m = matrixOf("", PrefixKind::None, SessionsKind::Synthetic);
        m.workload.lengths = fixedLengths(40, 10);
        m.workload.sessions.turns = 2;
        m.workload.extras = {{"images", {{"width_px", 28}, {"height_px", 28}}}};
        const auto source = makeRequestSource(m, pointOf(m), {}).value();
        const nlohmann::json messages = bodyOf(*source, 1)["messages"];
        QCOMPARE(messages.size(), std::size_t{3});
        QCOMPARE(messages[0]["content"].size(), std::size_t{1});
        QCOMPARE(messages[1]["role"], nlohmann::json("assistant"));
        QCOMPARE(messages[2]["content"].size(), std::size_t{2}); // with the turn's picture
        QCOMPARE(messages[2]["content"][1]["type"], nlohmann::json("image_url"));
    }

    /// A prefix that the first question cannot hold is not made whole by the next ones.
    void aSharedPrefixEndsWithTheFirstQuestion()
    {
        Matrix m = matrixOf("", PrefixKind::Shared, SessionsKind::Synthetic);
        m.workload.prefix = {PrefixKind::Shared, 64, 1, 1};
        m.workload.lengths = fixedLengths(50, 20);
        m.workload.sessions.turns = 2;
        const auto source = makeRequestSource(m, pointOf(m), {}).value();
        QCOMPARE(source->planned(1).cachedTokens, 50);
        QCOMPARE(source->planned(2).cachedTokens, 50); // of another session
        QVERIFY(bodyOf(*source, 0)["messages"][0] == bodyOf(*source, 2)["messages"][0]);
    }

    void sessionsUnderASharedPrefix()
    {
        Matrix m = matrixOf("", PrefixKind::Shared, SessionsKind::Synthetic);
        m.workload.prefix = {PrefixKind::Shared, 64, 1, 1};
        m.workload.lengths = fixedLengths(100, 20);
        m.workload.sessions.turns = 2;
        const auto source = makeRequestSource(m, pointOf(m), {}).value();
        QCOMPARE(source->planned(0).cachedTokens, 0);
        QCOMPARE(source->planned(1).cachedTokens, 100);
        QCOMPARE(source->planned(2).cachedTokens, 64); // of another session
        QCOMPARE(alike(wordsOf(*source, 0), wordsOf(*source, 2)), std::size_t{65});
        m.workload.cache = CachePolicy::Warm;
        QCOMPARE(makeRequestSource(m, pointOf(m), {}).value()->planned(0).cachedTokens, 64);
    }

    void sharedPrefixesArePlanned()
    {
        Matrix m = matrixOf("", PrefixKind::Shared);
        m.workload.lengths = fixedLengths(100, 20);
        m.workload.prefix = {PrefixKind::Shared, 64, 4, 1};
        const auto source = makeRequestSource(m, pointOf(m), {}).value();
        int first = 0;
        for (std::uint32_t i = 0; i < 100; ++i) {
            QVERIFY(source->planned(i).cachedTokens == 64 || source->planned(i).cachedTokens == 0);
            first += source->planned(i).cachedTokens == 0;
        }
        QCOMPARE(first, 4);
        m.workload.prefix.kind = PrefixKind::None;
        QCOMPARE(makeRequestSource(m, pointOf(m), {}).value()->planned(5).cachedTokens, -1);
    }

    void logsThatDoNotTellIt_data()
    {
        QTest::addColumn<int>("prefix");
        QTest::addColumn<int>("sessions");
        QTest::addColumn<QString>("message");
        QTest::newRow("no blocks") << int(PrefixKind::Trace) << int(SessionsKind::None)
                                   << "tells no prefix blocks, which workload.prefix.kind \"trace\" needs";
        QTest::newRow("no sessions") << int(PrefixKind::None) << int(SessionsKind::Trace)
                                     << "tells no sessions, which workload.sessions.kind \"trace\" needs";
    }
    void logsThatDoNotTellIt()
    {
        QFETCH(int, prefix);
        QFETCH(int, sessions);
        QFETCH(QString, message);
        const Matrix m = matrixOf(TAILMARK_TEST_DATA "/traces/azure_small.csv", PrefixKind(prefix),
                                  SessionsKind(sessions));
        const auto source = makeRequestSource(m, pointOf(m), {});
        QVERIFY(!source.ok());
        QCOMPARE(QString::fromStdString(source.error().message), message);
        QCOMPARE(source.error().where, m.workload.lengths.file);
    }

    /// The figures of the published slices: an endless cache, leading blocks only.
    void plannedHitRatesOfTheSlices_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("sessions");
        QTest::addColumn<int>("rows");
        QTest::addColumn<double>("percent");
        QTest::newRow("conversation")
            << "mooncake_conversation_head1506.jsonl" << int(SessionsKind::None) << 1506 << 27.1;
        QTest::newRow("whole conversation")
            << "mooncake_conversation_full.runs.csv.gz" << int(SessionsKind::None) << 12031 << 37.4;
        QTest::newRow("whole synthetic")
            << "mooncake_synthetic_full.runs.csv.gz" << int(SessionsKind::None) << 3993 << 65.1;
        QTest::newRow("synthetic") << "mooncake_synthetic_head1079.jsonl" << int(SessionsKind::None) << 1079
                                   << 17.3;
        QTest::newRow("agents") << "claude_code_sessions_raw6.jsonl" << int(SessionsKind::Trace) << 61
                                << 82.9;
        QTest::newRow("many agents") << "claude_code_sessions_sample.runs.csv.gz" << int(SessionsKind::Trace)
                                     << 18035 << 96.3;
    }
    void plannedHitRatesOfTheSlices()
    {
        QFETCH(QString, file);
        QFETCH(int, sessions);
        QFETCH(int, rows);
        QFETCH(double, percent);
        if (!QFile::exists(kShared + file))
            QSKIP("../shared/traces is not there");
        const Matrix m = matrixOf(kShared + file.toStdString(), PrefixKind::Trace, SessionsKind(sessions));
        const auto source = makeRequestSource(m, pointOf(m), {}).value();
        const double rate = 100 * plannedHitRate(*source, static_cast<std::uint32_t>(rows));
        QVERIFY2(std::abs(rate - percent) < 0.051, qPrintable(QString::number(rate)));
    }

    /// What a prompt costs on the path of a send.
    void longPromptsAreWrittenQuickly()
    {
        std::vector<int> ids(250);
        for (int i = 0; i < 250; ++i)
            ids[static_cast<std::size_t>(i)] = i;
        const Matrix m = matrixOf(written({{128'000, ids}}), PrefixKind::Trace);
        const auto source = makeRequestSource(m, pointOf(m), {}).value();
        std::string body;
        source->writeBody(0, body);
        const std::size_t capacity = body.capacity();
        const char* const data = body.data();
        for (std::uint32_t i = 0; i < 50; ++i) { // every lap has other words of other lengths
            source->writeBody(0, body);
            QCOMPARE(static_cast<const void*>(body.data()), static_cast<const void*>(data));
        }
        QCOMPARE(body.capacity(), capacity); // nothing is allocated once it has grown
        QBENCHMARK
        {
            source->writeBody(0, body);
        }
    }

private:
    struct Line
    {
        int promptTokens;
        std::vector<int> ids;
    };
    std::string written(const std::vector<Line>& lines)
    {
        const QString path = m_dir.filePath(QString::number(++m_files) + ".jsonl");
        std::string text;
        int at = 0;
        for (const Line& line : lines)
            text += nlohmann::json({{"timestamp", 1000 * at++},
                                    {"input_length", line.promptTokens},
                                    {"output_length", 8},
                                    {"hash_ids", line.ids}})
                        .dump() +
                    "\n";
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) < 0)
            return {};
        return path.toStdString();
    }

    QTemporaryDir m_dir;
    int m_files = 0;
};

QTEST_GUILESS_MAIN(RequestTableTest)
#include "tst_request_table.moc"
