// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/mix.h"
#include "workload/lengths.h"

#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <cmath>
#include <fstream>
#include <map>

using namespace tailmark;

class LengthsTest : public QObject
{
    Q_OBJECT

private slots:
    void fixed()
    {
        const auto source = makeLengthSource(fixedLengths(100, 20)).value();
        QVERIFY((source->draw(1, 0) == LengthPair{100, 20}));
        QVERIFY((source->draw(9, 12345) == LengthPair{100, 20}));
        QCOMPARE(source->parts()[0].pairs.size(), std::size_t{1});
    }

    void pairsStayTogether()
    {
        const auto source =
            makeLengthSource(fileLengths(LengthsKind::Trace, TAILMARK_TEST_DATA "/traces/azure_small.csv"))
                .value();
        QCOMPARE(source->parts()[0].pairs.size(), std::size_t{8});
        std::map<std::pair<int, int>, int> counts;
        const std::uint32_t n = 80'000;
        for (std::uint32_t i = 0; i < n; ++i) {
            const LengthPair pair = source->draw(1, i);
            QVERIFY(std::find(source->parts()[0].pairs.begin(), source->parts()[0].pairs.end(), pair) != source->parts()[0].pairs.end());
            ++counts[{pair.promptTokens, pair.outputTokens}];
        }
        QCOMPARE(counts.size(), std::size_t{8});
        for (const auto& [pair, count] : counts)
            QVERIFY(std::abs(count - n / 8.0) < 5 * std::sqrt(n / 8.0));
    }

    void aDrawDependsOnSeedAndNumberAlone()
    {
        const Lengths lengths =
            fileLengths(LengthsKind::Trace, TAILMARK_TEST_DATA "/traces/azure_small.csv", "azure");
        const auto a = makeLengthSource(lengths).value(), b = makeLengthSource(lengths).value();
        int different = 0;
        for (std::uint32_t i = 1000; i-- > 0;) {
            QVERIFY(a->draw(7, i) == b->draw(7, i));
            different += a->draw(7, i) != a->draw(8, i);
        }
        QVERIFY(different > 800); // 7 of 8
    }

    void refusedRowsAreTold()
    {
        QTemporaryDir dir;
        const std::string file = dir.filePath("t.csv").toStdString();
        std::ofstream(file) << "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.97,374,44\n"
                               "soon,1,2\n2023-11-16 18:17:04.03,-3,109\n";
        const auto source = makeLengthSource(fileLengths(LengthsKind::Trace, file));
        QVERIFY(source.ok());
        QCOMPARE(source.value()->parts()[0].pairs.size(), std::size_t{1});
        QCOMPARE(source.value()->remark(),
                 file + ": 2 of 3 rows were refused, lengths are drawn from the others; the first: line 3: "
                        "timestamp bad_timestamp");
        QCOMPARE(makeLengthSource(fixedLengths(1, 1)).value()->remark(), std::string());
        QCOMPARE(
            makeLengthSource(fileLengths(LengthsKind::Trace, TAILMARK_TEST_DATA "/traces/azure_small.csv"))
                .value()
                ->remark(),
            std::string());
    }

    void pairsOfAFileNeedNoHeader()
    {
        QTemporaryDir dir;
        const std::string file = dir.filePath("pairs.csv").toStdString();
        for (const char* text : {"800,100\n6000,20\n", "prompt_tokens,output_tokens\n800,100\n6000,20\n",
                                 "{\"prompt_tokens\": 800, \"output_tokens\": 100}\n"
                                 "{\"prompt_tokens\": 6000, \"output_tokens\": 20}\n"}) {
            std::ofstream(file) << text;
            const auto source = makeLengthSource(fileLengths(LengthsKind::Empirical, file));
            QVERIFY2(source.ok(), source ? "" : source.error().line().c_str());
            QVERIFY((source.value()->parts()[0].pairs == std::vector<LengthPair>{{800, 100}, {6000, 20}}));
        }
        // A log without a header is no table of pairs where arrivals are wanted.
        std::ofstream(file) << "800,100\n6000,20\n";
        QVERIFY(!makeLengthSource(fileLengths(LengthsKind::Trace, file)).ok());
    }

