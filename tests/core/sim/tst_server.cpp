// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "live_server.h"

using namespace tailmark;
using namespace tailmark::sim;
using nlohmann::json;

/// The endpoints over real sockets, in vLLM's shapes.
class TestServerFace : public QObject
{
    Q_OBJECT

private slots:
    void models();
    void smallEndpoints();
    void tokenizes();
    void chatStream();
    void completionStream();
    void streamWithEveryOption();
    void chatWhole();
    void completionWhole();
    void naturalStopAndCaps();
    void samePromptSameAnswer();
    void cachedTokensAreTold();
    void resetsThePrefixCache();
    void errorsAreObjects_data();
    void errorsAreObjects();
    void fullQueueAnswers429();
    void speculationPutsSeveralTokensInAChunk();
    void metricsCount();
};

void TestServerFace::models()
{
    const TestServer server;
    const Reply reply = server.get("/v1/models");
    QCOMPARE(reply.status, 200);
    const json card = reply.json()["data"][0];
    QCOMPARE(card["id"], "sim-model");
    QCOMPARE(card["object"], "model");
    QCOMPARE(card["owned_by"], "tailmark-sim");
    QCOMPARE(card["max_model_len"], 8000);
    QVERIFY(QByteArray::fromStdString(server.baseUrl()).endsWith("/v1"));
}

void TestServerFace::smallEndpoints()
{
    const TestServer server;
    QCOMPARE(server.get("/health").status, 200);
    QCOMPARE(server.get("/health?verbose=1").status, 200);
    QCOMPARE(server.get("/ping").status, 200);
    QCOMPARE(server.get("/version").json()["version"], TAILMARK_VERSION);
    const json info = server.get("/server_info").json();
    QCOMPARE(info["profile"]["name"], "fast");
    QCOMPARE(info["flags"]["seed"], 1);
    QCOMPARE(server.get("/nowhere").status, 404);
    QCOMPARE(server.get(kChat).status, 405);
    QCOMPARE(server.post("/v1/models", "{}").status, 405);
}

void TestServerFace::tokenizes()
{
    const TestServer server;
    const json text = server.post("/tokenize", R"({"prompt":"one two one"})").json();
    QCOMPARE(text["count"], 3);
    QCOMPARE(text["max_model_len"], 8000);
    QCOMPARE(text["tokens"].size(), 3u);
    QCOMPARE(text["tokens"][0], text["tokens"][2]);
    const json chat =
        server.post("/tokenize", R"({"messages":[{"role":"user","content":"hello there"}]})").json();
    QCOMPARE(chat["count"],
             server.post(kChat, chatBody(R"("max_tokens":1)")).json()["usage"]["prompt_tokens"]);
}

void TestServerFace::chatStream()
{
    const TestServer server;
    const Reply reply = server.post(
        kChat, chatBody(R"("stream":true,"max_tokens":3,"stream_options":{"include_usage":true})"),
        "X-Request-Id: abc\r\n");
    QCOMPARE(reply.status, 200);
    QVERIFY(reply.headers.at("content-type").starts_with("text/event-stream"));
    QVERIFY(reply.complete && reply.done());
    const auto events = reply.events();
    QCOMPARE(events.size(), 5u); // role, three tokens, usage
    QCOMPARE(reply.chunks.size(), 6u);
    QCOMPARE(events[0]["choices"][0]["delta"], (json{{"role", "assistant"}, {"content", ""}}));
    for (int i = 1; i <= 3; ++i) {
        const json& choice = events[i]["choices"][0];
        QCOMPARE(choice["index"], 0);
        QVERIFY(!choice["delta"]["content"].get<std::string>().empty());
        QVERIFY(!choice["delta"].contains("role"));
        QCOMPARE(choice["finish_reason"], i == 3 ? json("length") : json(nullptr));
        QVERIFY(!events[i].contains("usage"));
    }
    QVERIFY(events[4]["choices"].empty());
    QCOMPARE(events[4]["usage"], (json{{"prompt_tokens", 9},
                                       {"completion_tokens", 3},
                                       {"total_tokens", 12},
                                       {"prompt_tokens_details", {{"cached_tokens", 0}}}}));
    for (const json& event : events) {
        QCOMPARE(event["id"], "chatcmpl-abc");
        QCOMPARE(event["object"], "chat.completion.chunk");
        QCOMPARE(event["model"], "sim-model");
        QVERIFY(event["created"].is_number_integer());
    }
}

