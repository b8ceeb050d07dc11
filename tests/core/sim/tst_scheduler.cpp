// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <numeric>

#include "sim/step_time.h"
#include "virtual_engine.h"

using namespace tailmark;
using namespace tailmark::sim;

/// The rules of a step: budget, chunks, blocks, preemption, queue, speculation.
class TestScheduler : public QObject
{
    Q_OBJECT

private slots:
    void aTokenAStep();
    void longPromptIsCutToTheBudget();
    void decodesComeBeforePrompts();
    void budgetIsNeverExceeded();
    void maxNumSeqsBoundsTheBatch();
    void requestsStartInOrder();
    void queueBoundCountsFreeSlots();
    void refusesWhatCannotFit();
    void youngestIsPreemptedAndResumesFirst();
    void preemptedRequestFindsItsOwnBlocks();
    void nobodyIsAdmittedInAStepThatPreempts();
    void cachedBlocksCountAgainstTheFreeOnes();
    void admissionLooksAtThePromptOnly();
    void blocksNeverLeak();
    void abortInTheMiddleOfAStep();
    void speculationAcceptsAsStated();
    void speculationEndsExactlyAtTheLength();
    void acceptedTokensAreNotComputedAgain();
    void sameSeedSameSteps();
    void jitterKeepsTheMean();
};

/// Steps take 1 ms per thousand tokens: their time tells how many tokens they computed.
static Profile countingProfile()
{
    Profile profile = plainProfile();
    profile.decode = {1e-9, 0, 0};
    profile.prefill = {1, 0};
    return profile;
}

static int tokensOf(double duration)
{
    return static_cast<int>(std::lround(duration * 1e3));
}

void TestScheduler::aTokenAStep()
{
    VirtualEngine engine(plainProfile());
    const auto id = engine.arrive(100, 50);
    engine.run();
    const auto& seen = engine.seen[id];
    QVERIFY(seen.finished);
    QCOMPARE(seen.tokens, 50);
    QCOMPARE(seen.events.size(), 50u);
    QCOMPARE(seen.ttft(), 10.0);
    QCOMPARE(seen.e2e(), 500.0);
}

void TestScheduler::longPromptIsCutToTheBudget()
{
    Profile profile = countingProfile();
    profile.maxNumBatchedTokens = 2048;
    VirtualEngine engine(profile);
    const auto id = engine.arrive(5000, 1);
    engine.run();
    QCOMPARE(engine.durations.size(), 3u);
    QCOMPARE(tokensOf(engine.durations[0]), 2048);
    QCOMPARE(tokensOf(engine.durations[1]), 2048);
    QCOMPARE(tokensOf(engine.durations[2]), 904);
    QCOMPARE(engine.seen[id].events.size(), 1u);
}

void TestScheduler::decodesComeBeforePrompts()
{
    Profile profile = countingProfile();
    profile.maxNumBatchedTokens = 100;
    VirtualEngine engine(profile);
    const auto first = engine.arrive(10, 20);
    engine.step();
    const auto second = engine.arrive(250, 1);
    engine.run();
    // 1 decode token and 99 of the prompt, twice, then the last 52.
    QCOMPARE(tokensOf(engine.durations[1]), 100);
    QCOMPARE(tokensOf(engine.durations[2]), 100);
    QCOMPARE(tokensOf(engine.durations[3]), 53);
    QCOMPARE(engine.seen[first].tokens, 20);
    QCOMPARE(engine.seen[first].events[3], engine.seen[second].events[0]);
}

void TestScheduler::budgetIsNeverExceeded()
{
    Profile profile = countingProfile();
    profile.maxNumBatchedTokens = 62; // no multiple of the four tokens of a decoding request
    profile.maxNumSeqs = 100;
    profile.speculative = {3, 0.5, 0};
    VirtualEngine engine(profile);
    for (int i = 0; i < 60; ++i)
        engine.arrive(3 + i, 40 + i % 7);
    engine.run();
    for (const double duration : engine.durations)
        QVERIFY2(tokensOf(duration) <= 62, qPrintable(QString::number(tokensOf(duration))));
    for (const auto& [id, seen] : engine.seen)
        QVERIFY(seen.finished);
}

