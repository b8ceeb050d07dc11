// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "analysis/point_digest.h"
#include "analysis/reevaluation.h"
#include "analysis/summarize.h"
#include "analysis/summary_bytes.h"
#include "base/rng.h"
#include "record_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>

using namespace tailmark;
using tailmark::test::RecordBuilder;
using tailmark::test::Times;

namespace {

struct Measured
{
    PointPlan plan;
    std::shared_ptr<const RecordBatch> records;
    PointFacts facts;
};

/// A level with all kinds of ends: answers of many latencies, one token, failures, those cut off early and
/// late.
Measured level(int concurrency)
{
    Rng rng(static_cast<std::uint64_t>(concurrency));
    boost::random::uniform_01<double> uniform;
    RecordBuilder b;
    for (int i = 0; i < 1200; ++i) {
        const double at = i * 30 + 3 * uniform(rng);
        const double ttft = -std::log(1 - uniform(rng)) * 10 * concurrency;
        const double kind = uniform(rng);
        if (kind < 0.01)
            b.failed(at, Outcome::ServerError, ttft, 500, "no");
        else if (kind < 0.02)
            b.failed(at, Outcome::Cancelled, 300, 200);
        else if (kind < 0.03)
            b.notSent(at);
        else if (kind < 0.05)
            b.completed(at, Times{ttft}, 1);
        else
            b.completed(at, Times{ttft, ttft + 40, ttft + 90, ttft + 400}, 4, 1);
    }
    Measured m;
    m.plan.test = "sweep";
    m.plan.concurrency = concurrency;
    m.plan.load = {LoadAxis::Concurrency, static_cast<double>(concurrency)};
    m.plan.warmupS = 3;
    m.plan.durationS = 30;
    m.records = std::make_shared<const RecordBatch>(std::move(b.batch));
    m.facts.endedS = 37;
    return m;
}

/// Chance of one seed.
class Dice
{
public:
    explicit Dice(std::uint64_t seed) : m_rng(seed) {}
    double from(double low, double high) { return low + (high - low) * m_uniform(m_rng); }
    bool with(double probability) { return m_uniform(m_rng) < probability; }
    int upTo(int most) { return boost::random::uniform_int_distribution<int>(0, most)(m_rng); }
    double latency(double mean) { return -std::log(1 - m_uniform(m_rng)) * mean; }
    template <typename Container> auto oneOf(const Container& values)
    {
        return values[static_cast<std::size_t>(upTo(static_cast<int>(std::size(values)) - 1))];
    }
    Rng& rng() { return m_rng; }

private:
    Rng m_rng;
    boost::random::uniform_01<double> m_uniform;
};

/// Nothing about it is sure: how many requests, how they end, what of their tokens is known and when they came, in
/// what order they ended, where the window lies and what ended the point.
Measured randomPoint(Dice& dice, int repeat)
{
    RecordBuilder b;
    const int n = dice.upTo(700);
    const double spacingMs = dice.from(1, 60), meanMs = dice.from(0.5, 800);
    const double troubles = dice.with(0.3) ? 0 : dice.from(0, 1), oneToken = dice.from(0, 0.2);
    const double tokensTold = dice.with(0.5) ? 1 : dice.from(0, 1), chunksTold = dice.with(0.5) ? 1 : dice.from(0, 1);
    for (int i = 0; i < n; ++i) {
        const double at = i * spacingMs + dice.from(0, 5 * spacingMs);
        if (dice.with(troubles)) {
            const auto outcome = static_cast<Outcome>(dice.upTo(kOutcomeCount - 1));
            if (outcome == Outcome::NotSent) {
                b.notSent(at);
                continue;
            }
            RequestRecord& r = b.failed(at, outcome, dice.latency(meanMs), dice.with(0.5) ? 200 : 500, "no");
            if (dice.with(0.5)) // had begun to answer
                r.firstToken = r.firstEvent = r.closed;
            if (dice.with(0.3))
                r.outputTokens = dice.upTo(20);
            continue;
        }
        Times times{dice.latency(meanMs)};
        for (int left = dice.with(oneToken) ? 0 : dice.upTo(12); left > 0; --left)
            times.push_back(times.back() + dice.latency(meanMs / 4));
        if (dice.with(chunksTold)) {
            const int tokens = dice.upTo(3); // 0: the size of a chunk is not told
            RequestRecord& r = b.completed(at, times, static_cast<int>(times.size()) * std::max(1, tokens), tokens);
            if (!dice.with(tokensTold))
                r.outputTokens = kUnknownCount;
            else if (dice.with(0.3))
                r.outputTokens += dice.upTo(5);
        } else {
            RequestRecord& r = b.completed(at, Times{}, dice.with(tokensTold) ? dice.upTo(40) : kUnknownCount);
            r.firstToken = r.sent + fromMs(times.front());
            r.lastToken = r.closed = r.sent + fromMs(times.back());
        }
        RequestRecord& r = b.batch.records.back();
        if (dice.with(0.3))
            r.sent += fromMs(dice.from(0, 4));
        if (dice.with(0.02))
            r.httpStatus = 0;
    }
    auto& records = b.batch.records;
    if (dice.with(0.8)) // as they ended, which is the order of a store
        std::ranges::stable_sort(records, {}, [](const RequestRecord& r) { return endTime(r); });
    Measured m;
    m.plan.test = "sweep";
    m.plan.repeat = repeat;
    if (dice.with(0.5))
        m.plan.concurrency = 1 + dice.upTo(3);
    m.plan.load = {LoadAxis::Concurrency, static_cast<double>(1 + dice.upTo(3))};
    const double lengthS = n * spacingMs / 1000;
    m.plan.warmupS = dice.with(0.3) ? 0 : dice.from(0, lengthS / 2);
    m.plan.durationS = dice.from(0, lengthS);
    m.facts.endedS = dice.with(0.2) ? 0 : dice.from(0, 2 * lengthS);
    m.facts.endedBy = dice.with(0.2) ? "count" : "time";
    if (dice.with(0.2))
        m.facts.windowS = dice.from(0, lengthS);
    m.records = std::make_shared<const RecordBatch>(std::move(b.batch));
    return m;
}

constexpr std::array kLimited = {"ttft_ms", "ttft_intended_ms", "tpot_ms", "e2e_ms", "e2e_intended_ms",
                                 "send_lag_ms", "output_tokens_per_s_user", "tokens_per_chunk"};

/// Limits at the percentiles that are asked for.
Slo randomSlo(Dice& dice, const std::vector<double>& percentiles, double meanMs)
{
    Slo slo;
    for (const double percentile : percentiles)
        slo.push_back({dice.oneOf(kLimited), percentile, dice.latency(meanMs)});
    return slo;
}

/// As a store keeps it and another process reads it.
PointSummary fromBytes(const Measured& m, const PointSummary& summary, const Slo& slo, FailureDenominator denominator)
{
    const auto bytesOf = [](const std::string& text) { return std::as_bytes(std::span(text)); };
    const PointFrame frame(m.plan, *m.records, m.facts);
    auto digest = PointDigest::fromBytes(bytesOf(PointDigest(frame, *m.records).bytes()));
    auto read = summaryFromBytes(m.plan, bytesOf(summaryToBytes(summary)));
    if (!digest || !read)
        return {};
    for (const SloLimit& limit : slo) {
        const Metric metric = *metricFromId(limit.metric);
        if (!digest->addColumn(metric, bytesOf(PointDigest::columnBytes(metricColumn(metric, frame)))))
            return {};
    }
    digest->evaluate(slo, denominator, *read);
    return *read;
}

void compareLevels(const std::optional<CapacityAt>& a, const std::optional<CapacityAt>& b)
{
    QVERIFY(a == b);
}

void compareOperatingPoints(const std::vector<PointSummary>& a, const std::vector<PointSummary>& b, const Slo& slo)
{
    const std::vector<Curve> one = makeCurves(a, slo), other = makeCurves(b, slo);
    QCOMPARE(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        const OperatingPoint x = findOperatingPoint(one[i]), y = findOperatingPoint(other[i]);
        QCOMPARE(x.sentence, y.sentence);
        QCOMPARE(x.state, y.state);
        compareLevels(x.lastPassing, y.lastPassing);
        compareLevels(x.firstFailing, y.firstFailing);
        compareLevels(x.crossing, y.crossing);
        QVERIFY(x.crossings == y.crossings);
        QVERIFY(x.failing == y.failing);
        QVERIFY(x.crossingLoad == y.crossingLoad);
        QVERIFY(x.crossingTokensPerS == y.crossingTokensPerS);
    }
}

} // namespace

