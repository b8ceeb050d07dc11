// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/point_data.h"
#include "analysis/summarize.h"
#include "record_builder.h"

#include <QTest>

using namespace tailmark;
using tailmark::test::RecordBuilder;

namespace {

PointPlan sessionsPoint()
{
    PointPlan p;
    p.test = "concurrency_sweep";
    p.concurrency = 4;
    p.load = {LoadAxis::Concurrency, 4};
    p.durationS = 30;
    p.sessions.kind = SessionsKind::Synthetic;
    return p;
}

/// A hundred requests of 1,000 tokens, of which 600 were planned to be shared.
RecordBuilder requests(std::int32_t cached, std::int32_t planned = 600)
{
    RecordBuilder b;
    for (int i = 0; i < 100; ++i) {
        RequestRecord& r = b.completed(250.0 * i, 100, 300);
        r.promptTokens = r.promptTokensPlanned = 1000;
        r.cachedTokens = cached;
        r.cachedTokensPlanned = planned;
    }
    return b;
}

PointSummary summarized(const RecordBatch& batch, PointFacts facts = {},
                        const PointPlan& point = sessionsPoint())
{
    facts.endedS = 30;
    return summarize(point, {}, FailureDenominator::Attempted, batch, facts);
}

} // namespace

class PrefixSharingTest : public QObject
{
    Q_OBJECT

private slots:
    void measuredByTheAnswers()
    {
        const PrefixSharing s = summarized(requests(592).batch).sharing;
        QCOMPARE(s.planned().value(), 0.6);
        QCOMPARE(s.measured().value(), 0.592);
        QCOMPARE(s.source, HitSource::Usage);
        QCOMPARE(
            prefixSharingText(s),
            std::string("planned 60 % of the prompt tokens, measured 59.2 % (cached tokens in the answers)"));
    }

    void nothingIsPlanned()
    {
        const PrefixSharing s = summarized(requests(592, kUnknownCount).batch).sharing;
        QVERIFY(!s.planned() && !s.measured());
        QCOMPARE(prefixSharingText(s), std::string());
    }

    void measuredByTheCounters()
    {
        PointFacts facts;
        for (const double at : {-0.5, 0.0, 15.0, 30.0}) {
            facts.serverSamples.push_back(
                {fromSeconds(at), ServerCounter::PrefixQueries, 5000 + 1000 * std::max(0.0, at)});
            facts.serverSamples.push_back(
                {fromSeconds(at), ServerCounter::PrefixHits, 400 + 550 * std::max(0.0, at)});
        }
        const PrefixSharing s = summarized(requests(kUnknownCount).batch, facts).sharing;
        QCOMPARE(s.source, HitSource::Counters);
        QCOMPARE(s.measured().value(), 0.55);
        QVERIFY(prefixSharingText(s).ends_with("measured 55 % (the server's counters)"));
        // Answers win over counters, which may count other users too.
        QCOMPARE(summarized(requests(600).batch, facts).sharing.source, HitSource::Usage);
    }

    void nobodyTells()
    {
        const PrefixSharing s = summarized(requests(kUnknownCount).batch).sharing;
        QCOMPARE(s.planned().value(), 0.6);
        QVERIFY(!s.measured());
        QVERIFY(prefixSharingText(s).find("not measured") != std::string::npos);
    }

    void enginesThatLeaveOutAZero()
    {
        RecordBuilder b = requests(600);
        for (std::size_t i = 0; i < 50; ++i)
            b.batch.records[i].cachedTokens = kUnknownCount;
        PointFacts facts;
        QCOMPARE(summarized(b.batch, facts).sharing.measured().value(), 0.6); // of those that are told
        facts.cache.absentIsZero = true;
        QCOMPARE(summarized(b.batch, facts).sharing.measured().value(), 0.3);
    }

    void failuresAndWarmUpAreLeftOut()
    {
        RecordBuilder b = requests(600);
        for (std::size_t i = 0; i < 10; ++i) {
            b.batch.records[i].outcome = Outcome::Truncated;
            b.batch.records[i].cachedTokens = 0;
        }
        const PrefixSharing s = summarized(b.batch).sharing;
        QCOMPARE(s.plannedOf, std::uint64_t(90'000));
        QCOMPARE(s.measured().value(), 0.6);
    }

    void pointsOfARun()
    {
        std::vector<PrefixSharing> points = {summarized(requests(600).batch).sharing,
                                             summarized(requests(200, 200).batch).sharing, PrefixSharing{}};
        PrefixSharing all = pooled(points);
        QCOMPARE(all.planned().value(), 0.4);
        QCOMPARE(all.measured().value(), 0.4);
        points.push_back(summarized(requests(kUnknownCount).batch).sharing);
        QVERIFY(!pooled(points).measured()); // not known of all
        QVERIFY(!pooled(std::span<const PrefixSharing>()).planned());
    }

    /// What turns share by plan is no proof against a cold cache.
    void aColdCacheServesWhatIsPlanned()
    {
        PointPlan cold = sessionsPoint();
        cold.cache = CachePolicy::Cold;
        const CacheState fits = summarized(requests(592).batch, {}, cold).cache;
        QCOMPARE(cacheStandingId(fits.standing), std::string_view("proved"));
        QCOMPARE(fits.sharedTokens, std::uint64_t(60'000));
        QCOMPARE(cacheStandingId(summarized(requests(900).batch, {}, cold).cache.standing),
                 std::string_view("contradicted"));
    }
};

QTEST_GUILESS_MAIN(PrefixSharingTest)
#include "tst_prefix_sharing.moc"
