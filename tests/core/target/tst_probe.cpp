// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/probe.h"
#include "test_server.h"

#include <QElapsedTimer>
#include <QtTest>
#include <nlohmann/json.hpp>

using namespace tailmark;
using test::Reply;
using test::ServedRequest;
using test::TestServer;
using Json = nlohmann::json;

namespace {

Reply models(const std::string& owner, const Json& more = Json::object(), const std::string& id = "m")
{
    Json entry = {{"id", id}, {"object", "model"}, {"owned_by", owner}};
    entry.update(more);
    return Reply::json(Json{{"object", "list"}, {"data", {entry}}}.dump());
}

Reply answer(int promptTokens, int outputTokens)
{
    return Reply::events(
        {R"json({"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"length"}]})json",
         Json{{"choices", Json::array()},
              {"usage", {{"prompt_tokens", promptTokens}, {"completion_tokens", outputTokens}}}}
             .dump(),
         "[DONE]"});
}

struct Probing
{
    TestServer server;
    Target target;
    CardInput card;
    Limits limits;

    Probing()
    {
        target.baseUrl = server.url("/v1");
        limits.connectTimeoutS = 5;
        limits.firstTokenTimeoutS = 5;
    }
    Result<ProbeResult> run(bool sendRequest = false) const
    {
        return probe(target, card, limits, sendRequest);
    }
    std::string errorLine(bool sendRequest = false) const
    {
        const Result<ProbeResult> result = run(sendRequest);
        return result ? "no error" : result.error().line();
    }
    Json sentBody(std::size_t index = 0) const
    {
        return Json::parse(server.requests("/v1/chat/completions").at(index).body);
    }
};

bool hasNote(const ProbeResult& result, const std::string& part)
{
    for (const std::string& note : result.notes)
        if (note.find(part) != std::string::npos)
            return true;
    return false;
}

std::string value(const ProbeResult& result, const char* key)
{
    const CardEntry entry = result.card.entry(key);
    return entry.origin == CardOrigin::Read ? entry.value : std::string();
}

} // namespace

class TestProbe : public QObject
{
    Q_OBJECT

private slots:
    void vllm()
    {
        Probing p;
        p.server.on("/v1/models", models("vllm", {{"root", "org/model"}, {"max_model_len", 4096}}));
        p.server.on("/version", Reply::json(R"json({"version":"0.11.0"})json"));
        p.server.on("/server_info",
                    Reply::json(R"json({"vllm_config":{"model_config":{"quantization":"fp8","revision":"abc"},
            "parallel_config":{"tensor_parallel_size":2,"pipeline_parallel_size":1},
            "cache_config":{"enable_prefix_caching":true}}})json"));
        p.server.on("/v1/chat/completions", answer(41, 8));
        p.card.entries = {{"accelerator", "H100"}, {"engine", "typed"}};
        p.card.flags = {{"my_flag", "on"}};
        const Result<ProbeResult> got = p.run(true);
        QVERIFY2(got.ok(), got ? "" : got.error().line().c_str());
        const ProbeResult& r = got.value();
        QVERIFY(r.reachable && r.requestCompleted);
        QCOMPARE(r.engine, std::string("vllm"));
        QCOMPARE(r.version, std::string("0.11.0"));
        QCOMPARE(r.model, std::string("m"));
        QCOMPARE(r.contextTokens, 4096);
        QCOMPARE(value(r, "engine"), std::string("vllm"));
        QCOMPARE(value(r, "model"), std::string("org/model"));
        QCOMPARE(value(r, "model_revision"), std::string("abc"));
        QCOMPARE(value(r, "quantization"), std::string("fp8"));
        QCOMPARE(value(r, "parallelism"), std::string("tp=2 pp=1"));
        QCOMPARE(value(r, "flags.enable_prefix_caching"), std::string("true"));
        QCOMPARE(r.card.entry("accelerator").value, std::string("H100"));
        QCOMPARE(r.card.entry("flags.my_flag").origin, CardOrigin::Typed);
        QCOMPARE(r.promptTokensReported, 41);
        QCOMPARE(r.outputTokensReported, 8);
        QCOMPARE(r.body.chatOverheadTokens, 9);
        QVERIFY(r.body.ignoreEos && r.body.minTokens && r.body.streamOptions);
        QVERIFY2(r.notes.empty(), r.notes.empty() ? "" : r.notes.front().c_str());

