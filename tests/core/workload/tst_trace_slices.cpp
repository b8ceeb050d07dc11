// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QtTest>

#include "workload/trace/trace_import.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

using namespace tailmark;
using nlohmann::json;

namespace {

const std::string kFolder = std::string(TAILMARK_SHARED_DIR) + "/traces/";

/// As the published figures have it: between the ranks.
double interpolated(std::vector<std::int32_t> values, double percent)
{
    std::sort(values.begin(), values.end());
    const double at = percent / 100 * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t next = std::min(below + 1, values.size() - 1);
    return values[below] + (at - std::floor(at)) * (values[next] - values[below]);
}

/// The published figures have six digits.
bool near(double value, double published)
{
    return std::abs(value - published) <= 1e-5 * std::abs(published) + 1e-9;
}

} // namespace

/// Real logs with published figures (slice_stats.json): lengths, correlation, arrivals and prefix sharing.
class TraceSlicesTest : public QObject
{
    Q_OBJECT

private slots:
    void figures_data();
    void figures();
    void packedAndPlainAreOne();
    void cacheSizes();
    void serveGen();
};

void TraceSlicesTest::figures_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("format");
    for (const auto& [file, format] : {std::pair{"azure_2023_code.csv", "azure"},
                                       {"azure_2023_conv_head2000.csv", "azure"},
                                       {"azure_2023_conv.csv.gz", "azure"},
                                       {"mooncake_conversation_head1506.jsonl", "mooncake"},
                                       {"mooncake_conversation_full.runs.csv.gz", "mooncake"},
                                       {"mooncake_synthetic_head1079.jsonl", "mooncake"},
                                       {"mooncake_synthetic_full.runs.csv.gz", "mooncake"},
                                       {"claude_code_sessions_raw6.jsonl", "weka"},
                                       {"claude_code_sessions_sample.runs.csv.gz", "weka"},
                                       {"vidur_arxiv_summarization_head2000.csv", "vidur"}})
        QTest::newRow(file) << file << format;
}

void TraceSlicesTest::figures()
{
    QFETCH(QString, file);
    const std::string path = kFolder + file.toStdString();
    if (!QFile::exists(QString::fromStdString(path)))
        QSKIP("The real logs are not there: set TAILMARK_SHARED_DIR");
    std::ifstream stream(kFolder + "slice_stats.json");
    const json known = json::parse(stream).at(file.toStdString());
    TraceOptions options;
    options.keepZeroOutput = true; // the published figures of agent sessions have eight such rows
    const Result<Trace> result = importTrace(path, options);
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    const Trace& trace = result.value();
    const TraceStats& stats = trace.stats;
    QTEST(QString::fromStdString(trace.format), "format");
    QCOMPARE(trace.rowsAccepted, known["rows"].get<std::uint64_t>());
    QCOMPARE(trace.rowsRejected, std::uint64_t(0));
    for (const auto& [key, values, own] : {std::tuple{"input", trace.rows.prompts(), stats.prompt},
                                           std::tuple{"output", trace.rows.outputs(), stats.output}}) {
        const std::vector<std::int32_t> lengths(values.begin(), values.end());
        for (const auto& [name, percent] :
             {std::pair{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"max", 100}}) {
            const double published = known[key][name].get<double>();
            QVERIFY2(near(interpolated(lengths, percent), published), name);
        }
        QVERIFY(near(own.mean, known[key]["mean"].get<double>()));
        QCOMPARE(own.max, known[key]["max"].get<std::int64_t>());
    }
    QVERIFY(near(*stats.pearson, known["pearson"].get<double>()));
    QVERIFY(near(*stats.spearman, known["spearman"].get<double>()));

    QCOMPARE(stats.arrivals.has_value(), known.contains("arrivals"));
    if (stats.arrivals) {
        const json& arrivals = known["arrivals"];
        const double seconds = toSeconds(stats.arrivals->duration);
        QVERIFY(near(seconds, arrivals["span_s"].get<double>()));
        QVERIFY(near(static_cast<double>(trace.rowsAccepted - 1) / seconds,
                     arrivals["mean_rate_rps"].get<double>()));
        QVERIFY(near(stats.arrivals->gaps->cv, arrivals["iat_cv"].get<double>()));
        QVERIFY(near(stats.arrivals->gaps->zeroShare, arrivals["iat_zero_share"].get<double>()));
        for (const WindowCounts& windows : stats.arrivals->windows) {
            const std::string width = std::to_string(windows.widthS) + "s";
            QVERIFY2(near(windows.dispersion, arrivals["dispersion_" + width].get<double>()), width.c_str());
            QVERIFY2(near(windows.peakPerS, arrivals["peak_rate_" + width].get<double>()), width.c_str());
            QVERIFY2(near(windows.emptyShare, arrivals["empty_share_" + width].get<double>()), width.c_str());
        }
        QCOMPARE(stats.arrivals->windows.size(), std::size_t(3));
        QCOMPARE(stats.arrivals->grid.has_value(), file.contains("mooncake_conversation"));
    }
    QCOMPARE(stats.prefix.has_value(), known.contains("prefix"));
    if (stats.prefix) {
        const json& prefix = known["prefix"];
        QCOMPARE(stats.prefix->blockSize, prefix["block_size"].get<int>());
        QCOMPARE(stats.prefix->blocks, prefix["total_blocks"].get<std::uint64_t>());
        QCOMPARE(stats.prefix->uniqueBlocks, prefix["unique_blocks"].get<std::uint64_t>());
        QVERIFY(near(stats.prefix->blockHitRate, prefix["block_hit_rate"].get<double>()));
        QVERIFY(near(stats.prefix->tokenHitRate, prefix["token_hit_rate"].get<double>()));
        QVERIFY(near(stats.prefix->requestsWithHit, prefix["requests_with_any_hit"].get<double>()));
        QVERIFY(near(stats.prefix->requestsFullyCached, prefix["requests_fully_cached"].get<double>()));
        QVERIFY(std::abs(stats.prefix->perRequestP50 - prefix["per_request_hit_p50"].get<double>()) < 0.003);
    }
    QCOMPARE(stats.sessions.has_value(), file.contains("claude"));
    if (stats.sessions)
        QVERIFY(stats.sessions->thinkMs && stats.sessions->growth && stats.sessions->sessions >= 6);
}

