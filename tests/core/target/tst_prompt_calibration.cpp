// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/prompt_calibration.h"

#include <QtTest>

#include <map>
#include <set>
#include <sstream>

using namespace tailmark;

namespace {

/// A server whose words cost what the test says: one token, but for some.
struct FakeServer
{
    std::map<std::string, int> costs; ///< of words that are not one token
    int everyWord = 1;                ///< of the others
    int headTokens = 0;               ///< that the tokenizer counts before a text
    int moreInReports = 0;            ///< that only the server's report has
    int aroundMessage = -1;           ///< that its template has around each message after the first; −1 = takes none
    int moreInLongChats = 0;          ///< from the fourth message on
    bool tellsIds = false, takesIds = false;
    int tokenizerCalls = 0, reports = 0;
    std::vector<std::string> prompts; ///< that were sent as requests

    std::vector<std::int32_t> idsOf(const std::string& text) const
    {
        std::vector<std::int32_t> ids(static_cast<std::size_t>(headTokens), 1);
        std::istringstream words(text);
        for (std::string word; words >> word;) {
            const auto it = costs.find(word);
            const int cost = it == costs.end() ? everyWord : it->second;
            for (int i = 0; i < cost; ++i)
                ids.push_back(static_cast<std::int32_t>(100 + std::hash<std::string>()(word) % 10'000) + i);
        }
        return ids;
    }
    PromptOracle oracle(bool tokenizer, bool usage = true)
    {
        PromptOracle oracle;
        if (tokenizer)
            oracle.tokenize = [this](const std::string& text) -> Result<TokenCount> {
                ++tokenizerCalls;
                const std::vector<std::int32_t> ids = idsOf(text);
                return TokenCount{static_cast<int>(ids.size()), tellsIds ? ids : std::vector<std::int32_t>()};
            };
        if (usage)
            oracle.report = [this](const std::string& prompt, bool ids) -> Result<int> {
                ++reports;
                prompts.push_back(prompt);
                if (ids && !takesIds)
                    return Error{ErrorCode::Unreachable, "/v1/completions", "prompt must be a string"};
                const auto own = ids ? std::ranges::count(prompt, ',') + 1
                                     : static_cast<std::ptrdiff_t>(idsOf(prompt).size());
                return static_cast<int>(own) + moreInReports;
            };
        oracle.takesTokenIds = tellsIds;
        return oracle;
    }
    PromptOracle oracleOfTurns(bool tokenizer)
    {
        PromptOracle all = oracle(tokenizer);
        all.reportTurns = [this](const std::vector<std::string>& messages) -> Result<int> {
            ++reports;
            if (aroundMessage < 0)
                return Error{ErrorCode::Unreachable, "/v1/chat/completions", "only one message"};
            int tokens = moreInReports + headTokens + (static_cast<int>(messages.size()) - 1) * aroundMessage +
                         (messages.size() > 3 ? moreInLongChats : 0);
            for (const std::string& message : messages)
                tokens += static_cast<int>(idsOf(message).size()) - headTokens;
            return tokens;
        };
        return all;
    }
};

Calibration calibrated(const PromptOracle& oracle, CalibrationOptions options = {})
{
    return calibratePrompts(oracle, options).value();
}

/// Of prompts that are written by the fit, how many have exactly the planned tokens on the server.
int exactOf(const FakeServer& server, const PromptFit& fit, int planned, int prompts = 50)
{
    const Corpus corpus(3, fit.pieces);
    int exact = 0;
    for (int i = 0; i < prompts; ++i) {
        std::string text;
        corpus.appendFirst(text);
        corpus.append(text, static_cast<std::uint64_t>(i) * 977, fit.piecesFor(planned));
        const auto tokens = fit.method == PromptMethod::TokenIds ? std::ranges::count(text, ',') + 1
                                                                 : std::ptrdiff_t(server.idsOf(text).size());
        exact += tokens + server.moreInReports == planned;
    }
    return exact;
}

std::string method(const Calibration& c)
{
    return std::string(promptMethodId(c.fit.method));
}

} // namespace

class PromptCalibrationTest : public QObject
{
    Q_OBJECT

private slots:
    void everyWordOneToken()
    {
        FakeServer server;
        server.headTokens = 11;
        const Calibration c = calibrated(server.oracle(true));
        QCOMPARE(method(c), std::string("tokenizer"));
        QVERIFY(c.notes.empty());
        QVERIFY(c.fit.exact());
        QCOMPARE(c.fit.overheadTokens, 12);
        QVERIFY(server.tokenizerCalls <= 5);
        QCOMPARE(server.reports, 2);
        QCOMPARE(exactOf(server, c.fit, 200), 50);
        QCOMPARE(c.fit.clientTokens(200).value(), 200);
    }

    void whatATemplateAddsWithEachTurn_data()
    {
        QTest::addColumn<bool>("tokenizer");
        QTest::newRow("tokenizer") << true;
        QTest::newRow("usage") << false;
    }

