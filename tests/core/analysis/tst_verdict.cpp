// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/operating_point.h"
#include "analysis/steadiness.h"
#include "analysis/summarize.h"
#include "base/rng.h"
#include "record_builder.h"

#include <algorithm>
#include <cmath>

#include <QTest>
#include <boost/random/uniform_01.hpp>

using namespace tailmark;
using tailmark::test::RecordBuilder;
using tailmark::test::Times;

namespace {

const Slo kTtft1000 = {{"ttft_ms", 99, 1000}};
const Slo kIntended1000 = {{"ttft_intended_ms", 99, 1000}};

PointPlan closedLoop(double durationS = 30)
{
    PointPlan p;
    p.test = "concurrency_sweep";
    p.concurrency = 4;
    p.load = {LoadAxis::Concurrency, 4};
    p.durationS = durationS;
    return p;
}

PointPlan openLoop(double ratePerS, double durationS = 30)
{
    PointPlan p;
    p.test = "arrival_sweep";
    p.kind = TestKind::ArrivalSweep;
    p.load = {LoadAxis::RatePerS, ratePerS};
    p.phases = {{"steady", ratePerS, durationS}};
    p.durationS = durationS;
    return p;
}

/// `n` requests spread evenly over 30 s.
RecordBuilder steady(int n, double ttftMs = 100)
{
    RecordBuilder b;
    for (int i = 0; i < n; ++i)
        b.completed(30000.0 * i / n, ttftMs, ttftMs + 400);
    return b;
}

/// A server with the given capacity behind a queue, offered more or less than that, for 30 s; every request
/// is answered.
RecordBuilder queue(double offeredPerS, double capacityPerS)
{
    RecordBuilder b;
    double freeAt = 0;
    for (double at = 0; at < 30000; at += 1000 / offeredPerS) {
        freeAt = std::max(freeAt, at) + 1000 / capacityPerS;
        b.completed(at, freeAt - at, freeAt - at + 20);
    }
    return b;
}

PointSummary summarized(const PointPlan& point, const RecordBatch& batch, const Slo& slo = kTtft1000,
                        const PointFacts& facts = {})
{
    return summarize(point, slo, FailureDenominator::Attempted, batch, facts);
}

QString codes(const PointSummary& s)
{
    QString all;
    for (const VerdictReason& r : s.verdict.reasons)
        all += (all.isEmpty() ? "" : " ") + QString::fromStdString(r.code);
    return all;
}

QString text(const PointSummary& s)
{
    return s.verdict.reasons.empty() ? QString() : QString::fromStdString(s.verdict.reasons[0].text);
}

} // namespace

class VerdictTest : public QObject
{
    Q_OBJECT

private slots:
    void aPlainPointIsValid()
    {
        const PointSummary s = summarized(closedLoop(), steady(1000).batch);
        QVERIFY2(s.verdict.valid, qPrintable(codes(s)));
        QVERIFY(s.verdict.reasons.empty());
        QVERIFY(s.slo.met);
    }

    void sentLessThanOffered()
    {
        RecordBuilder b = steady(1000);
        for (int i = 0; i < 30; ++i) {
            b.batch.records[static_cast<std::size_t>(i)].outcome = Outcome::NotSent;
            b.batch.records[static_cast<std::size_t>(i)].sent = kAbsentTime;
        }
        const PointSummary s = summarized(openLoop(33), b.batch);
        QCOMPARE(codes(s), QString("generator_bound"));
        QVERIFY2(text(s).contains("97 %"), qPrintable(text(s)));
        QVERIFY(text(s).startsWith("The load generator was the limit"));

        // What the matrix itself keeps back is said to be its limit.
        RecordBuilder held = b;
        held.batch.errors = {"limits.max_in_flight requests were under way until the point ended"};
        for (int i = 0; i < 30; ++i)
            held.batch.records[static_cast<std::size_t>(i)].error = 0;
        const PointSummary full = summarized(openLoop(33), held.batch);
        QCOMPARE(codes(full), QString("generator_bound"));
        QVERIFY2(text(full).startsWith("limits.max_in_flight was the limit: 30 requests"), qPrintable(text(full)));
        for (int i = 0; i < 11; ++i) {
            b.batch.records[static_cast<std::size_t>(i)].outcome = Outcome::Completed;
            b.batch.records[static_cast<std::size_t>(i)].sent =
                b.batch.records[static_cast<std::size_t>(i)].intended;
        }
        QVERIFY(!codes(summarized(openLoop(33), b.batch)).contains("generator_bound"));
    }