/// The re-encoded log and the head of the original say the same of the same requests.
void TraceSlicesTest::packedAndPlainAreOne()
{
    const std::string head = kFolder + "mooncake_synthetic_head1079.jsonl";
    if (!QFile::exists(QString::fromStdString(head)))
        QSKIP("The real logs are not there: set TAILMARK_SHARED_DIR");
    const Result<Trace> plain = importTrace(head),
                        packed = importTrace(kFolder + "mooncake_synthetic_full.runs.csv.gz");
    QVERIFY(plain.ok() && packed.ok());
    for (std::size_t i = 0; i < plain.value().rows.size(); ++i) {
        TraceRow a = plain.value().rows[i], b = packed.value().rows[i];
        a.line = b.line = 0;
        QVERIFY(a == b);
        QVERIFY(std::ranges::equal(plain.value().rows.blocks(i), packed.value().rows.blocks(i)));
    }
}

/// Published block hit rates of LRU caches.
void TraceSlicesTest::cacheSizes()
{
    for (const auto& [file, rates] :
         {std::pair{"mooncake_conversation_full.runs.csv.gz", std::map<int, double>{{1'000, 4.4},
                                                                                    {5'000, 11.0},
                                                                                    {10'000, 21.1},
                                                                                    {30'000, 32.6},
                                                                                    {50'000, 35.5},
                                                                                    {100'000, 36.4}}},
          {"mooncake_synthetic_full.runs.csv.gz",
           std::map<int, double>{{1'000, 8.2}, {5'000, 27.9}, {10'000, 42.3}, {30'000, 62.4}}}}) {
        const std::string path = kFolder + file;
        if (!QFile::exists(QString::fromStdString(path)))
            QSKIP("The real logs are not there: set TAILMARK_SHARED_DIR");
        const Result<Trace> trace = importTrace(path);
        QVERIFY(trace.ok());
        std::size_t checked = 0;
        for (const PrefixStats::AtCapacity& at : trace.value().stats.prefix->capacities) {
            const auto known = rates.find(static_cast<int>(at.blocks));
            if (known == rates.end())
                continue;
            ++checked;
            QVERIFY2(std::abs(100 * at.blockHitRate - known->second) < 0.06,
                     std::to_string(at.blocks).c_str());
        }
        QCOMPARE(checked, rates.size());
    }
}

void TraceSlicesTest::serveGen()
{
    const std::string path = kFolder + "servegen/reason__deepseek-r1__chunk-0-trace.csv";
    if (!QFile::exists(QString::fromStdString(path)))
        QSKIP("The real logs are not there: set TAILMARK_SHARED_DIR");
    const Result<Trace> result = importTrace(path);
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    const Trace& trace = result.value();
    QCOMPARE(trace.format, std::string("servegen"));
    QVERIFY(trace.rowsAccepted > 1'000 && trace.rowsAccepted <= 100'050);
    QCOMPARE(trace.warnings.at(0).code, std::string("lengths_from_marginals"));
    QVERIFY(std::abs(*trace.stats.spearman) < 0.05); // not one uniform number for both
    QVERIFY(!trace.timed());
    const Result<Trace> alone = importTrace(kFolder + "servegen/reason__deepseek-r1__chunk-1-trace.csv");
    QVERIFY(!alone.ok());
    QVERIFY2(alone.error().message.starts_with("no_lengths: "), alone.error().message.c_str());
}

QTEST_GUILESS_MAIN(TraceSlicesTest)
#include "tst_trace_slices.moc"
