// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_json.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

/// A matrix in which no value is the default one.
Matrix unusualMatrix()
{
    Matrix m;
    m.name = "Zwölf Tests";
    m.target.baseUrl = "https://[::1]:8443/v1";
    m.target.api = Api::Completions;
    m.target.model = "llama";
    m.target.engine = "sglang";
    m.target.apiKeyEnv = "MY_KEY";
    m.target.headers = {{"X-Team", "serving"}};
    m.target.extraBody = {{"priority", 3}, {"nested", {{"a", {1, 2.5, nullptr}}}}};
    m.target.tls = {false, "ca.pem"};
    m.target.httpVersion = HttpVersion::Http2;
    m.target.proxy = "http://proxy.example:3128";
    m.target.metricsUrl = "http://localhost:9000/metrics";
    m.card.entries = {{"engine", "sglang"}, {"accelerator_count", "8"}, {"notes", "two\nlines"}};
    m.card.flags = {{"max_num_seqs", "256"}};
    m.bound = {3350, 8, 8.03e9, 0.5, 131072, 989.5};
    m.workload.lengths = fixedLengths(300, 40);
    m.workload.prefix = {PrefixKind::Shared, 64, 4, 0.25};
    m.workload.output = OutputPolicy::Natural;
    m.workload.cache = CachePolicy::Cold;
    m.workload.streaming = false;
    m.workload.sampling = {{"temperature", 0.7}, {"top_p", 0.9}};
    m.workload.extras = {{"vllm_xargs", {{"a", false}}}, {"n", 2}, {"priority", -1}};
    m.workload.seed = 9'007'199'254'740'991ULL;
    m.slo = {{"e2e_intended_ms", 99.9, 50.5}, {"e2e_ms", 50, 8000}};
    Test fixed;
    fixed.kind = TestKind::FixedShape;
    fixed.name = "one";
    fixed.promptTokens = 2048;
    fixed.outputTokens = 16;
    fixed.concurrency = 3;
    Test sweep;
    sweep.levels = {1, 3, 300};
    sweep.thinkTimeS = 0.25;
    sweep.thinkTime = ThinkTime::Exponential;
    sweep.enabled = false;
    Test arrivals;
    arrivals.kind = TestKind::ArrivalSweep;
    arrivals.ratesPerS = {0.1, 2.5, 80};
    arrivals.process = ArrivalProcess::Gamma;
    arrivals.cv = 2.5;
    arrivals.fanOut = 3;
    arrivals.shape = {{0, 0.5}, {3.5, 2}};
    Test burst;
    burst.kind = TestKind::BurstRecovery;
    burst.baseRatePerS = 2;
    burst.burstRatePerS = 9.5;
    burst.baselineS = 5;
    burst.burstS = 6;
    burst.recoveryS = 7.5;
    burst.process = ArrivalProcess::Constant;
    m.tests = {fixed, sweep, arrivals, burst};
    m.measurement = {1.5, 4.5, 900, 3, PointOrder::Shuffled, 0.3, 3, FailureDenominator::Accepted};
    m.limits = {1, 2, 3, 4, 512};
    return m;
}

QString errorOf(const std::string& text)
{
    const Result<Matrix> matrix = matrixFromText(text, "demo.tailmark.json");
    return matrix ? QStringLiteral("(accepted)") : QString::fromStdString(matrix.error().line());
}

