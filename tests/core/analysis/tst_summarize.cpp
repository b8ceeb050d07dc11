// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/error_counts.h"
#include "analysis/summarize.h"
#include "record_builder.h"

#include <cmath>

#include <QTest>

using namespace tailmark;
using tailmark::test::RecordBuilder;
using tailmark::test::Times;

namespace {

bool isNear(double a, double b, double tolerance = 1e-9)
{
    return std::fabs(a - b) <= tolerance;
}

PointPlan closedLoop(int concurrency, double durationS, double warmupS = 0)
{
    PointPlan p;
    p.test = "concurrency_sweep";
    p.load = {LoadAxis::Concurrency, double(concurrency)};
    p.concurrency = concurrency;
    p.warmupS = warmupS;
    p.durationS = durationS;
    return p;
}

PointSummary summarized(const PointPlan& point, const RecordBatch& batch, const Slo& slo = {},
                        const PointFacts& facts = {},
                        FailureDenominator denominator = FailureDenominator::Attempted)
{
    return summarize(point, slo, denominator, batch, facts);
}

double rate(const PointSummary& s, Metric m)
{
    return s.rate(m).value_or(-1);
}

} // namespace

class SummarizeTest : public QObject
{
    Q_OBJECT

private slots:
    void throughputIsNeverAMeanOfRates_data()
    {
        QTest::addColumn<double>("secondRoundMs");
        QTest::addColumn<double>("expected");
        QTest::newRow("5 tokens in 10 ms, 1 in 20 ms: 200, not 275") << 20.0 << 200.0;
        QTest::newRow("6 tokens in 24 ms: 250") << 14.0 << 250.0;
    }
    void throughputIsNeverAMeanOfRates()
    {
        QFETCH(double, secondRoundMs);
        QFETCH(double, expected);
        RecordBuilder b;
        const double length = 10 + secondRoundMs;
        // Two rounds of one stream, told at the end of each; the window is just as long.
        b.completed(0, Times{9.999, length - 0.001}, 6, 1);
        b.batch.chunks[0].tokens = 5;
        const PointSummary s = summarized(closedLoop(1, length / 1000), b.batch);
        QVERIFY(isNear(rate(s, Metric::OutputTokensPerS), expected, 1e-6));
    }

    void tokensCountWhenTheyArrive()
    {
        RecordBuilder b;
        b.completed(500, Times{200, 600, 800, 1200}, 4, 1);                // 700, 1100, 1300, 1700
        const PointSummary s = summarized(closedLoop(1, 0.5, 1), b.batch); // window 1.0 to 1.5 s
        QCOMPARE(rate(s, Metric::OutputTokensPerS), 4.0);                  // two of the four
        QCOMPARE(rate(s, Metric::CompletedPerS), 0.0);
        QVERIFY(s.metrics.empty()); // it belongs to the window by its intended start, which was before
    }

    void chunksOfUnknownSizeShareTheTotalEvenly()
    {
        RecordBuilder b;
        b.completed(500, Times{200, 600, 800, 1200}, 10);
        const PointSummary s = summarized(closedLoop(1, 0.5, 1), b.batch);
        QCOMPARE(rate(s, Metric::OutputTokensPerS), 10.0); // half of ten tokens in half a second
    }

    void chunksOfKnownSizeKeepTheirs()
    {
        RecordBuilder b;
        b.completed(500, Times{200, 600, 800, 1200}, 10);
        b.batch.chunks[0].tokens = 6; // the other three share four
        const PointSummary s = summarized(closedLoop(1, 0.5, 1), b.batch);
        QVERIFY(isNear(rate(s, Metric::OutputTokensPerS), 2 * 4 / 3.0 / 0.5));
    }

    void withoutChunkTimesTheTotalIsSpreadOverTheStream()
    {
        RecordBuilder b;
        RequestRecord& r = b.completed(0, Times{0, 1000}, 100);
        r.chunkCount = 0;
        const PointSummary s = summarized(closedLoop(1, 0.5), b.batch);
        QVERIFY(isNear(rate(s, Metric::OutputTokensPerS), 100, 2));
    }

