// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <QTemporaryDir>

#include "plan/plan.h"
#include "record/request_record.h"
#include "workload/prompt.h"
#include "workload/prompt_file.h"

#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

class File
{
public:
    explicit File(const std::string& text) : m_path(m_dir.filePath("prompts").toStdString())
    {
        std::ofstream(m_path) << text;
    }
    Lengths lengths(int outputTokens = 77) const
    {
        Lengths lengths;
        lengths.kind = LengthsKind::Prompts;
        lengths.file = m_path;
        lengths.outputTokens = outputTokens;
        return lengths;
    }
    Result<std::shared_ptr<const FilePrompts>> read() const { return FilePrompts::read(lengths()); }

private:
    QTemporaryDir m_dir;
    std::string m_path;
};

std::string line(const char* json)
{
    return std::string(json) + "\n";
}

} // namespace

class PromptFileTest : public QObject
{
    Q_OBJECT

private slots:
    void linesWithAText()
    {
        const File file(line("{\"prompt\": \"Say \\\"hi\\\"\\n now\", \"output_tokens\": 12, \"prompt_tokens\": 9}") +
                        line("{\"text_input\": \"eight chars here\", \"output_length\": 5}"));
        const auto prompts = file.read();
        QVERIFY2(prompts.ok(), prompts ? "" : prompts.error().line().c_str());
        const FilePrompts& all = *prompts.value();
        QCOMPARE(all.size(), std::size_t{2});
        QVERIFY(!all.areMessages());
        QCOMPARE(std::string(all.asJson(0)), std::string("Say \\\"hi\\\"\\n now"));
        QCOMPARE(all.promptTokens(0), 9);
        QCOMPARE(all.outputTokens(0), 12);
        QCOMPARE(all.promptTokens(1), kUnknownCount);
        QCOMPARE(all.roughTokens(1), 4); // 16 characters
        QVERIFY(!all.tokensTold());
        QCOMPARE(all.hash().size(), std::size_t{64});
        QVERIFY(all.remark().find("one for four characters") != std::string::npos);
    }

    void questionsOfShareGpt()
    {
        const File file("[{\"id\":\"a\",\"conversations\":[{\"from\":\"human\",\"value\":\"One?\"},{\"from\":\"gpt\",\"value\":\"Two.\"}]},"
            "{\"id\":\"b\",\"conversations\":[{\"from\":\"gpt\",\"value\":\"Only an answer\"}]},"
            "{\"id\":\"c\",\"conversations\":[{\"from\":\"system\",\"value\":\"s\"},{\"from\":\"user\",\"value\":\"Three?\"}]}]");
        const auto prompts = file.read();
        QVERIFY2(prompts.ok(), prompts ? "" : prompts.error().line().c_str());
        QCOMPARE(prompts.value()->size(), std::size_t{2});
        QCOMPARE(std::string(prompts.value()->asJson(0)), std::string("One?"));
        QCOMPARE(std::string(prompts.value()->asJson(1)), std::string("Three?"));
        QCOMPARE(prompts.value()->outputTokens(0), 77); // not told: as stated
        QVERIFY(prompts.value()->remark().find("1 of 3 records were refused") != std::string::npos);
        QVERIFY(prompts.value()->remark().find("2 of 2 prompts have no output length") != std::string::npos);
    }

    void messagesStayAsTheyAre()
    {
        const nlohmann::json messages = {{{"role", "system"}, {"content", "Be brief."}},
                                         {{"role", "user"}, {"content", "Why?"}}};
        const nlohmann::json plain = {{"messages", messages}, {"max_tokens", 8}};
        const nlohmann::json ofBatch = {{"custom_id", "x"}, {"body", {{"messages", messages}}}};
        const File file(plain.dump() + "\n" + ofBatch.dump() + "\n{\"prompt\":\"a text\"}\n");
        const auto prompts = file.read();
        QVERIFY2(prompts.ok(), prompts ? "" : prompts.error().line().c_str());
        QVERIFY(prompts.value()->areMessages());
        QCOMPARE(prompts.value()->size(), std::size_t{2});
        QCOMPARE(nlohmann::json::parse(prompts.value()->asJson(1)), messages);
        QCOMPARE(prompts.value()->outputTokens(0), 8);
        QVERIFY(prompts.value()->remark().find("line 3 has a text, the records before it messages") !=
                std::string::npos);
    }

