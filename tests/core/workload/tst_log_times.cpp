// SPDX-License-Identifier: GPL-3.0-or-later
// What a schedule takes from a log, and requests that replay one.
#include "workload/log_times.h"

#include "schedule/arrivals.h"
#include "workload/prompt.h"
#include "workload/trace/trace_import.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

using namespace tailmark;

namespace {

/// 400 rows; requests of row i: arrival 1.5·i s, and prompt and output lengths that tell which row it is.
QByteArray distinctRows(double gapS = 1.5)
{
    QByteArray text = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
    for (int i = 0; i < 400; ++i)
        text += QByteArray::number(i * gapS) + "," + QByteArray::number(100 + i) + "," +
                QByteArray::number(1000 + i) + "\n";
    return text;
}

} // namespace

class LogTimesTest : public QObject
{
    Q_OBJECT

private slots:
    void arrivalsAreThoseOfTheLog()
    {
        const Trace trace = traceOf(distinctRows());
        const RecordedTimes times = timesOf(trace);
        QCOMPARE(times.arrivals.size(), std::size_t{400});
        for (std::size_t i = 0; i < 400; ++i)
            QCOMPARE(times.arrivals[i], fromSeconds(1.5 * static_cast<double>(i)));
        QVERIFY(times.thinkTimes.empty());
    }

    void aSampleIsKnownAsOne()
    {
        TraceOptions options;
        options.keepRows = 100;
        const Result<Trace> trace = importTrace(write(distinctRows()), options);
        QVERIFY(trace.ok());
        QCOMPARE(timesOf(trace.value()).sampledEvery, std::uint64_t{4});
        QCOMPARE(timesOf(traceOf(distinctRows())).sampledEvery, std::uint64_t{1});
    }

