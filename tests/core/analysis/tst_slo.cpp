// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/slo.h"
#include "analysis/summarize.h"
#include "record_builder.h"

#include <cmath>

#include <QTest>

using namespace tailmark;
using tailmark::test::RecordBuilder;
using tailmark::test::Times;

namespace {

const Slo kTtft1000 = {{"ttft_ms", 99, 1000}};

PointSummary summarized(const RecordBatch& batch, const Slo& slo,
                        FailureDenominator denominator = FailureDenominator::Attempted)
{
    PointPlan p;
    p.concurrency = 4;
    p.durationS = 1000;
    return summarize(p, slo, denominator, batch, {});
}

/// `good` requests with a first token after 100 ms and `slow` ones with 2 s.
RecordBuilder mixed(int good, int slow)
{
    RecordBuilder b;
    for (int i = 0; i < good; ++i)
        b.completed(i, 100, 3000);
    for (int i = 0; i < slow; ++i)
        b.completed(good + i, 2000, 3000);
    return b;
}

} // namespace

class SloTest : public QObject
{
    Q_OBJECT

private slots:
    void eachRequestIsMeasuredOnItsOwn()
    {
        const Slo slo = {{"tpot_ms", 99, 100}};
        RecordBuilder b;
        b.completed(0, Times{100, 150}, 2);
        b.completed(0, Times{100, 250}, 2);
        const PointSummary s = summarized(b.batch, slo);
        QCOMPARE(s.slo.good, std::size_t(1));
        QCOMPARE(s.slo.denominator, std::size_t(2));
        QCOMPARE(s.slo.attainment, 0.5);
        QVERIFY(meetsSlo(b.batch.records[0], b.batch.chunksOf(b.batch.records[0]), slo));
        QVERIFY(!meetsSlo(b.batch.records[1], b.batch.chunksOf(b.batch.records[1]), slo));
    }

    void everyLimitHasToHold()
    {
        RecordBuilder b;
        b.completed(0, 500, 5000);
        const RequestRecord& r = b.batch.records[0];
        QVERIFY(meetsSlo(r, b.batch.chunksOf(r), {{"ttft_ms", 99, 500}, {"e2e_ms", 99, 5000}}));
        QVERIFY(!meetsSlo(r, b.batch.chunksOf(r), {{"ttft_ms", 99, 500}, {"e2e_ms", 99, 4999}}));
        QVERIFY(!meetsSlo(r, b.batch.chunksOf(r), {{"no_such_metric", 99, 500}}));
    }

    void aMetricThatARequestCannotHaveIsNoMiss()
    {
        RecordBuilder b;
        b.completed(0, Times{100}, 1);
        const RequestRecord& r = b.batch.records[0];
        QVERIFY(meetsSlo(r, b.batch.chunksOf(r), {{"tpot_ms", 99, 1}}));
        QVERIFY(!summarized(b.batch, {{"tpot_ms", 99, 1}}).slo.met); // but nothing shows that the limit holds
    }

    void whatNoRequestShowsIsNotKnown()
    {
        RecordBuilder b = mixed(100, 0); // of unknown tokens
        const PointSummary s = summarized(b.batch, {{"itl_ms", 99, 1}});
        QVERIFY(!s.slo.constraints[0].measured && !s.slo.decided() && !s.slo.met && !s.verdict.failureStands);
        QVERIFY(!s.rate(Metric::SloAttainment) && !s.rate(Metric::GoodputRequestsPerS));
        QCOMPARE(sloResultText(s.slo), "not known");
        // Another limit that is broken is certain.
        const PointSummary broken = summarized(b.batch, {{"itl_ms", 99, 1}, {"ttft_ms", 99, 50}});
        QVERIFY(broken.slo.decided() && !broken.slo.met && !broken.slo.measured());
        // And so are failures, of which too many miss any limit.
        for (int i = 0; i < 5; ++i)
            b.failed(200 + i, Outcome::ServerError, 5, 500);
        const PointSummary failed = summarized(b.batch, {{"itl_ms", 99, 1}});
        QVERIFY(failed.slo.constraints[0].measured && failed.slo.decided() && !failed.slo.met);
    }

    void exactlyThePercentilePasses()
    {
        QVERIFY(summarized(mixed(99, 1).batch, kTtft1000).slo.met);
        QVERIFY(!summarized(mixed(98, 2).batch, kTtft1000).slo.met);
        QVERIFY(!summarized(mixed(98, 1).batch, kTtft1000).slo.met); // 98 of 99 are 98.99 %
    }