void TestServerFace::completionStream()
{
    const TestServer server;
    const Reply reply = server.post(kCompletions, completionBody(R"("stream":true,"max_tokens":3)"));
    QVERIFY(reply.complete && reply.done());
    const auto events = reply.events();
    QCOMPARE(events.size(), 3u); // no role chunk, no usage unless asked
    for (const json& event : events) {
        QCOMPARE(event["object"], "text_completion");
        QVERIFY(event["choices"][0]["text"].get<std::string>().starts_with(" "));
    }
    QCOMPARE(events[2]["choices"][0]["finish_reason"], "length");
}

void TestServerFace::streamWithEveryOption()
{
    const TestServer server;
    const std::string options =
        R"("stream":true,"max_tokens":4,"return_token_ids":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true})";
    const auto chat = server.post(kChat, chatBody(options)).events();
    QCOMPARE(chat.size(), 6u);
    QCOMPARE(chat[0]["prompt_token_ids"].size(), 9u);
    QCOMPARE(chat[0]["usage"]["completion_tokens"], 0);
    for (int i = 1; i <= 4; ++i) {
        QCOMPARE(chat[i]["choices"][0]["token_ids"].size(), 1u);
        QCOMPARE(chat[i]["usage"]["completion_tokens"], i);
        QCOMPARE(chat[i]["usage"]["prompt_tokens"], 9);
    }
    const auto text = server.post(kCompletions, completionBody(options)).events();
    QCOMPARE(text[0]["choices"][0]["prompt_token_ids"].size(), 2u);
    QCOMPARE(text[1]["choices"][0]["prompt_token_ids"], nullptr);
    QCOMPARE(text[1]["usage"]["completion_tokens"], 2);
    // The ids are those of the words.
    const std::string word = text[2]["choices"][0]["text"];
    QCOMPARE(server.post("/tokenize", json{{"prompt", word}}.dump()).json()["tokens"],
             text[2]["choices"][0]["token_ids"]);
}

void TestServerFace::chatWhole()
{
    const TestServer server;
    const Reply reply = server.post(kChat, chatBody(R"("max_tokens":5,"return_token_ids":true)"));
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.headers.at("content-type"), std::string("application/json"));
    const json body = reply.json();
    QCOMPARE(body["object"], "chat.completion");
    QVERIFY(body["id"].get<std::string>().starts_with("chatcmpl-"));
    const json& choice = body["choices"][0];
    QCOMPARE(choice["message"]["role"], "assistant");
    QCOMPARE(choice["finish_reason"], "length");
    QCOMPARE(choice["token_ids"].size(), 5u);
    QCOMPARE(body["prompt_token_ids"].size(), 9u);
    QCOMPARE(body["usage"]["completion_tokens"], 5);
    const json again = server.post("/tokenize", json{{"prompt", choice["message"]["content"]}}.dump()).json();
    QCOMPARE(again["tokens"], choice["token_ids"]);
}

void TestServerFace::completionWhole()
{
    const TestServer server;
    const json body = server.post(kCompletions, R"({"prompt":[1,2,3,4,5],"ignore_eos":true})").json();
    QCOMPARE(body["object"], "text_completion");
    QCOMPARE(body["usage"]["prompt_tokens"], 5);
    QCOMPARE(body["usage"]["completion_tokens"], 16);
    QCOMPARE(body["usage"]["total_tokens"], 21);
    QCOMPARE(body["choices"][0]["finish_reason"], "length");
}

void TestServerFace::naturalStopAndCaps()
{
    const TestServer server; // natural length is always 20
    const auto finish = [&server](const std::string& fields) {
        const json body = server.post(kChat, chatBody(fields)).json();
        return std::pair(body["usage"]["completion_tokens"].get<int>(),
                         body["choices"][0]["finish_reason"].get<std::string>());
    };
    QCOMPARE(finish(R"("max_tokens":100)"), std::pair(20, std::string("stop")));
    QCOMPARE(finish(R"("temperature":0)"), std::pair(20, std::string("stop")));
    QCOMPARE(finish(R"("max_tokens":19)"), std::pair(19, std::string("length")));
    QCOMPARE(finish(R"("max_completion_tokens":30,"ignore_eos":true)"), std::pair(30, std::string("length")));
    QCOMPARE(finish(R"("max_tokens":100,"min_tokens":25)"), std::pair(25, std::string("stop")));
}

void TestServerFace::samePromptSameAnswer()
{
    const TestServer server;
    const auto text = [&server](const std::string& prompt) {
        return server.post(kChat, chatBody(R"("max_tokens":20)", prompt))
            .json()["choices"][0]["message"]["content"]
            .get<std::string>();
    };
    QCOMPARE(text("one"), text("one"));
    QVERIFY(text("one") != text("two"));
}

