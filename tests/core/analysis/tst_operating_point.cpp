// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/operating_point.h"

#include <cmath>

#include <QTest>

using namespace tailmark;

namespace {

bool isNear(double a, double b, double tolerance = 1e-9)
{
    return std::fabs(a - b) <= tolerance;
}

const Slo kTtft1000 = {{"ttft_ms", 99, 1000}};

/// A summary as far as a curve needs it: one value per limit, every request within it or a stated share.
PointSummary pointAt(double load, const Slo& slo, const std::vector<std::optional<double>>& values,
                     double tokensPerS, int repeat = 0, double withinShare = -1)
{
    PointSummary p;
    p.point.test = "sweep";
    p.point.kind = TestKind::ConcurrencySweep;
    p.point.load = {LoadAxis::Concurrency, load};
    p.point.repeat = repeat;
    p.rates[Metric::OutputTokensPerS] = tokensPerS;
    p.rates[Metric::RequestsPerS] = tokensPerS / 100;
    p.rates[Metric::GoodputRequestsPerS] = tokensPerS / 200;
    p.slo.met = true;
    for (std::size_t i = 0; i < slo.size(); ++i) {
        ConstraintResult c;
        c.limit = slo[i];
        c.value = values[i];
        const bool lower = metricInfo(*metricFromId(slo[i].metric)).lowerIsBetter;
        const bool within = c.value && (lower ? *c.value <= slo[i].limit : *c.value >= slo[i].limit);
        c.withinShare = withinShare >= 0 ? withinShare : within ? 1 : 0.9;
        c.met = within && c.withinShare >= slo[i].percentile / 100;
        p.slo.met = p.slo.met && c.met;
        p.slo.constraints.push_back(c);
    }
    return p;
}

PointSummary withInterval(PointSummary p, double low, double high)
{
    p.slo.constraints[0].ci95 = Interval{low, high};
    return p;
}

/// A throughput known to within a share of itself.
PointSummary withRates(PointSummary p, double share)
{
    const double tokens = p.rates[Metric::OutputTokensPerS];
    p.rateIntervals[Metric::OutputTokensPerS] = {tokens * (1 - share), tokens * (1 + share)};
    return p;
}

PointSummary invalid(PointSummary p, const char* code, bool failureStands = false)
{
    p.verdict.valid = false;
    p.verdict.failureStands = failureStands;
    p.verdict.reasons = {{code, "…"}};
    return p;
}

OperatingPoint find(const std::vector<PointSummary>& points, const Slo& slo = kTtft1000)
{
    const std::vector<Curve> curves = makeCurves(points, slo);
    return curves.size() == 1 ? findOperatingPoint(curves[0]) : OperatingPoint();
}

std::vector<PointSummary> workedExample()
{
    return {pointAt(8, kTtft1000, {340}, 1900), pointAt(32, kTtft1000, {720}, 5600),
            pointAt(64, kTtft1000, {1450}, 7800), pointAt(96, kTtft1000, {3100}, 8400)};
}

} // namespace

class OperatingPointTest : public QObject
{
    Q_OBJECT

private slots:
    void workedCheck()
    {
        const OperatingPoint op = find(workedExample());
        QCOMPARE(op.state, OperatingState::Found);
        QCOMPARE(op.lastPassing->load, 32.0);
        QCOMPARE(*op.lastPassing->outputTokensPerS, 5600.0);
        QCOMPARE(op.firstFailing->load, 64.0);
        QVERIFY(isNear(op.crossing->load, 32 + 32 * 280.0 / 730));
        QVERIFY(isNear(op.crossing->load, 44.3, 0.05));
        QVERIFY(isNear(*op.crossing->outputTokensPerS, 6444, 0.5));
        QVERIFY(isNear(*op.crossing->requestsPerS, 64.44, 0.005));
        QCOMPARE(op.failing->metric, std::string("ttft_ms"));
        QCOMPARE(op.crossings.size(), std::size_t(1));
        const QString sentence = QString::fromStdString(op.sentence);
        for (const char* part : {"99 % of requests see their first token within 1 s", "concurrency 44.3",
                                 "6,444 tok/s", "5,600 tok/s", "p99 TTFT 720 ms", "p99 TTFT 1.45 s"})
            QVERIFY2(sentence.contains(part), qPrintable(sentence));
        QVERIFY(!sentence.contains("8,400")); // the peak is at a latency that nobody asked for
    }