class ReevaluationTest : public QObject
{
    Q_OBJECT

private slots:
    void saysWhatSummarizeSays_data()
    {
        QTest::addColumn<Slo>("slo");
        QTest::newRow("none") << Slo{};
        QTest::newRow("another limit") << Slo{{"ttft_ms", 99, 400}};
        QTest::newRow("a limit that nobody meets") << Slo{{"ttft_ms", 50, 0.001}};
        QTest::newRow("another percentile") << Slo{{"e2e_ms", 90, 900}};
        QTest::newRow("too few for the percentile") << Slo{{"ttft_ms", 99.99, 900}};
        QTest::newRow("several") << Slo{{"ttft_intended_ms", 95, 500}, {"tpot_ms", 99, 140}};
        QTest::newRow("a rate") << Slo{{"output_tokens_per_s_user", 90, 4}};
        QTest::newRow("gaps between chunks") << Slo{{"chunk_gap_ms", 99, 100}, {"ttft_ms", 99, 400}};
    }
    void saysWhatSummarizeSays()
    {
        QFETCH(Slo, slo);
        for (const FailureDenominator denominator :
             {FailureDenominator::Attempted, FailureDenominator::Accepted}) {
            Reevaluation again(denominator);
            std::vector<PointSummary> expected;
            for (const int concurrency : {4, 8, 16, 32}) {
                const Measured m = level(concurrency);
                const Slo first = {{"ttft_ms", 95, 250}};
                again.add(summarize(m.plan, first, denominator, *m.records, m.facts), m.records, m.facts);
                expected.push_back(summarize(m.plan, slo, denominator, *m.records, m.facts));
            }
            again.under({{"e2e_ms", 50, 3}}); // leaves nothing behind
            const std::vector<PointSummary>& points = again.under(slo);
            QCOMPARE(points.size(), expected.size());
            for (std::size_t i = 0; i < points.size(); ++i) {
                QVERIFY(points[i].slo == expected[i].slo);
                QVERIFY(points[i].verdict == expected[i].verdict);
                QVERIFY(points[i].rates == expected[i].rates);
                QVERIFY(points[i].rateIntervals == expected[i].rateIntervals);
            }
            const std::vector<OperatingPoint> ops = again.operatingPoints(slo);
            QCOMPARE(ops.size(), std::size_t(1));
            QCOMPARE(ops[0].sentence, findOperatingPoint(makeCurves(expected, slo).front()).sentence);
        }
    }