    void aColumnOfATable()
    {
        const File file("id,prompt,output_tokens_count\n1,\"What, then?\",40\n2,,5\n3,Why?,x\n");
        const auto prompts = file.read();
        QVERIFY2(prompts.ok(), prompts ? "" : prompts.error().line().c_str());
        QCOMPARE(prompts.value()->size(), std::size_t{1});
        QCOMPARE(std::string(prompts.value()->asJson(0)), std::string("What, then?"));
        QCOMPARE(prompts.value()->outputTokens(0), 40);
    }

    void everyPromptIsSentBeforeOneComesAgain()
    {
        std::string text;
        for (int i = 0; i < 12; ++i)
            text += "{\"prompt\":\"number " + std::to_string(i) + "\"}\n";
        const auto prompts = File(text).read().value();
        for (const std::uint64_t seed : {1, 2, 3}) {
            std::set<std::size_t> seen;
            for (std::uint32_t i = 0; i < 12; ++i)
                seen.insert(prompts->indexOf(seed, i));
            QCOMPARE(seen.size(), std::size_t{12});
            QCOMPARE(prompts->indexOf(seed, 12), prompts->indexOf(seed, 0));
        }
        const auto one = File("{\"prompt\":\"alone\"}\n").read().value();
        QCOMPARE(one->indexOf(5, 3), std::size_t{0});
    }

    void theRequestIsThePromptOfTheFile()
    {
        const File file(line("{\"messages\":[{\"role\":\"user\",\"content\":\"Why?\"}],\"max_tokens\":8}"));
        Matrix matrix;
        matrix.target.model = "m";
        matrix.workload.output = OutputPolicy::Natural;
        matrix.workload.lengths = file.lengths();
        PointPlan point;
        point.concurrency = 1;
        point.lengths = file.lengths();
        BodyOptions options;
        const auto source = makeRequestSource(matrix, point, options);
        QVERIFY2(source.ok(), source ? "" : source.error().line().c_str());
        std::string body;
        source.value()->writeBody(5, body);
        const nlohmann::json sent = nlohmann::json::parse(body);
        QCOMPARE(sent["messages"], nlohmann::json::parse("[{\"role\":\"user\",\"content\":\"Why?\"}]"));
        QCOMPARE(sent["max_tokens"], nlohmann::json(8));
        QCOMPARE(sent["model"], nlohmann::json("m"));
        QCOMPARE(source.value()->planned(5).promptTokens, kUnknownCount);
        QCOMPARE(source.value()->planned(5).outputTokens, 8);
        matrix.target.api = Api::Completions;
        QVERIFY(!makeRequestSource(matrix, point, options).ok());

        const File texts(line("{\"prompt\":\"Say \\\"a\\\"\",\"prompt_tokens\":4,\"output_tokens\":3}"));
        point.lengths = texts.lengths();
        options.fit.method = PromptMethod::TokenIds; // a text stays a text
        const auto ofText = makeRequestSource(matrix, point, options);
        QVERIFY2(ofText.ok(), ofText ? "" : ofText.error().line().c_str());
        ofText.value()->writeBody(0, body);
        QCOMPARE(nlohmann::json::parse(body)["prompt"], nlohmann::json("Say \"a\""));
        QCOMPARE(ofText.value()->planned(0).promptTokens, 4);
    }

