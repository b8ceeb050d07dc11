// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/column_widths.h"

#include <QtTest>

using namespace tailmark::ui;

/// How wide the columns of a printed table are.
class TestColumnWidths : public QObject
{
    Q_OBJECT

private slots:
    void allOnOneLineWhereThatFits()
    {
        QCOMPARE(columnWidths({{10, 30}, {10, 50}}, 100), (QList<qreal>{30, 50})); // not wider than it needs
    }

    void noWordIsBrokenWhereTheWordsFit()
    {
        QCOMPARE(columnWidths({{20, 20}, {30, 130}, {10, 60}}, 120), (QList<qreal>{20, 70, 30}));
    }

    void narrowerAlikeWhereNotEvenTheWordsFit()
    {
        QCOMPARE(columnWidths({{100, 100}, {300, 900}}, 200), (QList<qreal>{50, 150}));
    }

    void nothingOfNoColumns() { QVERIFY(columnWidths({}, 100).isEmpty()); }
};

QTEST_GUILESS_MAIN(TestColumnWidths)
#include "tst_column_widths.moc"
