// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "sim/answer.h"
#include "sim/api_request.h"

using namespace tailmark::sim;

class TestApiRequest : public QObject
{
    Q_OBJECT

private slots:
    void chat();
    void contentParts();
    void completions_data();
    void completions();
    void lengths_data();
    void lengths();
    void streamOptions();
    void refuses_data();
    void refuses();
    void tokenize();
    void naturalStop();
};

static const ServedModel kModel{"m", 1000};

static GenerationRequest accepted(Api api, const std::string& body)
{
    auto parsed = parseGeneration(api, body, kModel);
    if (const auto* error = std::get_if<ApiError>(&parsed))
        qFatal("%s", error->message.c_str());
    return std::get<GenerationRequest>(std::move(parsed));
}

void TestApiRequest::chat()
{
    const auto request =
        accepted(Api::Chat, R"({"model":"m","messages":[{"role":"system","content":"be brief"},
        {"role":"user","content":"one two three"}],"stream":true,"ignore_eos":true,"max_tokens":7,"return_token_ids":true,
        "cache_salt":"s","temperature":0,"some_field_of_the_future":[1]})");
    QCOMPARE(request.prompt.size(), 2 + 3 + 2 * kTokensPerMessage + kTokensOfReplyOpening);
    QVERIFY(request.stream && request.ignoreEos && request.returnTokenIds);
    QVERIFY(!request.includeUsage && !request.continuousUsage);
    QCOMPARE(request.maxTokens, 7);
    QCOMPARE(request.cacheSalt, std::string("s"));
}

void TestApiRequest::contentParts()
{
    const auto parts =
        accepted(Api::Chat, R"({"messages":[{"role":"user","content":[{"type":"text","text":"one two"},
        {"type":"text","text":"three"}]}]})");
    const auto plain = accepted(Api::Chat, R"({"messages":[{"role":"user","content":"one two three"}]})");
    QCOMPARE(parts.prompt.ids(), plain.prompt.ids());
    const auto toolCall = accepted(Api::Chat, R"({"messages":[{"role":"assistant","content":null}]})");
    QCOMPARE(toolCall.prompt.size(), kTokensPerMessage + kTokensOfReplyOpening);
}

void TestApiRequest::completions_data()
{
    QTest::addColumn<QByteArray>("prompt");
    QTest::addColumn<int>("tokens");
    QTest::newRow("text") << QByteArray(R"("one two three")") << 3;
    QTest::newRow("ids") << QByteArray("[1,2,3,4]") << 4;
    QTest::newRow("one text in a list") << QByteArray(R"(["one two"])") << 2;
    QTest::newRow("one id list in a list") << QByteArray("[[1,2,3]]") << 3;
}

void TestApiRequest::completions()
{
    QFETCH(QByteArray, prompt);
    QFETCH(int, tokens);
    const auto request = accepted(Api::Completions, R"({"prompt":)" + prompt.toStdString() + "}");
    QCOMPARE(request.prompt.size(), tokens);
    QCOMPARE(request.maxTokens, 16);
}

void TestApiRequest::lengths_data()
{
    QTest::addColumn<QByteArray>("fields");
    QTest::addColumn<int>("maxTokens");
    QTest::addColumn<int>("minTokens");
    QTest::newRow("unset: to the end of the context") << QByteArray() << 1000 - 8 << 0;
    QTest::newRow("null is unset") << QByteArray(R"(,"max_tokens":null)") << 1000 - 8 << 0;
    QTest::newRow("max_tokens") << QByteArray(R"(,"max_tokens":5)") << 5 << 0;
    QTest::newRow("max_completion_tokens wins")
        << QByteArray(R"(,"max_tokens":5,"max_completion_tokens":6,"min_tokens":4)") << 6 << 4;
    QTest::newRow("all that fits") << QByteArray(R"(,"max_tokens":992)") << 992 << 0;
}

void TestApiRequest::lengths()
{
    QFETCH(QByteArray, fields);
    QFETCH(int, maxTokens);
    QFETCH(int, minTokens);
    const auto request =
        accepted(Api::Chat, R"({"messages":[{"role":"user","content":"x"}])" + fields.toStdString() + "}");
    QCOMPARE(request.prompt.size(), 8);
    QCOMPARE(request.maxTokens, maxTokens);
    QCOMPARE(request.minTokens, minTokens);
}

void TestApiRequest::streamOptions()
{
    const auto both = accepted(
        Api::Completions,
        R"({"prompt":"x","stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}})");
    QVERIFY(both.includeUsage && both.continuousUsage);
    const auto alone = accepted(
        Api::Completions, R"({"prompt":"x","stream":true,"stream_options":{"continuous_usage_stats":true}})");
    QVERIFY(!alone.includeUsage && !alone.continuousUsage);
}

