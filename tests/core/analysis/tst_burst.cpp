// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/level_track.h"
#include "analysis/summarize.h"
#include "record_builder.h"

#include <algorithm>
#include <cmath>

#include <QTest>

using namespace tailmark;
using tailmark::test::RecordBuilder;

namespace {

/// 4/s for 20 s (after 5 s of warm-up), 20/s for 30 s, 4/s for 60 s.
PointPlan burstPlan()
{
    PointPlan p;
    p.test = "burst_recovery";
    p.kind = TestKind::BurstRecovery;
    p.load = {LoadAxis::RatePerS, 20};
    p.phases = {{"baseline", 4, 25}, {"burst", 20, 30}, {"recovery", 4, 60}};
    p.warmupS = 5;
    p.durationS = 110;
    return p;
}

/// The schedule above, evenly spaced, against one server that answers `capacityPerS`; each answer takes its first token
/// and 20 ms.
RecordBuilder served(double capacityPerS)
{
    RecordBuilder b;
    double freeAt = 0;
    const auto phase = [&](double fromS, double toS, double ratePerS, int index) {
        for (double at = fromS * 1000; at < toS * 1000 - 1e-6; at += 1000 / ratePerS) {
            freeAt = std::max(freeAt, at) + 1000 / capacityPerS;
            b.completed(at, freeAt - at, freeAt - at).phase = static_cast<std::uint8_t>(index);
        }
    };
    phase(0, 25, 4, 0);
    phase(25, 55, 20, 1);
    phase(55, 115, 4, 2);
    return b;
}

PointSummary summarized(const PointPlan& point, const RecordBatch& batch, const PointFacts& facts = {})
{
    return summarize(point, {{"ttft_intended_ms", 99, 1000}}, FailureDenominator::Attempted, batch, facts);
}

} // namespace

class BurstTest : public QObject
{
    Q_OBJECT

private slots:
    void backlogGrowsByTheExcess()
    {
        const PointSummary s = summarized(burstPlan(), served(16).batch);
        QCOMPARE(s.phases.size(), std::size_t(3));
        QCOMPARE(s.phases[0].startS, 5.0); // the warm-up is left out
        QCOMPARE(s.phases[0].offeredPerS, 4.0);
        QCOMPARE(s.phases[1].offeredPerS, 20.0);
        QVERIFY(std::fabs(s.phases[1].completedPerS - 16) < 0.05);
        QVERIFY(s.burst.has_value());
        QVERIFY(std::fabs(s.burst->predictedGrowth - 120) < 2); // (20 - 16) x 30
        QVERIFY(std::fabs(s.burst->observedGrowth - 120) < 2);
        QVERIFY(std::fabs(s.burst->peakBacklog - 121) < 2);
        QVERIFY(std::fabs(s.burst->peakAtS - 55) < 0.5);
        QVERIFY(s.burst->baselineBacklog > 0.2 && s.burst->baselineBacklog < 0.3); // 4/s x 62.5 ms
    }

    void recoveryTakesAsLongAsTheBacklogNeeds()
    {
        // 120 waiting, and 16 - 4 = 12 a second more are answered than come: ten seconds.
        const PointSummary s = summarized(burstPlan(), served(16).batch);
        QVERIFY(s.burst->backlogRecoveredS.has_value());
        QVERIFY(std::fabs(*s.burst->backlogRecoveredS - 10) < 0.5);
        QVERIFY(s.burst->latencyRecoveredS.has_value());
        QVERIFY(std::fabs(*s.burst->latencyRecoveredS - 10) < 0.5);
    }

    void aChangeThatIsMeantIsNotUnsteady()
    {
        const PointSummary s = summarized(burstPlan(), served(16).batch);
        QVERIFY(s.verdict.valid);
    }

    void anEngineThatKeepsUpRecoversAtOnce()
    {
        const PointSummary s = summarized(burstPlan(), served(40).batch);
        QVERIFY(std::fabs(s.burst->observedGrowth) <= 1);
        QVERIFY(*s.burst->backlogRecoveredS < 0.1);
        QCOMPARE(*s.burst->latencyRecoveredS, 0.0);
    }

    void anEngineThatNeverRecoversSaysSo()
    {
        const PointSummary s = summarized(burstPlan(), served(4.5).batch);
        QVERIFY(!s.burst->backlogRecoveredS);
        QVERIFY(!s.burst->latencyRecoveredS);
        QVERIFY(s.burst->observedGrowth > 400);
    }

    void rejectionsKeepLatencyFromRecovering()
    {
        RecordBuilder b = served(40);
        for (RequestRecord& r : b.batch.records) {
            if (r.phase == 2)
                r.outcome = Outcome::Rejected;
        }
        QVERIFY(!summarized(burstPlan(), b.batch).burst->latencyRecoveredS);
    }

    void aPointStoppedInItsBurstHasNoRecovery()
    {
        PointFacts facts;
        facts.endedS = 40;
        facts.endedBy = "stop";
        const PointSummary s = summarized(burstPlan(), served(16).batch, facts);
        QCOMPARE(s.phases.size(), std::size_t(2));
        QCOMPARE(s.phases[1].endS, 40.0);
        QVERIFY(!s.burst);
    }

    void otherTestsHaveNoPhases()
    {
        PointPlan p = burstPlan();
        p.kind = TestKind::ArrivalSweep;
        const PointSummary s = summarized(p, served(40).batch);
        QVERIFY(s.phases.empty());
        QVERIFY(!s.burst);
    }

    void levelsOverTime()
    {
        const auto ms = [](int t) { return Nanoseconds(std::chrono::milliseconds(t)); };
        LevelTrack track;
        track.add(ms(0), ms(10));
        track.add(ms(5), ms(20));
        track.add(ms(30), ms(30));        // nothing
        track.add(kAbsentTime, ms(40));   // never began
        track.finish();
        QCOMPARE(track.at(ms(0)), std::size_t(1));
        QCOMPARE(track.at(ms(5)), std::size_t(2));
        QCOMPARE(track.at(ms(10)), std::size_t(1));
        QCOMPARE(track.at(ms(20)), std::size_t(0));
        QCOMPARE(track.mean(ms(0), ms(20)), 25 / 20.0);
        QCOMPARE(track.mean(ms(8), ms(12)), 6 / 4.0);
        QCOMPARE(track.mean(ms(5), ms(5)), 0.0);
        QCOMPARE(track.peak(ms(0), ms(40)).level, std::size_t(2));
        QCOMPARE(track.peak(ms(0), ms(40)).when, ms(5));
        QCOMPARE(track.peak(ms(12), ms(40)).level, std::size_t(1));
        QCOMPARE(track.settles(1, ms(5), ms(5), ms(40)), ms(10));
        QCOMPARE(track.settles(0, ms(0), ms(5), ms(40)), ms(20));
        QCOMPARE(track.settles(2, ms(0), ms(5), ms(40)), ms(0));
        QCOMPARE(track.settles(0, ms(0), ms(5), ms(24)), kAbsentTime);
    }
};

QTEST_GUILESS_MAIN(BurstTest)
#include "tst_burst.moc"
