// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "analysis/comparison.h"
#include "analysis/operating_point.h"
#include "analysis/summarize.h"
#include "plan/plan.h"
#include "run/context_fit.h"
#include "schedule/arrivals.h"
#include "virtual_engine.h"

using namespace tailmark;

namespace {

/// What a target of this profile does with the point's requests, in virtual time.
RecordBatch measured(const sim::Profile& profile, const PointPlan& point, const LengthSource& lengths)
{
    sim::VirtualEngine engine(profile);
    const std::vector<Arrival> arrivals = makeArrivals(point);
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const LengthPair pair = lengths.draw(point.seeds.lengths, static_cast<std::uint32_t>(i));
        engine.arriveAt(toSeconds(arrivals[i].intended) * 1000,
                        {i, pair.promptTokens, pair.outputTokens, {}});
    }
    const double end = 1000 * (point.warmupS + point.durationS + point.drainS);
    engine.run(end);
    RecordBatch batch;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const sim::VirtualEngine::Seen& seen = engine.seen[i];
        const LengthPair pair = lengths.draw(point.seeds.lengths, static_cast<std::uint32_t>(i));
        RequestRecord r;
        r.request = static_cast<std::uint32_t>(i);
        r.intended = r.sent = arrivals[i].intended;
        r.promptTokensPlanned = r.promptTokens = pair.promptTokens;
        r.outputTokensCap = pair.outputTokens;
        r.outcome = seen.finished ? Outcome::Completed : Outcome::Cancelled;
        r.closed = fromSeconds(end / 1000);
        if (!seen.events.empty()) {
            r.firstEvent = r.firstToken = r.firstAnswerToken = fromSeconds(seen.events.front() / 1000);
            r.lastToken = r.closed = fromSeconds(seen.events.back() / 1000);
            r.outputTokens = seen.tokens;
            r.firstEventTokens = 1;
            r.tokenEvents = static_cast<std::int32_t>(seen.events.size());
            r.chunkBegin = static_cast<std::uint32_t>(batch.chunks.size());
            r.chunkCount = static_cast<std::uint32_t>(seen.events.size());
            for (std::size_t k = 0; k < seen.events.size(); ++k) {
                ChunkRecord chunk;
                chunk.sinceSentUs = static_cast<std::uint32_t>((seen.events[k] - seen.arrived) * 1000);
                chunk.tokens = static_cast<std::uint16_t>(seen.eventTokens[k]);
                chunk.flags = ChunkRecord::Answer;
                batch.chunks.push_back(chunk);
            }
        }
        batch.records.push_back(r);
    }
    return batch;
}

Matrix sweepOf(const Lengths& lengths)
{
    Matrix matrix;
    matrix.workload.lengths = lengths;
    matrix.slo = {{"ttft_intended_ms", 95, 300}};
    matrix.measurement.warmupS = 20;
    matrix.measurement.durationS = 100;
    matrix.measurement.drainS = 30;
    Test test;
    test.kind = TestKind::ArrivalSweep;
    test.ratesPerS = {1, 2, 4, 6, 8, 10, 12, 16, 32, 48, 60, 60.5};
    matrix.tests = {test};
    return matrix;
}

std::vector<PointSummary> sweep(const sim::Profile& profile, const Lengths& lengths)
{
    const Plan plan = expand(sweepOf(lengths)).value();
    const ContextFit fit = fitIntoContext(makeLengthSource(lengths).value(), lengths.kind,
                                          BeyondContext::Clip, profile.maxModelLen, 0)
                               .value();
    std::vector<PointSummary> points;
    for (const PointPlan& point : plan.points) {
        PointFacts facts;
        facts.endedS = point.warmupS + point.durationS + point.drainS;
        points.push_back(summarize(point, plan.matrix.slo, FailureDenominator::Attempted,
                                   measured(profile, point, *fit.source), facts));
    }
    return points;
}

OperatingPoint operatingPointOf(const std::vector<PointSummary>& points)
{
    return findOperatingPoint(makeCurves(points, {{"ttft_intended_ms", 95, 300}}).front());
}

} // namespace

class LengthTailTest : public QObject
{
    Q_OBJECT

private slots:
    /// A median prompt says little of the capacity: the long ones hold up all that wait behind them.
    void aFixedShapeOverstatesTheCapacity()
    {
        sim::Profile profile = sim::plainProfile();
        profile.decode = {7, 0.006, 53};
        profile.prefill = {18, 0.4};
        profile.maxModelLen = 131'072;
        Lengths tail;
        tail.kind = LengthsKind::Quantiles;
        tail.promptQuantiles = {{"p50", 800}, {"p95", 6000}, {"p99", 24'000}, {"max", 32'000}};
        tail.outputQuantiles = {{"p50", 128}, {"p99", 128}};
        const OperatingPoint fixed = operatingPointOf(sweep(profile, fixedLengths(512, 128)));
        const OperatingPoint real = operatingPointOf(sweep(profile, tail));
        QVERIFY2(fixed.crossing.has_value(), fixed.sentence.c_str());
        QVERIFY2(real.crossing.has_value(), real.sentence.c_str());
        QVERIFY2(fixed.crossing->load > 5 * real.crossing->load,
                 (fixed.sentence + " / " + real.sentence).c_str());
        const CapacityComparison comparison = compareCapacity(fixed, real, "fixed 512/128", "long tail");
        QVERIFY2(comparison.ratio && comparison.ratio->value < 0.5, comparison.sentence.c_str());
    }
};

QTEST_GUILESS_MAIN(LengthTailTest)
#include "tst_length_tail.moc"