    void aGridIsSpreadAndRowsKeepTheirOrder()
    {
        // Ten requests at each tick of 3 s, as a clock that looks only so often stamps them.
        QByteArray text = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
        for (int i = 0; i < 2'000; ++i)
            text += QByteArray::number(i / 10 * 3) + "," + QByteArray::number(100 + i) + ",10\n";
        const Trace trace = traceOf(text);
        QVERIFY(trace.stats.arrivals && trace.stats.arrivals->grid);
        const RecordedTimes times = timesOf(trace);
        QVERIFY(times.grid);
        QCOMPARE(times.arrivals.size(), std::size_t{2'000});
        QVERIFY(std::is_sorted(times.arrivals.begin(), times.arrivals.end()));
        QVERIFY(std::adjacent_find(times.arrivals.begin(), times.arrivals.end()) == times.arrivals.end());
        QCOMPARE(times.arrivals.front(), Nanoseconds(0));
        for (std::size_t i = 0; i < 2'000; ++i) // each inside its tick, which the first shifts by less than one
            QVERIFY(std::abs(toSeconds(times.arrivals[i]) - 3.0 * static_cast<double>(i / 10)) <= 3);
        QVERIFY(timesOf(trace).arrivals == times.arrivals);
    }

    void eachArrivalBringsTheLengthsOfItsRow_data()
    {
        QTest::addColumn<int>("fanOut");
        QTest::newRow("one by one") << 1;
        QTest::newRow("four at once") << 4;
    }
    void eachArrivalBringsTheLengthsOfItsRow()
    {
        QFETCH(int, fanOut);
        PointPlan point = replay(distinctRows());
        point.fanOut = fanOut;
        point.recorded.fromS = 300; // row 200
        const auto source = makeRequestSource(matrixOf(point), point, BodyOptions());
        QVERIFY2(source.ok(), source ? "" : source.error().line().c_str());
        QCOMPARE(source.value()->count(), std::uint32_t{400}); // 10/s for 40 s
        for (std::uint32_t i = 0; i < 400; ++i) {
            const PlannedRequest planned = source.value()->planned(i);
            const int row = 200 + static_cast<int>(i) / fanOut % 200; // behind its end the stretch begins again
            QCOMPARE(planned.promptTokens, 100 + row);
            QCOMPARE(planned.outputTokens, 1000 + row);
        }
    }

    void aLogWithoutArrivalsIsRefused()
    {
        PointPlan point = replay("prompt_tokens,completion_tokens\n100,10\n200,20\n");
        const auto source = makeRequestSource(matrixOf(point), point, BodyOptions());
        QVERIFY(!source.ok());
        QVERIFY2(source.error().line().find("tells no arrivals on one clock") != std::string::npos,
                 source.error().line().c_str());
    }

    void realLogs_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<double>("rate");
        QTest::addColumn<bool>("grid");
        QTest::newRow("azure code") << "azure_2023_code.csv" << 2.566 << false;
        QTest::newRow("azure chat") << "azure_2023_conv_head2000.csv" << 4.712 << false;
        QTest::newRow("mooncake conversations") << "mooncake_conversation_head1506.jsonl" << 2.934 << true;
        QTest::newRow("mooncake synthetic") << "mooncake_synthetic_head1079.jsonl" << 3.662 << false;
    }
    void realLogs()
    {
        QFETCH(QString, file);
        QFETCH(double, rate);
        QFETCH(bool, grid);
        const QString path = QStringLiteral(TAILMARK_SHARED_DIR "/traces/") + file;
        if (!QFile::exists(path))
            QSKIP(qPrintable(path + " is not there: real logs were not replayed"));
        const Result<Trace> trace = importTrace(path.toStdString());
        QVERIFY(trace.ok());
        const RecordedTimes times = timesOf(trace.value());
        QCOMPARE(times.grid.has_value(), grid);
        // Stretched to its own rate a log takes about its own time; to any other, the rate is that.
        for (const double asked : {rate, 0.5, 30.0}) {
            PointPlan point;
            point.process = ArrivalProcess::Recorded;
            point.phases = {{"steady", asked, 100}};
            point.durationS = 100;
            const std::size_t count = makeArrivals(point, &times).size();
            QCOMPARE(count, static_cast<std::size_t>(std::lround(asked * 100)));
        }
        PointPlan point;
        point.process = ArrivalProcess::Recorded;
        point.phases = {{"steady", rate, 250}};
        point.recorded.timeScale = 1;
        const std::vector<Arrival> arrivals = makeArrivals(point, &times);
        for (std::size_t i = 0; i < arrivals.size(); ++i) { // in the log's own time, row by row
            QCOMPARE(arrivals[i].row, static_cast<std::uint32_t>(i));
            QVERIFY(std::abs((arrivals[i].intended - times.arrivals[i]).count()) <= 1'000);
        }
        QVERIFY(arrivals.size() == times.arrivals.size() || times.arrivals[arrivals.size()] >= fromSeconds(250) - fromMs(1));
    }

private:
    Trace traceOf(const QByteArray& text)
    {
        const std::string path = write(text);
        Result<Trace> trace = importTrace(path);
        if (!trace)
            qFatal("%s", trace.error().line().c_str());
        return std::move(trace).value();
    }
    std::string write(const QByteArray& text)
    {
        const QString path = m_dir.filePath(QStringLiteral("log.csv"));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("%s", qPrintable(file.errorString()));
        return path.toStdString();
    }
    PointPlan replay(const QByteArray& log)
    {
        PointPlan point;
        point.kind = TestKind::ArrivalSweep;
        point.process = ArrivalProcess::Recorded;
        point.phases = {{"steady", 10, 40}};
        point.durationS = 40;
        point.lengths = fileLengths(LengthsKind::Trace, write(log));
        return point;
    }
    static Matrix matrixOf(const PointPlan& point)
    {
        Matrix matrix;
        matrix.workload.lengths = point.lengths;
        return matrix;
    }

    QTemporaryDir m_dir;
};

QTEST_GUILESS_MAIN(LogTimesTest)
#include "tst_log_times.moc"
