// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/gap_tally.h"
#include "analysis/metrics.h"
#include "record_builder.h"

#include <set>

#include <QTest>

using namespace tailmark;
using tailmark::test::RecordBuilder;
using tailmark::test::Times;

namespace {

std::vector<double> gapsOf(const RecordBatch& batch)
{
    GapTally tally;
    for (const RequestRecord& r : batch.records)
        tally.add(batch.chunksOf(r));
    std::vector<double> gaps;
    for (const WeightedValue& v : tally.gapsMs())
        gaps.insert(gaps.end(), v.weight, v.value);
    return gaps;
}

} // namespace

class MetricsTest : public QObject
{
    Q_OBJECT

private slots:
    void catalogueIsComplete()
    {
        std::set<std::string_view> ids;
        for (const MetricInfo& info : metricCatalogue()) {
            QVERIFY(ids.insert(info.id).second);
            QVERIFY(!info.title.empty());
            QVERIFY(!info.abbreviation.empty());
            QVERIFY(info.definition.size() > 20);
            QCOMPARE(&metricInfo(info.metric), &info);
            QCOMPARE(*metricFromId(info.id), info.metric);
        }
        for (const char* id :
             {"ttft_ms", "ttft_intended_ms", "tpot_ms", "chunk_gap_ms", "itl_ms", "e2e_ms", "e2e_intended_ms",
              "send_lag_ms", "output_tokens_per_s_user", "output_tokens_per_s", "requests_per_s",
              "offered_per_s", "sent_per_s", "accepted_per_s", "completed_per_s", "goodput_requests_per_s",
              "goodput_tokens_per_s", "slo_attainment", "tokens_per_chunk"})
            QVERIFY2(ids.contains(id), id);
        QVERIFY(!metricFromId("ttft"));
    }

    void timesOfOneRequest()
    {
        RecordBuilder b;
        RequestRecord& r = b.completed(1000, Times{400, 420, 450}, 4);
        r.intended = fromMs(990);
        QCOMPARE(*requestValue(Metric::Ttft, r), 400.0);
        QCOMPARE(*requestValue(Metric::TtftIntended, r), 410.0);
        QCOMPARE(*requestValue(Metric::E2e, r), 450.0);
        QCOMPARE(*requestValue(Metric::E2eIntended, r), 460.0);
        QCOMPARE(*requestValue(Metric::SendLag, r), 10.0);
        QVERIFY(qFuzzyCompare(*requestValue(Metric::Tpot, r), 50.0 / 3));
        QVERIFY(qFuzzyCompare(*requestValue(Metric::OutputTokensPerSUser, r), 4 / 0.450));
        QVERIFY(qFuzzyCompare(*requestValue(Metric::TokensPerChunk, r), 4 / 3.0));
        QVERIFY(!requestValue(Metric::OutputTokensPerS, r)); // no value of one request
    }

    void theEndOfTheStreamLengthensNothing()
    {
        RecordBuilder b;
        RequestRecord& r = b.completed(0, Times{400, 420, 450}, 4);
        r.closed = fromMs(900); // a late usage chunk
        QCOMPARE(*requestValue(Metric::E2e, r), 450.0);
    }

    void connectingIsNoSendLag()
    {
        RecordBuilder b;
        RequestRecord& r = b.completed(0, 10, 20);
        r.sent = fromMs(55);
        r.connect = fromMs(50);
        QCOMPARE(*requestValue(Metric::SendLag, r), 5.0);
    }

    void absentMomentsGiveNoValue()
    {
        RecordBuilder b;
        const RequestRecord& r = b.failed(0, Outcome::NoContent, 100, 200);
        for (const Metric metric :
             {Metric::Ttft, Metric::TtftIntended, Metric::Tpot, Metric::E2e, Metric::E2eIntended,
              Metric::OutputTokensPerSUser, Metric::TokensPerChunk})
            QVERIFY(!requestValue(metric, r));
    }

    void firstGapIsNotThePrefill()
    {
        RecordBuilder b;
        b.completed(0, Times{500, 520, 540}, 3);
        QCOMPARE(gapsOf(b.batch), (std::vector<double>{20, 20}));
    }

    void chunksThatCarryMoreThanOneToken()
    {
        RecordBuilder b;
        const RequestRecord& r = b.completed(0, Times{100, 130, 160, 190}, 13);
        QCOMPARE(*requestValue(Metric::Tpot, r), 7.5);
        QCOMPARE(*requestValue(Metric::TokensPerChunk, r), 13 / 4.0);
        QCOMPARE(gapsOf(b.batch), (std::vector<double>{30, 30, 30}));
    }

    void tokensOfTheFirstEventAreNotDividedOver()
    {
        RecordBuilder b;
        RequestRecord& r = b.completed(0, Times{100, 160}, 8, 2);
        r.firstEventTokens = 2;
        QCOMPARE(*requestValue(Metric::Tpot, r), 10.0);
    }

