// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "report/trace_summary.h"
#include "workload/trace/trace_import.h"

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

using namespace tailmark;
using nlohmann::ordered_json;

class TestTraceSummary : public QObject
{
    Q_OBJECT

private slots:
    void knownCases_data();
    void knownCases();
    void everythingThatALogShows();
    void absentIsNull();
    void linesForAPerson();
};

void TestTraceSummary::knownCases_data()
{
    QTest::addColumn<QString>("file");
    const std::filesystem::path folder = TAILMARK_SHARED_DIR "/cases";
    if (!std::filesystem::exists(folder))
        return;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name.starts_with("trace-") && name.ends_with(".expected.json"))
            QTest::newRow(name.c_str()) << QString::fromStdString(entry.path().string());
    }
}

void TestTraceSummary::knownCases()
{
    if (!std::filesystem::exists(TAILMARK_SHARED_DIR "/cases"))
        QSKIP("the folder with the cases is not there");
    QFETCH(QString, file);
    std::ifstream in(file.toStdString());
    const ordered_json known = ordered_json::parse(in);
    const ordered_json& expected = known.at("expected");
    const std::string folder = TAILMARK_SHARED_DIR "/cases/";
    const Result<Trace> trace = importTrace(folder + known.at("case").get<std::string>());
    QCOMPARE(trace.ok(), expected.at("file_error").is_null());
    if (!trace)
        return;
    const ordered_json json = traceToJson(trace.value());
    for (const char* key : {"format", "length_unit", "rows_accepted", "rows_rejected", "rejected", "warnings",
                            "prompt", "output", "inter_arrival", "duration_ms"})
        QCOMPARE(QString::fromStdString(json.at(key).dump()),
                 QString::fromStdString(expected.at(key).dump()));
}

void TestTraceSummary::everythingThatALogShows()
{
    const Result<Trace> trace = importTrace(TAILMARK_TEST_DATA "/traces/agent_session.json");
    QVERIFY2(trace.ok(), trace ? "" : trace.error().line().c_str());
    const ordered_json json = traceToJson(trace.value());
    QCOMPARE(json["prefix"]["block_size"].get<int>(), 64);
    QCOMPARE(json["prefix"]["block_hit_rate"].get<double>(), 0.6);
    QCOMPARE(json["sessions"]["n"].get<int>(), 2);
    QCOMPARE(json["sessions"]["think_ms"]["max"].get<int>(), 12'000);
    QCOMPARE(json["rejected_by_reason"]["zero"].get<int>(), 1);
    QCOMPARE(json["columns"]["prompt"].get<std::string>(), std::string("in"));
    QCOMPARE(json["scatter"].size(), std::size_t(4));
    QCOMPARE(json["models"][0].get<std::string>(), std::string("m"));
    QCOMPARE(json["hash"].get<std::string>().size(), std::size_t(64));
    QVERIFY(json["arrivals"].is_null() && json["duration_ms"].is_null()); // no common clock
}

void TestTraceSummary::absentIsNull()
{
    const ordered_json json = traceToJson(importTrace(TAILMARK_TEST_DATA "/traces/guidellm.csv").value());
    for (const char* key : {"inter_arrival", "duration_ms", "arrivals", "prefix", "sessions", "cached"})
        QVERIFY2(json.at(key).is_null(), key);
    QCOMPARE(json["correlation"]["spearman"].get<double>(), 1.0);
}

void TestTraceSummary::linesForAPerson()
{
    const std::vector<std::string> lines =
        traceLines(importTrace(TAILMARK_TEST_DATA "/traces/agent_session.json").value());
    const auto has = [&](const char* line) {
        return std::find(lines.begin(), lines.end(), line) != lines.end();
    };
    QVERIFY(has("line 1: output: zero"));
    QVERIFY(has("prompt: p50 150, p90 210, p95 210, p99 210, mean 172.0 (128 to 210) tokens"));
    QVERIFY(has("sessions: 2, turns p50 1, p90 3, max 3; think time p50 2, p90 12 s; a turn adds p50 10 to "
                "the prompt"));
}

QTEST_GUILESS_MAIN(TestTraceSummary)
#include "tst_trace_summary.moc"