    void aTargetThatIsDownIsNoLackOfSending()
    {
        RecordBuilder b = steady(990);
        for (const Outcome outcome : {Outcome::ConnectFailed, Outcome::TimeoutConnect})
            for (int i = 0; i < 100; ++i) {
                RequestRecord& r =
                    b.batch
                        .records[static_cast<std::size_t>(i) + (outcome == Outcome::ConnectFailed ? 0 : 100)];
                r.outcome = outcome;
                r.sent = kAbsentTime;
            }
        QVERIFY(!codes(summarized(openLoop(33), b.batch)).contains("generator_bound"));
        for (int i = 0; i < 100; ++i)
            b.batch.records[static_cast<std::size_t>(i)].outcome = Outcome::NotSent;
        QVERIFY(codes(summarized(openLoop(33), b.batch)).contains("generator_bound"));
    }

    void aWindowShorterThanAnAnswerHasNoRate()
    {
        RecordBuilder b;
        for (int i = 0; i < 200; ++i)
            b.completed(0.1 * i, 100, 500); // due in the first 20 ms, ended half a second later
        const PointSummary s = summarized(closedLoop(0.1), b.batch);
        QCOMPARE(codes(s), QString("too_few_samples"));
        QVERIFY2(text(s).contains("shorter than an answer"), qPrintable(text(s)));
    }

    void oneRequestAcrossTheEdgeIsNoLackOfSending()
    {
        RecordBuilder b = steady(20);
        b.batch.records.back().sent = fromMs(30001); // 19 of 20 sent inside the window
        b.batch.records.back().intended = fromMs(29999);
        QVERIFY(!codes(summarized(openLoop(1), b.batch)).contains("generator_bound"));
    }

    void lateSends_data()
    {
        QTest::addColumn<double>("ttftMs");
        QTest::addColumn<double>("lagMs");
        QTest::addColumn<bool>("bound");
        QTest::newRow("9 ms against 100 ms") << 100.0 << 9.0 << false;
        QTest::newRow("11 ms against 100 ms") << 100.0 << 11.0 << true;
        QTest::newRow("40 ms against 1 s: below 5 %") << 1000.0 << 40.0 << false;
        QTest::newRow("60 ms against 1 s: above 5 %") << 1000.0 << 60.0 << true;
    }
    void lateSends()
    {
        QFETCH(double, ttftMs);
        QFETCH(double, lagMs);
        QFETCH(bool, bound);
        RecordBuilder b = steady(1000, ttftMs);
        for (RequestRecord& r : b.batch.records)
            r.intended -= fromMs(lagMs);
        const PointSummary s = summarized(closedLoop(), b.batch);
        QCOMPARE(codes(s).contains("generator_bound"), bound);
        if (bound)
            QVERIFY2(text(s).contains("send lag p99"), qPrintable(text(s)));
    }

    void aBusyGeneratorThread()
    {
        PointFacts facts;
        facts.busiestThreadCpu = 0.86;
        facts.generatorNote = "file descriptors ran out at 1,020 connections";
        const PointSummary s = summarized(closedLoop(), steady(1000).batch, kTtft1000, facts);
        QCOMPARE(codes(s), QString("generator_bound"));
        QVERIFY(text(s).contains("86 % of a core"));
        QVERIFY(text(s).contains("file descriptors ran out"));
        facts.busiestThreadCpu = 0.85;
        QVERIFY(summarized(closedLoop(), steady(1000).batch, kTtft1000, facts).verdict.valid);
    }

