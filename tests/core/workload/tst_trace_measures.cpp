// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "base/rng.h"
#include "workload/trace/trace_measures.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <random>
#include <set>

using namespace tailmark;

namespace {

Trace measured(const std::vector<LengthPair>& lengths)
{
    Trace trace;
    TraceMeasures measures;
    for (const LengthPair& pair : lengths) {
        TraceRow row;
        row.lengths = pair;
        trace.rows.push_back(row);
        measures.add(row, {}, 0);
    }
    trace.rowsAccepted = lengths.size();
    measures.finish(trace);
    return trace;
}

/// An LRU cache as it is written down; what it serves of the leading blocks of each request.
double servedByLru(const std::vector<std::vector<std::uint32_t>>& requests, std::size_t capacity)
{
    std::list<std::uint32_t> order;
    std::uint64_t hits = 0, blocks = 0;
    for (const auto& request : requests) {
        bool leading = true;
        for (const std::uint32_t block : request) {
            const auto found = std::find(order.begin(), order.end(), block);
            leading = leading && found != order.end();
            hits += leading;
            ++blocks;
            if (found != order.end())
                order.erase(found);
            order.push_front(block);
            if (order.size() > capacity)
                order.pop_back();
        }
    }
    return static_cast<double>(hits) / static_cast<double>(blocks);
}

} // namespace

