// SPDX-License-Identifier: GPL-3.0-or-later
#include "arrival_statistics.h"
#include "schedule/recorded_arrivals.h"

#include <QtTest>

using namespace tailmark;
using namespace tailmark::test;

namespace {

/// Arrivals at these seconds.
RecordedTimes logAt(std::initializer_list<double> seconds)
{
    RecordedTimes log;
    for (const double s : seconds)
        log.arrivals.push_back(fromSeconds(s));
    return log;
}

PointPlan replay(double rate, double seconds, RecordedArrivals recorded = {})
{
    PointPlan point = openLoop(ArrivalProcess::Recorded, {{"steady", rate, seconds}});
    point.load = {LoadAxis::RatePerS, rate};
    point.durationS = seconds;
    point.recorded = recorded;
    return point;
}

std::vector<double> secondsOf(const std::vector<Arrival>& arrivals)
{
    std::vector<double> seconds;
    for (const Arrival& arrival : arrivals)
        seconds.push_back(toSeconds(arrival.intended));
    return seconds;
}

std::vector<std::uint32_t> rowsOf(const std::vector<Arrival>& arrivals)
{
    std::vector<std::uint32_t> rows;
    for (const Arrival& arrival : arrivals)
        rows.push_back(arrival.row);
    return rows;
}

std::vector<std::uint32_t> lapsOf(const std::vector<Arrival>& arrivals)
{
    std::vector<std::uint32_t> laps;
    for (const Arrival& arrival : arrivals)
        laps.push_back(arrival.lap);
    return laps;
}

} // namespace

class RecordedArrivalsTest : public QObject
{
    Q_OBJECT

private slots:
    void theLevelIsTheRate()
    {
        // Four arrivals fill the 8 s of the point at 0.5/s: the fifth, at 5 s of the log, is its end.
        const RecordedTimes log = logAt({0, 1, 1.5, 4, 5, 9});
        const auto arrivals = makeArrivals(replay(0.5, 8), &log);
        QVERIFY(secondsOf(arrivals) == (std::vector<double>{0, 1.6, 2.4, 6.4}));
        QVERIFY(rowsOf(arrivals) == (std::vector<std::uint32_t>{0, 1, 2, 3}));
        // Whatever the rate, and however bursty the log.
        for (const double rate : {1.0, 2.0, 4.0, 37.5})
            QCOMPARE(makeArrivals(replay(rate, 8), &log).size(), static_cast<std::size_t>(8 * rate));
    }

    void rowsStampedAlikeStayTogetherAndInside()
    {
        const RecordedTimes log = logAt({0, 2, 2, 2, 3});
        const auto arrivals = makeArrivals(replay(0.3, 10), &log); // the end falls among the three
        QCOMPARE(arrivals.size(), std::size_t{3});
        QCOMPARE(arrivals[1].intended, arrivals[2].intended);
        QVERIFY(arrivals[2].intended < fromSeconds(10));
    }

