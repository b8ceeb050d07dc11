// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "target/counter_scraper.h"
#include "test_server.h"

#include <chrono>
#include <thread>

using namespace tailmark;
using namespace std::chrono_literals;
using test::Reply;
using test::TestServer;

namespace {

CounterEndpoint endpointOf(const TestServer& server, const std::string& hint = {})
{
    return {server.url("/metrics"),
            {},
            {},
            {{ServerCounter::Running, {{{"running"}, MetricKind::Gauge}}},
             {ServerCounter::GeneratedTokens, {{{"tokens_total"}, MetricKind::Counter, true}}}},
            hint};
}

Reply metrics(int running, int tokens)
{
    return Reply::text("running " + std::to_string(running) + "\ntokens_total " + std::to_string(tokens) +
                       "\n");
}

} // namespace

class CounterScraperTest : public QObject
{
    Q_OBJECT

private slots:
    void asksInStepWithTheWindow_data()
    {
        QTest::addColumn<double>("last");
        QTest::addColumn<double>("next");
        // a window from 5.3 s to 35.05 s
        QTest::addRow("before the window") << 0.0 << 0.3;
        QTest::addRow("at a step") << 1.3 << 2.3;
        QTest::addRow("a little after a step") << 1.31 << 2.3;
        QTest::addRow("right before a step, which is left out") << 1.2 << 2.3;
        QTest::addRow("its start") << 4.3 << 5.3;
        QTest::addRow("inside") << 20.5 << 21.3;
        QTest::addRow("its end, out of step") << 34.3 << 35.05;
        QTest::addRow("behind its end") << 35.05 << 35.3;
        QTest::addRow("a slow answer") << 7.9 << 8.3;
        QTest::addRow("before the start of the point") << -2.5 << -1.7;
    }
    void asksInStepWithTheWindow()
    {
        QFETCH(double, last);
        QFETCH(double, next);
        QCOMPARE(toSeconds(nextScrape(fromSeconds(last), fromSeconds(5.3), fromSeconds(35.05))), next);
    }

    void readsBeforeAndAfterThePoint()
    {
        TestServer server;
        server.on("/metrics", {metrics(0, 100), metrics(0, 100), metrics(2, 400)});
        CounterScraper scraper(endpointOf(server));
        QVERIFY(scraper.check().ok());
        const MonotonicClock clock;
        const Nanoseconds begun = clock.now();
        scraper.begin();
        scraper.aim(clock.now() + 100s, clock.now() + 200s);
        scraper.end();
        const auto readings = scraper.take();
        QVERIFY(readings.size() >= 2);
        QVERIFY(readings.front().at >= begun);
        QVERIFY(readings.back().at <= clock.now());
        QCOMPARE(readings.front().values,
                 (CounterValues{{ServerCounter::Running, 0}, {ServerCounter::GeneratedTokens, 100}}));
        QCOMPARE(readings.back().values,
                 (CounterValues{{ServerCounter::Running, 2}, {ServerCounter::GeneratedTokens, 400}}));
        QVERIFY(scraper.take().empty());
        QVERIFY(scraper.note().empty());
        QCOMPARE(scraper.countedAtRequestEnd(), std::vector{ServerCounter::GeneratedTokens});
        QCOMPARE(server.acceptedConnections(), 1); // kept
        for (std::size_t i = 1; i < readings.size(); ++i)
            QVERIFY(readings[i].at > readings[i - 1].at);
    }

    void asksOncePerSecondMeanwhile()
    {
        TestServer server;
        server.on("/metrics", metrics(1, 1));
        CounterScraper scraper(endpointOf(server));
        const MonotonicClock clock;
        scraper.begin();
        const Nanoseconds start = clock.now();
        scraper.aim(start + 300ms, start + 700ms);
        QTRY_VERIFY_WITH_TIMEOUT(server.requests().size() >= 4, 20000);
        scraper.end();
        const auto readings = scraper.take();
        QVERIFY(readings.size() >= 4);
        QVERIFY(readings[1].at >= start + 300ms); // at the window's start
        QVERIFY(readings[2].at >= start + 700ms); // at its end
        QVERIFY(readings[3].at >= start + 1300ms);
        const std::size_t asked = server.requests().size();
        std::this_thread::sleep_for(50ms);
        QCOMPARE(server.requests().size(), asked); // over
    }

