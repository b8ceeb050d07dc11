// SPDX-License-Identifier: GPL-3.0-or-later
#include "arrival_statistics.h"

#include <QtTest>

#include <map>
#include <set>

using namespace tailmark;
using namespace tailmark::test;

class ThinkTimesTest : public QObject
{
    Q_OBJECT

private slots:
    void thinkTimes()
    {
        PointPlan point;
        point.concurrency = 3;
        point.thinkTimeS = 2;
        for (std::uint32_t i = 0; i < 3; ++i)
            QCOMPARE(thinkTime(point, i), Nanoseconds{0});
        QCOMPARE(thinkTime(point, 3), fromSeconds(2));
        QCOMPARE(thinkTime(point, 1'000'000), fromSeconds(2));

        point.thinkTime = ThinkTime::Exponential;
        std::vector<double> times;
        for (std::uint32_t i = 3; i < 10'003; ++i) {
            times.push_back(toSeconds(thinkTime(point, i)) / 2);
            QCOMPARE(thinkTime(point, i), thinkTime(point, i));
        }
        QVERIFY(kolmogorovSmirnov(times) < 1.63 / std::sqrt(10'000));
        const Nanoseconds before = thinkTime(point, 50);
        point.seeds.arrivals = 9;
        QCOMPARE(thinkTime(point, 50), before);
        point.seeds.thinkTimes = 9;
        QVERIFY(thinkTime(point, 50) != before);
        point.thinkTimeS = 0;
        QCOMPARE(thinkTime(point, 50), Nanoseconds{0});
    }

    void thoseOfALog()
    {
        RecordedTimes log;
        for (const int seconds : {1, 2, 3, 10})
            log.thinkTimes.push_back(fromSeconds(seconds));
        log.meanThinkTimeS = 4;
        PointPlan point;
        point.concurrency = 2;
        point.thinkTime = ThinkTime::Trace;
        std::map<Nanoseconds, int> drawn;
        for (std::uint32_t i = 2; i < 8'002; ++i)
            ++drawn[thinkTime(point, i, &log)];
        QCOMPARE(drawn.size(), std::size_t{4});
        for (const Nanoseconds told : log.thinkTimes)
            QVERIFY(std::abs(drawn[told] - 2'000) < 4 * std::sqrt(8'000 * 0.25 * 0.75));
        QCOMPARE(thinkTime(point, 0, &log), Nanoseconds{0});

        point.thinkTimeS = 1; // their mean, in place of 4 s
        std::set<Nanoseconds> scaled;
        for (std::uint32_t i = 2; i < 200; ++i)
            scaled.insert(thinkTime(point, i, &log));
        QVERIFY(scaled == (std::set<Nanoseconds>{fromMs(250), fromMs(500), fromMs(750), fromMs(2'500)}));
    }

    void aLogWithoutThinkTimesIsRefused()
    {
        PointPlan point;
        point.concurrency = 2;
        QVERIFY(checkLog(point, nullptr, "log.csv").ok());
        point.thinkTime = ThinkTime::Trace;
        const Status status = checkLog(point, nullptr, "log.csv");
        QVERIFY(!status);
        QCOMPARE(status.error().line(),
                 std::string("log.csv: tells no think times, which think_time \"trace\" needs"));
        RecordedTimes log;
        log.thinkTimes = {fromSeconds(1)};
        QVERIFY(checkLog(point, &log, "log.csv").ok());
    }

    void workersStartAtRandomMoments()
    {
        PointPlan point;
        point.concurrency = 1000;
        point.warmupS = 10;
        std::vector<double> starts;
        for (const Nanoseconds start : workerStarts(point))
            starts.push_back(toSeconds(start));
        QCOMPARE(starts.size(), std::size_t{1000});
        QVERIFY(kolmogorovSmirnov(starts, [](double s) { return std::clamp(s / 5, 0.0, 1.0); }) <
                kolmogorovSmirnovLimit(1000));
        // no order among them: even distances were one
        std::sort(starts.begin(), starts.end());
        std::vector<double> distances;
        for (std::size_t i = 1; i < starts.size(); ++i)
            distances.push_back((starts[i] - starts[i - 1]) * 200);
        QVERIFY(kolmogorovSmirnov(distances) < kolmogorovSmirnovLimit(distances.size()));

        const std::vector<Nanoseconds> before = workerStarts(point);
        point.seeds.arrivals = point.seeds.lengths = 9;
        QVERIFY(workerStarts(point) == before);
        point.seeds.thinkTimes = 9;
        QVERIFY(workerStarts(point) != before);
    }

    void nobodyWaitsWithoutNeed()
    {
        PointPlan point;
        point.concurrency = 1;
        point.warmupS = 10;
        QVERIFY(workerStarts(point) == std::vector<Nanoseconds>(1, Nanoseconds(0)));
        point.concurrency = 8;
        point.warmupS = 0; // a start spread over the window would be a lower load than the one asked for
        QVERIFY(workerStarts(point) == std::vector<Nanoseconds>(8, Nanoseconds(0)));
    }
};

QTEST_GUILESS_MAIN(ThinkTimesTest)
#include "tst_think_times.moc"
