// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "target/server_counters.h"

#include <optional>
#include <string>

using namespace tailmark;
using enum ServerCounter;

namespace {

CounterSources sources()
{
    return {{Running, {{{"vllm:num_requests_running"}, MetricKind::Gauge}}},
            {Waiting, {{{"vllm:num_requests_waiting", "vllm:num_api_waiting"}, MetricKind::Gauge}}},
            {KvUse,
             {{{"vllm:kv_cache_usage_perc"}, MetricKind::Gauge},
              {{"vllm:gpu_cache_usage_perc"}, MetricKind::Gauge}}},
            {PrefixQueries, {{{"reused_total", "missed_total"}, MetricKind::Counter}}},
            {PrefixHits, {{{"reused_total"}, MetricKind::Counter}}},
            {GeneratedTokens, {{{"vllm:generation_tokens_total"}, MetricKind::Counter, true}}},
            {PromptTokens, {{{"tgi_request_input_length"}, MetricKind::Histogram}}},
            {QueueTime, {{{"vllm:request_queue_time_seconds"}, MetricKind::Histogram}}}};
}

std::optional<double> told(ServerCounter counter, const std::string& text)
{
    for (const auto& [told, value] : CounterReader(sources()).read(text))
        if (told == counter)
            return value;
    return std::nullopt;
}

} // namespace

class ServerCountersTest : public QObject
{
    Q_OBJECT

private slots:
    void everyCounterHasItsId()
    {
        QCOMPARE(serverCounters().size(), std::size_t(12));
        for (std::size_t i = 0; i < serverCounters().size(); ++i) {
            const ServerCounterInfo& info = serverCounters()[i];
            QCOMPARE(static_cast<std::size_t>(info.counter), i);
            QVERIFY(serverCounterFromId(info.id) == info.counter);
            QVERIFY(&serverCounterInfo(info.counter) == &info);
        }
        QVERIFY(!serverCounterFromId("running "));
    }

    void sumsOverEnginesAndModels()
    {
        const std::string text = "vllm:num_requests_running{engine=\"0\",model_name=\"a\"} 3.0\n"
                                 "vllm:num_requests_running{engine=\"1\",model_name=\"a\"} 4.0\n"
                                 "vllm:num_requests_running{engine=\"0\",model_name=\"b\"} 0.5\n";
        QCOMPARE(told(Running, text).value(), 7.5);
    }

    void shareOfTheCacheIsTheMeanOfEngines()
    {
        QCOMPARE(
            told(KvUse,
                 "vllm:kv_cache_usage_perc{engine=\"0\"} 0.5\nvllm:kv_cache_usage_perc{engine=\"1\"} 0.7\n")
                .value(),
            0.6);
    }

    void namesMatchWhole()
    {
        // a match of the beginning would count the same requests twice
        QCOMPARE(told(Waiting, "vllm:num_requests_waiting 2\n"
                               "vllm:num_requests_waiting_by_reason{reason=\"capacity\"} 2\n"
                               "xvllm:num_requests_waiting 5\n")
                     .value(),
                 2.0);
    }

    void anOldNameCountsWhereTheNewIsMissing()
    {
        QCOMPARE(told(KvUse, "vllm:gpu_cache_usage_perc 0.25\n").value(), 0.25);
        QCOMPARE(told(KvUse, "vllm:gpu_cache_usage_perc 0.25\nvllm:kv_cache_usage_perc 0.5\n").value(), 0.5);
    }

    void countersStandWithOrWithoutTotal()
    {
        QCOMPARE(told(GeneratedTokens, "vllm:generation_tokens_total 12\n").value(), 12.0);
        QCOMPARE(told(GeneratedTokens, "vllm:generation_tokens 12\n").value(), 12.0);
    }

    void severalNamesOfOneSourceAreAdded()
    {
        QCOMPARE(told(Waiting, "vllm:num_requests_waiting 2\nvllm:num_api_waiting 3\n").value(), 5.0);
        QCOMPARE(told(Waiting, "vllm:num_requests_waiting 2\n").value(), 2.0);
        const std::string blocks = "reused_total 30\nmissed_total 70\n";
        QCOMPARE(told(PrefixQueries, blocks).value(), 100.0);
        QCOMPARE(told(PrefixHits, blocks).value(), 30.0);
    }

