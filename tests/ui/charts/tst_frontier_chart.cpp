// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_export.h"
#include "charts/distribution_chart.h"
#include "charts/frontier_chart.h"
#include "charts/frontier_panel.h"
#include "charts/timeline_chart.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineSeries>
#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <cmath>

using namespace tailmark;
using namespace tailmark::ui;

namespace {

/// The worked example of the contract: four levels, limit 1,000 ms, crossing at 44.3 concurrent and 6,444
/// tok/s.
FrontierSeries example()
{
    FrontierSeries s;
    const double loads[] = {8, 32, 64, 96}, tokens[] = {1900, 5600, 7800, 8400},
                 p99[] = {340, 720, 1450, 3100};
    for (int i = 0; i < 4; ++i) {
        s.points.append({PointIndex{i}, Load{LoadAxis::Concurrency, loads[i]}, tokens[i], p99[i],
                         Interval{p99[i] * 0.9, p99[i] * 1.1}, true, p99[i] <= 1000,
                         QStringLiteral("details %1").arg(i)});
        s.line.append({tokens[i], p99[i]});
    }
    s.mark = FrontierMark{
        Interval{5600, 7800}, {6444}, std::nullopt, QStringLiteral("44.3 concurrent · 6,444 tok/s")};
    return s;
}

bool isNear(const QColor& a, const QColor& b, int tolerance = 60)
{
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) <
           tolerance;
}

/// Is something of this colour within two pixels above or below?
bool hasColor(const QImage& image, QPointF at, const QColor& color)
{
    for (int dy = -2; dy <= 2; ++dy)
        if (isNear(image.pixelColor(qRound(at.x()), qRound(at.y()) + dy), color))
            return true;
    return false;
}

/// Anywhere along the x range: the line is dashed.
bool hasColorAlong(const QImage& image, qreal fromX, qreal toX, qreal y, const QColor& color)
{
    for (qreal x = fromX; x < toX; ++x)
        if (hasColor(image, {x, y}, color))
            return true;
    return false;
}

void wheel(PlotView& view, QPointF at, int notches, Qt::KeyboardModifiers modifiers = {})
{
    QWheelEvent event(at, view.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(view.viewport(), &event);
}

} // namespace