    void orderOfThePointsDoesNotMatter()
    {
        std::vector<PointSummary> points = workedExample();
        std::swap(points[0], points[3]);
        std::swap(points[1], points[2]);
        QVERIFY(isNear(find(points).crossing->load, 44.27, 0.01));
    }

    void aDipBeyondSaturationIsNoPass()
    {
        const Slo slo = {{"ttft_ms", 99, 500}};
        const OperatingPoint op =
            find({pointAt(1, slo, {200}, 1), pointAt(2, slo, {220}, 2), pointAt(4, slo, {300}, 4),
                  pointAt(8, slo, {900}, 8), pointAt(16, slo, {850}, 16)},
                 slo);
        QCOMPARE(op.state, OperatingState::Found);
        QCOMPARE(op.lastPassing->load, 4.0);
        QVERIFY(isNear(op.crossing->load, 4 + 4 * 200.0 / 600));
    }

    void notReached()
    {
        std::vector<PointSummary> points = workedExample();
        points.resize(2);
        const OperatingPoint op = find(points);
        QCOMPARE(op.state, OperatingState::NotReached);
        QCOMPARE(op.lastPassing->load, 32.0);
        QVERIFY(!op.firstFailing && !op.crossing);
        QVERIFY(op.sentence.find("at least 5,600 tok/s, 56 requests/s at concurrency 32 (p99 TTFT 720 ms)") !=
                std::string::npos);
        QVERIFY(op.sentence.find("at every measured level.") != std::string::npos);
        points[0] = invalid(points[0], "too_few_samples");
        QVERIFY(find(points).sentence.find("at every level that counts.") != std::string::npos);
    }

    void belowFirst()
    {
        const OperatingPoint op =
            find({pointAt(8, kTtft1000, {1340}, 1900), pointAt(32, kTtft1000, {1720}, 5600)});
        QCOMPARE(op.state, OperatingState::BelowFirst);
        QVERIFY(!op.lastPassing && !op.crossing);
        QCOMPARE(op.firstFailing->load, 8.0);
        QVERIFY(op.sentence.find("p99 TTFT 1.34 s") != std::string::npos);
    }

    void ambiguousListsEveryCrossing()
    {
        const OperatingPoint op = find({pointAt(1, kTtft1000, {800}, 10), pointAt(2, kTtft1000, {1200}, 20),
                                        pointAt(4, kTtft1000, {600}, 40), pointAt(8, kTtft1000, {1400}, 80)});
        QCOMPARE(op.state, OperatingState::Ambiguous);
        QCOMPARE(op.lastPassing->load, 1.0);
        QCOMPARE(op.firstFailing->load, 2.0);
        QCOMPARE(op.crossings.size(), std::size_t(3));
        QVERIFY(isNear(op.crossings[0].load, 1.5));
        QVERIFY(isNear(op.crossings[1].load, 2 + 2 * 200.0 / 600));
        QVERIFY(isNear(op.crossings[2].load, 6));
        QVERIFY(isNear(op.crossing->load, 1.5));
    }

    void failingFirstAndPassingLaterIsAmbiguousToo()
    {
        const OperatingPoint op = find({pointAt(1, kTtft1000, {1200}, 10), pointAt(2, kTtft1000, {800}, 20)});
        QCOMPARE(op.state, OperatingState::Ambiguous);
        QVERIFY(!op.lastPassing);
        QCOMPARE(op.crossings.size(), std::size_t(1));
    }

    void whatWasNotMeasuredIsNotMissed()
    {
        const Slo slo = {{"itl_ms", 99, 40}};
        std::vector<PointSummary> points = {pointAt(4, slo, {std::nullopt}, 400), pointAt(8, slo, {std::nullopt}, 800)};
        for (PointSummary& p : points)
            p.slo.constraints[0].measured = false;
        const OperatingPoint op = find(points, slo);
        QCOMPARE(op.state, OperatingState::NotMeasured);
        QVERIFY(!op.lastPassing && !op.firstFailing && !op.crossing);
        QVERIFY2(op.sentence == "Not known: no time between tokens was measured; workload.token_evidence asks the engine for it.",
                 op.sentence.c_str());
    }