    void tooFewForTheTail()
    {
        QCOMPARE(codes(summarized(closedLoop(), steady(99).batch)), QString("too_few_samples"));
        QVERIFY(summarized(closedLoop(), steady(100).batch).verdict.valid);
        QVERIFY(summarized(closedLoop(), steady(20).batch, {{"ttft_ms", 95, 1000}}).verdict.valid);
        QVERIFY(text(summarized(closedLoop(), steady(50).batch)).contains("p99 needs at least 100"));
        QVERIFY(text(summarized(closedLoop(), steady(500).batch, {{"ttft_ms", 99.9, 1000}}))
                    .contains("p99.9 needs at least 1,000"));
        QCOMPARE(codes(summarized(closedLoop(), steady(99).batch, {})), QString("too_few_samples"));
    }

    void aFixedShapeIsJudgedByItsMedian()
    {
        PointPlan p = closedLoop();
        p.kind = TestKind::FixedShape;
        QVERIFY(summarized(p, steady(6).batch).verdict.valid);
        QCOMPARE(codes(summarized(p, steady(5).batch)), QString("too_few_samples"));
    }

    void weakQuantilesStayMarked()
    {
        const PointSummary s = summarized(closedLoop(), steady(200).batch, {{"ttft_ms", 99, 1000}});
        QVERIFY(s.distribution(Metric::Ttft)->at(99)->weak);
        QVERIFY(!s.distribution(Metric::Ttft)->at(50)->weak);
    }

    /// Refused by the target is missed; never reached it is no load that could have been missed under.
    void noSuccess()
    {
        const auto allFailed = [](Outcome last) {
            RecordBuilder b;
            for (int i = 0; i < 200; ++i)
                b.failed(100 * i, i % 3 < 2 ? Outcome::ConnectFailed : last, 1);
            return summarized(closedLoop(), b.batch);
        };
        const PointSummary s = allFailed(Outcome::ServerError);
        QCOMPARE(codes(s), QString("no_success"));
        QVERIFY2(text(s).contains("134 connect_failed"), qPrintable(text(s)));
        QVERIFY(s.verdict.failureStands);
        QCOMPARE(codes(allFailed(Outcome::ConnectFailed)), QString("no_success"));
        QVERIFY(!allFailed(Outcome::ConnectFailed).verdict.failureStands);
        QCOMPARE(codes(summarized(closedLoop(), {})), QString("no_success"));
        QVERIFY(!summarized(closedLoop(), {}).verdict.failureStands);
        QVERIFY(!allFailed(Outcome::ClientError).verdict.failureStands); // wrong requests are no load
    }

    /// Closed loop of four: answers for a while, then the engine dies with four of them in flight, and every
    /// worker asks again and again.
    void aTargetThatDiedIsNotMeasured_data()
    {
        QTest::addColumn<double>("diesAtS");
        QTest::addColumn<double>("backAtS");
        QTest::addColumn<bool>("gone");
        QTest::newRow("in the middle, for good") << 15.0 << 99.0 << true;
        QTest::newRow("near the end, for good") << 29.0 << 99.0 << true;
        QTest::newRow("in the middle, for five seconds") << 10.0 << 15.0 << true;
        QTest::newRow("for the blink of a restart of one worker") << 10.0 << 10.4 << false;
        QTest::newRow("never") << 99.0 << 99.0 << false;
    }
    void aTargetThatDiedIsNotMeasured()
    {
        QFETCH(double, diesAtS);
        QFETCH(double, backAtS);
        QFETCH(bool, gone);
        RecordBuilder b;
        for (int i = 0; i < 300; ++i) {
            const double atS = 0.1 * i;
            if (atS >= diesAtS && atS < backAtS)
                b.failed(1000 * atS, Outcome::ConnectFailed, 1, 0, "Connection refused");
            else if (atS + 0.5 >= diesAtS && atS < diesAtS)
                b.failed(1000 * atS, Outcome::Truncated, 1000 * (diesAtS - atS), 200);
            else
                b.completed(1000 * atS, 100, 400);
        }
        const PointSummary s = summarized(closedLoop(), b.batch);
        QCOMPARE(codes(s).contains("target_gone"), gone);
        QVERIFY(!gone || (!s.verdict.valid && !s.verdict.failureStands));
        QVERIFY2(!gone || QString::fromStdString(s.verdict.reasons.front().text)
                              .contains(QString("from %1 s to").arg(diesAtS)),
                 qPrintable(text(s)));
        if (gone)
            QCOMPARE(findOperatingPoint(makeCurves(std::span(&s, 1), kTtft1000)[0]).state,
                     OperatingState::NoValidPoints);
    }

