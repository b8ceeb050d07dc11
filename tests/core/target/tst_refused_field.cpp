// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "target/refused_field.h"
#include "workload/request_body.h"

#include <QFile>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

const std::vector<std::string> kSent = {"ignore_eos",
                                        "max_tokens",
                                        "min_tokens",
                                        "seed",
                                        "stream_options.continuous_usage_stats",
                                        "stream_options.include_usage",
                                        "stream_options",
                                        "temperature",
                                        "top_k"};

std::string bodyOf(const Target& target, const Workload& workload, const BodyOptions& options)
{
    Matrix matrix;
    matrix.target = target;
    matrix.workload = workload;
    std::string text;
    const RequestBody body(matrix, options);
    body.begin(text);
    body.end(text, 8);
    return text;
}

} // namespace

class TestRefusedField : public QObject
{
    Q_OBJECT

private slots:
    void wordings_data()
    {
        QTest::addColumn<QByteArray>("refusal");
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<bool>("asUnknown");
        QFile file(QStringLiteral(TAILMARK_TEST_DATA "/target/refusals.json"));
        QVERIFY(file.open(QFile::ReadOnly));
        for (const nlohmann::json& known : nlohmann::json::parse(file.readAll().toStdString()))
            QTest::newRow(known["name"].get<std::string>().c_str())
                << QByteArray::fromStdString(known["refusal"].get<std::string>())
                << QByteArray::fromStdString(known["field"].get<std::string>())
                << known["as_unknown"].get<bool>();
    }
    void wordings()
    {
        QFETCH(QByteArray, refusal);
        QFETCH(QByteArray, field);
        QFETCH(bool, asUnknown);
        const RefusedField got = readRefusedField(refusal.toStdString(), kSent);
        QCOMPARE(QByteArray::fromStdString(got.field), field);
        QCOMPARE(got.asUnknown, asUnknown);
    }

    void fieldsOfABody()
    {
        QCOMPARE(fieldsOf("{\"a\":1,\"stream_options\":{\"x\":true},\"b\":{\"c\":2}}"),
                 (std::vector<std::string>{"a", "b", "stream_options.x", "stream_options"}));
        QVERIFY(fieldsOf("nonsense").empty());
    }

    void leavesOutWhatIsRefused()
    {
        const Target target;
        Workload workload;
        workload.sampling = {{"temperature", 0}, {"top_k", 4}};
        BodyOptions options;
        options.ignoreEos = options.minTokens = true;
        options.evidenceFields = {{"stream_options", {{"continuous_usage_stats", true}}}};
        FieldDropper fields(target, workload);
        const auto drop = [&](const char* field) {
            return fields.drop(std::string("unknown field ") + field, options);
        };
        using Json = nlohmann::json;
        QCOMPARE(Json::parse(bodyOf(target, workload, options))["stream_options"].dump(),
                 std::string("{\"continuous_usage_stats\":true,\"include_usage\":true}"));
        QVERIFY(drop("top_k").find("top_k was refused and is left out: unknown field top_k") == 0);
        QVERIFY(drop("temperature").find("the server's own sampling applies") != std::string::npos);
        QVERIFY(!drop("continuous_usage_stats").empty());
        QVERIFY(drop("max_tokens").find("max_completion_tokens is sent instead") != std::string::npos);
        QVERIFY(drop("max_completion_tokens").empty()); // not back and forth
        QCOMPARE(
            Json::parse(bodyOf(target, workload, options)).dump(),
            std::string("{\"ignore_eos\":true,\"max_completion_tokens\":8,\"messages\":[{\"content\":\"\","
                        "\"role\":\"user\"}],"
                        "\"min_tokens\":8,\"stream\":true,\"stream_options\":{\"include_usage\":true}}"));
        QVERIFY(!drop("ignore_eos").empty());
        QVERIFY(!drop("include_usage").empty());
        QCOMPARE(fieldsOf(bodyOf(target, workload, options)),
                 (std::vector<std::string>{"max_completion_tokens", "messages", "stream"}));
        QVERIFY(drop("stream").empty() && drop("messages").empty()); // nothing goes without them
    }

    /// What the user asked for by name is not left out behind their back.
    void keepsWhatTheUserAskedFor()
    {
        Target target;
        target.extraBody = {{"user", "me"}};
        Workload workload;
        workload.extras = {{"response_format", {{"type", "json_object"}}}};
        BodyOptions options;
        FieldDropper fields(target, workload);
        QVERIFY(fields.drop("unknown field response_format", options).empty());
        QVERIFY(fields.drop("unknown field user", options).empty());
        QVERIFY(options.refusedFields.empty());
    }
};

QTEST_GUILESS_MAIN(TestRefusedField)
#include "tst_refused_field.moc"
