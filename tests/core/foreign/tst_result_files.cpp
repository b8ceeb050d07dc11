// SPDX-License-Identifier: GPL-3.0-or-later
// Result files of other tools, written by hand after their formats (tests/data/foreign).
#include "foreign/result_file.h"

#include <cmath>

#include <QTest>
#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

std::string fixture(const char* name)
{
    return std::string(TAILMARK_TEST_DATA) + "/foreign/" + name;
}

std::vector<ForeignLevel> levelsOf(const char* name, const char* tool = "auto")
{
    const Result<std::vector<ForeignLevel>> levels = readForeignResult(fixture(name), tool);
    return levels ? levels.value() : std::vector<ForeignLevel>();
}

bool isNear(const std::optional<double>& value, double expected)
{
    return value && std::fabs(*value - expected) < 1e-6 * std::fabs(expected);
}

bool misses(const ForeignFigures& figures, const char* what)
{
    return std::find(figures.missing.begin(), figures.missing.end(), what) != figures.missing.end();
}

std::string errorOf(const std::string& text, const char* tool = "auto")
{
    const auto levels = parseForeignResult(text, "file.json", tool);
    return levels ? std::string() : levels.error().line();
}

} // namespace

class ResultFilesTest : public QObject
{
    Q_OBJECT

private slots:
    void vllm()
    {
        const auto levels = levelsOf("vllm-c32.json");
        QCOMPARE(levels.size(), std::size_t(1));
        const ForeignFigures& f = levels[0].figures;
        QCOMPARE(f.tool, std::string("vllm"));
        QCOMPARE(f.file, std::string("vllm-c32.json"));
        QVERIFY(levels[0].load == (Load{LoadAxis::Concurrency, 32}));
        QCOMPARE(*f.completed, std::uint64_t(1000));
        QCOMPARE(*f.failed, std::uint64_t(0));
        QVERIFY(isNear(f.outputTokensPerS, 5606.4));
        QVERIFY(isNear(f.promptTokens, 512));
        QVERIFY(isNear(f.outputTokens, 128));
        const ForeignFigures::Latency& ttft = f.latencies.at("ttft_ms");
        QVERIFY(isNear(ttft.mean, 150));
        QCOMPARE(ttft.percentiles.at(50), 120.0);
        QCOMPARE(ttft.percentiles.at(99), 720.0);
        QVERIFY(!ttft.min);
        QCOMPARE(f.latencies.at("e2e_ms").percentiles.at(99), 1500.0);
        QVERIFY(!f.goodputRequestsPerS);
        QVERIFY(f.missing.empty());
        QCOMPARE(levels[0].card.at("model"), std::string("example/8b-instruct"));
    }

    void sglangInLinesWithAnInfinity()
    {
        const auto levels = levelsOf("sglang.jsonl");
        QCOMPARE(levels.size(), std::size_t(2));
        QCOMPARE(levels[0].figures.tool, std::string("sglang"));
        QVERIFY(levels[0].load == (Load{LoadAxis::Concurrency, 32})); // at an infinite rate
        QVERIFY(levels[1].load == (Load{LoadAxis::RatePerS, 24}));
        const ForeignFigures& f = levels[0].figures;
        QVERIFY(isNear(f.concurrency, 29.6));
        QCOMPARE(f.latencies.at("itl_ms").percentiles.at(95), 7.0);
        QCOMPARE(f.latencies.at("e2e_ms").percentiles.at(99), 2100.0);
        QVERIFY(misses(f, "failed requests"));
    }

    void guidellmHasSeveralLevels()
    {
        const auto levels = levelsOf("guidellm.json");
        QCOMPARE(levels.size(), std::size_t(3));
        QVERIFY(levels[0].load == (Load{LoadAxis::Concurrency, 1}));
        QVERIFY(levels[1].load == (Load{LoadAxis::Concurrency, 8}));
        QVERIFY(levels[2].load == (Load{LoadAxis::RatePerS, 6}));
        const ForeignFigures& f = levels[1].figures;
        QVERIFY(isNear(f.outputTokensPerS, 1254.4));
        QCOMPARE(*f.failed, std::uint64_t(1));
        QVERIFY(isNear(f.latencies.at("e2e_ms").mean, 800)); // seconds in the file
        QCOMPARE(f.latencies.at("ttft_ms").percentiles.at(99.9), 320.0);
        QCOMPARE(levels[0].toolVersion, std::string("0.5.0"));
        QCOMPARE(levels[0].target, std::string("http://127.0.0.1:8000"));
    }