    void ofAHistogramSumAndCount()
    {
        const std::string text = "# TYPE vllm:request_queue_time_seconds histogram\n"
                                 "vllm:request_queue_time_seconds_bucket{engine=\"0\",le=\"1\"} 3\n"
                                 "vllm:request_queue_time_seconds_bucket{engine=\"0\",le=\"+Inf\"} 4\n"
                                 "vllm:request_queue_time_seconds_count{engine=\"0\"} 4\n"
                                 "vllm:request_queue_time_seconds_sum{engine=\"0\"} 5.5\n"
                                 "vllm:request_queue_time_seconds_count{engine=\"1\"} 1\n"
                                 "vllm:request_queue_time_seconds_sum{engine=\"1\"} 0.5\n";
        QCOMPARE(told(QueueTime, text).value(), 6.0);
        QCOMPARE(told(QueuedRequests, text).value(), 5.0);
        QCOMPARE(told(PromptTokens, "tgi_request_input_length_sum 512\ntgi_request_input_length_count 2\n")
                     .value(),
                 512.0);
    }

    void whatIsNotToldIsAbsent()
    {
        QVERIFY(CounterReader(sources()).read("").empty());
        QVERIFY(!told(Preemptions, "vllm:num_preemptions_total 4\n")); // no source knows it
        QVERIFY(!told(Running, "vllm:num_requests_running NaN\n"));
        QVERIFY(!told(Running, "vllm:num_requests_running +Inf\n"));
        QCOMPARE(told(Running, "vllm:num_requests_running{engine=\"0\"} NaN\n"
                               "vllm:num_requests_running{engine=\"1\"} 2\n")
                     .value(),
                 2.0);
        QCOMPARE(told(Running, "vllm:num_requests_running 0\n").value(), 0.0); // zero is told
        QVERIFY(!told(Running, "<html><body>404</body></html>\n"));
        QVERIFY(!told(Running, "vllm:num_requests_running 12")); // may be the beginning of 128
    }