    void unfinishedRequestsAtTheStop()
    {
        RecordBuilder b;
        for (int i = 0; i < 5; ++i)
            b.completed(0, Times{5000}, 100, 100);
        for (int i = 0; i < 5; ++i) {
            RequestRecord& r = b.completed(0, Times{5000}, 60, 60);
            r.outcome = Outcome::Cancelled;
            r.closed = fromMs(10000);
        }
        const PointSummary s = summarized(closedLoop(10, 10), b.batch);
        QCOMPARE(rate(s, Metric::CompletedTokensPerS), 50.0);
        QCOMPARE(rate(s, Metric::OutputTokensPerS), 80.0);
    }

    void failuresGiveNoTokensAndNoLatency_data()
    {
        QTest::addColumn<double>("windowS");
        QTest::addColumn<double>("expected");
        QTest::newRow("over the time in which the good ones ran") << 2.0 << 400.0;
        QTest::newRow("over the whole minute") << 60.0 << 800 / 60.0;
    }
    void failuresGiveNoTokensAndNoLatency()
    {
        QFETCH(double, windowS);
        QFETCH(double, expected);
        RecordBuilder b;
        for (int i = 0; i < 8; ++i)
            b.completed(0, Times{500, 1999}, 100);
        for (int i = 0; i < 2; ++i)
            b.failed(0, Outcome::TimeoutFirstToken, 60000);
        const PointSummary s = summarized(closedLoop(10, windowS), b.batch);
        QVERIFY(isNear(rate(s, Metric::OutputTokensPerS), expected, 1e-9));
        QCOMPARE(s.window.lengthS(), windowS);
        QCOMPARE(s.distribution(Metric::E2e)->n, std::size_t(8));
        QCOMPARE(s.distribution(Metric::E2e)->max, 1999.0);
        QCOMPARE(s.count(Outcome::TimeoutFirstToken), std::uint64_t(2));
    }

    void rampAndDrainAreOutsideTheWindow()
    {
        // 40 s at 100 tok/s between a ramp and a drain of 10 s at half of that.
        RecordBuilder b;
        for (int i = 0; i < 600; ++i) {
            const double at = 50 + 100 * i;
            const bool steady = at >= 10000 && at < 50000;
            b.completed(at, Times{1}, steady ? 10 : 5, steady ? 10 : 5);
        }
        QVERIFY(isNear(rate(summarized(closedLoop(1, 60), b.batch), Metric::OutputTokensPerS), 5000 / 60.0));
        QVERIFY(isNear(rate(summarized(closedLoop(1, 40, 10), b.batch), Metric::OutputTokensPerS), 100));
    }

    void theFourRatesSideBySide()
    {
        PointPlan p = closedLoop(0, 10);
        p.phases = {{"steady", 1, 10}};
        RecordBuilder b;
        for (int i = 0; i < 4; ++i)
            b.completed(1000.0 * i, 100, 200);
        b.failed(4000, Outcome::Rejected, 5, 429);
        RequestRecord& cut = b.failed(5000, Outcome::TimeoutStall, 3000, 200);
        cut.firstToken = cut.lastToken = fromMs(5100);
        b.notSent(6000);
        const PointSummary s = summarized(p, b.batch);
        QCOMPARE(rate(s, Metric::OfferedPerS), 0.7);
        QCOMPARE(rate(s, Metric::SentPerS), 0.6);
        QCOMPARE(rate(s, Metric::AcceptedPerS), 0.5);
        QCOMPARE(rate(s, Metric::CompletedPerS), 0.4);
        QCOMPARE(rate(s, Metric::RequestsPerS), 0.4);
        QCOMPARE(s.count(Outcome::NotSent), std::uint64_t(1));
    }

    void unsetTimesDoNotEnterTheMedian()
    {
        RecordBuilder b;
        for (int i = 0; i < 6; ++i)
            b.failed(i, Outcome::NoContent, 50, 200);
        for (int i = 0; i < 4; ++i)
            b.completed(10 + i, 100 + 10 * i, 300);
        const PointSummary s = summarized(closedLoop(10, 10), b.batch);
        QCOMPARE(s.count(Outcome::Completed), std::uint64_t(4));
        QCOMPARE(s.count(Outcome::NoContent), std::uint64_t(6));
        QCOMPARE(s.distribution(Metric::Ttft)->at(50)->value, 110.0);
        QCOMPARE(s.distribution(Metric::Ttft)->min, 100.0);
    }

