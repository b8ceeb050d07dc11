// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace_import.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

const QString kShared = QStringLiteral(TAILMARK_SHARED_DIR);

/// Nearest rank in whole numbers.
template <typename T> T nearestRank(std::vector<T> values, std::size_t percent)
{
    std::sort(values.begin(), values.end());
    return values[(values.size() * percent + 99) / 100 - 1];
}

template <typename T> nlohmann::json distribution(const std::vector<T>& values)
{
    return {{"n", values.size()},
            {"min", *std::min_element(values.begin(), values.end())},
            {"p50", nearestRank(values, 50)},
            {"p90", nearestRank(values, 90)},
            {"p99", nearestRank(values, 99)},
            {"max", *std::max_element(values.begin(), values.end())}};
}

/// ms with four decimals, as the known answers have them.
double ms(Nanoseconds t)
{
    return std::round(toMs(t) * 1e4) / 1e4;
}

std::vector<std::int32_t> lengthsOf(const Trace& trace, std::int32_t LengthPair::*member)
{
    std::vector<std::int32_t> values;
    for (const TraceRow& row : trace.rows)
        values.push_back(row.lengths.*member);
    return values;
}

/// A file in a folder of its own.
class TemporaryFile
{
public:
    explicit TemporaryFile(const std::string& contents)
    {
        std::ofstream(path(), std::ios::binary) << contents;
    }
    std::string path() const { return m_dir.filePath("trace.csv").toStdString(); }

private:
    QTemporaryDir m_dir;
};

Result<Trace> importText(const std::string& contents, const std::string& format = "auto")
{
    return importTrace(TemporaryFile(contents).path(), format);
}

const std::string kHeader = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

} // namespace

class TraceImportTest : public QObject
{
    Q_OBJECT

private slots:
    void knownAnswers_data()
    {
        QTest::addColumn<QString>("file");
        const QStringList files =
            QDir(kShared + "/cases").entryList({"trace-*.csv"}, QDir::Files, QDir::Name);
        for (const QString& file : files) {
            if (!file.contains("burstgpt"))
                QTest::newRow(qPrintable(file)) << file;
        }
        if (files.isEmpty())
            QTest::newRow("none") << QString();
    }
    void knownAnswers()
    {
        QFETCH(QString, file);
        if (file.isEmpty())
            QSKIP("The known answers are not there: set TAILMARK_SHARED_DIR");
        const QString path = kShared + "/cases/" + file;
        std::ifstream stream((path.chopped(4) + ".expected.json").toStdString());
        const nlohmann::json expected = nlohmann::json::parse(stream)["expected"];
        const Result<Trace> result = importTrace(path.toStdString());
        if (expected["format"] == "generic") { // a format that is not known is told as a missing header
            QVERIFY(!result.ok());
            QVERIFY(result.error().message.starts_with("no_header: "));
            return;
        }
        if (!expected["file_error"].is_null()) {
            QVERIFY(!result.ok());
            QCOMPARE(result.error().code, ErrorCode::BadInput);
            QVERIFY2(result.error().message.starts_with(expected["file_error"].get<std::string>() + ": "),
                     result.error().line().c_str());
            return;
        }
        QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
        const Trace& trace = result.value();
        QCOMPARE(trace.format, expected["format"].get<std::string>());
        QCOMPARE(nlohmann::json(trace.warnings), expected["warnings"]);
        nlohmann::json rejected = nlohmann::json::array();
        for (const RejectedRow& row : trace.rejected)
            rejected.push_back({{"line", row.line}, {"field", row.field}, {"reason", row.reason}});
        QCOMPARE(rejected, expected["rejected"]);
        QCOMPARE(distribution(lengthsOf(trace, &LengthPair::promptTokens)), expected["prompt"]);
        QCOMPARE(distribution(lengthsOf(trace, &LengthPair::outputTokens)), expected["output"]);
        QCOMPARE(ms(trace.rows.back().arrival), expected["duration_ms"].get<double>());

        std::vector<TraceRow> rows = trace.rows;
        std::sort(rows.begin(), rows.end(),
                  [](const TraceRow& a, const TraceRow& b) { return a.line < b.line; });
        nlohmann::json inFileOrder = nlohmann::json::array();
        for (const TraceRow& row : rows)
            inFileOrder.push_back({{"arrival_ms", ms(row.arrival)},
                                   {"prompt", row.lengths.promptTokens},
                                   {"output", row.lengths.outputTokens}});
        QCOMPARE(inFileOrder, expected["accepted_rows_in_file_order"]);

        std::vector<double> gaps;
        for (std::size_t i = 1; i < trace.rows.size(); ++i)
            gaps.push_back(ms(trace.rows[i].arrival - trace.rows[i - 1].arrival));
        QCOMPARE(gaps.empty(), expected["inter_arrival"].is_null());
        if (!gaps.empty()) {
            const nlohmann::json& g = expected["inter_arrival"];
            QCOMPARE(gaps.size(), g["n"].get<std::size_t>());
            QCOMPARE(nearestRank(gaps, 50), g["p50_ms"].get<double>());
            QCOMPARE(nearestRank(gaps, 90), g["p90_ms"].get<double>());
            QCOMPARE(*std::min_element(gaps.begin(), gaps.end()), g["min_ms"].get<double>());
        }
    }

