// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bound.h"
#include "plan/bound_tables.h"

#include <cmath>
#include <string>

#include <QTest>

using namespace tailmark;

namespace {

bool isNear(double value, double expected, double relative = 1e-9)
{
    return std::fabs(value - expected) <= std::fabs(expected) * relative;
}

BoundFigures of(const char* model, const char* accelerator, double bytesPerParam = 0)
{
    BoundInput input;
    input.model = model;
    input.accelerator = accelerator;
    input.bytesPerParam = bytesPerParam;
    return boundFigures(input);
}

RunCard cardWith(const char* key, const char* value)
{
    RunCard card;
    card.type(key, value);
    return card;
}

bool mentions(const std::vector<std::string>& texts, const char* part)
{
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

bool holds(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

/// 8 x 10^9 parameters of 2 bytes on 1,600 GB/s: 100 tok/s for one stream, 100 B for a batch of B without context.
BoundFigures plain()
{
    BoundInput input;
    input.bandwidthGbPerS = 1600;
    input.activeParams = 8e9;
    input.bytesPerParam = 2;
    return boundFigures(input);
}

PointSummary pointAt(double load, double tokensPerS, double inFlight)
{
    PointSummary p;
    p.point.test = "sweep";
    p.point.load = {LoadAxis::Concurrency, load};
    p.point.concurrency = static_cast<int>(load);
    p.rates[Metric::OutputTokensPerS] = tokensPerS;
    p.meanInFlight = inFlight;
    return p;
}

} // namespace

class BoundTest : public QObject
{
    Q_OBJECT

private slots:
    void theTablesAreThere()
    {
        QCOMPARE(accelerators().size(), std::size_t(14));
        QCOMPARE(servedModels().size(), std::size_t(12));
        for (const Accelerator& a : accelerators())
            QVERIFY2(!a.source.empty() && findAccelerator(a.id) == &a, a.id.c_str());
        for (const ServedModel& m : servedModels())
            QVERIFY2(!m.source.empty() && findServedModel(m.id) == &m, m.id.c_str());
        QVERIFY(!findAccelerator("h100"));
        QVERIFY(!findServedModel(""));
    }

    void ceilingOfOneStream_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<double>("bytes");
        QTest::addColumn<QString>("accelerator");
        QTest::addColumn<double>("tokensPerS");
        struct Row
        {
            const char* model;
            double bytes;
            double tokensPerS[11];
        };
        const char* devices[] = {"a100-40gb", "a100-80gb-sxm", "h100-pcie", "h100-sxm", "h200-sxm", "b200-sxm",
                                 "l4",        "l40s",          "a10",       "mi300x",   "rtx-4090"};
        const Row rows[] = {
            {"llama-3.1-8b", 2, {104, 136, 133, 223, 320, 513, 20, 58, 40, 353, 67}},
            {"llama-3.1-8b", 1, {207, 272, 267, 446, 640, 1026, 40, 115, 80, 706, 134}},
            {"llama-3.1-70b", 2, {11.2, 14.7, 14.4, 24.1, 34.5, 55.4, 2.2, 6.2, 4.3, 38.1, 7.3}},
            {"mixtral-8x7b", 2, {61, 80, 78, 131, 188, 302, 12, 34, 24, 208, 40}},
            {"qwen3-30b-a3b", 2, {256, 335, 329, 551, 790, 1266, 49, 142, 99, 872, 166}},
            {"deepseek-v3", 1, {42, 56, 55, 92, 131, 210, 8, 24, 16, 145, 28}},
        };
        for (const Row& row : rows)
            for (int i = 0; i < 11; ++i)
                QTest::addRow("%s at %g bytes on %s", row.model, row.bytes, devices[i])
                    << row.model << row.bytes << devices[i] << row.tokensPerS[i];
    }
    void ceilingOfOneStream()
    {
        QFETCH(QString, model);
        QFETCH(double, bytes);
        QFETCH(QString, accelerator);
        QFETCH(double, tokensPerS);
        const auto bound =
            bandwidthBound(of(model.toLatin1().data(), accelerator.toLatin1().data(), bytes), 1, 0);
        const double rounding = tokensPerS < 60 && tokensPerS != std::floor(tokensPerS) ? 0.05 : 0.55;
        QVERIFY2(bound && std::fabs(*bound - tokensPerS) <= rounding, qPrintable(QString::number(bound.value_or(0))));
    }

    void expertsTouched_data()
    {
        QTest::addColumn<double>("experts");
        QTest::addColumn<double>("perToken");
        QTest::addColumn<QList<int>>("percent"); // at batch 1, 4, 8, 16, 32, 64, 128
        QTest::newRow("Mixtral") << 8.0 << 2.0 << QList<int>{25, 68, 90, 99, 100, 100, 100};
        QTest::newRow("Qwen3 30B A3B") << 128.0 << 8.0 << QList<int>{6, 23, 40, 64, 87, 98, 100};
        QTest::newRow("DeepSeek V3") << 256.0 << 8.0 << QList<int>{3, 12, 22, 40, 64, 87, 98};
        QTest::newRow("gpt-oss 120b") << 128.0 << 4.0 << QList<int>{3, 12, 22, 40, 64, 87, 98};
    }
    void expertsTouched()
    {
        QFETCH(double, experts);
        QFETCH(double, perToken);
        QFETCH(QList<int>, percent);
        for (int i = 0; i < percent.size(); ++i) {
            const int batches[] = {1, 4, 8, 16, 32, 64, 128};
            QCOMPARE(static_cast<int>(std::lround(100 * touchedShare(experts, perToken, batches[i]))), percent[i]);
        }
    }

    void batchWhereArithmeticTakesOver()
    {
        const std::pair<const char*, double> rows[] = {
            {"h100-sxm", 295}, {"a100-80gb-sxm", 153}, {"h200-sxm", 206}, {"b200-sxm", 292}, {"l40s", 419}};
        for (const auto& [device, batch] : rows)
            QCOMPARE(std::round(*balancedBatch(of("llama-3.1-8b", device, 2))), batch);
        // There both bounds are the same.
        const BoundFigures f = of("llama-3.1-8b", "h100-sxm", 2);
        QVERIFY(isNear(*bandwidthBound(f, *balancedBatch(f), 0), *computeBound(f)));
    }

    void contextWhoseReadsWeighAsMuchAsTheWeights()
    {
        // tokens of context in the batch: W / KV bytes
        const std::tuple<const char*, double, double> rows[] = {
            {"llama-3.1-8b", 2, 114.5e3}, {"llama-3.1-70b", 2, 424e3}, {"llama-3.1-8b", 1, 57e3}};
        for (const auto& [model, bytes, tokens] : rows) {
            const BoundFigures f = of(model, "h100-sxm", bytes);
            QVERIFY(isNear(weightBytes(f, 64) / kvBytes(f, 1), tokens, 0.01));
        }
    }

    void bytesKeptOfAToken_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<double>("bytes");
        QTest::newRow("grouped heads, 8B") << "llama-3.1-8b" << 131072.0;
        QTest::newRow("70B") << "llama-3.1-70b" << 327680.0;
        QTest::newRow("405B, with 8 heads and not 16") << "llama-3.1-405b" << 516096.0;
        QTest::newRow("all heads") << "llama-2-7b" << 524288.0;
        QTest::newRow("Qwen3 8B") << "qwen3-8b" << 147456.0;
        QTest::newRow("Qwen3 32B") << "qwen3-32b" << 262144.0;
        QTest::newRow("Mixtral") << "mixtral-8x7b" << 131072.0;
        QTest::newRow("Qwen3 30B A3B") << "qwen3-30b-a3b" << 98304.0;
        QTest::newRow("Qwen3 235B A22B") << "qwen3-235b-a22b" << 192512.0;
        QTest::newRow("latent attention") << "deepseek-v3" << 70272.0;
        QTest::newRow("below the window") << "gpt-oss-120b" << 73728.0;
        QTest::newRow("below the window, 20b") << "gpt-oss-20b" << 49152.0;
    }
    void bytesKeptOfAToken()
    {
        QFETCH(QString, model);
        QFETCH(double, bytes);
        QCOMPARE(kvBytes(of(model.toLatin1().data(), "h100-sxm"), 1), bytes);
    }