void TestServerFace::cachedTokensAreTold()
{
    const TestServer server;
    const auto cached = [&server](const std::string& prompt,
                                  const std::string& fields = R"("max_tokens":2)") {
        return server.post(kCompletions, completionBody(fields, prompt))
            .json()["usage"]["prompt_tokens_details"]["cached_tokens"]
            .get<int>();
    };
    const std::string prompt = words(100);
    QCOMPARE(cached(prompt), 0);
    QCOMPARE(cached(prompt), 96);
    QCOMPARE(cached("x " + prompt), 0);
    QCOMPARE(cached(prompt, R"("max_tokens":2,"cache_salt":"a")"), 0);
    QCOMPARE(cached(prompt, R"("max_tokens":2,"cache_salt":"a")"), 96);
    QCOMPARE(cached(words(50) + " and then something else"), 48);
    QCOMPARE(server.metric("vllm:prefix_cache_hits_total"), 96.0 + 96 + 48);
    QCOMPARE(server.metric("vllm:prefix_cache_queries_total"), 100.0 * 4 + 101 + 54);

    ServerOptions options = TestServer::fastOptions();
    options.profile.prefixCache = false;
    const TestServer without(options);
    for (int i = 0; i < 2; ++i)
        QCOMPARE(without.post(kCompletions, completionBody(R"("max_tokens":2)", prompt))
                     .json()["usage"]["prompt_tokens_details"]["cached_tokens"],
                 0);
}

void TestServerFace::resetsThePrefixCache()
{
    const TestServer server;
    const std::string body = completionBody(R"("max_tokens":2)", words(40));
    server.post(kCompletions, body);
    const Reply reset = server.post("/reset_prefix_cache", "");
    QCOMPARE(reset.status, 200);
    QCOMPARE(reset.json()["reset"], true);
    QCOMPARE(server.post(kCompletions, body).json()["usage"]["prompt_tokens_details"]["cached_tokens"], 0);

    const TestServer busy(slowOptions());
    RawClient client(busy.port());
    client.post(kChat, chatBody(R"("stream":true,"max_tokens":500,"ignore_eos":true)"));
    while (client.buffered().find("content\":\" ") == std::string::npos)
        QVERIFY(client.readSome());
    const Reply refused = busy.post("/reset_prefix_cache", "");
    QCOMPARE(refused.status, 200);
    QCOMPARE(refused.json()["reset"], false);
}

void TestServerFace::errorsAreObjects_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("type");
    QTest::newRow("bad JSON") << QByteArray("{") << 400 << QByteArray("BadRequestError");
    QTest::newRow("unknown model") << QByteArray(
                                          R"({"model":"gpt","messages":[{"role":"user","content":"x"}]})")
                                   << 404 << QByteArray("NotFoundError");
    QTest::newRow("too long") << QByteArray(R"({"messages":[{"role":"user","content":")") +
                                     QByteArray("w ").repeated(8000) + "\"}]}"
                              << 400 << QByteArray("BadRequestError");
    QTest::newRow("too long, streamed")
        << QByteArray(R"({"stream":true,"messages":[{"role":"user","content":")") +
               QByteArray("w ").repeated(8000) + "\"}]}"
        << 400 << QByteArray("BadRequestError");
    QTest::newRow("n") << QByteArray(R"({"n":65,"messages":[{"role":"user","content":"x"}]})") << 400
                       << QByteArray("BadRequestError");
    QTest::newRow("text that is no UTF-8")
        << QByteArray("{\"model\":\"\xff\xfe\",\"messages\":[]}") << 400 << QByteArray("BadRequestError");
}

void TestServerFace::errorsAreObjects()
{
    QFETCH(QByteArray, body);
    QFETCH(int, status);
    QFETCH(QByteArray, type);
    const TestServer server;
    const Reply reply = server.post(kChat, body.toStdString(), "X-Request-Id: wrong\r\n");
    QCOMPARE(reply.status, status);
    const json error = reply.json()["error"];
    QVERIFY(!error["message"].get<std::string>().empty());
    QCOMPARE(error["type"], type.toStdString());
    QCOMPARE(error["code"], status);
    QVERIFY(error.contains("param"));
    const auto truth = server.truth("wrong");
    QCOMPARE(truth.at("http_status"), std::to_string(status));
    QCOMPARE(truth.at("output_tokens"), std::string("0"));

    RawClient client(server.port());
    client.sendRaw(
        "POST /v1/completions HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}");
    QCOMPARE(client.read().status, 400);
}