    void aLevelThatWasNotMeasuredDecidesNothing()
    {
        const Slo slo = {{"ttft_ms", 99, 1000}, {"itl_ms", 99, 40}};
        std::vector<PointSummary> points = {pointAt(8, slo, {340, 20}, 1900), pointAt(32, slo, {720, std::nullopt}, 5600),
                                            pointAt(64, slo, {1450, std::nullopt}, 7800)};
        for (std::size_t i : {1, 2})
            points[i].slo.constraints[1].measured = false;
        const OperatingPoint op = find(points, slo);
        QCOMPARE(op.state, OperatingState::Found);
        QCOMPARE(op.lastPassing->load, 8.0);
        QCOMPARE(op.firstFailing->load, 64.0); // whatever the tokens took, the first one was late
        QCOMPARE(op.failing->metric, std::string("ttft_ms"));
        QVERIFY2(op.sentence.find("Not judged: 32, where no time between tokens was measured") != std::string::npos,
                 op.sentence.c_str());
    }

    void noLimitNoOperatingPoint()
    {
        const OperatingPoint op = find({pointAt(8, {}, {}, 1900)}, {});
        QCOMPARE(op.state, OperatingState::NoSlo);
        QVERIFY(!op.sentence.empty());
    }

    void invalidPointsNeverDecide()
    {
        std::vector<PointSummary> points = workedExample();
        points[2] = invalid(points[2], "generator_bound");
        const OperatingPoint op = find(points);
        QCOMPARE(op.state, OperatingState::Found);
        QCOMPARE(op.lastPassing->load, 32.0);
        QCOMPARE(op.firstFailing->load, 96.0);
        QVERIFY(op.sentence.find("Not counted, because the measurement may not be believed: 64.") !=
                std::string::npos);
        for (PointSummary& p : points)
            p = invalid(p, "too_few_samples");
        QCOMPARE(find(points).state, OperatingState::NoValidPoints);
    }

    void figuresThatMayNotBeBelievedBracketAndCarryNoCrossing_data()
    {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("words");
        QTest::newRow("backlog grew") << "not_steady" << "not steady";
        QTest::newRow("ended early") << "cut_off" << "cut off";
        QTest::newRow("few requests") << "too_few_samples" << "too few samples";
    }
    void figuresThatMayNotBeBelievedBracketAndCarryNoCrossing()
    {
        QFETCH(QString, code);
        QFETCH(QString, words);
        std::vector<PointSummary> points = workedExample();
        points[2] = invalid(points[2], code.toUtf8().constData(), true);
        const OperatingPoint op = find(points);
        QCOMPARE(op.state, OperatingState::Found);
        QCOMPARE(op.lastPassing->load, 32.0);
        QCOMPARE(op.firstFailing->load, 64.0);
        QVERIFY(!op.crossing && !op.crossingLoad && !op.crossingTokensPerS && op.crossings.empty());
        const QString sentence = QString::fromStdString(op.sentence);
        QVERIFY2(sentence.contains("somewhere between concurrency 32 and concurrency 64 (" + words + ")"),
                 qPrintable(sentence));
        QVERIFY2(sentence.contains("first failing: concurrency 64 (" + words + "; its figures may not be believed)"),
                 qPrintable(sentence));
        QVERIFY2(!sentence.contains("7,800"), qPrintable(sentence)); // of the level that may not be believed
    }

    void theIntervalWalksBelievedLevelsOnly()
    {
        std::vector<PointSummary> points = workedExample();
        points[0] = withInterval(points[0], 300, 400);
        points[1] = withInterval(points[1], 600, 900);
        points[2] = withInterval(points[2], 900, 1700); // its lower bound passes, the next level is not believed
        points[3] = invalid(withInterval(points[3], 2500, 3600), "not_steady", true);
        const OperatingPoint op = find(points);
        QVERIFY(op.crossing);
        QCOMPARE(op.crossingLoad->high, 64.0);
        QVERIFY(op.crossingLoad->highOpen && !op.crossingLoad->lowOpen);
    }