        // the request is a load's request: 32 words, a forced length, usage asked for
        const Json body = p.sentBody();
        QCOMPARE(body["model"].get<std::string>(), std::string("m"));
        QCOMPARE(body["max_tokens"].get<int>(), 8);
        QCOMPARE(body["min_tokens"].get<int>(), 8);
        QVERIFY(body["ignore_eos"].get<bool>() && body["stream"].get<bool>());
        QVERIFY(body["stream_options"]["include_usage"].get<bool>());
        const QString prompt = QString::fromStdString(body["messages"][0]["content"].get<std::string>());
        QCOMPARE(prompt.split(' ', Qt::SkipEmptyParts).size(), 32);

        const Json json = Json::parse(probeToJson(r).dump());
        QCOMPARE(json["engine"].get<std::string>(), std::string("vllm"));
        QCOMPARE(json["context_tokens"].get<int>(), 4096);
        QCOMPARE(json["request"]["chat_overhead_tokens"].get<int>(), 9);
    }

    void sglangHidesItsKeys()
    {
        Probing p;
        p.server.on("/v1/models", models("sglang", {{"max_model_len", 8192}}));
        p.server.on("/server_info",
                    Reply::json(R"json({"version":"0.5.5","model_path":"/m/x","tp_size":4,"dp_size":2,
            "quantization":null,"disable_radix_cache":false,"api_key":"sk-very-secret-1234","admin_api_key":"adm1n",
            "launch_command":"x --api-key sk-very-secret-1234","schedule_policy":"Bearer abcdef"})json"));
        const Result<ProbeResult> got = p.run();
        QVERIFY(got.ok());
        const ProbeResult& r = got.value();
        QCOMPARE(r.engine, std::string("sglang"));
        QCOMPARE(r.version, std::string("0.5.5"));
        QCOMPARE(r.contextTokens, 8192);
        QCOMPARE(value(r, "model"), std::string("/m/x"));
        QCOMPARE(value(r, "parallelism"), std::string("tp=4 dp=2"));
        QCOMPARE(value(r, "quantization"), std::string());
        QCOMPARE(value(r, "flags.disable_radix_cache"), std::string("false"));
        const std::string all = probeToJson(r).dump();
        for (const char* secret : {"very-secret", "adm1n", "abcdef"})
            QVERIFY2(all.find(secret) == std::string::npos, all.c_str());
    }

    void llamaCpp()
    {
        Probing p;
        p.server.on("/v1/models",
                    models("llamacpp", {{"meta", {{"n_ctx_train", 32768}, {"n_params", 8000000000}}}}));
        p.server.on("/props",
                    Reply::json(R"json({"default_generation_settings":{"n_ctx":2048},"total_slots":4,
            "model_path":"/models/Llama-3.1-8B-Q4_K_M.gguf","build_info":"b9999-abc"})json"));
        const Result<ProbeResult> got = p.run();
        QVERIFY(got.ok());
        const ProbeResult& r = got.value();
        QCOMPARE(r.engine, std::string("llamacpp"));
        QCOMPARE(r.version, std::string("b9999-abc"));
        QCOMPARE(r.contextTokens, 2048);
        QCOMPARE(value(r, "quantization"), std::string("Q4_K_M"));
        QCOMPARE(value(r, "flags.total_slots"), std::string("4"));
        QVERIFY(r.body.ignoreEos && !r.body.minTokens);
    }

    /// Where owned_by says nothing, a member of an info document that one engine alone has.
    void recognisedByBehaviour_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("engine");
        const auto row = [](const char* path, const char* body, const char* engine) {
            QTest::newRow(engine) << QByteArray(path) << QByteArray(body) << QByteArray(engine);
        };
        row("/info", "{\"model_id\":\"x\",\"max_total_tokens\":2048,\"version\":\"3.3\"}", "tgi");
        row("/api/version", "{\"version\":\"0.33\"}", "ollama");
        row("/props", "{\"default_generation_settings\":{}}", "llamacpp");
        row("/server_info", "{\"tp_size\":1}", "sglang");
        row("/version", "{\"version\":\"1\"}", "generic");
        row("/version", "not JSON", "generic");
    }
    void recognisedByBehaviour()
    {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, engine);
        Probing p;
        p.server.on("/v1/models", models("someone"));
        p.server.on(path.toStdString(), Reply::json(body.toStdString()));
        const Result<ProbeResult> got = p.run();
        QVERIFY(got.ok());
        QCOMPARE(QByteArray::fromStdString(got.value().engine), engine);
        QCOMPARE(hasNote(got.value(), "not recognised"), engine == "generic");
        QCOMPARE(got.value().card.entry("engine").origin == CardOrigin::Read, engine != "generic");
    }

    void everyInfoDocumentIsAskedForOnce()
    {
        Probing p;
        p.server.on("/v1/models", models("vllm"));
        QVERIFY(p.run().ok());
        for (const char* path : {"/version", "/server_info", "/props", "/info", "/api/version", "/v1/models"})
            QCOMPARE(p.server.requests(path).size(), std::size_t(1));
        QCOMPARE(p.server.requests().front().path(), std::string("/v1/models"));
    }

    void statedEngineWins()
    {
        Probing p;
        p.target.engine = "tgi";
        p.server.on("/v1/models", models("vllm"));
        const Result<ProbeResult> got = p.run();
        QVERIFY(got.ok());
        QCOMPARE(got.value().engine, std::string("tgi"));
        QVERIFY(!got.value().body.ignoreEos);
        QVERIFY(hasNote(got.value(), "stated to be tgi, but looks like vllm"));
    }

    void theKeyIsSentAndNotShown()
    {
        Probing p;
        qputenv("TAILMARK_TEST_KEY", "s3cr3t-value");
        p.target.apiKeyEnv = "TAILMARK_TEST_KEY";
        p.server.answerWith([](const ServedRequest& request) {
            return Reply::json(
                Json{{"error", {{"message", "bad key: " + request.header("authorization")}}}}.dump(), 401);
        });
        const std::string line = p.errorLine();
        QCOMPARE(p.server.requests().front().header("authorization"), std::string("Bearer s3cr3t-value"));
        QVERIFY(line.find("HTTP 401") != std::string::npos);
        QVERIFY2(line.find("s3cr3t") == std::string::npos, line.c_str());
    }

    void keyNotSet()
    {
        Probing p;
        p.target.apiKeyEnv = "TAILMARK_TEST_NO_SUCH_KEY";
        QCOMPARE(
            p.errorLine(),
            std::string("target.api_key_env: the environment variable TAILMARK_TEST_NO_SUCH_KEY is not set"));
        QCOMPARE(p.server.requests().size(), std::size_t(0));
    }

    void notReachable()
    {
        Probing p;
        p.target.baseUrl = "http://127.0.0.1:1/v1";
        QCOMPARE(p.errorLine(),
                 std::string("http://127.0.0.1:1/v1/models: could not connect: Connection refused"));
        QCOMPARE(p.run().error().code, ErrorCode::Unreachable);
    }

    void refusals_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("401") << 401 << QByteArray("application/json")
                             << QByteArray("{\"error\":\"Unauthorized\"}")
                             << QByteArray("HTTP 401: Unauthorized, no API key was sent");
        QTest::newRow("502") << 502 << QByteArray("text/html")
                             << QByteArray("<html><h1>502 Bad\nGateway</h1></html>")
                             << QByteArray("HTTP 502: 502 Bad Gateway");
        QTest::newRow("503") << 503 << QByteArray("application/json")
                             << QByteArray("{\"error\":{\"message\":\"Loading model\"}}")
                             << QByteArray("HTTP 503: Loading model");
        QTest::newRow("307") << 307 << QByteArray("") << QByteArray("")
                             << QByteArray("redirects are not followed");
        QTest::newRow("garbage") << 200 << QByteArray("text/plain") << QByteArray("\x01\x02 hello")
                                 << QByteArray("not a list of models as OpenAI's API has it: hello");
        QTest::newRow("other JSON") << 200 << QByteArray("application/json") << QByteArray("[1]")
                                    << QByteArray("not a list of models");
        QTest::newRow("no models") << 200 << QByteArray("application/json") << QByteArray("{\"data\":[]}")
                                   << QByteArray("the server lists no model");
    }
    void refusals()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, type);
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, said);
        Probing p;
        p.server.on("/v1/models", Reply::text(body.toStdString(), status, type.toStdString()));
        const std::string line = p.errorLine(true);
        QVERIFY2(line.find(said.toStdString()) != std::string::npos, line.c_str());
        QVERIFY(line.starts_with(p.server.url("/v1/models: ")));
        QVERIFY(line.find('\n') == std::string::npos && line.find('<') == std::string::npos);
        QCOMPARE(p.run(true).error().code, ErrorCode::Unreachable);
    }

    void baseUrlWithoutV1()
    {
        Probing p;
        p.target.baseUrl = p.server.url();
        QVERIFY(p.errorLine().find("the base URL of most servers ends with /v1") != std::string::npos);
    }

    void hangingServer()
    {
        Probing p;
        p.limits.connectTimeoutS = 0.3;
        p.server.on("/v1/models", Reply::hang());
        QElapsedTimer timer;
        timer.start();
        QVERIFY(p.errorLine().ends_with("no complete answer within 0.3 s"));
        QVERIFY(timer.elapsed() < 4000);
    }

    void hangingInfoIsPassedOver()
    {
        Probing p;
        p.limits.connectTimeoutS = 0.5;
        p.server.on("/v1/models", models("vllm"));
        p.server.on("/server_info", Reply::hang());
        const Result<ProbeResult> got = p.run();
        QVERIFY(got.ok());
        QCOMPARE(got.value().engine, std::string("vllm"));
    }

    void modelNotListed()
    {
        Probing p;
        p.target.model = "other";
        p.server.on("/v1/models", models("vllm"));
        QCOMPARE(p.errorLine(), p.server.url("/v1/models: the model other is not among those listed: m"));
        QCOMPARE(p.run().error().code, ErrorCode::Unreachable);
    }

    void severalModels()
    {
        Probing p;
        p.server.on(
            "/v1/models",
            Reply::json(R"json({"data":[{"id":"a","owned_by":"vllm","max_model_len":4096,"root":"org/a"},
            {"id":"b","owned_by":"vllm","max_model_len":4096,"root":"org/b"}]})json"));
        p.server.on("/v1/chat/completions", answer(40, 8));
        // with none named, what holds for all of them is told, and none is asked
        const Result<ProbeResult> open = p.run(true);
        QVERIFY2(open.ok(), open ? "" : open.error().line().c_str());
        QCOMPARE(open.value().models, (std::vector<std::string>{"a", "b"}));
        QCOMPARE(open.value().model, std::string());
        QCOMPARE(open.value().engine, std::string("vllm"));
        QCOMPARE(open.value().contextTokens, 4096);
        QCOMPARE(value(open.value(), "model"), std::string());
        QVERIFY(!open.value().requestCompleted);
        QVERIFY(p.server.requests("/v1/chat/completions").empty());
        QVERIFY(hasNote(open.value(), "the server has 2 models, name one: a, b"));
        const Status refused = needOneModel(open.value());
        QCOMPARE(refused.error().line(),
                 std::string("target.model: the server has 2 models, name one: a, b"));
        QCOMPARE(refused.error().code, ErrorCode::BadInput);

        p.target.model = "b";
        const Result<ProbeResult> got = p.run();
        QVERIFY(got.ok());
        QVERIFY(needOneModel(got.value()).ok());
        QCOMPARE(got.value().model, std::string("b"));
        QCOMPARE(got.value().models, (std::vector<std::string>{"a", "b"}));
    }

    void noListOfModels()
    {
        Probing p;
        p.target.model = "named";
        p.server.on("/v1/chat/completions", answer(40, 8));
        const Result<ProbeResult> got = p.run(true);
        QVERIFY(got.ok());
        QCOMPARE(got.value().model, std::string("named"));
        QVERIFY(hasNote(got.value(), "lists no models"));
    }

    void testRequestRefused()
    {
        Probing p;
        p.server.on("/v1/models", models("vllm"));
        p.server.on("/v1/chat/completions",
                    Reply::json("{\"error\":{\"message\":\"the model is asleep\"}}", 404));
        QCOMPARE(
            p.errorLine(true),
            p.server.url("/v1/chat/completions: the test request failed: HTTP 404: the model is asleep"));
        QCOMPARE(p.run(true).error().code, ErrorCode::Unreachable);
        p.server.on("/v1/chat/completions", Reply::json("{\"choices\":[]}"));
        QVERIFY(p.errorLine(true).find("asked for an event stream") != std::string::npos);
        Reply cut = answer(40, 8);
        cut.pieces.resize(1);
        cut.pieces[0] = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
        cut.end = Reply::End::Cut;
        p.server.on("/v1/chat/completions", cut);
        QVERIFY(p.errorLine(true).find("the connection broke") != std::string::npos);
        p.server.on("/v1/chat/completions", Reply::hang());
        p.limits.connectTimeoutS = 0.2;
        p.limits.firstTokenTimeoutS = 0.1;
        QVERIFY(p.errorLine(true).ends_with("no complete answer within 0.3 s"));
    }

    void namedFieldIsDroppedOnce()
    {
        Probing p;
        p.server.on("/v1/models", models("vllm"));
        p.server.on("/v1/chat/completions",
                    {Reply::json("{\"detail\":\"stream_options: extra fields not permitted\"}", 422),
                     Reply::json("{\"error\":\"unknown field min_tokens\"}", 400), answer(40, 8)});
        const Result<ProbeResult> got = p.run(true);
        QVERIFY(got.ok());
        QVERIFY(!got.value().body.streamOptions && !got.value().body.minTokens && got.value().body.ignoreEos);
        QVERIFY(hasNote(got.value(), "stream_options was refused") &&
                hasNote(got.value(), "min_tokens was refused"));
        QVERIFY(p.sentBody(0).contains("stream_options") && !p.sentBody(1).contains("stream_options"));
        QVERIFY(p.sentBody(1).contains("min_tokens") && !p.sentBody(2).contains("min_tokens"));
        QCOMPARE(p.server.requests("/v1/chat/completions").size(), std::size_t(3));
    }

    void refusedForGood()
    {
        Probing p;
        p.server.on("/v1/models", models("vllm"));
        p.server.on("/v1/chat/completions",
                    Reply::json("{\"error\":\"stream_options min_tokens ignore_eos max_tokens "
                                "max_completion_tokens\"}",
                                400));
        QVERIFY(!p.run(true).ok());
        QVERIFY(p.server.requests("/v1/chat/completions").size() <= 7);
    }

    void otherNameOfMaxTokens()
    {
        Probing p;
        p.server.on("/v1/models", models("system"));
        p.server.on("/v1/chat/completions",
                    {Reply::json("{\"error\":\"unknown: max_completion_tokens\"}", 400), answer(40, 3)});
        const Result<ProbeResult> got = p.run(true);
        QVERIFY(got.ok());
        QCOMPARE(got.value().engine, std::string("openai"));
        QCOMPARE(got.value().body.maxTokensField, std::string("max_tokens"));
        QCOMPARE(p.sentBody(0)["max_completion_tokens"].get<int>(), 8);
        QCOMPARE(p.sentBody(1)["max_tokens"].get<int>(), 8);
        QVERIFY(!p.sentBody(0).contains("ignore_eos"));
    }

    void countsThatDoNotAgree_data()
    {
        QTest::addColumn<int>("prompt");
        QTest::addColumn<int>("output");
        QTest::addColumn<QByteArray>("note");
        QTest::addColumn<int>("overhead");
        QTest::newRow("as planned") << 39 << 8 << QByteArray() << 7;
        QTest::newRow("short") << 39 << 5 << QByteArray("output lengths are not forced") << 7;
        QTest::newRow("long") << 39 << 500 << QByteArray("does not keep to max_tokens") << 7;
        QTest::newRow("prompt shorter") << 20 << 8 << QByteArray("prompt lengths will be off") << 0;
        QTest::newRow("prompt longer") << 300 << 8 << QByteArray("prompt lengths will be off") << 0;
        QTest::newRow("no usage") << 0 << 0 << QByteArray("no usage reported") << 0;
    }
    void countsThatDoNotAgree()
    {
        QFETCH(int, prompt);
        QFETCH(int, output);
        QFETCH(QByteArray, note);
        QFETCH(int, overhead);
        Probing p;
        p.server.on("/v1/models", models("tailmark-sim"));
        p.server.on("/v1/chat/completions", answer(prompt, output).inPiecesOf(1));
        const Result<ProbeResult> got = p.run(true);
        QVERIFY(got.ok());
        QCOMPARE(got.value().engine, std::string("sim"));
        QCOMPARE(got.value().notes.empty(), note.isEmpty());
        QVERIFY(note.isEmpty() || hasNote(got.value(), note.toStdString()));
        QCOMPARE(got.value().body.chatOverheadTokens, overhead);
    }
};

QTEST_GUILESS_MAIN(TestProbe)
#include "tst_probe.moc"