    void connectionsRefusedHereAndThereAreTheEnginesAnswer()
    {
        RecordBuilder b;
        for (int i = 0; i < 300; ++i) {
            if (i % 2)
                b.failed(100 * i, Outcome::ConnectFailed, 1);
            else
                b.completed(100 * i, 100, 400);
        }
        QVERIFY(!codes(summarized(closedLoop(), b.batch)).contains("target_gone"));
    }

    void aLagThatRoundsToItsLimitIsSaidToBeAboveIt()
    {
        RecordBuilder b = steady(1000);
        for (RequestRecord& r : b.batch.records)
            r.intended -= fromMs(10.004);
        const PointSummary s = summarized(closedLoop(), b.batch);
        QVERIFY2(text(s).contains("send lag p99 just above 10 ms (at most 10 ms may be believed)"),
                 qPrintable(text(s)));
    }

    void verdictAndLawSayTheSameOfABacklog()
    {
        // 30 s at twice the capacity and then, for the last quarter of the window, nothing offered: it
        // shrinks again.
        RecordBuilder b;
        double freeAt = 0;
        for (int i = 0; i < 700; ++i) {
            const double at = i < 600 ? 37.5 * i : 22500 + 75.0 * (i - 600);
            freeAt = std::max(freeAt, at) + 50;
            b.completed(at, freeAt - at, freeAt - at + 20);
        }
        const PointSummary s = summarized(openLoop(24), b.batch, kIntended1000);
        const auto law =
            std::find_if(s.laws.begin(), s.laws.end(), [](const LawCheck& l) { return l.law == "backlog"; });
        QVERIFY(law != s.laws.end());
        QVERIFY2(text(s).contains(QString("the backlog grew by %1 requests").arg(law->observed)),
                 qPrintable(text(s)));
    }

    void noiseIsNoTrend_data()
    {
        QTest::addColumn<int>("n");
        QTest::newRow("60") << 60;
        QTest::newRow("300") << 300;
        QTest::newRow("1000") << 1000;
    }
    void noiseIsNoTrend()
    {
        QFETCH(int, n);
        Rng rng(7);
        boost::random::uniform_01<double> uniform;
        int alarms = 0;
        constexpr int kTrials = 2000;
        for (int trial = 0; trial < kTrials; ++trial) {
            std::vector<double> values;
            for (int i = 0; i < n; ++i)
                values.push_back(-100 * std::log(1 - uniform(rng)));
            alarms += findTrend(values).has_value();
        }
        QVERIFY2(alarms < kTrials / 100, qPrintable(QString::number(alarms)));
    }

    void waitingInAQueueBelowCapacityIsNoTrend()
    {
        // M/M/1 at 70 %: neighbouring waits depend on each other, and yet the level is steady.
        Rng rng(11);
        boost::random::uniform_01<double> uniform;
        int alarms = 0;
        constexpr int kTrials = 500;
        for (int trial = 0; trial < kTrials; ++trial) {
            std::vector<double> latencies;
            double wait = 0;
            for (int i = -500; i < 1000; ++i) {
                const double service = -70 * std::log(1 - uniform(rng));
                if (i >= 0)
                    latencies.push_back(wait + service);
                wait = std::max(0.0, wait + service + 100 * std::log(1 - uniform(rng)));
            }
            alarms += findTrend(latencies).has_value();
        }
        QVERIFY2(alarms < kTrials / 50, qPrintable(QString::number(alarms)));
    }

