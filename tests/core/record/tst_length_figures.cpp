// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "record/length_figures.h"

#include <cmath>

#include <nlohmann/json.hpp>

using namespace tailmark;

class LengthFiguresTest : public QObject
{
    Q_OBJECT

private slots:
    void onePart()
    {
        // 1..100 with outputs falling from 100 to 1
        LengthPart part;
        for (int i = 1; i <= 100; ++i)
            part.pairs.push_back({i, 101 - i});
        const LengthFigures figures = lengthFigures(std::vector<LengthPart>{part});
        QVERIFY((figures.prompt == TokenFigures{50.5, 50, 90, 95, 99, 100}));
        QVERIFY((figures.output == TokenFigures{50.5, 50, 90, 95, 99, 100}));
        QVERIFY(std::abs(*figures.rankCorrelation + 1) < 1e-12);
    }

    /// Ranks of 10, 20, 20, 30 are 1, 2.5, 2.5, 4; of 1, 1, 3, 2: 1.5, 1.5, 4, 3. Deviations from 2.5:
    /// (−1.5, 0, 0, 1.5) and (−1, −1, 1.5, 0.5): 2.25 / sqrt(4.5 × 4.5) = 0.5.
    void tiesTakeMidRanks()
    {
        const std::vector<LengthPair> pairs = {{10, 1}, {20, 1}, {20, 3}, {30, 2}};
        QVERIFY(std::abs(*rankCorrelation(pairs) - 0.5) < 1e-12);
        QVERIFY(!rankCorrelation(std::vector<LengthPair>{{10, 1}, {10, 2}}));
        QVERIFY(!rankCorrelation({}));
    }

    /// Half of the requests are 100 long, 30 % 200 and 20 % 1000 or 3000: p50 100, p90 1000 (0.8 + 0.1), p95 3000.
    void partsCountWithTheirShares()
    {
        const std::vector<LengthPart> parts = {
            {"a", 0.5, {{100, 10}}}, {"b", 0.3, {{200, 10}, {200, 10}, {200, 10}}}, {"c", 0.2, {{1000, 10}, {3000, 10}}}};
        const LengthFigures figures = lengthFigures(parts);
        QCOMPARE(figures.prompt.p50, std::int64_t{100});
        QCOMPARE(figures.prompt.p90, std::int64_t{1000});
        QCOMPARE(figures.prompt.p95, std::int64_t{3000});
        QCOMPARE(figures.prompt.max, std::int64_t{3000});
        QVERIFY(std::abs(figures.prompt.mean - (50 + 60 + 400)) < 1e-9);
        QVERIFY(!figures.rankCorrelation);
        const AskedLengths asked = askedLengths(parts);
        QCOMPARE(asked.parts.size(), std::size_t{3});
        QCOMPARE(asked.parts[2].figures.prompt.p50, std::int64_t{1000});
        QCOMPARE(asked.parts[2].share, 0.2);
    }

    void survivesJson()
    {
        const std::vector<LengthPart> parts = {{"a", 0.5, {{100, 10}, {7, 8}}}, {"b", 0.5, {{200, 10}}}};
        const AskedLengths asked = askedLengths(parts);
        QVERIFY(askedLengthsFromJson(nlohmann::json::parse(askedLengthsToJson(asked).dump())) == asked);
        const AskedLengths fixed = askedLengths(std::vector<LengthPart>{{{}, 1, {{5, 6}}}});
        QVERIFY(fixed.parts.empty());
        QVERIFY(askedLengthsFromJson(nlohmann::json::parse(askedLengthsToJson(fixed).dump())) == fixed);
    }
};

QTEST_GUILESS_MAIN(LengthFiguresTest)
#include "tst_length_figures.moc"
