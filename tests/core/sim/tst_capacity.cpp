// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "analysis/operating_point.h"
#include "analysis/summarize.h"
#include "record_builder.h"
#include "schedule/arrivals.h"
#include "virtual_engine.h"

#include <cmath>
#include <vector>

using namespace tailmark;
using namespace tailmark::sim;
using tailmark::test::RecordBuilder;

namespace {

const Slo kSlo = {{"ttft_intended_ms", 99, 200}};
constexpr int kOutputTokens = 32;

/// 32 sequences at a time, some 57 requests/s at most; the limit is crossed at five sixths of that.
Profile engine()
{
    Profile profile = plainProfile();
    profile.decode = {10, 0.05, 2};
    profile.prefill = {20, 2};
    profile.maxNumSeqs = 32;
    profile.maxNumBatchedTokens = 2048;
    profile.jitter = 0.05;
    return profile;
}

/// One point of an arrival sweep, in virtual time, on the way that a run takes: schedule, engine, records,
/// summary.
PointSummary measured(double ratePerS, double windowS, std::uint64_t seed)
{
    PointPlan point;
    point.test = "sweep";
    point.kind = TestKind::ArrivalSweep;
    point.load = {LoadAxis::RatePerS, ratePerS};
    point.warmupS = 10;
    point.durationS = windowS;
    point.phases = {{"steady", ratePerS, point.warmupS + windowS}};
    point.seeds.arrivals = deriveSeed(seed, static_cast<std::uint64_t>(1000 * ratePerS));
    const std::vector<Arrival> arrivals = makeArrivals(point);

    VirtualEngine virtualEngine(engine(), 0, point.seeds.arrivals);
    Rng lengths(deriveSeed(point.seeds.arrivals, 1));
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const int promptTokens = 256 + static_cast<int>(lengths() % 513); // 512 on average
        virtualEngine.arriveAt(toMs(arrivals[i].intended), {i + 1, promptTokens, kOutputTokens, {}});
    }
    virtualEngine.run();

    RecordBuilder records;
    for (const auto& [id, seen] : virtualEngine.seen) {
        std::vector<double> tokensAt;
        for (const double end : seen.events)
            tokensAt.push_back(end - seen.arrived);
        records.completed(seen.arrived, tokensAt, seen.tokens, 1);
    }
    PointFacts facts;
    facts.endedS = point.warmupS + windowS + 60;
    return summarize(point, kSlo, FailureDenominator::Attempted, records.batch, facts);
}

OperatingPoint found(double windowS, std::uint64_t seed)
{
    std::vector<PointSummary> points;
    for (const double rate : {38, 42, 46, 50, 54})
        points.push_back(measured(rate, windowS, seed));
    return findOperatingPoint(makeCurves(points, kSlo).front());
}

} // namespace

class CapacityTest : public QObject
{
    Q_OBJECT

private slots:
    /// Nine of ten runs with windows of ten minutes find the capacity that windows of an hour show, within 5 %.
    void nineOfTenSeedsFindTheTrueCapacity()
    {
        const OperatingPoint truth = found(3600, 1);
        QVERIFY2(truth.crossing.has_value(), truth.sentence.c_str());
        const double tokensPerS = *truth.crossing->outputTokensPerS;
        int near = 0, inside = 0;
        QStringList figures;
        for (std::uint64_t seed = 101; seed <= 110; ++seed) {
            const OperatingPoint op = found(600, seed);
            if (!op.crossing || !op.crossing->outputTokensPerS) {
                figures << "none";
                continue;
            }
            const double ratio = *op.crossing->outputTokensPerS / tokensPerS;
            near += std::fabs(ratio - 1) <= 0.05;
            inside += op.crossingTokensPerS && op.crossingTokensPerS->low <= tokensPerS &&
                      tokensPerS <= op.crossingTokensPerS->high;
            figures << QString::number(ratio, 'f', 3);
        }
        const QString text = QString("%1 tok/s at %2/s: %3; %4 intervals hold it")
                                 .arg(tokensPerS)
                                 .arg(truth.crossing->load)
                                 .arg(figures.join(' '))
                                 .arg(inside);
        qInfo("%s", qPrintable(text));
        QVERIFY2(near >= 9, qPrintable(text));
        QVERIFY2(inside >= 9, qPrintable(text));
    }
};

QTEST_GUILESS_MAIN(CapacityTest)
#include "tst_capacity.moc"