    void growingLatencyIsATrend()
    {
        std::vector<double> values;
        Rng rng(3);
        boost::random::uniform_01<double> uniform;
        for (int i = 0; i < 240; ++i)
            values.push_back((100 + i) * (0.5 + uniform(rng)));
        const std::optional<Trend> up = findTrend(values);
        QVERIFY(up && up->rising && up->secondHalf > 1.25 * up->firstHalf);
        std::reverse(values.begin(), values.end());
        const std::optional<Trend> down = findTrend(values);
        QVERIFY(down && !down->rising);
    }

    void aWarmupThatWasTooShortIsTold()
    {
        RecordBuilder b;
        for (int i = 0; i < 700; ++i) // 35 s; three times as slow at first
            b.completed(50.0 * i, i < 240 ? 300 : 100, 600);
        PointPlan plan = closedLoop();
        plan.warmupS = 5;
        const PointSummary s = summarized(plan, b.batch, kTtft1000);
        QVERIFY(s.steady && std::fabs(s.steady->startS - 12) < 1e-6);
        QCOMPARE(s.window.startS, 5.0); // the planned window stays
        QCOMPARE(codes(s), QString("not_steady"));
        QVERIFY2(text(s).contains("steady only from 12 s on; warm-up was 5 s"), qPrintable(text(s)));
        plan.warmupS = 13;
        QVERIFY(!summarized(plan, b.batch, kTtft1000).shortWarmup);
    }

    void promptsThatDriftedWithTheLatencyAreNamed()
    {
        const auto said = [](int early, int late) {
            RecordBuilder b;
            for (int i = 0; i < 600; ++i) {
                b.completed(50.0 * i, i < 300 ? 300 : 100, 600);
                b.batch.records.back().promptTokensPlanned = i < 300 ? early : late;
            }
            return text(summarized(closedLoop(), b.batch, kTtft1000));
        };
        QVERIFY2(said(800, 400).contains("so did its prompts, from "), qPrintable(said(800, 400)));
        QVERIFY(said(800, 400).contains("not_steady") || said(800, 400).contains("Not steady"));
        QVERIFY(!said(500, 500).contains("so did its prompts"));
        QVERIFY(!said(400, 800).contains("so did its prompts")); // the other way: it is not for them
    }

    void aSmallTrendIsTolerated()
    {
        std::vector<double> values;
        for (int i = 0; i < 240; ++i)
            values.push_back(100 + 0.1 * i);
        QVERIFY(!findTrend(values));
        QVERIFY(!findTrend(std::vector<double>(500, 100.0)));
        QVERIFY(!findTrend({}));
    }

    void aStepInsideTheWindowIsATrend()
    {
        std::vector<double> values(120, 100.0);
        values.insert(values.end(), 120, 200.0);
        QVERIFY(findTrend(values));
    }

    void pastCapacityTheBacklogGrows()
    {
        const PointSummary s = summarized(openLoop(20), queue(20, 16).batch, kIntended1000);
        QCOMPARE(codes(s), QString("not_steady"));
        QVERIFY2(text(s).contains("backlog grew") && text(s).contains("rose from"), qPrintable(text(s)));
        QVERIFY(s.verdict.failureStands);
        const auto law =
            std::find_if(s.laws.begin(), s.laws.end(), [](const LawCheck& l) { return l.law == "backlog"; });
        QVERIFY(law != s.laws.end());
        QVERIFY(std::fabs(law->expected - 120) < 2);
        QVERIFY(std::fabs(law->observed - 120) < 2);
    }

    void belowCapacityNothingGrows()
    {
        const PointSummary s = summarized(openLoop(15), queue(15, 16).batch, kIntended1000);
        QVERIFY2(s.verdict.valid, qPrintable(text(s)));
        QVERIFY(s.slo.met);
    }

    void aFallingLatencyDecidesNothing()
    {
        RecordBuilder b;
        for (int i = 0; i < 300; ++i)
            b.completed(100 * i, 5000 - 16 * i, 6000);
        const PointSummary s = summarized(closedLoop(), b.batch);
        QCOMPARE(codes(s), QString("not_steady"));
        QVERIFY(!s.slo.met);
        QVERIFY(!s.verdict.failureStands);
    }

