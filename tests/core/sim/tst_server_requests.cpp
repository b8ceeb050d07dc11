// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "live_server.h"

using namespace tailmark;
using namespace tailmark::sim;
using nlohmann::json;

/// Requests beyond one plain text answer, over real sockets.
class TestServerRequests : public QObject
{
    Q_OBJECT

private slots:
    void severalChoices();
    void severalWholeChoices();
    void choicesAndAFullQueue();
    void toolCalls();
    void pictures();
    void adapters();
};

void TestServerRequests::severalChoices()
{
    const TestServer server;
    const Reply reply = server.post(
        kChat,
        chatBody(
            R"("stream":true,"stream_options":{"include_usage":true},"n":3,"max_tokens":5,"ignore_eos":true)"),
        "X-Request-Id: c\r\n");
    QVERIFY(reply.complete && reply.done());
    std::map<int, std::string> texts, finishes;
    std::map<int, int> roles, tokens;
    json usage;
    for (const json& event : reply.events()) {
        if (event["choices"].empty()) {
            usage = event["usage"];
            continue;
        }
        QCOMPARE(event["choices"].size(), 1u);
        const json& choice = event["choices"][0];
        const int index = choice["index"];
        roles[index] += choice["delta"].contains("role");
        const std::string text = choice["delta"]["content"];
        tokens[index] += !text.empty();
        texts[index] += text;
        if (choice["finish_reason"].is_string())
            finishes[index] = choice["finish_reason"];
    }
    QCOMPARE(texts.size(), std::size_t{3});
    for (int index = 0; index < 3; ++index) {
        QCOMPARE(roles[index], 1);
        QCOMPARE(tokens[index], 5);
        QCOMPARE(finishes[index], std::string("length"));
    }
    QVERIFY(texts[0] != texts[1] && texts[1] != texts[2]);
    QCOMPARE(usage["completion_tokens"], 15);
    QCOMPARE(server.truth("c").at("output_tokens"), std::string("15"));
    QCOMPARE(server.truth("c").at("token_events"), std::string("15"));
    // the first is the answer that the prompt alone would get
    const Reply one = server.post(kChat, chatBody(R"("max_tokens":5,"ignore_eos":true)"));
    QCOMPARE(one.json()["choices"][0]["message"]["content"], texts[0]);
}

void TestServerRequests::severalWholeChoices()
{
    const TestServer server;
    const json body = server.post(kChat, chatBody(R"("n":2,"max_tokens":4,"ignore_eos":true)")).json();
    QCOMPARE(body["choices"].size(), 2u);
    QCOMPARE(body["choices"][1]["index"], 1);
    QVERIFY(body["choices"][0]["message"]["content"] != body["choices"][1]["message"]["content"]);
    QCOMPARE(body["usage"]["completion_tokens"], 8);
}

void TestServerRequests::choicesAndAFullQueue()
{
    ServerOptions options = TestServer::fastOptions();
    options.profile.maxNumSeqs = 2;
    options.maxQueue = 1;
    const TestServer server(options);
    // a request is taken with all its choices or not at all, and leaves nothing behind
    QCOMPARE(server.post(kChat, chatBody(R"("n":8,"max_tokens":4)")).status, 429);
    QCOMPARE(server.post(kChat, chatBody(R"("n":2,"max_tokens":4)")).status, 200);
    QCOMPARE(server.metric("vllm:num_requests_waiting{engine"), 0.0);
}

void TestServerRequests::toolCalls()
{
    const TestServer server;
    const std::string tools =
        R"("tools":[{"type":"function","function":{"name":"search"}}],"tool_choice":"required")";
    const Reply reply = server.post(kChat, chatBody(R"("stream":true,"max_tokens":500,)" + tools));
    std::string arguments, finish;
    int named = 0;
    for (const json& event : reply.events()) {
        const json& delta = event["choices"][0]["delta"];
        if (!delta.contains("tool_calls"))
            continue;
        const json& function = delta["tool_calls"][0]["function"];
        named += function.contains("name") && function["name"] == "search";
        arguments += function["arguments"].get<std::string>();
        if (event["choices"][0]["finish_reason"].is_string())
            finish = event["choices"][0]["finish_reason"];
    }
    QCOMPARE(named, 1);
    QCOMPARE(finish, std::string("tool_calls"));
    QVERIFY2(json::parse(arguments, nullptr, false).is_object(), arguments.c_str());

    const json whole = server.post(kChat, chatBody(R"("max_tokens":500,)" + tools)).json();
    const json& message = whole["choices"][0]["message"];
    QVERIFY(message["content"].is_null());
    QCOMPARE(message["tool_calls"][0]["function"]["arguments"], arguments);
    QCOMPARE(whole["choices"][0]["finish_reason"], "tool_calls");
    // offered only, they are not called
    const json free =
        server.post(kChat, chatBody(R"("max_tokens":5,"tools":[{"function":{"name":"f"}}])")).json();
    QVERIFY(free["choices"][0]["message"]["content"].is_string());
}

void TestServerRequests::pictures()
{
    // the first 24 bytes of a PNG of 57 x 28 pixels: 3 x 1 patches
    const std::string url =
        "data:image/png;base64," +
        QByteArray("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x39\0\0\0\x1c", 24).toBase64().toStdString();
    const TestServer server;
    const auto bodyOf = [](const json& parts) {
        const json message = {{"role", "user"}, {"content", parts}};
        return json({{"max_tokens", 2}, {"messages", json::array({message})}}).dump();
    };
    const auto tokens = [&](const json& parts) {
        return server.post("/tokenize", bodyOf(parts)).json()["count"].get<int>();
    };
    const json text = {{"type", "text"}, {"text", "one two"}};
    const auto picture = [](const std::string& at) {
        return json({{"type", "image_url"}, {"image_url", {{"url", at}}}});
    };
    const int alone = tokens(json::array({text}));
    QCOMPARE(tokens(json::array({text, picture(url)})), alone + 3);
    QCOMPARE(tokens(json::array({text, picture(url), picture(url)})), alone + 6);
    QCOMPARE(server.post(kChat, bodyOf(json::array({text, picture(url)}))).json()["usage"]["prompt_tokens"],
             alone + 3);
    QCOMPARE(server.post(kChat, bodyOf(json::array({picture("http://example.org/cat.png")}))).status, 400);
}

void TestServerRequests::adapters()
{
    ServerOptions options = TestServer::fastOptions();
    options.adapters = {"law"};
    const TestServer server(options);
    const json models = server.get("/v1/models").json()["data"];
    QCOMPARE(models.size(), 2u);
    QCOMPARE(models[1]["id"], "law");
    QCOMPARE(models[1]["parent"], "sim-model");
    const auto ask = [&](const char* model) {
        json body = json::parse(chatBody(R"("max_tokens":2)"));
        body["model"] = model;
        return server.post(kChat, body.dump());
    };
    QCOMPARE(ask("law").json()["model"], "law");
    QCOMPARE(ask("sim-model").json()["model"], "sim-model");
    QCOMPARE(ask("code").status, 404);
}

QTEST_GUILESS_MAIN(TestServerRequests)
#include "tst_server_requests.moc"
