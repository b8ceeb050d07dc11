// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "analysis/summarize.h"
#include "record_builder.h"

#include <algorithm>
#include <cmath>

using namespace tailmark;
using tailmark::test::RecordBuilder;
using tailmark::test::Times;
using enum ServerCounter;

namespace {

/// A window from 5 s to 15 s.
PointPlan point()
{
    PointPlan p;
    p.test = "concurrency_sweep";
    p.concurrency = 4;
    p.load = {LoadAxis::Concurrency, 4};
    p.warmupS = 5;
    p.durationS = 10;
    return p;
}

/// 200 requests a tenth of a second apart from the start on, 10 tokens each within half a second.
RecordBuilder load()
{
    RecordBuilder b;
    for (int i = 0; i < 200; ++i) {
        Times tokens;
        for (int t = 0; t < 10; ++t)
            tokens.push_back(50 + 50 * t);
        b.completed(100.0 * i, tokens, 10, 1);
    }
    return b;
}

struct Told
{
    PointFacts facts;
    void add(double atS, ServerCounter counter, double value)
    {
        facts.serverSamples.push_back({fromSeconds(atS), counter, value});
    }
};

PointSummary summarized(const PointFacts& facts, const RecordBatch& batch = load().batch)
{
    return summarize(point(), {{"ttft_ms", 99, 1000}}, FailureDenominator::Attempted, batch, facts);
}

const LawCheck* lawOf(const PointSummary& s, const char* name)
{
    const auto law =
        std::find_if(s.laws.begin(), s.laws.end(), [&](const LawCheck& l) { return l.law == name; });
    return law == s.laws.end() ? nullptr : &*law;
}

} // namespace

class ServerSummaryTest : public QObject
{
    Q_OBJECT

private slots:
    void whatWasNotToldIsAbsent()
    {
        const PointSummary s = summarized({});
        QVERIFY(!s.server);
        QVERIFY(!lawOf(s, "engine_tokens"));
    }

    void differencesBetweenTheEdgesOfTheWindow()
    {
        Told t;
        for (int i = -1; i <= 20; ++i)
            t.add(i + 0.01, PromptTokens, 1000 + 100.0 * i);
        const PointSummary s = summarized(t.facts);
        QVERIFY(s.server);
        QCOMPARE(s.server->startS, 5.01);
        QCOMPARE(s.server->endS, 15.01);
        QCOMPARE(s.server->readings, std::size_t(11));
        const ServerFigure* f = s.server->figure(PromptTokens);
        QVERIFY(f);
        QCOMPARE(f->delta.value(), 1000.0);
        QCOMPARE(f->perS.value(), 100.0);
        QVERIFY(!f->mean && !f->restarted);
        QVERIFY(!s.server->figure(GeneratedTokens));
        QVERIFY(s.server->remarks.empty());
    }

    void aReadingNearAnEdgeStandsForIt()
    {
        Told t;
        for (const double at : {4.6, 5.4, 14.7, 16.0}) // the last is too far behind the window
            t.add(at, PromptTokens, at * 10);
        const PointSummary s = summarized(t.facts);
        QCOMPARE(s.server->startS, 4.6); // nearer than, or as near as 5.4
        QCOMPARE(s.server->endS, 14.7);
        QVERIFY(std::fabs(s.server->delta(PromptTokens).value() - 101) < 1e-9);
    }

    void gaugesAreMeans()
    {
        Told t;
        const double running[] = {9, 1, 2, 3, 9}; // the outer two are not in the window
        const double at[] = {3, 5, 10, 15, 18};
        for (int i = 0; i < 5; ++i)
            t.add(at[i], Running, running[i]);
        t.add(10, KvUse, 0);
        const PointSummary s = summarized(t.facts);
        const ServerFigure* f = s.server->figure(Running);
        QVERIFY(f);
        QCOMPARE(f->mean.value(), 2.0);
        QCOMPARE(f->min.value(), 1.0);
        QCOMPARE(f->max.value(), 3.0);
        QCOMPARE(f->n, std::size_t(3));
        QVERIFY(!f->delta);
        QCOMPARE(s.server->figure(KvUse)->mean.value(), 0.0); // told as zero
        QVERIFY(!s.server->figure(Waiting));
    }

    void oneReadingGivesNoDifference()
    {
        Told t;
        t.add(7, GeneratedTokens, 5);
        const PointSummary s = summarized(t.facts);
        QVERIFY(!s.server->delta(GeneratedTokens));
        QVERIFY(!s.server->generatedInPoint);
        Told outside;
        outside.add(1, GeneratedTokens, 5);
        QVERIFY(summarized(outside.facts).server->figures.empty());
    }

    void aRestartIsSaidAndNotSubtracted()
    {
        Told t;
        for (int i = -1; i <= 20; ++i) {
            t.add(i, GeneratedTokens, i < 12 ? 5000 + i : i - 12);
            t.add(i, Running, 3);
        }
        const PointSummary s = summarized(t.facts);
        const ServerFigure* f = s.server->figure(GeneratedTokens);
        QVERIFY(f && f->restarted && !f->delta && !f->perS);
        QCOMPARE(s.server->figure(Running)->mean.value(), 3.0);
        QVERIFY(!s.server->generatedInPoint);
        QVERIFY(!lawOf(s, "engine_tokens"));
        QCOMPARE(s.server->remarks.size(), std::size_t(1));
        const std::string& remark = s.server->remarks.front();
        QVERIFY2(remark.find("fell at 12 s (Generated tokens: from 5,011 to 0)") != std::string::npos,
                 remark.c_str());
    }