    void aRisingLatencyWithinTheLimitDecidesNothing()
    {
        const PointSummary s =
            summarized(openLoop(20), queue(20, 16).batch, {{"ttft_intended_ms", 99, 100000}});
        QVERIFY(s.slo.met);
        QVERIFY(!s.verdict.valid);
        QVERIFY(!s.verdict.failureStands);
    }

    void aSweepPastCapacityIsFoundToFail()
    {
        std::vector<PointSummary> points;
        for (const double rate : {8.0, 12.0, 15.0, 20.0, 24.0})
            points.push_back(summarized(openLoop(rate), queue(rate, 16).batch, kIntended1000));
        const OperatingPoint op = findOperatingPoint(makeCurves(points, kIntended1000)[0]);
        QCOMPARE(op.state, OperatingState::Found);
        QCOMPARE(op.lastPassing->load, 15.0);
        QCOMPARE(op.firstFailing->load, 20.0);
        QVERIFY(!op.crossing); // past capacity a latency depends on the length of the run
        QVERIFY2(op.sentence.find("between 15 requests/s offered and 20 requests/s offered (not steady)") !=
                     std::string::npos,
                 op.sentence.c_str());
    }

    void fewSamplesThatAllMissStillFail()
    {
        const PointSummary s = summarized(closedLoop(), steady(15, 3000).batch);
        QCOMPARE(codes(s), QString("too_few_samples"));
        QVERIFY(s.verdict.failureStands);
        RecordBuilder one = steady(14, 100);
        one.completed(29000, 3000, 3500);
        QVERIFY(!summarized(closedLoop(), one.batch).verdict.failureStands); // one of 15 may be chance
    }

    void aBoundGeneratorProvesNothing()
    {
        PointFacts facts;
        facts.busiestThreadCpu = 1;
        const PointSummary s = summarized(closedLoop(), steady(200, 3000).batch, kTtft1000, facts);
        QVERIFY(!s.slo.met);
        QVERIFY(!s.verdict.failureStands);
    }

    void aRestartedServerIsNotMeasured()
    {
        PointFacts facts;
        for (int i = 0; i <= 30; ++i)
            facts.serverSamples.push_back(
                {fromMs(1000 * i), ServerCounter::GeneratedTokens, i < 12 ? 5000.0 + i : i});
        const PointSummary s = summarized(closedLoop(), steady(200).batch, kTtft1000, facts);
        QCOMPARE(codes(s), QString("server_restarted"));
    }

    void requestsCutOffHideTheTail()
    {
        RecordBuilder b = steady(200);
        for (int i = 0; i < 20; ++i)
            b.failed(29000, Outcome::Cancelled, 900, 200).firstToken = fromMs(29100);
        const PointSummary s = summarized(closedLoop(), b.batch);
        QCOMPARE(codes(s), QString("cut_off"));
        QVERIFY(text(s).startsWith("20 of 220"));
    }

    void anotherRateThanAskedIsAnotherPoint_data()
    {
        QTest::addColumn<double>("asked");
        QTest::addColumn<int>("offered"); // in 30 s
        QTest::addColumn<bool>("off");
        QTest::newRow("as asked") << 10.0 << 300 << false;
        QTest::newRow("a fifth less") << 10.0 << 241 << false;
        QTest::newRow("more than that") << 10.0 << 239 << true;
        QTest::newRow("more") << 10.0 << 361 << true;
        QTest::newRow("few, by chance") << 1.0 << 40 << false; // 3 x sqrt(30) is 16.4
        QTest::newRow("few, and not by chance") << 1.0 << 47 << true;
        QTest::newRow("a large burst where one was asked") << 0.1 << 1024 << true;
    }
    void anotherRateThanAskedIsAnotherPoint()
    {
        QFETCH(double, asked);
        QFETCH(int, offered);
        QFETCH(bool, off);
        const Slo p50 = {{"ttft_ms", 50, 1000}};
        const PointSummary s = summarized(openLoop(asked), steady(offered).batch, p50);
        QCOMPARE(codes(s), QString(off ? "rate_off_plan" : ""));
        PointFacts count; // where their number ended the point, it has no rate beyond the last
        count.endedBy = "count";
        QVERIFY(!codes(summarized(openLoop(asked), steady(offered).batch, p50, count)).contains("rate_off_plan"));
    }

