// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "run/refinement.h"

#include <cmath>
#include <functional>

using namespace tailmark;

namespace {

const Slo kSlo = {{"ttft_ms", 99, 1000}};

/// A measured point whose latency is that of a law over the load.
PointSummary measuredAt(const PointPlan& plan, const std::function<double(double)>& latencyAt)
{
    PointSummary p;
    p.point = plan;
    p.rates[Metric::OutputTokensPerS] = 100 * plan.load.value;
    ConstraintResult c;
    c.limit = kSlo[0];
    c.value = latencyAt(plan.load.value);
    c.met = *c.value <= c.limit.limit;
    c.withinShare = c.met ? 1 : 0.9;
    p.slo.met = c.met;
    p.slo.constraints = {c};
    return p;
}

/// Refines a plan to its end; the loads that were added, in order.
QString refined(Plan plan, const std::function<double(double)>& latencyAt)
{
    std::vector<PointSummary> measured;
    for (const PointPlan& point : plan.points)
        measured.push_back(measuredAt(point, latencyAt));
    QStringList added;
    for (;;) {
        const std::vector<PointPlan> more = refinementOf(plan, measured);
        if (more.empty())
            return added.join(' ');
        for (const PointPlan& point : more) {
            if (point.index.value != static_cast<int>(plan.points.size()) || !point.added)
                return "wrong index, or not marked";
            added << QString::number(point.load.value) +
                         (point.repeat > 0 ? "#" + QString::number(point.repeat) : "");
            plan.points.push_back(point);
            measured.push_back(measuredAt(point, latencyAt));
        }
    }
}

Matrix sweep(TestKind kind)
{
    Matrix m;
    m.slo = kSlo;
    m.tests.resize(1);
    m.tests[0].kind = kind;
    m.tests[0].levels = {8, 32, 64, 96};
    m.tests[0].ratesPerS = {1, 4, 16};
    m.measurement.refine = 8;
    return m;
}

} // namespace

class RefinementTest : public QObject
{
    Q_OBJECT

private slots:
    void concurrencyByHand()
    {
        // The limit is crossed at 44.3. Root of 32 x 64 = 45.3 fails, of 32 x 45 = 37.9 passes, of 38 x 45
        // = 41.4 passes, of 41 x 45 = 42.95 passes; 43 to 45 are 4.7 % apart.
        const auto law = [](double load) { return load <= 44.3 ? 900.0 : 1100.0; };
        QCOMPARE(refined(expand(sweep(TestKind::ConcurrencySweep)).value(), law), QString("45 38 41 43"));
    }

    void wholeNumbersEndWhereNoneIsLeft()
    {
        Matrix m = sweep(TestKind::ConcurrencySweep);
        m.tests[0].levels = {1, 4};
        // Root of 1 x 4 = 2 passes, of 2 x 4 = 2.8 gives 3, which fails; between 2 and 3 there is none.
        QCOMPARE(refined(expand(m).value(), [](double load) { return load * 400; }), QString("2 3"));
    }

    void ratesHaveThreeDigits()
    {
        Matrix m = sweep(TestKind::ArrivalSweep);
        m.measurement.refineTo = 0.2;
        // 4 to 16: 8 fails, root of 32 = 5.657 passes, root of 5.66 x 8 = 6.73 fails; 5.66 to 6.73 are 19 %
        // apart.
        QCOMPARE(refined(expand(m).value(), [](double load) { return load < 6 ? 100.0 : 2000.0; }),
                 QString("8 5.66 6.73"));
    }

    void asManyAsAllowedAndInAllRepeats()
    {
        Matrix m = sweep(TestKind::ConcurrencySweep);
        m.measurement.refine = 2;
        m.measurement.repeats = 2;
        const auto law = [](double load) { return load <= 44.3 ? 900.0 : 1100.0; };
        QCOMPARE(refined(expand(m).value(), law), QString("45 45#1 38 38#1"));
        m.measurement.refine = 0;
        QCOMPARE(refined(expand(m).value(), law), QString());
    }

    void withoutABracketThereIsNothingToRefine()
    {
        const Plan plan = expand(sweep(TestKind::ConcurrencySweep)).value();
        QCOMPARE(refined(plan, [](double) { return 10.0; }), QString());
        QCOMPARE(refined(plan, [](double) { return 5000.0; }), QString());
    }

    void aLevelThatMayNotBeBelievedIsNotRepeated()
    {
        const Plan plan = expand(sweep(TestKind::ConcurrencySweep)).value();
        std::vector<PointSummary> measured;
        for (const PointPlan& point : plan.points)
            measured.push_back(measuredAt(point, [](double load) { return load * 20; }));
        PointPlan middle = atLoad(plan.matrix, plan.points[0], {LoadAxis::Concurrency, 45});
        measured.push_back(measuredAt(middle, [](double) { return 10.0; }));
        measured.back().verdict.valid = false;
        QVERIFY(refinementOf(plan, measured).empty());
    }

    void anAddedPointIsThatOfTheMatrix()
    {
        const Matrix m = sweep(TestKind::ArrivalSweep);
        const Plan plan = expand(m).value();
        const PointPlan at = atLoad(m, plan.points[2], plan.points[1].load);
        PointPlan expected = plan.points[1];
        expected.index = at.index;
        QCOMPARE(at.load, expected.load);
        QVERIFY(at == expected); // seeds and schedule too
        Matrix closed = sweep(TestKind::ConcurrencySweep);
        const Plan levels = expand(closed).value();
        QCOMPARE(atLoad(closed, levels.points[0], {LoadAxis::Concurrency, 45}).concurrency, 45);
    }
};

QTEST_GUILESS_MAIN(RefinementTest)
#include "tst_refinement.moc"