    void lowerLevelsThatDoNotCountAreNotTheFirst()
    {
        std::vector<PointSummary> points = {invalid(pointAt(4, kTtft1000, {300}, 900), "too_few_samples"),
                                            pointAt(8, kTtft1000, {1340}, 1900)};
        const OperatingPoint op = find(points);
        QCOMPARE(op.state, OperatingState::BelowFirst);
        QVERIFY2(op.sentence.starts_with("Already at the lowest level that may be believed, concurrency 8,"),
                 op.sentence.c_str());
        points.erase(points.begin());
        QVERIFY(find(points).sentence.starts_with("Already at the first level, concurrency 8,"));
    }

    void nothingSucceededBracketsWithoutACrossing()
    {
        std::vector<PointSummary> points = workedExample();
        points.resize(2);
        points.push_back(invalid(pointAt(64, kTtft1000, {std::nullopt}, 0, 0, 0), "no_success", true));
        const OperatingPoint op = find(points);
        QCOMPARE(op.state, OperatingState::Found);
        QCOMPARE(op.lastPassing->load, 32.0);
        QCOMPARE(op.firstFailing->load, 64.0);
        QVERIFY(!op.crossing && !op.crossingLoad);
        QVERIFY(op.sentence.find("between concurrency 32 and concurrency 64") != std::string::npos);
        QVERIFY(op.sentence.find("no request succeeded") != std::string::npos);
    }

    void failuresAloneFailALevel()
    {
        std::vector<PointSummary> points = workedExample();
        points[2] = pointAt(64, kTtft1000, {800}, 7800, 0, 0.97);
        const OperatingPoint op = find(points);
        QCOMPARE(op.state, OperatingState::Found);
        QCOMPARE(op.firstFailing->load, 64.0);
        // 100 % and 97 % within the limit: 99 % are a third of the way.
        QVERIFY(op.crossing && op.crossedByShare);
        QVERIFY(isNear(op.crossing->load, 32 + 32 / 3.0));
        for (const char* part : {"p99 TTFT 800 ms of those that succeeded, 97 % of all within the limit",
                                 "by the share of all requests within the limit, 100 % and 97 %"})
            QVERIFY2(op.sentence.find(part) != std::string::npos, op.sentence.c_str());
    }

    void failuresMoveTheCrossingTowardsThem()
    {
        std::vector<PointSummary> points = workedExample();
        points[1].slo.constraints[0].counted = 900; // of the successes 720
        points[2].slo.constraints[0].counted = 2000;
        QVERIFY(isNear(find(points).crossing->load, 32 + 32 * 100.0 / 1100));
    }

    void aCrossingWithoutAnIntervalSaysSo()
    {
        std::vector<PointSummary> points = workedExample();
        for (PointSummary& p : points) {
            p.slo.constraints[0].n = static_cast<std::size_t>(100 + p.point.load.value);
            p.slo.constraints[0].weak = true;
        }
        const std::string without = find(points).sentence;
        QVERIFY2(without.find("(without an interval, since p99 TTFT of 132 requests at concurrency 32 has none; weak: fewer "
                              "than ten values beyond p99 TTFT of 132 at concurrency 32, 164 at concurrency 64)") !=
                     std::string::npos,
                 without.c_str());
        for (PointSummary& p : points)
            p = withInterval(p, *p.slo.constraints[0].value * 0.9, *p.slo.constraints[0].value * 1.1);
        const std::string with = find(points).sentence;
        QVERIFY2(with.find("block bootstrap; weak: ") != std::string::npos, with.c_str());
        for (PointSummary& p : points)
            p.slo.constraints[0].weak = false;
        QVERIFY(find(points).sentence.find("weak") == std::string::npos);
    }

    void theLimitThatIsCrossedFirstDecides()
    {
        const Slo slo = {{"ttft_ms", 99, 1000}, {"tpot_ms", 90, 50}};
        const OperatingPoint op =
            find({pointAt(10, slo, {400, 30}, 100), pointAt(20, slo, {1600, 110}, 200)}, slo);
        QCOMPARE(op.failing->metric, std::string("tpot_ms")); // at 12.5, the other at 15
        QVERIFY(isNear(op.crossing->load, 12.5));
        QVERIFY(op.sentence.find("p90 TPOT 30 ms") != std::string::npos);
    }

