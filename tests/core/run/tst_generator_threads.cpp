// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "run/generator_threads.h"

using namespace tailmark;

class GeneratorThreadsTest : public QObject
{
    Q_OBJECT

private slots:
    void chunksOfAPoint()
    {
        PointPlan closed;
        closed.concurrency = 2048;
        QCOMPARE(expectedChunksPerS(closed, 128), 102'400.0);
        PointPlan burst;
        burst.phases = {{"baseline", 4, 20}, {"burst", 500, 20}, {"recovery", 4, 60}};
        QCOMPARE(expectedChunksPerS(burst, 200), 100'000.0);
    }

    void threads_data()
    {
        QTest::addColumn<double>("chunksPerS");
        QTest::addColumn<int>("cores");
        QTest::addColumn<int>("threads");
        QTest::addRow("nothing") << 0.0 << 8 << 1;
        QTest::addRow("few") << 50.0 << 8 << 1;
        QTest::addRow("just one thread's") << 60'000.0 << 8 << 1;
        QTest::addRow("2,048 streams") << 102'400.0 << 8 << 2;
        QTest::addRow("many") << 500'000.0 << 8 << 8;
        QTest::addRow("no core for them") << 102'400.0 << 1 << 1;
        QTest::addRow("cores unknown") << 102'400.0 << 0 << 1;
    }
    void threads()
    {
        QFETCH(double, chunksPerS);
        QFETCH(int, cores);
        QFETCH(int, threads);
        QCOMPARE(threadsForChunks(chunksPerS, cores), threads);
    }

    void thisMachineHasACore() { QVERIFY(usableCores() >= 1); }
};

QTEST_GUILESS_MAIN(GeneratorThreadsTest)
#include "tst_generator_threads.moc"
