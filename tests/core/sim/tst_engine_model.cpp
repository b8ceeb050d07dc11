// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <filesystem>

#include "sim/step_time.h"
#include "sim/tokens.h"
#include "virtual_engine.h"

using namespace tailmark;
using namespace tailmark::sim;

/// What follows from the rules, checked against published figures and laws.
class TestEngineModel : public QObject
{
    Q_OBJECT

private slots:
    void decodeStepOfTheH100Preset();
    void stepTimeFollowsTheMeasuredKernels_data();
    void stepTimeFollowsTheMeasuredKernels();
    void weightsAreReadOnceInAMixedStep();
    void chunksOfAPromptAddUp();
    void closedLoopThroughputOfAPlainServer();
    void chunkTimeShowsAsAGap();
    void largerBudgetTradesGapsForFirstTokens();
    void firstTokenComesSoonerByTheHitShare();
    void fullyCachedPromptComputesItsLastBlock();
    void samePromptInOneBatchIsShared();
    void replyIsReusedInTheNextTurn();
    void saltSeparatesCaches();
    void cacheKeepsWhatFits();
    void saturationIsBoundByPrefill();
    void saturationIsBoundByKv();

private:
    Profile preset(const std::string& name) const
    {
        auto profile = loadProfile(name, {std::filesystem::path(TAILMARK_SOURCE_DIR) / "resources" / "sim"});
        if (!profile)
            qFatal("%s", profile.error().line().c_str());
        Profile quiet = profile.value();
        quiet.jitter = 0;
        return quiet;
    }
    /// Step time of the preset without the margin it adds to the kernels' time.
    static double kernelTime(Profile profile, const StepLoad& load)
    {
        profile.decode.c0 /= 1.15;
        profile.decode.cK /= 1.3;
        profile.stepOverheadMs = 0;
        profile.perTokenMs = 0;
        return stepTimeMs(profile, load);
    }
};

static StepLoad decodeLoad(int sequences, double context)
{
    StepLoad load;
    load.decodeSequences = sequences;
    load.decodeTokens = sequences;
    load.decodeContext = sequences * context;
    load.tokensEmitted = 1;
    return load;
}

static StepLoad prefillLoad(double tokens)
{
    StepLoad load;
    load.prefillTokens = tokens;
    load.prefillAttention = tokens * tokens;
    return load;
}

static bool near(double value, double expected, double relative)
{
    return std::abs(value - expected) <= relative * expected;
}

void TestEngineModel::decodeStepOfTheH100Preset()
{
    // 6.9 + 0.4 + 3.4 + 1.0
    const double ms = stepTimeMs(preset("8b-h100"), decodeLoad(64, 1000));
    QVERIFY2(std::abs(ms - 11.7) < 0.1, qPrintable(QString::number(ms)));
}

void TestEngineModel::stepTimeFollowsTheMeasuredKernels_data()
{
    // Sums of vLLM's measured kernels for Llama-3.1-8B, ms.
    QTest::addColumn<QString>("profile");
    QTest::addColumn<int>("sequences"); // 0: prefill of `tokens`
    QTest::addColumn<int>("tokens");
    QTest::addColumn<double>("expected");
    QTest::newRow("H100 decode 1 x 512") << "8b-h100" << 1 << 512 << 6.3;
    QTest::newRow("H100 decode 64 x 2048") << "8b-h100" << 64 << 2048 << 11.9;
    QTest::newRow("H100 decode 128 x 2048") << "8b-h100" << 128 << 2048 << 17.2;
    QTest::newRow("A100 decode 32 x 2048") << "8b-a100" << 32 << 2048 << 18.1;
    QTest::newRow("H200 decode 64 x 2048") << "8b-h200" << 64 << 2048 << 8.9;
    QTest::newRow("B200 decode 64 x 8192") << "8b-b200" << 64 << 8192 << 12.9;
    QTest::newRow("L40S decode 32 x 2048") << "8b-l40s" << 32 << 2048 << 35.7;
    QTest::newRow("H100 prefill 2048") << "8b-h100" << 0 << 2048 << 38.6;
    QTest::newRow("H100 prefill 8192") << "8b-h100" << 0 << 8192 << 172.0;
    QTest::newRow("A100 prefill 8192") << "8b-a100" << 0 << 8192 << 530.0;
    QTest::newRow("B200 prefill 16384") << "8b-b200" << 0 << 16384 << 208.0;
    QTest::newRow("L40S prefill 8192") << "8b-l40s" << 0 << 8192 << 563.0;
}