    void aRestartBeforeTheWindowSpoilsOnlyTheWhole()
    {
        Told t;
        for (int i = -1; i <= 20; ++i)
            t.add(i, GeneratedTokens, i < 3 ? 5000 : 10 * i);
        const PointSummary s = summarized(t.facts);
        QCOMPARE(s.server->delta(GeneratedTokens).value(), 100.0);
        QVERIFY(!s.server->generatedInPoint);
        QCOMPARE(s.server->remarks.size(), std::size_t(1));
    }

    void sharesOfPrefixesAndTimesInTheQueue()
    {
        Told t;
        t.add(5, PrefixQueries, 1000), t.add(15, PrefixQueries, 2000);
        t.add(5, PrefixHits, 0), t.add(15, PrefixHits, 250);
        t.add(5, QueueTime, 1), t.add(15, QueueTime, 7);
        t.add(5, QueuedRequests, 10), t.add(15, QueuedRequests, 40);
        const PointSummary s = summarized(t.facts);
        QCOMPARE(s.server->prefixHitShare().value(), 0.25);
        QCOMPARE(s.server->meanQueueS().value(), 0.2);
        Told none;
        none.add(5, PrefixQueries, 1000), none.add(15, PrefixQueries, 1000);
        none.add(5, PrefixHits, 0), none.add(15, PrefixHits, 0);
        QVERIFY(!summarized(none.facts).server->prefixHitShare());
    }

    void theEnginesTokensAgainstTheClients()
    {
        Told t;
        t.add(-0.2, GeneratedTokens, 100);
        t.add(10, GeneratedTokens, 1000);
        t.add(25, GeneratedTokens, 2600); // 200 requests of 10 tokens, and 500 of somebody else
        const PointSummary s = summarized(t.facts);
        const LawCheck* law = lawOf(s, "engine_tokens");
        QVERIFY(law);
        QCOMPARE(law->expected, 2500.0);
        QCOMPARE(law->observed, 2000.0);
        QCOMPARE(law->relativeDifference, -0.2);
        QVERIFY2(law->text.find("2,500 tokens, observed 2,000 tokens (-20 %)") != std::string::npos,
                 law->text.c_str());
        QVERIFY(law->text.find("known to the client") == std::string::npos);
    }

    void whatTheClientCannotKnowIsSaid()
    {
        RecordBuilder b = load();
        RequestRecord& cut = b.completed(19900, Times{50, 100}, kUnknownCount);
        cut.outcome = Outcome::Cancelled;
        Told t;
        t.add(0, GeneratedTokens, 0);
        t.add(25, GeneratedTokens, 2000);
        const PointSummary s = summarized(t.facts, b.batch);
        const LawCheck* law = lawOf(s, "engine_tokens");
        QVERIFY(law);
        QVERIFY2(law->text.ends_with("; not all tokens of 1 requests are known to the client"),
                 law->text.c_str());
    }

    void aFirstReadingAfterTheStartGivesNoWhole()
    {
        Told t;
        t.add(0.5, GeneratedTokens, 0);
        t.add(25, GeneratedTokens, 2000);
        QVERIFY(!summarized(t.facts).server->generatedInPoint);
    }

    void speculativeDecoding()
    {
        Told t;
        // 100 tokens/s, drafted 160/s, accepted 60/s
        for (int i = 0; i <= 20; ++i) {
            t.add(i, GeneratedTokens, 100 * i);
            t.add(i, SpecDrafted, 160 * i);
            t.add(i, SpecAccepted, 60 * i);
        }
        const PointSummary s = summarized(t.facts);
        QVERIFY(s.server->speculation);
        const Speculation& spec = *s.server->speculation;
        QCOMPARE(spec.draftedPerS, 160.0);
        QCOMPARE(spec.acceptedPerS, 60.0);
        QCOMPARE(spec.rejectedPerS, 100.0);
        QCOMPARE(spec.generatedPerS.value(), 100.0);
        QVERIFY(std::fabs(spec.usefulPerS - 100) < 1);
        const LawCheck* law = lawOf(s, "speculation");
        QVERIFY(law);
        QCOMPARE(law->expected, 100 / 160.0);
        QVERIFY(std::fabs(law->relativeDifference) < 0.01);
        QVERIFY2(law->text.find("100/s / 160/s = 0.625") != std::string::npos &&
                     law->text.find("60/s accepted, 100/s rejected") != std::string::npos,
                 law->text.c_str());
    }

    void withoutDraftsThereIsNoSpeculation()
    {
        Told t;
        for (int i = 0; i <= 20; ++i) {
            t.add(i, GeneratedTokens, 100 * i);
            t.add(i, SpecDrafted, 0);
            t.add(i, SpecAccepted, 0);
        }
        const PointSummary s = summarized(t.facts);
        QVERIFY(!s.server->speculation);
        QVERIFY(!lawOf(s, "speculation"));
        QCOMPARE(s.server->delta(SpecDrafted).value(), 0.0);
    }

    void failedReadingsAreRemarked()
    {
        PointFacts facts;
        facts.serverNote = "could not be read once";
        const PointSummary s = summarized(facts);
        QVERIFY(s.server);
        QCOMPARE(s.server->remarks, std::vector<std::string>{"could not be read once"});
        QVERIFY(s.server->figures.empty());
    }

    void countersOfRequestEndsAreMarked()
    {
        Told t;
        t.add(5, GeneratedTokens, 0), t.add(15, GeneratedTokens, 10);
        t.add(5, PromptTokens, 0), t.add(15, PromptTokens, 10);
        t.facts.countedAtRequestEnd = {GeneratedTokens};
        const PointSummary s = summarized(t.facts);
        QVERIFY(s.server->figure(GeneratedTokens)->atRequestEnd);
        QVERIFY(!s.server->figure(PromptTokens)->atRequestEnd);
    }
};

QTEST_GUILESS_MAIN(ServerSummaryTest)
#include "tst_server_summary.moc"