    void saysExactlyTheSameOfAnyRun_data()
    {
        QTest::addColumn<std::uint64_t>("seed");
        for (std::uint64_t seed = 1; seed <= 150; ++seed)
            QTest::addRow("run %d", static_cast<int>(seed)) << seed;
    }
    /// To the last bit of every field, from memory and from bytes. The limits before have the same percentiles, which the
    /// distributions keep.
    void saysExactlyTheSameOfAnyRun()
    {
        QFETCH(std::uint64_t, seed);
        Dice dice(seed);
        const auto denominator = dice.with(0.5) ? FailureDenominator::Attempted : FailureDenominator::Accepted;
        std::vector<double> percentiles;
        for (int left = dice.upTo(3); left > 0; --left)
            percentiles.push_back(dice.oneOf(std::array{50.0, 75.0, 90.0, 99.0, 99.9, dice.from(1, 99)}));
        std::vector<Measured> points;
        for (int left = 1 + dice.upTo(4); left > 0; --left)
            points.push_back(randomPoint(dice, left % 2));
        const Slo before = randomSlo(dice, percentiles, 300);
        Reevaluation again(denominator);
        for (const Measured& m : points)
            again.add(summarize(m.plan, before, denominator, *m.records, m.facts), m.records, m.facts);
        for (int i = 0; i < 4; ++i) {
            const Slo slo = randomSlo(dice, percentiles, dice.latency(500));
            std::vector<PointSummary> full, kept;
            for (const Measured& m : points) {
                full.push_back(summarize(m.plan, slo, denominator, *m.records, m.facts));
                kept.push_back(fromBytes(m, summarize(m.plan, before, denominator, *m.records, m.facts), slo,
                                         denominator));
            }
            const std::vector<PointSummary>& inMemory = again.under(slo);
            for (std::size_t k = 0; k < points.size(); ++k) {
                QVERIFY(full[k].slo == inMemory[k].slo);
                QVERIFY(full[k].verdict == inMemory[k].verdict);
                QVERIFY(full[k].rates == inMemory[k].rates);
                QVERIFY(full[k].rateIntervals == inMemory[k].rateIntervals);
                QCOMPARE(summaryToBytes(inMemory[k]), summaryToBytes(full[k]));
                QCOMPARE(summaryToBytes(kept[k]), summaryToBytes(full[k]));
            }
            compareOperatingPoints(inMemory, full, slo);
            compareOperatingPoints(kept, full, slo);
        }
    }

