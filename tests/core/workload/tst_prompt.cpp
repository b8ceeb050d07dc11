// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/mix.h"
#include "plan/plan.h"
#include "plan/prefix_group.h"
#include "record/request_record.h"
#include "workload/corpus.h"
#include "workload/prompt.h"

#include <QtTest>

#include <atomic>
#include <set>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

Matrix matrixOf(TestKind kind)
{
    Matrix m;
    m.workload.lengths.promptTokens = 200;
    m.workload.lengths.outputTokens = 33;
    m.tests.emplace_back();
    m.tests[0].kind = kind;
    return m;
}

PointPlan pointOf(const Matrix& matrix, std::size_t index = 0)
{
    return expand(matrix).value().points.at(index);
}

std::shared_ptr<const RequestSource> sourceOf(const Matrix& matrix, const BodyOptions& options = {},
                                              std::size_t index = 0)
{
    return makeRequestSource(matrix, pointOf(matrix, index), options).value();
}

nlohmann::json bodyOf(const RequestSource& source, std::uint32_t index)
{
    std::string body;
    source.writeBody(index, body);
    return nlohmann::json::parse(body);
}

std::vector<std::string> wordsOf(const std::string& text)
{
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

std::string promptOf(const RequestSource& source, std::uint32_t index)
{
    const nlohmann::json body = bodyOf(source, index);
    return body.contains("prompt") ? body["prompt"] : body["messages"][0]["content"];
}

std::vector<std::string> firstWords(const std::string& text, std::size_t count)
{
    std::vector<std::string> words = wordsOf(text);
    words.resize(std::min(words.size(), count));
    return words;
}

} // namespace