    void theProfileSaysWhere_data()
    {
        QTest::addColumn<QByteArray>("engine");
        QTest::addColumn<QByteArray>("metricsUrl");
        QTest::addColumn<QByteArray>("url");
        QTest::addColumn<bool>("expected");
        QTest::addColumn<bool>("withKey");
        QTest::addRow("vllm") << QByteArray("vllm") << QByteArray("auto")
                              << QByteArray("http://127.0.0.1:8000/metrics") << true << true;
        QTest::addRow("trtllm") << QByteArray("trtllm") << QByteArray("auto")
                                << QByteArray("http://127.0.0.1:8000/prometheus/metrics") << true << true;
        QTest::addRow("an engine without") << QByteArray("generic") << QByteArray("auto")
                                           << QByteArray("http://127.0.0.1:8000/metrics") << false << true;
        QTest::addRow("typed, the same server")
            << QByteArray("generic") << QByteArray("HTTP://127.0.0.1:8000/m")
            << QByteArray("HTTP://127.0.0.1:8000/m") << true << true;
        QTest::addRow("typed, another port")
            << QByteArray("vllm") << QByteArray("http://127.0.0.1:80001/metrics")
            << QByteArray("http://127.0.0.1:80001/metrics") << true << false;
        QTest::addRow("typed, another host")
            << QByteArray("vllm") << QByteArray("http://127.0.0.1.evil/metrics")
            << QByteArray("http://127.0.0.1.evil/metrics") << true << false;
        QTest::addRow("typed, without TLS")
            << QByteArray("vllm") << QByteArray("https://127.0.0.1:8000/metrics")
            << QByteArray("https://127.0.0.1:8000/metrics") << true << false;
    }
    void theProfileSaysWhere()
    {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, metricsUrl);
        QFETCH(QByteArray, url);
        QFETCH(bool, expected);
        QFETCH(bool, withKey);
        Target target;
        target.baseUrl = "http://127.0.0.1:8000/v1";
        target.metricsUrl = metricsUrl.toStdString();
        const auto endpoint = counterEndpoint(target, engine.toStdString(), {"Authorization: Bearer k"});
        QVERIFY(endpoint);
        QCOMPARE(QByteArray::fromStdString(endpoint->url), url);
        QCOMPARE(endpoint->expected, expected);
        QCOMPARE(endpoint->headers.size(),
                 withKey ? std::size_t(1) : std::size_t(0)); // a key goes nowhere else
        QVERIFY(!endpoint->sources.empty());
    }

    void noneIsNowhere()
    {
        Target target;
        for (const char* url : {"none", ""}) {
            target.metricsUrl = url;
            QVERIFY(!counterEndpoint(target, "vllm", {}));
        }
    }

    void everyProfileNamesCountersThatAreRead_data()
    {
        QTest::addColumn<QByteArray>("engine");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("counters");
        // as they stand in the engines' own replies
        QTest::addRow("vllm") << QByteArray("vllm")
                              << QByteArray("vllm:num_requests_running{engine=\"0\"} 1.0\n"
                                            "vllm:num_requests_waiting{engine=\"0\"} 2.0\n"
                                            "vllm:kv_cache_usage_perc{engine=\"0\"} 0.25\n"
                                            "vllm:prefix_cache_queries_total{engine=\"0\"} 100.0\n"
                                            "vllm:prefix_cache_hits_total{engine=\"0\"} 50.0\n"
                                            "vllm:num_preemptions_total{engine=\"0\"} 0.0\n"
                                            "vllm:prompt_tokens_total{engine=\"0\"} 100.0\n"
                                            "vllm:generation_tokens_total{engine=\"0\"} 10.0\n"
                                            "vllm:request_queue_time_seconds_count{engine=\"0\"} 1.0\n"
                                            "vllm:request_queue_time_seconds_sum{engine=\"0\"} 0.5\n")
                              << 10;
        QTest::addRow("vllm, old names") << QByteArray("vllm")
                                         << QByteArray("vllm:gpu_cache_usage_perc 0.25\n"
                                                       "vllm:gpu_prefix_cache_queries_total 100.0\n"
                                                       "vllm:gpu_prefix_cache_hits_total 50.0\n")
                                         << 3;
        QTest::addRow("sglang") << QByteArray("sglang")
                                << QByteArray("sglang:num_running_reqs{tp_rank=\"0\"} 1.0\n"
                                              "sglang:num_queue_reqs{tp_rank=\"0\"} 2.0\n"
                                              "sglang:token_usage{tp_rank=\"0\"} 0.25\n"
                                              "sglang:prompt_tokens_total 100.0\n"
                                              "sglang:cached_tokens_total{cache_source=\"device\"} 50.0\n"
                                              "sglang:generation_tokens_total 10.0\n")
                                << 7; // prompt tokens are the queries, too
        QTest::addRow("llama.cpp") << QByteArray("llamacpp")
                                   << QByteArray("llamacpp:prompt_tokens_total 100\n"
                                                 "llamacpp:tokens_predicted_total 10\n"
                                                 "llamacpp:requests_processing 1\n"
                                                 "llamacpp:requests_deferred 0\n")
                                   << 5;
        QTest::addRow("an unknown engine with vLLM's names")
            << QByteArray("generic") << QByteArray("vllm:num_requests_running 1.0\n") << 1;
    }
    void everyProfileNamesCountersThatAreRead()
    {
        QFETCH(QByteArray, engine);
        QFETCH(QByteArray, text);
        QFETCH(int, counters);
        const auto endpoint = counterEndpoint(Target(), engine.toStdString(), {});
        QVERIFY(endpoint);
        const CounterValues values = CounterReader(endpoint->sources).read(text.toStdString());
        QCOMPARE(values.size(), static_cast<std::size_t>(counters));
    }

    void tellsWhatGrowsOnlyAtRequestEnds()
    {
        const CounterReader reader(sources());
        QVERIFY(reader.atRequestEnd(GeneratedTokens));
        QVERIFY(!reader.atRequestEnd(QueueTime));
    }
};

QTEST_GUILESS_MAIN(ServerCountersTest)
#include "tst_server_counters.moc"
