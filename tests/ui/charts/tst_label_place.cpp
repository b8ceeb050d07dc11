// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/label_place.h"

#include <QtTest>

using namespace tailmark::ui;

/// Where the label of a point of a curve stands.
class TestLabelPlace : public QObject
{
    Q_OBJECT

private slots:
    void leftAboveWhereThatIsFree()
    {
        const auto box = labelPlace({50, 50}, {20, 10}, 8, kRoom, {}, {});
        QVERIFY(box);
        QVERIFY(box->right() < 50 && box->bottom() <= 50);
    }

    void neverOverWhatIsTaken()
    {
        const QList<QRectF> taken{{40, 40, 20, 20}, {10, 30, 35, 20}}; // the marker, and what lies left of it
        const auto box = labelPlace({50, 50}, {20, 10}, 11, kRoom, taken, {});
        QVERIFY(box);
        for (const QRectF& other : taken)
            QVERIFY(!box->intersects(other));
        QVERIFY(!labelPlace({50, 50}, {20, 10}, 11, kRoom, {kRoom}, {}));
    }

    /// Off the lines where it can be, over them rather than not at all.
    void offTheLinesWhereItCanBe()
    {
        const QList<QLineF> curve{{0, 40, 100, 40}, {30, 0, 30, 100}};
        const auto box = labelPlace({50, 50}, {20, 10}, 8, kRoom, {}, curve);
        QVERIFY(box);
        QVERIFY(!(box->top() <= 40 && box->bottom() >= 40) && !(box->left() <= 30 && box->right() >= 30));
        QList<QLineF> hatched;
        for (int x = 0; x <= 100; x += 5)
            hatched << QLineF(x, 0, x, 100);
        QVERIFY(labelPlace({50, 50}, {20, 10}, 8, kRoom, {}, hatched));
    }

    void insideTheRoom()
    {
        const auto box = labelPlace({2, 2}, {20, 10}, 8, kRoom, {}, {});
        QVERIFY(box && kRoom.contains(*box));
    }

private:
    const QRectF kRoom{0, 0, 100, 100};
};

QTEST_MAIN(TestLabelPlace)
#include "tst_label_place.moc"