    void answersOfZeroLengthAreCountedApart()
    {
        RecordBuilder b;
        b.completed(0, 100, 300, 10);
        b.failed(1, Outcome::NoContent, 50, 200).outputTokens = 0;
        b.completed(2, 100, 300, 20);
        const PointSummary s = summarized(closedLoop(3, 1), b.batch);
        QCOMPARE(s.outputTokens->n, std::size_t(2));
        QCOMPARE(s.outputTokens->mean, 15.0);
        QCOMPARE(s.count(Outcome::NoContent), std::uint64_t(1));
    }

    void oneTokenAnswersHaveNoTimePerToken()
    {
        RecordBuilder b;
        for (int i = 0; i < 100; ++i)
            b.completed(10 * i, Times{250}, 1);
        const PointSummary s = summarized(closedLoop(1, 10), b.batch);
        QVERIFY(!s.distribution(Metric::Tpot));
        QVERIFY(!s.distribution(Metric::ChunkGap));
        QCOMPARE(s.distribution(Metric::Ttft)->n, std::size_t(100));
    }

    void twoParallelStreamsDoNotHalveTheTimePerToken()
    {
        RecordBuilder b;
        std::vector<double> tokens;
        for (int i = 0; i < 10; ++i)
            tokens.push_back(100 + 100 * i);
        b.completed(0, tokens, 10, 1);
        b.completed(0, tokens, 10, 1);
        const PointSummary s = summarized(closedLoop(2, 2), b.batch);
        QCOMPARE(s.distribution(Metric::Tpot)->mean, 100.0);
        QCOMPARE(s.distribution(Metric::Itl)->mean, 100.0);
        QCOMPARE(s.distribution(Metric::Itl)->n, std::size_t(18));
    }

    void theMeanGapHoldsNoPrefill()
    {
        RecordBuilder b;
        std::vector<double> tokens;
        for (int i = 0; i < 11; ++i)
            tokens.push_back(1000 + 10 * i);
        b.completed(0, tokens, 11, 1);
        const PointSummary s = summarized(closedLoop(1, 2), b.batch);
        QCOMPARE(s.distribution(Metric::Itl)->mean, 10.0);
        QCOMPARE(s.distribution(Metric::ChunkGap)->mean, 10.0);
    }

    void plainAnswersDoNotEnterTheTimeToFirstToken()
    {
        RecordBuilder b;
        for (int i = 0; i < 8; ++i)
            b.completed(i, 50, 300);
        for (int i = 0; i < 2; ++i)
            b.failed(10 + i, Outcome::Malformed, 2500, 200); // not an event stream
        const PointSummary s = summarized(closedLoop(10, 10), b.batch);
        QCOMPARE(s.distribution(Metric::Ttft)->n, std::size_t(8));
        QCOMPARE(s.distribution(Metric::Ttft)->mean, 50.0);
    }

    void aSuccessWithoutUsageIsUnknownNotZero()
    {
        RecordBuilder b;
        b.completed(0, Times{100, 200}, 7);
        b.completed(0, Times{100, 200}, kUnknownCount);
        const PointSummary s = summarized(closedLoop(2, 1), b.batch);
        QCOMPARE(s.tokensUnknown, std::size_t(1));
        QCOMPARE(rate(s, Metric::OutputTokensPerS), 7.0);
        b.batch.records[0].outputTokens = kUnknownCount;
        QVERIFY(!summarized(closedLoop(2, 1), b.batch).rate(Metric::OutputTokensPerS));
    }

    void onlyTimeoutsHaveAFiniteDurationAndNoRate()
    {
        RecordBuilder b;
        for (int i = 0; i < 20; ++i)
            b.failed(400 * i, Outcome::TimeoutFirstToken, 2000);
        PointFacts facts;
        facts.endedS = 10.2;
        const PointSummary s = summarized(closedLoop(4, 10), b.batch, {{"ttft_ms", 99, 1000}}, facts);
        QCOMPARE(s.window.lengthS(), 10.0);
        QCOMPARE(rate(s, Metric::CompletedPerS), 0.0);
        QCOMPARE(rate(s, Metric::OutputTokensPerS), 0.0);
        QVERIFY(!s.distribution(Metric::Ttft));
        QVERIFY(!s.slo.met);
    }