    void whatWasOfferedIsSaidAndFailsAllTheSame()
    {
        const PointSummary passing = summarized(openLoop(60), steady(1080).batch);
        QVERIFY2(text(passing).startsWith("Asked 60 requests/s, offered 36 (1,080 requests in the window, -40 %)"),
                 qPrintable(text(passing)));
        QVERIFY(!passing.verdict.failureStands);
        QVERIFY(summarized(openLoop(60), steady(1080, 3000).batch).verdict.failureStands); // too much at less than that
        QVERIFY(!summarized(openLoop(20), steady(1080, 3000).batch).verdict.failureStands);
        QCOMPARE(findOperatingPoint(makeCurves(std::span(&passing, 1), kTtft1000)[0]).state, OperatingState::NoValidPoints);
    }

    void realisedLengthsOffThePlan()
    {
        RecordBuilder b = steady(200);
        for (RequestRecord& r : b.batch.records) {
            r.promptTokensPlanned = 128;
            r.promptTokens = 140;
        }
        const PointSummary s = summarized(closedLoop(), b.batch);
        QCOMPARE(codes(s), QString("length_excess"));
        QVERIFY2(text(s).contains("above the plan: mean prompt tokens asked 128, measured 140 (+9.4 %)"), qPrintable(text(s)));
        PointPlan cold = closedLoop(); // before anything could be asked that prompts are fitted by
        cold.kind = TestKind::ColdStart;
        QVERIFY(summarized(cold, b.batch).verdict.valid);
        for (RequestRecord& r : b.batch.records)
            r.promptTokens = 120;
        QCOMPARE(codes(summarized(closedLoop(), b.batch)), QString("length_shortfall"));
        for (RequestRecord& r : b.batch.records)
            r.promptTokens = 130; // 1.6 %
        QVERIFY(summarized(closedLoop(), b.batch).verdict.valid);
    }

    void forcedOutputsThatStopEarly()
    {
        RecordBuilder b = steady(200);
        for (RequestRecord& r : b.batch.records) {
            r.outputTokensCap = 100;
            r.outputTokens = 90;
        }
        PointPlan forced = closedLoop();
        forced.output = OutputPolicy::Forced;
        QCOMPARE(codes(summarized(forced, b.batch)), QString("length_shortfall"));
        PointPlan natural = closedLoop();
        natural.output = OutputPolicy::Natural;
        QVERIFY(summarized(natural, b.batch).verdict.valid);
    }

    void cacheState_data()
    {
        QTest::addColumn<int>("cache");
        QTest::addColumn<int>("cachedTokens"); // of 512
        QTest::addColumn<int>("sharedTokens");
        QTest::addColumn<bool>("unproven");
        const int unknown = kUnknownCount;
        QTest::newRow("cold, not told") << int(CachePolicy::Cold) << unknown << 0 << false;
        QTest::newRow("cold, none") << int(CachePolicy::Cold) << 0 << 0 << false;
        QTest::newRow("cold, a block of the template") << int(CachePolicy::Cold) << 16 << 0 << false;
        QTest::newRow("cold, most of the prompt") << int(CachePolicy::Cold) << 400 << 0 << true;
        QTest::newRow("cold, the stated prefix") << int(CachePolicy::Cold) << 400 << 400 << false;
        QTest::newRow("warm, told") << int(CachePolicy::Warm) << 400 << 400 << false;
        QTest::newRow("warm, none") << int(CachePolicy::Warm) << 0 << 400 << true;
        QTest::newRow("warm, not told") << int(CachePolicy::Warm) << unknown << 400 << false;
        QTest::newRow("as it is") << int(CachePolicy::AsIs) << 400 << 0 << false;
    }
    void cacheState()
    {
        QFETCH(int, cache);
        QFETCH(int, cachedTokens);
        QFETCH(int, sharedTokens);
        QFETCH(bool, unproven);
        RecordBuilder b = steady(200);
        for (RequestRecord& r : b.batch.records) {
            r.promptTokens = 512;
            r.cachedTokens = cachedTokens;
        }
        PointPlan p = closedLoop();
        p.cache = static_cast<CachePolicy>(cache);
        if (sharedTokens > 0)
            p.prefix = {PrefixKind::Shared, sharedTokens, 1, 1.0};
        QCOMPARE(codes(summarized(p, b.batch)), unproven ? QString("cache_unproven") : QString());
    }