    void emptyChunksAreNoTokenEvents()
    {
        RecordBuilder b;
        const RequestRecord& r = b.completed(0, Times{110, 160}, 6);
        QCOMPARE(*requestValue(Metric::Tpot, r), 10.0);
        QCOMPARE(gapsOf(b.batch), (std::vector<double>{50}));
    }

    void severalEventsInOneReadHaveNoNegativeGap()
    {
        RecordBuilder b;
        b.completed(0, Times{400, 400, 400}, 4);
        QCOMPARE(gapsOf(b.batch), (std::vector<double>{0, 0}));
    }

    void timePerTokenLeavesTheFirstTokenOut()
    {
        RecordBuilder b;
        std::vector<double> tokens;
        for (int i = 0; i <= 10; ++i)
            tokens.push_back(1100 + 100 * i);
        const RequestRecord& r = b.completed(0, tokens, 11);
        QCOMPARE(*requestValue(Metric::E2e, r), 2100.0);
        QCOMPARE(*requestValue(Metric::Tpot, r), 100.0); // not 2100 / 11
    }

    void oneTokenHasNoTimePerToken()
    {
        RecordBuilder b;
        QVERIFY(!requestValue(Metric::Tpot, b.completed(0, Times{250}, 1)));
    }

    void oneEventThatCarriedEverythingHasNoTimePerToken()
    {
        RecordBuilder b;
        QVERIFY(!requestValue(Metric::Tpot, b.completed(0, Times{250}, 40)));
        RequestRecord& all = b.completed(0, Times{250, 260}, 40);
        all.firstEventTokens = 40;
        QVERIFY(!requestValue(Metric::Tpot, all));
    }

    void tokensAreThoseTheServerCounted()
    {
        RecordBuilder b;
        std::vector<double> blanks;
        for (int i = 0; i < 100; ++i)
            blanks.push_back(50 + 3 * i);
        const RequestRecord& r = b.completed(0, blanks, 100);
        QCOMPARE(*requestValue(Metric::Tpot, r), 3.0);
    }

    void gapsByTokenAreWeightedByThem()
    {
        RecordBuilder b;
        b.completed(0, Times{100, 130, 160}, 7, 0);
        b.batch.chunks[0].tokens = 1;
        b.batch.chunks[1].tokens = 2;
        b.batch.chunks[2].tokens = 4;
        GapTally tally;
        tally.add(b.batch.chunksOf(b.batch.records[0]));
        const std::vector<WeightedValue> itl = tally.itlMs();
        QCOMPARE(itl.size(), std::size_t(2));
        QCOMPARE(itl[0].value, 7.5);
        QCOMPARE(itl[0].weight, std::uint64_t(4));
        QCOMPARE(itl[1].value, 15.0);
        QCOMPARE(itl[1].weight, std::uint64_t(2));
    }

    void gapsOfSeveralChoicesAreTheirOwn()
    {
        // two answers to one request, 20 ms a token each, half a step apart
        std::vector<ChunkRecord> chunks;
        for (std::uint32_t i = 0; i < 4; ++i) {
            chunks.push_back({100'000 + i * 20'000, 1, ChunkRecord::Answer});
            chunks.push_back({110'000 + i * 20'000, 1, ChunkRecord::Answer | 1 << ChunkRecord::kChoiceShift});
        }
        GapTally tally;
        tally.add(chunks);
        const std::vector<WeightedValue> gaps = tally.gapsMs();
        QCOMPARE(gaps.size(), std::size_t{1});
        QCOMPARE(gaps[0].value, 20.0);
        QCOMPARE(gaps[0].weight, std::uint64_t{6});
    }

    void oneChunkOfUnknownSizeLeavesTheRequestOut()
    {
        RecordBuilder b;
        b.completed(0, Times{100, 130, 160}, 3, 1);
        b.batch.chunks[1].tokens = 0;
        GapTally tally;
        tally.add(b.batch.chunksOf(b.batch.records[0]));
        QVERIFY(tally.itlMs().empty());
        QCOMPARE(tally.gapsMs().size(), std::size_t(1));
    }

    void manyDifferentGapsAreAllCounted()
    {
        RecordBuilder b;
        std::vector<double> times;
        double t = 0;
        for (int i = 0; i < 5000; ++i)
            times.push_back(t += 0.001 * (i + 1));
        b.completed(0, times, 5000);
        const std::vector<double> gaps = gapsOf(b.batch);
        QCOMPARE(gaps.size(), std::size_t(4999));
        QCOMPARE(gaps.front(), 0.002);
        QCOMPARE(gaps.back(), 5.0);
    }

    void headlineIsTheUsersViewInAnOpenLoop()
    {
        QCOMPARE(headlineMetric(true), Metric::TtftIntended);
        QCOMPARE(headlineMetric(false), Metric::Ttft);
    }
};

QTEST_GUILESS_MAIN(MetricsTest)
#include "tst_metrics.moc"
