// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/timeline_chart.h"
#include "models/server_table.h"
#include "models/tables.h"

#include <QtTest>

#include <algorithm>

using namespace tailmark;
using namespace tailmark::ui;

namespace {

ServerSample sample(double atS, ServerCounter counter, double value)
{
    return {fromSeconds(atS), counter, value};
}

PlotView* plotNamed(const TimelineChart& chart, const QString& part)
{
    for (PlotView* plot : chart.plots())
        if (plot->accessibleName().contains(part))
            return plot;
    return nullptr;
}

/// Pixels of this colour.
int pixelsOf(const QImage& image, const QColor& color)
{
    int n = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            n += image.pixelColor(x, y) == color;
    return n;
}

TimelineData dataOf(const std::vector<ServerSample>& samples)
{
    PointPlan point;
    point.concurrency = 4;
    point.durationS = 10;
    return timelineData(point, {0, 10, 0}, {}, samples);
}

} // namespace

/// What the engine tells of itself, in the timeline and as a table.
class TestTimelineServer : public QObject
{
    Q_OBJECT

private slots:
    void lanesStandWhereThereAreData()
    {
        TimelineChart chart;
        chart.resize(900, 600);
        chart.show();
        PlotView* requests = plotNamed(chart, QStringLiteral("running and waiting"));
        PlotView* cache = plotNamed(chart, QStringLiteral("KV"));
        QVERIFY(requests && cache);
        chart.setData(dataOf({}));
        QVERIFY(!requests->isVisible() && !cache->isVisible());

        chart.setData(dataOf({sample(1, ServerCounter::Running, 2), sample(5, ServerCounter::Running, 2),
                              sample(5, ServerCounter::GeneratedTokens, 1000)}));
        QVERIFY(requests->isVisible() && !cache->isVisible());
        QTRY_VERIFY(pixelsOf(requests->image(), requests->style().seriesColor(0)) > 100);

        chart.setData(dataOf({sample(1, ServerCounter::KvUse, 0.5), sample(5, ServerCounter::KvUse, 0.9)}));
        QVERIFY(!requests->isVisible() && cache->isVisible());
        QVERIFY(cache->yScale().max >= 90 && cache->yScale().max <= 110); // in per cent
        chart.setData(dataOf({}));
        QVERIFY(!requests->isVisible() && !cache->isVisible());
    }

    /// One bar above the first plot, a word in its legend: nothing lies over a line.
    void theSteadyPartIsNamedAboveTheFirstPlotOnly()
    {
        TimelineChart chart;
        chart.resize(900, 600);
        chart.show();
        TimelineData data =
            dataOf({sample(1, ServerCounter::Running, 2), sample(5, ServerCounter::Running, 2)});
        for (int i = 0; i < 10; ++i)
            data.bins.append({double(i), 5, 5, 5, 5, 0, 0, 1, 1});
        data.binS = 1;
        const auto picturesOf = [&](const TimelineData& shown) {
            chart.setData(shown);
            QList<QImage> all;
            for (const PlotView* plot : chart.plots())
                if (plot->isVisible())
                    all << plot->image();
            return all;
        };
        const QList<QImage> without = picturesOf(data);
        QCOMPARE(picturesOf(data), without);
        data.steadyFromS = 4;
        data.steadyToS = 10;
        const QList<QImage> with = picturesOf(data);
        const QRectF area = chart.plots().first()->plotArea();
        QVERIFY(with.first() != without.first());
        QCOMPARE(with.first().copy(area.toAlignedRect()), without.first().copy(area.toAlignedRect()));
        const QColor bar = chart.plots().first()->style().operating;
        const int row = qRound(area.top()) - 4;
        QCOMPARE(with.first().pixelColor(qRound(area.center().x() + 40), row), bar);
        QVERIFY(with.first().pixelColor(qRound(area.left() + area.width() * 0.2), row) != bar); // before 4 s
        QCOMPARE(with.mid(1), without.mid(1));
    }

