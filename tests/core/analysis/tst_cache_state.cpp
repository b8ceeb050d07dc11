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