    void aShortLogRepeats()
    {
        const RecordedTimes log = logAt({0, 1, 3}); // 1.5 s are the mean gap, so that it begins again at 4.5 s
        const auto arrivals = makeArrivals(replay(0.5, 12), &log);
        QVERIFY(rowsOf(arrivals) == (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2}));
        QVERIFY(lapsOf(arrivals) == (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1}));
        QCOMPARE(arrivals[3].intended, fromSeconds(6));
        const auto remarks = recordedRemarks({replay(0.25, 12), replay(0.5, 12)}, log, "log.csv");
        QCOMPARE(remarks.size(), std::size_t{1});
        QCOMPARE(remarks[0], std::string("log.csv: the recorded stretch of 3 arrivals is shorter than a point, which "
                                         "repeats it up to 2 times"));
        QVERIFY(recordedRemarks({replay(0.25, 12)}, log, "log.csv").empty());
    }

    /// However often it repeats: rows x laps is more than 32 bits hold.
    void aStretchRepeatsItsOwnRowsForGood()
    {
        RecordedTimes log;
        for (int i = 0; i < 100'000; ++i)
            log.arrivals.push_back(fromSeconds(i));
        const RecordedWindow window = RecordedWindow::make(log, {3, 5, 0}, "log.csv").value();
        QCOMPARE(window.rows(), std::uint64_t{2});
        for (const std::uint64_t i : {std::uint64_t{0}, std::uint64_t{4'000'000}, std::uint64_t{400'000'001}}) {
            QCOMPARE(window.row(i), static_cast<std::uint32_t>(3 + i % 2));
            QCOMPARE(window.lap(i), static_cast<std::uint32_t>(i / 2));
        }
    }

    void arrivalsAreCounted()
    {
        const RecordedTimes log = logAt({0, 1, 3}); // begins again at 4.5 s
        const RecordedWindow window = RecordedWindow::make(log, {}, "log.csv").value();
        for (const auto& [s, count] : {std::pair(0.5, 1.0), {1.0, 1.0}, {3.1, 3.0}, {4.5, 3.0}, {4.6, 4.0}, {45.5, 31.0}})
            QCOMPARE(window.arrivalsBefore(s), count);
    }

    /// The rate is the log's own, so that the one of the level tells nothing of how many requests there will be.
    void moreThanOnePointHoldsIsRefused()
    {
        const RecordedTimes log = logAt({0, 1, 2, 3});
        PointPlan point = replay(1, 300, {0, 0, 1e6});
        const Status status = checkLog(point, &log, "log.csv");
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::BadInput);
        QCOMPARE(status.error().message, std::string("at time_scale 1,000,000 the log makes 300,000,000 requests in one "
                                                     "point (1,000,000/s on average); at most 5,000,000"));
        point.maxRequests = 1000; // ends it before
        QVERIFY(checkLog(point, &log, "log.csv"));
        point.maxRequests = 0;
        point.recorded.timeScale = 10'000;
        QVERIFY(checkLog(point, &log, "log.csv"));
        QCOMPARE(makeArrivals(point, &log).size(), std::size_t{3'000'000});
        point.fanOut = 2;
        QVERIFY(!checkLog(point, &log, "log.csv"));
    }

    void aSampleIsNoLog()
    {
        RecordedTimes log = logAt({0, 1, 4, 9});
        log.sampledEvery = 2;
        const Status status = checkLog(replay(1, 10), &log, "log.csv");
        QVERIFY(!status);
        QVERIFY2(QByteArray::fromStdString(status.error().line()).contains("put the stretch to replay into a file of its own"),
                 status.error().line().c_str());
        QVERIFY(makeArrivals(replay(1, 10), &log).empty());
    }

    void aWindowOfTheLog()
    {
        const RecordedTimes log = logAt({0, 1, 2, 3, 5, 6, 7, 9});
        const auto arrivals = makeArrivals(replay(0.5, 8, {2, 7, 0}), &log); // rows 2 to 5, over 5 s
        QVERIFY(rowsOf(arrivals) == (std::vector<std::uint32_t>{2, 3, 4, 5}));
        QVERIFY(secondsOf(arrivals) == (std::vector<double>{0, 1.6, 4.8, 6.4}));
    }

    void inTheLogsOwnTime()
    {
        const RecordedTimes log = logAt({0, 1, 1.5, 4, 5, 9});
        QVERIFY(secondsOf(makeArrivals(replay(7, 5, {0, 0, 1}), &log)) == (std::vector<double>{0, 1, 1.5, 4}));
        QVERIFY(secondsOf(makeArrivals(replay(7, 5, {0, 0, 2}), &log)) ==
                (std::vector<double>{0, 0.5, 0.75, 2, 2.5, 4.5}));
        const auto remarks = recordedRemarks({replay(7, 5, {0, 0, 2})}, log, "log.csv");
        QCOMPARE(remarks.size(), std::size_t{1});
        QVERIFY2(QByteArray::fromStdString(remarks[0]).contains("at time_scale 2 the log offers 1.2 requests/s in the window"),
                 remarks[0].c_str());
        QVERIFY(recordedRemarks({replay(1.18, 5, {0, 0, 2})}, log, "log.csv").empty());
    }

    /// What a level is called is what was offered there.
    void aLevelInTheLogsOwnTimeIsWhatTheLogOffers()
    {
        const RecordedTimes log = logAt({0, 1, 1.5, 4, 5, 9});
        PointPlan point = replay(7, 5, {0, 0, 2});
        const PointPlan placed = atOwnRate(point, log);
        QCOMPARE(placed.load.value, 1.2);
        QCOMPARE(placed.phases[0].ratePerS, 1.2);
        QVERIFY(makeArrivals(placed, &log) == makeArrivals(point, &log));
        QVERIFY(atOwnRate(placed, log) == placed);
        // The window alone counts, and each row is as many requests as come together.
        point.warmupS = 2;
        point.durationS = 3;
        point.fanOut = 2;
        QCOMPARE(atOwnRate(point, log).load.value, 2 * 3 / 3.0); // from 4 s of the log on: rows at 4, 5 and 9 s
        QVERIFY(atOwnRate(replay(1.18, 5, {0, 0, 2}), log) == replay(1.18, 5, {0, 0, 2})); // near enough
        QVERIFY(atOwnRate(replay(7, 5), log) == replay(7, 5)); // stretched to its level
    }

    void aShapeBendsItAndAFanOutMultipliesIt()
    {
        RecordedTimes log;
        for (int i = 0; i < 1000; ++i)
            log.arrivals.push_back(fromSeconds(i));
        PointPlan point = replay(10, 20);
        point.shape = {{0, 0.5}, {10, 0.5}, {10, 1.5}};
        auto arrivals = makeArrivals(point, &log);
        QCOMPARE(arrivals.size(), std::size_t{200});
        QCOMPARE(std::count_if(arrivals.begin(), arrivals.end(),
                               [](const Arrival& a) { return a.intended < fromSeconds(10); }),
                 std::ptrdiff_t{50});
        point.fanOut = 4;
        arrivals = makeArrivals(point, &log);
        QCOMPARE(arrivals.size(), std::size_t{200});
        for (std::size_t i = 0; i < 200; ++i) {
            QCOMPARE(arrivals[i].row, static_cast<std::uint32_t>(i / 4)); // the requests of one row
            QCOMPARE(arrivals[i].intended, arrivals[i / 4 * 4].intended);
        }
    }

    void aLogThatCannotBeReplayedIsRefused_data()
    {
        QTest::addColumn<bool>("timed");
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<QString>("why");
        QTest::newRow("no clock") << false << 0.0 << 0.0
                                  << "tells no arrivals on one clock for all of its rows, which recorded arrivals need";
        QTest::newRow("behind its end") << true << 100.0 << 0.0 << "fewer than two moments of arrival";
        QTest::newRow("one row") << true << 0.5 << 1.2 << "its arrivals go from 0 s to 9 s";
    }
    void aLogThatCannotBeReplayedIsRefused()
    {
        QFETCH(bool, timed);
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(QString, why);
        const RecordedTimes log = timed ? logAt({0, 1, 4, 9}) : RecordedTimes();
        const PointPlan point = replay(1, 10, {from, to, 0});
        const Status status = checkLog(point, &log, "log.csv");
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::BadInput);
        QVERIFY2(QString::fromStdString(status.error().line()).contains(why), status.error().line().c_str());
        QVERIFY(makeArrivals(point, &log).empty());
    }

    void aGridIsSaid()
    {
        RecordedTimes log = logAt({0, 1, 4, 9, 12, 14});
        log.grid = fromSeconds(3);
        const auto remarks = recordedRemarks({replay(0.1, 10), replay(0.2, 10)}, log, "log.csv");
        QCOMPARE(remarks.size(), std::size_t{1});
        QCOMPARE(remarks[0], std::string("log.csv: arrivals sat on a clock's grid of about 3 s; recorded arrivals are "
                                         "spread evenly inside their tick"));
    }
};

QTEST_GUILESS_MAIN(RecordedArrivalsTest)
#include "tst_recorded_arrivals.moc"