    void independentDrawsLoseTheRelation()
    {
        QTemporaryDir dir;
        const std::string file = dir.filePath("pairs.csv").toStdString();
        std::ofstream(file) << "100,1\n200,2\n300,3\n400,4\n";
        Lengths lengths;
        lengths.kind = LengthsKind::Empirical;
        lengths.file = file;
        const auto joint = makeLengthSource(lengths).value();
        lengths.draw = LengthsDraw::Independent;
        const auto independent = makeLengthSource(lengths).value();
        std::map<std::pair<int, int>, int> counts;
        for (std::uint32_t i = 0; i < 16'000; ++i) {
            const LengthPair row = joint->draw(1, i);
            QCOMPARE(row.promptTokens, 100 * row.outputTokens);
            const LengthPair pair = independent->draw(1, i);
            ++counts[{pair.promptTokens, pair.outputTokens}];
            QVERIFY(pair == independent->draw(1, i));
        }
        QCOMPARE(counts.size(), std::size_t{16}); // every prompt with every output
        QCOMPARE(independent->parts()[0].pairs.size(), std::size_t{16});
        QVERIFY(std::abs(*rankCorrelation(independent->parts()[0].pairs)) < 1e-9);
        QVERIFY(std::abs(*rankCorrelation(joint->parts()[0].pairs) - 1) < 1e-9);
        for (const auto& [pair, count] : counts)
            QVERIFY(std::abs(count - 1000) < 5 * std::sqrt(1000.0));
    }

    void aMixDrawsPartsByTheirWeights()
    {
        Lengths mix;
        mix.kind = LengthsKind::Mix;
        mix.parts = {{"chat", 50, fixedLengths(500, 200), {}},
                     {"rag", 35, fixedLengths(4000, 300), {}},
                     {"documents", 15, fixedLengths(20'000, 600), {}}};
        const auto source = makeLengthSource(mix).value();
        QCOMPARE(source->parts().size(), std::size_t{3});
        QCOMPARE(source->parts()[1].name, std::string("rag"));
        QCOMPARE(source->parts()[1].share, 0.35);
        std::array<int, 3> counts{};
        for (std::uint32_t i = 0; i < 20'000; ++i) {
            const std::size_t part = source->partOf(3, i);
            ++counts[part];
            QVERIFY(source->draw(3, i) == source->parts()[part].pairs[0]);
        }
        // 3 sigma of a binomial count: 212, 202, 152
        QVERIFY(std::abs(counts[0] - 10'000) < 212);
        QVERIFY(std::abs(counts[1] - 7'000) < 202);
        QVERIFY(std::abs(counts[2] - 3'000) < 152);
        QCOMPARE(makeLengthSource(fixedLengths(1, 1)).value()->partOf(3, 1), std::size_t{0});
    }

    void thePrefixOfAPartWins()
    {
        PointPlan point;
        point.prefix = {PrefixKind::Shared, 100, 1, 1};
        QVERIFY(&prefixOf(point, 5) == &point.prefix);
        point.lengths.kind = LengthsKind::Mix;
        point.lengths.parts = {{"a", 1, fixedLengths(1, 1), {}},
                               {"b", 1, fixedLengths(2, 2), Prefix{PrefixKind::Shared, 700, 3, 0.5}}};
        point.seeds.lengths = 11;
        int ofB = 0;
        for (std::uint32_t i = 0; i < 100; ++i) {
            const bool b = partOf(point.lengths, 11, i) == 1;
            ofB += b;
            QCOMPARE(prefixOf(point, i).sharedTokens, b ? 700 : 100);
        }
        QVERIFY(ofB > 30 && ofB < 70);
    }

    void codePointsAreSaidToBeTakenAsTokens()
    {
        const std::string file = TAILMARK_TEST_DATA "/traces/conversations.json";
        const auto source = makeLengthSource(fileLengths(LengthsKind::Trace, file));
        QVERIFY(source.ok());
        QVERIFY(source.value()->remark().ends_with("; its lengths are unicode code points, taken as tokens"));
    }

    void errorsNameFileAndLine()
    {
        const auto missing = makeLengthSource(fileLengths(LengthsKind::Trace, "no-such.csv"));
        QVERIFY(!missing.ok());
        QCOMPARE(missing.error().where, std::string("no-such.csv"));

        QTemporaryDir dir;
        const std::string path = dir.filePath("a.csv").toStdString();
        std::ofstream(path) << "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                               "2025-01-01 00:00:00,10,1\n"
                               "2025-01-01 00:00:01,2000001,1\n";
        const auto tooLong = makeLengthSource(fileLengths(LengthsKind::Trace, path));
        QVERIFY(!tooLong.ok());
        QCOMPARE(tooLong.error().where, path + ":3");
    }
};

QTEST_GUILESS_MAIN(LengthsTest)
#include "tst_lengths.moc"
