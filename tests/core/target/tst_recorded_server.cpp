// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "target/engine_profiles.h"
#include "target/probe.h"
#include "target/server_counters.h"
#include "test_server.h"

#include <QFile>

#include <algorithm>

#include <nlohmann/json.hpp>

using namespace tailmark;
using test::Reply;
using test::TestServer;
using Json = nlohmann::json;

namespace {

QByteArray fileOf(const char* name)
{
    QFile file(QStringLiteral(TAILMARK_TEST_DATA "/engines/llamacpp/") + name);
    return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
}

Json recording()
{
    return Json::parse(fileOf("recorded-server.json").toStdString());
}

const Json& memberAt(const Json& json, const std::string& pointer)
{
    return json.at(Json::json_pointer(pointer));
}

} // namespace

/// A real llama.cpp server's answers, recorded: what it tells is found where the profile says.
class TestRecordedServer : public QObject
{
    Q_OBJECT

private slots:
    void probed()
    {
        const Json shown = recording();
        TestServer server;
        for (const auto& [path, document] : shown["documents"].items()) {
            Reply reply = Reply::json(document.dump());
            reply.extraHeaders.push_back(shown["headers"][0].get<std::string>());
            server.on(path, reply);
        }
        server.on("/v1/chat/completions",
                  Reply::text(fileOf("recorded-chat.txt").toStdString(), 200, "text/event-stream"));
        Target target;
        target.baseUrl = server.url("/v1");
        Limits limits;
        limits.connectTimeoutS = limits.firstTokenTimeoutS = 5;
        const Result<ProbeResult> got = probe(target, CardInput(), limits, true);
        QVERIFY2(got.ok(), got ? "" : got.error().line().c_str());
        const ProbeResult& result = got.value();
        QCOMPARE(result.engine, std::string("llamacpp"));
        QCOMPARE(result.version, std::string("b0-unknown"));
        QCOMPARE(result.model, std::string("mid-spm.gguf"));
        QCOMPARE(result.contextTokens, 2048); // of one of the four slots
        QCOMPARE(result.promptTokensReported, 33);
        QCOMPARE(result.outputTokensReported, 6);
        const std::pair<const char*, const char*> entries[] = {
            {"engine", "llamacpp"},          {"model", "mid-spm.gguf"},     {"quantization", "all F32"},
            {"flags.total_slots", "4"}, {"flags.n_params", "19007744"}};
        for (const auto& [key, value] : entries) {
            QCOMPARE(result.card.entry(key).value, std::string(value));
            QCOMPARE(result.card.entry(key).origin, CardOrigin::Read);
        }
    }

    /// Where the exact length of a prompt is asked, and where the answer has it.
    void lengthsOfPrompts()
    {
        const Json calls = recording()["calls"];
        const PromptAccess& access = engineProfile("llamacpp").prompt;
        const auto answer = [&](const EndpointCall& call) -> const Json& {
            return calls.at(call.path).at("answer");
        };
        const auto fields = [&](const EndpointCall& call) {
            std::vector<std::string> known, sent;
            for (const auto& [key, value] : calls.at(call.path).at("body").items())
                known.push_back(key);
            for (const auto& [key, value] : call.body.items())
                sent.push_back(key);
            return known == sent;
        };
        for (const EndpointCall* call :
             {&access.tokenizeText, &access.tokenizeMessages, &access.applyTemplate, &access.detokenize})
            QVERIFY2(*call && calls.contains(call->path) && fields(*call), call->path.c_str());
        QCOMPARE(memberAt(answer(access.tokenizeText), access.tokenizeText.ids).size(), std::size_t(6));
        QCOMPARE(memberAt(answer(access.tokenizeMessages), access.tokenizeMessages.count).get<int>(), 33);
        QVERIFY(memberAt(answer(access.applyTemplate), access.applyTemplate.text)
                    .get<std::string>()
                    .ends_with("<|im_start|>assistant\n"));
        QCOMPARE(memberAt(answer(access.detokenize), access.detokenize.text).get<std::string>(),
                 std::string("<s> Hello there, tell me"));
        QVERIFY(access.tokenIds); // recorded with ids as prompt: the same answer as for the text
    }

    /// All counters that the engine has are read; the use of KV memory is one that this build does not tell.
    void counters()
    {
        Target target;
        target.baseUrl = "http://127.0.0.1:8080/v1";
        const std::optional<CounterEndpoint> endpoint = counterEndpoint(target, "llamacpp", {});
        QVERIFY(endpoint);
        QCOMPARE(endpoint->url, std::string("http://127.0.0.1:8080/metrics"));
        const CounterValues values =
            CounterReader(endpoint->sources).read(fileOf("recorded-metrics.prom").toStdString());
        const CounterValues known = {{ServerCounter::Running, 0},           {ServerCounter::Waiting, 0},
                                     {ServerCounter::PrefixQueries, 2245},  {ServerCounter::PrefixHits, 163},
                                     {ServerCounter::GeneratedTokens, 252}, {ServerCounter::PromptTokens, 2245},
                                     {ServerCounter::SpecDrafted, 0},       {ServerCounter::SpecAccepted, 0}};
        QCOMPARE(values.size(), known.size());
        for (const auto& one : known)
            QVERIFY2(std::find(values.begin(), values.end(), one) != values.end(),
                     std::string(serverCounterInfo(one.first).id).c_str());
    }
};

QTEST_GUILESS_MAIN(TestRecordedServer)
#include "tst_recorded_server.moc"
