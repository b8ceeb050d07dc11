// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "target/engine_profiles.h"
#include "target/probe.h"
#include "test_server.h"

#include <QFile>

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

    /// Every counter of the profile is in the exposition, but for the use of KV memory, which this build left out.
    void counters()
    {
        const QByteArray text = fileOf("recorded-metrics.prom");
        const MetricsAccess& metrics = engineProfile("llamacpp").metrics;
        QCOMPARE(metrics.path, std::string("/metrics"));
        const auto has = [&](const std::vector<MetricSource>& sources) {
            return std::any_of(sources.begin(), sources.end(), [&](const MetricSource& source) {
                return std::all_of(source.names.begin(), source.names.end(), [&](const std::string& name) {
                    return text.contains(QByteArray::fromStdString("\n" + name + " "));
                });
            });
        };
        for (const auto* sources : {&metrics.running, &metrics.waiting, &metrics.prefixQueries, &metrics.prefixHits,
                                    &metrics.promptTokens, &metrics.generatedTokens, &metrics.specDrafted,
                                    &metrics.specAccepted})
            QVERIFY2(has(*sources), sources->empty() ? "no source" : sources->front().names.front().c_str());
        QVERIFY(!has(metrics.kvUse));
    }
};

QTEST_GUILESS_MAIN(TestRecordedServer)
#include "tst_recorded_server.moc"