class TestFrontierChart : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        QVERIFY(!QFontInfo(QApplication::font()).family().isEmpty());
    }

    void init()
    {
        m_chart = std::make_unique<FrontierChart>();
        m_chart->resize(800, 500);
        m_chart->setAxes({}, false);
        m_chart->setSeries({example()});
        m_chart->setSlo(1000, true);
        m_chart->show();
    }
    void cleanup() { m_chart.reset(); }

    void sloLineStandsAtItsValue_data()
    {
        QTest::addColumn<bool>("log");
        QTest::newRow("linear") << false;
        QTest::newRow("logarithmic") << true;
    }
    /// In every view: as fitted, zoomed, and after the axis has changed its kind.
    void sloLineStandsAtItsValue()
    {
        QFETCH(bool, log);
        m_chart->setAxes({}, log);
        for (int step = 0; step < 3; ++step) {
            const QImage image = m_chart->image();
            const QRectF area = m_chart->plotArea();
            const qreal y = m_chart->toView({m_chart->xScale().min, 1000}).y();
            QVERIFY(y > area.top() && y < area.bottom());
            // By hand from the scale, not by the chart's own mapping.
            const Scale s = m_chart->yScale();
            const double share =
                log ? std::log(1000 / s.min) / std::log(s.max / s.min) : (1000 - s.min) / (s.max - s.min);
            QVERIFY(std::fabs(y - (area.bottom() - share * area.height())) < 0.01);
            QVERIFY(hasColorAlong(image, area.center().x(), area.center().x() + 40, y, m_chart->style().slo));
            QVERIFY(!hasColorAlong(image, area.center().x(), area.center().x() + 40, y - 30,
                                   m_chart->style().slo));
            wheel(*m_chart, {area.center().x(), y}, 2);
        }
        QVERIFY(m_chart->isZoomed());
    }

    void operatingPointIsShadedAndMarked()
    {
        const QImage image = m_chart->image();
        const QRectF area = m_chart->plotArea();
        const qreal low = m_chart->toView({5600, 0}).x(), high = m_chart->toView({7800, 0}).x();
        const qreal y = area.top() + 8;
        const QColor inside = image.pixelColor(qRound((low + high) / 2) + 7, qRound(y));
        QVERIFY(inside != image.pixelColor(qRound(low) - 9, qRound(y)));
        QCOMPARE(image.pixelColor(qRound(high) + 9, qRound(y)), image.pixelColor(qRound(low) - 9, qRound(y)));
        QVERIFY(hasColor(image, m_chart->toView({6444, 1000}), m_chart->style().operating));
    }

    /// A label moves out of the way of points, here of one that lies left above the crossing.
    void labelsHideNoPoint()
    {
        FrontierSeries other = example();
        other.points[3].x = 5600;
        other.points[3].y = 1120;
        other.points[3].interval.reset();
        m_chart->setSeries({example(), other});
        const QColor expected = m_chart->style().seriesColor(1);
        const QImage image = m_chart->image();
        bool found = false; // the outline of the marker, which is a square
        const QPoint at = m_chart->toView({5600, 1120}).toPoint();
        for (int dx = -6; dx <= 6; ++dx)
            found = found || isNear(image.pixelColor(at + QPoint(dx, 0)), expected);
        QVERIFY(found);
        QVERIFY(!isNear(image.pixelColor(at), m_chart->style().background, 20));
    }

    void invalidPointsAreHollow()
    {
        FrontierSeries s = example();
        s.points[0].valid = false;
        m_chart->setSeries({s});
        const QImage image = m_chart->image();
        QVERIFY(isNear(image.pixelColor(m_chart->toView({1900, 340}).toPoint()), m_chart->style().background,
                       20));
        QVERIFY(isNear(image.pixelColor(m_chart->toView({5600, 720}).toPoint()),
                       m_chart->style().seriesColor(0)));
    }

    void draggingFollowsTheHand()
    {
        QSignalSpy dragged(m_chart.get(), &FrontierChart::sloDragged);
        QSignalSpy edited(m_chart.get(), &FrontierChart::sloEdited);
        const QPoint from = m_chart->toView({3500, 1000}).toPoint(),
                     to = m_chart->toView({3500, 2000}).toPoint();
        QTest::mousePress(m_chart->viewport(), Qt::LeftButton, {}, from);
        QVERIFY(m_chart->isDraggingSlo());
        const Scale before = m_chart->yScale();
        for (int i = 1; i <= 5; ++i)
            QTest::mouseMove(m_chart->viewport(), from + (to - from) * i / 5);
        QVERIFY(!dragged.isEmpty());
        m_chart->setSlo(1234, true); // an answer to where the hand was moves nothing
        QVERIFY(std::fabs(*m_chart->slo() - 2000) < 20);
        QCOMPARE(m_chart->yScale(), before);
        QVERIFY(edited.isEmpty());
        QTest::mouseRelease(m_chart->viewport(), Qt::LeftButton, {}, to);
        QCOMPARE(edited.size(), 1);
        QVERIFY(std::fabs(edited.first().first().toDouble() - 2000) < 20);
        QVERIFY(!m_chart->isZoomed()); // it did not pan as well
    }

    void keysMoveTheLimitByFivePercent()
    {
        QSignalSpy edited(m_chart.get(), &FrontierChart::sloEdited);
        QTest::keyClick(m_chart.get(), Qt::Key_Up);
        QCOMPARE(*m_chart->slo(), 1050.0);
        QTest::keyClick(m_chart.get(), Qt::Key_Down);
        QCOMPARE(*m_chart->slo(), 1000.0);
        QCOMPARE(edited.size(), 2);
        m_chart->setSlo(1000, false);
        QTest::keyClick(m_chart.get(), Qt::Key_Up);
        QCOMPARE(*m_chart->slo(), 1000.0); // a limit that is only shown stays
    }

    void keysAndClicksChoosePoints()
    {
        QSignalSpy selected(m_chart.get(), &FrontierChart::pointSelected);
        QTest::keyClick(m_chart.get(), Qt::Key_Right);
        QCOMPARE(selected.last().first().value<PointIndex>(), PointIndex{0});
        m_chart->setSelected({0});
        QTest::keyClick(m_chart.get(), Qt::Key_Right);
        QCOMPARE(selected.last().first().value<PointIndex>(), PointIndex{1});
        QTest::mouseClick(m_chart->viewport(), Qt::LeftButton, {}, m_chart->toView({7800, 1450}).toPoint());
        QCOMPARE(selected.last().first().value<PointIndex>(), PointIndex{2});
    }

    void zoomPanAndFit()
    {
        const Scale x = m_chart->xScale(), y = m_chart->yScale();
        wheel(*m_chart, m_chart->plotArea().center(), 3, Qt::ControlModifier);
        QCOMPARE(m_chart->xScale(), x);
        QVERIFY(m_chart->yScale() != y);
        m_chart->setSeries({example()}); // new data does not take the view away
        QVERIFY(m_chart->isZoomed());
        QTest::keyClick(m_chart.get(), Qt::Key_Home);
        QCOMPARE(m_chart->yScale(), y);
        const QPoint at = m_chart->toView({3000, 2300}).toPoint();
        QTest::mousePress(m_chart->viewport(), Qt::LeftButton, {}, at);
        QTest::mouseMove(m_chart->viewport(), at + QPoint(60, 0));
        QTest::mouseRelease(m_chart->viewport(), Qt::LeftButton, {}, at + QPoint(60, 0));
        QVERIFY(m_chart->xScale().min < 0);
        QTest::mouseDClick(m_chart->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(m_chart->xScale(), x);
    }

    /// Qt Charts draws nothing of a series with one such value on a logarithmic axis.
    void noSuchValueReachesASeries()
    {
        FrontierSeries s = example();
        s.line.insert(1, {2500, 0});
        s.line.insert(2, {2600, std::nan("")});
        s.line.append({HUGE_VAL, 10});
        m_chart->setSeries({s});
        m_chart->setAxes({}, true);
        int points = 0;
        for (QAbstractSeries* series : m_chart->chart()->series())
            for (const QPointF& p : qobject_cast<QLineSeries*>(series)->points()) {
                QVERIFY(std::isfinite(p.x()) && std::isfinite(p.y()));
                QVERIFY(p.x() >= 0 && p.x() <= 1 && p.y() >= 0 && p.y() <= 1);
                ++points;
            }
        QCOMPARE(points, 4);
        const QPointF between = (m_chart->toView({1900, 340}) + m_chart->toView({5600, 720})) / 2;
        QVERIFY(hasColor(m_chart->image(), between, m_chart->style().seriesColor(0)));
    }

    void liveMarkMoves()
    {
        m_chart->setLive(FrontierChart::LiveMark{{{8000, 2000}, {8300, 2600}}, QStringLiteral("80")});
        QVERIFY(hasColor(m_chart->image(), m_chart->toView({8300, 2600}), m_chart->style().seriesColor(1)));
        m_chart->setLive({});
        QVERIFY(!hasColor(m_chart->image(), m_chart->toView({8300, 2600}), m_chart->style().seriesColor(1)));
    }

    void colorsFollowThePalette()
    {
        const QColor light = m_chart->style().text;
        QPalette dark;
        dark.setColor(QPalette::Window, Qt::black);
        dark.setColor(QPalette::Base, QColor(20, 20, 20));
        m_chart->setPalette(dark);
        QVERIFY(m_chart->style().text != light);
        QCOMPARE(m_chart->image().pixelColor(2, 2), QColor(20, 20, 20));
    }

    void saysItselfInWords()
    {
        QVERIFY(m_chart->accessibleName().contains(QStringLiteral("p99")));
        QVERIFY(m_chart->accessibleDescription().contains(QStringLiteral("32 concurrent")));
    }

    void copiesAndWritesFiles()
    {
        QTemporaryDir folder;
        wheel(*m_chart, m_chart->plotArea().center(), 4); // lines leave the frame
        for (const char* ending : {"png", "svg", "pdf"}) {
            const QString path = folder.filePath(QStringLiteral("chart.%1").arg(QLatin1String(ending)));
            const Status saved = saveCharts({m_chart.get()}, path, QStringLiteral("title"));
            QVERIFY(saved.ok());
            QVERIFY(QFileInfo(path).size() > 2000);
        }
        QFile svg(folder.filePath(QStringLiteral("chart.svg")));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(svg.readAll());
        QVERIFY(!text.contains(QStringLiteral("Sans Serif")));
        QVERIFY(!text.contains(QStringLiteral("<image")));
        QVERIFY(!saveCharts({m_chart.get()}, folder.filePath(QStringLiteral("chart.xyz")), {}).ok());
        QVERIFY(!saveCharts({m_chart.get()}, folder.filePath(QStringLiteral("no/chart.png")), {}).ok());
        QTest::keyClick(m_chart.get(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(!QGuiApplication::clipboard()->image().isNull());
    }

    void panelPassesChoicesOn()
    {
        FrontierPanel panel(FrontierPanel::SloControl::Editable);
        panel.setSlo({{"ttft_ms", 99, 1000}}, {{"ttft_ms", 99, 1000}});
        panel.show();
        auto* limit = panel.findChild<QDoubleSpinBox*>();
        QCOMPARE(limit->value(), 1000.0);
        QSignalSpy edited(&panel, &FrontierPanel::sloEdited);
        limit->setFocus();
        limit->selectAll();
        QTest::keyClicks(limit, QStringLiteral("750"));
        QTest::keyClick(limit, Qt::Key_Return);
        QCOMPARE(edited.size(), 1);
        QCOMPARE(panel.slo(), (Slo{{"ttft_ms", 99, 750}}));
        QCOMPARE(*panel.chart()->slo(), 750.0);
        QSignalSpy axes(&panel, &FrontierPanel::axesChanged);
        const auto boxes = panel.findChildren<QComboBox*>();
        boxes[1]->setCurrentIndex(0); // p50: no limit on it
        QCOMPARE(axes.size(), 1);
        QVERIFY(!panel.chart()->slo());
    }

    /// Thousands of requests: each dot is drawn at its place, quickly enough for eight times a second.
    void timelineDrawsManyDots()
    {
        TimelineChart chart;
        TimelineData data;
        data.endS = 100;
        data.windowStartS = 5;
        data.windowEndS = 95;
        for (int i = 0; i < 50000; ++i)
            data.dots.append({i * 0.002, 50.0 + i % 100});
        data.dots.append({50, std::nan("")});
        data.dots.append({50, 0});
        for (int i = 0; i < 100; ++i)
            data.bins.append({double(i), 500, 500, 500, 500, 0, 0, 10, 10});
        chart.resize(900, 500);
        chart.setData(data);
        chart.show();
        PlotView* dots = chart.plots().last();
        const QImage image = dots->image();
        QVERIFY(
            !isNear(image.pixelColor(dots->toView({50.002, 51}).toPoint()), dots->style().background, 40));
        for (PlotView* plot : chart.plots())
            QCOMPARE(plot->plotArea().left(), dots->plotArea().left()); // one time axis
        wheel(*dots, dots->plotArea().center(), 3);
        for (PlotView* plot : chart.plots())
            QCOMPARE(plot->xScale(), dots->xScale());
    }

    void distributionShowsItsPercentiles()
    {
        DistributionChart chart;
        chart.resize(700, 400);
        chart.show();
        DistributionData data;
        data.ecdf = {{10, 0}, {10, 0.5}, {20, 0.5}, {20, 1}};
        data.histogram = {{10, 15, 5}, {15, 20, 5}};
        data.summary =
            Distribution{10, 15, 10, 20, {{50, 10, std::nullopt, true}, {99, 20, std::nullopt, true}}};
        chart.setData(data);
        PlotView* ecdf = chart.plots().first();
        const QImage image = ecdf->image();
        const QPointF middle = ecdf->toView({15, 50});
        QVERIFY(hasColor(image, middle, ecdf->style().seriesColor(0)));
        QVERIFY(ecdf->accessibleDescription().contains(QStringLiteral("p99")));
        chart.setData({}); // nothing chosen: nothing left of the one before
        QVERIFY(!hasColor(ecdf->image(), middle, ecdf->style().seriesColor(0)));
    }

private:
    std::unique_ptr<FrontierChart> m_chart;
};

QTEST_MAIN(TestFrontierChart)
#include "tst_frontier_chart.moc"