void TestServerFace::fullQueueAnswers429()
{
    ServerOptions options = slowOptions();
    options.profile.maxNumSeqs = 2;
    options.maxQueue = 3;
    const TestServer server(options);
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 12; ++i) {
        clients.push_back(std::make_unique<RawClient>(server.port()));
        clients.back()->post(kChat, chatBody(R"("max_tokens":5,"ignore_eos":true,"stream":)" +
                                             std::string(i % 2 ? "true" : "false")));
    }
    int accepted = 0;
    int rejected = 0;
    for (const auto& client : clients) {
        const Reply reply = client->read();
        accepted += reply.status == 200;
        rejected += reply.status == 429;
        if (reply.status == 429) {
            QCOMPARE(reply.json()["error"]["code"], 429);
            QCOMPARE(reply.headers.at("retry-after"), std::string("1"));
        }
    }
    QCOMPARE(accepted, 5);
    QCOMPARE(rejected, 7);
    QCOMPARE(server.post(kChat, chatBody(R"("max_tokens":1)")).status, 200);
}

void TestServerFace::speculationPutsSeveralTokensInAChunk()
{
    ServerOptions options = TestServer::fastOptions();
    options.profile.speculative = {3, 1.0, 0};
    const TestServer server(options);
    const auto events =
        server
            .post(kChat,
                  chatBody(R"("stream":true,"max_tokens":10,"ignore_eos":true,"return_token_ids":true)"),
                  "X-Request-Id: s\r\n")
            .events();
    std::vector<std::size_t> sizes;
    for (std::size_t i = 1; i < events.size(); ++i)
        sizes.push_back(events[i]["choices"][0]["token_ids"].size());
    QCOMPARE(sizes, (std::vector<std::size_t>{1, 4, 4, 1}));
    QCOMPARE(server.truth("s").at("token_events"), std::string("4"));
    QCOMPARE(server.truth("s").at("output_tokens"), std::string("10"));
    QCOMPARE(server.metric("vllm:spec_decode_num_drafts_total"), 3.0);
    QCOMPARE(server.metric("vllm:spec_decode_num_draft_tokens_total"), 9.0);
    QCOMPARE(server.metric("vllm:spec_decode_num_accepted_tokens_total"), 9.0);
}

void TestServerFace::metricsCount()
{
    const TestServer server;
    for (int i = 0; i < 3; ++i)
        server.post(kChat, chatBody(R"("stream":true,"max_tokens":6)"));
    server.post(kChat, chatBody(R"("max_tokens":60)"));
    const std::string labels = "{engine=\"0\",model_name=\"sim-model\"";
    QCOMPARE(server.metric("vllm:prompt_tokens_total" + labels), 36.0);
    QCOMPARE(server.metric("vllm:generation_tokens_total" + labels), 38.0);
    QCOMPARE(server.metric("vllm:num_requests_running" + labels), 0.0);
    QCOMPARE(server.metric("vllm:num_preemptions_total" + labels), 0.0);
    QCOMPARE(server.metric("vllm:request_success_total" + labels + ",finished_reason=\"length\"}"), 3.0);
    QCOMPARE(server.metric("vllm:request_success_total" + labels + ",finished_reason=\"stop\"}"), 1.0);
    QCOMPARE(server.metric("vllm:time_to_first_token_seconds_count"), 4.0);
    QCOMPARE(server.metric("vllm:inter_token_latency_seconds_count"), 34.0);
    QCOMPARE(server.metric("vllm:e2e_request_latency_seconds_count"), 4.0);
    QCOMPARE(server.metric("vllm:request_queue_time_seconds_count"), 4.0);
    QCOMPARE(server.metric("vllm:inter_token_latency_seconds_bucket" + labels + ",le=\"+Inf\"}"), 34.0);
    QVERIFY(server.metric("vllm:time_to_first_token_seconds_sum") >= 0.004);
    QVERIFY(
        server.get("/metrics")
            .body.find("vllm:cache_config_info{block_size=\"16\",enable_prefix_caching=\"True\",engine=\"0\","
                       "num_gpu_blocks=\"4000\"} 1.0\n") != std::string::npos);
    QVERIFY(server.get("/metrics").headers.at("content-type").starts_with("text/plain"));
}

QTEST_GUILESS_MAIN(TestServerFace)
#include "tst_server.moc"