    void whatATemplateAddsWithEachTurn()
    {
        QFETCH(bool, tokenizer);
        FakeServer server;
        server.headTokens = 7;
        server.moreInReports = 3;
        server.aroundMessage = 4;
        server.costs = {{"lawyer", 2}};
        const Calibration c = calibrated(server.oracleOfTurns(tokenizer));
        QVERIFY2(c.notes.empty(), c.notes.empty() ? "" : c.notes.front().c_str());
        QVERIFY(c.fit.exact());
        QCOMPARE(c.fit.overheadTokens, 11);
        QCOMPARE(c.fit.turnTokens, 2 * 4 + 2); // and the first words of two messages
        QVERIFY(server.reports <= 32);

        server.moreInLongChats = 5;
        const Calibration changing = calibrated(server.oracleOfTurns(tokenizer));
        QCOMPARE(changing.notes.size(), std::size_t{1});
        QCOMPARE(changing.notes.front(),
                 std::string("the server's template adds +10 prompt tokens with one further turn and +25 with two: lengths "
                             "of conversations may be off"));
        server.aroundMessage = -1;
        const Calibration none = calibrated(server.oracleOfTurns(tokenizer));
        QCOMPARE(none.fit.turnTokens, 2);
        QCOMPARE(none.notes.size(), std::size_t{1});
        QVERIFY(none.notes.front().ends_with("only one message"));
    }

    void wordsOfSeveralTokensAreLeftOut()
    {
        FakeServer server;
        server.costs = {{"lawyer", 2}, {"husband", 3}, {"time", 2}, {"talk", 2}};
        const Calibration c = calibrated(server.oracle(true));
        QCOMPARE(std::set<std::string>(c.fit.dropped.begin(), c.fit.dropped.end()),
                 (std::set<std::string>{"lawyer", "husband", "time", "talk"}));
        QVERIFY(c.fit.exact());
        QVERIFY(server.tokenizerCalls < 60); // halving, not one by one
        for (const int planned : {10, 100, 1000})
            QCOMPARE(exactOf(server, c.fit, planned), 50);
    }

    void aTokenizerWithoutTemplateOrBos()
    {
        FakeServer server;
        server.moreInReports = 23;
        const Calibration c = calibrated(server.oracle(true));
        QCOMPARE(c.fit.overheadTokens, 24);
        QVERIFY(c.notes.empty());
        QCOMPARE(exactOf(server, c.fit, 300), 50);
    }

    void noTokenizerButUsage()
    {
        FakeServer server;
        server.headTokens = 7;
        server.costs = {{"lawyer", 2}, {"garden", 2}};
        const Calibration c = calibrated(server.oracle(false));
        QCOMPARE(method(c), std::string("usage"));
        QVERIFY(server.reports <= 32);
        QCOMPARE(c.fit.dropped.size(), std::size_t(2));
        QCOMPARE(c.fit.overheadTokens, 8);
        QCOMPARE(exactOf(server, c.fit, 500), 50);
        QVERIFY(!c.fit.clientTokens(500)); // the server's own count is none of ours
    }

    void fewRequestsLeaveOutMoreWordsRatherThanCountWrong()
    {
        FakeServer server;
        for (const char* word : {"time", "lawyer", "garden", "health", "river", "window", "snow"})
            server.costs[word] = 2;
        CalibrationOptions options;
        options.reports = 16;
        const Calibration c = calibrated(server.oracle(false), options);
        QVERIFY(server.reports <= 16);
        QVERIFY(c.fit.exact());
        QVERIFY(c.fit.dropped.size() > 7);
        QCOMPARE(exactOf(server, c.fit, 500), 50);
    }

    void noWordIsOneToken()
    {
        FakeServer server;
        server.headTokens = 4;
        server.everyWord = 3;
        for (const PromptOracle& oracle : {server.oracle(true), server.oracle(false)}) {
            const Calibration c = calibrated(oracle);
            QVERIFY(!c.fit.exact());
            QCOMPARE(c.fit.tokensPerPiece, 3.0);
            QCOMPARE(c.fit.overheadTokens, 7);
            QCOMPARE(c.fit.piecesFor(307), std::size_t(100));
            QVERIFY(c.fit.dropped.empty()); // left out they would all be
            QVERIFY(!c.fit.clientTokens(307));
        }
    }

    void tokenIds()
    {
        FakeServer server;
        server.headTokens = 1; // a BOS before a text
        server.tellsIds = server.takesIds = true;
        server.costs = {{"lawyer", 2}};
        const Calibration c = calibrated(server.oracle(true));
        QCOMPARE(method(c), std::string("token_ids"));
        QCOMPARE(c.fit.overheadTokens, 1); // none before ids
        QVERIFY(c.fit.exact());
        QVERIFY(std::ranges::all_of(c.fit.pieces.pieces, [](const std::string& piece) {
            return piece[0] == ',' && piece.find_first_not_of("0123456789", 1) == std::string::npos;
        }));
        QCOMPARE(exactOf(server, c.fit, 128), 50);
        const std::set<std::string> ids(c.fit.pieces.pieces.begin(), c.fit.pieces.pieces.end());
        QVERIFY(!ids.contains("," + std::to_string(server.idsOf("lawyer")[1])));
        QVERIFY(ids.contains("," + std::to_string(server.idsOf("garden")[1])));
    }