    void failuresAndUnsentRequestsAreMisses()
    {
        RecordBuilder b = mixed(98, 0);
        b.failed(200, Outcome::ServerError, 5, 500);
        b.notSent(201);
        const PointSummary s = summarized(b.batch, kTtft1000);
        QCOMPARE(s.slo.attainment, 0.98);
        QCOMPARE(s.slo.constraints[0].value, std::optional(100.0)); // the p99 of the successes is far below
        QCOMPARE(s.slo.constraints[0].withinShare, 0.98);
        QVERIFY(!s.slo.constraints[0].met);
        QVERIFY(!s.slo.met);
    }

    void theCountedQuantileHoldsFailuresBeyondEveryLimit()
    {
        RecordBuilder b;
        for (int i = 0; i < 80; ++i)
            b.completed(i, 10 * (i + 1), 3000); // 10, 20, … 800 ms
        for (int i = 0; i < 20; ++i)
            b.failed(100 + i, Outcome::ServerError, 5, 500);
        const auto at = [&](double percent, double limit) {
            return summarized(b.batch, {{"ttft_ms", percent, limit}}).slo.constraints[0];
        };
        const ConstraintResult half = at(50, 450);
        QCOMPARE(half.value, std::optional(400.0));   // the 40th of 80
        QCOMPARE(half.counted, std::optional(500.0)); // the 50th of 100
        QVERIFY(!half.met && half.n == 80 && !half.weak);
        QVERIFY(at(50, 500).met);
        QVERIFY(half.countedCi95->low < 500 && half.countedCi95->high > 500);
        const ConstraintResult many = at(90, 900);
        QVERIFY(std::isinf(*many.counted) && !many.countedCi95 && !many.met && many.weak);
        QVERIFY(many.withinCi95->low < 0.8 && many.withinCi95->high > 0.8);
        // Of a rate a failure is below every limit.
        const ConstraintResult rate =
            summarized(b.batch, {{"output_tokens_per_s_user", 50, 0.1}}).slo.constraints[0];
        QVERIFY(rate.met && std::isfinite(*rate.counted));
        QVERIFY(std::isinf(*summarized(b.batch, {{"output_tokens_per_s_user", 90, 0.1}}).slo.constraints[0].counted));
    }

    void acceptedLeavesOutWhatWasNeverAccepted()
    {
        RecordBuilder b = mixed(99, 0);
        for (int i = 0; i < 20; ++i)
            b.failed(200 + i, Outcome::Rejected, 5, 429);
        b.notSent(300);
        RequestRecord& broken = b.failed(301, Outcome::Truncated, 500, 200);
        broken.firstToken = broken.lastToken = fromMs(401);
        const PointSummary attempted = summarized(b.batch, kTtft1000);
        QCOMPARE(attempted.slo.denominator, std::size_t(121));
        QVERIFY(!attempted.slo.met);
        const PointSummary accepted = summarized(b.batch, kTtft1000, FailureDenominator::Accepted);
        QCOMPARE(accepted.slo.denominator, std::size_t(100)); // the truncated one was accepted and is a miss
        QCOMPARE(accepted.slo.attainment, 0.99);
        QVERIFY(accepted.slo.met);
    }

    void cancelledRequestsDecideOnlyWhatIsCertain()
    {
        RecordBuilder b;
        RequestRecord& early = b.failed(0, Outcome::Cancelled, 800, 200); // no token after 800 ms: still possible
        QCOMPARE(judge(early, {}, kTtft1000), Judgement::Undecided);
        RequestRecord& late = b.failed(0, Outcome::Cancelled, 1200, 200); // no token after 1,200 ms: too late
        QCOMPARE(judge(late, {}, kTtft1000), Judgement::Miss);
        RequestRecord& slow = b.failed(0, Outcome::Cancelled, 5000, 200);
        slow.firstToken = fromMs(1500);
        QCOMPARE(judge(slow, {}, kTtft1000), Judgement::Miss);
        RequestRecord& fine = b.failed(0, Outcome::Cancelled, 5000, 200);
        fine.firstToken = fromMs(500);
        QCOMPARE(judge(fine, {}, kTtft1000), Judgement::Undecided);
        QCOMPARE(judge(fine, {}, {{"e2e_ms", 99, 4000}}), Judgement::Miss);
        QCOMPARE(judge(fine, {}, {{"e2e_ms", 99, 6000}}), Judgement::Undecided);
        const PointSummary s = summarized(b.batch, kTtft1000);
        QCOMPARE(s.slo.denominator, std::size_t(2));
        QCOMPARE(s.slo.undecided, std::size_t(2));
    }

