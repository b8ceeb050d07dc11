// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "target/prometheus.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace tailmark;

namespace {

struct Read
{
    std::vector<PrometheusSample> samples;
    std::size_t malformed = 0;
    std::string error;
};

Read read(std::string_view text)
{
    Read result;
    PrometheusReader reader(text);
    while (const auto sample = reader.next())
        result.samples.push_back(*sample);
    result.malformed = reader.malformedLines();
    result.error = reader.firstError();
    return result;
}

QString shown(const Read& r)
{
    QString text;
    for (const PrometheusSample& s : r.samples)
        text += QString::fromStdString(std::string(s.name) + "{" + std::string(s.labels) + "} ") +
                QString::number(s.value) + "; ";
    return text + QString::fromStdString(r.error);
}

} // namespace

class PrometheusTest : public QObject
{
    Q_OBJECT

private slots:
    void theExampleOfTheFormat()
    {
        // from the documentation of the exposition format
        const Read r =
            read("# HELP http_requests_total The total number of HTTP requests.\n"
                 "# TYPE http_requests_total counter\n"
                 "http_requests_total{method=\"post\",code=\"200\"} 1027 1395066363000\n"
                 "http_requests_total{method=\"post\",code=\"400\"}    3 1395066363000\n"
                 "\n"
                 "# Escaping in label values:\n"
                 "msdos_file_access_time_seconds{path=\"C:\\\\DIR\\\\FILE.TXT\",error=\"Cannot find "
                 "file:\\n\\\"FILE.TXT\\\"\"} 1.458255915e9\n"
                 "\n"
                 "# Minimalistic line:\n"
                 "metric_without_timestamp_and_labels 12.47\n"
                 "\n"
                 "# A weird metric from before the epoch:\n"
                 "something_weird{problem=\"division by zero\"} +Inf -3982045\n"
                 "\n"
                 "# A histogram, which has a pretty complex representation in the text format:\n"
                 "# HELP http_request_duration_seconds A histogram of the request duration.\n"
                 "# TYPE http_request_duration_seconds histogram\n"
                 "http_request_duration_seconds_bucket{le=\"0.05\"} 24054\n"
                 "http_request_duration_seconds_bucket{le=\"+Inf\"} 144320\n"
                 "http_request_duration_seconds_sum 53423\n"
                 "http_request_duration_seconds_count 144320\n");
        QCOMPARE(r.malformed, std::size_t(0));
        QVERIFY2(r.samples.size() == 9, qPrintable(shown(r)));
        QCOMPARE(r.samples[0].name, std::string_view("http_requests_total"));
        QVERIFY(r.samples[0].type == PrometheusType::Counter);
        QCOMPARE(r.samples[0].value, 1027.0);
        QCOMPARE(r.samples[0].timestampMs.value(), std::int64_t(1395066363000));
        QCOMPARE(r.samples[1].label("code").value(), std::string("400"));
        QVERIFY(!r.samples[1].label("status"));
        QCOMPARE(r.samples[2].label("path").value(), std::string("C:\\DIR\\FILE.TXT"));
        QCOMPARE(r.samples[2].label("error").value(), std::string("Cannot find file:\n\"FILE.TXT\""));
        QVERIFY(r.samples[2].type == PrometheusType::Untyped);
        QVERIFY(!r.samples[3].timestampMs);
        QVERIFY(std::isinf(r.samples[4].value));
        QCOMPARE(r.samples[4].timestampMs.value(), std::int64_t(-3982045));
        QVERIFY(r.samples[5].type == PrometheusType::Histogram);
        QCOMPARE(r.samples[5].label("le").value(), std::string("0.05"));
        QCOMPARE(r.samples[7].name, std::string_view("http_request_duration_seconds_sum"));
        QVERIFY(r.samples[7].type == PrometheusType::Histogram);
    }