    void rowsHaveFieldsOfTheirOwn()
    {
        const std::string adapter = line("{\"prompt\":\"a\",\"extras\":{\"model\":\"law\",\"priority\":3}}");
        const std::string plain = line("{\"prompt\":\"b\"}");
        const std::string both = line("{\"prompt\":\"c\",\"extras\":{\"temperature\":0.5,\"guided\":{\"x\":1}}}");
        const File file(adapter + plain + both + adapter);
        const auto prompts = file.read();
        QVERIFY2(prompts.ok(), prompts ? "" : prompts.error().line().c_str());
        QCOMPARE(prompts.value()->extras().size(), std::size_t{3}); // none, and two of the rows
        using Fields = std::map<std::string, std::uint64_t>;
        QVERIFY((prompts.value()->fieldsOfRows() ==
                 Fields{{"guided", 1}, {"model", 2}, {"priority", 2}, {"temperature", 1}}));
        QVERIFY(prompts.value()->hash() != File(adapter + plain + both + line("{\"prompt\":\"a\"}")).read().value()->hash());

        Matrix matrix;
        matrix.target.model = "base";
        matrix.target.extraBody = {{"guided", 2}};
        matrix.workload.sampling = {{"temperature", 0}};
        matrix.workload.extras = {{"priority", 1}, {"seed", 7}};
        PointPlan point;
        point.concurrency = 1;
        point.lengths = file.lengths();
        const auto source = makeRequestSource(matrix, point, BodyOptions());
        QVERIFY2(source.ok(), source ? "" : source.error().line().c_str());
        std::map<std::string, nlohmann::json> sent;
        for (std::uint32_t i = 0; i < 4; ++i) {
            std::string body;
            source.value()->writeBody(i, body);
            nlohmann::json json = nlohmann::json::parse(body);
            sent[json["messages"][0]["content"]] = json;
        }
        QCOMPARE(sent.size(), std::size_t{3});
        QCOMPARE(sent["a"]["model"], nlohmann::json("law"));
        QCOMPARE(sent["a"]["priority"], nlohmann::json(3)); // over that of all
        QCOMPARE(sent["a"]["seed"], nlohmann::json(7));
        QCOMPARE(sent["a"]["temperature"], nlohmann::json(0));
        QCOMPARE(sent["b"]["model"], nlohmann::json("base"));
        QCOMPARE(sent["b"]["priority"], nlohmann::json(1));
        QCOMPARE(sent["c"]["temperature"], nlohmann::json(0.5));
        QCOMPARE(sent["c"]["guided"], nlohmann::json(2)); // of the target, over all
        for (const auto& [text, json] : sent)
            QVERIFY(!json.contains("extras"));
    }

    void fieldsStandBesideABodyAndInATable()
    {
        const auto ofBatch = File(line("{\"body\":{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]},"
                                       "\"extras\":{\"priority\":2}}")).read();
        QVERIFY2(ofBatch.ok(), ofBatch ? "" : ofBatch.error().line().c_str());
        QCOMPARE(ofBatch.value()->extras().at(ofBatch.value()->extrasOf(0)), nlohmann::json({{"priority", 2}}));
        const auto ofTable = File("prompt,extras\nx,\"{\"\"priority\"\":2}\"\ny,\n").read();
        QVERIFY2(ofTable.ok(), ofTable ? "" : ofTable.error().line().c_str());
        QCOMPARE(ofTable.value()->extras().at(ofTable.value()->extrasOf(0)), nlohmann::json({{"priority", 2}}));
        QCOMPARE(ofTable.value()->extrasOf(1), std::size_t{0});
    }