    /// The names of a burst's phases stand above the plot.
    void namesOfPhasesCoverNoLine()
    {
        TimelineChart chart;
        chart.resize(900, 600);
        chart.show();
        TimelineData data = dataOf({});
        data.phases = {{QStringLiteral("baseline"), 0, 4}, {QStringLiteral("burst"), 4, 6}};
        chart.setData(data);
        PlotView* plot = chart.plots().first();
        const QImage named = plot->image();
        const QRect area = plot->plotArea().toAlignedRect();
        for (TimelineData::Phase& phase : data.phases)
            phase.name.clear();
        chart.setData(data);
        QVERIFY(plot->image() != named);
        QCOMPARE(plot->image().copy(area), named.copy(area));
    }

    void samplesOfOneReadingAreOneState()
    {
        const TimelineData data =
            dataOf({sample(-0.5, ServerCounter::Running, 1), sample(1, ServerCounter::Running, 2),
                    sample(1, ServerCounter::Waiting, 3), sample(1, ServerCounter::PromptTokens, 99),
                    sample(2, ServerCounter::PromptTokens, 99)});
        QCOMPARE(data.server.size(), 2);
        QCOMPARE(data.server[1].running.value(), 2.0);
        QCOMPARE(data.server[1].waiting.value(), 3.0);
        QVERIFY(!data.server[1].kvUsePercent);
    }

    void theRunningPointTakesWhatComesWithItsProgress()
    {
        LiveTimeline live;
        live.start({});
        Progress progress;
        live.addServer(progress); // told nothing
        QVERIFY(live.data().server.isEmpty());
        for (int i = 0; i < 40; ++i) {
            progress.load.elapsed = fromSeconds(i * 0.1);
            progress.serverRunning = i;
            progress.serverKvUse = 0.25;
            live.addServer(progress);
        }
        QCOMPARE(live.data().server.size(), 4);
        QCOMPARE(live.data().server[2].running.value(), 20.0);
        QCOMPARE(live.data().server[2].kvUsePercent.value(), 25.0);
    }

    void theTableOfTheTimelineHasTheEnginesColumns()
    {
        TimelineData data = dataOf({});
        for (int i = 0; i < 10; ++i)
            data.bins.append({double(i), 5, 5, 5, 5, 0, 0, 1, 1});
        data.binS = 1;
        const auto plain = timelineTable(data).columns.size();
        data.server = {{3.2, 7.0, std::nullopt, 40.0}};
        const Table table = timelineTable(data);
        QCOMPARE(table.columns.size(), plain + 3);
        QCOMPARE(table.rows[3][plain].text, QStringLiteral("7"));
        QCOMPARE(table.rows[3][plain + 2].text, QStringLiteral("40"));
        QVERIFY(table.rows[3][plain + 1].text != QStringLiteral("0")); // not told
        QVERIFY(table.rows[4][plain].text != QStringLiteral("7"));
    }

    void theServersTable()
    {
        PointSummary point;
        QVERIFY(serverTable(point).rows.isEmpty());
        ServerSummary& server = point.server.emplace();
        server.startS = 5;
        server.endS = 15;
        server.readings = 11;
        server.figures[ServerCounter::Running] = {11, 3.5, 1, 6, {}, {}, false, false};
        server.figures[ServerCounter::GeneratedTokens] = {11, {}, {}, {}, 12345, 1234.5, false, true};
        server.figures[ServerCounter::Preemptions] = {11, {}, {}, {}, {}, {}, true, false};
        server.remarks = {"the engine was started again"};
        const Table table = serverTable(point);
        QCOMPARE(table.rows.size(), 4);
        const auto rowText = [&](int row) {
            QStringList cells;
            for (const Cell& cell : table.rows[row])
                cells << cell.text;
            return cells.join(QLatin1Char('|'));
        };
        QVERIFY2(rowText(0).startsWith(QStringLiteral("Running requests||3.5|6|")), qPrintable(rowText(0)));
        QVERIFY2(rowText(1).contains(QStringLiteral("Preemptions")) &&
                     rowText(1).contains(QStringLiteral("fell")),
                 qPrintable(rowText(1)));
        QVERIFY2(rowText(2).contains(QStringLiteral("12,345")) &&
                     rowText(2).contains(QStringLiteral("request ends")),
                 qPrintable(rowText(2)));
        QVERIFY2(rowText(3).endsWith(QStringLiteral("the engine was started again")), qPrintable(rowText(3)));
    }
};

QTEST_MAIN(TestTimelineServer)
#include "tst_timeline_server.moc"