class TraceMeasuresTest : public QObject
{
    Q_OBJECT

private slots:
    void countsAreExactBelowAMillion()
    {
        IntegerCounts counts;
        for (int i = 1; i <= 100; ++i)
            counts.add(i * 10'000);
        QCOMPARE(counts.quantile(50), std::int64_t(500'000));
        QCOMPARE(counts.quantile(99), std::int64_t(990'000));
        QCOMPARE(counts.quantile(100), std::int64_t(1'000'000));
        QCOMPARE(counts.below(20'000), std::uint64_t(1));
        QCOMPARE(IntegerCounts().quantile(50), std::int64_t(0));
    }

    void largeNumbersKeepThreeDigits()
    {
        for (const std::int64_t value :
             {IntegerCounts::kExactBelow, IntegerCounts::kExactBelow + 1, std::int64_t(3'000'000'000),
              std::int64_t(1) << 40, (std::int64_t(1) << 62) + 12345, INT64_MAX}) {
            const std::int64_t kept = IntegerCounts::valueOf(IntegerCounts::slotOf(value));
            QVERIFY(kept <= value && static_cast<double>(value - kept) <= 0.001 * static_cast<double>(value));
        }
        QVERIFY(IntegerCounts::slotOf(IntegerCounts::kExactBelow - 1) <
                IntegerCounts::slotOf(IntegerCounts::kExactBelow));
    }

    void correlations()
    {
        // By hand: ranks of the outputs 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
        const Trace trace = measured({{10, 1}, {20, 5}, {30, 5}, {40, 9}});
        QVERIFY(std::abs(*trace.stats.pearson - 120 / std::sqrt(500.0 * 32)) < 1e-12);
        QVERIFY(std::abs(*trace.stats.spearman - 4.5 / std::sqrt(5 * 4.5)) < 1e-12);
        QCOMPARE(*measured({{10, 900}, {20, 30}, {30, 20}}).stats.spearman, -1.0);
        const Trace constant = measured({{10, 7}, {20, 7}, {30, 7}});
        QVERIFY(!constant.stats.pearson && !constant.stats.spearman);
    }

    void hitsAreThoseOfAnLruCacheOfEverySize()
    {
        std::mt19937 random(7);
        std::vector<std::vector<std::uint32_t>> requests;
        PrefixAccumulator prefix;
        std::uint32_t fresh = 0;
        for (int i = 0; i < 3'000; ++i) { // follow-ups of earlier requests, and new ones
            std::vector<std::uint32_t> blocks;
            if (i > 0 && random() % 3 > 0) {
                blocks =
                    requests[requests.size() - 1 - random() % std::min<std::size_t>(requests.size(), 200)];
                blocks.resize(1 + random() % blocks.size());
            }
            for (std::uint32_t more = 1 + random() % 6; more > 0; --more)
                blocks.push_back(fresh++);
            std::vector<BlockRun> runs;
            for (const std::uint32_t block : blocks)
                runs.push_back({block, 1});
            prefix.add(kAbsentTime, static_cast<std::int32_t>(blocks.size() * 16), 16, runs);
            requests.push_back(std::move(blocks));
        }
        const PrefixStats stats = *prefix.stats(16, false);
        QCOMPARE(stats.uniqueBlocks, std::uint64_t(fresh));
        QVERIFY(std::abs(stats.blockHitRate - servedByLru(requests, fresh)) < 1e-12);
        QVERIFY(stats.capacities.size() >= 5);
        for (const PrefixStats::AtCapacity& at : stats.capacities)
            QVERIFY2(std::abs(at.blockHitRate - servedByLru(requests, static_cast<std::size_t>(at.blocks))) <
                         1e-12,
                     std::to_string(at.blocks).c_str());
        QVERIFY(stats.ages.empty());
    }

    void aPartialBlockCountsItsTokensOnly()
    {
        PrefixAccumulator prefix;
        const std::vector<BlockRun> chain = {{0, 2}};
        prefix.add(Nanoseconds(0), 20, 16, chain);
        prefix.add(Nanoseconds(5'000'000'000), 20, 16, chain);
        const PrefixStats stats = *prefix.stats(16, true);
        QCOMPARE(stats.blockHitRate, 0.5);
        QCOMPARE(stats.tokenHitRate, 0.5);
        QCOMPARE(stats.requestsFullyCached, 0.5);
        QCOMPARE(stats.ages.at(0).share, 0.0); // within 1 s
        QCOMPARE(stats.ages.at(1).share, 1.0); // within 10 s
        QVERIFY(!PrefixAccumulator().stats(16, true));
    }

    void arrivalsOverTime()
    {
        ArrivalAccumulator arrivals;
        for (int i = 0; i <= 200; ++i)
            arrivals.add(Nanoseconds(i * 100'000'000LL)); // ten a second
        const ArrivalStats stats = arrivals.stats();
        QCOMPARE(stats.gaps->cv, 0.0);
        QCOMPARE(stats.windows.size(), std::size_t(2)); // 1 s and 10 s; only one minute
        QCOMPARE(stats.windows[0].dispersion, 0.0);
        QCOMPARE(stats.windows[0].peakPerS, 10.0);
        QCOMPARE(stats.rateWidthS, 1);
        QCOMPARE(stats.ratesPerS.size(), std::size_t(21));
        QVERIFY(!stats.grid);
    }

    void yearsFitIntoBoundedMemory()
    {
        ArrivalAccumulator arrivals;
        for (const std::int64_t seconds : {0LL, 1LL, 7'000'000LL, 60'000'000LL, 1'700'000'000LL})
            arrivals.add(Nanoseconds(seconds * 1'000'000'000));
        const ArrivalStats stats = arrivals.stats();
        QVERIFY(stats.windows.empty()); // seconds were too many to count
        QVERIFY(stats.ratesPerS.size() <= 240);
        double sum = 0;
        for (const double rate : stats.ratesPerS)
            sum += rate * stats.rateWidthS;
        QCOMPARE(std::round(sum), 5.0);
        QCOMPARE(stats.gaps->maxNs, std::int64_t(1'640'000'000) * 1'000'000'000);
    }

    void sessions()
    {
        Trace trace;
        TraceMeasures measures;
        for (const auto& [session, prompt, thinkS] :
             {std::tuple{0, 100, -1}, {1, 50, -1}, {0, 180, 4}, {0, 170, 8}}) {
            TraceRow row;
            row.lengths = {prompt, 5};
            row.session = session;
            row.thinkTime = thinkS < 0 ? kAbsentTime : Nanoseconds(thinkS * 1'000'000'000LL);
            row.cachedTokens = session == 0 ? prompt / 2 : TraceRow::kNotTold;
            trace.rows.push_back(row);
            measures.add(row, {}, 0);
        }
        measures.finish(trace);
        const SessionStats& sessions = *trace.stats.sessions;
        QCOMPARE(sessions.sessions, std::uint64_t(2));
        QCOMPARE(sessions.turns.max, std::int64_t(3));
        QCOMPARE(sessions.thinkMs->p50, std::int64_t(4'000));
        QCOMPARE(sessions.growth->n, std::uint64_t(1)); // from 100 to 180; the next one shrank
        QCOMPARE(sessions.growth->p50, std::int64_t(80));
        QCOMPARE(*trace.stats.cachedShare, 0.5);
        QVERIFY(!trace.stats.arrivals && !trace.stats.prefix);
    }
};

QTEST_GUILESS_MAIN(TraceMeasuresTest)
#include "tst_trace_measures.moc"
