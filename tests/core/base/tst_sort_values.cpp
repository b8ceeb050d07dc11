// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "base/rng.h"
#include "base/sort_values.h"

#include <algorithm>
#include <limits>

using namespace tailmark;

class SortValuesTest : public QObject
{
    Q_OBJECT

private slots:
    void sortsAsComparisonsDo_data()
    {
        QTest::addColumn<double>("step");
        QTest::addColumn<double>("least");
        QTest::newRow("latencies") << 1e-6 << 0.0;
        QTest::newRow("many equal ones") << 5e10 << 0.0;
        QTest::newRow("both signs") << 1e-3 << -2e9;
        QTest::newRow("below zero") << 1e-3 << -9e9;
    }
    void sortsAsComparisonsDo()
    {
        QFETCH(double, step);
        QFETCH(double, least);
        Rng rng(7);
        for (const int n : {0, 1, 2, 999, 1000, 1001, 20'000}) {
            std::vector<double> values;
            for (int i = 0; i < n; ++i)
                values.push_back(least + step * static_cast<double>(rng() >> 24));
            if (n > 10) {
                values[3] = std::numeric_limits<double>::infinity();
                values[7] = -std::numeric_limits<double>::infinity();
                values[8] = -0.0;
            }
            std::vector<double> expected = values;
            std::sort(expected.begin(), expected.end());
            sortValues(values);
            QVERIFY(values == expected);
            sortValues(values);
            QVERIFY(values == expected);
        }
    }
};

QTEST_GUILESS_MAIN(SortValuesTest)
#include "tst_sort_values.moc"