    void aRateMustNotFallBelowItsLimit()
    {
        const Slo slo = {{"output_tokens_per_s_user", 99, 100}};
        const OperatingPoint op = find({pointAt(10, slo, {140}, 100), pointAt(20, slo, {60}, 200)}, slo);
        QCOMPARE(op.state, OperatingState::Found);
        QVERIFY(isNear(op.crossing->load, 15));
    }

    void repeatsByTheirMedian()
    {
        const OperatingPoint op =
            find({pointAt(32, kTtft1000, {700}, 5600, 0), pointAt(32, kTtft1000, {1100}, 5000, 1),
                  pointAt(32, kTtft1000, {720}, 5700, 2), pointAt(64, kTtft1000, {1450}, 7800, 0),
                  pointAt(64, kTtft1000, {900}, 7700, 1), pointAt(64, kTtft1000, {1500}, 7900, 2)});
        QCOMPARE(op.state, OperatingState::Found);
        QVERIFY(isNear(op.crossing->load, 44.27, 0.01));
        QCOMPARE(*op.lastPassing->outputTokensPerS, 5600.0);
        QVERIFY(op.crossingLoad->low < 44 && op.crossingLoad->high > 45);
        QCOMPARE(op.repeats, 2); // that of the second begins beyond the limit and has no crossing
    }

    void repeatsGiveTheirTIntervalAndNothingElse()
    {
        std::vector<PointSummary> points;
        for (const double at64 : {1450.0, 1500.0, 1400.0}) {
            const int repeat = static_cast<int>(points.size()) / 2;
            points.push_back(withInterval(pointAt(32, kTtft1000, {720}, 5600, repeat), 100, 5000)); // knows nothing
            points.push_back(withInterval(pointAt(64, kTtft1000, {at64}, 7800, repeat), 100, 5000));
        }
        const OperatingPoint op = find(points);
        double mean = 0, squares = 0;
        const double loads[] = {32 + 32 * 280.0 / 730, 32 + 32 * 280.0 / 780, 32 + 32 * 280.0 / 680};
        for (const double load : loads)
            mean += std::log(load) / 3;
        for (const double load : loads)
            squares += (std::log(load) - mean) * (std::log(load) - mean);
        const double half = 4.30265 * std::sqrt(squares / 2 / 3);
        QVERIFY(isNear(op.crossingLoad->low, std::exp(mean - half), 1e-3));
        QVERIFY(isNear(op.crossingLoad->high, std::exp(mean + half), 1e-3));
        QVERIFY(!op.crossingLoad->lowOpen && !op.crossingLoad->highOpen);
        QVERIFY(op.crossingRequestsPerS && op.crossingTokensPerS);
        // One that stays within the limit leaves the upper end open.
        points.push_back(pointAt(32, kTtft1000, {720}, 5600, 3));
        points.push_back(pointAt(64, kTtft1000, {900}, 7800, 3));
        const OperatingPoint open = find(points);
        QCOMPARE(open.repeats, 3);
        QVERIFY(open.crossingLoad->highOpen && !open.crossingLoad->lowOpen);
    }

    void withoutTwoCrossingsTheNoiseWithinTheRunIsNamed()
    {
        std::vector<PointSummary> points;
        for (int repeat = 0; repeat < 2; ++repeat) {
            points.push_back(withInterval(pointAt(32, kTtft1000, {720}, 5600, repeat), 600, 900));
            points.push_back(withInterval(pointAt(64, kTtft1000, {repeat == 0 ? 3000.0 : 900.0}, 7800, repeat), 800, 3100));
        }
        const OperatingPoint op = find(points);
        QVERIFY(op.crossing && op.crossingLoad);
        QCOMPARE(op.repeats, 1);
        QVERIFY2(op.sentence.find("noise within this run alone") != std::string::npos, op.sentence.c_str());
    }

