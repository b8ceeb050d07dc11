// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "load/lag_samples.h"
#include "load/queue_timer.h"
#include "load_fixture.h"

#include <algorithm>
#include <chrono>

using namespace tailmark;
using namespace tailmark::test;
using namespace std::chrono_literals;

class GeneratorHealthTest : public QObject
{
    Q_OBJECT

private slots:
    void lagsAreAnEvenSelection()
    {
        LagSamples lags;
        for (int i = 0; i < 100'000; ++i)
            lags.add(std::chrono::microseconds(i));
        std::vector<double> ms;
        lags.appendMs(ms);
        QVERIFY(ms.size() > LagSamples::kMost / 4 && ms.size() <= LagSamples::kMost);
        QVERIFY(std::is_sorted(ms.begin(), ms.end()));
        QVERIFY(ms.back() > 99);
        const double step = 100.0 / static_cast<double>(ms.size());
        for (std::size_t i = 1; i < ms.size(); ++i)
            QVERIFY(ms[i] - ms[i - 1] < 3 * step);
        lags.add(-1ms); // no lag is negative
        lags.clear();
        ms.clear();
        lags.appendMs(ms);
        QVERIFY(ms.empty());
        lags.add(-1ms);
        lags.appendMs(ms);
        QCOMPARE(ms, std::vector<double>{0});
    }

    void theTimerTellsHowLongItWaited()
    {
        Poller poller;
        QueueTimer timer(poller);
        QVERIFY(timer.valid());
        const MonotonicClock clock;
        timer.arm();
        const Nanoseconds due = clock.now() + QueueTimer::kEvery; // not earlier than the timer's
        bool seen = false;
        while (!seen && clock.now() < due + 20s)
            for (const epoll_event& event : poller.wait(clock.now() + 1s, false))
                seen = seen || timer.isReady(event);
        QVERIFY(seen);
        while (clock.now() < due + 30ms) // it is served late
            continue;
        QVERIFY(timer.reached() >= 30ms);
        const auto soon = poller.wait(clock.now(), false); // armed anew: not ready at once
        QVERIFY(
            std::none_of(soon.begin(), soon.end(), [&](const epoll_event& e) { return timer.isReady(e); }) ||
            clock.now() > due + 40ms);
    }

    void aPointTellsOfEachThread()
    {
        ScriptedServer server([](Exchange& e) { answer(e); });
        GeneratorOptions options;
        options.threads = 2;
        LoadGenerator generator(endpointOf(server.url()), options);
        QVERIFY(generator.begin(closedLoop(2, 300ms)).ok());
        RecordBatch batch;
        QVERIFY(collect(generator, batch));
        const GeneratorHealth health = generator.health();
        QCOMPARE(health.threadCpu.size(), std::size_t(2));
        QCOMPARE(*std::max_element(health.threadCpu.begin(), health.threadCpu.end()),
                 health.busiestThreadCpu);
        QVERIFY(!health.timerLagMs.empty());
        QVERIFY(!health.loopLagMs.empty());
        QVERIFY(std::all_of(health.timerLagMs.begin(), health.timerLagMs.end(),
                            [](double ms) { return ms >= 0; }));
    }
};

QTEST_GUILESS_MAIN(GeneratorHealthTest)
#include "tst_generator_health.moc"
