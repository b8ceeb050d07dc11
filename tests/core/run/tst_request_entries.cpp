// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "run/kept_traces.h"
#include "run/request_entries.h"
#include "workload/prompt_file.h"
#include "workload/request_body.h"

#include <nlohmann/json.hpp>

using namespace tailmark;
using Json = nlohmann::json;
using Entries = std::map<std::string, std::string>;

namespace {

Matrix matrixWith(const Json& extras)
{
    Matrix m;
    m.target.model = "base";
    m.workload.sampling = Json::object();
    m.workload.extras = extras;
    m.tests.emplace_back();
    m.tests.back().levels = {1};
    return m;
}

Entries entriesOf(const Matrix& matrix, const BodyOptions& body = {}, const ReadLengths* read = nullptr)
{
    return requestEntries(expand(matrix).value(), body, [&](const PointPlan&) { return read; });
}

} // namespace

class RequestEntriesTest : public QObject
{
    Q_OBJECT

private slots:
    /// The entries are what the body holds: nothing of it is left out, nothing else is claimed.
    void everythingThatIsSent()
    {
        Matrix m = matrixWith({{"n", 4}, {"priority", -3}, {"response_format", {{"type", "json_object"}}}});
        m.workload.streaming = false;
        m.target.extraBody = {{"top_k", 20}};
        BodyOptions options;
        options.ignoreEos = options.minTokens = true;
        const Entries entries = entriesOf(m, options);
        const Entries expected = {{"request.ignore_eos", "true"},
                                  {"request.max_tokens", "as planned of each"},
                                  {"request.min_tokens", "as planned of each"},
                                  {"request.model", "base"},
                                  {"request.n", "4"},
                                  {"request.priority", "-3"},
                                  {"request.response_format", R"({"type":"json_object"})"},
                                  {"request.stream", "false"},
                                  {"request.top_k", "20"}};
        QVERIFY(entries == expected);

        const RequestBody body(m, options);
        std::string text;
        body.begin(text);
        body.end(text, 7);
        Json sent = Json::parse(text);
        sent.erase("messages");
        QCOMPARE(sent.size(), expected.size());
        for (const auto& [field, value] : sent.items())
            QVERIFY2(entries.contains("request." + field), field.c_str());
    }

    void longOnesByTheirHash()
    {
        Json tools = Json::array();
        for (int i = 0; i < 3; ++i)
            tools.push_back({{"type", "function"}, {"function", {{"name", "search" + std::to_string(i)}}}});
        const std::string first = entriesOf(matrixWith({{"tools", tools}})).at("request.tools");
        QVERIFY2(first.starts_with("list of 3, ") && first.find(" bytes, sha256 ") != std::string::npos, first.c_str());
        tools[2]["function"]["name"] = "search9";
        const std::string second = entriesOf(matrixWith({{"tools", tools}})).at("request.tools");
        QCOMPARE(second.size(), first.size());
        QVERIFY(second != first);
    }

    void secretsAreHidden()
    {
        Matrix m = matrixWith({{"user", "sk-abcdefghijklmnop"}});
        m.target.extraBody = {{"api_key", "swordfish"}, {"nested", {{"password", "swordfish"}}}};
        for (const auto& [key, value] : entriesOf(m))
            QVERIFY2(value.find("swordfish") == std::string::npos && value.find("abcdefghij") == std::string::npos, value.c_str());
        QVERIFY(entriesOf(m).contains("request.api_key"));
        // neither are names that only sound like one
        QCOMPARE(entriesOf(matrixWith({{"cache_salt", "tenant 1"}})).at("request.cache_salt"), std::string("tenant 1"));
    }

    void variantsWithTheirShares()
    {
        const Entries entries = entriesOf(
            matrixWith({{"priority", 1}, {"variants", {{{"weight", 3}}, {{"model", "law"}, {"priority", 9}}}}}));
        QCOMPARE(entries.at("request.model"), std::string("base in 75 %, law in 25 %"));
        QCOMPARE(entries.at("request.priority"), std::string("1 in 75 %, 9 in 25 %"));
        QCOMPARE(entries.at("request.stream"), std::string("true"));
        Json many = Json::array();
        for (int i = 0; i < 6; ++i)
            many.push_back({{"model", "m" + std::to_string(i)}});
        QVERIFY(entriesOf(matrixWith({{"variants", many}})).at("request.model").ends_with("m3 in 17 % and 2 more"));
    }

    void pictures()
    {
        QCOMPARE(entriesOf(matrixWith({{"images", {{"count", 2}, {"width_px", 280}}}})).at("request.images"),
                 std::string("2, 280 x 512 pixels, made for each request"));
        const std::string ofFile = entriesOf(matrixWith({{"images", {{"file", "/x/cat.png"}}}})).at("request.images");
        QVERIFY2(ofFile.find("cat") == std::string::npos, ofFile.c_str()); // the name of a file is the machine's own
    }

    /// The run's own salt is another one each time, and is no difference.
    void theRunsSaltByItsKind()
    {
        Matrix m = matrixWith(Json::object());
        BodyOptions options;
        options.saltField = "cache_salt";
        options.runSalt = "0123456789abcdef";
        QVERIFY(!entriesOf(m, options).contains("request.cache_salt"));
        m.workload.cache = CachePolicy::Cold;
        QCOMPARE(entriesOf(m, options).at("request.cache_salt"), std::string("of the run and the point"));
        m.workload.cache = CachePolicy::Warm;
        QCOMPARE(entriesOf(m, options).at("request.cache_salt"), std::string("of the run"));
    }

    void fieldsOfRows()
    {
        QTemporaryDir dir;
        QFile file(dir.filePath("rows.jsonl"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"prompt\": \"a\", \"extras\": {\"priority\": 1}}\n{\"prompt\": \"b\"}\n"
                   "{\"prompt\": \"c\", \"extras\": {\"priority\": 2, \"user\": \"u\"}}\n");
        file.close();
        Matrix m = matrixWith(Json::object());
        m.workload.lengths.kind = LengthsKind::Prompts;
        m.workload.lengths.file = file.fileName().toStdString();
        const ReadLengths read{m.workload.lengths, makePromptLengths(FilePrompts::read(m.workload.lengths).value()),
                               nullptr, {}};
        const Entries entries = entriesOf(m, {}, &read);
        QCOMPARE(entries.at("request.rows.priority"), std::string("in 2 of 3 rows"));
        QCOMPARE(entries.at("request.rows.user"), std::string("in 1 of 3 rows"));
    }
};

QTEST_GUILESS_MAIN(RequestEntriesTest)
#include "tst_request_entries.moc"
