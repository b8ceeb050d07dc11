// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QtTest>

#include "workload/trace/canonical_rows.h"
#include "workload/trace/trace_import.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <zlib.h>

using namespace tailmark;
using nlohmann::json;

namespace {

const QString kShared = QStringLiteral(TAILMARK_SHARED_DIR);

/// A file in a folder of its own.
class TemporaryFile
{
public:
    explicit TemporaryFile(const std::string& contents)
    {
        std::ofstream(path(), std::ios::binary) << contents;
    }
    std::string path() const { return m_dir.filePath("trace").toStdString(); }

private:
    QTemporaryDir m_dir;
};

Result<Trace> importText(const std::string& contents, const TraceOptions& options = {})
{
    return importTrace(TemporaryFile(contents).path(), options);
}

TraceOptions ofFormat(const std::string& format)
{
    TraceOptions options;
    options.format = format;
    return options;
}

/// ms with four decimals, as the known answers have them; null where there is none.
json ms(Nanoseconds t)
{
    return isPresent(t) ? json(std::round(toMs(t) * 1e4) / 1e4) : json();
}

json lengthsJson(const IntegerStats& s)
{
    return {{"n", s.n}, {"min", s.min}, {"p50", s.p50}, {"p90", s.p90}, {"p99", s.p99}, {"max", s.max}};
}

std::string gzipped(const std::string& text)
{
    z_stream stream{};
    if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return {};
    std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(packed.size() - stream.avail_out);
    deflateEnd(&stream);
    return packed;
}

std::string firstLines(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

const std::string kAzure = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

bool warns(const Trace& trace, const std::string& code)
{
    return std::any_of(trace.warnings.begin(), trace.warnings.end(),
                       [&](const TraceWarning& warning) { return warning.code == code; });
}

} // namespace

class TraceImportTest : public QObject
{
    Q_OBJECT

private slots:
    void knownAnswers_data();
    void knownAnswers();
    void packingAndLineEndsChangeNothing();
    void lengths_data();
    void lengths();
    void filesThatAreNoTraces_data();
    void filesThatAreNoTraces();
    void deepRecordsAreRefused();
    void noFiles();
    void ownFixture();
    void rowsOfTheTwoYearsAndQuotes();
    void quotesSpanLinesOnlyWhenClosed();
    void quotesThatDoNotFit_data();
    void quotesThatDoNotFit();
    void timesThatAreNoneOfTheLog_data();
    void timesThatAreNoneOfTheLog();
    void timesOfJsonThatDoNotFit();
    void countsThatMayBeGroups();
    void whatFollowsAnArrayIsRead();
    void cellsThatShouldHoldJson();
    void recordsThatAreTooLong();
    void logs_data();
    void logs();
    void namedColumns();
    void timeUnits_data();
    void timeUnits();
    void agentSessions();
    void conversations();
    void turns();
    void followUpsBelongToTheirConversation();
    void promptsWithoutOutput();
    void modelsCanBeChosen();
    void aggregatesAreRefused();
    void sampledInBoundedMemory();
    void stopsWhenAsked();
    void aPipeIsReadAsItsWriterGoesOn();
    void aPipeWithoutAWriterCanBeStopped();
    void canonicalRowsComeBack();
    void gridsAreToldAndSpread();
    void aKnownNameDecidesWhateverItsValues();
    void aStopBehindTheLastByteIsHeard();
};

void TraceImportTest::knownAnswers_data()
{
    QTest::addColumn<QString>("file");
    const QStringList files =
        QDir(kShared + "/cases").entryList({"trace-*.expected.json"}, QDir::Files, QDir::Name);
    for (const QString& file : files)
        QTest::newRow(qPrintable(file)) << file;
    if (files.isEmpty())
        QTest::newRow("none") << QString();
}

void TraceImportTest::knownAnswers()
{
    QFETCH(QString, file);
    if (file.isEmpty())
        QSKIP("The known answers are not there: set TAILMARK_SHARED_DIR");
    std::ifstream stream((kShared + "/cases/" + file).toStdString());
    const json known = json::parse(stream);
    const json& expected = known["expected"];
    const std::string path = (kShared + "/cases/").toStdString() + known["case"].get<std::string>();
    const Result<Trace> result = importTrace(path);
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
    QCOMPARE(trace.lengthUnit, expected["length_unit"].get<std::string>());
    QCOMPARE(trace.rowsAccepted, expected["rows_accepted"].get<std::uint64_t>());
    QCOMPARE(trace.rowsRejected, expected["rows_rejected"].get<std::uint64_t>());
    json warnings = json::array(), rejected = json::array(), rows = json::array();
    for (const TraceWarning& warning : trace.warnings)
        warnings.push_back(warning.code);
    for (const RejectedRow& row : trace.rejected)
        rejected.push_back({{"line", row.line},
                            {"field", row.field.empty() ? json() : json(row.field)},
                            {"reason", row.reason}});
    QCOMPARE(warnings.dump(), expected["warnings"].dump());
    QCOMPARE(rejected.dump(), expected["rejected"].dump());
    QCOMPARE(lengthsJson(trace.stats.prompt).dump(), expected["prompt"].dump());
    QCOMPARE(lengthsJson(trace.stats.output).dump(), expected["output"].dump());
    const auto& arrivals = trace.stats.arrivals;
    QCOMPARE((arrivals ? ms(arrivals->duration) : json()).dump(), expected["duration_ms"].dump());
    QCOMPARE(arrivals && arrivals->gaps, !expected["inter_arrival"].is_null());
    if (arrivals && arrivals->gaps) {
        const GapStats& g = *arrivals->gaps;
        const json gaps = {{"n", g.n},
                           {"mean_ms", std::round(g.meanNs / 100) / 1e4},
                           {"min_ms", ms(Nanoseconds(g.minNs))},
                           {"p50_ms", ms(Nanoseconds(g.p50Ns))},
                           {"p90_ms", ms(Nanoseconds(g.p90Ns))},
                           {"p99_ms", ms(Nanoseconds(g.p99Ns))},
                           {"max_ms", ms(Nanoseconds(g.maxNs))}};
        QCOMPARE(gaps.dump(), expected["inter_arrival"].dump());
    }
    if (!expected.contains("accepted_rows_in_file_order"))
        return;
    std::vector<TraceRow> inFileOrder(trace.rows.begin(), trace.rows.end());
    std::stable_sort(inFileOrder.begin(), inFileOrder.end(),
                     [](const TraceRow& a, const TraceRow& b) { return a.line < b.line; });
    for (const TraceRow& row : inFileOrder)
        rows.push_back({{"arrival_ms", ms(row.arrival)},
                        {"prompt", row.lengths.promptTokens},
                        {"output", row.lengths.outputTokens}});
    QCOMPARE(rows.dump(), expected["accepted_rows_in_file_order"].dump());
}

void TraceImportTest::packingAndLineEndsChangeNothing()
{
    const std::string text = firstLines(TAILMARK_TEST_DATA "/traces/azure_small.csv");
    QVERIFY(!text.empty());
    std::string crlf;
    for (const char c : text)
        crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    const Result<Trace> plain = importText(text);
    QVERIFY(plain.ok());
    QCOMPARE(plain.value().hash.size(), std::size_t(64));
    const std::string half = gzipped(text.substr(0, 100)) + gzipped(text.substr(100));
    for (const std::string& other : {crlf, gzipped(text), half}) {
        const Result<Trace> trace = importText(other);
        QVERIFY2(trace.ok(), trace ? "" : trace.error().line().c_str());
        QCOMPARE(trace.value().rowsAccepted, plain.value().rowsAccepted);
        QCOMPARE(trace.value().hash, plain.value().hash);
    }
    const std::string packed = gzipped(text);
    const Result<Trace> cut = importText(packed.substr(0, packed.size() / 2));
    QVERIFY(!cut.ok());
    QVERIFY2(cut.error().message.starts_with("unreadable: "), cut.error().message.c_str());
    const Result<Trace> other = importText(kAzure + "2025-01-01 00:00:00,1,1\n");
    QVERIFY(other.ok() && other.value().hash != plain.value().hash);
}

void TraceImportTest::lengths_data()
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

void TraceImportTest::lengths()
{
    QFETCH(QString, cell);
    const Result<Trace> result =
        importText(kAzure + "2025-01-01 00:00:00,1,1\n2025-01-01 00:00:01," + cell.toStdString() + ",1\n");
    QVERIFY(result.ok());
    const auto& rejected = result.value().rejected;
    QTEST(rejected.empty() ? QString() : QString::fromStdString(rejected[0].reason), "reason");
    QCOMPARE(rejected.empty() ? std::size_t{2} : std::size_t{1}, result.value().rows.size());
}

void TraceImportTest::filesThatAreNoTraces_data()
{
    QTest::addColumn<QByteArray>("contents");
    QTest::addColumn<QString>("code");
    QTest::newRow("empty") << QByteArray() << "no_header";
    QTest::newRow("blank") << QByteArray("\n \n,,\n") << "no_header";
    QTest::newRow("damaged gzip") << QByteArray("\x1f\x8b\x08\x00\x00", 5) << "unreadable";
    QTest::newRow("zeros") << QByteArray(1000, '\0') << "not_text";
    QTest::newRow("parquet") << QByteArray("PAR1\x15\x04") << "unsupported";
    QTest::newRow("zstd") << QByteArray("\x28\xb5\x2f\xfd\x04") << "compressed";
    QTest::newRow("utf-16") << QByteArray("\xff\xfeT\0I\0", 6) << "not_text";
    QTest::newRow("long line") << QByteArray(200'000, 'a') << "no_header";
    QTest::newRow("long line later") << QByteArray::fromStdString(kAzure) + QByteArray(200'000, '1')
                                     << "no_rows";
    QTest::newRow("only bad rows") << QByteArray::fromStdString(kAzure + "x,1,1\n") << "no_rows";
    QTest::newRow("no JSON") << QByteArray("[not json at all, nor this]") << "no_rows";
    QTest::newRow("JSON of something else") << QByteArray("[1, 2, 3]") << "no_rows";
    QTest::newRow("objects of something else") << QByteArray("{\"a\": 1}\n{\"a\": 2}\n") << "no_header";
    QByteArray deep(100'000, '[');
    QTest::newRow("deep") << deep << "no_rows";
    QByteArray noise;
    std::uint64_t state = 1;
    for (int i = 0; i < 1'000'000; ++i) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        noise += static_cast<char>(state >> 56);
    }
    QTest::newRow("noise") << noise << "";
}

void TraceImportTest::filesThatAreNoTraces()
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

void TraceImportTest::deepRecordsAreRefused()
{
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    const std::string row = R"({"timestamp":1,"input_length":5,"output_length":5)";
    const Result<Trace> lines = importText(row + ",\"x\":" + deep + "}\n" + row + "}\n");
    QVERIFY2(lines.ok(), lines ? "" : lines.error().line().c_str());
    QCOMPARE(lines.value().rowsAccepted, std::uint64_t(1));
    QVERIFY((lines.value().rejected == std::vector<RejectedRow>{{1, "", "nested_too_deep"}}));
    const Result<Trace> only = importText("[" + row + ",\"x\":" + deep + "}]");
    QVERIFY(!only.ok());
    QVERIFY2(only.error().message.ends_with("line 1: nested_too_deep"), only.error().message.c_str());
}

void TraceImportTest::noFiles()
{
    QTemporaryDir dir;
    QVERIFY(!importTrace(dir.path().toStdString()).ok());
    QVERIFY(!importTrace(dir.filePath("none").toStdString()).ok());
    QFile sparse(dir.filePath("big.csv"));
    QVERIFY(sparse.open(QIODevice::WriteOnly) && sparse.resize(4LL << 30));
    QVERIFY(!importTrace(sparse.fileName().toStdString()).ok());
    const auto unknown = importTrace(TAILMARK_TEST_DATA "/traces/azure_small.csv", ofFormat("excel"));
    QVERIFY(!unknown.ok());
    QVERIFY(unknown.error().message.starts_with("unknown_format: "));
    const auto other = importTrace(TAILMARK_TEST_DATA "/traces/azure_small.csv", ofFormat("mooncake"));
    QVERIFY(!other.ok());
    QVERIFY(other.error().message.starts_with("no_header: "));
}

void TraceImportTest::ownFixture()
{
    const Result<Trace> result = importTrace(TAILMARK_TEST_DATA "/traces/azure_small.csv");
    QVERIFY(result.ok());
    QCOMPARE(result.value().rows.size(), std::size_t{8});
    QCOMPARE(result.value().rows[1].arrival, Nanoseconds(52'000'000));
    QCOMPARE(result.value().rows[7].line, std::int64_t{9});
    QVERIFY((result.value().rows[7].lengths == LengthPair{388, 84}));
}

void TraceImportTest::rowsOfTheTwoYearsAndQuotes()
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

void TraceImportTest::quotesSpanLinesOnlyWhenClosed()
{
    const std::string header = "prompt,prompt_tokens,completion_tokens\n";
    const Result<Trace> spanning =
        importText(header + "\"two\nlines, \"\"quoted\"\"\",10,1\nplain 5\" disk,20,2\n\"x\",x,3\n");
    QVERIFY2(spanning.ok(), spanning ? "" : spanning.error().line().c_str());
    QCOMPARE(spanning.value().rowsAccepted, std::uint64_t(2));
    QCOMPARE(spanning.value().rows[1].line, std::int64_t(4));
    QVERIFY((spanning.value().rejected == std::vector<RejectedRow>{{5, "prompt", "not_an_integer"}}));
    // A quote that nothing closes takes no other row with it.
    const Result<Trace> open = importText(header + "a,10,1\n\"b,20,2\nc,30,3\n");
    QVERIFY(open.ok());
    QCOMPARE(open.value().rowsAccepted, std::uint64_t(2));
    QVERIFY((open.value().rejected == std::vector<RejectedRow>{{3, "", "broken_quotes"}}));
    QVERIFY(warns(open.value(), "broken_quotes"));
    // The last record needs no line end.
    const Result<Trace> last = importText(header + "a,10,1\n\"two\nlines\",20,2");
    QVERIFY(last.ok());
    QCOMPARE(last.value().rowsAccepted, std::uint64_t(2));
}

void TraceImportTest::quotesThatDoNotFit()
{
    QFETCH(QString, rows);
    QFETCH(int, accepted);
    QFETCH(int, line);
    const Result<Trace> result = importText("id,prompt,prompt_tokens,completion_tokens\n" + rows.toStdString());
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    QCOMPARE(int(result.value().rowsAccepted), accepted);
    for (const TraceRow row : result.value().rows)
        QCOMPARE(row.lengths.outputTokens, 20); // 7 stands in texts only
    std::vector<RejectedRow> refused;
    if (line > 0)
        refused.push_back({line, "", "broken_quotes"});
    QVERIFY(result.value().rejected == refused);
    QCOMPARE(warns(result.value(), "broken_quotes"), line > 0);
}

void TraceImportTest::quotesThatDoNotFit_data()
{
    QTest::addColumn<QString>("rows");
    QTest::addColumn<int>("accepted");
    QTest::addColumn<int>("line"); ///< of the row that is refused; 0 = none
    const QString whole = "1,\"begin\nnine,text,7,7\nend\",10,20\n";
    QTest::newRow("all fit") << whole + whole << 2 << 0;
    QTest::newRow("one is open before texts of many lines")
        << whole + "x,\"never closed,10,20\n" + whole + whole << 3 << 5;
    QTest::newRow("one is open, the next text is quoted in one line")
        << "x,\"never closed,10,20\n1,\"text\",10,20\n" + whole << 2 << 2;
    QTest::newRow("text behind a quote") << whole + "x,\"a \"b, c\" d\",7,7\n" + whole << 2 << 5;
    QTest::newRow("a text of many lines, then a quote that does not fit in its last line")
        << "x,\"begin\nnine,text,7,7\nend\",\"10\"7,20\n" + whole << 1 << 2;
    QTest::newRow("blanks around quotes") << "1, \"text\" , \"10\" ,20\n" << 1 << 0;
    QTest::newRow("a quote inside of a cell") << "1,5\" disk,10,20\n2,a \"b\" c,10,20\n" << 2 << 0;
}

void TraceImportTest::timesThatAreNoneOfTheLog()
{
    QFETCH(QString, name);
    QFETCH(QStringList, usual); ///< first of a series of one a second
    QFETCH(QString, wrong);
    QFETCH(QString, reason);
    QFETCH(bool, guessed);
    QString text = name + ",prompt_tokens,output_tokens\n";
    for (const QString& each : usual)
        text += each + ",10,1\n";
    text += wrong + ",10,1\n";
    const Result<Trace> result = importText(text.toStdString());
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    const Trace& trace = result.value();
    QCOMPARE(trace.rows.size(), std::size_t(usual.size()));
    QVERIFY((trace.rejected ==
             std::vector<RejectedRow>{{usual.size() + 2, "timestamp", reason.toStdString()}}));
    QCOMPARE(trace.stats.arrivals->duration, std::chrono::seconds(usual.size() - 1));
    QCOMPARE(warns(trace, "time_unit_guessed"), guessed);
}

void TraceImportTest::timesThatAreNoneOfTheLog_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("usual");
    QTest::addColumn<QString>("wrong");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<bool>("guessed");
    const auto series = [](qlonglong first, const QString& tail) {
        QStringList values;
        for (int i = 0; i < 5; ++i)
            values << QString::number(first + i) + tail;
        return values;
    };
    const QStringList dates = {"2024-05-10 00:00:00", "2024-05-10 00:00:01", "2024-05-10 00:00:02"};
    QTest::newRow("s and ms") << "timestamp" << series(1'700'000'000, ".5") << "1700000005500" << "out_of_range" << true;
    QTest::newRow("s and nothing") << "timestamp" << series(1'700'000'000, ".5") << "0" << "out_of_range" << true;
    QTest::newRow("ms and s") << "timestamp" << series(1'700'000'000, "000") << "1700000005" << "out_of_range" << true;
    QTest::newRow("small and huge") << "timestamp" << series(0, "") << "1e300" << "out_of_range" << true;
    QTest::newRow("small and of today") << "timestamp" << series(0, "") << "1700000000" << "out_of_range" << true;
    QTest::newRow("small and no number") << "timestamp" << series(0, "") << "nan" << "bad_timestamp" << true;
    QTest::newRow("dates and a number") << "timestamp" << dates << "5" << "bad_timestamp" << false;
    QTest::newRow("dates and none") << "timestamp" << dates << "1970-01-01 00:00:00" << "out_of_range" << false;
    QTest::newRow("named unit, far before") << "timestamp_s" << series(4'700'000'000, "") << "-4700000000"
                                            << "out_of_range" << false;
    QTest::newRow("named unit, no more in 64 bits") << "timestamp_ns" << series(5, "000000000")
                                                    << "9223372036854775807" << "out_of_range" << false;
    QTest::newRow("named unit, beyond 64 bits") << "timestamp_ns" << series(5, "000000000") << "92233720368547758080"
                                                << "out_of_range" << false;
    QTest::newRow("named unit, far below") << "timestamp_ns" << series(5, "000000000") << "-9223372036854775806"
                                           << "out_of_range" << false;
}

void TraceImportTest::timesOfJsonThatDoNotFit()
{
    const auto row = [](const std::string& time) {
        return "{\"timestamp_ns\":" + time + ",\"prompt_tokens\":10,\"output_tokens\":10}\n";
    };
    const Result<Trace> result =
        importText(row("9223372036854775806") + row("-9223372036854775806") + row("-9223372036854775808") + row("5"));
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    QCOMPARE(result.value().rowsAccepted, std::uint64_t(1));
    QCOMPARE(result.value().rejectedByReason.at("out_of_range"), std::uint64_t(3));
    // Of an agent inside of a session, whose times add up.
    const std::string inner = R"({"requests":[{"t":5e9,"in":9,"out":9},{"t":1,"in":9,"out":9}],"t":5e9})";
    const Result<Trace> session = importText(R"({"id":"a","requests":[)" + inner + "]}\n");
    QVERIFY2(session.ok(), session ? "" : session.error().line().c_str());
    QCOMPARE(session.value().rowsAccepted, std::uint64_t(1));
    QVERIFY((session.value().rejected == std::vector<RejectedRow>{{1, "timestamp", "out_of_range"}}));
}

void TraceImportTest::countsThatMayBeGroups()
{
    const Result<Trace> result = importText("timestamp;prompt_tokens;completion_tokens\n"
                                            "1,5;10;20\n2,25;11,0;21\n3;1.000;5\n4;1,000;5\n5;2000,000;5\n6;7.0;5\n");
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    QCOMPARE(result.value().rowsAccepted, std::uint64_t(4));
    QVERIFY((result.value().rejected == std::vector<RejectedRow>{{4, "prompt", "ambiguous_number"},
                                                                 {5, "prompt", "ambiguous_number"}}));
    // With commas between the cells a point is one.
    const Result<Trace> commas = importText("prompt_tokens,completion_tokens\n1.000,5\n");
    QVERIFY(commas.ok() && commas.value().rows[0].lengths.promptTokens == 1);
}

void TraceImportTest::whatFollowsAnArrayIsRead()
{
    const std::string row = R"({"timestamp":1,"input_length":5,"output_length":5})";
    const Result<Trace> two = importText("[" + row + "]\n[" + row + "," + row + "]\n");
    QVERIFY2(two.ok(), two ? "" : two.error().line().c_str());
    QCOMPARE(two.value().rowsAccepted, std::uint64_t(3));
    QCOMPARE(two.value().rowsRejected, std::uint64_t(0));
    const Result<Trace> more = importText("[" + row + "," + row + "]\n" + row + "\ngarbage\n]\n");
    QVERIFY2(more.ok(), more ? "" : more.error().line().c_str());
    QCOMPARE(more.value().rowsAccepted, std::uint64_t(3));
    QVERIFY((more.value().rejected ==
             std::vector<RejectedRow>{{4, "", "invalid_json"}, {5, "", "invalid_json"}}));
    std::string many;
    for (int i = 0; i < 300'000; ++i)
        many += "[]";
    QVERIFY(!importText(many).ok());
}

void TraceImportTest::cellsThatShouldHoldJson()
{
    std::ifstream file(TAILMARK_TEST_DATA "/traces/langfuse.csv");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const Result<Trace> whole = importText(text);
    QVERIFY(whole.ok());
    const Result<Trace> result =
        importText(text + "o9,GENERATION,t1,s1,2025-02-03 09:00:09.000000,2025-02-03 09:00:09.500000,gpt-4o,"
                          "\"{\"\"input\"\": 1000, \",\n");
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    QCOMPARE(result.value().rowsAccepted, whole.value().rowsAccepted);
    QCOMPARE(result.value().rejected.back().field, std::string("prompt"));
    QCOMPARE(result.value().rejected.back().reason, std::string("invalid_json"));
}

void TraceImportTest::recordsThatAreTooLong()
{
    const Result<Trace> result = importText("{\"a\":\"" + std::string(70'000'000, 'x') + "\"}\n");
    QVERIFY(!result.ok());
    QVERIFY2(result.error().message.starts_with("not_text: the first record is longer than 64 MiB"),
             result.error().message.c_str());
}

void TraceImportTest::logs_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("format");
    QTest::addColumn<QString>("row"); ///< the second: arrival in ms, prompt, output, cached
    const QString data = TAILMARK_TEST_DATA "/traces/";
    for (const auto& [file, format, row] : {std::tuple{"litellm.csv", "generic", "1500 2200 31 -1"},
                                            {"litellm.jsonl", "generic", "1500 2200 31 -1"},
                                            {"langfuse.csv", "generic", "2500 2200 31 2048"},
                                            {"langfuse.jsonl", "generic", "2500 2200 31 -1"},
                                            {"helicone.csv", "generic", "1000 2200 31 1024"},
                                            {"openai.jsonl", "generic", "2000 2200 31 1920"},
                                            {"responses.jsonl", "generic", "2000 2200 31 1920"},
                                            {"otel.jsonl", "generic", "1000 2200 31 -1"},
                                            {"azure2025.csv", "azure", "120 2200 31 -1"},
                                            {"vidur.csv", "vidur", "250 2200 31 -1"},
                                            {"vllm_custom.jsonl", "vllm", "null 10 31 -1"},
                                            {"aiperf_single.jsonl", "aiperf", "1500 5 31 -1"},
                                            {"guidellm.csv", "guidellm", "null 2200 31 -1"}})
        QTest::newRow(file) << data + file << format << row;
}

void TraceImportTest::logs()
{
    QFETCH(QString, file);
    const Result<Trace> result = importTrace(file.toStdString());
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    const Trace& trace = result.value();
    QTEST(QString::fromStdString(trace.format), "format");
    QVERIFY(trace.rows.size() >= 2);
    const TraceRow row = trace.rows[1];
    const std::string text = ms(row.arrival).dump() + " " + std::to_string(row.lengths.promptTokens) + " " +
                             std::to_string(row.lengths.outputTokens) + " " +
                             std::to_string(row.cachedTokens);
    QTEST(QString::fromStdString(text).replace(".0 ", " "), "row");
}

void TraceImportTest::namedColumns()
{
    const std::string csv = "when;asked;said\n1;10;1\n3;30;3\n";
    QVERIFY(!importText(csv).ok());
    TraceOptions options;
    options.columns = {{Field::Timestamp, "when"}, {Field::Prompt, "Asked"}, {Field::Output, "said"}};
    options.timeUnit = TimeUnit::Seconds;
    const Result<Trace> named = importText(csv, options);
    QVERIFY2(named.ok(), named ? "" : named.error().line().c_str());
    QCOMPARE(named.value().stats.arrivals->duration, Nanoseconds(2'000'000'000));
    QCOMPARE(named.value().format, std::string("generic"));
    options.columns[Field::Prompt] = "nothing";
    const Result<Trace> wrong = importText(csv, options);
    QVERIFY(!wrong.ok());
    QVERIFY2(wrong.error().message ==
                 "no_column: has no column \"nothing\" for prompt; there are: when, asked, said",
             wrong.error().message.c_str());
    TraceOptions paths;
    paths.columns = {{Field::Prompt, "cost.units.in"}, {Field::Output, "cost.units.out"}};
    const Result<Trace> nested = importText(
        "{\"cost\": {\"units\": {\"in\": 7, \"out\": 8}}, \"prompt_tokens\": 1, \"completion_tokens\": 1}\n",
        paths);
    QVERIFY2(nested.ok(), nested ? "" : nested.error().line().c_str());
    QVERIFY((nested.value().rows[0].lengths == LengthPair{7, 8}));
}

void TraceImportTest::timeUnits_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    QTest::addColumn<qlonglong>("gapNs");
    QTest::addColumn<bool>("guessed");
    QTest::newRow("unix ns") << "time"
                             << "1700000000000000000"
                             << "1700000000000000007" << qlonglong(7) << false;
    QTest::newRow("unix us") << "time"
                             << "1700000000000000"
                             << "1700000000000007" << qlonglong(7'000) << false;
    QTest::newRow("unix ms") << "time"
                             << "1700000000000"
                             << "1700000000007" << qlonglong(7'000'000) << false;
    QTest::newRow("unix s") << "created"
                            << "1700000000"
                            << "1700000007" << qlonglong(7'000'000'000) << false;
    QTest::newRow("unix s with a fraction") << "created"
                                            << "1700000000.25"
                                            << "1700000000.5" << qlonglong(250'000'000) << false;
    QTest::newRow("named ms") << "arrival_ms"
                              << "1"
                              << "2" << qlonglong(1'000'000) << false;
    QTest::newRow("named s") << "arrival_s"
                             << "1"
                             << "2.000000001" << qlonglong(1'000'000'001) << false;
    QTest::newRow("relative with a fraction") << "time"
                                              << "0.5"
                                              << "1" << qlonglong(500'000'000) << true;
    QTest::newRow("relative, whole and wide") << "time"
                                              << "0"
                                              << "500" << qlonglong(500'000'000) << true;
    QTest::newRow("relative, whole and narrow") << "time"
                                                << "0"
                                                << "3" << qlonglong(3'000'000'000) << true;
    QTest::newRow("exponent") << "arrival_s"
                              << "0"
                              << "1e-3" << qlonglong(1'000'000) << false;
}

void TraceImportTest::timeUnits()
{
    QFETCH(QString, name);
    QFETCH(QString, first);
    QFETCH(QString, second);
    QFETCH(qlonglong, gapNs);
    QFETCH(bool, guessed);
    const Result<Trace> result = importText(
        (name + ",prompt_tokens,output_tokens\n" + first + ",1,1\n" + second + ",2,2\n").toStdString());
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    QCOMPARE(qlonglong(result.value().stats.arrivals->duration.count()), gapNs);
    QCOMPARE(warns(result.value(), "time_unit_guessed"), guessed);
}

void TraceImportTest::agentSessions()
{
    const Result<Trace> result = importTrace(TAILMARK_TEST_DATA "/traces/agent_session.json");
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    const Trace& trace = result.value();
    QCOMPARE(trace.format, std::string("weka"));
    QCOMPARE(trace.rowsAccepted, std::uint64_t(4));
    QVERIFY(trace.sessionClock && !trace.timed());
    QCOMPARE(trace.stats.sessions->sessions, std::uint64_t(2)); // the sub-agent is a conversation of its own
    // Two blocks of the first turn come again in the second; the sub-agent has the first of them.
    QCOMPARE(trace.stats.prefix->blocks, std::uint64_t(2 + 3 + 2 + 3));
    QCOMPARE(trace.stats.prefix->uniqueBlocks, std::uint64_t(4));
    QCOMPARE(trace.stats.prefix->blockHitRate, (0 + 2 + 1 + 3) / 10.0);
    QCOMPARE(trace.rows[2].arrival,
             Nanoseconds(12'500'000'000)); // 10 s after the session, 2.5 s after its own start
    QCOMPARE(trace.rows[1].thinkTime, Nanoseconds(2'000'000'000));
    QVERIFY(!warns(trace, "hash_ids_length_mismatch"));
    QCOMPARE(trace.rejected.at(0).reason, std::string("zero"));
}

void TraceImportTest::conversations()
{
    const Result<Trace> result = importTrace(TAILMARK_TEST_DATA "/traces/conversations.json");
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    const Trace& trace = result.value();
    QCOMPARE(trace.format, std::string("sharegpt"));
    QCOMPARE(trace.lengthUnit, std::string("unicode code points"));
    QCOMPARE(trace.rowsAccepted, std::uint64_t(3));
    QVERIFY((trace.rows[0].lengths == LengthPair{4, 2})); // code points, and the system prompt is left out
    QVERIFY((trace.rows[1].lengths == LengthPair{2, 3})); // JSON inside of a text
    QVERIFY((trace.rows[2].lengths == LengthPair{5, 6})); // role and content
    QVERIFY((trace.rejected == std::vector<RejectedRow>{{2, "prompt", "empty_value"},
                                                        {4, "", "too_few_turns"},
                                                        {5, "", "missing_column"}}));
}

void TraceImportTest::turns()
{
    TraceOptions options;
    options.outputTokens = 64;
    const Result<Trace> result =
        importText("{\"session_id\": \"a\", \"turns\": [{\"text\": \"four\", \"timestamp\": 5}, {\"texts\": "
                   "[\"ab\", \"c\"], \"delay\": 1500}]}\n"
                   "{\"session_id\": \"b\", \"turns\": [{\"text\": \"\"}]}\n",
                   options);
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    QCOMPARE(result.value().format, std::string("aiperf"));
    QCOMPARE(result.value().rowsAccepted, std::uint64_t(2));
    QVERIFY((result.value().rows[1].lengths == LengthPair{3, 64}));
    QCOMPARE(result.value().rows[1].thinkTime, Nanoseconds(1'500'000'000));
    QVERIFY(!result.value().timed());
    QVERIFY(warns(result.value(), "output_not_told"));
    QVERIFY((result.value().rejected == std::vector<RejectedRow>{{2, "prompt", "empty_value"}}));
}

void TraceImportTest::followUpsBelongToTheirConversation()
{
    std::string text;
    for (const auto& [chat, parent, t] :
         {std::tuple{7, -1, "0.5"}, {8, -1, "1.0"}, {9, 7, "2.0"}, {10, 9, "4.25"}})
        text += "{\"chat_id\": " + std::to_string(chat) + ", \"parent_chat_id\": " + std::to_string(parent) +
                ", \"timestamp\": " + t +
                ", \"input_length\": 33, \"output_length\": 5, \"type\": \"text\", \"turn\": 1, "
                "\"hash_ids\": [1, 2, " +
                std::to_string(chat) + "]}\n";
    const Result<Trace> result = importText(text);
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    const Trace& trace = result.value();
    QCOMPARE(trace.format, std::string("bailian"));
    QCOMPARE(trace.blockSize, 16);
    QCOMPARE(trace.stats.arrivals->duration, Nanoseconds(3'750'000'000));
    QCOMPARE(trace.rows[3].session, trace.rows[0].session);
    QCOMPARE(trace.stats.sessions->sessions, std::uint64_t(2));
    QCOMPARE(trace.stats.prefix->blockHitRate, 0.5);
    QCOMPARE(trace.stats.prefix->tokenHitRate, 3 * 32 / (4 * 33.0));
    QVERIFY(!warns(trace, "time_unit_guessed"));
}

void TraceImportTest::promptsWithoutOutput()
{
    const std::string text = "{\"prompt\": \"Name three rivers.\"}\n{\"prompt\": \"\"}\n";
    const Result<Trace> refused = importText(text);
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().message.starts_with("no_rows: ") &&
                 refused.error().message.ends_with("can be given"),
             refused.error().message.c_str());
    TraceOptions options;
    options.outputTokens = 100;
    const Result<Trace> given = importText(text, options);
    QVERIFY(given.ok());
    QVERIFY((given.value().rows[0].lengths == LengthPair{18, 100}));
}

void TraceImportTest::modelsCanBeChosen()
{
    const std::string text =
        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
        "5,ChatGPT,472,18,490,Conversation log\n45,GPT-4,1087,230,1317,Conversation log\n";
    TraceOptions options;
    options.model = "GPT-4";
    const Result<Trace> result = importText(text, options);
    QVERIFY(result.ok());
    QCOMPARE(result.value().rowsAccepted, std::uint64_t(1));
    QVERIFY(warns(result.value(), "other_models_left_out"));
    options.model = "none";
    QCOMPARE(importText(text, options).error().message,
             std::string("no_rows: has no row of the model \"none\""));
    QVERIFY((importText(text).value().models == std::vector<std::string>{"ChatGPT", "GPT-4"}));
}

void TraceImportTest::aggregatesAreRefused()
{
    const Result<Trace> result = importText("{\"start_time\": 1700000000, \"input_tokens\": 100, "
                                            "\"output_tokens\": 20, \"num_model_requests\": 9}\n");
    QVERIFY(!result.ok());
    QVERIFY2(result.error().message.starts_with("aggregate: "), result.error().message.c_str());
}

void TraceImportTest::sampledInBoundedMemory()
{
    std::string text = "timestamp_ms,prompt_tokens,output_tokens\n";
    for (int i = 0; i < 5'000; ++i)
        text += std::to_string(i * 10) + "," + std::to_string(1 + i % 1000) + ",7\n";
    text += "x,1,1\nx,1,1\nx,1,1\n";
    TraceOptions options;
    options.keepRows = 1'000;
    options.keepRejected = 2;
    const Result<Trace> sampled = importText(text, options), whole = importText(text);
    QVERIFY(sampled.ok() && whole.ok());
    const Trace& trace = sampled.value();
    QCOMPARE(trace.rowsAccepted, std::uint64_t(5'000));
    QCOMPARE(trace.sampledEvery, std::uint64_t(8));
    QCOMPARE(trace.rows.size(), std::size_t(625));
    QCOMPARE(trace.rows[1].arrival, Nanoseconds(80'000'000));
    QVERIFY(warns(trace, "rows_sampled"));
    QCOMPARE(trace.rejected.size(), std::size_t(2));
    QCOMPARE(trace.rejectedByReason.at("bad_timestamp"), std::uint64_t(3));
    // The figures are those of all rows.
    QCOMPARE(trace.hash, whole.value().hash);
    QCOMPARE(trace.stats.prompt.p99, whole.value().stats.prompt.p99);
    QCOMPARE(trace.stats.arrivals->duration, whole.value().stats.arrivals->duration);
    QVERIFY(std::abs(trace.stats.arrivals->gaps->p50Ns - 10'000'000) <= 10'000);
}

void TraceImportTest::aPipeIsReadAsItsWriterGoesOn()
{
    const QTemporaryDir folder;
    const std::string pipe = folder.filePath("pipe").toStdString();
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    const std::jthread writer([&pipe] {
        std::ofstream out(pipe);
        out << "timestamp_ms,prompt_tokens,output_tokens\n0,800,100\n" << std::flush;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        out << "250,600,20\n";
    });
    const Result<Trace> result = importTrace(pipe);
    QVERIFY2(result.ok(), result ? "" : result.error().line().c_str());
    QCOMPARE(result.value().rowsAccepted, std::uint64_t{2});
}

void TraceImportTest::aPipeWithoutAWriterCanBeStopped()
{
    const QTemporaryDir folder;
    const std::string pipe = folder.filePath("pipe").toStdString();
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    std::stop_source source;
    TraceOptions options;
    options.stop = source.get_token();
    options.progress = [&](double, std::uint64_t) { source.request_stop(); };
    const Result<Trace> result = importTrace(pipe, options);
    QVERIFY(!result.ok());
    QCOMPARE(result.error().code, ErrorCode::Cancelled);
}

void TraceImportTest::stopsWhenAsked()
{
    std::string text = "timestamp_ms,prompt_tokens,output_tokens\n";
    for (int i = 0; i < 40'000; ++i)
        text += std::to_string(i) + ",5,7\n";
    std::stop_source source;
    TraceOptions options;
    options.stop = source.get_token();
    int calls = 0;
    options.progress = [&](double fraction, std::uint64_t rows) {
        ++calls;
        QVERIFY(fraction >= 0 && fraction <= 1 && rows > 0);
        source.request_stop();
    };
    const Result<Trace> result = importText(text, options);
    QVERIFY(!result.ok());
    QCOMPARE(result.error().code, ErrorCode::Cancelled);
    QCOMPARE(calls, 1);
}

void TraceImportTest::canonicalRowsComeBack()
{
    const Result<Trace> result = importTrace(TAILMARK_TEST_DATA "/traces/agent_session.json");
    QVERIFY(result.ok());
    const Trace& trace = result.value();
    const std::string bytes = canonicalRows(trace);
    Sha256 hash;
    hash.add(bytes);
    QCOMPARE(hash.hex(), trace.hash);
    CanonicalDecoder decoder(bytes);
    TraceRow row;
    std::vector<BlockRun> blocks;
    std::size_t i = 0;
    for (; decoder.next(row, blocks); ++i) {
        TraceRow original = trace.rows[i];
        original.line = 0; // of the file, not of the request
        original.arrival -= trace.rows[0].arrival;
        QVERIFY(row == original);
        QVERIFY(std::ranges::equal(blocks, trace.rows.blocks(i)));
    }
    QCOMPARE(i, trace.rows.size());
    Trace facts;
    QVERIFY(decoder.trailer(facts));
    QCOMPARE(facts.blockSize, trace.blockSize);
    QVERIFY(facts.sessionClock && facts.models == trace.models);
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
        CanonicalDecoder damaged(std::string_view(bytes).substr(0, cut));
        while (damaged.next(row, blocks)) {
        }
        Trace none;
        QVERIFY(!damaged.trailer(none));
    }
}

void TraceImportTest::gridsAreToldAndSpread()
{
    std::string text = "timestamp_ms,prompt_tokens,output_tokens\n";
    for (int i = 0; i < 1'000; ++i)
        text +=
            std::to_string((i / 10) * 3'000 + (i / 10) % 2) + ",5,7\n"; // ten at once, every three seconds
    const Result<Trace> onGrid = importText(text);
    QVERIFY(onGrid.ok() && onGrid.value().stats.arrivals->grid);
    QVERIFY(std::abs(toSeconds(*onGrid.value().stats.arrivals->grid) - 3) < 0.01);
    QVERIFY(warns(onGrid.value(), "arrivals_on_grid"));
    TraceOptions options;
    options.dequantise = true;
    const Result<Trace> spread = importText(text, options);
    QVERIFY(spread.ok());
    QVERIFY(warns(spread.value(), "arrivals_dequantised") && !warns(spread.value(), "arrivals_on_grid"));
    QVERIFY(!spread.value().stats.arrivals->grid);
    QCOMPARE(spread.value().hash, onGrid.value().hash);
    QVERIFY(onGrid.value().stats.arrivals->gaps->cv > 2.5);
    QVERIFY(std::abs(spread.value().stats.arrivals->gaps->cv - 1) < 0.15);
    QVERIFY((spread.value().rows[500].arrival == importText(text, options).value().rows[500].arrival));
}

/// Bad values are refused rows with their reasons, however many of the first ones they are.
void TraceImportTest::aKnownNameDecidesWhateverItsValues()
{
    for (const char* header :
         {"timestamp_ms,prompt_tokens,output_tokens", "arrival_ms,input_length,output_length", "time_ms,isl,osl"}) {
        std::string text = std::string(header) + "\n", late = text;
        for (int i = 0; i < 100; ++i) {
            text += std::to_string(10 * i) + (i % 2 == 0 ? ",x,5\n" : ",7,5\n");
            late += i < 90 ? "x,x,x\n" : std::to_string(10 * i) + ",7,5\n";
        }
        for (const char* format : {"auto", "generic"}) {
            TraceOptions options;
            options.format = format;
            const Result<Trace> half = importText(text, options), most = importText(late, options);
            QVERIFY2(half.ok(), half ? "" : half.error().line().c_str());
            QCOMPARE(half.value().rowsAccepted, std::uint64_t{50});
            QCOMPARE(half.value().rowsRejected, std::uint64_t{50});
            QCOMPARE(half.value().rejected[0].field, std::string("prompt"));
            QCOMPARE(half.value().rejected[0].reason, std::string("not_an_integer"));
            QVERIFY2(most.ok(), most ? "" : most.error().line().c_str());
            QCOMPARE(most.value().rowsAccepted, std::uint64_t{10});
            QCOMPARE(most.value().lengthUnit, std::string("tokens"));
        }
    }
    // A text stays a text where a name can be that of either.
    const Result<Trace> texts = importText("input,response\nhello there,bye\nwhat is it,this\n");
    QVERIFY(texts.ok());
    QCOMPARE(texts.value().lengthUnit, std::string("unicode code points"));
}

/// As measuring goes on behind it.
void TraceImportTest::aStopBehindTheLastByteIsHeard()
{
    std::stop_source stop;
    TraceOptions options;
    options.stop = stop.get_token();
    options.progress = [&](double fraction, std::uint64_t) {
        if (fraction >= 1)
            stop.request_stop();
    };
    const Result<Trace> trace = importText("timestamp_ms,prompt_tokens,output_tokens\n0,5,7\n10,5,7\n", options);
    QVERIFY(!trace.ok());
    QCOMPARE(trace.error().code, ErrorCode::Cancelled);
}

QTEST_GUILESS_MAIN(TraceImportTest)
#include "tst_trace_import.moc"
