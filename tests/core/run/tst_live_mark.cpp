// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "run/live_mark.h"

#include "record_builder.h"

using namespace tailmark;
using namespace tailmark::test;

namespace {

PointPlan closedLoop()
{
    PointPlan point;
    point.concurrency = 4;
    point.warmupS = 2;
    point.durationS = 10;
    return point;
}

Progress filled(LiveMark& mark, double elapsedS)
{
    Progress progress;
    mark.fill(progress, fromSeconds(elapsedS));
    return progress;
}

} // namespace

class TestLiveMark : public QObject
{
    Q_OBJECT

private slots:
    void nothingBeforeTheWindow();
    void ratesAreOverTheWindowSoFar();
    void ratesStopAtTheEndOfTheWindow();
    void latencyIsOfTheRequestsOfTheWindow();
    void openLoopCountsFromTheIntendedTime();
    void unknownTokensGiveNoRate();
    void quantilesFollowAGrowingSample();
};

void TestLiveMark::nothingBeforeTheWindow()
{
    LiveMark mark(closedLoop(), {});
    RecordBuilder builder;
    builder.completed(500, Times{100, 200}, 2);
    mark.add(builder.batch);
    for (const double elapsed : {0.0, 1.0, 2.0}) {
        const Progress progress = filled(mark, elapsed);
        QVERIFY(!progress.requestsPerS && !progress.outputTokensPerS && progress.headlineMs.empty());
    }
    // The window has begun, and nothing has happened in it yet: rates are 0, latencies absent.
    const Progress progress = filled(mark, 3);
    QVERIFY(progress.requestsPerS == 0.0 && progress.outputTokensPerS == 0.0);
    QVERIFY(progress.headlineMs.empty());
}

void TestLiveMark::ratesAreOverTheWindowSoFar()
{
    LiveMark mark(closedLoop(), {});
    RecordBuilder builder;
    builder.completed(1500, Times{100, 400}, 7);  // ends at 1.9 s, before the window
    builder.completed(1500, Times{100, 600}, 10); // ends at 2.1 s, inside
    builder.completed(3000, Times{100, 500}, 20);
    builder.failed(3000, Outcome::ServerError, 100);
    mark.add(builder.batch);
    const Progress progress = filled(mark, 6); // four seconds of window
    QCOMPARE(progress.requestsPerS.value(), 0.5);
    QCOMPARE(progress.outputTokensPerS.value(), 7.5);
}

void TestLiveMark::ratesStopAtTheEndOfTheWindow()
{
    LiveMark mark(closedLoop(), {});
    RecordBuilder builder;
    builder.completed(3000, Times{100, 500}, 20);
    builder.completed(11900, Times{100, 500}, 20); // ends in the drain
    mark.add(builder.batch);
    QCOMPARE(filled(mark, 20).requestsPerS.value(), 0.1);
    QCOMPARE(filled(mark, 30).outputTokensPerS.value(), 2.0);
}

void TestLiveMark::latencyIsOfTheRequestsOfTheWindow()
{
    LiveMark mark(closedLoop(), {{"ttft_ms", 75, 1000}});
    RecordBuilder builder;
    builder.completed(1000, Times{900}, 1); // warm-up
    for (int i = 1; i <= 100; ++i)
        builder.completed(2000 + i, Times{double(i)}, 1);
    builder.failed(3000, Outcome::TimeoutFirstToken, 500);
    mark.add(builder.batch);
    const Progress progress = filled(mark, 6);
    QCOMPARE(progress.headlineMs.at(50), 50.0);
    QCOMPARE(progress.headlineMs.at(75), 75.0); // the SLO's own
    QCOMPARE(progress.headlineMs.at(95), 95.0);
    QCOMPARE(progress.headlineMs.at(99), 99.0);
}

void TestLiveMark::openLoopCountsFromTheIntendedTime()
{
    PointPlan point = closedLoop();
    point.concurrency = 0;
    LiveMark mark(point, {});
    RecordBuilder builder;
    RequestRecord& late = builder.completed(3000, Times{10}, 1);
    late.sent += fromMs(40);
    late.firstToken += fromMs(40);
    late.lastToken += fromMs(40);
    mark.add(builder.batch);
    const Progress progress = filled(mark, 6);
    QCOMPARE(progress.headlineMs.at(50), 50.0);
    QCOMPARE(progress.sendLagP99Ms, 40.0);
}

void TestLiveMark::unknownTokensGiveNoRate()
{
    LiveMark mark(closedLoop(), {});
    RecordBuilder builder;
    builder.completed(3000, Times{10}, kUnknownCount);
    mark.add(builder.batch);
    const Progress progress = filled(mark, 6);
    QVERIFY(!progress.outputTokensPerS);
    QCOMPARE(progress.requestsPerS.value(), 0.25);
}

void TestLiveMark::quantilesFollowAGrowingSample()
{
    LiveMark mark(closedLoop(), {});
    for (int i = 1; i <= 20'000; ++i) {
        RecordBuilder builder;
        builder.completed(2000, Times{double(i)}, 1);
        mark.add(builder.batch);
        if (i % 100 == 0) { // read often, as progress does; never further behind than a 64th of the sample
            const double p99 = filled(mark, 6).headlineMs.at(99);
            QVERIFY(p99 <= 0.99 * i + 1 && p99 >= 0.99 * i * 63 / 64 - 1);
        }
    }
}

QTEST_GUILESS_MAIN(TestLiveMark)
#include "tst_live_mark.moc"