    void values_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("value");
        QTest::addRow("integer") << QByteArray("7") << 7.0;
        QTest::addRow("negative") << QByteArray("-7.25") << -7.25;
        QTest::addRow("plus sign") << QByteArray("+3") << 3.0;
        QTest::addRow("exponent") << QByteArray("1.5e+06") << 1.5e6;
        QTest::addRow("capital exponent") << QByteArray("2E-3") << 2e-3;
        QTest::addRow("without leading zero") << QByteArray(".5") << 0.5;
        QTest::addRow("without decimals") << QByteArray("5.") << 5.0;
        QTest::addRow("+Inf") << QByteArray("+Inf") << std::numeric_limits<double>::infinity();
        QTest::addRow("-Inf") << QByteArray("-Inf") << -std::numeric_limits<double>::infinity();
        QTest::addRow("Inf") << QByteArray("Inf") << std::numeric_limits<double>::infinity();
    }
    void values()
    {
        QFETCH(QByteArray, text);
        QFETCH(double, value);
        const std::string line = "m " + text.toStdString() + "\n";
        const Read r = read(line);
        QVERIFY2(r.samples.size() == 1, qPrintable(shown(r)));
        QCOMPARE(r.samples[0].value, value);
    }

    void notANumberIsAValue()
    {
        for (const char* text : {"m NaN\n", "m nan\n"}) {
            const Read r = read(text);
            QCOMPARE(r.samples.size(), std::size_t(1));
            QVERIFY(std::isnan(r.samples[0].value));
        }
    }

    void goodLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("labels");
        QTest::addRow("colon in the name") << QByteArray("vllm:num_requests_running 1") << QByteArray();
        QTest::addRow("empty braces") << QByteArray("m{} 1") << QByteArray();
        QTest::addRow("value without a blank before it")
            << QByteArray("m{a=\"b\"}1") << QByteArray("a=\"b\"");
        QTest::addRow("blanks everywhere") << QByteArray(" \t m \t{ a = \"b\" , c = \"d\" } \t 1 \t 5 \t")
                                           << QByteArray(" a = \"b\" , c = \"d\" ");
        QTest::addRow("comma behind the last label") << QByteArray("m{a=\"b\",} 1") << QByteArray("a=\"b\",");
        QTest::addRow("braces and commas in a value")
            << QByteArray("m{a=\"},{=#\"} 1") << QByteArray("a=\"},{=#\"");
        QTest::addRow("bytes that are no UTF-8")
            << QByteArray("m{a=\"\xff\xfe\x01\"} 1") << QByteArray("a=\"\xff\xfe\x01\"");
        QTest::addRow("empty value of a label") << QByteArray("m{a=\"\"} 1") << QByteArray("a=\"\"");
    }
    void goodLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, labels);
        const std::string text = line.toStdString() + "\n";
        const Read r = read(text);
        QVERIFY2(r.samples.size() == 1 && r.malformed == 0, qPrintable(shown(r)));
        QCOMPARE(QByteArray::fromStdString(std::string(r.samples[0].labels)), labels);
        QCOMPARE(r.samples[0].value, 1.0);
    }

    void brokenLinesAreLeftOut_data()
    {
        QTest::addColumn<QByteArray>("line");
        for (const char* line : {"m",
                                 "m ",
                                 "m x",
                                 "m 1 2 3",
                                 "m 1 x",
                                 "m 1.5 2.5",
                                 "7m 1",
                                 "m{a=\"b\" 1",
                                 "m{a=\"b} 1",
                                 "m{a=b} 1",
                                 "m{a} 1",
                                 "m{=\"b\"} 1",
                                 "m{a=\"b\"",
                                 "m{a=\"\\x\"} 1",
                                 "m{a=\"b\"c=\"d\"} 1",
                                 "m{,} 1",
                                 "m{a:b=\"c\"} 1",
                                 "m--1",
                                 "m -",
                                 "m +-1",
                                 "m --1",
                                 "m 1e",
                                 "m 0x10",
                                 "m nan(1)",
                                 "m 1e999",
                                 "{a=\"b\"} 1",
                                 "m-n 1",
                                 "m{a=\"b\"}} 1",
                                 "m 1 99999999999999999999",
                                 "<html>",
                                 "m\r 1",
                                 "m 1\r",
                                 "# TYPE m counte",
                                 "# TYPE m counter gauge",
                                 "# TYPE 9m counter",
                                 "# TYPE",
                                 "# HELP",
                                 "# HELP m{x} y",
                                 "\"m\" 1"})
            QTest::addRow("%s", line) << QByteArray(line);
        QTest::addRow("zero byte") << QByteArray("m\0 1", 4);
    }
    void brokenLinesAreLeftOut()
    {
        QFETCH(QByteArray, line);
        const std::string text = "before 1\n" + line.toStdString() + "\nafter 2\n";
        const Read r = read(text);
        QVERIFY2(r.malformed == 1 && r.samples.size() == 2, qPrintable(shown(r)));
        QCOMPARE(r.samples[1].name, std::string_view("after"));
        QVERIFY2(r.error.starts_with("line 2: "), r.error.c_str());
    }

    void aCutLastLineIsNoSample()
    {
        const Read r = read("m 123\nn 123");
        QCOMPARE(r.samples.size(), std::size_t(1));
        QCOMPARE(r.malformed, std::size_t(1));
        QCOMPARE(r.error, std::string("line 2: the last line is cut off"));
    }

    void commentsAreNoSamples()
    {
        const Read r = read("#\n# x\n#TYPE m counter\n# HELP m\n# HELP m a { \\n b\n# EOF\n   # y\nm 1\n");
        QCOMPARE(r.malformed, std::size_t(0));
        QCOMPARE(r.samples.size(), std::size_t(1));
        QVERIFY(r.samples[0].type == PrometheusType::Counter);
    }

    void aTypeIsThatOfItsOwnMetricOnly()
    {
        const Read r = read("# TYPE m counter\nm_total 1\nm 1\nmm 1\nm_waiting 1\n# TYPE q summary\nq_sum 2\n"
                            "q{quantile=\"0.5\"} 2\n");
        QCOMPARE(r.samples.size(), std::size_t(6));
        QVERIFY(r.samples[0].type == PrometheusType::Counter);
        QVERIFY(r.samples[1].type == PrometheusType::Counter);
        QVERIFY(r.samples[2].type == PrometheusType::Untyped);
        QVERIFY(r.samples[3].type == PrometheusType::Untyped);
        QVERIFY(r.samples[4].type == PrometheusType::Summary);
        QVERIFY(r.samples[5].type == PrometheusType::Summary);
    }

    void anyCutGivesTheSamplesBeforeIt()
    {
        const std::string text = "# TYPE m counter\nm{a=\"x\\\"y\"} 12\nn 3.5 77\n";
        const Read whole = read(text);
        QCOMPARE(whole.samples.size(), std::size_t(2));
        for (std::size_t n = 0; n <= text.size(); ++n) {
            const Read part = read(std::string_view(text).substr(0, n));
            const std::size_t lines = static_cast<std::size_t>(
                std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(n), '\n'));
            QCOMPARE(part.samples.size(), lines > 0 ? lines - 1 : 0);
            for (std::size_t i = 0; i < part.samples.size(); ++i)
                QCOMPARE(part.samples[i].value, whole.samples[i].value);
        }
    }

    void anyByteAnywhereIsSurvived()
    {
        const std::string text = "# TYPE m counter\nm{a=\"x\\\"y\",b=\"\"} 12 5\nn -3.5e1\n";
        for (std::size_t at = 0; at < text.size(); ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string changed = text;
                changed[at] = static_cast<char>(byte);
                const Read r = read(changed);
                QVERIFY(r.samples.size() + r.malformed <= 4);
                for (const PrometheusSample& s : r.samples)
                    s.label("a");
            }
        }
    }

    void nothing()
    {
        QVERIFY(read("").samples.empty());
        QCOMPARE(read("").malformed, std::size_t(0));
        QVERIFY(read("\n\n \t\n").samples.empty());
    }
};

QTEST_GUILESS_MAIN(PrometheusTest)
#include "tst_prometheus.moc"
