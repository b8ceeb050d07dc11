// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "workload/length_preview.h"

#include <cmath>
#include <numeric>

using namespace tailmark;

class LengthPreviewTest : public QObject
{
    Q_OBJECT

private slots:
    void fixedLengthsHaveOneBinAndOnePoint()
    {
        const LengthPreview preview = previewLengths(*makeLengthSource(fixedLengths(512, 128)).value());
        QVERIFY((preview.prompt.edges == std::vector<std::int64_t>{512, 513}));
        QVERIFY((preview.prompt.shares == std::vector<double>{1}));
        QCOMPARE(preview.scatter.size(), std::size_t{1});
        QVERIFY((preview.scatter[0].pair == LengthPair{512, 128}));
        QCOMPARE(preview.figures.all.prompt.p99, std::int64_t{512});
        QVERIFY(!preview.figures.all.rankCorrelation);
    }

    void aMixShowsEachPartByItsShare()
    {
        Lengths tail;
        tail.kind = LengthsKind::Quantiles;
        tail.promptQuantiles = {{"p50", 800}, {"p99", 24'000}};
        tail.outputQuantiles = {{"p50", 100}, {"p99", 900}};
        Lengths mix;
        mix.kind = LengthsKind::Mix;
        mix.parts = {{"tail", 3, tail, {}}, {"fixed", 1, fixedLengths(4000, 10), {}}};
        const auto source = makeLengthSource(mix).value();
        const LengthPreview preview = previewLengths(*source);
        QCOMPARE(preview.figures.parts.size(), std::size_t{2});
        QCOMPARE(preview.figures.parts[0].figures.prompt.p99, std::int64_t{24'000});
        QCOMPARE(preview.scatter.size(), std::size_t{751}); // the fixed part has one pair only
        for (const LengthHistogram* h : {&preview.prompt, &preview.output}) {
            QCOMPARE(h->edges.size(), h->shares.size() + 1);
            QVERIFY(std::is_sorted(h->edges.begin(), h->edges.end()));
            QVERIFY(std::abs(std::accumulate(h->shares.begin(), h->shares.end(), 0.0) - 1) < 1e-9);
        }
        // a quarter of the requests is in the bin of 4000
        double most = 0;
        for (std::size_t i = 0; i < preview.prompt.shares.size(); ++i)
            if (preview.prompt.edges[i] <= 4000 && preview.prompt.edges[i + 1] > 4000)
                most = preview.prompt.shares[i];
        QVERIFY(most >= 0.25 && most < 0.4);
    }
};

QTEST_GUILESS_MAIN(LengthPreviewTest)
#include "tst_length_preview.moc"