    void aWindowStopsGrowing()
    {
        const BoundFigures f = of("gpt-oss-120b", "h100-sxm");
        QCOMPARE(kvBytes(f, 128), 128 * 73728.0);
        QCOMPARE(kvBytes(f, 1000), 128 * 73728.0 + 872 * 36864.0);
    }

    void expertsMakeTheWeightsGrowWithTheBatch()
    {
        // Mixtral: 1.476 x 10^9 always, 45.1 x 10^9 in experts
        const BoundFigures f = of("mixtral-8x7b", "h100-sxm", 2);
        QVERIFY(isNear(weightBytes(f, 1), 2 * 12.75e9));
        QVERIFY(isNear(weightBytes(f, 8), 2 * (1.4757e9 + 45.0972e9 * 0.89989), 1e-4));
        QVERIFY(isNear(weightBytes(f, 128), 2 * 46.573e9, 1e-4));
        // A batch is 128 times one stream where the weights stay, and hardly more than 35 times here.
        QVERIFY(isNear(*bandwidthBound(f, 128, 0) / *bandwidthBound(f, 1, 0), 128 * 12.75 / 46.573, 1e-4));
    }

    void boundByHand()
    {
        BoundInput in;
        in.bandwidthGbPerS = 3350;
        in.activeParams = 8e9;
        in.bytesPerParam = 2;
        QVERIFY(isNear(*bandwidthBound(boundFigures(in), 1, 0), 3350e9 / 16e9));
        QVERIFY(isNear(*bandwidthBound(boundFigures(in), 32, 1000), 32 * 3350e9 / 16e9)); // no KV bytes stated
        in.kvBytesPerToken = 131072;
        QVERIFY(isNear(*bandwidthBound(boundFigures(in), 32, 1000), 32 * 3350e9 / (16e9 + 32 * 1000 * 131072.0)));
        in.devices = 2;
        QVERIFY(isNear(*bandwidthBound(boundFigures(in), 1, 0), 2 * 3350e9 / 16e9));
        in.peakTflops = 989;
        QVERIFY(isNear(*computeBound(boundFigures(in)), 2 * 989e12 / 16e9));
        QVERIFY(!bandwidthBound(boundFigures({}), 1, 0));
        QVERIFY(!computeBound(boundFigures({})));
        QVERIFY(!bandwidthBound(boundFigures(in), 0, 0));
    }

