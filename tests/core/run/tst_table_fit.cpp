// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "run/table_fit.h"

using namespace tailmark;

namespace {

Plan planOf(int turns, BeyondContext policy = BeyondContext::Stop)
{
    Matrix m;
    m.workload.lengths = fixedLengths(1000, 100);
    if (turns > 0)
        m.workload.sessions = {SessionsKind::Synthetic, turns};
    m.workload.beyondContext = policy;
    m.tests.emplace_back();
    m.tests[0].kind = TestKind::ConcurrencySweep;
    m.tests[0].levels = {1, 2};
    return expand(m).value();
}

Result<TableFit> fitted(const Plan& plan, int context, int templateTokens = 7)
{
    ReadLengths read{plan.points[0].lengths, makeLengthSource(plan.points[0].lengths).value(), nullptr, {}};
    return fitTables(
        plan, [&](const PointPlan&) { return &read; }, context, templateTokens);
}

} // namespace

class TableFitTest : public QObject
{
    Q_OBJECT

private slots:
    void plansWithoutOne()
    {
        const TableFit fit = fitted(planOf(0), 10).value();
        QCOMPARE(fit.longestPrompt, 0);
        QVERIFY(fit.remark.empty());
    }

    void conversationsThatFit()
    {
        // Three questions, two answers before the third; its own answer still has to fit.
        const TableFit fit = fitted(planOf(3), 3 * 1000 + 3 * 100 + 7).value();
        QCOMPARE(fit.longestPrompt, 3200);
        QVERIFY(fit.remark.empty());
        QVERIFY(fitted(planOf(3), 0).value().remark.empty()); // a context that nobody tells
    }

    void conversationsThatOutgrowTheContext()
    {
        for (const BeyondContext policy : {BeyondContext::Stop, BeyondContext::Clip}) {
            const Result<TableFit> fit = fitted(planOf(3, policy), 3306);
            QVERIFY(!fit.ok());
            QCOMPARE(fit.error().code, ErrorCode::Unreachable);
            QCOMPARE(
                QString::fromStdString(fit.error().message),
                QString(
                    "the longest turn of a session is planned with 3,307 tokens (3,200 of them the prompt "
                    "with all turns before it), the target's context is 3,306; fewer or shorter turns fit "
                    "(workload.sessions)"));
        }
        const TableFit sent = fitted(planOf(3, BeyondContext::Send), 3306).value();
        QVERIFY(sent.remark.ends_with(": they are sent as planned (workload.beyond_context)"));
        QCOMPARE(sent.longestPrompt, 3200);
    }

    void logsThatDoNotTellIt()
    {
        Plan plan = planOf(0);
        for (PointPlan& point : plan.points)
            point.prefix.kind = PrefixKind::Trace;
        QCOMPARE(fitted(plan, 0).error().code, ErrorCode::BadInput);
    }
};

QTEST_GUILESS_MAIN(TableFitTest)
#include "tst_table_fit.moc"
