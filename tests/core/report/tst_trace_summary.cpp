// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "report/trace_summary.h"

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

using namespace tailmark;
using nlohmann::ordered_json;

namespace {

Trace traceOf(std::vector<LengthPair> lengths, Nanoseconds gap)
{
    Trace trace;
    trace.format = "azure";
    for (const LengthPair& pair : lengths) {
        const auto i = static_cast<std::int64_t>(trace.rows.size());
        trace.rows.push_back({gap * i, pair, i + 2});
    }
    return trace;
}

} // namespace

class TestTraceSummary : public QObject
{
    Q_OBJECT

private slots:
    void knownCases_data();
    void knownCases();
    void correlations();
    void oneRow();
};

void TestTraceSummary::knownCases_data()
{
    QTest::addColumn<QString>("file");
    const std::filesystem::path folder = TAILMARK_SHARED_DIR "/cases";
    if (!std::filesystem::exists(folder))
        return;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name.find("-azure-") != std::string::npos && name.ends_with(".csv"))
            QTest::newRow(name.c_str()) << QString::fromStdString(entry.path().string());
    }
}

void TestTraceSummary::knownCases()
{
    if (!std::filesystem::exists(TAILMARK_SHARED_DIR "/cases"))
        QSKIP("the folder with the cases is not there");
    QFETCH(QString, file);
    std::ifstream in(file.chopped(4).toStdString() + ".expected.json");
    const ordered_json expected = ordered_json::parse(in).at("expected");
    const Result<Trace> trace = importTrace(file.toStdString());
    QCOMPARE(trace.ok(), expected.at("file_error").is_null());
    if (!trace)
        return;
    const ordered_json json = traceToJson(trace.value());
    for (const char* key : {"format", "length_unit", "rows_accepted", "rows_rejected", "rejected", "prompt",
                            "output", "inter_arrival", "duration_ms"})
        QCOMPARE(QString::fromStdString(json.at(key).dump()),
                 QString::fromStdString(expected.at(key).dump()));
}

void TestTraceSummary::correlations()
{
    // By hand: ranks of the outputs 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
    const ordered_json json = traceToJson(traceOf({{10, 1}, {20, 5}, {30, 5}, {40, 9}}, Nanoseconds(1)));
    QVERIFY(std::abs(json["correlation"]["pearson"].get<double>() - 120 / std::sqrt(500.0 * 32)) < 1e-12);
    QVERIFY(std::abs(json["correlation"]["spearman"].get<double>() - 4.5 / std::sqrt(5 * 4.5)) < 1e-12);
    const ordered_json falling = traceToJson(traceOf({{10, 900}, {20, 30}, {30, 20}}, Nanoseconds(1)));
    QCOMPARE(falling["correlation"]["spearman"].get<double>(), -1.0);
    const ordered_json constant = traceToJson(traceOf({{10, 7}, {20, 7}, {30, 7}}, Nanoseconds(1)));
    QVERIFY(constant["correlation"]["pearson"].is_null() && constant["correlation"]["spearman"].is_null());
}

void TestTraceSummary::oneRow()
{
    const ordered_json json = traceToJson(traceOf({{777, 33}}, Nanoseconds(1)));
    QVERIFY(json["inter_arrival"].is_null());
    QCOMPARE(json["duration_ms"].get<double>(), 0.0);
    QCOMPARE(json["prompt"]["p99"].get<int>(), 777);
}

QTEST_GUILESS_MAIN(TestTraceSummary)
#include "tst_trace_summary.moc"
