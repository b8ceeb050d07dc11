// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "target/probe.h"
#include "test_server.h"

#include <QDir>
#include <QFile>

#include <nlohmann/json.hpp>

using namespace tailmark;
using test::Reply;
using test::ServedRequest;
using test::TestServer;
using Json = nlohmann::json;

namespace {

const QString kFolder = QStringLiteral(TAILMARK_TEST_DATA "/engines");

Json serverOf(const QString& engine)
{
    QFile file(kFolder + '/' + engine + "/server.json");
    return file.open(QFile::ReadOnly) ? Json::parse(file.readAll().toStdString()) : Json();
}

/// A server that shows what the engine shows, and streams the recording named `answer`.
void serve(TestServer& server, const QString& engine, const std::string& answer = {})
{
    const Json shown = serverOf(engine);
    const auto withHeaders = [&](Reply reply) {
        for (const Json& line : shown["headers"])
            reply.extraHeaders.push_back(line.get<std::string>());
        return reply;
    };
    for (const auto& [path, body] : shown["documents"].items())
        server.on(path, withHeaders(Reply::json(body.dump())));
    if (answer.empty())
        return;
    QFile file(kFolder + '/' + engine + '/' + QString::fromStdString(answer) + ".txt");
    QVERIFY(file.open(QFile::ReadOnly));
    Reply reply = Reply::text(file.readAll().toStdString(), 200, "text/event-stream");
    server.on("/v1/chat/completions", withHeaders(reply));
}

Result<ProbeResult> probeOf(const TestServer& server, bool sendRequest, const Workload& workload = Workload(),
                            const std::string& engine = "auto")
{
    Target target;
    target.baseUrl = server.url("/v1");
    target.engine = engine;
    Limits limits;
    limits.connectTimeoutS = limits.firstTokenTimeoutS = 5;
    return probe(target, CardInput(), limits, sendRequest, nullptr, workload);
}

bool hasNote(const ProbeResult& result, const std::string& part)
{
    return std::any_of(result.notes.begin(), result.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

std::string stateOf(const ProbeResult& result, const std::string& check)
{
    for (const ProbeCheck& c : result.checks)
        if (c.id == check)
            return checkStateId(c.state);
    return "not checked";
}

std::string textOf(const ProbeResult& result, const std::string& check)
{
    for (const ProbeCheck& c : result.checks)
        if (c.id == check)
            return c.text;
    return {};
}

} // namespace

/// `auto` finds every engine by what its server shows, and the card is what it tells.
class TestEngineProbes : public QObject
{
    Q_OBJECT

private slots:
    void recognised_data()
    {
        QTest::addColumn<QString>("engine");
        for (const EngineProfile& profile : engineProfiles())
            QTest::newRow(profile.id.c_str()) << QString::fromStdString(profile.id);
    }
    void recognised()
    {
        QFETCH(QString, engine);
        const Json expected = serverOf(engine)["expected"];
        TestServer server;
        serve(server, engine);
        const Result<ProbeResult> got = probeOf(server, false);
        QVERIFY2(got.ok(), got ? "" : got.error().line().c_str());
        const ProbeResult& result = got.value();
        QCOMPARE(result.engine, expected["engine"].get<std::string>());
        QCOMPARE(result.recognisedBy.empty(), engine == "generic");
        QCOMPARE(result.version, expected["version"].get<std::string>());
        QCOMPARE(result.contextTokens, expected["context"].get<int>());
        const std::string context = std::to_string(result.contextTokens);
        QCOMPARE(std::count_if(result.card.entries().begin(), result.card.entries().end(),
                               [&](const auto& item) { return item.second.value == context; }),
                 std::ptrdiff_t(result.contextTokens > 0 ? 1 : 0));
        for (const auto& [key, value] : expected["card"].items()) {
            const CardEntry entry = result.card.entry(key);
            QVERIFY2(entry.value == value.get<std::string>(), (key + " is " + entry.value).c_str());
            QCOMPARE(entry.origin, CardOrigin::Read);
            QVERIFY2(!entry.source.empty(), key.c_str());
        }
        Json notDefault = Json::object();
        for (const auto& [key, entry] : result.card.entries())
            if (!entry.standard.empty())
                notDefault[key.substr(6)] = entry.standard;
        QCOMPARE(notDefault.dump(), expected["not_default"].dump());
        const std::string all = probeToJson(result).dump();
        for (const Json& secret : expected["hidden"])
            QVERIFY2(all.find(secret.get<std::string>()) == std::string::npos, all.c_str());
    }

    void placesOfFacts()
    {
        TestServer server;
        serve(server, "vllm");
        const ProbeResult result = probeOf(server, false).value();
        QCOMPARE(result.card.entry("engine").source, std::string("owned_by \"vllm\" in the list of models"));
        QCOMPARE(result.card.entry("engine_version").source, std::string("/version /version"));
        QCOMPARE(result.card.entry("model").source, std::string("/v1/models /root"));
        QCOMPARE(result.card.entry("parallelism").source, std::string("/server_info"));
        QCOMPARE(result.card.entry("accelerator").origin, CardOrigin::Unknown);
    }

    /// A text too long for the card is cut, and still differs where the whole differs.
    void longTexts()
    {
        const auto shown = [](const std::string& tail) {
            TestServer server;
            serve(server, "llamacpp");
            Json props = serverOf("llamacpp")["documents"]["/props"];
            props["chat_template"] = std::string(5000, 'x') + tail;
            server.on("/props", Reply::json(props.dump()));
            return probeOf(server, false).value().card.entry("chat_template").value;
        };
        QVERIFY(shown("a").size() < 300 && shown("a").find("5001 bytes") != std::string::npos);
        QVERIFY(shown("a") == shown("a"));
        QVERIFY(shown("a") != shown("b"));
    }

    void headerOfAServerBehindNoDocument()
    {
        TestServer server;
        Reply reply = Reply::json(serverOf("generic")["documents"]["/v1/models"].dump());
        reply.extraHeaders = {"Server: LLAMA.CPP"};
        server.on("/v1/models", reply);
        QCOMPARE(probeOf(server, false).value().engine, std::string("llamacpp"));
    }

    /// One request of each kind: which claims hold.
    void checks_data()
    {
        QTest::addColumn<QString>("engine");
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QByteArray>("cached");
        QTest::addColumn<QByteArray>("output");
        QTest::newRow("vllm") << "vllm" << QByteArray("chat") << QByteArray("passed") << QByteArray("failed");
        QTest::newRow("sglang") << "sglang" << QByteArray("chat") << QByteArray("unknown")
                                << QByteArray("failed");
        QTest::newRow("llamacpp") << "llamacpp" << QByteArray("chat") << QByteArray("passed")
                                  << QByteArray("failed");
        QTest::newRow("tgi") << "tgi" << QByteArray("chat") << QByteArray("unknown") << QByteArray("passed");
        QTest::newRow("ollama") << "ollama" << QByteArray("chat") << QByteArray("unknown")
                                << QByteArray("passed");
        QTest::newRow("openai") << "openai" << QByteArray("chat-refusal") << QByteArray("unknown")
                                << QByteArray("passed");
    }
    void checks()
    {
        QFETCH(QString, engine);
        QFETCH(QByteArray, answer);
        QFETCH(QByteArray, cached);
        QFETCH(QByteArray, output);
        TestServer server;
        serve(server, engine, answer.toStdString());
        const Result<ProbeResult> got = probeOf(server, true);
        QVERIFY2(got.ok(), got ? "" : got.error().line().c_str());
        QCOMPARE(stateOf(got.value(), "usage"), std::string("passed"));
        QCOMPARE(QByteArray::fromStdString(stateOf(got.value(), "cached_tokens")), cached);
        QCOMPARE(QByteArray::fromStdString(stateOf(got.value(), "output_tokens")), output);
        QCOMPARE(hasNote(got.value(), "output lengths are not forced"), output == "failed");
    }

    /// What cannot be seen matters only where the matrix states it.
    void cachedTokensMatterWhereAStateIsStated()
    {
        TestServer server;
        serve(server, "sglang", "chat");
        QVERIFY(!hasNote(probeOf(server, true).value(), "cache"));
        Workload cold;
        cold.cache = CachePolicy::Cold;
        const ProbeResult result = probeOf(server, true, cold).value();
        QVERIFY(hasNote(result, "the stated cache state cannot be proved by it"));
        QVERIFY(hasNote(result, "SGLang tells it with --enable-cache-report"));
    }

    void modelNames()
    {
        TestServer server;
        serve(server, "openai", "chat-refusal");
        const ProbeResult dated = probeOf(server, true).value();
        QCOMPARE(textOf(dated, "model_name"),
                 std::string("the answer is from m-2026-01-01, what m stands for today"));
        serve(server, "tgi", "chat");
        const ProbeResult other = probeOf(server, true).value();
        QCOMPARE(stateOf(other, "model_name"), std::string("failed"));
        QVERIFY(hasNote(other, "asked org/model-8b, the answer is from m: another name, or another model"));
    }

    /// Chunks that hold the whole text so far, or far more text than tokens.
    void textsThatRepeat()
    {
        const auto streamed = [](const std::vector<std::string>& texts, int tokens) {
            TestServer server;
            serve(server, "sim");
            std::vector<std::string> events;
            for (const std::string& text : texts)
                events.push_back(Json{{"choices", {{{"index", 0}, {"delta", {{"content", text}}}}}}}.dump());
            events.push_back(
                Json{{"choices", {{{"index", 0}, {"delta", Json::object()}, {"finish_reason", "length"}}}}}
                    .dump());
            events.push_back(Json{{"choices", Json::array()},
                                  {"usage", {{"prompt_tokens", 40}, {"completion_tokens", tokens}}}}
                                 .dump());
            events.push_back("[DONE]");
            server.on("/v1/chat/completions", Reply::events(events));
            return probeOf(server, true).value();
        };
        QCOMPARE(stateOf(streamed({"a", "ab", "abc"}, 8), "stream"), std::string("failed"));
        QVERIFY(hasNote(streamed({"a", "ab", "abc"}, 8), "repeats the text so far"));
        QVERIFY(hasNote(streamed({std::string(900, 'x')}, 8), "900 bytes of text for 8 tokens"));
        QCOMPARE(textOf(streamed({"a", "ab", "c"}, 8), "stream"), std::string("3 events with tokens"));
        QCOMPARE(stateOf(streamed({"a", " b", " c"}, 8), "stream"), std::string("passed"));
    }

    void proxies()
    {
        TestServer server;
        serve(server, "litellm", "chat");
        QCOMPARE(stateOf(probeOf(server, true).value(), "proxy"), std::string("passed"));
        QFile file(kFolder + "/litellm/chat.txt");
        QVERIFY(file.open(QFile::ReadOnly));
        Reply reply = Reply::text(file.readAll().toStdString(), 200, "text/event-stream");
        for (const char* line :
             {"x-litellm-attempted-retries: 2", "x-litellm-cache-key: abc", "X-Cache: HIT"}) {
            reply.extraHeaders = {line};
            server.on("/v1/chat/completions", reply);
            const ProbeResult result = probeOf(server, true).value();
            QVERIFY2(stateOf(result, "proxy") == "failed", line);
            QVERIFY(hasNote(result, "proxy"));
        }
    }

    /// The tokens of each chunk are asked for in the engine's own way, and only where they are wanted.
    void tokenEvidence()
    {
        const auto sent = [](const char* engine, TokenEvidencePolicy policy) {
            TestServer server;
            serve(server, engine, "chat");
            Workload workload;
            workload.tokenEvidence = policy;
            const Result<ProbeResult> got = probeOf(server, true, workload);
            const Json body = Json::parse(server.requests("/v1/chat/completions").at(0).body);
            return std::pair(body, got ? got.value() : ProbeResult());
        };
        const auto [off, plain] = sent("vllm", TokenEvidencePolicy::Off);
        QCOMPARE(off["stream_options"].dump(), std::string(R"({"include_usage":true})"));
        const auto [vllm, told] = sent("vllm", TokenEvidencePolicy::On);
        QCOMPARE(vllm["stream_options"].dump(),
                 std::string(R"({"continuous_usage_stats":true,"include_usage":true})"));
        QCOMPARE(sent("llamacpp", TokenEvidencePolicy::On).first["timings_per_token"].get<bool>(), true);
        QCOMPARE(sent("lmdeploy", TokenEvidencePolicy::On).first["return_token_ids"].get<bool>(), true);
        QVERIFY(hasNote(sent("litellm", TokenEvidencePolicy::On).second,
                        "LiteLLM proxy has no field that makes it tell the tokens of each chunk"));
    }

    /// A request that the probe makes has the workload's fields; those that the engine ignores are told.
    void fieldsOfTheWorkload()
    {
        TestServer server;
        serve(server, "ollama", "chat");
        Workload workload;
        workload.sampling = {{"temperature", 0.5}, {"top_k", 5}};
        workload.extras = {{"response_format", {{"type", "json_object"}}}};
        const ProbeResult result = probeOf(server, true, workload).value();
        QVERIFY(hasNote(result, "Ollama ignores top_k: it has no effect"));
        const Json sent = Json::parse(server.requests("/v1/chat/completions").front().body);
        QCOMPARE(sent["temperature"].get<double>(), 0.5);
        QVERIFY(sent.contains("response_format"));
    }
};

QTEST_GUILESS_MAIN(TestEngineProbes)
#include "tst_engine_probes.moc"