    void aStoppedPointEndsWhereItWasStopped()
    {
        RecordBuilder b;
        for (int i = 0; i < 10; ++i)
            b.completed(1000 * i, 100, 900);
        PointFacts facts;
        facts.endedS = 5;
        facts.endedBy = "stop";
        const PointSummary s = summarized(closedLoop(1, 30, 1), b.batch, {}, facts);
        QCOMPARE(s.window.startS, 1.0);
        QCOMPARE(s.window.endS, 5.0);
        QCOMPARE(s.distribution(Metric::Ttft)->n, std::size_t(4));
    }

    void aPointThatEndedInItsWarmupHasAnEmptyWindow()
    {
        RecordBuilder b;
        b.completed(0, 100, 900);
        PointFacts facts;
        facts.endedS = 2;
        facts.endedBy = "skip";
        const PointSummary s = summarized(closedLoop(1, 30, 5), b.batch, {{"ttft_ms", 99, 1000}}, facts);
        QCOMPARE(s.window.lengthS(), 0.0);
        QVERIFY(s.rates.empty() && s.metrics.empty());
        QVERIFY(!s.verdict.valid);
        QCOMPARE(s.verdict.reasons[0].code, std::string("no_success"));
    }

    void aPointEndedByItsCountKeepsTheTimeUnderFullLoad()
    {
        // Two workers, five requests: from 2.1 s on one of them has nothing left to send.
        RecordBuilder b;
        for (const double at : {0.0, 100.0, 1000.0, 1100.0, 2000.0})
            b.completed(at, Times{100, 1000 - 0.001}, 10, 5);
        PointFacts facts;
        facts.endedS = 3;
        facts.endedBy = "count";
        const PointSummary s = summarized(closedLoop(2, 30), b.batch, {}, facts);
        QVERIFY(isNear(s.window.endS, 2.1, 1e-4));
        QCOMPARE(s.distribution(Metric::Ttft)->n, std::size_t(5));
        QVERIFY(isNear(rate(s, Metric::CompletedPerS), 4 / 2.1, 1e-3));
    }

    void littlesLawLinksRateAndConcurrency()
    {
        // One request every 2 s that takes 28 s: 0.5 a second x 28 s = 14 in flight.
        RecordBuilder b;
        for (int i = 0; i < 100; ++i)
            b.completed(2000 * i, 1000, 28000);
        const PointSummary s = summarized(closedLoop(14, 100, 50), b.batch);
        QVERIFY(isNear(s.meanInFlight, 14));
        QCOMPARE(s.laws[0].law, std::string("little"));
        QVERIFY(isNear(s.laws[0].expected, 14));
        QVERIFY(isNear(s.laws[0].observed, 14));
        QVERIFY(isNear(s.laws[0].relativeDifference, 0));
        QVERIFY(s.laws[0].text.find("0.5/s x 28 s") != std::string::npos);
    }

    void closedLoopLaw_data()
    {
        QTest::addColumn<double>("responseS");
        QTest::addColumn<double>("thinkS");
        QTest::addColumn<double>("expected");
        QTest::newRow("0.5 s: 64 requests/s") << 0.5 << 0.0 << 64.0;
        QTest::newRow("2 s: 16 requests/s") << 2.0 << 0.0 << 16.0;
        QTest::newRow("2 s and 1 s of thought: 10.67 requests/s") << 2.0 << 1.0 << 32 / 3.0;
    }
    void closedLoopLaw()
    {
        QFETCH(double, responseS);
        QFETCH(double, thinkS);
        QFETCH(double, expected);
        RecordBuilder b;
        const double cycleMs = (responseS + thinkS) * 1000;
        for (int worker = 0; worker < 32; ++worker) {
            for (double at = worker * cycleMs / 32; at < 60000; at += cycleMs)
                b.completed(at, 100, responseS * 1000);
        }
        PointPlan p = closedLoop(32, 30, 15);
        p.thinkTimeS = thinkS;
        const PointSummary s = summarized(p, b.batch);
        QCOMPARE(s.laws[1].law, std::string("closed_loop"));
        QVERIFY(isNear(s.laws[1].expected, expected, 1e-6));
        QVERIFY(isNear(s.laws[1].observed, expected, 0.04));
    }