    void anythingElseIsAMiss()
    {
        for (int i = 0; i < kOutcomeCount; ++i) {
            const auto outcome = static_cast<Outcome>(i);
            if (outcome == Outcome::Completed || outcome == Outcome::Cancelled)
                continue;
            RecordBuilder b;
            RequestRecord& r = b.failed(0, outcome, 10);
            r.firstToken = r.lastToken = fromMs(1); // however early its token came
            QCOMPARE(judge(r, {}, kTtft1000), Judgement::Miss);
        }
    }

    void rateLimitsAreReachedByMostRequests()
    {
        // 99 requests at 20 tok/s and one at 10: 99 % get 20.
        const Slo slo = {{"output_tokens_per_s_user", 99, 20}};
        RecordBuilder b;
        for (int i = 0; i < 99; ++i)
            b.completed(i, Times{100, 1000}, 20);
        b.completed(99, Times{100, 1000}, 10);
        const PointSummary s = summarized(b.batch, slo);
        QCOMPARE(s.slo.constraints[0].value, std::optional(20.0));
        QVERIFY(s.slo.met);
        b.completed(100, Times{100, 1000}, 10);
        QVERIFY(!summarized(b.batch, slo).slo.met);
    }

    void gapLimitsArePooled()
    {
        const Slo slo = {{"chunk_gap_ms", 90, 20}};
        RecordBuilder b;
        b.completed(0, Times{100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 200}, 11); // ten gaps of 10 ms
        b.completed(0, Times{100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 290}, 11); // nine, and one of 100
        const PointSummary s = summarized(b.batch, slo);
        QCOMPARE(s.slo.constraints[0].value, std::optional(10.0));
        QCOMPARE(s.slo.constraints[0].withinShare, 19 / 20.0);
        QVERIFY(s.slo.met);
        QCOMPARE(s.slo.good, std::size_t(2));
        b.failed(0, Outcome::TimeoutStall, 60000, 200); // shows no gap: all of its gaps are misses
        const PointSummary failing = summarized(b.batch, slo);
        QVERIFY(std::fabs(failing.slo.constraints[0].withinShare - 19 / 20.0 * 2 / 3) < 1e-12);
        QVERIFY(!failing.slo.met);
    }

    void tokenGapLimitsAreWeightedByTokens()
    {
        const Slo slo = {{"itl_ms", 90, 10}};
        RecordBuilder b;
        b.completed(0, Times{100, 190, 205}, 11, 1);
        b.batch.chunks[1].tokens = 9; // nine tokens at 10 ms, one at 15
        const PointSummary s = summarized(b.batch, slo);
        QCOMPARE(s.slo.constraints[0].value, std::optional(10.0));
        QVERIFY(s.slo.met);
    }

    void rateOfThePointAsALimit()
    {
        RecordBuilder b = mixed(100, 0); // 200 tokens in 1000 s
        QVERIFY(summarized(b.batch, {{"output_tokens_per_s", 99, 0.2}}).slo.met);
        QVERIFY(!summarized(b.batch, {{"output_tokens_per_s", 99, 0.3}}).slo.met);
    }

    void withoutALimitNothingIsMet()
    {
        const PointSummary s = summarized(mixed(10, 0).batch, {});
        QVERIFY(!s.slo.met);
        QVERIFY(!s.rate(Metric::SloAttainment));
        QVERIFY(!s.rate(Metric::GoodputRequestsPerS));
    }

    void goodputCountsGoodRequestsOnly()
    {
        const PointSummary s = summarized(mixed(30, 10).batch, kTtft1000);
        QVERIFY(std::fabs(*s.rate(Metric::GoodputRequestsPerS) - 0.03) < 1e-12);
        QVERIFY(std::fabs(*s.rate(Metric::CompletedPerS) - 0.04) < 1e-12);
        QVERIFY(std::fabs(*s.rate(Metric::GoodputTokensPerS) - 0.06) < 1e-12);
        QCOMPARE(*s.rate(Metric::SloAttainment), 0.75);
    }

    void furtherPercentilesOfTheSloAreShown()
    {
        const PointSummary s = summarized(mixed(30, 10).batch, {{"ttft_ms", 75, 1000}});
        QCOMPARE(s.distribution(Metric::Ttft)->at(75)->value, 100.0);
        QVERIFY(s.slo.met);
    }
};

QTEST_GUILESS_MAIN(SloTest)
#include "tst_slo.moc"
