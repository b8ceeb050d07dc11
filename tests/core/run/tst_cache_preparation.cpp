// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/cache_preparation.h"
#include "test_server.h"

#include <QtTest>

using namespace tailmark;
using tailmark::test::Reply;
using tailmark::test::TestServer;

namespace {

/// One point against a server that answers as the test says.
struct Fixture
{
    TestServer server;
    Matrix matrix;
    EngineProfile profile;
    BodyOptions body;
    PointPlan point;
    RunControl control;
    std::vector<Preparation> told;

    Fixture()
    {
        matrix.target.baseUrl = server.url("/v1");
        matrix.target.model = "m";
        point.test = "t";
        point.concurrency = 1;
        point.cache = CachePolicy::Cold;
        body.runSalt = "run";
        profile.cache.resetMethod = "POST";
        profile.cache.resetPath = "/reset";
    }
    void answerCompletions()
    {
        server.on("/v1/chat/completions",
                  Reply::events({R"json({"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"length"}]})json",
                                 "[DONE]"}));
    }
    CacheFacts prepared(CachePreparation& preparation)
    {
        Endpoint endpoint;
        endpoint.url = server.url("/v1/chat/completions");
        LoadGenerator generator(endpoint, {});
        return preparation
            .prepare(point, generator, control,
                     [&](const RunEvent& event) {
                         if (const auto* news = std::get_if<Preparation>(&event))
                             told.push_back(*news);
                     })
            .value();
    }
};

} // namespace

class CachePreparationTest : public QObject
{
    Q_OBJECT

private slots:
    void coldIsSaltedAndReset()
    {
        Fixture f;
        f.server.on("/reset", Reply::json("{}"));
        f.body.saltField = "cache_salt";
        f.body.fit.method = PromptMethod::Tokenizer;
        f.body.fit.overheadTokens = 9;
        f.profile.cache.absentIsZero = true;
        HttpClient http({}, {});
        CachePreparation preparation(http, f.matrix, f.profile, f.body, 0);
        const CacheFacts facts = f.prepared(preparation);
        QCOMPARE(facts.made, std::string("kept apart from earlier points by cache_salt; reset by /reset"));
        QCOMPARE(facts.overheadTokens.value(), 9);
        QVERIFY(facts.absentIsZero);
        QCOMPARE(f.server.requests("/reset").size(), std::size_t(1));
        QVERIFY(preparation.takeNotes().empty());
        f.prepared(preparation);
        QCOMPARE(f.server.requests("/reset").size(), std::size_t(2)); // before each point
    }

    void aBusyEngineIsAskedAgain()
    {
        Fixture f;
        f.server.on("/reset", {Reply::json("{}", 400), Reply::json("{}", 400), Reply::json("{}")});
        HttpClient http({}, {});
        CachePreparation preparation(http, f.matrix, f.profile, f.body, 0);
        QVERIFY(f.prepared(preparation).made.ends_with("reset by /reset"));
        QVERIFY(preparation.takeNotes().empty());
    }

    void aRefusedResetIsSaidOnce()
    {
        Fixture f;
        f.server.on("/reset", Reply::json("{}", 404));
        f.profile.cache.resetHint = "needs a server in developer mode";
        HttpClient http({}, {});
        CachePreparation preparation(http, f.matrix, f.profile, f.body, 0);
        QCOMPARE(f.prepared(preparation).made,
                 std::string("kept apart from earlier points by the first words of each prompt"));
        const std::vector<std::string> notes = preparation.takeNotes();
        QCOMPARE(notes.size(), std::size_t(1));
        QVERIFY2(notes[0].find("HTTP 404; it needs a server in developer mode") != std::string::npos, notes[0].c_str());
        f.prepared(preparation);
        QVERIFY(preparation.takeNotes().empty());
        QCOMPARE(f.server.requests("/reset").size(), std::size_t(1));
    }

    void slotBySlot()
    {
        Fixture f;
        for (int i = 0; i < 3; ++i)
            f.server.on("/slots/" + std::to_string(i), Reply::json("{}"));
        f.profile.cache.resetPath = "/slots/$slot?action=erase";
        HttpClient http({}, {});
        CachePreparation unknown(http, f.matrix, f.profile, f.body, 0);
        f.prepared(unknown);
        QVERIFY(f.server.requests().empty()); // nobody knows how many there are
        CachePreparation preparation(http, f.matrix, f.profile, f.body, 3);
        QVERIFY(f.prepared(preparation).made.ends_with("reset by /slots/$slot?action=erase"));
        QCOMPARE(f.server.requests().size(), std::size_t(3));
        QCOMPARE(f.server.requests()[2].target, std::string("/slots/2?action=erase"));
    }

    void aCacheThatIsPassedByNeedsNoReset()
    {
        Fixture f;
        f.body.bypassFields = {{"cache_prompt", false}};
        HttpClient http({}, {});
        CachePreparation preparation(http, f.matrix, f.profile, f.body, 0);
        QVERIFY(f.prepared(preparation).made.ends_with(R"(passed by with {"cache_prompt":false})"));
        QVERIFY(f.server.requests().empty());
    }

    void warmSendsTheSharedPrefixes()
    {
        Fixture f;
        f.answerCompletions();
        f.point.cache = CachePolicy::Warm;
        f.point.prefix = {PrefixKind::Shared, 64, 20, 0.8};
        HttpClient http({}, {});
        CachePreparation preparation(http, f.matrix, f.profile, f.body, 0);
        const CacheFacts facts = f.prepared(preparation);
        QVERIFY2(facts.made.ends_with("20 of 20 shared prefixes sent before the point"), facts.made.c_str());
        QCOMPARE(f.server.requests("/v1/chat/completions").size(), std::size_t(20));
        QVERIFY(preparation.takeNotes().empty());
        QVERIFY(!f.told.empty());
        QCOMPARE(f.told.back().done, 20);
        QCOMPARE(f.told.back().total, 20);
    }

    void prefixesThatWereRefusedAreSaid()
    {
        Fixture f;
        f.server.on("/v1/chat/completions", Reply::json("{}", 429));
        f.point.cache = CachePolicy::Warm;
        f.point.prefix = {PrefixKind::Shared, 64, 2, 0.8};
        HttpClient http({}, {});
        CachePreparation preparation(http, f.matrix, f.profile, f.body, 0);
        QVERIFY(f.prepared(preparation).made.ends_with("0 of 2 shared prefixes sent before the point"));
        QCOMPARE(preparation.takeNotes().size(), std::size_t(1));
    }

    void stoppedWhileItWarms()
    {
        Fixture f;
        f.server.on("/v1/chat/completions", Reply::hang());
        f.point.cache = CachePolicy::Warm;
        f.point.prefix = {PrefixKind::Shared, 64, 2, 0.8};
        f.control.stop = true;
        HttpClient http({}, {}, &f.control.stop);
        CachePreparation preparation(http, f.matrix, f.profile, f.body, 0);
        QVERIFY(f.prepared(preparation).made.find("0 of 2") != std::string::npos);
        QVERIFY(preparation.takeNotes().empty()); // that is what was asked for
    }

    void asItIsDoesNothing()
    {
        Fixture f;
        f.point.cache = CachePolicy::AsIs;
        HttpClient http({}, {});
        CachePreparation preparation(http, f.matrix, f.profile, f.body, 0);
        QCOMPARE(f.prepared(preparation).made, std::string());
        QVERIFY(f.server.requests().empty());
    }
};

QTEST_GUILESS_MAIN(CachePreparationTest)
#include "tst_cache_preparation.moc"
