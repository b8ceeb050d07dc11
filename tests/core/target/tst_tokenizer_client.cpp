// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/prompt_oracle.h"
#include "target/tokenizer_client.h"
#include "test_server.h"

#include <QtTest>

#include <atomic>

#include <nlohmann/json.hpp>

using namespace tailmark;
using tailmark::test::Reply;
using tailmark::test::ServedRequest;
using tailmark::test::TestServer;

namespace {

using Json = nlohmann::json;

EndpointCall call(const char* path, Json body, const char* ids, const char* count, const char* text = "")
{
    EndpointCall made;
    made.path = path;
    made.body = std::move(body);
    made.ids = ids;
    made.count = count;
    made.text = text;
    return made;
}

PromptAccess access()
{
    PromptAccess access;
    access.tokenizeText = call("/tokenize", {{"model", "$model"}, {"prompt", "$text"}}, "/tokens", "/count");
    access.tokenizeMessages = call("/tokenize", {{"model", "$model"}, {"messages", "$messages"}}, "/tokens", "/count");
    return access;
}

HttpLimits limits()
{
    HttpLimits limits;
    limits.connectS = limits.totalS = 5;
    return limits;
}

Target targetOf(const TestServer& server, Api api)
{
    Target target;
    target.baseUrl = server.url("/v1");
    target.api = api;
    target.model = "m";
    return target;
}

} // namespace

class TokenizerClientTest : public QObject
{
    Q_OBJECT

private slots:
    void asksWithTheTextInItsPlace()
    {
        Json asked;
        TestServer server;
        server.answerWith([&](const ServedRequest& request) {
            asked = Json::parse(request.body);
            return Reply::json(R"json({"count":3,"tokens":[5,6,7]})json");
        });
        HttpClient http({}, {});
        const Target completions = targetOf(server, Api::Completions);
        const Result<TokenCount> text =
            TokenizerClient(http, completions, access(), "m", limits()).count("a \"b\" c");
        QVERIFY2(text.ok(), text.ok() ? "" : text.error().line().c_str());
        QCOMPARE(text.value().count, 3);
        QCOMPARE(text.value().ids, (std::vector<std::int32_t>{5, 6, 7}));
        QCOMPARE(asked, (Json{{"model", "m"}, {"prompt", "a \"b\" c"}}));
        const Target chat = targetOf(server, Api::Chat);
        QVERIFY(TokenizerClient(http, chat, access(), "m", limits()).count("x").ok());
        QCOMPARE(asked["messages"], Json::array({{{"role", "user"}, {"content", "x"}}}));
    }

    void readsTheShapesOfEngines_data()
    {
        QTest::addColumn<QString>("ids");
        QTest::addColumn<QString>("member");
        QTest::addColumn<QString>("count");
        QTest::addColumn<QString>("answer");
        QTest::addColumn<int>("tokens"); // −1: refused
        QTest::newRow("count alone") << "" << "" << "/input_tokens" << R"json({"input_tokens":12})json" << 12;
        QTest::newRow("the answer is the list") << "/" << "id" << "" << R"json([{"id":1,"text":"a"},{"id":9}])json" << 2;
        QTest::newRow("objects in a list") << "/tokens" << "id" << "" << R"json({"tokens":[{"id":4}]})json" << 1;
        QTest::newRow("no count") << "/tokens" << "" << "/count" << R"json({"detail":"no"})json" << -1;
        QTest::newRow("a text for a count") << "" << "" << "/count" << R"json({"count":"12"})json" << -1;
        QTest::newRow("not JSON") << "/tokens" << "" << "/count" << "<html>" << -1;
    }
    void readsTheShapesOfEngines()
    {
        QFETCH(QString, ids);
        QFETCH(QString, member);
        QFETCH(QString, count);
        QFETCH(QString, answer);
        QFETCH(int, tokens);
        TestServer server;
        server.answerWith([&](const ServedRequest&) { return Reply::json(answer.toStdString()); });
        PromptAccess way;
        way.tokenizeText = call("/tokenize", {{"content", "$text"}}, ids.toUtf8(), count.toUtf8());
        way.tokenizeText.idMember = member.toStdString();
        HttpClient http({}, {});
        const Target target = targetOf(server, Api::Completions);
        const Result<TokenCount> counted = TokenizerClient(http, target, way, "m", limits()).count("x");
        QCOMPARE(counted.ok(), tokens >= 0);
        if (counted.ok()) {
            QCOMPARE(counted.value().count, tokens);
            QCOMPARE(int(counted.value().ids.size()), ids.isEmpty() ? 0 : tokens);
        }
    }