void TestScheduler::maxNumSeqsBoundsTheBatch()
{
    Profile profile = plainProfile();
    profile.maxNumSeqs = 3;
    VirtualEngine engine(profile);
    for (int i = 0; i < 10; ++i)
        engine.arrive(20, 4);
    while (engine.step())
        QVERIFY(engine.scheduler.stats().running <= 3);
    QCOMPARE(engine.now, 10.0 * 4 * 4); // four waves of four tokens
}

void TestScheduler::requestsStartInOrder()
{
    Profile profile = plainProfile();
    profile.maxNumSeqs = 2;
    VirtualEngine engine(profile);
    for (int i = 0; i < 20; ++i)
        engine.arrive(20, 1 + i % 5);
    std::vector<std::uint64_t> order;
    while (engine.step())
        for (const auto id : engine.scheduler.firstScheduled())
            order.push_back(id);
    std::vector<std::uint64_t> expected(20);
    std::iota(expected.begin(), expected.end(), 1);
    QCOMPARE(order, expected);
}

void TestScheduler::queueBoundCountsFreeSlots()
{
    Profile profile = plainProfile();
    profile.maxNumSeqs = 2;
    Scheduler scheduler(profile, 3, 1);
    std::vector<Admission> admissions;
    for (std::uint64_t id = 1; id <= 7; ++id)
        admissions.push_back(scheduler.add({id, 10, 10, {}}));
    QCOMPARE(std::count(admissions.begin(), admissions.end(), Admission::Queued), 5);
    QCOMPARE(admissions[4], Admission::Queued);
    QCOMPARE(admissions[5], Admission::QueueFull);
    scheduler.beginStep();
    QCOMPARE(scheduler.stats().running, 2);
    QCOMPARE(scheduler.stats().waiting, 3);
    QCOMPARE(scheduler.add({8, 10, 10, {}}), Admission::QueueFull);
    scheduler.abort(1);
    QCOMPARE(scheduler.add({9, 10, 10, {}}), Admission::Queued);

    Scheduler unbounded(profile, 0, 1);
    for (std::uint64_t id = 1; id <= 1000; ++id)
        QCOMPARE(unbounded.add({id, 10, 10, {}}), Admission::Queued);
}

void TestScheduler::refusesWhatCannotFit()
{
    Profile profile = plainProfile();
    profile.maxModelLen = 100;
    Scheduler scheduler(profile, 0, 1);
    QCOMPARE(scheduler.add({1, 90, 11, {}}), Admission::TooLong);
    QCOMPARE(scheduler.add({2, 90, 10, {}}), Admission::Queued);
}

void TestScheduler::youngestIsPreemptedAndResumesFirst()
{
    // 8 blocks of 16. Three prompts of 32 tokens take 6; each needs a third block for its 33rd token.
    Profile profile = plainProfile();
    profile.kvCapacityTokens = 128;
    profile.maxModelLen = 128;
    profile.prefixCache = false;
    VirtualEngine engine(profile);
    const auto a = engine.arrive(32, 40);
    const auto b = engine.arrive(32, 40);
    const auto c = engine.arrive(32, 10);
    engine.step();
    const auto d = engine.arrive(16, 1); // waits behind whoever is preempted
    engine.step();
    QCOMPARE(engine.scheduler.stats().running, 2);
    QCOMPARE(engine.scheduler.stats().waiting, 2);
    QCOMPARE(engine.scheduler.stats().preemptions, 1);
    engine.run();
    QCOMPARE(engine.seen[a].preemptions, 0);
    QVERIFY(engine.seen[c].preemptions >= 1);
    QVERIFY2(engine.seen[c].events[1] <= engine.seen[d].events[0], "the preempted one goes to the front");
    QVERIFY(engine.seen[b].finished && engine.seen[c].finished && engine.seen[d].finished);
    QCOMPARE(engine.seen[c].tokens, 10);
    QCOMPARE(engine.scheduler.stats().kvUsage, 0.0);
}

void TestScheduler::preemptedRequestFindsItsOwnBlocks()
{
    Profile profile = countingProfile();
    profile.kvCapacityTokens = 16 * 8;
    profile.maxModelLen = 16 * 8;
    VirtualEngine engine(profile);
    engine.arrive(64, 40, hashesOf(1, 6));
    const auto young = engine.arrive(60, 40, hashesOf(2, 6));
    while (engine.scheduler.stats().preemptions == 0)
        engine.step();
    engine.durations.clear();
    while (engine.seen[young].preemptions == 0)
        engine.step();
    // The step that took it up again computed its tail, not all of it: part of its blocks was still there.
    const int recomputed = tokensOf(engine.durations.back());
    QVERIFY2(recomputed < 60, qPrintable(QString::number(recomputed)));
    engine.run();
    QCOMPARE(engine.seen[young].tokens, 40);
    QCOMPARE(engine.seen[young].cachedTokens, 0); // as told at its first admission
}

