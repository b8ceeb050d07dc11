// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "analysis/reevaluation.h"
#include "analysis/summarize.h"
#include "base/rng.h"
#include "record_builder.h"

#include <cmath>
#include <memory>

#include <boost/random/uniform_01.hpp>

using namespace tailmark;
using tailmark::test::RecordBuilder;
using tailmark::test::Times;

namespace {

struct Measured
{
    PointPlan plan;
    std::shared_ptr<const RecordBatch> records;
    PointFacts facts;
};

/// A level with all kinds of ends: answers of many latencies, one token, failures, those cut off early and
/// late.
Measured level(int concurrency)
{
    Rng rng(static_cast<std::uint64_t>(concurrency));
    boost::random::uniform_01<double> uniform;
    RecordBuilder b;
    for (int i = 0; i < 1200; ++i) {
        const double at = i * 30 + 3 * uniform(rng);
        const double ttft = -std::log(1 - uniform(rng)) * 10 * concurrency;
        const double kind = uniform(rng);
        if (kind < 0.01)
            b.failed(at, Outcome::ServerError, ttft, 500, "no");
        else if (kind < 0.02)
            b.failed(at, Outcome::Cancelled, 300, 200);
        else if (kind < 0.03)
            b.notSent(at);
        else if (kind < 0.05)
            b.completed(at, Times{ttft}, 1);
        else
            b.completed(at, Times{ttft, ttft + 40, ttft + 90, ttft + 400}, 4, 1);
    }
    Measured m;
    m.plan.test = "sweep";
    m.plan.concurrency = concurrency;
    m.plan.load = {LoadAxis::Concurrency, static_cast<double>(concurrency)};
    m.plan.warmupS = 3;
    m.plan.durationS = 30;
    m.records = std::make_shared<const RecordBatch>(std::move(b.batch));
    m.facts.endedS = 37;
    return m;
}

bool isNear(double a, double b)
{
    return std::fabs(a - b) <= 1e-9 * std::max(1.0, std::fabs(a));
}

void compareRates(const PointSummary& a, const PointSummary& b)
{
    QCOMPARE(a.rates.size(), b.rates.size());
    for (const auto& [metric, rate] : a.rates)
        QVERIFY(b.rate(metric) && isNear(rate, *b.rate(metric)));
    QCOMPARE(a.rateIntervals.size(), b.rateIntervals.size());
    for (const auto& [metric, interval] : a.rateIntervals)
        QVERIFY(isNear(interval.low, b.rateIntervals.at(metric).low) &&
                isNear(interval.high, b.rateIntervals.at(metric).high));
}

} // namespace

class ReevaluationTest : public QObject
{
    Q_OBJECT

private slots:
    void saysWhatSummarizeSays_data()
    {
        QTest::addColumn<Slo>("slo");
        QTest::newRow("none") << Slo{};
        QTest::newRow("another limit") << Slo{{"ttft_ms", 99, 400}};
        QTest::newRow("a limit that nobody meets") << Slo{{"ttft_ms", 50, 0.001}};
        QTest::newRow("another percentile") << Slo{{"e2e_ms", 90, 900}};
        QTest::newRow("too few for the percentile") << Slo{{"ttft_ms", 99.99, 900}};
        QTest::newRow("several") << Slo{{"ttft_intended_ms", 95, 500}, {"tpot_ms", 99, 140}};
        QTest::newRow("a rate") << Slo{{"output_tokens_per_s_user", 90, 4}};
        QTest::newRow("gaps between chunks") << Slo{{"chunk_gap_ms", 99, 100}, {"ttft_ms", 99, 400}};
    }
    void saysWhatSummarizeSays()
    {
        QFETCH(Slo, slo);
        for (const FailureDenominator denominator :
             {FailureDenominator::Attempted, FailureDenominator::Accepted}) {
            Reevaluation again(denominator);
            std::vector<PointSummary> expected;
            for (const int concurrency : {4, 8, 16, 32}) {
                const Measured m = level(concurrency);
                const Slo first = {{"ttft_ms", 95, 250}};
                again.add(summarize(m.plan, first, denominator, *m.records, m.facts), m.records, m.facts);
                expected.push_back(summarize(m.plan, slo, denominator, *m.records, m.facts));
            }
            again.under({{"e2e_ms", 50, 3}}); // leaves nothing behind
            const std::vector<PointSummary>& points = again.under(slo);
            QCOMPARE(points.size(), expected.size());
            for (std::size_t i = 0; i < points.size(); ++i) {
                QVERIFY(points[i].slo == expected[i].slo);
                QVERIFY(points[i].verdict == expected[i].verdict);
                compareRates(points[i], expected[i]);
            }
            const std::vector<OperatingPoint> ops = again.operatingPoints(slo);
            QCOMPARE(ops.size(), std::size_t(1));
            QCOMPARE(ops[0].sentence, findOperatingPoint(makeCurves(expected, slo).front()).sentence);
        }
    }
};

QTEST_GUILESS_MAIN(ReevaluationTest)
#include "tst_reevaluation.moc"