    void realLogs_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("rows");
        QTest::addColumn<QList<int>>("prompt"); // p50, p90, p95, p99, max
        QTest::addColumn<QList<int>>("output");
        QTest::addColumn<double>("spanS");
        QTest::newRow("chat") << "azure_2023_conv_head2000.csv" << 2000
                              << QList<int>{1032, 1990, 4079, 4100, 7930}
                              << QList<int>{238, 436, 498, 625, 1000} << 424.0;
        QTest::newRow("code, CRLF and no last line end")
            << "azure_2023_code.csv" << 8819 << QList<int>{1469, 5188, 7303, 7436, 7437}
            << QList<int>{13, 55, 90, 251, 1899} << 3436.0;
    }
    void realLogs()
    {
        QFETCH(QString, file);
        const QString path = kShared + "/traces/" + file;
        if (!QFile::exists(path))
            QSKIP("The real logs are not there: set TAILMARK_SHARED_DIR");
        const Result<Trace> result = importTrace(path.toStdString(), "azure");
        QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
        const Trace& trace = result.value();
        QTEST(static_cast<int>(trace.rows.size()), "rows");
        QVERIFY(trace.rejected.empty());
        // The published figures interpolate between ranks as numpy does, halves rounded to even.
        const auto percentiles = [](std::vector<std::int32_t> values) {
            std::sort(values.begin(), values.end());
            QList<int> list;
            for (const double percent : {50, 90, 95, 99, 100}) {
                const double at = percent / 100 * static_cast<double>(values.size() - 1);
                const std::size_t below = static_cast<std::size_t>(at);
                const std::size_t next = std::min(below + 1, values.size() - 1);
                list << static_cast<int>(
                    std::nearbyint(values[below] + (at - std::floor(at)) * (values[next] - values[below])));
            }
            return list;
        };
        QTEST(percentiles(lengthsOf(trace, &LengthPair::promptTokens)), "prompt");
        QTEST(percentiles(lengthsOf(trace, &LengthPair::outputTokens)), "output");
        QTEST(std::round(toSeconds(trace.rows.back().arrival)), "spanS");
    }

    void ownFixture()
    {
        const Result<Trace> result = importTrace(TAILMARK_TEST_DATA "/traces/azure_small.csv");
        QVERIFY(result.ok());
        QCOMPARE(result.value().rows.size(), std::size_t{8});
        QCOMPARE(result.value().rows[1].arrival, Nanoseconds(52'000'000));
        QCOMPARE(result.value().rows[7].line, std::int64_t{9});
        QVERIFY((result.value().rows[7].lengths == LengthPair{388, 84}));
    }

    void rowsOfTheTwoYearsAndQuotes()
    {
        const Result<Trace> result = importText("\"TIMESTAMP\",\"ContextTokens\",\"GeneratedTokens\"\n"
                                                "2024-05-12 00:00:00+00:00,10,1\n"
                                                "2024-05-12 00:00:00.009930+00:00,20,2\n"
                                                "\"2024-05-12 02:00:00,5+02:00\", \"30\" ,3\n");
        QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
        QCOMPARE(result.value().rows.size(), std::size_t{3});
        QCOMPARE(result.value().rows[1].arrival, Nanoseconds(9'930'000));
        QCOMPARE(result.value().rows[2].arrival, Nanoseconds(500'000'000));
        QCOMPARE(result.value().rows[2].lengths.promptTokens, 30);
    }

    void lengths_data()
    {
        QTest::addColumn<QString>("cell");
        QTest::addColumn<QString>("reason");
        for (const auto& [cell, reason] : {std::pair{"512", ""},
                                           {"512.0", ""},
                                           {"100000000", ""},
                                           {"100000001", "out_of_range"},
                                           {"99999999999999999999", "out_of_range"},
                                           {"12.5", "not_an_integer"},
                                           {"5.", "not_an_integer"},
                                           {"1e3", "not_an_integer"},
                                           {"inf", "not_an_integer"},
                                           {"0x10", "not_an_integer"},
                                           {"-1", "negative"},
                                           {"0", "zero"},
                                           {"-0", "zero"},
                                           {"", "empty_value"},
                                           {"5 0", "not_an_integer"}})
            QTest::newRow(*cell ? cell : "empty") << cell << reason;
    }
    void lengths()
    {
        QFETCH(QString, cell);
        const Result<Trace> result = importText(kHeader + "2025-01-01 00:00:00,1,1\n2025-01-01 00:00:01," +
                                                cell.toStdString() + ",1\n");
        QVERIFY(result.ok());
        const auto& rejected = result.value().rejected;
        QTEST(rejected.empty() ? QString() : QString::fromStdString(rejected[0].reason), "reason");
        QCOMPARE(rejected.empty() ? std::size_t{2} : std::size_t{1}, result.value().rows.size());
    }

    void filesThatAreNoTraces_data()
    {
        QTest::addColumn<QByteArray>("contents");
        QTest::addColumn<QString>("code");
        QTest::newRow("empty") << QByteArray() << "no_header";
        QTest::newRow("blank") << QByteArray("\n \n,,\n") << "no_header";
        QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08\x00\x00", 5) << "compressed";
        QTest::newRow("zeros") << QByteArray(1000, '\0') << "not_text";
        QTest::newRow("long line") << QByteArray(200'000, 'a') << "not_text";
        QTest::newRow("long line later")
            << QByteArray::fromStdString(kHeader) + QByteArray(200'000, '1') << "not_text";
        QTest::newRow("only bad rows") << QByteArray::fromStdString(kHeader + "x,1,1\n") << "no_rows";
        QByteArray noise;
        std::uint64_t state = 1;
        for (int i = 0; i < 1'000'000; ++i) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            noise += static_cast<char>(state >> 56);
        }
        QTest::newRow("noise") << noise << "";
    }
    void filesThatAreNoTraces()
    {
        QFETCH(QByteArray, contents);
        QFETCH(QString, code);
        const Result<Trace> result = importText(contents.toStdString());
        QVERIFY(!result.ok());
        QCOMPARE(result.error().code, ErrorCode::BadInput);
        QVERIFY2(code.isEmpty() || QString::fromStdString(result.error().message).startsWith(code + ": "),
                 result.error().message.c_str());
        QVERIFY(result.error().message.find('\n') == std::string::npos);
    }

    void noFiles()
    {
        QTemporaryDir dir;
        QVERIFY(!importTrace(dir.path().toStdString()).ok());
        QVERIFY(!importTrace(dir.filePath("none").toStdString()).ok());
        QFile sparse(dir.filePath("big.csv"));
        QVERIFY(sparse.open(QIODevice::WriteOnly) && sparse.resize(4LL << 30));
        QVERIFY(!importTrace(sparse.fileName().toStdString()).ok());
        const auto format = importTrace(TAILMARK_TEST_DATA "/traces/azure_small.csv", "mooncake");
        QVERIFY(!format.ok());
        QVERIFY(format.error().message.starts_with("unknown_format: "));
    }
};

QTEST_GUILESS_MAIN(TraceImportTest)
#include "tst_trace_import.moc"
