// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "record_builder.h"
#include "run/stability.h"

using namespace tailmark;
using tailmark::test::RecordBuilder;

namespace {

PointPlan point()
{
    PointPlan p;
    p.concurrency = 4;
    p.warmupS = 1;
    p.durationS = 5;
    p.maxDurationS = 60;
    p.stableWidth = 0.2;
    return p;
}

/// `n` requests after the warm-up with latencies of 100 to 200 ms, spread evenly and in no order.
RecordBatch requests(int n, double fromMs = 1000)
{
    RecordBuilder b;
    for (int i = 0; i < n; ++i)
        b.completed(fromMs + i, 100 + (i * 37 % 101), 400);
    return b.batch;
}

} // namespace

class StabilityTest : public QObject
{
    Q_OBJECT

private slots:
    void narrowsWithItsRequests()
    {
        Stability stability(point(), {{"ttft_ms", 50, 1000}});
        QVERIFY(!stability.isReached());
        QCOMPARE(stability.text(), std::string("p50 TTFT has too few requests for an interval (0)"));
        // The median of 40 values between 100 and 200 is bound by about ranks 14 and 27: 33 ms of 150.
        stability.add(requests(40));
        QVERIFY(!stability.isReached());
        stability.add(requests(400, 2000));
        QVERIFY(stability.isReached());
        QVERIFY(QString::fromStdString(stability.text()).startsWith("p50 TTFT has an interval "));
    }

    void warmupDoesNotCount()
    {
        Stability stability(point(), {{"ttft_ms", 50, 1000}});
        stability.add(requests(900, 0)); // ends before 1 s
        QCOMPARE(stability.text(), std::string("p50 TTFT has too few requests for an interval (0)"));
    }

    void everyLimitHasToBeNarrow()
    {
        Stability stability(point(), {{"ttft_ms", 50, 1000}, {"ttft_ms", 99, 1000}});
        stability.add(requests(300));
        QVERIFY(!stability.isReached()); // p99 needs 368
        QCOMPARE(stability.text(), std::string("p99 TTFT has too few requests for an interval (300)"));
        stability.add(requests(300, 2000));
        QVERIFY(stability.isReached());
    }

    void withoutALimitTheHeadline()
    {
        PointPlan open = point();
        open.concurrency = 0;
        QCOMPARE(Stability(open, {}).text(),
                 std::string("p99 TTFT (intended) has too few requests for an interval (0)"));
        PointPlan fixed = point();
        fixed.kind = TestKind::FixedShape;
        QCOMPARE(Stability(fixed, {{"ttft_ms", 99, 1}}).text(),
                 std::string("p50 TTFT has too few requests for an interval (0)"));
    }
};

QTEST_GUILESS_MAIN(StabilityTest)
#include "tst_stability.moc"
