// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules as they are driven: by several generator threads, each with its share, in virtual time.
#include "../schedule/arrival_statistics.h"
#include "virtual_transport.h"

#include <QtTest>

using namespace tailmark;
using namespace tailmark::test;
using namespace std::chrono_literals;

namespace {

std::shared_ptr<ListedSource> sourceOf(const std::vector<Arrival>& arrivals)
{
    auto source = std::make_shared<ListedSource>();
    for (const Arrival& arrival : arrivals)
        source->times.push_back(arrival.intended);
    return source;
}

/// The requests that `threads` shares of the load sent, by the time when they did.
std::vector<RequestRecord> driven(const PointLoad& load, int threads, Nanoseconds service)
{
    std::vector<RequestRecord> sends;
    for (int i = 0; i < threads; ++i) {
        VirtualPoint point;
        point.transport.service = service;
        point.driver = std::make_unique<PointDriver>(load, DriverShare{i, threads, 1 << 20}, point.nextRequest,
                                                     point.clock, point.transport, point.buffers, point.counters);
        point.transport.observer = point.driver.get();
        point.run();
        sends.insert(sends.end(), point.transport.sends.begin(), point.transport.sends.end());
    }
    std::sort(sends.begin(), sends.end(), [](const RequestRecord& a, const RequestRecord& b) {
        return a.sent != b.sent ? a.sent < b.sent : a.request < b.request;
    });
    return sends;
}

PointLoad closedLoop(const PointPlan& plan, Nanoseconds think)
{
    auto source = std::make_shared<ListedSource>();
    source->think = think;
    PointLoad load;
    load.source = source;
    load.concurrency = plan.concurrency;
    load.starts = workerStarts(plan);
    load.sendFor = fromSeconds(plan.warmupS + plan.durationS);
    load.drain = 30s;
    return load;
}

} // namespace

class ScheduleDrivenTest : public QObject
{
    Q_OBJECT

private slots:
    void sharesSendTheScheduleAndNothingElse_data()
    {
        QTest::addColumn<int>("process");
        QTest::addColumn<int>("fanOut");
        QTest::newRow("constant") << static_cast<int>(ArrivalProcess::Constant) << 1;
        QTest::newRow("poisson") << static_cast<int>(ArrivalProcess::Poisson) << 1;
        QTest::newRow("poisson, fan-out of 8") << static_cast<int>(ArrivalProcess::Poisson) << 8;
        QTest::newRow("gamma") << static_cast<int>(ArrivalProcess::Gamma) << 1;
        QTest::newRow("weibull") << static_cast<int>(ArrivalProcess::Weibull) << 1;
    }
    void sharesSendTheScheduleAndNothingElse()
    {
        QFETCH(int, process);
        QFETCH(int, fanOut);
        PointPlan plan = openLoop(static_cast<ArrivalProcess>(process), {{"steady", 100, 60}}, 3, 2);
        plan.fanOut = fanOut;
        const std::vector<Arrival> arrivals = makeArrivals(plan);
        PointLoad load;
        load.source = sourceOf(arrivals);
        load.sendFor = 60s;
        load.drain = 30s;
        for (const int threads : {1, 2, 3, 7}) {
            const std::vector<RequestRecord> sends = driven(load, threads, 250ms);
            QCOMPARE(sends.size(), arrivals.size());
            for (std::size_t i = 0; i < sends.size(); ++i) {
                QCOMPARE(sends[i].request, static_cast<std::uint32_t>(i));
                QCOMPARE(sends[i].intended, arrivals[i].intended);
                QCOMPARE(sends[i].sent, sends[i].intended);
            }
        }
    }

    void poissonIsPoissonAsItIsSent()
    {
        const std::vector<Arrival> arrivals =
            makeArrivals(openLoop(ArrivalProcess::Poisson, {{"steady", 50, 200}}, 17));
        PointLoad load;
        load.source = sourceOf(arrivals);
        load.sendFor = 200s;
        load.drain = 30s;
        std::vector<double> gaps, perSecond(200, 0.0);
        Nanoseconds last = kAbsentTime;
        for (const RequestRecord& send : driven(load, 4, 100ms)) {
            if (isPresent(last))
                gaps.push_back(toSeconds(send.sent - last) * 50);
            last = send.sent;
            ++perSecond[static_cast<std::size_t>(toSeconds(send.sent))];
        }
        QVERIFY(kolmogorovSmirnov(gaps) < kolmogorovSmirnovLimit(gaps.size()));
        QVERIFY(std::abs(serialCorrelation(gaps)) < 2.58 / std::sqrt(static_cast<double>(gaps.size())));
        QVERIFY(std::abs(variance(perSecond) / mean(perSecond) - 1) < 3 * std::sqrt(2.0 / 200));
    }

    void workersThatStartApartKeepTheLaw_data()
    {
        QTest::addColumn<int>("thinkMs");
        QTest::newRow("no think time") << 0;
        QTest::newRow("1 s of thinking") << 1000;
    }
    void workersThatStartApartKeepTheLaw()
    {
        QFETCH(int, thinkMs);
        PointPlan plan;
        plan.concurrency = 32;
        plan.warmupS = 10;
        plan.durationS = 60;
        const std::vector<RequestRecord> sends = driven(closedLoop(plan, fromMs(thinkMs)), 1, 2s);
        // N / (R + Z) over the window, which begins when all are at work
        const auto inWindow = std::count_if(sends.begin(), sends.end(),
                                            [](const RequestRecord& r) { return r.intended >= 10s; });
        const double expected = 60 * 32 / (2 + thinkMs / 1000.0);
        QVERIFY2(std::abs(static_cast<double>(inWindow) - expected) <= 32,
                 qPrintable(QString::number(inWindow)));
        // Their first requests do not meet, and with one fixed answer no later ones do: no burst is in the window.
        std::map<Nanoseconds, int> within10Ms;
        for (const RequestRecord& send : sends)
            if (send.intended >= 10s)
                ++within10Ms[send.intended / 10'000'000];
        for (const auto& [moment, requests] : within10Ms)
            QVERIFY2(requests <= 4, qPrintable(QString::number(requests)));
        for (std::size_t i = 0; i < sends.size(); ++i) // nobody starts behind half of the warm-up
            if (sends[i].request < 32)
                QVERIFY(sends[i].intended < 5s);
    }

    void sharesOfWorkersStartAsOne()
    {
        PointPlan plan;
        plan.concurrency = 10;
        plan.warmupS = 4;
        plan.durationS = 1;
        const std::vector<Nanoseconds> starts = workerStarts(plan);
        for (const int threads : {1, 3}) {
            std::map<std::int32_t, Nanoseconds> firstOf;
            for (const RequestRecord& send : driven(closedLoop(plan, 0ns), threads, 500ms))
                firstOf.emplace(send.worker, send.intended);
            QCOMPARE(firstOf.size(), starts.size());
            for (const auto& [worker, first] : firstOf)
                QCOMPARE(first, starts[static_cast<std::size_t>(worker)]);
        }
    }

    void withoutWarmUpAllStartAtOnce()
    {
        PointPlan plan;
        plan.concurrency = 8;
        plan.durationS = 3;
        const std::vector<RequestRecord> sends = driven(closedLoop(plan, 0ns), 1, 1s);
        for (std::size_t i = 0; i < 8; ++i)
            QCOMPARE(sends[i].intended, 0ns);
    }
};

QTEST_GUILESS_MAIN(ScheduleDrivenTest)
#include "tst_schedule_driven.moc"