    void repeatsThatDisagreeWidenTheIntervals()
    {
        std::vector<PointSummary> points;
        for (int repeat = 0; repeat < 3; ++repeat) {
            const double tokens = 5000 + 500 * repeat;
            points.push_back(withRates(pointAt(32, kTtft1000, {720}, tokens, repeat), 0));
            points.push_back(withRates(pointAt(64, kTtft1000, {1450}, tokens, repeat), 0));
        }
        const OperatingPoint op = find(points);
        // Student's t with two degrees of freedom, 4.303, on the logarithm of 5000, 5500 and 6000.
        const double mean = (std::log(5000) + std::log(5500) + std::log(6000)) / 3;
        double squares = 0;
        for (const double tokens : {5000.0, 5500.0, 6000.0})
            squares += (std::log(tokens) - mean) * (std::log(tokens) - mean);
        const double half = 4.30265 * std::sqrt(squares / 2 / 3);
        QVERIFY(isNear(op.crossingTokensPerS->low, std::exp(mean - half), 0.01));
        QVERIFY(isNear(op.crossingTokensPerS->high, std::exp(mean + half), 0.01));
        QVERIFY2(op.sentence.find("intervals over 3 repeats") != std::string::npos, op.sentence.c_str());
    }

    void anInvalidRepeatIsLeftOut()
    {
        const OperatingPoint op = find({pointAt(32, kTtft1000, {720}, 5600, 0),
                                        invalid(pointAt(32, kTtft1000, {9000}, 1, 1), "generator_bound"),
                                        pointAt(64, kTtft1000, {1450}, 7800)});
        QCOMPARE(*op.lastPassing->outputTokensPerS, 5600.0);
    }

    void theIntervalOfTheQuantileGivesTheRange()
    {
        std::vector<PointSummary> points = workedExample();
        points[0] = withInterval(points[0], 300, 400);
        points[1] = withInterval(points[1], 600, 900);
        points[2] = withInterval(points[2], 1200, 1700);
        points[3] = withInterval(points[3], 2500, 3600);
        for (PointSummary& p : points)
            p = withRates(p, 0);
        const OperatingPoint op = find(points);
        QVERIFY(isNear(op.crossingLoad->low, 32 + 32 * 100.0 / 800));  // upper bounds 900 -> 1700
        QVERIFY(isNear(op.crossingLoad->high, 32 + 32 * 400.0 / 600)); // lower bounds 600 -> 1200
        QVERIFY(isNear(op.crossingTokensPerS->low, 5600 + 2200 / 8.0, 1e-6));
        QVERIFY(op.sentence.find("95 % interval 36 to 53.3") != std::string::npos);
        QVERIFY(op.sentence.find("6,444 tok/s (95 % interval 5,875 to 7,067)") != std::string::npos);
        QVERIFY(op.sentence.find("noise within this run alone") != std::string::npos);
    }

    void theNoiseOfTheThroughputWidensTheCapacity()
    {
        std::vector<PointSummary> points = workedExample();
        for (PointSummary& p : points)
            p = withRates(withInterval(p, *p.slo.constraints[0].value, *p.slo.constraints[0].value), 0.1);
        const OperatingPoint op = find(points);
        const double share = 280.0 / 730; // the crossing is known exactly, the throughputs within 10 % each
        const double half = std::hypot((1 - share) * 560, share * 780);
        QVERIFY(isNear(op.crossingTokensPerS->low, *op.crossing->outputTokensPerS - half, 1e-6));
        QVERIFY(isNear(op.crossingTokensPerS->high, *op.crossing->outputTokensPerS + half, 1e-6));
        points[1].rateIntervals.clear();
        QVERIFY(!find(points).crossingTokensPerS); // nobody knows it
        QVERIFY(find(points).crossingLoad);
    }

    void anIntervalThatBreaksTheLimitEverywhereIsOpenBelow()
    {
        std::vector<PointSummary> points = {withRates(withInterval(pointAt(24, kTtft1000, {990}, 1900), 900, 1050), 0.02),
                                            withRates(withInterval(pointAt(48, kTtft1000, {2000}, 2600), 1800, 2200), 0.02)};
        const OperatingPoint op = find(points);
        QVERIFY(op.crossingLoad->lowOpen && !op.crossingLoad->highOpen);
        QCOMPARE(op.crossingLoad->low, 24.0);
        QVERIFY(op.crossingTokensPerS->lowOpen && !op.crossingTokensPerS->highOpen);
        QVERIFY2(op.sentence.find("(95 % interval below 24 to 26.7)") != std::string::npos, op.sentence.c_str());
    }