    void aiperf()
    {
        const auto levels = levelsOf("aiperf.json");
        QCOMPARE(levels.size(), std::size_t(1));
        QVERIFY(levels[0].load == (Load{LoadAxis::Concurrency, 16}));
        const ForeignFigures& f = levels[0].figures;
        QCOMPARE(f.latencies.at("ttft_ms").percentiles.at(99), 812.4);
        QVERIFY(!f.latencies.contains("tpot_ms"));
        QVERIFY(isNear(f.latencies.at("itl_ms").mean, 7.7));
        QVERIFY(isNear(f.goodputRequestsPerS, 9.1));
        QCOMPARE(*f.failed, std::uint64_t(3));
        QCOMPARE(levels[0].toolVersion, std::string("0.12.0"));
    }

    void aiperfWithPhases()
    {
        const auto levels = levelsOf("aiperf-phases.json");
        QCOMPARE(levels.size(), std::size_t(1));
        QVERIFY(levels[0].load == (Load{LoadAxis::RatePerS, 10})); // the limit of concurrency beside it is none
        QCOMPARE(levels[0].card.at("model"), std::string("example/8b-instruct"));
        QCOMPARE(levels[0].target, std::string("http://127.0.0.1:8000"));
        QVERIFY(isNear(levels[0].figures.latencies.at("e2e_ms").mean, 1321)); // not that of the warm-up
        QCOMPARE(levels[0].figures.missing, std::vector<std::string>{"what would have come after it was cancelled"});
    }

    void inferencePerf()
    {
        const auto levels = levelsOf("inference-perf-stage_0.json");
        QCOMPARE(levels.size(), std::size_t(1));
        QVERIFY(levels[0].load == (Load{LoadAxis::RatePerS, 10}));
        const ForeignFigures& f = levels[0].figures;
        QCOMPARE(*f.failed, std::uint64_t(10));
        QVERIFY(isNear(f.latencies.at("ttft_ms").percentiles.at(99), 900));
        QVERIFY(isNear(f.latencies.at("ttft_ms").percentiles.at(50), 150));
        QVERIFY(isNear(f.outputTokens, 128));
    }

    void llmperf()
    {
        const auto levels = levelsOf("llmperf_summary.json");
        QCOMPARE(levels.size(), std::size_t(1));
        QVERIFY(levels[0].load == (Load{LoadAxis::Concurrency, 4}));
        const ForeignFigures& f = levels[0].figures;
        QVERIFY(isNear(f.requestsPerS, 133.3 / 60));
        QVERIFY(isNear(f.outputTokensPerS, 331.1));
        QVERIFY(isNear(f.latencies.at("ttft_ms").mean, 400));
        QCOMPARE(*f.failed, std::uint64_t(2));
    }