    void timesTakenLateMakeTheGeneratorTheLimit_data()
    {
        QTest::addColumn<int>("processed"); // of 1,000 requests
        QTest::addColumn<double>("timerLagMs");
        QTest::addColumn<bool>("bound");
        QTest::addRow("kernel stamps are true whatever the queue") << 0 << 40.0 << false;
        QTest::addRow("few were stamped late") << 50 << 40.0 << false;
        QTest::addRow("many were") << 60 << 40.0 << true;
        QTest::addRow("many, but the queue was short") << 1000 << 9.0 << false;
    }
    void timesTakenLateMakeTheGeneratorTheLimit()
    {
        QFETCH(int, processed);
        QFETCH(double, timerLagMs);
        QFETCH(bool, bound);
        RecordBuilder b = steady(1000);
        for (std::size_t i = 0; i < 1000; ++i) {
            RequestRecord& r = b.batch.records[i];
            r.firstEvent = r.firstToken;
            r.stamps = std::cmp_less(i, processed) ? StampSource::Processing : StampSource::Kernel;
        }
        PointFacts facts;
        facts.timerLagMs = std::vector<double>(100, timerLagMs);
        const PointSummary s = summarized(closedLoop(), b.batch, kTtft1000, facts);
        QCOMPARE(codes(s), bound ? QString("generator_bound") : QString());
        QCOMPARE(s.stamped(StampSource::Processing), static_cast<std::uint64_t>(processed));
        if (bound)
            QVERIFY2(text(s).contains("6 % of the requests") &&
                         text(s).contains("40 ms late (p99; at most 10 ms"),
                     qPrintable(text(s)));
    }

    void aBusyThreadIsToldWithItsCondition()
    {
        PointFacts facts;
        facts.busiestThreadCpu = 0.92;
        facts.cpuCores = 1.5;
        facts.threadCpu = {0.92, 0.58};
        facts.runDelayShare = 0.25;
        facts.loopLagMs = {3};
        facts.timerLagMs = {2};
        const PointSummary s = summarized(closedLoop(), steady(1000).batch, kTtft1000, facts);
        QCOMPARE(codes(s), QString("generator_bound"));
        for (const char* figure : {"used 92 % of a core (at most 85 %", "2 threads", "1.5 cores used",
                                   "25 % of its time", "data waited 3 ms", "served 2 ms late"})
            QVERIFY2(text(s).contains(figure), qPrintable(text(s)));
    }

    void eventsGluedTogether()
    {
        RecordBuilder b = steady(200);
        for (std::size_t i = 0; i < 90; ++i)
            b.batch.records[i].coalescedEvents = 1; // of two
        QVERIFY(summarized(closedLoop(), b.batch).verdict.valid);
        for (std::size_t i = 90; i < 110; ++i)
            b.batch.records[i].coalescedEvents = 1;
        const PointSummary s = summarized(closedLoop(), b.batch);
        QCOMPARE(codes(s), QString("coalesced_events"));
        QCOMPARE(s.coalescedShare(), 110 / 400.0);
        QVERIFY2(text(s).contains("110 of 400 token events (27.5 %)"), qPrintable(text(s)));
        QVERIFY2(!text(s).contains("this client"), qPrintable(text(s)));
        PointFacts late;
        late.loopLagMs = {10'000}; // longer than any gap
        const PointSummary own = summarized(closedLoop(), b.batch, kTtft1000, late);
        QVERIFY2(text(own).contains("this client left data waiting for 10 s (p99), or something"),
                 qPrintable(text(own)));
    }
};

QTEST_GUILESS_MAIN(VerdictTest)
#include "tst_verdict.moc"
