// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>

#include "plan/plan_json.h"
#include "store/store.h"
#include "verify_ok.h"

#include <csignal>
#include <functional>
#include <memory>

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tailmark;

namespace {

Plan planOf(int points)
{
    Plan plan;
    plan.matrix.name = "night";
    plan.matrix.target.baseUrl = "http://127.0.0.1:9/v1";
    plan.matrix.tests.emplace_back();
    for (int i = 0; i < points; ++i) {
        PointPlan point;
        point.index = PointIndex{i};
        point.test = "concurrency_sweep";
        point.concurrency = i + 1;
        point.load = {LoadAxis::Concurrency, double(i + 1)};
        point.durationS = 2;
        plan.points.push_back(point);
    }
    return plan;
}

RequestRecord fullRecord(std::uint32_t request)
{
    RequestRecord r;
    r.request = request;
    r.worker = 3;
    r.phase = 2;
    r.outcome = Outcome::Completed;
    r.finishReason = FinishReason::Length;
    r.stamps = StampSource::Kernel;
    r.newConnection = true;
    r.resentAfterStale = true;
    r.doneSeen = true;
    r.httpStatus = 200;
    r.intended = Nanoseconds(0);
    r.sent = Nanoseconds(1);
    r.headers = Nanoseconds(-2);
    r.firstEvent = Nanoseconds(3);
    r.firstToken = Nanoseconds(4);
    r.firstAnswerToken = Nanoseconds(5);
    r.lastToken = Nanoseconds(6'000'000'000'000);
    r.closed = Nanoseconds(7'000'000'000'000);
    r.connect = Nanoseconds(8);
    r.promptTokensPlanned = 9;
    r.promptTokensClient = 10;
    r.promptTokens = 0;
    r.cachedTokensPlanned = 17;
    r.session = 18;
    r.turn = 0;
    r.outputTokensCap = 11;
    r.outputTokens = 12;
    r.cachedTokens = 0;
    r.tokenEvents = 13;
    r.firstEventTokens = 14;
    r.coalescedEvents = 15;
    r.malformedEvents = 16;
    return r;
}

void compareRecords(const RequestRecord& a, const RequestRecord& b)
{
    QCOMPARE(a.request, b.request);
    QCOMPARE(a.worker, b.worker);
    QCOMPARE(a.phase, b.phase);
    QCOMPARE(a.outcome, b.outcome);
    QCOMPARE(a.finishReason, b.finishReason);
    QCOMPARE(a.stamps, b.stamps);
    QCOMPARE(a.newConnection, b.newConnection);
    QCOMPARE(a.resentAfterStale, b.resentAfterStale);
    QCOMPARE(a.doneSeen, b.doneSeen);
    QCOMPARE(a.httpStatus, b.httpStatus);
    QCOMPARE(a.intended.count(), b.intended.count());
    QCOMPARE(a.sent.count(), b.sent.count());
    QCOMPARE(a.headers.count(), b.headers.count());
    QCOMPARE(a.firstEvent.count(), b.firstEvent.count());
    QCOMPARE(a.firstToken.count(), b.firstToken.count());
    QCOMPARE(a.firstAnswerToken.count(), b.firstAnswerToken.count());
    QCOMPARE(a.lastToken.count(), b.lastToken.count());
    QCOMPARE(a.closed.count(), b.closed.count());
    QCOMPARE(a.connect.count(), b.connect.count());
    QCOMPARE(a.promptTokensPlanned, b.promptTokensPlanned);
    QCOMPARE(a.promptTokensClient, b.promptTokensClient);
    QCOMPARE(a.promptTokens, b.promptTokens);
    QCOMPARE(a.cachedTokensPlanned, b.cachedTokensPlanned);
    QCOMPARE(a.session, b.session);
    QCOMPARE(a.turn, b.turn);
    QCOMPARE(a.outputTokensCap, b.outputTokensCap);
    QCOMPARE(a.outputTokens, b.outputTokens);
    QCOMPARE(a.cachedTokens, b.cachedTokens);
    QCOMPARE(a.tokenEvents, b.tokenEvents);
    QCOMPARE(a.firstEventTokens, b.firstEventTokens);
    QCOMPARE(a.coalescedEvents, b.coalescedEvents);
    QCOMPARE(a.malformedEvents, b.malformedEvents);
}

/// Two records: one with everything, chunks included; one with nothing but an error.
RecordBatch smallBatch()
{
    RecordBatch batch;
    batch.chunks = {{1000, 1, ChunkRecord::Answer}, {4'000'000'000u, 65535, ChunkRecord::Coalesced}};
    batch.errors = {"HTTP 500: \"boom\", line\nbreak; ünïcode"};
    RequestRecord full = fullRecord(0);
    full.chunkBegin = 0;
    full.chunkCount = 2;
    batch.records.push_back(full);
    RequestRecord bare;
    bare.request = 1;
    bare.error = 0;
    batch.records.push_back(bare);
    return batch;
}

#define OPEN(name, ...)                                                                                      \
    Result<Store> name##Result = Store::open(__VA_ARGS__);                                                   \
    QVERIFY2(name##Result.ok(), name##Result.ok() ? "" : name##Result.error().line().c_str());               \
    Store& name = name##Result.value()

} // namespace

class TestStore : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_path = m_dir->filePath(QStringLiteral("deep/er/runs.sqlite")).toStdString();
    }

    void keepsEverythingOfARun();
    void unsetIsNullAndZeroIsZero();
    void recordsWithoutChunks();
    void batchesKeepTheirOrder();
    void listsNewestFirst();
    void libraryChangesStay();
    void deletedRunsAreHiddenThenPurged();
    void aPointThatHasNotStartedHasNoRecords();
    void digestsAreKeptUntilTheirPointIsWrittenAgain();
    void runOfADeadWriterIsInterrupted();
    void liveRunIsRunningForEveryone();
    void finishedRunIsNeverInterrupted();
    void readsWhileAnotherWrites();
    void dataVersionTellsOfEveryCommit();
    void refusesWhatIsNotADatabaseOfOurs_data();
    void refusesWhatIsNotADatabaseOfOurs();
    void aDamagedCardHidesNoRun();
    void tellsWhyItCannotOpen();
    void refusesANewerSchema();
    void bringsAnOlderSchemaUpToDate();
    void runsOfAPairKnowEachOther();
    void baselinesAreKeptByName();
    void refusesAMissingFileForReading();
    void saysWhichRunIsMissing();
    void textsAreKeptWhateverTheyHold();
    void defaultPathFollowsTheDataHome();
    void takesALargeBatch();

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    std::string m_path;
};

void TestStore::keepsEverythingOfARun()
{
    RunId run;
    const Plan plan = planOf(2);
    RunCard card;
    card.type("engine", "vllm");
    card.read("model", "tiny");
    card.type("flags.max_num_seqs", "64");
    PointFacts facts;
    facts.endedS = 7.5;
    facts.cpuCores = 0.25;
    facts.runDelayShare = 0.0;
    facts.loopLagMs = {0.1, 0.30000000000000004};
    facts.newConnections = 5;
    facts.staleConnections = 2;
    facts.generatorNote = "file descriptors ran out";
    facts.cache = {"salted by cache_salt", 11, true};
    facts.endedBy = "count";
    {
        OPEN(store, m_path);
        const Result<RunId> created = store.createRun("first", plan, card, {{"kernel", "6.1"}});
        VERIFY_OK(created);
        run = created.value();
        VERIFY_OK(store.startPoint(run, plan.points[0], "2026-01-01T00:00:00.000Z"));
        VERIFY_OK(store.appendRecords(run, PointIndex{0}, smallBatch()));
        VERIFY_OK(store.finishPoint(run, PointIndex{0}, facts));
        VERIFY_OK(store.startPoint(run, plan.points[1], "2026-01-01T00:00:09.000Z"));
        VERIFY_OK(store.addWarning(run, "the model's context is short"));
        VERIFY_OK(store.addWarning(run, "second"));
        card.read("engine_version", "0.9");
        VERIFY_OK(store.updateCard(run, card));
        VERIFY_OK(store.updateEnvironment(run, {{"kernel", "6.2"}}));
        VERIFY_OK(store.finishRun(run, RunState::Cancelled));
    }
    OPEN(store, m_path, Store::Mode::ReadOnly);
    const Result<StoredRun> loaded = store.loadRun(run);
    VERIFY_OK(loaded);
    const StoredRun& stored = loaded.value();
    QCOMPARE(stored.info.name, std::string("first"));
    QCOMPARE(stored.info.state, RunState::Cancelled);
    QCOMPARE(stored.info.target, plan.matrix.target.baseUrl);
    QCOMPARE(stored.info.engine, std::string("vllm"));
    QCOMPARE(stored.info.model, std::string("tiny"));
    QCOMPARE(stored.info.pointsPlanned, 2);
    QCOMPARE(stored.info.pointsDone, 1);
    QVERIFY(stored.info.startedAt <= stored.info.finishedAt && !stored.info.startedAt.empty());
    QVERIFY(stored.plan == plan);
    QVERIFY(stored.card == card);
    QCOMPARE(stored.environment.dump(), std::string(R"({"kernel":"6.2"})"));
    QCOMPARE(stored.warnings, (std::vector<std::string>{"the model's context is short", "second"}));
    QCOMPARE(stored.points.size(), std::size_t(2));
    QVERIFY(stored.points[0].finished && !stored.points[1].finished);
    QCOMPARE(stored.points[1].startedAt, std::string("2026-01-01T00:00:09.000Z"));
    QVERIFY(stored.points[1].point == plan.points[1]);
    const PointFacts& read = stored.points[0].facts;
    QCOMPARE(read.endedS, 7.5);
    QCOMPARE(read.endedBy, facts.endedBy);
    QVERIFY(read.cpuCores == facts.cpuCores && !read.busiestThreadCpu &&
            read.runDelayShare == facts.runDelayShare);
    QVERIFY(read.loopLagMs == facts.loopLagMs);
    QCOMPARE(read.newConnections, facts.newConnections);
    QCOMPARE(read.staleConnections, facts.staleConnections);
    QVERIFY(read.cache == facts.cache);
    QCOMPARE(read.generatorNote, facts.generatorNote);

    const Result<RecordBatch> records = store.loadRecords(run, PointIndex{0});
    VERIFY_OK(records);
    const RecordBatch& batch = records.value();
    const RecordBatch written = smallBatch();
    QCOMPARE(batch.records.size(), std::size_t(2));
    compareRecords(batch.records[0], written.records[0]);
    compareRecords(batch.records[1], written.records[1]);
    QCOMPARE(batch.errorOf(batch.records[1]), std::string_view(written.errors[0]));
    QCOMPARE(batch.errorOf(batch.records[0]), std::string_view());
    const auto chunks = batch.chunksOf(batch.records[0]);
    QCOMPARE(chunks.size(), std::size_t(2));
    QCOMPARE(chunks[1].sinceSentUs, 4'000'000'000u);
    QCOMPARE(chunks[1].tokens, std::uint16_t(65535));
    QCOMPARE(chunks[1].flags, std::uint16_t(ChunkRecord::Coalesced));
    QCOMPARE(batch.chunksOf(batch.records[1]).size(), std::size_t(0));
}

void TestStore::unsetIsNullAndZeroIsZero()
{
    {
        OPEN(store, m_path);
        const Plan plan = planOf(1);
        const RunId run = store.createRun("n", plan, {}, {}).value();
        VERIFY_OK(store.startPoint(run, plan.points[0], "t"));
        VERIFY_OK(store.appendRecords(run, PointIndex{0}, smallBatch()));
    }
    sqlite3* db = nullptr;
    QCOMPARE(sqlite3_open(m_path.c_str(), &db), SQLITE_OK);
    QString rows;
    const auto collect = [](void* out, int n, char** values, char**) {
        for (int i = 0; i < n; ++i)
            *static_cast<QString*>(out) +=
                QString::fromUtf8(values[i] ? values[i] : "NULL") + QLatin1Char(' ');
        return 0;
    };
    const char* sql = "SELECT worker, http_status, intended_ns, first_token_ns, prompt_tokens, "
                      "cached_tokens, finish_reason, "
                      "outcome, chunks IS NULL FROM records ORDER BY id";
    QCOMPARE(sqlite3_exec(db, sql, collect, &rows, nullptr), SQLITE_OK);
    sqlite3_close(db);
    QCOMPARE(rows, QStringLiteral(
                       "3 200 0 4 0 0 length completed 0 NULL NULL NULL NULL NULL NULL NULL not_sent 1 "));
}

void TestStore::recordsWithoutChunks()
{
    OPEN(store, m_path);
    const Plan plan = planOf(1);
    const RunId run = store.createRun("n", plan, {}, {}).value();
    VERIFY_OK(store.startPoint(run, plan.points[0], "t"));
    VERIFY_OK(store.appendRecords(run, PointIndex{0}, smallBatch()));
    const Result<RecordBatch> batch = store.loadRecords(run, PointIndex{0}, false);
    VERIFY_OK(batch);
    QCOMPARE(batch.value().records.size(), std::size_t(2));
    QVERIFY(batch.value().chunks.empty());
    QCOMPARE(batch.value().records[0].chunkCount, 0u);
    QCOMPARE(batch.value().records[0].tokenEvents, 13);
    QCOMPARE(batch.value().errors.size(), std::size_t(1));
}

void TestStore::batchesKeepTheirOrder()
{
    OPEN(store, m_path);
    const Plan plan = planOf(2);
    const RunId run = store.createRun("n", plan, {}, {}).value();
    VERIFY_OK(store.startPoint(run, plan.points[0], "t"));
    VERIFY_OK(store.startPoint(run, plan.points[1], "t"));
    for (std::uint32_t i : {5u, 2u, 9u}) {
        RecordBatch batch;
        batch.records = {fullRecord(i), fullRecord(i + 100)};
        batch.chunks = {{i, 0, 0}, {i + 1, 0, 0}, {i + 2, 0, 0}};
        batch.records[0].chunkCount = 1;
        batch.records[1].chunkBegin = 1;
        batch.records[1].chunkCount = 2;
        VERIFY_OK(store.appendRecords(run, PointIndex{int(i) % 2}, batch));
    }
    VERIFY_OK(store.appendRecords(run, PointIndex{0}, RecordBatch{}));
    const RecordBatch odd = store.loadRecords(run, PointIndex{1}).value();
    std::vector<std::uint32_t> numbers, stamps;
    for (const RequestRecord& r : odd.records) {
        numbers.push_back(r.request);
        for (const ChunkRecord& c : odd.chunksOf(r))
            stamps.push_back(c.sinceSentUs);
    }
    QCOMPARE(numbers, (std::vector<std::uint32_t>{5, 105, 9, 109}));
    QCOMPARE(stamps, (std::vector<std::uint32_t>{5, 6, 7, 9, 10, 11}));
    QCOMPARE(store.loadRecords(run, PointIndex{0}).value().records.size(), std::size_t(2));
}

void TestStore::listsNewestFirst()
{
    OPEN(store, m_path);
    VERIFY_OK(store.createRun("a", planOf(1), {}, {}));
    VERIFY_OK(store.createRun("b", planOf(3), {}, {}));
    const std::vector<RunInfo> runs = store.listRuns().value();
    QCOMPARE(runs.size(), std::size_t(2));
    QCOMPARE(runs[0].name, std::string("b"));
    QCOMPARE(runs[0].pointsPlanned, 3);
    QCOMPARE(runs[1].name, std::string("a"));
    QVERIFY(runs[1].finishedAt.empty());
}

void TestStore::libraryChangesStay()
{
    OPEN(store, m_path);
    const RunId run = store.createRun("a", planOf(1), {}, {}).value();
    VERIFY_OK(store.renameRun(run, "better"));
    VERIFY_OK(store.setNote(run, "fan was loud"));
    VERIFY_OK(store.setTags(run, {"x", "y", "x"}));
    VERIFY_OK(store.setTags(run, {"night", "h100", "night"}));
    const RunInfo info = store.listRuns().value().front();
    QCOMPARE(info.name, std::string("better"));
    QCOMPARE(info.note, std::string("fan was loud"));
    QCOMPARE(info.tags, (std::vector<std::string>{"h100", "night"}));
}

void TestStore::deletedRunsAreHiddenThenPurged()
{
    OPEN(store, m_path);
    const Plan plan = planOf(1);
    const RunId keep = store.createRun("keep", plan, {}, {}).value();
    const RunId drop = store.createRun("drop", plan, {}, {}).value();
    for (RunId run : {keep, drop}) {
        VERIFY_OK(store.startPoint(run, plan.points[0], "t"));
        VERIFY_OK(store.appendRecords(run, PointIndex{0}, smallBatch()));
    }
    const Status tooEarly = store.deleteRun(drop);
    QVERIFY(!tooEarly.ok());
    QCOMPARE(tooEarly.error().code, ErrorCode::BadInput);
    VERIFY_OK(store.finishRun(drop, RunState::Done));
    VERIFY_OK(store.deleteRun(drop));
    QCOMPARE(store.listRuns().value().size(), std::size_t(1));
    VERIFY_OK(store.undeleteRun(drop));
    QCOMPARE(store.listRuns().value().size(), std::size_t(2));
    VERIFY_OK(store.deleteRun(drop));
    VERIFY_OK(store.purgeDeleted());
    QVERIFY(!store.loadRun(drop).ok());
    QVERIFY(!store.loadRecords(drop, PointIndex{0}).ok());
    QCOMPARE(store.loadRecords(keep, PointIndex{0}).value().records.size(), std::size_t(2));
    // The number of a purged run is never given to another.
    QVERIFY(store.createRun("next", plan, {}, {}).value() > drop);
}

void TestStore::aPointThatHasNotStartedHasNoRecords()
{
    OPEN(store, m_path);
    const Plan plan = planOf(2);
    const RunId run = store.createRun("goes on", plan, {}, {}).value();
    VERIFY_OK(store.startPoint(run, plan.points[0], "t"));
    VERIFY_OK(store.appendRecords(run, PointIndex{0}, smallBatch()));
    const Result<RecordBatch> records = store.loadRecords(run, PointIndex{1});
    QVERIFY2(records.ok(), records.ok() ? "" : records.error().line().c_str());
    QVERIFY(records.value().empty());
    const Result<RecordBatch> none = store.loadRecords(RunId{99}, PointIndex{0});
    QVERIFY(!none.ok());
    QCOMPARE(none.error().code, ErrorCode::BadInput);
    QVERIFY(!store.appendRecords(run, PointIndex{1}, smallBatch()).ok()); // writing needs the start
}

void TestStore::digestsAreKeptUntilTheirPointIsWrittenAgain()
{
    OPEN(store, m_path);
    const Plan plan = planOf(2);
    const RunId run = store.createRun("n", plan, {}, {}).value();
    for (const PointPlan& point : plan.points)
        VERIFY_OK(store.startPoint(run, point, "t"));
    const auto keep = [&](int point, std::string_view part, std::string_view version, std::string_view bytes) {
        return store.keepDigest(run, {point}, part, version, std::as_bytes(std::span(bytes)));
    };
    const auto kept = [&](int point, std::string_view part, std::string_view version) {
        std::string bytes = "never called";
        const Status status = store.readDigest(run, {point}, part, version, [&](std::span<const std::byte> lent) {
            bytes.assign(reinterpret_cast<const char*>(lent.data()), lent.size());
        });
        return status ? QByteArray::fromStdString(bytes) : QByteArray("error");
    };
    VERIFY_OK(keep(0, "a", "1", std::string_view("x\0y", 3)));
    VERIFY_OK(keep(0, "b", "1", "b"));
    VERIFY_OK(keep(1, "a", "1", "another point's"));
    QCOMPARE(kept(0, "a", "1"), QByteArray("x\0y", 3));
    QCOMPARE(kept(0, "b", "1"), QByteArray("b"));
    QCOMPARE(kept(1, "a", "1"), QByteArray("another point's"));
    QCOMPARE(kept(1, "b", "1"), QByteArray());
    QCOMPARE(kept(0, "a", "2"), QByteArray());
    VERIFY_OK(keep(0, "a", "2", "z"));
    QCOMPARE(kept(0, "a", "2"), QByteArray("z"));
    QCOMPARE(kept(0, "a", "1"), QByteArray()); // in its place

    const auto isDropped = [&](const Status& written) {
        const bool dropped = written.ok() && kept(0, "a", "2").isEmpty() && kept(0, "b", "1").isEmpty();
        return dropped && keep(0, "a", "2", "z").ok() && keep(0, "b", "1", "b").ok();
    };
    QVERIFY(isDropped(store.appendRecords(run, {0}, smallBatch())));
    const std::vector<ServerSample> samples{{Nanoseconds(1), ServerCounter::Running, 2}};
    QVERIFY(isDropped(store.appendServerSamples(run, {0}, samples)));
    QVERIFY(isDropped(store.finishPoint(run, {0}, {})));
    QCOMPARE(kept(1, "a", "1"), QByteArray("another point's"));

    VERIFY_OK(store.finishRun(run, RunState::Done));
    VERIFY_OK(store.deleteRun(run));
    VERIFY_OK(store.undeleteRun(run));
    QCOMPARE(kept(0, "a", "2"), QByteArray("z"));
    VERIFY_OK(store.deleteRun(run));
    VERIFY_OK(store.purgeDeleted());
    sqlite3* db = nullptr;
    QCOMPARE(sqlite3_open(m_path.c_str(), &db), SQLITE_OK);
    const auto close = qScopeGuard([&] { sqlite3_close(db); });
    sqlite3_stmt* count = nullptr;
    QCOMPARE(sqlite3_prepare_v2(db, "SELECT count(*) FROM digests", -1, &count, nullptr), SQLITE_OK);
    QCOMPARE(sqlite3_step(count), SQLITE_ROW);
    QCOMPARE(sqlite3_column_int(count, 0), 0);
    sqlite3_finalize(count);
    QCOMPARE(kept(0, "a", "2"), QByteArray("error")); // no such run
}

void TestStore::runOfADeadWriterIsInterrupted()
{
    OPEN(store, m_path);
    // A writer of its own process, killed in the middle of a point.
    int ready[2];
    QCOMPARE(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        Result<Store> writer = Store::open(m_path);
        const Plan plan = planOf(1);
        const RunId run = writer.value().createRun("killed", plan, {}, {}).value();
        (void)writer.value().startPoint(run, plan.points[0], "t");
        (void)writer.value().appendRecords(run, PointIndex{0}, smallBatch());
        (void)!::write(ready[1], "r", 1);
        ::pause();
        ::_exit(0);
    }
    char c = 0;
    QCOMPARE(::read(ready[0], &c, 1), 1);
    QCOMPARE(store.listRuns().value().front().state, RunState::Running);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const RunInfo info = store.listRuns().value().front();
    QCOMPARE(info.state, RunState::Interrupted);
    QCOMPARE(store.loadRun(info.id).value().info.state, RunState::Interrupted);
    QCOMPARE(store.loadRecords(info.id, PointIndex{0}).value().records.size(), std::size_t(2));
    VERIFY_OK(store.deleteRun(info.id));
    ::close(ready[0]);
    ::close(ready[1]);
}

void TestStore::liveRunIsRunningForEveryone()
{
    OPEN(writer, m_path);
    const RunId run = writer.createRun("live", planOf(1), {}, {}).value();
    OPEN(other, m_path);
    OPEN(reader, m_path, Store::Mode::ReadOnly);
    for (int i = 0; i < 3; ++i) { // asking must not take the lock away
        QCOMPARE(writer.listRuns().value().front().state, RunState::Running);
        QCOMPARE(other.listRuns().value().front().state, RunState::Running);
        QCOMPARE(reader.loadRun(run).value().info.state, RunState::Running);
    }
    // A second run of the same writer, finished, leaves the first alone.
    const RunId second = writer.createRun("second", planOf(1), {}, {}).value();
    VERIFY_OK(writer.finishRun(second, RunState::Failed));
    QCOMPARE(reader.listRuns().value()[0].state, RunState::Failed);
    QCOMPARE(reader.listRuns().value()[1].state, RunState::Running);
}

void TestStore::finishedRunIsNeverInterrupted()
{
    {
        OPEN(writer, m_path);
        const RunId run = writer.createRun("done", planOf(1), {}, {}).value();
        VERIFY_OK(writer.finishRun(run, RunState::Done));
    }
    QVERIFY(!QFile::exists(QString::fromStdString(m_path) + QStringLiteral("-writers")));
    OPEN(reader, m_path, Store::Mode::ReadOnly);
    QCOMPARE(reader.listRuns().value().front().state, RunState::Done);
}

void TestStore::readsWhileAnotherWrites()
{
    OPEN(writer, m_path);
    const Plan plan = planOf(1);
    const RunId run = writer.createRun("live", plan, {}, {}).value();
    VERIFY_OK(writer.startPoint(run, plan.points[0], "t"));
    sqlite3* rival = nullptr; // holds the write lock, as a large batch in the making does
    QCOMPARE(sqlite3_open(m_path.c_str(), &rival), SQLITE_OK);
    QCOMPARE(sqlite3_exec(rival, "BEGIN IMMEDIATE; UPDATE runs SET name = 'half'", nullptr, nullptr, nullptr),
             SQLITE_OK);
    OPEN(reader, m_path, Store::Mode::ReadOnly);
    QCOMPARE(reader.loadRun(run).value().info.name, std::string("live"));
    QVERIFY(!reader.renameRun(run, "no").ok());
    QCOMPARE(sqlite3_exec(rival, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(rival);
    QCOMPARE(reader.loadRun(run).value().info.name, std::string("half"));
}

void TestStore::dataVersionTellsOfEveryCommit()
{
    OPEN(writer, m_path);
    OPEN(reader, m_path, Store::Mode::ReadOnly);
    const Plan plan = planOf(1);
    std::int64_t own = writer.dataVersion().value(), others = reader.dataVersion().value();
    QCOMPARE(reader.dataVersion().value(), others);
    RunId run;
    const std::vector<std::function<void()>> changes = {
        [&] { run = writer.createRun("live", plan, {}, {}).value(); },
        [&] { (void)writer.startPoint(run, plan.points[0], "t"); },
        [&] { (void)writer.appendRecords(run, PointIndex{0}, smallBatch()); },
        [&] { (void)writer.finishPoint(run, PointIndex{0}, {}); },
        [&] { (void)writer.setTags(run, {"a"}); },
        [&] { (void)writer.finishRun(run, RunState::Done); },
    };
    for (const auto& change : changes) {
        change();
        QVERIFY(writer.dataVersion().value() > own);
        QVERIFY(reader.dataVersion().value() > others);
        own = writer.dataVersion().value();
        others = reader.dataVersion().value();
    }
}

void TestStore::refusesWhatIsNotADatabaseOfOurs_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("says");
    QTest::newRow("text") << QByteArray("{\"schema_version\": 1}\n").repeated(100)
                          << QStringLiteral("not a Tailmark database");
    QTest::newRow("foreign") << QByteArray("sql:CREATE TABLE moz_places(id)")
                             << QStringLiteral("not a Tailmark database");
    QTest::newRow("damaged") << QByteArray("cut") << QStringLiteral("damaged");
    QTest::newRow("directory") << QByteArray("dir") << QStringLiteral("directory");
}

void TestStore::refusesWhatIsNotADatabaseOfOurs()
{
    QFETCH(QByteArray, content);
    QFETCH(QString, says);
    const QString path = m_dir->filePath(QStringLiteral("x.sqlite"));
    if (content == "dir") {
        QVERIFY(QDir().mkpath(path));
    } else if (content.startsWith("sql:")) {
        sqlite3* db = nullptr;
        QCOMPARE(sqlite3_open(qPrintable(path), &db), SQLITE_OK);
        QCOMPARE(sqlite3_exec(db, content.constData() + 4, nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(db);
    } else {
        if (content == "cut") {
            OPEN(store, path.toStdString());
            VERIFY_OK(store.createRun("n", planOf(1), {}, {}));
        }
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        if (content == "cut") { // a good header, and rubbish where the schema was
            QVERIFY(file.size() > 4096);
            QVERIFY(file.seek(100));
            file.write(QByteArray(3996, '\x5a'));
        } else {
            file.write(content);
        }
    }
    for (Store::Mode mode : {Store::Mode::ReadWrite, Store::Mode::ReadOnly}) {
        const Result<Store> store = Store::open(path.toStdString(), mode);
        QVERIFY(!store.ok());
        QCOMPARE(store.error().code, says == QStringLiteral("damaged") ? ErrorCode::Io : ErrorCode::BadInput);
        QCOMPARE(store.error().where, path.toStdString());
        QVERIFY2(QString::fromStdString(store.error().message).contains(says), store.error().message.c_str());
        QVERIFY(store.error().line().find('\n') == std::string::npos);
    }
}

void TestStore::aDamagedCardHidesNoRun()
{
    const std::string path = m_dir->filePath(QStringLiteral("x.sqlite")).toStdString();
    {
        OPEN(store, path);
        VERIFY_OK(store.createRun("first", planOf(1), {}, {}));
        VERIFY_OK(store.createRun("second", planOf(1), {}, {}));
    }
    sqlite3* db = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    QCOMPARE(sqlite3_exec(db, "UPDATE runs SET card = '{half' WHERE id = 1", nullptr, nullptr, nullptr),
             SQLITE_OK);
    sqlite3_close(db);
    OPEN(store, path);
    const auto runs = store.listRuns();
    VERIFY_OK(runs);
    QCOMPARE(runs.value().size(), std::size_t(2));
}

void TestStore::tellsWhyItCannotOpen()
{
    const Result<Store> store = Store::open("/proc/no-such-place/x.sqlite");
    QVERIFY(!store.ok());
    QCOMPARE(store.error().line(), std::string("/proc/no-such-place/x.sqlite: the folder of the database cannot be made: "
                                               "No such file or directory"));
    const QString folder = m_dir->filePath("read-only");
    QVERIFY(QDir().mkdir(folder));
    QVERIFY(QFile::setPermissions(folder, QFile::ReadOwner | QFile::ExeOwner));
    if (QFileInfo(folder).isWritable())
        QSKIP("whoever runs this may write everywhere: a folder that cannot be written was not tried");
    const std::string file = (folder + "/x.sqlite").toStdString();
    QCOMPARE(Store::open(file).error().line(),
             file + ": the database cannot be made in its folder: Permission denied");
}

void TestStore::refusesANewerSchema()
{
    VERIFY_OK(Store::open(m_path));
    sqlite3* db = nullptr;
    QCOMPARE(sqlite3_open(m_path.c_str(), &db), SQLITE_OK);
    QCOMPARE(sqlite3_exec(db, "PRAGMA user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
    for (Store::Mode mode : {Store::Mode::ReadWrite, Store::Mode::ReadOnly}) {
        const Result<Store> store = Store::open(m_path, mode);
        QVERIFY(!store.ok());
        QVERIFY(store.error().message.find("newer Tailmark") != std::string::npos);
        QVERIFY(store.error().message.find("99") != std::string::npos);
    }
}

void TestStore::bringsAnOlderSchemaUpToDate()
{
    const Plan plan = planOf(1);
    RunId run;
    {
        OPEN(store, m_path);
        run = store.createRun("n", plan, {}, {}).value();
        VERIFY_OK(store.startPoint(run, plan.points[0], "t"));
        VERIFY_OK(store.appendRecords(run, PointIndex{0}, smallBatch()));
        VERIFY_OK(store.finishRun(run, RunState::Done));
    }
    sqlite3* db = nullptr;
    QCOMPARE(sqlite3_open(m_path.c_str(), &db), SQLITE_OK);
    QCOMPARE(sqlite3_exec(db,
                          "ALTER TABLE records DROP COLUMN prompt_tokens_client; DROP TABLE traces; DROP TABLE digests;"
                          "ALTER TABLE runs DROP COLUMN partner; DROP TABLE baselines; PRAGMA user_version = 2",
                          nullptr, nullptr, nullptr),
             SQLITE_OK);
    sqlite3_close(db);
    OPEN(store, m_path);
    RecordBatch batch = store.loadRecords(run, PointIndex{0}).value();
    RecordBatch written = smallBatch();
    QCOMPARE(batch.records.size(), std::size_t(2));
    RequestRecord& old = written.records[0]; // what nobody wrote is not known
    old.promptTokensClient = old.cachedTokensPlanned = old.session = old.turn = kUnknownCount;
    compareRecords(batch.records[0], written.records[0]);
    compareRecords(batch.records[1], written.records[1]);
    QCOMPARE(batch.chunksOf(batch.records[0]).size(), std::size_t(2));
    VERIFY_OK(store.appendRecords(run, PointIndex{0}, smallBatch()));
    batch = store.loadRecords(run, PointIndex{0}, false).value();
    QCOMPARE(batch.records.at(2).promptTokensClient, 10);
    QVERIFY(!store.loadRun(run).value().info.partner);
    QVERIFY(store.baselines().value().empty());
}

void TestStore::runsOfAPairKnowEachOther()
{
    OPEN(store, m_path);
    const RunId a = store.createRun("a", planOf(1), {}, {}).value();
    const RunId b = store.createRun("b", planOf(1), {}, {}).value();
    VERIFY_OK(store.pairRuns(a, b));
    QVERIFY(store.loadRun(a).value().info.partner == b);
    QVERIFY(store.loadRun(b).value().info.partner == a);
    for (const RunInfo& info : store.listRuns().value())
        QVERIFY(info.partner == (info.id == a ? b : a));
    for (const RunId run : {a, b})
        VERIFY_OK(store.finishRun(run, RunState::Done));
    VERIFY_OK(store.deleteRun(b));
    VERIFY_OK(store.purgeDeleted());
    QVERIFY(!store.loadRun(a).value().info.partner); // it is gone
}

void TestStore::baselinesAreKeptByName()
{
    OPEN(store, m_path);
    const RunId a = store.createRun("a", planOf(1), {}, {}).value();
    const RunId b = store.createRun("b", planOf(1), {}, {}).value();
    for (const RunId run : {a, b})
        VERIFY_OK(store.finishRun(run, RunState::Done));
    VERIFY_OK(store.setBaseline("release", a));
    VERIFY_OK(store.setBaseline("nightly", b));
    QVERIFY((store.baselines().value() == std::map<std::string, RunId>{{"nightly", b}, {"release", a}}));
    VERIFY_OK(store.setBaseline("release", b)); // in place of the other
    QVERIFY(store.baselines().value().at("release") == b);
    VERIFY_OK(store.removeBaseline("nightly"));
    QCOMPARE(store.baselines().value().size(), std::size_t(1));
    VERIFY_OK(store.deleteRun(b));
    QVERIFY(store.baselines().value().empty());
    VERIFY_OK(store.undeleteRun(b));
    QCOMPARE(store.baselines().value().size(), std::size_t(1));
    VERIFY_OK(store.deleteRun(b));
    VERIFY_OK(store.purgeDeleted());
    QVERIFY(store.baselines().value().empty());
    QVERIFY(!store.setBaseline("none", RunId{99}).ok());
}

void TestStore::refusesAMissingFileForReading()
{
    const Result<Store> store = Store::open(m_path, Store::Mode::ReadOnly);
    QVERIFY(!store.ok());
    QCOMPARE(store.error().line(), m_path + ": there is no such database");
    QVERIFY(!QFile::exists(QString::fromStdString(m_path)));
    QVERIFY(!Store::open("/proc/no/such/place/runs.sqlite").ok());
}

void TestStore::saysWhichRunIsMissing()
{
    OPEN(store, m_path);
    const Result<StoredRun> run = store.loadRun(RunId{7});
    QVERIFY(!run.ok());
    QCOMPARE(run.error().code, ErrorCode::BadInput);
    QCOMPARE(run.error().message, std::string("there is no run 7"));
    QVERIFY(!store.renameRun(RunId{7}, "x").ok());
    QVERIFY(!store.startPoint(RunId{7}, planOf(1).points[0], "t").ok());
    QVERIFY(!store.addWarning(RunId{7}, "w").ok());
    QVERIFY(!store.setTags(RunId{7}, {"w"}).ok());
}

void TestStore::textsAreKeptWhateverTheyHold()
{
    OPEN(store, m_path);
    RunCard card;
    card.read("model", "a\"b\\c\n\xff\xfe"); // a server may send what is not UTF-8
    const Result<RunId> run =
        store.createRun("Robert'); DROP TABLE runs;-- \xc3\xa4", planOf(1), card, {{"cpu", "\xff"}});
    VERIFY_OK(run);
    const StoredRun stored = store.loadRun(run.value()).value();
    QCOMPARE(stored.info.name, std::string("Robert'); DROP TABLE runs;-- \xc3\xa4"));
    QVERIFY(stored.card.entry("model").value.starts_with("a\"b\\c\n"));
    QVERIFY(stored.info.engine.empty());
}

void TestStore::defaultPathFollowsTheDataHome()
{
    qputenv("XDG_DATA_HOME", "/data");
    QCOMPARE(Store::defaultPath(), std::string("/data/tailmark/runs.sqlite"));
    qputenv("XDG_DATA_HOME", "relative");
    qputenv("HOME", "/home/u");
    QCOMPARE(Store::defaultPath(), std::string("/home/u/.local/share/tailmark/runs.sqlite"));
}

void TestStore::takesALargeBatch()
{
    OPEN(store, m_path);
    const Plan plan = planOf(1);
    const RunId run = store.createRun("n", plan, {}, {}).value();
    VERIFY_OK(store.startPoint(run, plan.points[0], "t"));
    constexpr std::uint32_t kRecords = 100'000, kChunks = 50;
    RecordBatch batch;
    batch.chunks.resize(kRecords * kChunks);
    for (std::uint32_t i = 0; i < kRecords; ++i) {
        batch.records.push_back(fullRecord(i));
        batch.records.back().chunkBegin = i * kChunks;
        batch.records.back().chunkCount = kChunks;
        batch.chunks[i * kChunks + 49].sinceSentUs = i;
    }
    QElapsedTimer timer;
    timer.start();
    VERIFY_OK(store.appendRecords(run, PointIndex{0}, batch));
    const qint64 written = timer.restart();
    const RecordBatch read = store.loadRecords(run, PointIndex{0}).value();
    const qint64 loaded = timer.restart();
    const RecordBatch bare = store.loadRecords(run, PointIndex{0}, false).value();
    qInfo("%u records with %u chunks each: written in %lld ms, read in %lld ms, without chunks in %lld ms",
          kRecords, kChunks, written, loaded, timer.elapsed());
    QCOMPARE(read.records.size(), std::size_t(kRecords));
    QCOMPARE(bare.records.size(), std::size_t(kRecords));
    for (const RequestRecord& r : read.records)
        if (read.chunksOf(r).size() != kChunks || read.chunksOf(r).back().sinceSentUs != r.request)
            QFAIL("a record came back with another's chunks");
}

QTEST_GUILESS_MAIN(TestStore)
#include "tst_store.moc"