class PromptTest : public QObject
{
    Q_OBJECT

private slots:
    void vocabularyIsShortWordsEachOnce()
    {
        std::set<std::string> words(commonWords().pieces.begin(), commonWords().pieces.end());
        QCOMPARE(words.size(), PromptPieces::kCount);
        words.insert(" " + commonWords().first);
        QCOMPARE(words.size(), PromptPieces::kCount + 1);
        for (const std::string& word : words) {
            QVERIFY(word.size() >= 3 && word.size() <= 12);
            QCOMPARE(word[0], ' ');
            QVERIFY(std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= 'a' && c <= 'z'; }));
        }
    }

    void corpusWrapsAround()
    {
        const Corpus corpus(7);
        std::string whole, wrapped;
        corpus.append(whole, 0, Corpus::kPieces);
        corpus.append(wrapped, Corpus::kPieces - 2, 2 * Corpus::kPieces);
        QCOMPARE(wordsOf(whole).size(), Corpus::kPieces);
        QCOMPARE(wordsOf(wrapped).size(), 2 * Corpus::kPieces);
        QCOMPARE(wordsOf(wrapped)[2], wordsOf(whole)[0]);
        std::string other;
        Corpus(8).append(other, 0, Corpus::kPieces);
        QVERIFY(other != whole);
    }

    void chatBody()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        BodyOptions options;
        options.model = "llama \"8b\"";
        options.ignoreEos = options.minTokens = true;
        const nlohmann::json body = bodyOf(*sourceOf(m, options), 3);
        QCOMPARE(body["model"].get<std::string>(), options.model);
        QCOMPARE(body["messages"].size(), std::size_t{1});
        QCOMPARE(body["messages"][0]["role"].get<std::string>(), std::string("user"));
        QCOMPARE(body["max_tokens"].get<int>(), 33);
        QCOMPARE(body["min_tokens"].get<int>(), 33);
        QVERIFY(body["ignore_eos"].get<bool>());
        QVERIFY(body["stream"].get<bool>());
        QVERIFY(body["stream_options"]["include_usage"].get<bool>());
        QCOMPARE(body["temperature"].get<int>(), 0);
        QCOMPARE(body.size(), std::size_t{8});
        QCOMPARE(wordsOf(promptOf(*sourceOf(m, options), 3)).size(), std::size_t{200});
    }

    void completionsBody()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        m.target.api = Api::Completions;
        m.target.model = "m";
        m.workload.streaming = false;
        m.workload.output = OutputPolicy::Natural;
        BodyOptions options;
        options.ignoreEos = options.minTokens = true;
        options.maxTokensField = "max_completion_tokens";
        const nlohmann::json body = bodyOf(*sourceOf(m, options), 0);
        QCOMPARE(body["model"].get<std::string>(), std::string("m"));
        QCOMPARE(wordsOf(body["prompt"]).size(), std::size_t{200});
        QCOMPARE(body["max_completion_tokens"].get<int>(), 33);
        QCOMPARE(body["stream"].get<bool>(), false);
        for (const char* absent : {"max_tokens", "min_tokens", "ignore_eos", "stream_options", "messages"})
            QVERIFY2(!body.contains(absent), absent);
    }

    void whatTheUserGivesWins()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        m.workload.sampling = {{"temperature", 0.7}, {"top_p", 0.9}};
        m.workload.extras = {
            {"top_p", 0.8}, {"response_format", {{"type", "json_object"}}}, {"min_tokens", 5}};
        m.target.extraBody = {
            {"response_format", {{"type", "text"}}},
            {"stream_options", {{"include_usage", true}, {"continuous_usage_stats", true}}}};
        BodyOptions options;
        options.ignoreEos = options.minTokens = true;
        const nlohmann::json body = bodyOf(*sourceOf(m, options), 0);
        QCOMPARE(body["temperature"].get<double>(), 0.7);
        QCOMPARE(body["top_p"].get<double>(), 0.8);
        QCOMPARE(body["response_format"]["type"].get<std::string>(), std::string("text"));
        QCOMPARE(body["min_tokens"].get<int>(), 5);
        QVERIFY(body["stream_options"]["continuous_usage_stats"].get<bool>());
        // Each key once: a parser may take either of two.
        std::string text;
        sourceOf(m, options)->writeBody(0, text);
        QCOMPARE(QString::fromStdString(text).count("\"min_tokens\""), 1);
    }

    void overheadIsTakenOffThePrompt()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        BodyOptions options;
        options.fit.overheadTokens = 12; // one of them the first word
        QCOMPARE(wordsOf(promptOf(*sourceOf(m, options), 0)).size(), std::size_t{189});
        QCOMPARE(sourceOf(m, options)->planned(0).promptTokens, 200);
        QCOMPARE(sourceOf(m, options)->planned(0).promptTokensClient, kUnknownCount); // nobody checked
        options.fit.overheadTokens = 500;
        QCOMPARE(wordsOf(promptOf(*sourceOf(m, options), 0)).size(), std::size_t{1});
    }

    void noTwoRequestsBeginAlike()
    {
        const Matrix m = matrixOf(TestKind::ConcurrencySweep);
        std::set<std::vector<std::string>> beginnings;
        std::size_t requests = 0;
        for (std::size_t point : {0u, 1u, 2u}) {
            const auto source = sourceOf(m, {}, point);
            for (std::uint32_t i = 0; i < 2000; ++i, ++requests)
                beginnings.insert(firstWords(promptOf(*source, i), 1 + Corpus::kPiecesOfNumber));
        }
        QCOMPARE(beginnings.size(), requests);
    }

    void twoRunsOfOneMatrixAskTheSame()
    {
        Matrix m = matrixOf(TestKind::ArrivalSweep);
        BodyOptions first, second;
        first.runSalt = "run 1";
        second.runSalt = "run 2";
        for (std::uint32_t i = 0; i < 20; ++i)
            QCOMPARE(bodyOf(*sourceOf(m, first), i), bodyOf(*sourceOf(m, second), i));
        Matrix other = m;
        other.workload.seed = 2;
        QVERIFY(promptOf(*sourceOf(m), 0) != promptOf(*sourceOf(other), 0));
    }

    /// With a stated cache nothing differs but what keeps the runs apart: a field, or the first block.
    void aStatedCacheKeepsRunsApart_data()
    {
        QTest::addColumn<int>("cache");
        QTest::addColumn<bool>("field");
        for (const bool field : {false, true}) {
            QTest::addRow("cold, field %d", field) << int(CachePolicy::Cold) << field;
            QTest::addRow("warm, field %d", field) << int(CachePolicy::Warm) << field;
        }
    }
    void aStatedCacheKeepsRunsApart()
    {
        QFETCH(int, cache);
        QFETCH(bool, field);
        Matrix m = matrixOf(TestKind::ArrivalSweep);
        m.workload.cache = static_cast<CachePolicy>(cache);
        m.workload.prefix = {PrefixKind::Shared, 32, 2, 0.5};
        BodyOptions first, second;
        first.saltField = second.saltField = field ? "cache_salt" : "";
        first.runSalt = "run 1";
        second.runSalt = "run 2";
        for (std::uint32_t i = 0; i < 20; ++i) {
            const nlohmann::json a = bodyOf(*sourceOf(m, first), i), b = bodyOf(*sourceOf(m, second), i);
            QVERIFY(a != b);
            QCOMPARE(bodyOf(*sourceOf(m, first), i), a);
            if (field) {
                QCOMPARE(a["messages"], b["messages"]);
                QVERIFY(a["cache_salt"] != b["cache_salt"]);
                continue;
            }
            QVERIFY(!a.contains("cache_salt"));
            const std::vector<std::string> wordsA = wordsOf(promptOf(*sourceOf(m, first), i));
            const std::vector<std::string> wordsB = wordsOf(promptOf(*sourceOf(m, second), i));
            QCOMPARE(wordsA.size(), wordsB.size());
            std::size_t different = 0;
            for (std::size_t w = 0; w < wordsA.size(); ++w)
                different += wordsA[w] != wordsB[w];
            QVERIFY(different > 4 && different <= 2 * Corpus::kPiecesOfNumber);
            QVERIFY(firstWords(promptOf(*sourceOf(m, first), i), 9) !=
                    firstWords(promptOf(*sourceOf(m, second), i), 9));
        }
    }

    void aColdPointSharesNothingWithTheOneBefore()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        m.workload.prefix = {PrefixKind::Shared, 64, 1, 1};
        const auto beginning = [&](std::size_t point) {
            BodyOptions options;
            options.runSalt = "run";
            return firstWords(promptOf(*sourceOf(m, options, point), 0), 65);
        };
        for (const CachePolicy cache : {CachePolicy::Warm, CachePolicy::AsIs}) {
            m.workload.cache = cache;
            QCOMPARE(beginning(0), beginning(1));
        }
        m.workload.cache = CachePolicy::Cold;
        QVERIFY(beginning(0) != beginning(1));
        BodyOptions options;
        options.runSalt = "run";
        options.saltField = "cache_salt";
        QVERIFY(bodyOf(*sourceOf(m, options, 0), 0)["cache_salt"] !=
                bodyOf(*sourceOf(m, options, 1), 0)["cache_salt"]);
    }

    void aCacheIsPassedByOnlyWhereNothingIsShared()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        BodyOptions options;
        options.bypassFields = {{"cache_prompt", false}};
        QVERIFY(!bodyOf(*sourceOf(m, options), 0).contains("cache_prompt"));
        m.workload.cache = CachePolicy::Cold;
        QCOMPARE(bodyOf(*sourceOf(m, options), 0)["cache_prompt"], nlohmann::json(false));
        m.workload.extras = {{"cache_prompt", true}}; // what the user gives wins
        QCOMPARE(bodyOf(*sourceOf(m, options), 0)["cache_prompt"], nlohmann::json(true));
        m.workload.extras = nlohmann::json::object();
        m.workload.prefix = {PrefixKind::Shared, 64, 1, 1};
        QVERIFY(!bodyOf(*sourceOf(m, options), 0).contains("cache_prompt"));
    }

    void primingSendsEveryPrefixOnce()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        m.workload.cache = CachePolicy::Warm;
        m.workload.prefix = {PrefixKind::Shared, 64, 5, 0.8};
        BodyOptions options;
        options.runSalt = "run";
        const auto priming = makePrimingSource(m, pointOf(m), options);
        QCOMPARE(priming->count(), 5u);
        std::set<std::vector<std::string>> primed;
        for (std::uint32_t i = 0; i < priming->count(); ++i) {
            QCOMPARE(bodyOf(*priming, i)["max_tokens"].get<int>(), 1);
            QCOMPARE(priming->planned(i).outputTokens, 1);
            QCOMPARE(priming->planned(i).promptTokens, 65);
            primed.insert(wordsOf(promptOf(*priming, i)));
        }
        QCOMPARE(primed.size(), std::size_t{5});
        const auto source = sourceOf(m, options);
        int shared = 0;
        for (std::uint32_t i = 0; i < 200; ++i) {
            const bool begins = primed.contains(firstWords(promptOf(*source, i), 65));
            QCOMPARE(begins, prefixGroup(pointOf(m), i).has_value());
            shared += begins;
        }
        QVERIFY(shared > 130 && shared < 190);
    }

    void thePartsOfAMixHavePrefixesOfTheirOwn()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        m.workload.cache = CachePolicy::Warm;
        m.workload.prefix = {PrefixKind::Shared, 64, 2, 1};
        m.workload.lengths = {};
        m.workload.lengths.kind = LengthsKind::Mix;
        m.workload.lengths.parts = {{"a", 1, fixedLengths(300, 5), {}},
                                    {"b", 1, fixedLengths(400, 5), Prefix{PrefixKind::Shared, 128, 3, 1}},
                                    {"c", 1, fixedLengths(500, 5), Prefix{}}};
        BodyOptions options;
        options.runSalt = "run";
        const PointPlan point = pointOf(m);
        const auto priming = makePrimingSource(m, point, options);
        QCOMPARE(priming->count(), 5u); // two of the workload's, three of part b
        std::set<std::vector<std::string>> primed;
        for (std::uint32_t i = 0; i < 5; ++i) {
            QCOMPARE(priming->planned(i).promptTokens, i < 2 ? 65 : 129);
            primed.insert(wordsOf(promptOf(*priming, i)));
        }
        QCOMPARE(primed.size(), std::size_t{5});
        const auto source = sourceOf(m, options);
        for (std::uint32_t i = 0; i < 60; ++i) {
            const std::size_t part = partOf(point.lengths, point.seeds.lengths, i);
            const std::string prompt = promptOf(*source, i);
            QCOMPARE(primed.contains(firstWords(prompt, 65)), part == 0);
            QCOMPARE(primed.contains(firstWords(prompt, 129)), part == 1);
            QCOMPARE(source->planned(i).cachedTokens, part == 0 ? 64 : part == 1 ? 128 : 0);
        }
    }

    void primingLeavesOutWhatAnOpenLoopDoesNotAsk()
    {
        Matrix m = matrixOf(TestKind::ArrivalSweep);
        m.workload.prefix = {PrefixKind::Shared, 64, 100'000, 1};
        const PointPlan point = pointOf(m);
        const auto requests = sourceOf(m)->count();
        QCOMPARE(makePrimingSource(m, point, {})->count(), requests); // no two of so few pick the same
        m.workload.prefix.share = 0;
        QCOMPARE(makePrimingSource(m, pointOf(m), {})->count(), 0u);
    }

    void promptsAsTokenIds()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        m.target.api = Api::Completions;
        BodyOptions options;
        options.fit.method = PromptMethod::TokenIds;
        options.fit.pieces.first = "11";
        for (std::size_t i = 0; i < PromptPieces::kCount; ++i)
            options.fit.pieces.pieces[i] = "," + std::to_string(1000 + i);
        const auto source = sourceOf(m, options);
        const nlohmann::json body = bodyOf(*source, 3);
        QVERIFY(body["prompt"].is_array());
        QCOMPARE(body["prompt"].size(), std::size_t{200});
        QCOMPARE(body["prompt"][0].get<int>(), 11);
        for (std::size_t i = 1; i < 200; ++i)
            QVERIFY(body["prompt"][i].get<int>() >= 1000 && body["prompt"][i].get<int>() < 1256);
        QCOMPARE(source->planned(3).promptTokensClient, 200);
    }

    void groupsShareTheirPrefix()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        m.workload.prefix = {PrefixKind::Shared, 64, 4, 0.75};
        const int n = 4000;
        std::map<std::vector<std::string>, int> groups;
        std::set<std::string> whole;
        for (const std::size_t point : {0u, 1u}) { // the same groups in every point
            const auto source = sourceOf(m, {}, point);
            for (std::uint32_t i = 0; i < n / 2; ++i) {
                const std::string prompt = promptOf(*source, i);
                ++groups[firstWords(prompt, 65)];
                const std::vector<std::string> words = wordsOf(prompt);
                QCOMPARE(words.size(), std::size_t{200});
                whole.insert(prompt);
            }
        }
        int shared = 0, sharedGroups = 0;
        for (const auto& [prefix, count] : groups) {
            if (count > 1) {
                shared += count;
                ++sharedGroups;
                QVERIFY(std::abs(count - 0.75 * n / 4) < 5 * std::sqrt(0.75 * n / 4));
            }
        }
        QCOMPARE(sharedGroups, 4);
        QVERIFY(std::abs(shared - 0.75 * n) < 5 * std::sqrt(n * 0.75 * 0.25));
        QCOMPARE(whole.size(), std::size_t{n}); // behind the prefix every request is its own
    }

    void aPrefixLongerThanThePromptIsCut()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        m.workload.prefix = {PrefixKind::Shared, 5000, 1, 1};
        const auto source = sourceOf(m);
        QCOMPARE(wordsOf(promptOf(*source, 0)).size(), std::size_t{200});
        QCOMPARE(promptOf(*source, 0), promptOf(*source, 1));
    }

    void openLoopFollowsTheSchedule()
    {
        Matrix m = matrixOf(TestKind::BurstRecovery);
        m.tests[0].process = ArrivalProcess::Constant;
        const auto source = sourceOf(m);
        QCOMPARE(source->count(), 4u * (5 + 20) + 20u * 20 + 4u * 60);
        QCOMPARE(source->planned(0).intended, Nanoseconds{0});
        QCOMPARE(source->planned(100).phase, std::uint8_t{1});
        for (std::uint32_t i = 1; i < source->count(); ++i)
            QVERIFY(source->planned(i).intended > source->planned(i - 1).intended);
    }

    void closedLoopThinks()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        m.tests[0].thinkTimeS = 0.5;
        m.tests[0].levels = {4};
        const auto source = sourceOf(m);
        QCOMPARE(source->count(), 0u);
        QCOMPARE(source->planned(3).thinkTime, Nanoseconds{0});
        QCOMPARE(source->planned(4).thinkTime, fromSeconds(0.5));
    }

    void threadsGetTheSame()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        m.workload.prefix = {PrefixKind::Shared, 20, 3, 0.5};
        const auto source = sourceOf(m);
        std::vector<std::string> expected(400);
        for (std::uint32_t i = 0; i < expected.size(); ++i)
            source->writeBody(i, expected[i]);
        std::atomic<int> different{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                std::string body;
                for (std::uint32_t k = 0; k < expected.size(); ++k) {
                    const std::uint32_t i = (k * 7 + static_cast<std::uint32_t>(t) * 100) % expected.size();
                    source->writeBody(i, body);
                    different += body != expected[i];
                }
            });
        }
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(different.load(), 0);
    }

    void aBodyThatHasGrownIsNotAllocatedAgain()
    {
        const Matrix m = matrixOf(TestKind::ConcurrencySweep);
        const auto source = sourceOf(m);
        std::string body;
        body.reserve(64 * 1024);
        const char* const data = body.data();
        for (std::uint32_t i = 0; i < 100; ++i)
            source->writeBody(i, body);
        QCOMPARE(static_cast<const void*>(body.data()), static_cast<const void*>(data));
    }

    void lengthsGivenAreNotReadAgain()
    {
        Matrix m = matrixOf(TestKind::ConcurrencySweep);
        const auto lengths = makeLengthSource(fixedLengths(50, 5)).value();
        PointPlan point = pointOf(m);
        point.lengths = fileLengths(LengthsKind::Trace, "no such file");
        QVERIFY(makeRequestSource(m, point, {}, lengths).ok());
        const auto refused = makeRequestSource(m, point, {});
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().where, std::string("no such file"));
    }
};

QTEST_GUILESS_MAIN(PromptTest)
#include "tst_prompt.moc"