void TestEngineModel::stepTimeFollowsTheMeasuredKernels()
{
    QFETCH(QString, profile);
    QFETCH(int, sequences);
    QFETCH(int, tokens);
    QFETCH(double, expected);
    const double ms = kernelTime(preset(profile.toStdString()),
                                 sequences > 0 ? decodeLoad(sequences, tokens) : prefillLoad(tokens));
    QVERIFY2(near(ms, expected, 0.1), qPrintable(QString::number(ms)));
}

void TestEngineModel::weightsAreReadOnceInAMixedStep()
{
    const Profile profile = preset("8b-h100");
    StepLoad mixed = decodeLoad(32, 1000);
    mixed.prefillTokens = 2048;
    mixed.prefillAttention = 2048.0 * 2048;
    const double both = stepTimeMs(profile, mixed);
    const double apart = stepTimeMs(profile, decodeLoad(32, 1000)) + stepTimeMs(profile, prefillLoad(2048));
    QVERIFY2(both < apart - profile.decode.c0 + 1, qPrintable(QString::number(apart - both)));
    QVERIFY(both > stepTimeMs(profile, prefillLoad(2048)));
}

void TestEngineModel::chunksOfAPromptAddUp()
{
    Profile profile = preset("8b-h100");
    profile.stepOverheadMs = 0;
    profile.perTokenMs = 0;
    double whole = 0;
    for (const int budget : {8192, 2048, 512}) {
        profile.maxNumBatchedTokens = budget;
        VirtualEngine engine(profile);
        const auto id = engine.arrive(8192, 1);
        engine.run();
        if (whole == 0)
            whole = engine.seen[id].ttft();
        QVERIFY(near(engine.seen[id].ttft(), whole, 1e-9));
    }
}

