// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <QFile>
#include <QTemporaryDir>

#include "sim/metrics.h"
#include "sim/truth_log.h"

using namespace tailmark;
using namespace tailmark::sim;

/// The two texts the server keeps about itself: Prometheus metrics and the truth log.
class TestMetrics : public QObject
{
    Q_OBJECT

private slots:
    void histogramBucketsAreCumulative();
    void everyFamilyHasHelpAndType();
    void labelsAreEscaped();
    void truthRows();
};

void TestMetrics::histogramBucketsAreCumulative()
{
    constexpr double bounds[] = {0.5, 1, 10};
    Histogram histogram(bounds);
    for (const double value : {0.1, 0.5, 0.7, 10.0, 11.0})
        histogram.observe(value);
    std::string text;
    histogram.append(text, "h", "a=\"b\"");
    QCOMPARE(text, std::string("h_bucket{a=\"b\",le=\"0.5\"} 2.0\n"
                               "h_bucket{a=\"b\",le=\"1.0\"} 3.0\n"
                               "h_bucket{a=\"b\",le=\"10.0\"} 4.0\n"
                               "h_bucket{a=\"b\",le=\"+Inf\"} 5.0\n"
                               "h_count{a=\"b\"} 5.0\n"
                               "h_sum{a=\"b\"} 22.3\n"));
}

void TestMetrics::everyFamilyHasHelpAndType()
{
    const Metrics metrics(Profile{}, "m");
    const QStringList lines = QString::fromStdString(metrics.text({})).split('\n', Qt::SkipEmptyParts);
    QSet<QString> families;
    for (const QString& line : lines)
        if (line.startsWith("# TYPE "))
            families.insert(line.split(' ')[2]);
    QCOMPARE(lines.filter(QRegularExpression("^# HELP ")).size(), families.size());
    for (const QString& line : lines) {
        if (line.startsWith('#'))
            continue;
        QString name = line.section('{', 0, 0);
        QVERIFY2(name.startsWith("vllm:"), qPrintable(line));
        for (const char* suffix : {"_bucket", "_count", "_sum"})
            if (name.endsWith(suffix) && !families.contains(name))
                name.chop(int(qstrlen(suffix)));
        QVERIFY2(families.contains(name), qPrintable(line));
    }
    for (const char* family :
         {"num_requests_running", "num_requests_waiting", "kv_cache_usage_perc", "prefix_cache_queries_total",
          "prefix_cache_hits_total", "num_preemptions_total", "prompt_tokens_total",
          "generation_tokens_total", "request_success_total", "time_to_first_token_seconds",
          "inter_token_latency_seconds", "e2e_request_latency_seconds", "request_queue_time_seconds",
          "spec_decode_num_drafts_total", "spec_decode_num_draft_tokens_total",
          "spec_decode_num_accepted_tokens_total", "cache_config_info"})
        QVERIFY2(families.contains(QStringLiteral("vllm:") + family), family);
}

void TestMetrics::labelsAreEscaped()
{
    const Metrics metrics(Profile{}, "a\"b\\c\nd");
    const std::string label = "model_name=\"a\\\"b\\\\c\\nd\"}";
    QVERIFY(metrics.text({}).find(label) != std::string::npos);
}

void TestMetrics::truthRows()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("t.csv");
    {
        auto log = TruthLog::create(path.toStdString());
        QVERIFY(log.ok());
        TruthRow row;
        row.requestId = "a,\"b\"";
        row.received = Nanoseconds(1);
        row.httpStatus = 429;
        log.value().write(row);
        QFile flushed(path); // a row is there as soon as it is written
        QVERIFY(flushed.open(QIODevice::ReadOnly));
        QCOMPARE(flushed.readAll().count('\n'), 2);
        row = {
            "c", Nanoseconds(1),         Nanoseconds(2), Nanoseconds(3),  Nanoseconds(4), 200, 10, 20, 5, 19,
            1,   Nanoseconds(1'500'000), "stop",         FaultKind::Stall};
        log.value().write(row);
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(),
             QByteArray("request_id,received_ns,first_token_written_ns,last_token_written_ns,closed_ns,"
                        "http_status,prompt_tokens,output_tokens,cached_tokens,token_events,preemptions,"
                        "queue_ms,finish_reason,fault\n"
                        "\"a,\"\"b\"\"\",1,,,,429,0,0,0,0,0,,,\n"
                        "c,1,2,3,4,200,10,20,5,19,1,1.500000,stop,stall\n"));
}

QTEST_GUILESS_MAIN(TestMetrics)
#include "tst_metrics.moc"