void TestScheduler::nobodyIsAdmittedInAStepThatPreempts()
{
    // Four blocks and a budget of 17. The third step takes the last block for the first request and preempts
    // the second, in the middle of its prompt; the block and the budget that are left would do for its first
    // chunk.
    Profile profile = plainProfile();
    profile.kvCapacityTokens = 16 * 4;
    profile.maxModelLen = 16 * 4;
    profile.maxNumBatchedTokens = 17;
    VirtualEngine engine(profile);
    engine.arrive(32, 20);
    engine.arrive(30, 10);
    for (int i = 0; i < 3; ++i)
        engine.step();
    QCOMPARE(engine.scheduler.stats().preemptions, 1);
    QCOMPARE(engine.scheduler.stats().running, 1);
    QCOMPARE(engine.scheduler.stats().waiting, 1);
    engine.step();
    QCOMPARE(engine.scheduler.stats().running, 2);
}

void TestScheduler::cachedBlocksCountAgainstTheFreeOnes()
{
    // Four blocks: three free ones hold the prefix, one is in use. Sharing the three leaves none for the
    // fourth.
    Profile profile = plainProfile();
    profile.kvCapacityTokens = 16 * 4;
    profile.maxModelLen = 16 * 4;
    VirtualEngine engine(profile);
    engine.arrive(48, 1, hashesOf(1, 3));
    engine.run();
    const auto holder = engine.arrive(8, 8);
    engine.step();
    const auto sharer = engine.arrive(60, 4, hashesOf(1, 4));
    while (!engine.seen[holder].finished) {
        QCOMPARE(engine.scheduler.stats().running, 1);
        engine.step();
    }
    engine.run();
    QCOMPARE(engine.seen[sharer].cachedTokens, 48);
    QCOMPARE(engine.seen[sharer].tokens, 4);
}

void TestScheduler::admissionLooksAtThePromptOnly()
{
    // Ten requests fit with their prompts, three with their outputs: all are admitted, then preempt each
    // other.
    Profile profile = plainProfile();
    profile.kvCapacityTokens = 16 * 40;
    profile.maxModelLen = 16 * 40;
    VirtualEngine engine(profile);
    for (int i = 0; i < 10; ++i)
        engine.arrive(60, 140);
    engine.step();
    QCOMPARE(engine.scheduler.stats().running, 10);
    engine.run();
    QVERIFY(engine.scheduler.stats().preemptions >= 7);
    for (const auto& [id, seen] : engine.seen)
        QCOMPARE(seen.tokens, 140);
}

void TestScheduler::blocksNeverLeak()
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Profile profile = plainProfile();
        profile.kvCapacityTokens = 16 * 60;
        profile.maxModelLen = 16 * 60;
        profile.maxNumSeqs = 8;
        profile.maxNumBatchedTokens = 128;
        profile.speculative = {static_cast<int>(seed % 4), 0.6, 0};
        profile.prefixCache = seed % 5 != 0;
        Scheduler scheduler(profile, 0, seed);
        Rng rng(seed);
        std::uint64_t id = 0;
        for (int step = 0; step < 600; ++step) {
            if (step < 500)
                for (auto arrivals = rng() % 3; arrivals > 0; --arrivals) {
                    const int prompt = 1 + static_cast<int>(rng() % 200);
                    const int output = 1 + static_cast<int>(rng() % 90);
                    scheduler.add({++id, prompt, output, hashesOf(rng() % 6, (prompt + output) / 16)});
                }
            if (!scheduler.beginStep())
                continue;
            const SchedulerStats stats = scheduler.stats();
            QVERIFY(stats.kvUsage >= 0 && stats.kvUsage <= 1);
            if (rng() % 3 == 0)
                scheduler.abort(1 + rng() % id);
            scheduler.endStep();
        }
        for (std::uint64_t any = 1; any <= id; ++any)
            scheduler.abort(any);
        QVERIFY(!scheduler.hasWork());
        QCOMPARE(scheduler.stats().kvUsage, 0.0);
        QVERIFY(scheduler.resetPrefixCache());
    }
}

