// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "run/context_fit.h"
#include "run/length_facts.h"
#include "workload/trace/trace_import.h"

#include <fstream>

using namespace tailmark;

class LengthFactsTest : public QObject
{
    Q_OBJECT

private slots:
    void requestsThatWereCutAreCounted()
    {
        Lengths mix;
        mix.kind = LengthsKind::Mix;
        mix.parts = {{"short", 1, fixedLengths(100, 10), {}}, {"long", 1, fixedLengths(5000, 10), {}}};
        const auto stated = makeLengthSource(mix).value();
        const auto sent = fitIntoContext(stated, mix.kind, BeyondContext::Clip, 4096, 0).value().source;
        PointPlan point;
        point.seeds.lengths = 9;
        RecordBatch batch;
        std::uint64_t longOnes = 0;
        for (std::uint32_t i = 0; i < 100; ++i) {
            batch.records.emplace_back().request = i;
            longOnes += stated->partOf(9, i) == 1;
            QCOMPARE(sent->draw(9, i).promptTokens, stated->partOf(9, i) == 1 ? 4086 : 100);
        }
        PointFacts facts;
        StatedLengths(stated, 3).note(point, *sent, batch, facts);
        QVERIFY(longOnes > 30);
        QCOMPARE(facts.clippedRequests, longOnes);
        QCOMPARE(facts.lengths->all.prompt.p99, std::int64_t{5000}); // as stated, not as cut
        QCOMPARE(facts.lengths->all.output.p50, std::int64_t{30});   // of three answers
        QCOMPARE(facts.lengths->parts.size(), std::size_t{2});
        // in the order of a log: what fills the context was cut
        point.sessions.kind = SessionsKind::Trace;
        for (std::uint32_t i = 0; i < 100; ++i) {
            batch.records[i].promptTokensPlanned = i < 7 ? 4086 : 100;
            batch.records[i].outputTokensCap = 30;
        }
        StatedLengths(stated, 3).note(point, *sent, batch, facts);
        QCOMPARE(facts.clippedRequests, std::uint64_t{7});
        PointFacts uncut;
        StatedLengths(stated, 1).note(point, *stated, batch, uncut);
        QCOMPARE(uncut.clippedRequests, std::uint64_t{0});
    }

    void turnsOfAConversationAreLongerThanWhatIsDrawnForThem()
    {
        PointPlan point;
        point.sessions = {SessionsKind::Synthetic, 3};
        const auto stated = makeLengthSource(fixedLengths(100, 10)).value();
        PointFacts facts;
        StatedLengths(stated, 2).note(point, *stated, {}, facts);
        QCOMPARE(facts.lengths->all.prompt.p50, std::int64_t{210});
        QCOMPARE(facts.lengths->all.prompt.max, std::int64_t{320});
        QCOMPARE(facts.lengths->all.output.p50, std::int64_t{20});
    }

    void aStretchOfALogAsksForItsOwnRows()
    {
        QTemporaryDir folder;
        const std::string file = folder.filePath("log.csv").toStdString();
        std::ofstream out(file);
        out << "timestamp_s,prompt_tokens,output_tokens\n";
        for (int i = 0; i < 300; ++i)
            out << i << ',' << (i < 100 ? 100 : i < 200 ? 2000 + i : 9000) << ",50\n";
        out.close();
        const Lengths lengths = fileLengths(LengthsKind::Trace, file);
        const auto log = std::make_shared<const Trace>(importTrace(file).value());
        const StatedLengths stated(makeLengthSource(lengths, *log).value(), 2, log);
        PointPlan point;
        point.lengths = lengths;
        point.process = ArrivalProcess::Recorded;
        const auto askedBy = [&] {
            PointFacts facts;
            stated.note(point, *makeLengthSource(lengths, *log).value(), {}, facts);
            return facts.lengths->all;
        };
        QCOMPARE(askedBy().prompt.max, std::int64_t{9000});
        point.recorded.fromS = 100;
        point.recorded.toS = 200;
        QCOMPARE(askedBy().prompt.p50, std::int64_t{2149});
        QCOMPARE(askedBy().prompt.max, std::int64_t{2199});
        QCOMPARE(askedBy().output.p50, std::int64_t{100});
        point.process = ArrivalProcess::Poisson; // draws from all of it
        QCOMPARE(askedBy().prompt.max, std::int64_t{9000});
    }

    void whatIsDrawnApartAsksForNoCorrelation()
    {
        QTemporaryDir folder;
        const std::string file = folder.filePath("log.csv").toStdString();
        std::ofstream out(file);
        out << "prompt_tokens,output_tokens\n";
        for (int i = 1; i <= 1000; ++i)
            out << i << ',' << i << '\n';
        out.close();
        Lengths lengths = fileLengths(LengthsKind::Trace, file);
        lengths.draw = LengthsDraw::Independent;
        Lengths mix;
        mix.kind = LengthsKind::Mix;
        mix.parts = {{"log", 1, lengths, {}}, {"one", 1, fixedLengths(7, 7), {}}};
        for (const Lengths& each : {lengths, mix}) {
            const auto source = makeLengthSource(each).value();
            PointPlan point;
            point.lengths = each;
            PointFacts facts;
            StatedLengths(source, 1).note(point, *source, {}, facts);
            const LengthFigures& figures =
                each.kind == LengthsKind::Mix ? facts.lengths->parts[0].figures : facts.lengths->all;
            QVERIFY(figures.rankCorrelation.has_value());
            QCOMPARE(*figures.rankCorrelation, 0.0);
        }
    }

    /// Of every kind that is drawn: what is sent never goes beyond the context.
    void everyKindIsCut()
    {
        Lengths tail;
        tail.kind = LengthsKind::Quantiles;
        tail.promptQuantiles = {{"p50", 800}, {"p95", 6000}, {"p99", 24'000}};
        tail.outputQuantiles = {{"p50", 100}, {"p99", 900}};
        Lengths log;
        log.kind = LengthsKind::Trace;
        log.file = TAILMARK_TEST_DATA "/traces/azure_small.csv";
        Lengths mix;
        mix.kind = LengthsKind::Mix;
        mix.parts = {{"tail", 1, tail, {}}, {"log", 1, log, {}}};
        for (const Lengths& lengths : {tail, log, mix}) {
            const auto stated = makeLengthSource(lengths).value();
            QVERIFY(!fitIntoContext(stated, lengths.kind, BeyondContext::Stop, 300, 0).ok());
            const auto fit = fitIntoContext(stated, lengths.kind, BeyondContext::Clip, 300, 0);
            QVERIFY(fit.ok() && !fit.value().remark.empty());
            for (std::uint32_t i = 0; i < 2000; ++i) {
                const LengthPair pair = fit.value().source->draw(1, i);
                QVERIFY(pair.promptTokens >= 1 && pair.outputTokens >= 1 &&
                        pair.promptTokens + pair.outputTokens <= 300);
                QCOMPARE(fit.value().source->partOf(1, i), stated->partOf(1, i));
            }
        }
    }
};

QTEST_GUILESS_MAIN(LengthFactsTest)
#include "tst_length_facts.moc"