    void bytesThatAreNotWholeAreNothing()
    {
        const Measured m = level(4);
        const PointFrame frame(m.plan, *m.records, m.facts);
        const PointDigest digest(frame, *m.records);
        const std::string requests = digest.bytes();
        const std::string column = PointDigest::columnBytes(metricColumn(Metric::Ttft, frame));
        const std::string summary =
            summaryToBytes(summarize(m.plan, {{"ttft_ms", 95, 250}}, {}, *m.records, m.facts));
        const auto part = [](const std::string& text, std::size_t n) { return std::as_bytes(std::span(text)).first(n); };
        QVERIFY(PointDigest::fromBytes(part(requests, requests.size())));
        QVERIFY(summaryFromBytes(m.plan, part(summary, summary.size())));
        for (const std::size_t less : {1, 8, 100, 1000}) {
            QVERIFY(!PointDigest::fromBytes(part(requests, requests.size() - less)));
            QVERIFY(!summaryFromBytes(m.plan, part(summary, summary.size() - less)));
        }
        QVERIFY(!PointDigest::fromBytes({}));
        QVERIFY(!summaryFromBytes(m.plan, {}));
        QVERIFY(!PointDigest::fromBytes(part(requests + '\0', requests.size() + 1)));
        QVERIFY(!summaryFromBytes(m.plan, part(summary + '\0', summary.size() + 1)));
        PointDigest read = *PointDigest::fromBytes(part(requests, requests.size()));
        QVERIFY(!read.addColumn(Metric::Ttft, part(column, 800)));
        QVERIFY(!read.addColumn(Metric::Ttft, part(column, column.size() - 1)));
        QVERIFY(read.addColumn(Metric::Ttft, part(column, column.size())));

        // Whatever somebody wrote there is read or refused, and nothing else happens.
        Dice dice(1);
        for (int i = 0; i < 2000; ++i) {
            std::string changed = dice.with(0.5) ? requests.substr(0, 200) + summary : summary;
            for (int k = dice.upTo(4); k >= 0; --k)
                changed[static_cast<std::size_t>(dice.upTo(static_cast<int>(changed.size()) - 1))] =
                    static_cast<char>(dice.upTo(255));
            static_cast<void>(summaryFromBytes(m.plan, part(changed, changed.size())));
            static_cast<void>(PointDigest::fromBytes(part(changed, changed.size())));
        }
    }
};

QTEST_GUILESS_MAIN(ReevaluationTest)
#include "tst_reevaluation.moc"