void TestApiRequest::refuses_data()
{
    QTest::addColumn<bool>("isChat");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("param");
    const auto chat = [](const char* name, const QByteArray& body, const char* param, int status = 400) {
        QTest::newRow(name) << true << body << status << QByteArray(param);
    };
    const auto text = [](const char* name, const QByteArray& body, const char* param) {
        QTest::newRow(name) << false << body << 400 << QByteArray(param);
    };
    const auto withX = [](const QByteArray& fields) {
        return R"({"messages":[{"role":"user","content":"x"}],)" + fields + "}";
    };
    chat("no JSON", "{", "");
    chat("empty", "", "");
    chat("no object", "[1]", "");
    chat("no messages", "{}", "messages");
    chat("empty messages", R"({"messages":[]})", "messages");
    chat("message without role", R"({"messages":[{"content":"x"}]})", "messages");
    chat("message is no object", R"({"messages":["x"]})", "messages");
    chat("number as content", R"({"messages":[{"role":"user","content":1}]})", "messages");
    chat("image part",
         R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}]})",
         "messages");
    chat("unknown model", withX(R"("model":"other")"), "model", 404);
    chat("model is a number", withX(R"("model":1)"), "model");
    chat("n = 0", withX(R"("n":0)"), "n");
    chat("n = 65", withX(R"("n":65)"), "n");
    chat("a format without a type", withX(R"("response_format":{})"), "response_format");
    chat("a tool without a name", withX(R"("tools":[{"type":"function"}])"), "tools");
    chat("a choice that is no tool",
         withX(R"("tools":[{"function":{"name":"f"}}],"tool_choice":{"function":{"name":"g"}})"),
         "tool_choice");
    chat("n is text", withX(R"("n":"1")"), "n");
    chat("stream is text", withX(R"("stream":"yes")"), "stream");
    chat("max_tokens 0", withX(R"("max_tokens":0)"), "max_tokens");
    chat("max_completion_tokens -1", withX(R"("max_completion_tokens":-1)"), "max_completion_tokens");
    chat("max_tokens 1.5", withX(R"("max_tokens":1.5)"), "max_tokens");
    chat("max_tokens 1e12", withX(R"("max_tokens":1000000000000)"), "max_tokens");
    chat("more than the context", withX(R"("max_tokens":993)"), "max_tokens");
    chat("min above max", withX(R"("max_tokens":5,"min_tokens":6)"), "min_tokens");
    chat("stream_options without stream", withX(R"("stream_options":{"include_usage":true})"),
         "stream_options");
    chat("stream_options is text", withX(R"("stream":true,"stream_options":"x")"), "stream_options");
    chat("long salt", withX(R"("cache_salt":")" + QByteArray(129, 's') + "\""), "cache_salt");
    text("no prompt", "{}", "prompt");
    text("empty prompt", R"({"prompt":""})", "prompt");
    text("empty list", R"({"prompt":[]})", "prompt");
    text("two prompts", R"({"prompt":["a","b"]})", "prompt");
    text("id beyond the vocabulary", R"({"prompt":[1,200000]})", "prompt");
    text("negative id", R"({"prompt":[-1]})", "prompt");
    text("text among ids", R"({"prompt":[1,"a"]})", "prompt");
    text("prompt too long", R"({"prompt":")" + QByteArray("w ").repeated(1000) + "\"}", "input_tokens");
}

void TestApiRequest::refuses()
{
    QFETCH(bool, isChat);
    QFETCH(QByteArray, body);
    QFETCH(int, status);
    QFETCH(QByteArray, param);
    const auto parsed = parseGeneration(isChat ? Api::Chat : Api::Completions, body.toStdString(), kModel);
    const auto* error = std::get_if<ApiError>(&parsed);
    QVERIFY(error);
    QCOMPARE(error->status, status);
    QCOMPARE(error->param, param.toStdString());
    QVERIFY(!error->message.empty());
}

void TestApiRequest::tokenize()
{
    const auto count = [](const char* body) {
        const auto parsed = parseTokenize(body, kModel);
        const auto* prompt = std::get_if<TokenizedPrompt>(&parsed);
        return prompt ? prompt->size() : -std::get<ApiError>(parsed).status;
    };
    QCOMPARE(count(R"({"model":"m","prompt":"a b c"})"), 3);
    QCOMPARE(count(R"({"prompt":""})"), 0);
    QCOMPARE(count(R"({"messages":[{"role":"user","content":"a b c"}]})"), 3 + 4 + 3);
    QCOMPARE(count(R"({"messages":[{"role":"user","content":"a b c"}],"add_generation_prompt":false})"),
             3 + 4);
    QCOMPARE(count(R"({"model":"other","prompt":"a"})"), -404);
    QCOMPARE(count(R"({})"), -400);
    QCOMPARE(count(R"({"prompt":3})"), -400);
    QCOMPARE(count("x"), -400);
}

void TestApiRequest::naturalStop()
{
    Profile profile;
    profile.naturalOutput = {100, 0};
    const auto plan = [&profile](const std::string& fields, const std::string& word = "x") {
        return planAnswer(
            accepted(Api::Completions, R"({"prompt":")" + word + R"(","max_tokens":)" + fields + "}"),
            profile, 1);
    };
    QCOMPARE(plan("500").tokens, 100);
    QVERIFY(plan("500").stops);
    QCOMPARE(plan("100").tokens, 100);
    QVERIFY(plan("100").stops);
    QCOMPARE(plan("99").tokens, 99);
    QVERIFY(!plan("99").stops);
    QCOMPARE(plan(R"(500,"ignore_eos":true)").tokens, 500);
    QVERIFY(!plan(R"(500,"ignore_eos":true)").stops);
    QCOMPARE(plan(R"(500,"min_tokens":300)").tokens, 300);
    profile.naturalOutput.cv = 1;
    QCOMPARE(plan("900").tokens, plan("900").tokens);
    QVERIFY(plan("900", "x").tokens != plan("900", "y").tokens);
}

QTEST_GUILESS_MAIN(TestApiRequest)
#include "tst_api_request.moc"