    /// Older builds have no count of messages: the template is asked for, then its text is counted.
    void theNextWayWhereOneIsMissing()
    {
        std::atomic<int> refused{0};
        TestServer server;
        server.answerWith([&](const ServedRequest& request) {
            if (request.path() == "/count-messages") {
                ++refused;
                return Reply::json("{}", 404);
            }
            if (request.path() == "/apply-template")
                return Reply::json(R"json({"prompt":"<s>x</s>"})json");
            return Reply::json(Json::parse(request.body)["content"] == "<s>x</s>" ? R"json({"tokens":[1,2,3]})json"
                                                                                 : R"json({"tokens":[]})json");
        });
        PromptAccess way;
        way.tokenizeMessages = call("/count-messages", {{"messages", "$messages"}}, "", "/input_tokens");
        way.applyTemplate = call("/apply-template", {{"messages", "$messages"}}, "", "", "/prompt");
        way.tokenizeText = call("/tokenize", {{"content", "$text"}}, "/tokens", "");
        HttpClient http({}, {});
        const Target target = targetOf(server, Api::Chat);
        TokenizerClient client(http, target, way, "m", limits());
        QCOMPARE(client.count("x").value().count, 3);
        QCOMPARE(client.count("x").value().count, 3);
        QCOMPARE(refused.load(), 1); // once is enough
    }

    void noEndpoint()
    {
        HttpClient http({}, {});
        const Target target;
        QVERIFY(!TokenizerClient(http, target, {}, "m", limits()).available());
        PromptAccess messagesOnly;
        messagesOnly.tokenizeMessages = access().tokenizeMessages;
        Target completions;
        completions.api = Api::Completions;
        QVERIFY(!TokenizerClient(http, completions, messagesOnly, "m", limits()).available());
    }

    void reportsAreReadFromShortRequests()
    {
        std::string body;
        TestServer server;
        server.answerWith([&](const ServedRequest& request) {
            body = request.body;
            return Reply::events({R"json({"choices":[{"index":0,"text":"a","finish_reason":"length"}]})json",
                                  R"json({"choices":[],"usage":{"prompt_tokens":21,"completion_tokens":1}})json", "[DONE]"});
        });
        Matrix matrix;
        matrix.target = targetOf(server, Api::Completions);
        EngineProfile profile;
        profile.prompt.tokenIds = true;
        BodyOptions options;
        options.model = "m";
        HttpClient http({}, {});
        TargetTokens tokens(http, matrix, profile, options);
        const PromptOracle oracle = tokens.oracle();
        QVERIFY(oracle.takesTokenIds && !oracle.tokenize);
        const Result<int> text = oracle.report("one two", false);
        QVERIFY2(text.ok(), text.ok() ? "" : text.error().line().c_str());
        QCOMPARE(text.value(), 21);
        QCOMPARE(Json::parse(body)["prompt"], Json("one two"));
        QCOMPARE(oracle.report("1,2,3", true).value(), 21);
        QCOMPARE(Json::parse(body)["prompt"], Json::array({1, 2, 3}));
    }

    /// The probe has not sent them: a server that knows no salt must not refuse the load.
    void refusedCacheFieldsAreLeftOut()
    {
        TestServer server;
        server.answerWith([&](const ServedRequest& request) {
            if (Json::parse(request.body).contains("cache_salt"))
                return Reply::json(R"json({"error":{"message":"Parameter cache_salt is not supported"}})json", 400);
            return Reply::events({R"json({"choices":[{"index":0,"text":"a","finish_reason":"stop"}]})json", "[DONE]"});
        });
        Matrix matrix;
        matrix.target = targetOf(server, Api::Completions);
        HttpClient http({}, {});
        BodyOptions options;
        options.runSalt = "salt";
        options.saltField = "cache_salt";
        options.bypassFields = {{"cache_prompt", false}};
        TargetTokens tokens(http, matrix, EngineProfile(), options);
        const std::vector<std::string> notes = tokens.tryCacheFields();
        QCOMPARE(notes.size(), std::size_t(1));
        QVERIFY(notes[0].starts_with("cache_salt was refused"));
        QVERIFY(options.saltField.empty());
        QVERIFY(options.bypassFields.contains("cache_prompt"));
        QVERIFY(tokens.tryCacheFields().empty());
        BodyOptions none;
        const std::size_t before = server.requests().size();
        QVERIFY(TargetTokens(http, matrix, EngineProfile(), none).tryCacheFields().empty());
        QCOMPARE(server.requests().size(), before); // nothing to try
    }

    void aRefusalIsAnError()
    {
        TestServer server;
        server.answerWith([&](const ServedRequest&) {
            return Reply::json(R"json({"error":{"message":"prompt must be a string"}})json", 400);
        });
        Matrix matrix;
        matrix.target = targetOf(server, Api::Completions);
        HttpClient http({}, {});
        const EngineProfile profile;
        BodyOptions options;
        TargetTokens tokens(http, matrix, profile, options);
        const Result<int> refused = tokens.oracle().report("1,2", true);
        QVERIFY(!refused.ok());
        QVERIFY(refused.error().message.find("prompt must be a string") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TokenizerClientTest)
#include "tst_tokenizer_client.moc"
