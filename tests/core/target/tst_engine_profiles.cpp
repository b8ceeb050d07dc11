// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "plan/matrix_keys.h"
#include "target/engine_profiles.h"

#include <QDir>
#include <QFile>

#include <algorithm>

using namespace tailmark;

namespace {

const QString kFolder = QStringLiteral(TAILMARK_SOURCE_DIR "/resources/engines");

std::string fileText(const QString& name)
{
    QFile file(kFolder + '/' + name);
    return file.open(QFile::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// The line of a refusal of a profile with these members beside id and title.
std::string refusal(const std::string& members)
{
    const Result<EngineProfile> got =
        parseEngineProfile(R"({"id":"x","title":"X")" + members + "}", "x.json");
    return got ? "accepted" : got.error().line();
}

} // namespace

class TestEngineProfiles : public QObject
{
    Q_OBJECT

private slots:
    void everyFileIsRead_data()
    {
        QTest::addColumn<QString>("name");
        const QStringList files = QDir(kFolder).entryList({"*.json"});
        QCOMPARE(files.size(), 12);
        for (const QString& name : files)
            QTest::newRow(qPrintable(name)) << name;
    }
    void everyFileIsRead()
    {
        QFETCH(QString, name);
        const Result<EngineProfile> got = parseEngineProfile(fileText(name), name.toStdString());
        QVERIFY2(got.ok(), got ? "" : got.error().line().c_str());
        QCOMPARE(QString::fromStdString(got.value().id) + ".json", name);
        // and is the one in the program
        const EngineProfile& built = engineProfile(got.value().id);
        QCOMPARE(built.id, got.value().id);
        QCOMPARE(built.title, got.value().title);
        QVERIFY(!built.facts.sources.empty());
    }

    /// What may be stated as target.engine is what there is a profile for.
    void namesOfTheMatrix()
    {
        QCOMPARE(engineProfiles().size(), std::size_t(12));
        const std::string words = keys::engineIdWords();
        for (const EngineProfile& profile : engineProfiles()) {
            QVERIFY2(keys::isEngineId(profile.id), profile.id.c_str());
            QVERIFY(words.find('"' + profile.id + '"') != std::string::npos);
        }
        QCOMPARE(std::count(words.begin(), words.end(), '"'), 2 * (12 + 1)); // and "auto"
    }

    void anUnknownOneIsGeneric()
    {
        const EngineProfile& profile = engineProfile("no such engine");
        QCOMPARE(profile.id, std::string("generic"));
        QVERIFY(!profile.request.ignoreEos && profile.request.streamOptions);
        QCOMPARE(profile.use("top_k"), FieldUse::Unknown);
    }

    void useOfFields()
    {
        const EngineProfile& vllm = engineProfile("vllm");
        QCOMPARE(vllm.use("cache_salt"), FieldUse::Taken);
        QCOMPARE(vllm.use("service_tier"), FieldUse::Ignored);
        QCOMPARE(vllm.use("no_such_field"), FieldUse::Ignored);
        QCOMPARE(engineProfile("trtllm").use("service_tier"), FieldUse::Refused);
        QCOMPARE(engineProfile("trtllm").use("no_such_field"), FieldUse::Refused);
        QCOMPARE(engineProfile("ollama").use("max_completion_tokens"), FieldUse::Ignored);
    }

    /// Cached tokens are read where the reader of responses looks for them.
    void whereCachedTokensAre()
    {
        const std::vector<std::string> read = {"/usage/prompt_tokens_details/cached_tokens", "/timings/cache_n"};
        for (const EngineProfile& profile : engineProfiles())
            for (const std::string& pointer : profile.cache.cachedTokens)
                QVERIFY2(std::find(read.begin(), read.end(), pointer) != read.end(), pointer.c_str());
    }

    /// A field that we may send is not one that the profile says is refused or does nothing.
    void whatIsSentIsTaken()
    {
        for (const EngineProfile& profile : engineProfiles()) {
            const auto not_useless = [&](const std::string& field) {
                return profile.use(field) != FieldUse::Refused && profile.use(field) != FieldUse::Ignored;
            };
            if (!profile.cache.salt.empty())
                QVERIFY2(profile.use(profile.cache.salt) == FieldUse::Taken, profile.id.c_str());
            for (const auto& [field, value] : profile.cache.bypass.items())
                QVERIFY2(not_useless(field), profile.id.c_str());
            for (const TokenEvidence& evidence : profile.request.evidence)
                QVERIFY2(evidence.chat || evidence.completions, profile.id.c_str());
            // one that can tell forced lengths can force them
            QVERIFY(!profile.request.minTokens || profile.request.ignoreEos);
        }
    }

    void refusals_data()
    {
        QTest::addColumn<QByteArray>("members");
        QTest::addColumn<QByteArray>("line");
        const auto row = [](const char* members, const char* line) {
            QTest::newRow(members) << QByteArray(members) << QByteArray(line);
        };
        row(R"(,"requests":{})", R"(x.json: requests: is not a key here; did you mean "request"?)");
        row(R"(,"request":{"ignore_eos":1})", "x.json: request.ignore_eos: must be true or false, is 1");
        row(R"(,"request":{"empty_delta":"maybe"})",
            R"(x.json: request.empty_delta: must be "nothing", "token_after_role" or "token", is "maybe")");
        row(R"(,"request":{"evidence":[{"kind":"guess","fields":{}}]})",
            R"(x.json: request.evidence.kind: must be "token_ids", "usage", "timings" or "logprobs")");
        row(R"(,"request":{"evidence":[{"kind":"usage"}]})",
            "x.json: request.evidence[0].fields: is missing; must be an object");
        row(R"(,"facts":{"sources":[{"fact":"a","document":"model","pointer":"id"}]})",
            "x.json: facts.sources.pointer: must be a JSON pointer, which begins with /");
        row(R"(,"facts":{"signs":[{"pointer":"/a"}]})",
            "x.json: facts.signs: each must have a document or a header, and not both");
        row(R"(,"prompt":{"tokenize_text":{"path":"/t","body":{}}})",
            "x.json: prompt.tokenize_text: must have ids, count or text: what is read from the answer");
        row(R"(,"cache":{"reset_path":"/r"})",
            R"(x.json: cache.reset_method: must be "GET" or "POST", and only where there is a reset_path)");
        row(R"(,"metrics":{"running":[{"names":["a"],"kind":"gauge"}]})",
            "x.json: metrics: must have a path where there are counters");
        row(R"(,"metrics":{"path":"metrics"})", "x.json: metrics.path: must be empty or begin with /");
        row(R"(,"id":"y")", R"(x.json: the key "id" stands twice in one object)");
        row(",", "x.json:1:23: is not valid JSON: syntax error while parsing object key - unexpected '}'; "
                 "expected string literal");
    }
    void refusals()
    {
        QFETCH(QByteArray, members);
        QFETCH(QByteArray, line);
        QCOMPARE(QByteArray::fromStdString(refusal(members.toStdString())), line);
    }
    void mandatoryKeys()
    {
        const Result<EngineProfile> got = parseEngineProfile("{}", "x.json");
        QVERIFY(!got);
        QCOMPARE(got.error().line(), std::string("x.json: id: is missing; must be text"));
        QCOMPARE(parseEngineProfile("[1]", "x.json").error().line(),
                 std::string("x.json: must be a JSON object, is [1]"));
    }
};

QTEST_GUILESS_MAIN(TestEngineProfiles)
#include "tst_engine_profiles.moc"