    void namedToolsReadTheSame_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("tool");
        QTest::newRow("vllm") << "vllm-c8.json" << "vllm";
        QTest::newRow("sglang") << "sglang.jsonl" << "sglang";
        QTest::newRow("guidellm") << "guidellm.json" << "guidellm";
        QTest::newRow("aiperf") << "aiperf.json" << "aiperf";
        QTest::newRow("inference-perf") << "inference-perf-stage_0.json" << "inference-perf";
        QTest::newRow("llmperf") << "llmperf_summary.json" << "llmperf";
    }
    void namedToolsReadTheSame()
    {
        QFETCH(QString, file);
        QFETCH(QString, tool);
        const auto named = levelsOf(file.toLatin1().data(), tool.toLatin1().data());
        const auto recognised = levelsOf(file.toLatin1().data());
        QVERIFY(!named.empty());
        QCOMPARE(named.size(), recognised.size());
        for (std::size_t i = 0; i < named.size(); ++i)
            QVERIFY(named[i].figures == recognised[i].figures);
    }

    void whatNothingMeasuredCanBeIsRefused()
    {
        const auto with = [](const char* key, const nlohmann::json& value) {
            nlohmann::json root = nlohmann::json::parse(
                R"({"model_id": "m", "max_concurrency": 8, "output_throughput": 10, "mean_ttft_ms": 20})");
            root["median_ttft_ms"] = 15;
            root[key] = value;
            return QString::fromStdString(errorOf(root.dump()));
        };
        QVERIFY(with("p99_ttft_ms", 90).isEmpty());
        QVERIFY2(with("p99_ttft_ms", -5).contains("has a p99 TTFT of -5 ms, which nothing measured is"),
                 qPrintable(with("p99_ttft_ms", -5)));
        QVERIFY(with("mean_ttft_ms", -1).contains("has a mean TTFT of -1 ms"));
        QVERIFY(with("output_throughput", -10).contains("has a rate of output tokens of -10/s"));
        QVERIFY2(with("p99_ttft_ms", 14).contains("has a p99 TTFT of 14 ms, below its p50 of 15 ms"),
                 qPrintable(with("p99_ttft_ms", 14)));
    }

    /// Both tools write a time of 0 where they measured none.
    void aTimeOfZeroIsNone()
    {
        const auto levels = parseForeignResult(
            R"({"model_id": "m", "max_concurrency": 8, "output_throughput": 10, "mean_ttft_ms": 20,
                "mean_tpot_ms": 0, "median_tpot_ms": 0, "p99_tpot_ms": 0})",
            "file.json", "auto");
        QVERIFY(levels.ok());
        QVERIFY(!levels.value()[0].figures.latencies.contains("tpot_ms"));
        QVERIFY(misses(levels.value()[0].figures, "time between tokens"));
    }

    void aFileOfAnotherToolIsRefused()
    {
        for (const auto& [file, tool] : {std::pair("vllm-c8.json", "sglang"), std::pair("sglang.jsonl", "vllm"),
                                         std::pair("guidellm.json", "aiperf")}) {
            const auto levels = readForeignResult(fixture(file), tool);
            QVERIFY2(!levels.ok(), file);
            QVERIFY2(levels.error().line().find(std::string(", not of ") + tool) != std::string::npos,
                     levels.error().line().c_str());
        }
        // What no format recognises is read as the tool that is named.
        QVERIFY(errorOf(R"({"mean_ttft_ms": 20, "max_concurrency": 8})", "vllm").empty());
    }

    void allAtOnceIsSaid()
    {
        const std::string text = R"({"model_id": "m", "request_rate": "inf", "num_prompts": 500,
                                     "output_throughput": 10, "mean_ttft_ms": 20})";
        const char* said = "a rate or a limit of concurrency (all 500 requests were sent at once, and their number stands "
                           "for it)";
        const auto levels = parseForeignResult(text, "file.json", "auto");
        QVERIFY(levels.ok());
        QVERIFY(levels.value()[0].load == (Load{LoadAxis::Concurrency, 500}));
        QVERIFY(misses(levels.value()[0].figures, said));
        const auto stated = parseForeignResult(text, "file.json", "auto", Load{LoadAxis::Concurrency, 64});
        QVERIFY(!misses(stated.value()[0].figures, said));
    }

    void whatIsNoResultFileIsRefused()
    {
        QVERIFY(QString::fromStdString(errorOf("{}")).contains("no result file that is known; name its tool: vllm"));
        QVERIFY(QString::fromStdString(errorOf("{}", "locust")).contains("allowed: auto, vllm, sglang"));
        QVERIFY(QString::fromStdString(errorOf("{}", "vllm")).contains("neither a throughput nor a latency"));
        QVERIFY(QString::fromStdString(errorOf("")).contains("is empty"));
        QVERIFY(QString::fromStdString(errorOf("not JSON\n")).contains("file.json:1"));
        QVERIFY(!readForeignResult(fixture("no-such-file.json"), "auto"));
        const std::string deep = R"({"completed":3,"x":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
        QVERIFY(QString::fromStdString(errorOf(deep)).contains("is nested deeper than 64 levels"));
    }

    void aLoadThatIsNotToldMustBeStated()
    {
        const std::string text = R"({"load_summary": {}, "successes": {"count": 5, "throughput": {"output_tokens_per_sec": 9}}})";
        QVERIFY(QString::fromStdString(errorOf(text)).contains("--concurrency or --rate-per-s"));
        const auto stated = parseForeignResult(text, "file.json", "auto", Load{LoadAxis::RatePerS, 3});
        QVERIFY(stated && stated.value()[0].load == (Load{LoadAxis::RatePerS, 3}));
        QVERIFY(misses(stated.value()[0].figures, "TTFT"));
        QVERIFY(misses(stated.value()[0].figures, "failed requests"));
    }

    void figuresSurviveTheStore()
    {
        for (const char* name : {"vllm-c8.json", "guidellm.json", "aiperf.json", "aiperf-phases.json", "inference-perf-stage_0.json"})
            for (const ForeignLevel& level : levelsOf(name))
                QVERIFY2(foreignFromJson(foreignToJson(level.figures)) == level.figures, name);
    }
};

QTEST_GUILESS_MAIN(ResultFilesTest)
#include "tst_result_files.moc"
