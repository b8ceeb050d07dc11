// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/comparison.h"

#include <cmath>

#include <QTest>

using namespace tailmark;

namespace {

bool isNear(double a, double b, double tolerance = 1e-9)
{
    return std::fabs(a - b) <= tolerance;
}

RunFacts facts()
{
    RunFacts f;
    f.matrix.name = "one";
    Test sweep;
    Test arrivals;
    arrivals.kind = TestKind::ArrivalSweep;
    f.matrix.tests = {sweep, arrivals};
    f.card.read("engine", "vllm");
    f.card.read("engine_version", "0.11.0");
    f.card.read("model", "llama-8b");
    f.card.type("quantization", "fp8");
    f.card.type("flags.max_num_seqs", "256");
    return f;
}

QString keys(const std::vector<Difference>& differences, bool unknownToo = false)
{
    QString all;
    for (const Difference& d : differences) {
        if (unknownToo || !(d.unknown && d.a == d.b))
            all += (all.isEmpty() ? "" : " ") + QString::fromStdString(d.key);
    }
    return all;
}

PointSummary pointAt(double load, double tokens, double latency, int repeat = 0)
{
    PointSummary p;
    p.point.test = "concurrency_sweep";
    p.point.load = {LoadAxis::Concurrency, load};
    p.point.concurrency = static_cast<int>(load);
    p.point.repeat = repeat;
    p.rates[Metric::OutputTokensPerS] = tokens;
    p.rateIntervals[Metric::OutputTokensPerS] = {tokens * 0.95, tokens * 1.05};
    Distribution d;
    d.n = 1000;
    d.quantiles = {{99, latency, Interval{latency * 0.9, latency * 1.1}, false}};
    p.metrics[Metric::Ttft] = d;
    return p;
}

CapacityComparison capacityOf(const OperatingPoint& a, const OperatingPoint& b, const char* nameA = "a",
                              const char* nameB = "b")
{
    const auto all = compareCapacities(std::span(&a, 1), std::span(&b, 1), nameA, nameB);
    return all.size() == 1 ? all[0] : CapacityComparison();
}

OperatingPoint found(double tokens, std::optional<Interval> interval)
{
    OperatingPoint op;
    op.test = "concurrency_sweep";
    op.state = OperatingState::Found;
    op.slo = {{"ttft_ms", 99, 1000}};
    op.crossing = CapacityAt{44.3, 60.0, tokens, 55.0};
    if (interval)
        op.crossingTokensPerS = CrossingInterval{interval->low, interval->high};
    op.sentence = "…";
    return op;
}

} // namespace

class ComparisonTest : public QObject
{
    Q_OBJECT

private slots:
    void theSameRunTwice()
    {
        const auto d = differences(facts(), facts());
        QCOMPARE(keys(d), QString());
        QVERIFY(!isControlled(d));
        QVERIFY(comparisonSentence(d).starts_with("Nothing that is known differs"));
    }

    void namesNotesAndUrlAreNoDifference()
    {
        RunFacts b = facts();
        b.matrix.name = "two";
        b.matrix.target.baseUrl = "http://other:9000/v1";
        b.card.type("notes", "after the upgrade");
        b.matrix.tests[0].levels = {1, 2};
        QCOMPARE(keys(differences(facts(), b)), QString());
    }

    void oneFlagIsControlled()
    {
        RunFacts b = facts();
        b.card.type("flags.max_num_seqs", "512");
        const auto d = differences(facts(), b);
        QCOMPARE(keys(d), QString("card.flags.max_num_seqs"));
        QVERIFY(isControlled(d));
        QVERIFY2(comparisonSentence(d).starts_with("Controlled: only flags.max_num_seqs differs (256 / 512)"),
                 comparisonSentence(d).c_str());
    }