void TestEngineModel::closedLoopThroughputOfAPlainServer()
{
    // 50 tokens of 10 ms, 8 at a time: 16 requests a second, whatever the number of clients above 8.
    Profile profile = plainProfile();
    profile.maxNumSeqs = 8;
    for (const int clients : {8, 32}) {
        VirtualEngine engine(profile);
        int completed = 0;
        engine.onFinished = [&](std::uint64_t) {
            if (engine.now > 10'000 && engine.now <= 110'000)
                ++completed;
            engine.arrive(100, 50);
        };
        for (int i = 0; i < clients; ++i)
            engine.arrive(100, 50);
        engine.run(111'000);
        QCOMPARE(completed / 100.0, 16.0);
        // Little: response = clients / throughput.
        const auto& late = engine.seen[1000];
        QVERIFY2(near(late.e2e(), clients / 16.0 * 1e3, 0.02), qPrintable(QString::number(late.e2e())));
    }
}

void TestEngineModel::chunkTimeShowsAsAGap()
{
    const Profile profile = preset("8b-h100");
    VirtualEngine engine(profile);
    const auto id = engine.arrive(100, 200);
    for (int i = 0; i < 50; ++i)
        engine.step();
    engine.arrive(8191, 10);
    engine.run();
    const double gap = engine.seen[id].largestGap();
    StepLoad chunk = decodeLoad(1, 150);
    chunk.prefillTokens = 8191;
    chunk.prefillAttention = 8191.0 * 8191;
    QVERIFY2(near(gap, stepTimeMs(profile, chunk), 0.001), qPrintable(QString::number(gap)));
    QVERIFY(gap > 172 && gap < 180); // kernels 172
}

void TestEngineModel::largerBudgetTradesGapsForFirstTokens()
{
    double ttft[2];
    double gap[2];
    int i = 0;
    for (const int budget : {512, 8192}) {
        Profile profile = preset("8b-h100");
        profile.maxNumBatchedTokens = budget;
        VirtualEngine engine(profile);
        const auto decoding = engine.arrive(100, 400);
        for (int s = 0; s < 20; ++s)
            engine.step();
        const auto prompt = engine.arrive(8000, 10);
        engine.run();
        ttft[i] = engine.seen[prompt].ttft();
        gap[i++] = engine.seen[decoding].largestGap();
    }
    QVERIFY2(ttft[1] < ttft[0], qPrintable(QStringLiteral("%1 %2").arg(ttft[0]).arg(ttft[1])));
    QVERIFY2(gap[1] > 5 * gap[0], qPrintable(QStringLiteral("%1 %2").arg(gap[0]).arg(gap[1])));
}

void TestEngineModel::firstTokenComesSoonerByTheHitShare()
{
    Profile profile = plainProfile();
    profile.decode = {0.001, 0, 0};
    profile.prefill = {18, 0};
    VirtualEngine engine(profile);
    const auto cold = engine.arrive(4096, 1, hashesOf(1, 256));
    engine.run();
    std::vector<BlockHash> half = hashesOf(1, 128);
    const auto tail = hashesOf(2, 128);
    half.insert(half.end(), tail.begin(), tail.end());
    const auto warm = engine.arrive(4096, 1, half);
    engine.run();
    QCOMPARE(engine.seen[warm].cachedTokens, 2048);
    QVERIFY(near(engine.seen[warm].ttft(), engine.seen[cold].ttft() / 2, 1e-6));
    QCOMPARE(engine.scheduler.stats().prefixQueries, 8192);
    QCOMPARE(engine.scheduler.stats().prefixHits, 2048);
}

void TestEngineModel::fullyCachedPromptComputesItsLastBlock()
{
    for (const auto& [prompt, cached] :
         {std::pair{64, 48}, {65, 64}, {79, 64}, {80, 64}, {16, 0}, {17, 16}}) {
        VirtualEngine engine(plainProfile());
        for (int i = 0; i < 3; ++i) {
            const auto id = engine.arrive(prompt, 1, hashesOf(1, prompt / 16));
            engine.run();
            QCOMPARE(engine.seen[id].cachedTokens, i == 0 ? 0 : cached);
        }
    }
    Profile profile = plainProfile();
    profile.prefixCache = false;
    VirtualEngine engine(profile);
    for (int i = 0; i < 2; ++i) {
        const auto id = engine.arrive(64, 1, hashesOf(1, 4));
        engine.run();
        QCOMPARE(engine.seen[id].cachedTokens, 0);
    }
    QCOMPARE(engine.scheduler.stats().prefixQueries, 0);
}

void TestEngineModel::samePromptInOneBatchIsShared()
{
    VirtualEngine engine(plainProfile());
    const auto first = engine.arrive(100, 3, hashesOf(1, 6));
    const auto second = engine.arrive(100, 3, hashesOf(1, 6));
    engine.run();
    QCOMPARE(engine.seen[first].cachedTokens, 0);
    QCOMPARE(engine.seen[second].cachedTokens, 96);
    QCOMPARE(engine.seen[first].events, engine.seen[second].events);
    QCOMPARE(engine.scheduler.stats().kvUsage, 0.0);
}

void TestEngineModel::replyIsReusedInTheNextTurn()
{
    constexpr std::uint64_t seed = 42;
    constexpr int reply = 60;
    TokenizedPrompt turn1;
    turn1.openMessage("user");
    turn1.addText("a question of a few words");
    turn1.closeMessage();
    TokenizedPrompt turn2 = turn1;
    turn1.openMessage("assistant");
    turn2.openMessage("assistant");
    for (int i = 0; i < reply; ++i)
        turn2.addText(outputWord(seed, i).text);
    turn2.closeMessage();
    turn2.openMessage("user");
    turn2.addText("and another one");
    turn2.closeMessage();
    turn2.openMessage("assistant");

    VirtualEngine engine(plainProfile());
    engine.arrive(turn1.size(), reply, blockHashes(turn1, "", seed, reply, 16));
    engine.run();
    const auto id = engine.arrive(turn2.size(), 5, blockHashes(turn2, "", 43, 5, 16));
    engine.run();
    // All but the last token of the reply were computed; the cache holds their full blocks.
    QCOMPARE(engine.seen[id].cachedTokens, (turn1.size() + reply - 1) / 16 * 16);
}

void TestEngineModel::saltSeparatesCaches()
{
    TokenizedPrompt prompt;
    for (int i = 0; i < 100; ++i)
        prompt.addText("word" + std::to_string(i));
    VirtualEngine engine(plainProfile());
    engine.arrive(100, 1, blockHashes(prompt, "a", 1, 1, 16));
    engine.run();
    const auto other = engine.arrive(100, 1, blockHashes(prompt, "b", 1, 1, 16));
    engine.run();
    const auto same = engine.arrive(100, 1, blockHashes(prompt, "a", 1, 1, 16));
    engine.run();
    QCOMPARE(engine.seen[other].cachedTokens, 0);
    QCOMPARE(engine.seen[same].cachedTokens, 96);
}

void TestEngineModel::cacheKeepsWhatFits()
{
    // A pool of 40 blocks, prompts of 10: four stay warm in turn, with eight each comes back too late.
    const auto hits = [](std::uint64_t prompts) {
        Profile profile = plainProfile();
        profile.kvCapacityTokens = 16 * 44;
        profile.maxModelLen = 16 * 44;
        VirtualEngine engine(profile);
        for (int round = 0; round < 5; ++round)
            for (std::uint64_t content = 1; content <= prompts; ++content) {
                engine.arrive(165, 1, hashesOf(content, 10));
                engine.run();
            }
        return double(engine.scheduler.stats().prefixHits) / double(engine.scheduler.stats().prefixQueries);
    };
    QVERIFY2(near(hits(4), 0.8 * 160 / 165, 1e-9), qPrintable(QString::number(hits(4))));
    QCOMPARE(hits(8), 0.0);
}

void TestEngineModel::saturationIsBoundByPrefill()
{
    const Profile profile = preset("8b-h100");
    VirtualEngine engine(profile);
    for (int i = 0; i < 200; ++i)
        engine.arrive(2000, 1);
    engine.run();
    const double promptTokensPerSecond = 200 * 2000 / engine.now * 1e3;
    // 17.9 ms a thousand tokens is 55.9k tokens/s, less the attention inside prompts and the step overhead.
    QVERIFY2(promptTokensPerSecond > 50e3 && promptTokensPerSecond < 55.9e3,
             qPrintable(QString::number(promptTokensPerSecond)));
}

void TestEngineModel::saturationIsBoundByKv()
{
    Profile profile = preset("8b-h100");
    profile.kvCapacityTokens = 16'000;
    profile.maxModelLen = 16'000;
    profile.prefixCache = false;
    VirtualEngine engine(profile);
    for (int i = 0; i < 120; ++i)
        engine.arrive(500, 500);
    int most = 0;
    while (engine.step())
        most = std::max(most, engine.scheduler.stats().running);
    QVERIFY(most <= 32); // 16,000 / 500
    QVERIFY(engine.scheduler.stats().preemptions > 0);
    const double kvBound = engine.now;
    VirtualEngine roomy(preset("8b-h100"));
    for (int i = 0; i < 120; ++i)
        roomy.arrive(500, 500);
    roomy.run();
    QVERIFY2(kvBound > 2.5 * roomy.now, qPrintable(QStringLiteral("%1 %2").arg(kvBound).arg(roomy.now)));
}

QTEST_GUILESS_MAIN(TestEngineModel)
#include "tst_engine_model.moc"
