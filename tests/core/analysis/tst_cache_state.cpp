// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/point_data.h"
#include "analysis/summarize.h"
#include "plan/prefix_group.h"
#include "record_builder.h"

#include <QTest>

using namespace tailmark;
using tailmark::test::RecordBuilder;

namespace {

PointPlan pointOf(CachePolicy cache, int sharedTokens = 0, double share = 0.8)
{
    PointPlan p;
    p.test = "concurrency_sweep";
    p.concurrency = 4;
    p.load = {LoadAxis::Concurrency, 4};
    p.durationS = 30;
    p.cache = cache;
    p.seeds.prompts = 7;
    if (sharedTokens > 0)
        p.prefix = {PrefixKind::Shared, sharedTokens, 4, share};
    return p;
}

/// A hundred requests of 512 prompt tokens; how many came from the cache is told by `cachedOf`.
template <typename F> CacheState judged(const PointPlan& point, const CacheFacts& facts, F cachedOf)
{
    RecordBuilder b;
    for (int i = 0; i < 100; ++i) {
        RequestRecord& r = b.completed(250.0 * i, 100, 300);
        r.promptTokens = 512;
        r.cachedTokens = cachedOf(r.request);
    }
    PointFacts kept;
    kept.endedS = 30;
    kept.cache = facts;
    const Slo slo;
    return judgeCache(PointData(point, slo, b.batch, kept));
}

/// The same where no request tells, and the server's counters do: of the prompt tokens (or blocks) queried in the window,
/// those hit.
CacheState judgedByCounters(const PointPlan& point, double queries, double hits)
{
    RecordBuilder b;
    for (int i = 0; i < 100; ++i) {
        RequestRecord& r = b.completed(250.0 * i, 100, 300);
        r.promptTokens = r.promptTokensPlanned = 512;
    }
    PointFacts kept;
    kept.endedS = 30;
    kept.cache.overheadTokens = 8;
    for (const auto& [at, share] : {std::pair(0, 0.0), std::pair(30, 1.0)})
        for (const auto& [counter, value] :
             {std::pair(ServerCounter::PrefixQueries, queries), std::pair(ServerCounter::PrefixHits, hits)})
            kept.serverSamples.push_back({fromSeconds(at), counter, 1000 + value * share});
    const Slo slo;
    return summarize(point, slo, FailureDenominator::Attempted, b.batch, kept).cache;
}

std::string standing(const CacheState& s)
{
    return std::string(cacheStandingId(s.standing));
}

} // namespace

class CacheStateTest : public QObject
{
    Q_OBJECT

private slots:
    void coldWithoutSharing()
    {
        const PointPlan cold = pointOf(CachePolicy::Cold);
        const CacheState none = judged(cold, {"salted by cache_salt", 8, false}, [](auto) { return 0; });
        QCOMPARE(standing(none), std::string("proved"));
        QCOMPARE(none.text, std::string("cold, proved by cached tokens 0 of 51,200"));
        QCOMPARE(none.made, std::string("salted by cache_salt"));
        QCOMPARE(none.requests, std::uint64_t(100));
        // What every prompt has may be there: any request brings it.
        QCOMPARE(standing(judged(cold, {{}, 40, false}, [](auto) { return 32; })), std::string("proved"));
        const CacheState half = judged(cold, {{}, 8, false}, [](auto) { return 256; });
        QCOMPARE(half.text, std::string("cold, contradicted by cached tokens 25,600 of 51,200"));
        // A few requests that found their own blocks after a preemption are no contradiction.
        QCOMPARE(standing(judged(cold, {{}, 0, false}, [](auto i) { return i % 25 == 0 ? 512 : 0; })),
                 std::string("proved"));
        QCOMPARE(standing(judged(cold, {{}, 0, false}, [](auto i) { return i % 10 == 0 ? 512 : 0; })),
                 std::string("contradicted"));
    }

    void coldWithSharing()
    {
        const PointPlan cold = pointOf(CachePolicy::Cold, 256);
        const auto shared = [&](std::uint32_t i) { return prefixGroup(cold, i) ? 256 : 0; };
        const CacheState s = judged(cold, {{}, 8, false}, shared);
        QCOMPARE(standing(s), std::string("proved"));
        QVERIFY(s.sharedTokens == s.cachedTokens && s.sharedTokens > 0);
        QVERIFY(s.text.find("(shared by plan: ") != std::string::npos);
        QCOMPARE(standing(judged(cold, {{}, 8, false}, [](auto) { return 0; })), std::string("proved"));
        QCOMPARE(standing(judged(cold, {{}, 8, false}, [](auto) { return 400; })), std::string("contradicted"));
    }