    void anIntervalThatCrossesNowhereIsOpenBehindTheLastLevel()
    {
        std::vector<PointSummary> points = workedExample();
        points.resize(3);
        points[1] = withInterval(points[1], 600, 1100);
        points[2] = withInterval(points[2], 900, 1700);
        points[0] = withInterval(points[0], 300, 400);
        const OperatingPoint op = find(points);
        QCOMPARE(op.crossingLoad->high, 64.0);
        QVERIFY(op.crossingLoad->highOpen);
        QVERIFY2(op.sentence.find("to above 64)") != std::string::npos, op.sentence.c_str());
        QVERIFY(isNear(op.crossingLoad->low, 8 + 24 * 600.0 / 700)); // upper bounds 400 -> 1100
    }

    void curvesAreOfSweepsOnly()
    {
        std::vector<PointSummary> points = workedExample();
        for (const TestKind kind : {TestKind::FixedShape, TestKind::BurstRecovery}) {
            PointSummary p = points[0];
            p.point.test = "other";
            p.point.kind = kind;
            points.push_back(p);
        }
        QCOMPARE(makeCurves(points, kTtft1000).size(), std::size_t(1));
    }

    void everyStateHasItsName()
    {
        QCOMPARE(operatingStateId(OperatingState::Found), "found");
        QCOMPARE(operatingStateId(OperatingState::NotReached), "not_reached");
        QCOMPARE(operatingStateId(OperatingState::BelowFirst), "below_first");
        QCOMPARE(operatingStateId(OperatingState::Ambiguous), "ambiguous");
        QCOMPARE(operatingStateId(OperatingState::NoValidPoints), "no_valid_points");
        QCOMPARE(operatingStateId(OperatingState::NotMeasured), "not_measured");
        QCOMPARE(operatingStateId(OperatingState::NoSlo), "no_slo");
    }

    void limitsAreRead()
    {
        QCOMPARE(parseSloLimit("ttft_ms:p99<=1000").value(), (SloLimit{"ttft_ms", 99, 1000}));
        QCOMPARE(parseSloLimit(" tpot_ms : p99.9 <= 49.5 ").value(), (SloLimit{"tpot_ms", 99.9, 49.5}));
        QCOMPARE(parseSloLimit("output_tokens_per_s_user:p95>=20").value(),
                 (SloLimit{"output_tokens_per_s_user", 95, 20}));
    }

    void wrongLimitsAreRefused_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"", "ttft_ms", "ttft_ms<=1000", "ttft_ms:p99", "ttft_ms:99<=1000", "ttft_ms:p99<1000",
              "ttft_ms:p0<=1", "ttft_ms:p100<=1", "ttft_ms:p99<=x", "ttft_ms:p99<=-1", "ttft_ms:p99<=nan",
              "ttft_ms:p99<=1000 ms", "ttft_ms:p99>=1000", "ttfb_ms:p99<=1000",
              "output_tokens_per_s:p99>=1000", "output_tokens_per_s_user:p99<=20"})
            QTest::newRow(text) << QString(text);
    }
    void wrongLimitsAreRefused()
    {
        QFETCH(QString, text);
        const Result<SloLimit> limit = parseSloLimit(text.toStdString());
        QVERIFY(!limit);
        QCOMPARE(limit.error().code, ErrorCode::BadInput);
        QVERIFY(limit.error().message.find("ttft_ms:p99<=1000") != std::string::npos);
    }

    void limitsInWords()
    {
        QCOMPARE(sloSentence({"ttft_ms", 99, 1000}),
                 std::string("99 % of requests see their first token within 1 s"));
        QCOMPARE(sloSentence({"ttft_ms", 99.95, 250}),
                 std::string("99.95 % of requests see their first token within 250 ms"));
        for (const MetricInfo& info : metricCatalogue())
            QVERIFY(!sloSentence({std::string(info.id), 99, 10}).empty());
    }
};

QTEST_GUILESS_MAIN(OperatingPointTest)
#include "tst_operating_point.moc"
