// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/plot_view.h"
#include "charts/scale.h"

#include <QTest>

#include <cmath>

using namespace tailmark::ui;

class TestScale : public QObject
{
    Q_OBJECT

private slots:
    void mapsThereAndBack()
    {
        const Scale linear{100, 300, false}, log{1, 10000, true};
        QCOMPARE(linear.unit(150), 0.25);
        QCOMPARE(linear.value(0.25), 150.0);
        QCOMPARE(log.unit(100), 0.5);
        QVERIFY(std::fabs(log.value(0.75) - 1000) < 1e-9);
        QVERIFY(!log.canShow(0) && !log.canShow(-1) && !log.canShow(std::nan("")) && linear.canShow(0));
    }

    /// However often the wheel turns, the scale can still be drawn.
    void zoomNeverBreaksTheScale()
    {
        for (Scale s : {Scale{0, 3000, false}, Scale{5, 5000, true}})
            for (double factor : {0.5, 2.0}) {
                Scale zoomed = s;
                for (int i = 0; i < 300; ++i)
                    zoomed = zoomed.zoomed(factor, 0.3);
                QVERIFY(zoomed.max > zoomed.min && std::isfinite(zoomed.min) && std::isfinite(zoomed.max));
                QVERIFY(!zoomed.log || zoomed.min > 0);
                for (double tick : ticks(zoomed, 8))
                    QVERIFY(std::isfinite(tick));
            }
        const Scale anchored = Scale{0, 100, false}.zoomed(0.5, 0.25);
        QCOMPARE(anchored.unit(25), 0.25); // the place under the cursor stays
    }

    void ticksAreRoundAndFew()
    {
        QCOMPARE(ticks({0, 3000, false}, 6), (QList<double>{0, 500, 1000, 1500, 2000, 2500, 3000}.first(
                                                 ticks({0, 3000, false}, 6).size())));
        QCOMPARE(ticks({100, 1000, true}, 8), (QList<double>{100, 200, 500, 1000}));
        QCOMPARE(ticks({1, 1e6, true}, 8), (QList<double>{1, 10, 100, 1e3, 1e4, 1e5, 1e6}));
        QVERIFY(ticks({7, 30, true}, 8).size() >= 2); // a Qt axis would show one label here
        for (int most = 2; most < 12; ++most)
            QVERIFY(ticks({0.3, 40000, true}, most).size() <= most);
    }

    void fitsAnything()
    {
        for (bool log : {false, true})
            for (auto [low, high] : {std::pair{1.0, 0.0},
                                     {0.0, 0.0},
                                     {-5.0, 5.0},
                                     {5.0, 5.0},
                                     {std::nan(""), 1.0},
                                     {1.0, HUGE_VAL}}) {
                const Scale s = fitScale(low, high, log, 0.1, 0.1);
                QVERIFY(std::isfinite(s.min) && std::isfinite(s.max) && s.max > s.min && (!log || s.min > 0));
            }
    }

    void linesEndAtTheFrame()
    {
        // In, out at the top, in again at the right: two pieces, nothing outside.
        const auto pieces = clippedToUnitSquare({{0.2, 0.2}, {0.4, 1.8}, {0.6, 1.8}, {0.8, 0.2}, {1.5, 0.2}});
        QCOMPARE(pieces.size(), 2);
        for (const auto& piece : pieces)
            for (const QPointF& p : piece)
                QVERIFY(p.x() >= -1e-12 && p.x() <= 1 + 1e-12 && p.y() >= -1e-12 && p.y() <= 1 + 1e-12);
        QCOMPARE(pieces[0], (QList<QPointF>{{0.2, 0.2}, {0.3, 1.0}}));
        QCOMPARE(pieces[1].last(), QPointF(1, 0.2));
        QVERIFY(clippedToUnitSquare({{2, 2}, {3, 3}}).isEmpty());
        QVERIFY(clippedToUnitSquare({{0.5, 0.5}}).isEmpty());
        // Through the whole square without a corner in it.
        QCOMPARE(clippedToUnitSquare({{-1, 0.5}, {2, 0.5}}), (QList<QList<QPointF>>{{{0, 0.5}, {1, 0.5}}}));
    }
};

QTEST_GUILESS_MAIN(TestScale)
#include "tst_scale.moc"