    void warm()
    {
        const PointPlan warm = pointOf(CachePolicy::Warm, 256);
        const auto cached = [&](int tokens) {
            return [&warm, tokens](std::uint32_t i) { return prefixGroup(warm, i) ? tokens : 0; };
        };
        QCOMPARE(standing(judged(warm, {{}, 8, false}, cached(256))), std::string("proved"));
        QCOMPARE(standing(judged(warm, {{}, 8, false}, cached(192))), std::string("proved")); // blocks of 64
        const CacheState none = judged(warm, {{}, 8, false}, cached(0));
        QCOMPARE(standing(none), std::string("contradicted"));
        QVERIFY(none.text.starts_with("warm, contradicted by cached tokens 0 of 51,200 (shared by plan: "));
        QCOMPARE(standing(judged(warm, {{}, 8, false}, cached(64))), std::string("contradicted"));
        // All of every prompt: more than the sharing that was stated.
        QCOMPARE(standing(judged(warm, {{}, 8, false}, [](auto) { return 511; })), std::string("contradicted"));
    }

    void notToldIsUnverified()
    {
        const auto untold = [](auto) { return kUnknownCount; };
        const CacheState cold = judged(pointOf(CachePolicy::Cold), {}, untold);
        QCOMPARE(standing(cold), std::string("unverified"));
        QCOMPARE(cold.text, std::string("cold, unverified: the engine tells no cached tokens"));
        QCOMPARE(judged(pointOf(CachePolicy::Warm, 256), {}, untold).text,
                 std::string("warm, unverified: the engine tells no cached tokens"));
        QCOMPARE(judged(pointOf(CachePolicy::AsIs), {}, untold).text,
                 std::string("as it was found, the engine tells no cached tokens"));
    }

    void countersOfTheServerProveOrContradictWhatUsageDoesNotTell()
    {
        const PointPlan cold = pointOf(CachePolicy::Cold);
        const CacheState none = judgedByCounters(cold, 51'200, 0);
        QCOMPARE(standing(none), std::string("proved"));
        QCOMPARE(none.text, std::string("cold, proved by prefix hits 0 % by the server's counters"));
        QCOMPARE(none.requests, std::uint64_t(0)); // none of them told it
        QCOMPARE(standing(judgedByCounters(cold, 3'200, 1'600)), std::string("contradicted")); // blocks: half of them
        const PointPlan warm = pointOf(CachePolicy::Warm, 256);
        const CacheState found = judgedByCounters(warm, 51'200, 0.4 * 51'200);
        QCOMPARE(standing(found), std::string("proved"));
        QVERIFY2(found.text.find("prefix hits 40 % by the server's counters (shared by plan: ") != std::string::npos,
                 found.text.c_str());
        QCOMPARE(standing(judgedByCounters(warm, 51'200, 0)), std::string("contradicted"));
        QCOMPARE(judgedByCounters(pointOf(CachePolicy::AsIs), 51'200, 25'600).text,
                 std::string("as it was found, prefix hits 50 % by the server's counters"));
        QCOMPARE(standing(judgedByCounters(cold, 0, 0)), std::string("unverified")); // nothing was asked of it
    }

    void pointsByCountersAreTakenTogether()
    {
        const PointPlan cold = pointOf(CachePolicy::Cold);
        const std::vector<CacheState> good = {judgedByCounters(cold, 1000, 0), judgedByCounters(cold, 3000, 40)};
        QCOMPARE(pooled(good).text, std::string("cold, proved by prefix hits 1 % by the server's counters"));
        const std::vector<CacheState> bad = {good[0], judgedByCounters(cold, 1000, 500)};
        QCOMPARE(pooled(bad).text, std::string("cold, contradicted at 1 of 2 points: prefix hits 25 % by the server's "
                                               "counters"));
        const std::vector<CacheState> half = {good[0], judgedByCounters(cold, 0, 0)};
        QCOMPARE(standing(pooled(half)), std::string("unverified"));
    }

    void aMissingCountIsZeroWhereTheEngineLeavesZerosOut()
    {
        const auto some = [](std::uint32_t i) { return i == 0 ? 16 : kUnknownCount; };
        const CacheState told = judged(pointOf(CachePolicy::Cold), {{}, 16, true}, some);
        QCOMPARE(told.requests, std::uint64_t(100));
        QCOMPARE(told.text, std::string("cold, proved by cached tokens 16 of 51,200"));
        QCOMPARE(judged(pointOf(CachePolicy::Cold), {{}, 16, false}, some).requests, std::uint64_t(1));
        // None at all: the server may not be set to tell.
        QCOMPARE(standing(judged(pointOf(CachePolicy::Cold), {{}, 16, true}, [](auto) { return kUnknownCount; })),
                 std::string("unverified"));
    }

    void takenAsItWasFound()
    {
        const CacheState s = judged(pointOf(CachePolicy::AsIs), {}, [](auto) { return 400; });
        QCOMPARE(standing(s), std::string("not_stated"));
        QCOMPARE(s.text, std::string("as it was found, cached tokens 40,000 of 51,200"));
    }

    void withoutSuccessNothingIsKnown()
    {
        RecordBuilder b;
        b.failed(100, Outcome::Rejected, 10, 429);
        const PointPlan point = pointOf(CachePolicy::Cold);
        const Slo slo;
        const CacheState s = judgeCache(PointData(point, slo, b.batch, {}));
        QCOMPARE(s.text, std::string("cold, unverified: no request succeeded"));
    }
};

QTEST_GUILESS_MAIN(CacheStateTest)
#include "tst_cache_state.moc"