    void refusedTokenIdsBecomeText()
    {
        FakeServer server;
        server.tellsIds = true;
        const Calibration c = calibrated(server.oracle(true));
        QCOMPARE(method(c), std::string("tokenizer"));
        QCOMPARE(c.notes.size(), std::size_t(1));
        QVERIFY(c.notes[0].find("prompt must be a string") != std::string::npos);
        QCOMPARE(exactOf(server, c.fit, 128), 50);
    }

    void aTokenizerThatFailsGivesWayToUsage()
    {
        FakeServer server;
        PromptOracle oracle = server.oracle(true);
        oracle.tokenize = [](const std::string&) -> Result<TokenCount> {
            return Error{ErrorCode::Unreachable, "/tokenize", "HTTP 404"};
        };
        const Calibration c = calibrated(oracle);
        QCOMPARE(method(c), std::string("usage"));
        QCOMPARE(c.notes.size(), std::size_t(1));
        QVERIFY(c.notes[0].find("/tokenize: HTTP 404") != std::string::npos);
        QCOMPARE(exactOf(server, c.fit, 128), 50);
    }

    void aFailedAnswerIsTriedWithAnotherPrompt()
    {
        FakeServer server;
        server.moreInReports = 5;
        PromptOracle oracle = server.oracle(true);
        const auto answers = oracle.report;
        std::set<std::string> asked;
        oracle.report = [&](const std::string& prompt, bool ids) -> Result<int> {
            if (asked.insert(prompt).second && asked.size() == 1)
                return Error{ErrorCode::Unreachable, "", "HTTP 500"};
            return answers(prompt, ids);
        };
        const Calibration c = calibrated(oracle);
        QCOMPARE(asked.size(), std::size_t(3));
        QVERIFY(c.notes.empty());
        QCOMPARE(c.fit.overheadTokens, 6);
    }

    void nobodyTellsAnything()
    {
        FakeServer server;
        const Calibration none = calibrated(server.oracle(false, false));
        QCOMPARE(method(none), std::string("unchecked"));
        PromptOracle silent = server.oracle(false);
        silent.report = [](const std::string&, bool) -> Result<int> {
            return Error{ErrorCode::Unreachable, "", "no usage"};
        };
        const Calibration c = calibrated(silent);
        QCOMPARE(method(c), std::string("unchecked"));
        QCOMPARE(c.notes.size(), std::size_t(1));
        QVERIFY(c.fit == PromptFit());
    }

    /// Words that change each other's tokens are seen by the whole sample prompts.
    void wordsThatInfluenceEachOtherAreSaid()
    {
        FakeServer server;
        PromptOracle oracle = server.oracle(true);
        oracle.tokenize = [&](const std::string& text) -> Result<TokenCount> {
            int count = static_cast<int>(server.idsOf(text).size());
            for (std::size_t at = 0; (at = text.find("n t", at)) != std::string::npos; ++at)
                --count; // a merge over the blank
            const bool inOrder = text.find("time year people") != std::string::npos || text.size() < 1000;
            return TokenCount{inOrder ? static_cast<int>(server.idsOf(text).size()) : count, {}};
        };
        CalibrationOptions options;
        options.longestPrompt = 2000;
        const Calibration c = calibrated(oracle, options);
        QVERIFY(std::ranges::any_of(c.notes, [](const std::string& note) {
            return note.find("words influence each other") != std::string::npos;
        }));
    }

    void stoppedInTheMiddle()
    {
        FakeServer server;
        server.everyWord = 2;
        PromptOracle oracle = server.oracle(true);
        oracle.tokenize = [&](const std::string& text) -> Result<TokenCount> {
            if (++server.tokenizerCalls > 5)
                return Error{ErrorCode::Cancelled, "", "stopped"};
            return TokenCount{static_cast<int>(server.idsOf(text).size()), {}};
        };
        const Result<Calibration> c = calibratePrompts(oracle, {});
        QVERIFY(!c.ok());
        QCOMPARE(c.error().code, ErrorCode::Cancelled);
        QCOMPARE(server.tokenizerCalls, 6);
    }

    void outOfTimeUsesWhatIsKnown()
    {
        FakeServer server;
        server.costs = {{"lawyer", 2}, {"time", 2}};
        int steps = 0;
        CalibrationOptions options;
        options.proceed = [&](double done) {
            return done >= 0 && done <= 1 && ++steps <= 3;
        };
        const Calibration c = calibrated(server.oracle(true), options);
        QVERIFY(c.fit.exact());
        QVERIFY(c.fit.dropped.size() > 2);
        QCOMPARE(exactOf(server, c.fit, 128), 50);
        QCOMPARE(server.reports, 0); // each may take as long as a request
        QVERIFY(c.notes.empty());
    }
};

QTEST_GUILESS_MAIN(PromptCalibrationTest)
#include "tst_prompt_calibration.moc"