    void tellsWhatIsInTheWay_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("words");
        QTest::addRow("not there") << 404 << QByteArray("no")
                                   << QByteArray("answered HTTP 404 (start it with --metrics)");
        QTest::addRow("other names") << 200 << QByteArray("other 1\n")
                                     << QByteArray(
                                            "tells none of the known counters (start it with --metrics)");
        QTest::addRow("not Prometheus")
            << 200 << QByteArray("{\"a\":1}") << QByteArray("none of the known counters");
    }
    void tellsWhatIsInTheWay()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, words);
        TestServer server;
        server.on("/metrics", Reply::text(body.toStdString(), status));
        CounterScraper scraper(endpointOf(server, "start it with --metrics"));
        const Status checked = scraper.check();
        QVERIFY(!checked.ok());
        QVERIFY2(QByteArray::fromStdString(checked.error().line()).contains(words),
                 checked.error().line().c_str());
        QVERIFY(checked.error().line().find("/metrics: ") != std::string::npos);
    }

    void aFailureIsANoteAndNoReading()
    {
        TestServer server;
        server.on("/metrics", {metrics(1, 1), Reply::text("busy", 503), Reply::text("busy", 503)});
        CounterScraper scraper(endpointOf(server));
        const MonotonicClock clock;
        scraper.begin();
        scraper.aim(clock.now() + 100s, clock.now() + 200s);
        scraper.end();
        QCOMPARE(scraper.take().size(), std::size_t(1));
        QVERIFY2(scraper.note().find("once: ") != std::string::npos &&
                     scraper.note().find("503") != std::string::npos,
                 scraper.note().c_str());
        scraper.begin();
        scraper.end();
        QVERIFY2(scraper.note().find("2 times") != std::string::npos,
                 scraper.note().c_str()); // of this point alone
    }

    void asksNoMoreAfterThreeFailures()
    {
        TestServer server;
        server.on("/metrics", Reply::text("gone", 404));
        CounterScraper scraper(endpointOf(server));
        const MonotonicClock clock;
        scraper.begin();
        const Nanoseconds start = clock.now();
        scraper.aim(start + 10ms, start + 300ms);
        QTRY_VERIFY_WITH_TIMEOUT(scraper.note().find("not asked for any more") != std::string::npos, 20000);
        scraper.end();
        QCOMPARE(server.requests().size(), std::size_t(CounterScraper::kPatience));
        scraper.begin(); // the next point tries again
        scraper.end();
        QCOMPARE(server.requests().size(), std::size_t(CounterScraper::kPatience + 2));
    }

    void waitsForAnIdleEngine()
    {
        TestServer server;
        server.on("/metrics", {metrics(2, 5), metrics(1, 6), metrics(0, 7)});
        CounterScraper scraper(endpointOf(server));
        const std::atomic<bool> stop{false};
        QCOMPARE(scraper.waitUntilIdle(60s, stop).value(), 0.0);
        QCOMPARE(server.requests().size(), std::size_t(3));
        server.on("/metrics", metrics(3, 8));
        QCOMPARE(scraper.waitUntilIdle(1ms, stop).value(), 3.0); // not for ever
        server.on("/metrics", Reply::text("tokens_total 1\n"));
        QVERIFY(!scraper.waitUntilIdle(60s, stop)); // not told
        server.on("/metrics", Reply::text("gone", 404));
        QVERIFY(!scraper.waitUntilIdle(60s, stop));
        server.on("/metrics", metrics(3, 8));
        const std::atomic<bool> stopped{true};
        QCOMPARE(scraper.waitUntilIdle(60s, stopped).value(), 3.0);
    }

    void aSilentServerHoldsNothingUp()
    {
        TestServer server;
        server.on("/metrics", Reply::hang());
        const MonotonicClock clock;
        const Nanoseconds start = clock.now();
        {
            CounterScraper scraper(endpointOf(server));
            scraper.begin();
            QVERIFY(scraper.take().empty());
        }
        QVERIFY(clock.now() - start < 60s); // bounded; the limits are of some seconds
    }
};

QTEST_GUILESS_MAIN(CounterScraperTest)
#include "tst_counter_scraper.moc"