    void firstErrorsComeWithTheirCounts()
    {
        RecordBuilder b;
        for (int i = 0; i < 99; ++i)
            b.failed(i, Outcome::ClientError, 5, 404, "model not found");
        b.failed(99, Outcome::ConnectFailed, 5, 0, "connection refused");
        b.completed(100, 100, 200);
        const PointSummary s = summarized(closedLoop(1, 1), b.batch);
        QCOMPARE(s.firstErrors.size(), std::size_t(2));
        QCOMPARE(s.firstErrors[0], std::string("99 × client_error, HTTP 404: model not found"));
        QCOMPARE(s.firstErrors[1], std::string("1 × connect_failed: connection refused"));

        // of several points together: the same reason once; a status that the text tells is not told twice
        RecordBuilder more;
        more.failed(0, Outcome::ConnectFailed, 5, 0, "connection refused");
        more.failed(1, Outcome::Rejected, 5, 429, "HTTP 429: queue full");
        ErrorCounts counts;
        counts.add(b.batch);
        counts.add(more.batch);
        QCOMPARE(counts.lines(), (std::vector<std::string>{"99 × client_error, HTTP 404: model not found",
                                                           "2 × connect_failed: connection refused",
                                                           "1 × rejected: HTTP 429: queue full"}));
    }

    void reasonsThatDifferInNumbersAreOne()
    {
        RecordBuilder b;
        b.failed(0, Outcome::ClientError, 5, 400, "HTTP 400: request (3008 tokens) exceeds 2048");
        b.failed(1, Outcome::ClientError, 5, 400, "HTTP 400: request (977 tokens) exceeds 2048");
        b.failed(2, Outcome::ClientError, 5, 422, "HTTP 422: request (3008 tokens) exceeds 2048");
        ErrorCounts counts;
        counts.add(b.batch);
        QCOMPARE(counts.lines(),
                 (std::vector<std::string>{"2 × client_error: HTTP 400: request (3008 tokens) exceeds 2048",
                                           "1 × client_error: HTTP 422: request (3008 tokens) exceeds 2048"}));
    }

    void rateIntervalsComeFromTheVariationInsideTheWindow()
    {
        RecordBuilder even;
        RecordBuilder bursty;
        for (int i = 0; i < 400; ++i) {
            even.completed(25 * i + 1, Times{1}, 10, 10);
            bursty.completed(1000 * (i / 40) + 1, Times{1}, 10, 10);
        }
        const auto width = [](const PointSummary& s) {
            const Interval i = s.rateIntervals.at(Metric::OutputTokensPerS);
            return i.high - i.low;
        };
        const PointSummary a = summarized(closedLoop(1, 10), even.batch);
        const PointSummary b = summarized(closedLoop(1, 10), bursty.batch);
        QCOMPARE(rate(a, Metric::OutputTokensPerS), 400.0);
        QVERIFY(isNear(width(a), 0, 1e-6));
        QVERIFY(width(b) > 100);
    }

    void timelineCountsEverythingInItsBin()
    {
        RecordBuilder b;
        b.completed(100, Times{200, 1200}, 4, 2);   // done at 1.3 s
        b.failed(200, Outcome::Rejected, 100, 429); // at 0.3 s
        b.failed(1500, Outcome::Cancelled, 1000);   // at 2.5 s
        b.notSent(1600);
        const std::vector<TimelineBin> bins = timeline(b.batch, 1);
        QCOMPARE(bins.size(), std::size_t(3));
        QCOMPARE(bins[0].offeredPerS, 2.0);
        QCOMPARE(bins[0].acceptedPerS, 1.0);
        QCOMPARE(bins[0].failedPerS, 1.0);
        QCOMPARE(bins[0].outputTokensPerS, 2.0);
        QCOMPARE(bins[0].inFlight, 1.0);
        QCOMPARE(bins[1].completedPerS, 1.0);
        QCOMPARE(bins[1].offeredPerS, 2.0);
        QCOMPARE(bins[1].sentPerS, 1.0);
        QCOMPARE(bins[1].inFlight, 1.0);
        QCOMPARE(bins[1].backlog, 2.0); // the one never sent still waits
        QCOMPARE(bins[2].inFlight, 0.0);
        QVERIFY(timeline({}, 1).empty());
        QVERIFY(timeline(b.batch, 0).empty());
    }
};

QTEST_GUILESS_MAIN(SummarizeTest)
#include "tst_summarize.moc"