std::string contents(const QString& path)
{
    std::ifstream file(path.toStdString(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

class MatrixFileTest : public QObject
{
    Q_OBJECT

private slots:
    void writesWhatItReads()
    {
        for (const Matrix& m : {Matrix(), unusualMatrix()}) {
            const Result<Matrix> back = matrixFromText(matrixToJson(m).dump(), "m");
            QVERIFY2(back.ok(), back ? "" : back.error().line().c_str());
            QVERIFY(back.value() == m);
        }
        Matrix trace;
        trace.workload.lengths = fileLengths(LengthsKind::Trace, "azure.csv", "azure");
        trace.workload.prefix.kind = PrefixKind::Trace;
        trace.workload.sessions.kind = SessionsKind::Trace;
        Matrix synthetic;
        synthetic.workload.sessions = {SessionsKind::Synthetic, 7, 250};
        for (const Matrix& m : {trace, synthetic}) {
            const Result<Matrix> back = matrixFromText(matrixToJson(m).dump(), "m");
            QVERIFY2(back.ok(), back ? "" : back.error().line().c_str());
            QVERIFY(back.value() == m);
        }
    }

    void lengthsOfEveryKindAreWrittenAsTheyAreRead()
    {
        const std::string quantiles =
            R"({"kind":"quantiles","prompt":{"p50":800,"p95":6000,"p99":24000},"output":{"min":2,"p50":90},)"
            R"("rank_correlation":-0.25})";
        const std::string fixed = R"({"kind":"fixed","prompt_tokens":9,"output_tokens":7})";
        const std::string mix =
            R"({"kind":"mix","parts":[{"name":"chat","weight":2,"lengths":)" + quantiles +
            R"(},{"name":"documents","weight":0.5,"lengths":)" + fixed +
            R"(,"prefix":{"kind":"shared","shared_tokens":4,"groups":2,"share":0.5}}]})";
        const std::string prompts = R"({"kind":"prompts","file":"chat.jsonl","hash":"","output_tokens":64})";
        for (const std::string& text : {quantiles, fixed, mix, prompts}) {
            const auto matrix = matrixFromText(R"({"workload":{"lengths":)" + text + "}}", "m");
            QVERIFY2(matrix.ok(), matrix ? "" : matrix.error().line().c_str());
            QCOMPARE(matrixToJson(matrix.value())["workload"]["lengths"].dump(), text);
        }
    }

    void aSecondTargetMayBeThere()
    {
        Matrix m = unusualMatrix();
        m.pairedWith.emplace();
        m.pairedWith->target.baseUrl = "http://127.0.0.1:9000/v1";
        m.pairedWith->target.headers = {{"X-Team", "blue"}};
        m.pairedWith->card.entries["quantization"] = "fp8";
        const nlohmann::ordered_json json = matrixToJson(m);
        QVERIFY(json["paired_with"]["target"]["base_url"] == "http://127.0.0.1:9000/v1");
        const Result<Matrix> back = matrixFromText(json.dump(), "m");
        QVERIFY2(back.ok(), back ? "" : back.error().line().c_str());
        QVERIFY(back.value() == m);
        const Result<Matrix> wrong =
            matrixFromText(R"({"schema_version": 1, "paired_with": {"target": {"base_ulr": "x"}}})", "m");
        QVERIFY(!wrong.ok());
        QCOMPARE(wrong.error().line(),
                 std::string("m: paired_with.target.base_ulr: is not a key here; did you mean \"base_url\"?"));
    }

    void writesEveryKeyInTheOrderOfTheContract()
    {
        Matrix m = unusualMatrix();
        m.tests = {m.tests[1]};
        const nlohmann::ordered_json json = matrixToJson(m);
        const auto keysOf = [](const nlohmann::ordered_json& object) {
            QStringList keys;
            for (const auto& [key, value] : object.items())
                keys << QString::fromStdString(key);
            return keys.join(' ');
        };
        QCOMPARE(keysOf(json), "schema_version name target card bound workload slo tests measurement limits");
        QCOMPARE(
            keysOf(json["target"]),
            "base_url api model engine api_key_env headers extra_body tls http_version proxy metrics_url");
        QCOMPARE(keysOf(json["card"]),
                 "engine engine_version model model_revision quantization tokenizer chat_template "
                 "accelerator accelerator_count parallelism flags notes");
        QCOMPARE(keysOf(json["bound"]),
                 "accelerator model bandwidth_gb_per_s devices active_params bytes_per_param kv_bytes_per_token peak_tflops "
                 "expert_params experts experts_per_token");
        QCOMPARE(keysOf(json["workload"]),
                 "lengths prefix sessions output cache beyond_context streaming token_evidence sampling extras seed");
        QCOMPARE(keysOf(json["tests"][0]), "kind name enabled levels think_time_s think_time");
        QCOMPARE(keysOf(json["measurement"]),
                 "warmup_s duration_s max_requests until_stable stable_width max_duration_s repeats order refine "
                 "refine_to cooldown_s drain_s failure_denominator");
        QCOMPARE(keysOf(json["limits"]),
                 "connect_timeout_s first_token_timeout_s stall_timeout_s total_timeout_s "
                 "max_in_flight generator_threads");
        QCOMPARE(json["bound"]["devices"].dump(), std::string("8"));
    }

    void missingKeysTakeTheDefaults()
    {
        const Result<Matrix> empty = matrixFromText("{}", "m");
        QVERIFY(empty.ok());
        QVERIFY(empty.value() == Matrix());
        const Result<Matrix> one = matrixFromText(R"({"tests":[{"kind":"arrival_sweep"}]})", "m");
        QVERIFY(one.ok());
        QCOMPARE(one.value().tests.size(), std::size_t{1});
        QVERIFY(one.value().tests[0].ratesPerS == Test().ratesPerS);
    }

    void refusesWithPathAndWhatIsAllowed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* text, const char* message) {
            QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(message);
        };
        row("wrong type in a list",
            R"({"tests":[{"kind":"fixed_shape"},{"kind":"arrival_sweep","rates_per_s":[1,2,"fast"]}]})",
            "demo.tailmark.json: tests[1].rates_per_s[2]: must be a number above 0 and at most 100,000, is "
            "\"fast\"");
        row("out of range", R"({"measurement":{"duration_s":-1}})",
            "demo.tailmark.json: measurement.duration_s: must be a number above 0 and at most 86,400 s, is "
            "-1");
        row("unknown key with a near one", R"({"measurement":{"duration":3}})",
            "demo.tailmark.json: measurement.duration: is not a key here; did you mean \"duration_s\"?");
        row("unknown key with a line break", R"({"target":{"extra_body":{"a\nb":1},"m\nodel":"x"}})",
            "demo.tailmark.json: target.m\\nodel: is not a key here; did you mean \"model\"?");
        row("short unknown key with none near", R"({"foo":1})",
            "demo.tailmark.json: foo: is not a key here; allowed: \"schema_version\", \"name\", \"target\", \"card\", "
            "\"paired_with\", \"bound\", \"workload\", \"slo\", \"tests\", \"measurement\" or \"limits\"");
        row("unknown key with none near", R"({"limits":{"colour":1}})",
            "demo.tailmark.json: limits.colour: is not a key here; allowed: \"connect_timeout_s\", "
            "\"first_token_timeout_s\", \"stall_timeout_s\", \"total_timeout_s\", \"max_in_flight\" or "
            "\"generator_threads\"");
        row("key of another kind of test", R"({"tests":[{"kind":"arrival_sweep","levels":[1]}]})",
            "demo.tailmark.json: tests[0].levels: is not a key here; allowed: \"kind\", \"name\", "
            "\"enabled\", "
            "\"rates_per_s\", \"process\", \"cv\", \"fan_out\" or \"shape\"");
        row("recorded without replaying", R"({"tests":[{"kind":"arrival_sweep","recorded":{"from_s":1}}]})",
            "demo.tailmark.json: tests[0].recorded: is not a key here; allowed: \"kind\", \"name\", \"enabled\", "
            "\"rates_per_s\", \"process\", \"cv\", \"fan_out\" or \"shape\"");
        row("a command in one text", R"({"tests":[{"kind":"cold_start","command":"vllm serve"}]})",
            "demo.tailmark.json: tests[0].command: must be a list of texts, is \"vllm serve\"");
        row("choice", R"({"target":{"api":"responses"}})",
            "demo.tailmark.json: target.api: must be \"chat\" or \"completions\", is \"responses\"");
        row("quantiles without an output", R"({"workload":{"lengths":{"kind":"quantiles","prompt":{"p50":1,"p99":2}}}})",
            "demo.tailmark.json: workload.lengths.output: is missing; must be an object of at least two quantiles "
            "in tokens, like {\"p50\": 800, \"p95\": 6000, \"p99\": 24000}");
        row("a log without a name", R"({"workload":{"lengths":{"kind":"trace"}}})",
            "demo.tailmark.json: workload.lengths.file: is missing; must be the name of a file, or empty where hash "
            "names a log that is kept");
        row("a part of a log without a name",
            R"({"workload":{"lengths":{"kind":"mix","parts":[{"name":"a","weight":1,"lengths":{"kind":"empirical"}}]}}})",
            "demo.tailmark.json: workload.lengths.parts[0].lengths.file: is missing; must be the name of a file, or "
            "empty where hash names a log that is kept");
        row("a quantile that is none",
            R"({"workload":{"lengths":{"kind":"quantiles","prompt":{"p50":1,"mean":2},"output":{"p50":1,"p99":2}}}})",
            "demo.tailmark.json: workload.lengths.prompt.mean: is no quantile; allowed: p0.1 to p99.9, min and max");
        row("a fraction of a token",
            R"({"workload":{"lengths":{"kind":"quantiles","prompt":{"p50":1.5,"p99":2},"output":{"p50":1,"p99":2}}}})",
            "demo.tailmark.json: workload.lengths.prompt.p50: must be a whole number of tokens, is 1.5");
        row("a part of a mix without a weight",
            R"({"workload":{"lengths":{"kind":"mix","parts":[{"name":"chat"}]}}})",
            "demo.tailmark.json: workload.lengths.parts[0].weight: is missing; must be a number above 0 and at most "
            "1,000,000,000");
        row("until stable", R"({"measurement":{"until_stable":"yes"}})",
            "demo.tailmark.json: measurement.until_stable: must be true or false, is \"yes\"");
        row("refinement", R"({"measurement":{"refine":33}})",
            "demo.tailmark.json: measurement.refine: must be a whole number from 0 to 32, is 33");
        row("bracket", R"({"measurement":{"refine_to":0}})",
            "demo.tailmark.json: measurement.refine_to: must be a number above 0 and at most 1, is 0");
        row("missing kind", R"({"tests":[{}]})",
            "demo.tailmark.json: tests[0].kind: is missing; must be \"fixed_shape\", \"concurrency_sweep\", "
            "\"arrival_sweep\", \"burst_recovery\" or \"cold_start\"");
        row("fraction for a whole number", R"({"tests":[{"kind":"concurrency_sweep","levels":[1,2.5]}]})",
            "demo.tailmark.json: tests[0].levels[1]: must be a whole number from 1 to 65,536, is 2.5");
        row("too large for any integer",
            R"({"tests":[{"kind":"concurrency_sweep","levels":[1,99999999999]}]})",
            "demo.tailmark.json: tests[0].levels[1]: must be a whole number from 1 to 65,536, is "
            "99999999999");
        row("too large for any number", R"({"slo":[{"metric":"ttft_ms","limit":1e999}]})",
            "demo.tailmark.json: is not valid JSON: number overflow parsing '1e999'");
        row("newer file", R"({"schema_version":2})", "demo.tailmark.json: schema_version: must be 1, is 2");
        row("not an object", "[1]", "demo.tailmark.json: must be a JSON object, is [1]");
        row("object wanted", R"({"workload":[]})", "demo.tailmark.json: workload: must be an object, is []");
        row("list wanted", R"({"tests":{}})", "demo.tailmark.json: tests: must be a list of objects, is {}");
        row("null", R"({"name":null})",
            "demo.tailmark.json: name: must be one line of text, at most 1,000 characters, is null");
        row("twice the same key", R"({"name":"a","name":"b"})",
            "demo.tailmark.json: the key \"name\" stands twice in one object");
        row("a key in place of its variable", R"({"target":{"api_key_env":"sk-verysecret"}})",
            "demo.tailmark.json: target.api_key_env: must be the name of an environment variable (letters, "
            "digits and _), "
            "never the key itself");
    }
    void refusesWithPathAndWhatIsAllowed()
    {
        QFETCH(QString, text);
        QTEST(errorOf(text.toStdString()), "message");
    }

    void invalidJsonIsToldWithLineAndColumn()
    {
        const QString message = errorOf("{\n  \"name\": \"a\",\n  \"slo\": [1,,2]\n}");
        QVERIFY2(message.startsWith("demo.tailmark.json:3:13: is not valid JSON: "), qPrintable(message));
        QVERIFY(errorOf("").startsWith("demo.tailmark.json:1:1: is not valid JSON: "));
        QVERIFY(errorOf("{\"name\": \"\xff\"}").contains("is not valid JSON: "));
        QVERIFY(errorOf("{\"bound\":{\"devices\":1e999}}").contains("is not valid JSON: "));
        for (const char* text : {"{", "{\"a\n", "\x01", "{\"a\":\x02}"})
            QVERIFY(!errorOf(text).contains('\n'));
    }

    void deepNestingIsRefused()
    {
        const std::string deep = "{\"target\":{\"extra_body\":{\"a\":" + std::string(1'000'000, '[') +
                                 std::string(1'000'000, ']') + "}}}";
        QCOMPARE(errorOf(deep), "demo.tailmark.json: is nested deeper than 64 levels");
        QCOMPARE(errorOf(std::string(1'000'000, '[') + std::string(1'000'000, ']')),
                 "demo.tailmark.json: is nested deeper than 64 levels");
        nlohmann::ordered_json json = matrixToJson(Matrix());
        QVERIFY(
            applySetting(json, "target.extra_body=" + std::string(100'000, '[') + std::string(100'000, ']'))
                .ok());
        QVERIFY(json["target"]["extra_body"].is_string()); // taken as text, which the reader refuses
    }

    void wholeNumbersMayBeWrittenWithAFraction()
    {
        const Result<Matrix> m =
            matrixFromText(R"({"measurement":{"repeats":3.0},"workload":{"seed":7.0}})", "m");
        QVERIFY(m.ok());
        QCOMPARE(m.value().measurement.repeats, 3);
        QCOMPARE(m.value().workload.seed, std::uint64_t{7});
    }

    void flagsOfTheCardMayBeNumbers()
    {
        const Result<Matrix> m = matrixFromText(
            R"({"card":{"flags":{"max_num_seqs":256,"eager":true,"kv":"fp8"},"accelerator_count":2}})", "m");
        QVERIFY(m.ok());
        QCOMPARE(m.value().card.flags.at("max_num_seqs"), std::string("256"));
        QCOMPARE(m.value().card.flags.at("eager"), std::string("true"));
        QCOMPARE(m.value().card.flags.at("kv"), std::string("fp8"));
        QCOMPARE(m.value().card.entries.at("accelerator_count"), std::string("2"));
    }

    void savesAndLoads()
    {
        QTemporaryDir dir;
        const QString path = dir.filePath("a.tailmark.json");
        Matrix m = unusualMatrix();
        m.workload.lengths = fileLengths(LengthsKind::Trace, "traces/../azure.csv");
        QVERIFY(saveMatrix(m, path.toStdString()).ok());
        const Result<Matrix> loaded = loadMatrix(path.toStdString());
        QVERIFY2(loaded.ok(), loaded ? "" : loaded.error().line().c_str());
        QCOMPARE(QString::fromStdString(loaded.value().workload.lengths.file), dir.filePath("azure.csv"));
        m.workload.lengths.file = dir.filePath("azure.csv").toStdString();
        m.target.tls.caFile = dir.filePath("ca.pem").toStdString();
        QVERIFY(loaded.value() == m);
        Matrix mix;
        mix.workload.lengths.kind = LengthsKind::Mix;
        mix.workload.lengths.parts = {{"a", 1, fileLengths(LengthsKind::Trace, "b.csv"), {}}};
        resolveFiles(mix, "/x");
        QCOMPARE(mix.workload.lengths.parts[0].lengths.file, std::string("/x/b.csv"));
        QCOMPARE(QDir(dir.path()).entryList(QDir::Files), QStringList{"a.tailmark.json"});
    }

    /// To be mended by hand, a file with wrong values must be readable.
    void aDraftKeepsWrongValues()
    {
        QTemporaryDir dir;
        const QString path = dir.filePath("a.tailmark.json");
        Matrix m = unusualMatrix();
        m.measurement.repeats = 0;
        m.slo[0].limit = -1;
        QVERIFY(saveMatrix(m, path.toStdString()).ok());
        QVERIFY(!loadMatrix(path.toStdString()).ok());
        const Result<Matrix> draft = loadDraft(path.toStdString());
        QVERIFY2(draft.ok(), draft ? "" : draft.error().line().c_str());
        QCOMPARE(draft.value().measurement.repeats, 0);
        QCOMPARE(draft.value().slo[0].limit, -1.0);
        QVERIFY(saveMatrix(Matrix(), path.toStdString()).ok());
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"schema_version\": 1, \"x\": 1}") > 0);
        file.close();
        QVERIFY(!loadDraft(path.toStdString()).ok());
    }

    void aFailedSaveLeavesTheOldFile()
    {
        QTemporaryDir dir;
        const QString path = dir.filePath("none/a.tailmark.json");
        const Status status = saveMatrix(Matrix(), path.toStdString());
        QVERIFY(!status.ok());
        QCOMPARE(status.error().code, ErrorCode::Io);
        QCOMPARE(status.error().where, path.toStdString());

        // What is there is a folder: the rename fails, and nothing is left behind.
        QVERIFY(QDir(dir.path()).mkpath("b.tailmark.json/inside"));
        QVERIFY(!saveMatrix(Matrix(), dir.filePath("b.tailmark.json").toStdString()).ok());
        QCOMPARE(QDir(dir.path()).entryList(QDir::Files), QStringList());
    }

    void aLinkIsKept()
    {
        QTemporaryDir dir;
        const QString real = dir.filePath("real.tailmark.json");
        const QString link = dir.filePath("link.tailmark.json");
        QVERIFY(saveMatrix(Matrix(), real.toStdString()).ok());
        QVERIFY(QFile::link(real, link));
        QVERIFY(saveMatrix(unusualMatrix(), link.toStdString()).ok());
        QVERIFY(QFileInfo(link).isSymLink());
        QVERIFY(contents(real).find("Zwölf") != std::string::npos);
    }

    void filesThatAreNone()
    {
        QTemporaryDir dir;
        const Result<Matrix> missing = loadMatrix(dir.filePath("no.json").toStdString());
        QVERIFY(!missing.ok());
        QCOMPARE(missing.error().code, ErrorCode::BadInput);
        QVERIFY(!loadMatrix(dir.path().toStdString()).ok());
        QFile sparse(dir.filePath("big.json"));
        QVERIFY(sparse.open(QIODevice::WriteOnly) && sparse.resize(4LL << 30));
        const Result<Matrix> big = loadMatrix(sparse.fileName().toStdString());
        QVERIFY(!big.ok());
        QVERIFY(big.error().message.find("16 MiB") != std::string::npos);
    }

    void settings_data()
    {
        QTest::addColumn<QString>("assignment");
        QTest::addColumn<QString>("error");
        QTest::newRow("number") << "measurement.duration_s=5"
                                << "";
        QTest::newRow("list") << "tests[1].levels=[1,2]"
                              << "";
        QTest::newRow("text") << "target.model=my model"
                              << "";
        QTest::newRow("value with =") << "name=a=b"
                                      << "";
        QTest::newRow("item of a list") << "tests[1].levels[0]=2"
                                        << "";
        QTest::newRow("no value") << "name"
                                  << "--set name: must be path=value, like measurement.duration_s=5";
        QTest::newRow("no path") << "=3"
                                 << "--set =3: must be path=value, like measurement.duration_s=5";
        QTest::newRow("bad path") << "a..b=3"
                                  << "--set a..b: must be a key path, like tests[0].levels";
        QTest::newRow("open bracket") << "tests[1=3"
                                      << "--set tests[1: must be a key path, like tests[0].levels";
        QTest::newRow("past the end") << "tests[4].levels=[1]"
                                      << "--set tests[4].levels: tests has 4 items, counted from 0";
        QTest::newRow("no list") << "name[0]=1"
                                 << "--set name[0]: name is not a list";
        QTest::newRow("no object") << "name.first=1"
                                   << "--set name.first: name is not an object";
        QTest::newRow("no index") << "tests.0.levels=[1]"
                                  << "--set tests.0.levels: tests is a list, whose items are tests[0], tests[1] and so on";
    }
    void settings()
    {
        QFETCH(QString, assignment);
        nlohmann::ordered_json json = matrixToJson(unusualMatrix());
        const Status status = applySetting(json, assignment.toStdString());
        QTEST(status ? QString() : QString::fromStdString(status.error().line()), "error");
    }

    void aSettingChangesTheMatrix()
    {
        nlohmann::ordered_json json = matrixToJson(unusualMatrix());
        for (const char* assignment : {"measurement.duration_s=5", "tests[1].levels=[1,2]",
                                       "target.model=my model", "card.flags.max_num_seqs=512"})
            QVERIFY(applySetting(json, assignment).ok());
        Matrix expected = unusualMatrix();
        expected.measurement.durationS = 5;
        expected.tests[1].levels = {1, 2};
        expected.target.model = "my model";
        expected.card.flags["max_num_seqs"] = "512";
        const Result<Matrix> m = matrixFromText(json.dump(), "m");
        QVERIFY(m.ok());
        QVERIFY(m.value() == expected);

        // a name that happens to be JSON stays a name, quoted or not
        QVERIFY(applySetting(json, "target.model=123").ok());
        QVERIFY(applySetting(json, "name=\"true\"").ok());
        expected.target.model = "123";
        expected.name = "true";
        QVERIFY(matrixFromText(json.dump(), "m").value() == expected);
    }

    void anUnknownKeyThatIsSetIsRefusedByTheReader()
    {
        nlohmann::ordered_json json = matrixToJson(Matrix());
        QVERIFY(applySetting(json, "measurement.durations=5").ok());
        QCOMPARE(
            errorOf(json.dump()),
            "demo.tailmark.json: measurement.durations: is not a key here; did you mean \"duration_s\"?");
    }

    void plansRoundTrip()
    {
        const Result<Plan> plan = expand(unusualMatrix());
        QVERIFY2(plan.ok(), plan ? "" : plan.error().line().c_str());
        const Result<Plan> back = planFromJson(nlohmann::json::parse(planToJson(plan.value()).dump()));
        QVERIFY2(back.ok(), back ? "" : back.error().line().c_str());
        QVERIFY(back.value() == plan.value());
    }

    void aBrokenPlanIsRefused()
    {
        nlohmann::json json = nlohmann::json::parse(planToJson(expand(unusualMatrix()).value()).dump());
        json["points"][0]["test_index"] = 9;
        QVERIFY(!planFromJson(json).ok());
        json["points"][0] = 3;
        QVERIFY(!planFromJson(json).ok());
        QVERIFY(!planFromJson(nlohmann::json::array()).ok());
    }
};

QTEST_GUILESS_MAIN(MatrixFileTest)
#include "tst_matrix_file.moc"