    void aLogIsItsRowsWhateverItsFileIsNamed()
    {
        const std::string one(64, '1'), two(64, '2');
        RunFacts a = facts(), b = facts();
        a.matrix.workload.lengths = fileLengths(LengthsKind::Trace, "a.csv", "azure");
        a.matrix.workload.lengths.hash = one;
        b.matrix.workload.lengths = fileLengths(LengthsKind::Trace, "b.csv", "auto");
        b.matrix.workload.lengths.hash = one;
        QCOMPARE(keys(differences(a, b)), QString());
        b.matrix.workload.lengths.hash = two;
        QVERIFY(isControlled(differences(a, b)));
        b.matrix.workload.lengths.hash.clear(); // not known to be the same
        QVERIFY(keys(differences(a, b)).contains("workload.lengths.file"));
    }

    void aLogInAMixIsItsRowsToo()
    {
        RunFacts a = facts(), b = facts();
        for (RunFacts* run : {&a, &b}) {
            Lengths log = fileLengths(LengthsKind::Trace, run == &a ? "a.csv" : "b.csv", "azure");
            log.hash = std::string(64, '1');
            run->matrix.workload.lengths = {};
            run->matrix.workload.lengths.kind = LengthsKind::Mix;
            run->matrix.workload.lengths.parts = {{"log", 1, log, {}}};
        }
        QCOMPARE(keys(differences(a, b)), QString());
        b.matrix.workload.lengths.parts[0].weight = 2;
        QCOMPARE(keys(differences(a, b)), QString("workload.lengths.parts"));
    }

    void anotherKindOfLengthsIsOneDifference()
    {
        RunFacts b = facts();
        b.matrix.workload.lengths = {};
        b.matrix.workload.lengths.kind = LengthsKind::Quantiles;
        b.matrix.workload.lengths.promptQuantiles = b.matrix.workload.lengths.outputQuantiles = {{"p50", 1},
                                                                                                 {"p99", 9}};
        const auto d = differences(facts(), b);
        QVERIFY(isControlled(d));
        QVERIFY2(comparisonSentence(d).starts_with(
                     "Controlled: only workload.lengths.kind differs (fixed / quantiles), with 7 entries"),
                 comparisonSentence(d).c_str());
    }

    void anotherOutputPolicyIsADifference()
    {
        RunFacts b = facts();
        b.matrix.workload.output = OutputPolicy::Natural;
        const auto d = differences(facts(), b);
        QVERIFY(isControlled(d));
        QVERIFY2(comparisonSentence(d).starts_with("Controlled: only workload.output differs (forced / natural)"),
                 comparisonSentence(d).c_str());
    }

    /// Fields of requests are in the matrix and, with what the engine's profile adds, in the card: named once, by the
    /// matrix. A run of before they were in the card has none there, and differs in nothing for it.
    void aFieldOfTheRequestsIsOneDifference()
    {
        RunFacts a = facts(), b = facts();
        a.card.setSent({{"request.stream", "true"}, {"request.priority", "1"}, {"request.n", "2"}});
        QCOMPARE(keys(differences(a, b)), QString());
        b.card = a.card;
        a.matrix.workload.extras = {{"priority", 1}};
        b.matrix.workload.extras = {{"priority", 5}};
        b.card.setSent({{"request.stream", "true"}, {"request.priority", "5"}, {"request.n", "2"}});
        QCOMPARE(keys(differences(a, b)), QString("workload.extras.priority"));
        QVERIFY(comparisonSentence(differences(a, b))
                    .starts_with("Controlled: only workload.extras.priority differs (1 / 5)"));
    }

    void quantizationComesFirst()
    {
        RunFacts b = facts();
        b.matrix.workload.cache = CachePolicy::Cold;
        b.card.read("engine_version", "0.12.0");
        b.card.type("quantization", "bf16");
        const auto d = differences(facts(), b);
        QCOMPARE(keys(d), QString("card.quantization card.engine_version workload.cache"));
        QVERIFY(!isControlled(d));
        QVERIFY2(
            comparisonSentence(d).starts_with("Uncontrolled: 3 things differ: quantization (fp8 / bf16)"),
            comparisonSentence(d).c_str());
    }

