// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "run/paired.h"

using namespace tailmark;

namespace {

Plan planOf(std::vector<int> levels, int repeats, PointOrder order = PointOrder::Sequential)
{
    Matrix matrix;
    Test sweep;
    sweep.levels = std::move(levels);
    matrix.tests = {sweep};
    matrix.measurement.repeats = repeats;
    matrix.measurement.order = order;
    matrix.target.baseUrl = "http://127.0.0.1:1/v1";
    matrix.card.entries["quantization"] = "bf16";
    matrix.pairedWith.emplace();
    matrix.pairedWith->target.baseUrl = "http://127.0.0.1:2/v1";
    matrix.pairedWith->card.entries["quantization"] = "fp8";
    return expand(matrix).value();
}

/// "A1 B1 B2 A2 …": side and level of each step.
QString orderOf(const Plan& plan)
{
    QStringList steps;
    for (const PairStep& step : pairSequence(plan))
        steps << QStringLiteral("%1%2").arg(step.side == Side::A ? 'A' : 'B').arg(plan.points[step.point].load.value);
    return steps.join(' ');
}

} // namespace

class PairedTest : public QObject
{
    Q_OBJECT

private slots:
    void levelsAlternateWhoIsFirst() { QCOMPARE(orderOf(planOf({1, 2, 4}, 1)), QString("A1 B1 B2 A2 A4 B4")); }

    void repeatsAlternateAsWell()
    {
        QCOMPARE(orderOf(planOf({1, 2}, 2)), QString("A1 B1 B2 A2 B1 A1 A2 B2"));
        QCOMPARE(orderOf(planOf({1, 2, 4}, 2)), QString("A1 B1 B2 A2 A4 B4 B1 A1 A2 B2 B4 A4"));
    }

    /// Whatever the order, each level is first on one engine as often as on the other.
    void shuffledPointsAreBalancedToo()
    {
        const Plan plan = planOf({1, 2, 4, 8}, 4, PointOrder::Shuffled);
        std::map<double, int> firstOnA;
        const std::vector<PairStep> sequence = pairSequence(plan);
        QCOMPARE(sequence.size(), 2 * plan.points.size());
        for (std::size_t i = 0; i < sequence.size(); i += 2) {
            QCOMPARE(sequence[i].point, sequence[i + 1].point);
            QVERIFY(sequence[i].side != sequence[i + 1].side);
            firstOnA[plan.points[sequence[i].point].load.value] += sequence[i].side == Side::A;
        }
        for (const auto& [load, count] : firstOnA)
            QCOMPARE(count, 2);
    }

    void thePartnerHasTheSamePoints()
    {
        const Plan plan = planOf({1, 2}, 1);
        const Plan partner = partnerPlan(plan);
        QVERIFY(partner.points == plan.points);
        QCOMPARE(partner.matrix.target.baseUrl, std::string("http://127.0.0.1:2/v1"));
        QCOMPARE(partner.matrix.card.entries.at("quantization"), std::string("fp8"));
        QVERIFY(!partner.matrix.pairedWith);
        QVERIFY(partner.matrix.workload == plan.matrix.workload);
    }

    void linesTellWhoseTheyAre()
    {
        const RunEvent event = RunWarning{"w"};
        QVERIFY(!sideOfLine(eventToLine(event)));
        QVERIFY(sideOfLine(eventToLine(event, Side::B)) == Side::B);
        QVERIFY(eventFromLine(eventToLine(event, Side::A)).ok());
        QVERIFY(!sideOfLine("[1]"));
        QVERIFY(!sideOfLine("no JSON"));
    }
};

QTEST_GUILESS_MAIN(PairedTest)
#include "tst_paired.moc"