    void fieldsThatARowCannotGive_data()
    {
        QTest::addColumn<QByteArray>("extras");
        QTest::addColumn<QByteArray>("words");
        for (const char* own : {"messages", "prompt", "stream", "stream_options", "n", "images", "variants", "max_tokens",
                                "max_completion_tokens"})
            QTest::newRow(own) << QByteArray("{\"") + own + "\":1}"
                               << QByteArray("line 2: extras.") + own +
                                      " is set by the workload itself and cannot be given here; a row can give other "
                                      "fields of its request, such as model, priority, cache_salt, response_format, tools";
        QTest::newRow("no object") << QByteArray("[1]") << QByteArray("line 2: extras must be an object");
        QTest::newRow("type") << QByteArray("{\"priority\":\"high\"}") << QByteArray("line 2: extras.priority must be");
        QTest::newRow("value") << QByteArray("{\"cache_salt\":\"a@b\"}")
                               << QByteArray("line 2: extras.cache_salt must be text of at most 128 characters");
        QTest::newRow("tools") << QByteArray("{\"tools\":[]}") << QByteArray("line 2: extras.tools must be a list");
    }

    void fieldsThatARowCannotGive()
    {
        QFETCH(QByteArray, extras);
        QFETCH(QByteArray, words);
        const File file("{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"extras\":" + extras.toStdString() + "}\n");
        const auto prompts = file.read();
        QVERIFY(!prompts.ok());
        QCOMPARE(prompts.error().where, file.lengths().file);
        QVERIFY2(QByteArray::fromStdString(prompts.error().message).startsWith(words), prompts.error().message.c_str());
        QVERIFY(prompts.error().message.find('\n') == std::string::npos);
    }

    void whatTheOtherApiHasNot()
    {
        const auto ofText = File("{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"extras\":{\"priority\":1}}\n"
                                 "{\"prompt\":\"c\",\"extras\":{\"tools\":[{\"function\":{\"name\":\"f\"}}]}}\n").read();
        QVERIFY2(ofText.ok(), ofText ? "" : ofText.error().line().c_str());
        QVERIFY(ofText.value()->fitApi(Api::Chat).ok());
        const Status refused = ofText.value()->fitApi(Api::Completions);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().message, std::string("line 3: extras.tools needs target.api \"chat\""));

        const auto ofChats = File("{\"messages\":[]}\n{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n").read();
        QVERIFY2(ofChats.ok(), ofChats ? "" : ofChats.error().line().c_str());
        QVERIFY(ofChats.value()->fitApi(Api::Chat).ok());
        const Status messages = ofChats.value()->fitApi(Api::Completions);
        QVERIFY(!messages.ok());
        QCOMPARE(messages.error().message, std::string("line 2: holds chat messages, which need target.api \"chat\""));

        const auto ofSuffix = File("{\"prompt\":\"a\",\"extras\":{\"suffix\":\"z\"}}\n").read();
        QVERIFY(ofSuffix.value()->fitApi(Api::Completions).ok());
        QCOMPARE(ofSuffix.value()->fitApi(Api::Chat).error().message,
                 std::string("line 1: extras.suffix needs target.api \"completions\""));
    }

    void deepRecordsAreRefused()
    {
        const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
        const File file(line(R"({"prompt": "fine", "output_tokens": 3})") +
                        line((R"({"prompt": "deep", "extras": {"a": )" + deep + "}}").c_str()) +
                        line((R"({"messages": )" + deep + "}").c_str()));
        const auto prompts = file.read();
        QVERIFY2(prompts.ok(), prompts ? "" : prompts.error().line().c_str());
        QCOMPARE(prompts.value()->size(), std::size_t(1));
        QVERIFY2(prompts.value()->remark().find("2 of 3 records were refused; the first: line 2 is not an object, or "
                                                "nested too deep") != std::string::npos,
                 prompts.value()->remark().c_str());
    }

    void filesThatHaveNone()
    {
        QVERIFY(!FilePrompts::read(Lengths{}).ok());
        const auto none = File("{\"a\":1}\n").read();
        QVERIFY(!none.ok());
        QVERIFY(none.error().message.find("none of its 1 records can be used") != std::string::npos);
        QVERIFY(!File("").read().ok());
    }
};

QTEST_GUILESS_MAIN(PromptFileTest)
#include "tst_prompt_file.moc"