    void typedFiguresWinOverTheTable()
    {
        BoundInput in;
        in.accelerator = "h100-sxm";
        in.model = "llama-3.1-8b";
        in.bandwidthGbPerS = 3000;
        in.activeParams = 7e9;
        in.kvBytesPerToken = 1000;
        in.peakTflops = 900;
        const BoundFigures f = boundFigures(in);
        QCOMPARE(f.bandwidthGbPerS, 3000.0);
        QCOMPARE(f.activeParams, 7e9);
        QCOMPARE(f.kvBytesPerToken, 1000.0);
        QCOMPARE(f.peakTflops, 900.0);
        QCOMPARE(f.accelerator, std::string("NVIDIA H100 80 GB SXM"));
    }

    void precisionOfTheWeights_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("quantization");
        QTest::addColumn<double>("bytes");
        QTest::addColumn<double>("expertBytes");
        QTest::addColumn<double>("tflops"); // of an H100
        QTest::addColumn<QString>("taken");
        QTest::newRow("nothing states it") << "llama-3.1-8b" << "" << 2.0 << 2.0 << 989.0 << "as nothing states a quantization";
        QTest::newRow("the card does") << "llama-3.1-8b" << "FP8" << 1.0 << 1.0 << 1978.0 << "by the card's quantization FP8";
        QTest::newRow("4 bit without arithmetic for it") << "llama-3.1-8b" << "nvfp4" << 0.5625 << 0.5625 << 989.0 << "0.562";
        QTest::newRow("a name of several widths") << "llama-3.1-8b" << "gptq" << 2.0 << 2.0 << 989.0 << "does not tell them";
        QTest::newRow("as published") << "deepseek-v3" << "" << 1.0 << 1.0 << 1978.0 << "is published, fp8";
        QTest::newRow("as published, and the card says so") << "gpt-oss-120b" << "mxfp4" << 2.0 << 0.53125 << 989.0 << "is published, mxfp4";
        QTest::newRow("not as published") << "deepseek-v3" << "bf16" << 2.0 << 2.0 << 989.0 << "by the card's quantization bf16";
    }
    void precisionOfTheWeights()
    {
        QFETCH(QString, model);
        QFETCH(QString, quantization);
        QFETCH(double, bytes);
        QFETCH(double, expertBytes);
        QFETCH(double, tflops);
        QFETCH(QString, taken);
        BoundInput in;
        in.model = model.toStdString();
        in.accelerator = "h100-sxm";
        const BoundFigures f = boundFigures(in, cardWith("quantization", quantization.toLatin1().data()));
        QCOMPARE(f.bytesPerParam, bytes);
        QCOMPARE(f.expertBytesPerParam, expertBytes);
        QCOMPARE(f.peakTflops, tflops);
        QVERIFY(mentions(f.assumptions, taken.toLatin1().data()));
    }

    void typedPrecisionIsNoAssumption()
    {
        QVERIFY(!mentions(of("llama-3.1-8b", "h100-sxm", 2).assumptions, "bytes per parameter"));
    }

    void eightBitKeysAndValuesByTheCard()
    {
        BoundInput in;
        in.model = "llama-3.1-8b";
        in.accelerator = "h100-sxm";
        const BoundFigures f = boundFigures(in, cardWith("flags.kv_cache_dtype", "fp8_e4m3"));
        QCOMPARE(f.kvBytesPerToken, 65536.0);
        QVERIFY(mentions(f.assumptions, "8 bit"));
    }

    void anotherCountOfDevicesIsSaid()
    {
        BoundInput in;
        in.model = "llama-3.1-70b";
        in.accelerator = "h100-sxm";
        QVERIFY(mentions(boundFigures(in, cardWith("accelerator_count", "4")).assumptions,
                         "the bound takes 1 device, the card states 4"));
        in.devices = 4;
        QVERIFY(!mentions(boundFigures(in, cardWith("accelerator_count", "4")).assumptions, "the card states"));
    }

    void anotherModelOrDeviceOfTheCardIsSaid_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("told");
        QTest::addColumn<QString>("text");
        QTest::newRow("the same model") << "model" << "meta-llama/Llama-3.1-8B-Instruct" << "";
        QTest::newRow("another model") << "model" << "Qwen/Qwen3-8B-FP8"
                                       << "the bound is that of Llama 3.1 8B, the card says Qwen/Qwen3-8B-FP8";
        QTest::newRow("a model of no table") << "model" << "my-tune" << "";
        QTest::newRow("the same device") << "accelerator" << "NVIDIA H100 80GB HBM3" << "";
        QTest::newRow("another device") << "accelerator" << "B200 SXM 180 GB"
                                        << "the bound is that of NVIDIA H100 80 GB SXM, the card says B200 SXM 180 GB";
        QTest::newRow("a longer name") << "accelerator" << "GB200" << "the bound is that of NVIDIA H100 80 GB SXM, the card says GB200";
        QTest::newRow("a device of no table") << "accelerator" << "TPU v6e" << "";
    }
    void anotherModelOrDeviceOfTheCardIsSaid()
    {
        QFETCH(QString, key);
        QFETCH(QString, told);
        BoundInput in;
        in.model = "llama-3.1-8b";
        in.accelerator = "h100-sxm";
        const RunCard card = cardWith(key.toLatin1().data(), told.toLatin1().data());
        QTEST(QString::fromStdString(boundFigures(in, card).contradiction), "text");
        in.model.clear();
        in.accelerator.clear(); // typed figures are of no entry
        in.bandwidthGbPerS = 1000;
        QCOMPARE(boundFigures(in, card).contradiction, std::string());
    }

    void whatAFractionSays()
    {
        QCOMPARE(boundStandingOf(0.15), BoundStanding::Headroom);
        QCOMPARE(boundStandingOf(0.5), BoundStanding::Between);
        QCOMPARE(boundStandingOf(0.65), BoundStanding::Near);
        QCOMPARE(boundStandingOf(1.0), BoundStanding::Near);
        QCOMPARE(boundStandingOf(1.2), BoundStanding::Impossible);
        for (const char* cause : {"launch gaps", "collectives", "scattered reads"})
            QVERIFY(holds(boundStandingText(BoundStanding::Headroom), cause));
        QVERIFY(holds(boundStandingText(BoundStanding::Near), "return little"));
    }

    void fractionOfAPointByHand()
    {
        BoundInput in;
        in.bandwidthGbPerS = 1000;
        in.activeParams = 1e9;
        in.bytesPerParam = 1;
        in.kvBytesPerToken = 1e5;
        PointSummary p = pointAt(10, 1500, 10);
        Distribution prompt;
        prompt.mean = 900;
        Distribution output;
        output.mean = 200;
        p.promptTokens = prompt;
        p.outputTokens = output;
        const BoundCheck c = *checkBound(boundFigures(in), p);
        QCOMPARE(c.contextTokens, 1000.0);
        QVERIFY(isNear(c.bandwidthTokensPerS, 10 * 1e12 / 2e9));
        QVERIFY(isNear(*c.fraction, 0.3));
        QVERIFY(isNear(c.singleStreamTokensPerS, 1000));
        for (const char* part : {"30 % of the bandwidth bound", "1,000 GB/s", "= 5,000 tok/s", "context of 1,000 tokens"})
            QVERIFY2(holds(c.text, part), c.text.c_str());
        QVERIFY2(holds(c.sentence, "much headroom"), c.sentence.c_str());
        QVERIFY(!checkBound(boundFigures({}), p));
        PointSummary silent = p;
        silent.rates[Metric::OutputTokensPerS] = 0;
        QVERIFY(!checkBound(boundFigures(in), silent));
        p.meanInFlight = 0;
        QVERIFY(!checkBound(boundFigures(in), p));
    }

    void theBatchIsWhatTheEngineRuns()
    {
        PointSummary p = pointAt(64, 1600, 64);
        QCOMPARE(checkBound(plain(), p)->batch, 64.0);
        p.server.emplace();
        p.server->figures[ServerCounter::Running].mean = 32;
        const BoundCheck c = *checkBound(plain(), p);
        QCOMPARE(c.batch, 32.0);
        QVERIFY(isNear(*c.fraction, 0.5)); // of 3,200, with 64 in flight of 6,400
        QVERIFY(holds(c.batchSource, "counter"));
    }

    void theLowerBoundBinds()
    {
        BoundFigures f = plain();
        f.peakTflops = 16; // 1,000 tok/s
        const BoundCheck c = *checkBound(f, pointAt(64, 650, 64));
        QVERIFY(isNear(c.tokensPerS(), 1000));
        QVERIFY(isNear(*c.bindingFraction(), 0.65));
        QVERIFY(isNear(*c.fraction, 650 / 6400.0)); // contract: of the bandwidth bound
        QVERIFY2(holds(c.sentence, "65 % of the compute bound"), c.sentence.c_str());
        QVERIFY(holds(c.sentence, "return little"));
        QVERIFY2(holds(c.text, "without context from a batch of 10 on"), c.text.c_str()); // 16 x 2 / (2 x 1.6)
    }

    void promptsThatHaveToBeReadAreTold()
    {
        BoundFigures f = plain();
        f.peakTflops = 160; // 10,000 tok/s
        PointSummary p = pointAt(64, 1000, 64);
        p.rates[Metric::RequestsPerS] = 4;
        Distribution prompt;
        prompt.mean = 500;
        p.promptTokens = prompt;
        QVERIFY(holds(checkBound(f, p)->sentence, "at least 20 % of the peak arithmetic"));
        p.cache.promptTokens = 1000;
        p.cache.cachedTokens = 900; // 2 % are left
        QVERIFY(!holds(checkBound(f, p)->sentence, "peak arithmetic"));
    }

    void aboveTheBoundWhatMayExplainIt()
    {
        PointSummary p = pointAt(8, 1600, 8); // the bound is 800
        std::string sentence = checkBound(plain(), p)->sentence;
        for (const char* part : {"200 %", "impossible", "speculative decoding", "cache", "wrong token counts", "wrong inputs"})
            QVERIFY2(holds(sentence, part), sentence.c_str());
        p.server.emplace();
        p.server->speculation = Speculation{100, 60, 40, {}, 0};
        p.cache.cachedTokens = 5000;
        p.tokensUnknown = 3;
        sentence = checkBound(plain(), p)->sentence;
        for (const char* part : {"speculative decoding is on (60 drafted tokens/s accepted)", "5,000 prompt tokens",
                                 "those of 3 answers are not known"})
            QVERIFY2(holds(sentence, part), sentence.c_str());
    }

    void atTheOperatingPointAndAlongTheCurve()
    {
        std::vector<PointSummary> points;
        for (const double load : {8.0, 32.0, 64.0}) {
            PointSummary p = pointAt(load, 50 * load, load);
            Distribution ttft;
            ttft.n = 1000;
            ttft.quantiles = {{99, load * 20, {}, false}};
            p.metrics[Metric::Ttft] = ttft;
            ConstraintResult c;
            c.value = load * 20;
            c.met = load < 50;
            c.withinShare = 1;
            c.limit = {"ttft_ms", 99, 1000};
            p.slo.constraints = {c};
            p.slo.met = c.met;
            points.push_back(p);
        }
        std::vector<PointSummary> measured = points;
        const std::vector<Curve> curves = makeCurves(points, {{"ttft_ms", 99, 1000}});
        const std::vector<OperatingPoint> ops = {findOperatingPoint(curves[0])};
        const auto at = operatingBounds(plain(), ops, points);
        QCOMPARE(at.size(), std::size_t(1));
        QCOMPARE(at[0].load.value, 50.0); // 640 ms and 1,280 ms around the limit of 1,000 ms
        QVERIFY(isNear(at[0].check.batch, 50) && isNear(*at[0].check.measuredTokensPerS, 2500));
        QVERIFY(isNear(*at[0].check.fraction, 0.5));
        QVERIFY2(holds(at[0].check.sentence, "interpolated between the measured levels 32 and 64"),
                 at[0].check.sentence.c_str());
        points.pop_back(); // so that no level fails
        const auto open =
            operatingBounds(plain(), std::vector{findOperatingPoint(makeCurves(points, {{"ttft_ms", 99, 1000}})[0])}, points);
        QCOMPARE(open.at(0).load.value, 32.0);
        QVERIFY(isNear(*open[0].check.fraction, 0.5));
        points = std::move(measured);
        const auto along = boundAlong(plain(), curves[0], points);
        QCOMPARE(along.size(), std::size_t(3));
        QVERIFY(isNear(along[2].tokensPerS, 6400));
        QVERIFY(boundAlong(boundFigures({}), curves[0], points).empty());

        const auto overBatch = boundCurves(plain(), points);
        QCOMPARE(overBatch.size(), std::size_t(1));
        QCOMPARE(overBatch[0].points.size(), std::size_t(8)); // 1 to 128, twice the largest
        QVERIFY(isNear(overBatch[0].points[3].tokensPerS, 800));
    }
};

QTEST_GUILESS_MAIN(BoundTest)
#include "tst_bound.moc"