void TestScheduler::abortInTheMiddleOfAStep()
{
    Scheduler scheduler(plainProfile(), 0, 1);
    scheduler.add({1, 40, 5, {}});
    scheduler.add({2, 40, 5, {}});
    scheduler.beginStep();
    scheduler.abort(1);
    const auto emissions = scheduler.endStep();
    QCOMPARE(emissions.size(), 1u);
    QCOMPARE(emissions[0].id, 2u);
    scheduler.abort(2);
    scheduler.abort(3); // unknown: ignored
    QVERIFY(!scheduler.hasWork());
    QCOMPARE(scheduler.beginStep(), std::nullopt);
    QCOMPARE(scheduler.stats().kvUsage, 0.0);
}

void TestScheduler::speculationAcceptsAsStated()
{
    Profile profile = plainProfile();
    profile.speculative = {4, 0.7, 0};
    VirtualEngine engine(profile);
    for (int i = 0; i < 20; ++i)
        engine.arrive(20, 3000);
    engine.run();
    const SchedulerStats stats = engine.scheduler.stats();
    QCOMPARE(stats.draftTokens, 4 * stats.drafts);
    // Accepted while all before were: p + p² + … + p^K.
    const double p = 0.7;
    const double expected = p + p * p + p * p * p + p * p * p * p;
    const double mean = double(stats.acceptedTokens) / double(stats.drafts);
    QVERIFY2(std::abs(mean - expected) < 0.03, qPrintable(QString::number(mean)));
    // Several tokens a chunk, and the answers come out that much sooner.
    const auto& seen = engine.seen.begin()->second;
    QCOMPARE(*std::max_element(seen.eventTokens.begin(), seen.eventTokens.end()), 5);
    QCOMPARE(seen.eventTokens.front(), 1);
    const double speedup = 3000.0 / double(seen.events.size());
    QVERIFY2(std::abs(speedup - (1 + expected)) < 0.2, qPrintable(QString::number(speedup)));
}

void TestScheduler::speculationEndsExactlyAtTheLength()
{
    Profile profile = plainProfile();
    profile.speculative = {8, 1.0, 0};
    VirtualEngine engine(profile);
    const auto id = engine.arrive(20, 14);
    engine.run();
    QCOMPARE(engine.seen[id].eventTokens, (std::vector<int>{1, 9, 4}));
    QCOMPARE(engine.scheduler.stats().kvUsage, 0.0);
}

void TestScheduler::acceptedTokensAreNotComputedAgain()
{
    Profile profile = countingProfile();
    profile.speculative = {4, 0.7, 0};
    VirtualEngine engine(profile);
    engine.arrive(20, 200);
    engine.run();
    for (std::size_t i = 1; i < engine.durations.size(); ++i)
        QCOMPARE(tokensOf(engine.durations[i]), 5); // one token and four drafts
}

void TestScheduler::sameSeedSameSteps()
{
    Profile profile = plainProfile();
    profile.jitter = 0.1;
    profile.speculative = {3, 0.5, 0};
    const auto durations = [&profile](std::uint64_t seed) {
        VirtualEngine engine(profile, 0, seed);
        for (int i = 0; i < 5; ++i)
            engine.arrive(20, 50);
        engine.run();
        return engine.durations;
    };
    QCOMPARE(durations(7), durations(7));
    QVERIFY(durations(7) != durations(8));
}

void TestScheduler::jitterKeepsTheMean()
{
    Profile profile = plainProfile();
    profile.jitter = 0.2;
    VirtualEngine engine(profile);
    engine.arrive(20, 20'000);
    engine.run();
    double sum = 0;
    double squares = 0;
    for (const double d : engine.durations) {
        sum += d;
        squares += d * d;
    }
    const double n = double(engine.durations.size());
    const double mean = sum / n;
    QVERIFY2(std::abs(mean - 10) < 0.1, qPrintable(QString::number(mean)));
    QVERIFY(std::abs(std::sqrt(squares / n - mean * mean) / mean - 0.2) < 0.01);
}

QTEST_GUILESS_MAIN(TestScheduler)
#include "tst_scheduler.moc"
