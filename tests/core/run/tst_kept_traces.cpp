// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QtTest>

#include "run/kept_traces.h"
#include "workload/trace/trace_import.h"

#include <filesystem>
#include <fstream>

using namespace tailmark;

/// A matrix names a log by its hash: what is meant does not change with the file.
class KeptTracesTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_file = m_dir->filePath("log.csv").toStdString();
        write("timestamp_ms,prompt_tokens,output_tokens\n0,800,100\n250,6000,20\n");
        m_store = std::make_unique<Store>(Store::open(m_dir->filePath("runs.sqlite").toStdString()).value());
        m_lengths = fileLengths(LengthsKind::Trace, m_file);
    }

    void theHashIsResolved()
    {
        const Result<ReadLengths> read = readLengths(m_lengths, *m_store);
        QVERIFY2(read.ok(), read ? "" : read.error().line().c_str());
        QCOMPARE(read.value().lengths.hash, importTrace(m_file).value().hash);
        QVERIFY(read.value().warning.empty());
        QCOMPARE(read.value().source->parts()[0].pairs.size(), std::size_t(2));
        const Result<ReadLengths> again = readLengths(read.value().lengths, *m_store);
        QVERIFY(again.ok() && again.value().warning.empty());
        QVERIFY(again.value().lengths == read.value().lengths);
    }

    void aChangedFileIsToldAndTheNamedRowsAreTaken()
    {
        const Lengths named = readLengths(m_lengths, *m_store).value().lengths;
        write("timestamp_ms,prompt_tokens,output_tokens\n0,1,1\n");
        const Result<ReadLengths> read = readLengths(named, *m_store);
        QVERIFY2(read.ok(), read ? "" : read.error().line().c_str());
        QVERIFY2(read.value().warning.find("has changed") != std::string::npos, read.value().warning.c_str());
        QVERIFY(read.value().lengths == named);
        QVERIFY((read.value().source->parts()[0].pairs == std::vector<LengthPair>{{800, 100}, {6000, 20}}));
        std::filesystem::remove(m_file);
        const Result<ReadLengths> gone = readLengths(named, *m_store);
        QVERIFY(gone.ok());
        QVERIFY2(gone.value().warning.find("cannot be read") != std::string::npos,
                 gone.value().warning.c_str());
        QCOMPARE(gone.value().source->parts()[0].pairs.size(), std::size_t(2));
    }

    void aHashAloneNamesTheRowsThatAreKept()
    {
        Lengths named = readLengths(m_lengths, *m_store).value().lengths;
        named.file.clear();
        const Result<ReadLengths> read = readLengths(named, *m_store);
        QVERIFY2(read.ok(), read ? "" : read.error().line().c_str());
        QVERIFY(read.value().warning.empty());
        QVERIFY(read.value().lengths == named);
        QVERIFY(read.value().log);
        QVERIFY((read.value().source->parts()[0].pairs == std::vector<LengthPair>{{800, 100}, {6000, 20}}));
        named.hash = std::string(64, '0');
        const Result<ReadLengths> unknown = readLengths(named, *m_store);
        QVERIFY(!unknown.ok());
        QCOMPARE(QString::fromStdString(unknown.error().line()),
                 QStringLiteral("workload.lengths.hash: the log 000000000000… is not kept here; keep it with "
                                "`import-trace FILE --db`, or name its file"));
        QVERIFY(!lookUpLengths(named, nullptr).ok());
    }

    /// Whoever chose the columns by hand gets the same rows of the same file, without a word of a change.
    void chosenColumnsAreNoChange()
    {
        write("when,billed,wished,answered\n0,7,800,100\n250,9,6000,20\n");
        TraceOptions options;
        options.columns = {{Field::Prompt, "wished"}, {Field::Output, "answered"}};
        const Trace chosen = importTrace(m_file, options).value();
        QVERIFY(keepTrace(*m_store, m_file, chosen).ok());
        m_lengths.hash = chosen.hash;
        const Result<ReadLengths> read = readLengths(m_lengths, *m_store);
        QVERIFY2(read.ok(), read ? "" : read.error().line().c_str());
        QCOMPARE(read.value().warning, std::string());
        QVERIFY((read.value().source->parts()[0].pairs == std::vector<LengthPair>{{800, 100}, {6000, 20}}));
        write("when,billed,wished,answered\n0,7,801,100\n250,9,6000,20\n");
        const std::string warning = readLengths(m_lengths, *m_store).value().warning;
        QVERIFY2(warning.find(m_file) != std::string::npos, warning.c_str());
    }

    void lookingUpKeepsNothing()
    {
        const Result<ReadLengths> read = lookUpLengths(m_lengths, m_store.get());
        QVERIFY(read.ok());
        QVERIFY(!m_store->hasTrace(read.value().lengths.hash).value());
        QVERIFY(lookUpLengths(read.value().lengths, nullptr).ok());
        const Lengths named = readLengths(m_lengths, *m_store).value().lengths;
        write("timestamp_ms,prompt_tokens,output_tokens\n0,1,1\n");
        QVERIFY(lookUpLengths(named, m_store.get()).ok());
        const Result<ReadLengths> nowhere = lookUpLengths(named, nullptr);
        QVERIFY(!nowhere.ok());
        QVERIFY2(nowhere.error().message.find("is not kept") != std::string::npos, nowhere.error().message.c_str());
    }

    void aSampleIsNotKeptAndThatIsSaid()
    {
        TraceOptions options;
        options.keepRows = 1;
        const Trace sample = importTrace(m_file, options).value();
        QVERIFY(keepTrace(*m_store, m_file, sample).ok());
        QVERIFY(!m_store->hasTrace(sample.hash).value());
        QCOMPARE(whyNotKept(sample), std::string("is not kept under its hash: of its 2 rows one in 2 is held, and a run "
                                                 "needs the file itself to ask the same again"));
        QVERIFY(whyNotKept(importTrace(m_file).value()).empty());
    }

    void aPlanReadsEachFileOnce()
    {
        Plan plan;
        plan.matrix.workload.lengths = m_lengths;
        plan.points.resize(3);
        for (PointPlan& point : plan.points)
            point.lengths = m_lengths;
        plan.points[1].lengths = fixedLengths(10, 20);
        const auto read = readLengths(plan, [&](const Lengths& named) { return lookUpLengths(named, nullptr); });
        QVERIFY(read.ok());
        QCOMPARE(read.value().size(), std::size_t(2));
        const std::string hash = importTrace(m_file).value().hash;
        QCOMPARE(plan.matrix.workload.lengths.hash, hash);
        QCOMPARE(plan.points[0].lengths.hash, hash);
        QCOMPARE(plan.points[2].lengths.hash, hash);
    }

    void withoutACopyTheChangeIsAnError()
    {
        m_lengths.hash = std::string(64, 'a');
        const Result<ReadLengths> read = readLengths(m_lengths, *m_store);
        QVERIFY(!read.ok());
        QCOMPARE(read.error().code, ErrorCode::BadInput);
        QCOMPARE(read.error().where, m_file);
        QVERIFY2(read.error().message.find("is not kept") != std::string::npos, read.error().message.c_str());
    }

    void whatIsKeptIsWhatWasRead()
    {
        const std::string file = TAILMARK_TEST_DATA "/traces/agent_session.json";
        const Trace trace = importTrace(file).value();
        QVERIFY(keepTrace(*m_store, file, trace).ok());
        QVERIFY(keepTrace(*m_store, file, trace).ok()); // once is enough
        const Result<std::optional<Trace>> kept = keptTrace(*m_store, trace.hash);
        QVERIFY2(kept.ok() && kept.value(), kept ? "not kept" : kept.error().line().c_str());
        QCOMPARE(kept.value()->hash, trace.hash);
        QCOMPARE(kept.value()->format, trace.format);
        QCOMPARE(kept.value()->models, trace.models);
        QCOMPARE(kept.value()->rows.size(), trace.rows.size());
        QCOMPARE(kept.value()->stats.prefix->blockHitRate, trace.stats.prefix->blockHitRate);
        QCOMPARE(kept.value()->stats.sessions->thinkMs->p90, trace.stats.sessions->thinkMs->p90);
        QCOMPARE(m_store->loadTrace(trace.hash).value()->name, std::string("agent_session.json"));
        QVERIFY(!keptTrace(*m_store, "none").value());
    }

    void damageIsFound()
    {
        QVERIFY(m_store->keepTrace({"0123", "x", "azure", 1, "{}", "no rows"}).ok());
        QVERIFY(!keptTrace(*m_store, "0123").ok());
    }

private:
    void write(const std::string& text) { std::ofstream(m_file, std::ios::binary) << text; }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::string m_file;
    std::unique_ptr<Store> m_store;
    Lengths m_lengths;
};

QTEST_GUILESS_MAIN(KeptTracesTest)
#include "tst_kept_traces.moc"
