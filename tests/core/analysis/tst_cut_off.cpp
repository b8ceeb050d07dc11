// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "analysis/summarize.h"
#include "record_builder.h"

using namespace tailmark;
using namespace tailmark::test;

namespace {

PointSummary summaryOf(const RecordBatch& batch)
{
    PointPlan plan;
    plan.test = "sweep";
    plan.concurrency = 4;
    plan.load = {LoadAxis::Concurrency, 4};
    plan.durationS = 10;
    PointFacts facts;
    facts.endedS = 12;
    return summarize(plan, {}, FailureDenominator::Attempted, batch, facts);
}

/// An answer that the end of the point cut off: an event each second from the first to the eleventh.
RequestRecord& cutOffAnswer(RecordBuilder& b, int outputTokens, int tokensPerChunk)
{
    Times times;
    for (int i = 1; i <= 11; ++i)
        times.push_back(1000.0 * i);
    RequestRecord& r = b.completed(0, times, outputTokens, tokensPerChunk);
    r.outcome = Outcome::Cancelled;
    return r;
}

} // namespace

class CutOffTest : public QObject
{
    Q_OBJECT

private slots:
    void answersWithoutTokensAreMissing()
    {
        RecordBuilder b;
        b.completed(0, Times{100, 200}, 4); // two tokens an event
        cutOffAnswer(b, kUnknownCount, 0);
        const PointSummary s = summaryOf(b.batch);
        QCOMPARE(s.cutOff.requests, std::size_t(1));
        QCOMPARE(s.cutOff.tokenEvents, std::uint64_t(9)); // at 1 to 9 s of a window of 10
        QCOMPARE(*s.cutOff.tokensPerS, 1.8);
        QCOMPARE(*s.rate(Metric::OutputTokensPerS), 0.4); // and it stays what was told
        const std::string text = cutOffText(s.cutOff, s.rate(Metric::OutputTokensPerS));
        QCOMPARE(text, std::string("leaves out 1 answer that the end of the point cut off, whose tokens nobody told: by their "
                                   "9 events about 1.8 tok/s more, 81.8 % of all"));
    }

    void knownTokensAreCounted()
    {
        RecordBuilder b;
        b.completed(0, Times{100, 200}, 4);
        cutOffAnswer(b, kUnknownCount, 1); // each chunk tells its own
        cutOffAnswer(b, 11, 0);            // the usage so far was told
        const PointSummary s = summaryOf(b.batch);
        QCOMPARE(s.cutOff, CutOff());
        QVERIFY(cutOffText(s.cutOff, 1).empty());
        QCOMPARE(*s.rate(Metric::OutputTokensPerS), 2.2);
    }

    void withoutAnyThatEndedTheAmountIsUnknown()
    {
        RecordBuilder b;
        cutOffAnswer(b, kUnknownCount, 0);
        const PointSummary s = summaryOf(b.batch);
        QCOMPARE(s.cutOff.requests, std::size_t(1));
        QVERIFY(!s.cutOff.tokensPerS);
        QVERIFY(cutOffText(s.cutOff, {}).ends_with("whose tokens nobody told"));
    }
};

QTEST_GUILESS_MAIN(CutOffTest)
#include "tst_cut_off.moc"
