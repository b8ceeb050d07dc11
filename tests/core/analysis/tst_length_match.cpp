// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "analysis/length_match.h"
#include "analysis/summarize.h"
#include "plan/mix.h"

#include <cmath>

using namespace tailmark;

namespace {

/// A request of the window whose lengths are known.
RequestRecord request(std::uint32_t number, LengthPair planned, LengthPair measured)
{
    RequestRecord r;
    r.request = number;
    r.outcome = Outcome::Completed;
    r.intended = r.sent = std::chrono::milliseconds(10 * number);
    r.firstToken = r.firstAnswerToken = r.sent + std::chrono::milliseconds(5);
    r.lastToken = r.closed = r.sent + std::chrono::milliseconds(9);
    r.promptTokensPlanned = planned.promptTokens;
    r.outputTokensCap = planned.outputTokens;
    r.promptTokens = measured.promptTokens;
    r.outputTokens = measured.outputTokens;
    return r;
}

PointPlan pointOf(const Lengths& lengths)
{
    PointPlan point;
    point.test = "sweep";
    point.concurrency = 1;
    point.lengths = lengths;
    point.durationS = 10;
    point.output = OutputPolicy::Natural;
    point.seeds.lengths = 5;
    return point;
}

} // namespace

class LengthMatchTest : public QObject
{
    Q_OBJECT

private slots:
    void whatWasAskedStandsBesideWhatCameOut()
    {
        RecordBatch batch;
        LengthPart stated;
        for (int i = 1; i <= 100; ++i) {
            stated.pairs.push_back({100 * i, i});
            batch.records.push_back(
                request(static_cast<std::uint32_t>(i), {100 * i, i}, {100 * i + 2, 101 - i}));
        }
        PointFacts facts;
        facts.endedS = 10;
        facts.lengths = askedLengths(std::vector<LengthPart>{stated});
        facts.clippedRequests = 1;
        const PointSummary summary = summarize(pointOf(fixedLengths(1, 1)), {}, FailureDenominator::Attempted, batch, facts);
        const LengthMatch& lengths = summary.lengths;
        QVERIFY(std::abs(*lengths.asked->all.rankCorrelation - 1) < 1e-9);
        QVERIFY(std::abs(*lengths.plannedCorrelation - 1) < 1e-9);
        QVERIFY(std::abs(*lengths.measuredCorrelation + 1) < 1e-9);
        QCOMPARE(QString::fromStdString(lengthMatchText(summary)),
                 QString("prompt tokens asked / realised p50 5,000 / 5,002, p90 9,000 / 9,002, p95 9,500 / 9,502, "
                         "p99 9,900 / 9,902; output tokens (natural) p50 50 / 50, p90 90 / 90, p95 95 / 95, p99 "
                         "99 / 99; rank correlation 1 / -1; 1 request cut to the target's context"));
    }

    void sharesOfAMixAreCounted()
    {
        Lengths mix;
        mix.kind = LengthsKind::Mix;
        mix.parts = {{"chat", 3, fixedLengths(10, 1), {}}, {"documents", 1, fixedLengths(20, 2), {}}};
        const PointPlan point = pointOf(mix);
        RecordBatch batch;
        std::uint64_t documents = 0;
        for (std::uint32_t i = 0; i < 200; ++i) {
            const bool second = partOf(mix, 5, i) == 1;
            documents += second;
            const LengthPair pair = second ? LengthPair{20, 2} : LengthPair{10, 1};
            batch.records.push_back(request(i, pair, pair));
        }
        PointFacts facts;
        facts.endedS = 10;
        const PointSummary summary = summarize(point, {}, FailureDenominator::Attempted, batch, facts);
        QVERIFY(!summary.lengths.asked);
        QCOMPARE(lengthMatchText(summary), std::string());
        QCOMPARE(summary.lengths.parts.size(), std::size_t{2});
        QCOMPARE(summary.lengths.parts[0].askedShare, 0.75);
        QCOMPARE(summary.lengths.parts[1].requests, documents);
        QCOMPARE(summary.lengths.parts[0].requests, 200 - documents);
        QCOMPARE(summary.lengths.parts[1].share, static_cast<double>(documents) / 200);
        QVERIFY(documents > 25 && documents < 75);
    }

    void ofEachTestTheLargestPointIsShown()
    {
        std::vector<PointSummary> points(3);
        for (std::size_t i = 0; i < 3; ++i) {
            points[i].point.test = i < 2 ? "a" : "b";
            points[i].promptTokensPlanned.emplace().n = i == 1 ? 9 : 4;
        }
        const std::vector<const PointSummary*> largest = largestPoints(points);
        QCOMPARE(largest.size(), std::size_t{2});
        QVERIFY(largest[0] == &points[1] && largest[1] == &points[2]);
    }
};

QTEST_GUILESS_MAIN(LengthMatchTest)
#include "tst_length_match.moc"