    void aQuantizationBesideAFlagIsUncontrolledAndNamedFirst()
    {
        RunFacts b = facts();
        b.card.type("flags.max_num_seqs", "512");
        b.card.type("quantization", "int4");
        const auto d = differences(facts(), b);
        QCOMPARE(d.front().key, std::string("card.quantization"));
        QVERIFY(!isControlled(d));
        QVERIFY2(comparisonSentence(d).starts_with("Uncontrolled: 2 things differ: quantization (fp8 / int4), "
                                                   "flags.max_num_seqs (256 / 512)"),
                 comparisonSentence(d).c_str());
    }

    void workloadMeasurementLimitsAndTests_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<int>("change");
        QTest::newRow("prompt") << "workload.lengths.prompt_tokens" << 0;
        QTest::newRow("seed") << "workload.seed" << 1;
        QTest::newRow("duration") << "measurement.duration_s" << 2;
        QTest::newRow("denominator") << "measurement.failure_denominator" << 3;
        QTest::newRow("think time") << "tests.concurrency_sweep.think_time_s" << 4;
        QTest::newRow("process") << "tests.arrival_sweep.process" << 5;
        QTest::newRow("timeout") << "limits.stall_timeout_s" << 6;
        QTest::newRow("dialect") << "target.api" << 7;
        QTest::newRow("sampling") << "workload.sampling.temperature" << 8;
    }
    void workloadMeasurementLimitsAndTests()
    {
        QFETCH(QString, key);
        QFETCH(int, change);
        RunFacts b = facts();
        Matrix& m = b.matrix;
        switch (change) {
        case 0:
            m.workload.lengths.promptTokens = 1024;
            break;
        case 1:
            m.workload.seed = 2;
            break;
        case 2:
            m.measurement.durationS = 60;
            break;
        case 3:
            m.measurement.failureDenominator = FailureDenominator::Accepted;
            break;
        case 4:
            m.tests[0].thinkTimeS = 1;
            break;
        case 5:
            m.tests[1].process = ArrivalProcess::Constant;
            break;
        case 6:
            m.limits.stallTimeoutS = 5;
            break;
        case 7:
            m.target.api = Api::Completions;
            break;
        case 8:
            m.workload.sampling["temperature"] = 1;
            break;
        }
        QCOMPARE(keys(differences(facts(), b)), key);
        QVERIFY(isControlled(differences(facts(), b)));
    }

    void testsOfOneRunAloneAreNotCompared()
    {
        RunFacts b = facts();
        b.matrix.tests[1].name = "another";
        b.matrix.tests[1].process = ArrivalProcess::Constant;
        QCOMPARE(keys(differences(facts(), b)), QString());
    }

    void unknownOnOneSideIsNotControlled()
    {
        RunFacts b = facts();
        b.card.type("flags.max_num_seqs", "512");
        b.card.type("accelerator", "H100");
        const auto d = differences(facts(), b);
        QVERIFY(!isControlled(d));
        QVERIFY2(
            comparisonSentence(d).find("1 may differ, known in one run only: accelerator (unknown / H100)") !=
                std::string::npos,
            comparisonSentence(d).c_str());
    }

    void unknownOnBothSidesIsListedLast()
    {
        RunFacts b = facts();
        b.matrix.workload.seed = 2;
        const auto d = differences(facts(), b);
        QVERIFY(isControlled(d));
        QCOMPARE(d.front().key, std::string("workload.seed"));
        QVERIFY(d.back().unknown && d.back().a == "unknown" && d.back().b == "unknown");
        QVERIFY(keys(d, true).contains("card.accelerator"));
        QVERIFY(comparisonSentence(d).find("unknown in both runs") != std::string::npos);
    }

    void anotherAcceleratorHasItsOwnRoomForTokensAndSpeed()
    {
        RunFacts a = facts();
        a.card.read("accelerator", "H100 SXM 80 GB");
        a.card.read("flags.kv_capacity_tokens", "468944");
        a.card.read("flags.step_time", "{\"decode\":6.89}");
        RunFacts b = a;
        b.card.read("accelerator", "B200 SXM 180 GB");
        b.card.read("flags.kv_capacity_tokens", "1222608");
        b.card.read("flags.step_time", "{\"decode\":3.58}");
        const auto d = differences(a, b);
        QVERIFY(isControlled(d));
        QCOMPARE(QString::fromStdString(comparisonSentence(d)).section(';', 0, 0),
                 QString("Controlled: only accelerator differs (H100 SXM 80 GB / B200 SXM 180 GB), with 2 entries that "
                         "belong to it"));

        b.card.read("flags.max_num_seqs", "64"); // told to the engine: counts for itself
        QVERIFY(!isControlled(differences(a, b)));

        RunFacts fewer = a; // on one accelerator so does its room
        fewer.card.read("flags.kv_capacity_tokens", "100000");
        const auto room = differences(a, fewer);
        QVERIFY(isControlled(room));
        QVERIFY(comparisonSentence(room).starts_with("Controlled: only flags.kv_capacity_tokens differs"));
    }

    void anotherEngineHasItsOwnVersionAndFlags()
    {
        RunFacts b = facts();
        b.card = RunCard();
        b.card.read("engine", "sglang");
        b.card.read("engine_version", "0.5.3");
        b.card.read("model", "llama-8b");
        b.card.type("quantization", "fp8");
        b.card.type("flags.mem_fraction_static", "0.9");
        const auto d = differences(facts(), b);
        QVERIFY(isControlled(d));
        QCOMPARE(keys(d), QString("card.engine card.engine_version card.flags.max_num_seqs "
                                  "card.flags.mem_fraction_static"));
        QVERIFY2(comparisonSentence(d).starts_with(
                     "Controlled: only engine differs (vllm / sglang), with 3 entries that belong to it"),
                 comparisonSentence(d).c_str());
        b.card.type("quantization", "int4");
        QVERIFY(!isControlled(differences(facts(), b))); // quantization is no part of the engine
        RunFacts newer = facts();
        newer.card.read("engine_version", "0.12.0"); // of one engine a version counts for itself
        newer.card.type("flags.max_num_seqs", "512");
        QVERIFY(!isControlled(differences(facts(), newer)));
    }

    void levelsThatBothHave()
    {
        const std::vector<PointSummary> a = {pointAt(8, 1000, 100), pointAt(16, 2000, 200)};
        const std::vector<PointSummary> b = {pointAt(16, 2500, 180), pointAt(32, 3000, 400)};
        const auto levels = compareLevels(a, b);
        QCOMPARE(levels.size(), std::size_t(1));
        QCOMPARE(levels[0].load.value, 16.0);
        QCOMPARE(*levels[0].throughputRatio, 1.25);
        QCOMPARE(*levels[0].latencyRatio, 0.9);
        QVERIFY(!levels[0].goodputRatio);
        QVERIFY(levels[0].throughputRatioCi95->low > 1.1);
        QVERIFY(levels[0].latencyRatioCi95->high > 1); // the two p99 cannot be told apart
        const auto swapped = compareLevels(b, a);
        QVERIFY(isNear(*swapped[0].throughputRatio, 0.8));
    }

    void repeatsOfALevelByTheirMedianAndValidOnesFirst()
    {
        PointSummary wrong = pointAt(8, 5000, 1, 3);
        wrong.verdict.valid = false;
        const std::vector<PointSummary> a = {pointAt(8, 900, 100, 0), pointAt(8, 1000, 100, 1),
                                             pointAt(8, 1300, 100, 2), wrong};
        const auto levels = compareLevels(a, std::vector<PointSummary>{pointAt(8, 2000, 100)});
        QCOMPARE(*levels[0].throughputA, 1000.0);
        QCOMPARE(*levels[0].throughputRatio, 2.0);
        QVERIFY(levels[0].validA && levels[0].validB);
        const auto invalid = compareLevels(std::vector<PointSummary>{wrong}, a);
        QVERIFY(!invalid[0].validA);
        QCOMPARE(*invalid[0].throughputA, 5000.0);
    }

    void intervalOfARatio()
    {
        const Ratio r = *ratioOf({100, Interval{80, 120}}, {150, Interval{120, 180}});
        QCOMPARE(r.value, 1.5);
        // On the logarithm: down hypot(ln 150/120, ln 120/100), up hypot(ln 180/150, ln 100/80).
        QVERIFY(isNear(r.ci95->low, 1.5 * std::exp(-std::hypot(std::log(1.25), std::log(1.2)))));
        QVERIFY(isNear(r.ci95->high, 1.5 * std::exp(std::hypot(std::log(1.2), std::log(1.25)))));
        QVERIFY(r.isDistinguishable());
        QVERIFY(!ratioOf({100, std::nullopt}, {150, Interval{120, 180}})->ci95);
        QVERIFY(!ratioOf({100, std::nullopt}, {150, std::nullopt})->isDistinguishable());
        QVERIFY(!ratioOf({0, std::nullopt}, {150, std::nullopt}));
    }

    void capacityAtTheLimit()
    {
        const CapacityComparison c = capacityOf(found(4000, Interval{3900, 4100}),
                                                found(5000, Interval{4800, 5200}), "vllm", "sglang");
        QCOMPARE(c.ratio->value, 1.25);
        for (const char* part : {"25 % more throughput", "20 % less time", "within 1 s", "4,000 tok/s",
                                 "5,000 tok/s", "95 % interval", "sglang has"})
            QVERIFY2(c.sentence.find(part) != std::string::npos, c.sentence.c_str());
    }

    void capacitiesThatCannotBeToldApart()
    {
        const CapacityComparison c =
            capacityOf(found(4000, Interval{3500, 4500}), found(4100, Interval{3600, 4600}));
        QVERIFY(!c.ratio->isDistinguishable());
        QVERIFY(c.sentence.find("cannot be told apart") != std::string::npos);
        const CapacityComparison none = capacityOf(found(4000, {}), found(9000, {}));
        QVERIFY(none.sentence.find("cannot be said") != std::string::npos);
    }

    void oneRepeatEachAssumesANoiseBetweenRunsAndSaysSo()
    {
        OperatingPoint a = found(4000, Interval{3990, 4010});
        OperatingPoint b = found(4160, Interval{4150, 4170});
        const CapacityComparison one = capacityOf(a, b);
        QVERIFY(!one.ratio->isDistinguishable());
        QVERIFY(one.ratio->ci95->low < 1.04 / 1.05 && one.ratio->ci95->high > 1.04 * 1.05);
        QVERIFY2(
            one.sentence.find("that between runs, which one repeat does not show, is assumed to be 5 %") !=
                std::string::npos,
            one.sentence.c_str());
        a.repeats = 3; // of one run they say nothing of the other
        QVERIFY(!capacityOf(a, b).ratio->isDistinguishable());
        b.repeats = 3;
        const CapacityComparison repeated = capacityOf(a, b);
        QVERIFY(repeated.ratio->isDistinguishable());
        QVERIFY(repeated.sentence.find("assumed") == std::string::npos);
    }

    void aLevelOfOneRepeatEachIsNoDifferenceBelowTheAssumedNoise()
    {
        PointSummary a = pointAt(8, 1000, 100);
        PointSummary b = pointAt(8, 1040, 100, 0);
        for (PointSummary* p : {&a, &b})
            p->rateIntervals[Metric::OutputTokensPerS] = {p->rates[Metric::OutputTokensPerS] * 0.999,
                                                          p->rates[Metric::OutputTokensPerS] * 1.001};
        const auto levels = compareLevels(std::span(&a, 1), std::span(&b, 1));
        QVERIFY(levels[0].throughputRatioCi95->low < 1 && levels[0].throughputRatioCi95->high > 1.09);
    }

    /// The speed of the machine changes from repeat to repeat by a tenth, for both; B is 3 % faster each time.
    void pairedRepeatsShareWhatDrifts()
    {
        std::vector<PointSummary> a, b;
        const double drift[] = {1, 1.1, 0.9, 1.05};
        for (int i = 0; i < 4; ++i) {
            a.push_back(pointAt(8, 1000 * drift[i], 100, i));
            b.push_back(pointAt(8, 1030 * drift[i] * (i % 2 ? 1.002 : 0.998), 100, i));
        }
        const LevelComparison apart = compareLevels(a, b)[0];
        QVERIFY(apart.throughputRatioCi95->low < 1);
        const LevelComparison paired = compareLevels(a, b, Pairing::Paired)[0];
        QVERIFY(isNear(*paired.throughputRatio, 1.03, 1e-3));
        QVERIFY(paired.throughputRatioCi95->low > 1.02 && paired.throughputRatioCi95->high < 1.04);
        QCOMPARE(paired.throughputA, apart.throughputA); // the sides stay what they are
    }

    void pairsOfRepeatsThatOneSideHasAloneDoNotCount()
    {
        const std::vector<PointSummary> a = {pointAt(8, 1000, 100, 0), pointAt(8, 1000, 100, 1)};
        const std::vector<PointSummary> b = {pointAt(8, 1100, 100, 1)};
        const LevelComparison one = compareLevels(a, b, Pairing::Paired)[0];
        QCOMPARE(*one.throughputRatio, 1.1); // no two pairs: as of runs with one repeat
        QVERIFY(one.throughputRatioCi95->high < 1.1 * 1.1);
    }

    void pairedCapacityTellsOnWhatItRests()
    {
        OperatingPoint a = found(4000, Interval{3990, 4010});
        OperatingPoint b = found(4160, Interval{4150, 4170});
        const CapacityComparison one = comparePairedCapacity(a, b, {}, "A", "B");
        QVERIFY(one.ratio->isDistinguishable()); // 4 % is more than what is assumed between paired runs
        QVERIFY2(one.sentence.find("paired: the same requests on the same schedule") != std::string::npos &&
                     one.sentence.find("between paired runs, which one repeat does not show, is assumed to be 2 %") !=
                         std::string::npos,
                 one.sentence.c_str());
        a.repeats = b.repeats = 3;
        const std::vector<double> ratios = {1.02, 1.025, 1.03};
        const CapacityComparison three = comparePairedCapacity(a, b, ratios, "A", "B");
        QVERIFY(isNear(three.ratio->value, 1.025, 1e-3));
        QVERIFY(three.ratio->isDistinguishable());
        QVERIFY2(three.sentence.find("3 pairs of repeats") != std::string::npos, three.sentence.c_str());
    }

    void nothingAgainstSomethingIsARatioOfZero()
    {
        QCOMPARE(ratioOf({3, Interval{2, 4}}, {0, Interval{0, 0}})->value, 0.0);
        QVERIFY(!ratioOf({3, Interval{2, 4}}, {0, Interval{0, 0}})->ci95);
    }

    void testsOfOneRunAloneHaveNoCapacityToCompare()
    {
        OperatingPoint other = found(4000, {});
        other.test = "arrival_sweep";
        const OperatingPoint one = found(4000, {});
        QVERIFY(compareCapacities(std::span(&one, 1), std::span(&other, 1), "a", "b").empty());
    }

    void levelsBoundTheLoadWhereThereIsNoCrossing()
    {
        const auto between = [](OperatingState state, std::optional<double> passing, std::optional<double> failing) {
            OperatingPoint op = found(4000, {});
            op.crossing.reset();
            op.axis = LoadAxis::RatePerS;
            op.state = state;
            if (passing)
                op.lastPassing = CapacityAt{*passing, {}, {}, {}};
            if (failing)
                op.firstFailing = CapacityAt{*failing, {}, {}, {}};
            return op;
        };
        const OperatingPoint a = between(OperatingState::Found, 32, 64), b = between(OperatingState::Found, 8, 16);
        const CapacityComparison both = compareCapacity(a, b, "A", "B");
        QVERIFY(!both.ratio);
        QCOMPARE(both.leastLoadRatio.value(), 0.125); // 8 / 64
        QCOMPARE(both.mostLoadRatio.value(), 0.5);    // 16 / 32
        QVERIFY2(both.sentence.starts_with("No ratio of capacities, but by the levels that pass and fail the limit is met "
                                           "up to between 0.125 and 0.5 times the load by B as by A: A: "),
                 both.sentence.c_str());
        const CapacityComparison below = compareCapacity(a, between(OperatingState::BelowFirst, {}, 4), "A", "B");
        QVERIFY(!below.leastLoadRatio);
        QCOMPARE(below.mostLoadRatio.value(), 0.125);
        QVERIFY2(below.sentence.find("up to at most 0.125 times") != std::string::npos, below.sentence.c_str());
        const CapacityComparison open = compareCapacity(a, between(OperatingState::NotReached, 128, {}), "A", "B");
        QCOMPARE(open.leastLoadRatio.value(), 2.0);
        QVERIFY(!open.mostLoadRatio);
        const CapacityComparison unknown =
            compareCapacity(between(OperatingState::NotReached, 32, {}), between(OperatingState::NotReached, 8, {}), "A", "B");
        QVERIFY(!unknown.leastLoadRatio && !unknown.mostLoadRatio);
        QVERIFY(unknown.sentence.starts_with("No ratio of capacities: "));
    }

    void ofAClosedLoopLevelsBoundTheThroughput()
    {
        const OperatingPoint a = found(1929, {}); // crosses at concurrency 44.3
        OperatingPoint b = found(1527, {});
        b.state = OperatingState::NotReached;
        b.crossing.reset();
        b.lastPassing = CapacityAt{96, {}, 1527, {}};
        b.firstFailing.reset();
        const CapacityComparison c = compareCapacity(a, b, "A", "B");
        QVERIFY(!c.ratio && !c.leastLoadRatio && !c.mostLoadRatio && !c.mostThroughputRatio);
        QVERIFY(isNear(*c.leastThroughputRatio, 1527.0 / 1929));
        QVERIFY2(c.sentence.starts_with("No ratio of capacities, but by the levels that pass and fail B carries at least 0.792 "
                                        "times the throughput of A within the limit (A 1,929 tok/s at concurrency 44.3, B "
                                        "at least 1,527 tok/s at concurrency 96): A: "),
                 c.sentence.c_str());
    }

    void anOpenEndLeavesTheRatioOpen()
    {
        OperatingPoint a = found(1000, Interval{980, 1020}), b = found(500, Interval{480, 520});
        b.crossingTokensPerS->lowOpen = true;
        const CapacityComparison c = compareCapacity(a, b, "A", "B");
        QCOMPARE(c.ratio->ci95->low, 0.0);
        QVERIFY(c.ratio->isDistinguishable());
        QVERIFY2(c.sentence.find("95 % interval below 0.5") != std::string::npos, c.sentence.c_str());
        a.crossingTokensPerS->lowOpen = true; // so that the other end is open as well
        QVERIFY(!compareCapacity(a, b, "A", "B").ratio->ci95);
    }

    void withoutACrossingThereIsNoRatio()
    {
        OperatingPoint open = found(4000, {});
        open.state = OperatingState::NotReached;
        open.crossing.reset();
        const CapacityComparison c = capacityOf(open, found(5000, {}));
        QVERIFY(!c.ratio);
        QVERIFY(c.sentence.starts_with("No ratio"));
    }

    void timeSavedAndThroughputGainedAreTwoPercentages()
    {
        QCOMPARE(gainText(1.25), std::string("25 % more throughput (20 % less time for the same work)"));
        QCOMPARE(gainText(0.8), std::string("20 % less throughput (25 % more time for the same work)"));
        QCOMPARE(gainText(1), std::string("0 % more throughput (0 % less time for the same work)"));
    }
};

QTEST_GUILESS_MAIN(ComparisonTest)
#include "tst_comparison.moc"
