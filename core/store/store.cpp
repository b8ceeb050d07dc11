// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/store.h"

#include "base/clock.h"
#include "plan/plan_json.h"
#include "store/record_rows.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/writer_lock.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <sqlite3.h>
#include <unistd.h>

namespace tailmark {

namespace {

constexpr std::array<const char*, 5> kStateIds = {"running", "done", "cancelled", "failed", "interrupted"};

RunState stateFromId(std::string_view id)
{
    for (std::size_t i = 0; i < kStateIds.size(); ++i)
        if (id == kStateIds[i])
            return static_cast<RunState>(i);
    return RunState::Failed;
}

/// Text that a server sent may not be UTF-8; it is kept readable rather than refused.
std::string dumped(const nlohmann::json& json)
{
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> counterIds(const std::vector<ServerCounter>& counters)
{
    std::vector<std::string> ids;
    for (const ServerCounter counter : counters)
        ids.emplace_back(serverCounterInfo(counter).id);
    return ids;
}

std::string textOf(const Plan& plan)
{
    return planToJson(plan).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::json coldStartJson(const std::optional<ColdStartFacts>& facts)
{
    if (!facts)
        return nullptr;
    return {{"command", facts->command},
            {"connected_s", facts->connectedS},
            {"ready_s", facts->readyS},
            {"requests_from_s", facts->requestsFromS},
            {"failed_attempts", facts->failedAttempts}};
}

std::optional<ColdStartFacts> coldStartFromJson(const nlohmann::json& json)
{
    if (json.is_null())
        return std::nullopt;
    ColdStartFacts facts;
    facts.command = json.at("command");
    facts.connectedS = json.at("connected_s");
    facts.readyS = json.at("ready_s");
    facts.requestsFromS = json.at("requests_from_s");
    facts.failedAttempts = json.at("failed_attempts");
    return facts;
}

std::string factsText(const PointFacts& facts)
{
    const auto orNull = [](const std::optional<double>& value) {
        return value ? nlohmann::json(*value) : nlohmann::json();
    };
    nlohmann::json json = {{"ended_s", facts.endedS},
                       {"ended_by", facts.endedBy},
                       {"window_s", facts.windowS},
                       {"window_note", facts.windowNote},
                       {"cpu_cores", orNull(facts.cpuCores)},
                       {"busiest_thread_cpu", orNull(facts.busiestThreadCpu)},
                       {"run_delay_share", orNull(facts.runDelayShare)},
                       {"loop_lag_ms", facts.loopLagMs},
                       {"new_connections", facts.newConnections},
                       {"stale_connections", facts.staleConnections},
                       {"generator_note", facts.generatorNote},
                       {"thread_cpu", facts.threadCpu},
                       {"timer_lag_ms", facts.timerLagMs},
                       {"counted_at_request_end", counterIds(facts.countedAtRequestEnd)},
                       {"server_note", facts.serverNote},
                       {"clipped_requests", facts.clippedRequests},
                       {"cache",
                        {{"made", facts.cache.made},
                         {"overhead_tokens", facts.cache.overheadTokens ? nlohmann::json(*facts.cache.overheadTokens)
                                                                        : nlohmann::json()},
                         {"absent_is_zero", facts.cache.absentIsZero}}},
                       {"cold_start", coldStartJson(facts.coldStart)}};
    if (facts.lengths)
        json["lengths"] = askedLengthsToJson(*facts.lengths);
    if (facts.foreign)
        json["foreign"] = foreignToJson(*facts.foreign);
    return dumped(json);
}

PointFacts factsFromText(const std::string& text)
{
    PointFacts facts;
    try {
        const nlohmann::json json = nlohmann::json::parse(text);
        const auto number = [&](const char* key) {
            const nlohmann::json& value = json.at(key);
            return value.is_null() ? std::nullopt : std::optional(value.get<double>());
        };
        facts.endedS = json.at("ended_s");
        facts.endedBy = json.at("ended_by");
        facts.cpuCores = number("cpu_cores");
        facts.busiestThreadCpu = number("busiest_thread_cpu");
        facts.runDelayShare = number("run_delay_share");
        facts.loopLagMs = json.at("loop_lag_ms").get<std::vector<double>>();
        facts.newConnections = json.at("new_connections");
        facts.staleConnections = json.at("stale_connections");
        facts.generatorNote = json.at("generator_note");
        // not in facts that an older version wrote
        facts.windowS = json.value("window_s", facts.windowS);
        facts.windowNote = json.value("window_note", facts.windowNote);
        facts.threadCpu = json.value("thread_cpu", facts.threadCpu);
        facts.timerLagMs = json.value("timer_lag_ms", facts.timerLagMs);
        facts.serverNote = json.value("server_note", facts.serverNote);
        for (const std::string& id : json.value("counted_at_request_end", std::vector<std::string>()))
            if (const std::optional<ServerCounter> counter = serverCounterFromId(id))
                facts.countedAtRequestEnd.push_back(*counter);
        facts.clippedRequests = json.value("clipped_requests", facts.clippedRequests);
        if (const auto lengths = json.find("lengths"); lengths != json.end())
            facts.lengths = askedLengthsFromJson(*lengths);
        if (const auto cache = json.find("cache"); cache != json.end()) { // not in the first versions
            facts.cache.made = cache->at("made");
            if (const nlohmann::json& overhead = cache->at("overhead_tokens"); !overhead.is_null())
                facts.cache.overheadTokens = overhead.get<int>();
            facts.cache.absentIsZero = cache->at("absent_is_zero");
        }
        facts.coldStart = coldStartFromJson(json.value("cold_start", nlohmann::json()));
        if (const auto foreign = json.find("foreign"); foreign != json.end())
            facts.foreign = foreignFromJson(*foreign);
    } catch (const nlohmann::json::exception&) {
        // Someone wrote into the file: what could be read stands, the rest is as if it had not been told.
    }
    return facts;
}

/// In WAL mode even reading needs files beside the database, which cannot be had in a folder that cannot be
/// written.
bool lacksFilesBeside(const sqlite::Connection& db)
{
    if (db.query("SELECT count(*) FROM sqlite_schema", [](const sqlite::Statement&) {}))
        return false;
    const int code = sqlite3_errcode(db.handle());
    return code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
}

/// Why there is no file to write; absent where the place is not to blame. SQLite tells of a second attempt, which
/// only reads and finds nothing. `folder`: how making the folder ended.
std::optional<Error> whyNotMade(const std::filesystem::path& file, const std::error_code& folder)
{
    if (folder)
        return Error{ErrorCode::Io, file.string(), "the folder of the database cannot be made: " + folder.message()};
    std::error_code code;
    const std::string parent = file.has_parent_path() ? file.parent_path().string() : ".";
    if (std::filesystem::exists(file, code) || ::access(parent.c_str(), W_OK | X_OK) == 0)
        return std::nullopt;
    return Error{ErrorCode::Io, file.string(),
                 "the database cannot be made in its folder: " + std::generic_category().message(errno)};
}

/// Nothing is left in a log of changes: the file alone tells everything.
bool isClosed(const std::string& path)
{
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(path + "-wal", code);
    return code || size == 0;
}

} // namespace

const char* runStateId(RunState state)
{
    return kStateIds[static_cast<std::size_t>(state)];
}

struct Store::Impl
{
    Impl(sqlite::Connection opened) : db(std::move(opened)), writers(db.path()) {}

    sqlite::Connection db;
    WriterLock writers;
    sqlite::Statement insertRecord; ///< kept prepared: the one statement that runs a million times
    bool insertPrepared = false;

    Error missing(RunId run) const
    {
        return {ErrorCode::BadInput, db.path(), "there is no run " + std::to_string(run.value)};
    }
    Status checkInPlace() const
    {
        if (db.isInPlace())
            return success();
        return Error{ErrorCode::Io, db.path(),
                     "the database was removed or replaced while in use: nothing more can be kept"};
    }
    Result<sqlite::Transaction> beginWriting()
    {
        if (Status status = checkInPlace(); !status)
            return status.error();
        return sqlite::Transaction::begin(db);
    }
    /// Runs one statement that writes.
    template <typename... Parameters> Status write(std::string_view sql, const Parameters&... parameters)
    {
        if (Status status = checkInPlace(); !status)
            return status;
        return db.run(sql, parameters...);
    }
    /// Runs a statement that must touch the run.
    template <typename... Parameters>
    Status change(RunId run, std::string_view sql, const Parameters&... parameters)
    {
        if (Status status = write(sql, parameters...); !status)
            return status;
        return db.changes() > 0 ? success() : Status(missing(run));
    }
    /// Nothing where the run has not started this point.
    Result<std::optional<std::int64_t>> findPoint(RunId run, PointIndex point) const
    {
        bool known = false;
        std::optional<std::int64_t> id;
        const Status status = db.query(
            "SELECT points.id FROM runs LEFT JOIN points ON points.run = runs.id AND position = ? "
            "WHERE runs.id = ?",
            [&](const sqlite::Statement& row) {
                known = true;
                if (!row.isNull(0))
                    id = row.integer(0);
            },
            point.value, run.value);
        if (!status)
            return status.error();
        return known ? Result<std::optional<std::int64_t>>(id) : missing(run);
    }
    /// Of a point that is being written.
    Result<std::int64_t> pointRow(RunId run, PointIndex point) const
    {
        const Result<std::optional<std::int64_t>> found = findPoint(run, point);
        if (!found)
            return found.error();
        if (!found.value())
            return Error{ErrorCode::Internal, db.path(),
                         "run " + std::to_string(run.value) + " has no started point " +
                             std::to_string(point.value)};
        return *found.value();
    }
    /// Where records or facts of a point are written, in the same transaction.
    Status dropDigests(std::int64_t pointRow) { return db.run("DELETE FROM digests WHERE point = ?", pointRow); }
    Result<std::vector<RunInfo>> infos(std::string_view where, const std::optional<std::int64_t>& run) const;
    Status settleRunning(RunInfo& info) const;
    Status loadServerSamples(StoredRun& stored) const;
};

Store::Store(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

std::string Store::defaultPath()
{
    const char* data = std::getenv("XDG_DATA_HOME");
    const char* home = std::getenv("HOME");
    // The base directory specification: a relative path is to be ignored.
    const std::string base = data && data[0] == '/' ? data : std::string(home ? home : ".") + "/.local/share";
    return base + "/tailmark/runs.sqlite";
}

Result<Store> Store::open(const std::string& path, Mode mode)
{
    const bool readOnly = mode == Mode::ReadOnly;
    std::error_code code;
    const std::filesystem::path file(path);
    if (readOnly && !std::filesystem::exists(file, code))
        return Error{ErrorCode::BadInput, path, "there is no such database"};
    if (std::filesystem::is_directory(file, code))
        return Error{ErrorCode::BadInput, path, "this is a directory, not a database file"};
    if (!readOnly && file.has_parent_path())
        std::filesystem::create_directories(file.parent_path(), code); // opening tells when this failed

    using Open = sqlite::Connection::Mode;
    Result<sqlite::Connection> connection =
        sqlite::Connection::open(path, readOnly ? Open::Read : Open::Write);
    if (readOnly && connection && lacksFilesBeside(connection.value()) && isClosed(path))
        connection = sqlite::Connection::open(path, Open::Immutable);
    if (!connection && !readOnly)
        return whyNotMade(file, code).value_or(connection.error());
    if (!connection)
        return connection.error();
    sqlite::Connection& db = connection.value();
    // Who only reads must not be sent away to open the file elsewhere first.
    if (readOnly && isOutdated(db))
        static_cast<void>(prepareSchema(db, true)); // below it is told where this failed
    if (!readOnly && sqlite3_db_readonly(db.handle(), "main") == 1)
        return Error{ErrorCode::Io, path, "the database cannot be written (file permissions)"};
    if (Status status = prepareSchema(db, !readOnly); !status)
        return status.error();
    // NORMAL: in WAL mode a crash of ours loses nothing; a power cut may lose the last moments, but never
    // harms the file.
    const char* settings =
        readOnly ? "PRAGMA query_only = ON"
                 : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
                   "PRAGMA wal_autocheckpoint = 4000";
    if (Status status = db.execute(settings); !status)
        return status.error();
    return Store(std::make_unique<Impl>(std::move(connection).value()));
}

const std::string& Store::path() const
{
    return m_impl->db.path();
}

Status Store::checkInPlace() const
{
    return m_impl->checkInPlace();
}

Result<RunId> Store::createRun(const std::string& name, const Plan& plan, const RunCard& card,
                               const nlohmann::json& environment)
{
    const std::string planText = textOf(plan);
    const std::string cardText = dumped(cardToJson(card));
    const std::string environmentText = dumped(environment);
    Result<sqlite::Transaction> transaction = m_impl->beginWriting();
    if (!transaction)
        return transaction.error();
    const Status inserted = m_impl->db.run(
        "INSERT INTO runs (name, started_at, state, target, points_planned, plan, card, environment) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        name, utcNow(), runStateId(RunState::Running), plan.matrix.target.baseUrl, plan.points.size(),
        planText, cardText, environmentText);
    if (!inserted)
        return inserted.error();
    const RunId run{m_impl->db.lastInsertId()};
    // Locked before it can be seen, so that nobody ever takes it for interrupted.
    if (Status status = m_impl->writers.acquire(run); !status)
        return status.error();
    if (Status status = transaction.value().commit(); !status) {
        m_impl->writers.release(run);
        return status.error();
    }
    return run;
}

Status Store::pairRuns(RunId a, RunId b)
{
    Result<sqlite::Transaction> transaction = m_impl->beginWriting();
    if (!transaction)
        return transaction.error();
    for (const auto& [run, partner] : {std::pair(a, b), std::pair(b, a)})
        if (Status status = m_impl->db.run("UPDATE runs SET partner = ? WHERE id = ?", partner.value, run.value); !status)
            return status;
    return transaction.value().commit();
}

Status Store::updateCard(RunId run, const RunCard& card)
{
    return m_impl->change(run, "UPDATE runs SET card = ? WHERE id = ?", dumped(cardToJson(card)), run.value);
}

Status Store::updatePlan(RunId run, const Plan& plan)
{
    return m_impl->change(run, "UPDATE runs SET plan = ?, points_planned = ? WHERE id = ?", textOf(plan),
                          plan.points.size(), run.value);
}

Status Store::updateEnvironment(RunId run, const nlohmann::json& environment)
{
    return m_impl->change(run, "UPDATE runs SET environment = ? WHERE id = ?", dumped(environment),
                          run.value);
}

Status Store::addWarning(RunId run, const std::string& text)
{
    return m_impl->write("INSERT INTO run_warnings (run, text) VALUES (?, ?)", run.value, text);
}

Status Store::startPoint(RunId run, const PointPlan& point, const std::string& startedAt)
{
    return m_impl->write("INSERT INTO points (run, position, started_at) VALUES (?, ?, ?)", run.value,
                         point.index.value, startedAt);
}

Status Store::appendRecords(RunId run, PointIndex point, const RecordBatch& batch)
{
    if (batch.empty())
        return success();
    const Result<std::int64_t> pointRow = m_impl->pointRow(run, point);
    if (!pointRow)
        return pointRow.error();
    if (!m_impl->insertPrepared) {
        Result<sqlite::Statement> prepared = m_impl->db.prepare(insertRecordSql());
        if (!prepared)
            return prepared.error();
        m_impl->insertRecord = std::move(prepared).value();
        m_impl->insertPrepared = true;
    }
    Result<sqlite::Transaction> transaction = m_impl->beginWriting();
    if (!transaction)
        return transaction.error();
    for (const RequestRecord& record : batch.records) {
        bindRecord(m_impl->insertRecord, pointRow.value(), batch, record);
        const int code = m_impl->insertRecord.step();
        m_impl->insertRecord.reset();
        if (code != SQLITE_DONE)
            return m_impl->db.lastError();
    }
    if (Status status = m_impl->dropDigests(pointRow.value()); !status)
        return status;
    return transaction.value().commit();
}

Status Store::appendServerSamples(RunId run, PointIndex point, std::span<const ServerSample> samples)
{
    if (samples.empty())
        return success();
    const Result<std::int64_t> pointRow = m_impl->pointRow(run, point);
    if (!pointRow)
        return pointRow.error();
    Result<sqlite::Transaction> transaction = m_impl->beginWriting();
    if (!transaction)
        return transaction.error();
    Result<sqlite::Statement> insert = m_impl->db.prepare(
        "INSERT OR REPLACE INTO server_samples (point, at_ns, counter, value) VALUES (?, ?, ?, ?)");
    if (!insert)
        return insert.error();
    sqlite::Statement& statement = insert.value();
    for (const ServerSample& sample : samples) {
        statement.bind(0, pointRow.value());
        statement.bind(1, static_cast<std::int64_t>(sample.at.count()));
        statement.bind(2, serverCounterInfo(sample.counter).id);
        statement.bindReal(3, sample.value);
        const int code = statement.step();
        statement.reset();
        if (code != SQLITE_DONE)
            return m_impl->db.lastError();
    }
    if (Status status = m_impl->dropDigests(pointRow.value()); !status)
        return status;
    return transaction.value().commit();
}

Status Store::finishPoint(RunId run, PointIndex point, const PointFacts& facts)
{
    const Result<std::int64_t> pointRow = m_impl->pointRow(run, point);
    if (!pointRow)
        return pointRow.error();
    Result<sqlite::Transaction> transaction = m_impl->beginWriting();
    if (!transaction)
        return transaction.error();
    if (Status status = m_impl->db.run("UPDATE points SET facts = ? WHERE id = ?", factsText(facts), pointRow.value());
        !status)
        return status;
    if (Status status = m_impl->dropDigests(pointRow.value()); !status)
        return status;
    return transaction.value().commit();
}

Status Store::keepDigest(RunId run, PointIndex point, std::string_view part, std::string_view version,
                         std::span<const std::byte> bytes)
{
    const Result<std::int64_t> pointRow = m_impl->pointRow(run, point);
    if (!pointRow)
        return pointRow.error();
    if (Status status = m_impl->checkInPlace(); !status)
        return status;
    Result<sqlite::Statement> statement =
        m_impl->db.prepare("INSERT OR REPLACE INTO digests (point, part, version, bytes) VALUES (?, ?, ?, ?)");
    if (!statement)
        return statement.error();
    sqlite::Statement& insert = statement.value();
    insert.bind(0, pointRow.value());
    insert.bind(1, part);
    insert.bind(2, version);
    insert.bindBlob(3, bytes);
    return m_impl->db.forEachRow(insert, [](const sqlite::Statement&) {});
}

Status Store::readDigest(RunId run, PointIndex point, std::string_view part, std::string_view version,
                         const std::function<void(std::span<const std::byte>)>& use) const
{
    const Result<std::optional<std::int64_t>> started = m_impl->findPoint(run, point);
    if (!started)
        return started.error();
    bool kept = false;
    if (started.value()) {
        const Status status = m_impl->db.query(
            "SELECT bytes FROM digests WHERE point = ? AND part = ? AND version = ?",
            [&](const sqlite::Statement& row) {
                kept = true;
                use(row.blob(0));
            },
            *started.value(), part, version);
        if (!status)
            return status;
    }
    if (!kept)
        use({});
    return success();
}

Status Store::finishRun(RunId run, RunState state)
{
    Status status = m_impl->change(run, "UPDATE runs SET state = ?, finished_at = ? WHERE id = ?",
                                   runStateId(state), utcNow(), run.value);
    if (status)
        m_impl->writers.release(run);
    return status;
}

Result<std::vector<RunInfo>> Store::Impl::infos(std::string_view where,
                                                const std::optional<std::int64_t>& run) const
{
    std::vector<RunInfo> list;
    std::map<std::int64_t, std::size_t> byId;
    const std::string select =
        "SELECT id, name, started_at, finished_at, state, target, "
        // One damaged card must not hide all other runs.
        "CASE WHEN json_valid(card) THEN json_extract(card, '$.engine.value') END, "
        "CASE WHEN json_valid(card) THEN json_extract(card, '$.model.value') END, points_planned, "
        "(SELECT count(*) FROM points WHERE run = runs.id AND facts IS NOT NULL), note, partner, "
        "CASE WHEN json_valid(environment) THEN json_extract(environment, '$.foreign.tool') END, "
        "CASE WHEN json_valid(environment) THEN json_extract(environment, '$.foreign.target') END FROM runs " +
        std::string(where) + " ORDER BY id DESC";
    const auto onRow = [&](const sqlite::Statement& row) {
        RunInfo info;
        info.id = RunId{row.integer(0)};
        info.name = row.text(1);
        info.startedAt = row.text(2);
        info.finishedAt = row.text(3);
        info.state = stateFromId(row.textView(4));
        info.target = row.text(5);
        info.engine = row.text(6);
        info.model = row.text(7);
        info.pointsPlanned = static_cast<int>(row.integer(8));
        info.pointsDone = static_cast<int>(row.integer(9));
        info.note = row.text(10);
        if (!row.isNull(11))
            info.partner = RunId{row.integer(11)};
        info.foreign = row.text(12);
        if (!info.foreign.empty())
            info.target = row.text(13); // that of the plan is nobody's
        byId[info.id.value] = list.size();
        list.push_back(std::move(info));
    };
    Status status = run ? db.query(select, onRow, *run) : db.query(select, onRow);
    if (!status)
        return status.error();
    status = db.query("SELECT run, tag FROM run_tags ORDER BY tag", [&](const sqlite::Statement& row) {
        if (const auto it = byId.find(row.integer(0)); it != byId.end())
            list[it->second].tags.push_back(row.text(1));
    });
    if (!status)
        return status.error();
    for (RunInfo& info : list)
        if (Status settled = settleRunning(info); !settled)
            return settled.error();
    return list;
}

/// A run in state running whose writer is gone is interrupted.
Status Store::Impl::settleRunning(RunInfo& info) const
{
    if (info.state != RunState::Running || writers.isHeld(info.id))
        return success();
    // The writer may have finished the run and let go of it since the row was read: what the row says now is
    // final.
    return db.query(
        "SELECT state, finished_at FROM runs WHERE id = ?",
        [&](const sqlite::Statement& row) {
            info.state = stateFromId(row.textView(0));
            info.finishedAt = row.text(1);
            if (info.state == RunState::Running)
                info.state = RunState::Interrupted;
        },
        info.id.value);
}

Status Store::Impl::loadServerSamples(StoredRun& stored) const
{
    std::map<std::int64_t, PointFacts*> byPosition;
    for (StoredPoint& point : stored.points)
        byPosition[point.point.index.value] = &point.facts;
    return db.query(
        "SELECT position, at_ns, counter, value FROM server_samples JOIN points ON points.id = point "
        "WHERE run = ? ORDER BY point, at_ns, counter",
        [&](const sqlite::Statement& row) {
            const auto facts = byPosition.find(row.integer(0));
            const std::optional<ServerCounter> counter = serverCounterFromId(row.textView(2));
            if (facts != byPosition.end() && counter)
                facts->second->serverSamples.push_back({Nanoseconds(row.integer(1)), *counter, row.real(3)});
        },
        stored.info.id.value);
}

Result<std::vector<RunInfo>> Store::listRuns() const
{
    return m_impl->infos("WHERE deleted_at IS NULL", std::nullopt);
}

Result<StoredRun> Store::loadRun(RunId run) const
{
    Result<std::vector<RunInfo>> infos = m_impl->infos("WHERE id = ?", run.value);
    if (!infos)
        return infos.error();
    if (infos.value().empty())
        return m_impl->missing(run);
    StoredRun stored;
    stored.info = std::move(infos.value().front());

    const sqlite::Connection& db = m_impl->db;
    std::string planText, cardText, environmentText;
    Status status = db.query(
        "SELECT plan, card, environment FROM runs WHERE id = ?",
        [&](const sqlite::Statement& row) {
            planText = row.text(0);
            cardText = row.text(1);
            environmentText = row.text(2);
        },
        run.value);
    if (!status)
        return status.error();
    Result<Plan> plan = planFromJson(nlohmann::json::parse(planText, nullptr, false));
    if (!plan)
        return Error{ErrorCode::Io, db.path(),
                     "the plan of run " + std::to_string(run.value) +
                         " cannot be read: " + plan.error().line()};
    stored.plan = std::move(plan).value();
    stored.card = cardFromJson(nlohmann::json::parse(cardText, nullptr, false));
    stored.environment = nlohmann::json::parse(environmentText, nullptr, false);

    status = db.query(
        "SELECT text FROM run_warnings WHERE run = ? ORDER BY id",
        [&](const sqlite::Statement& row) { stored.warnings.push_back(row.text(0)); }, run.value);
    if (!status)
        return status.error();
    status = db.query(
        "SELECT position, started_at, facts FROM points WHERE run = ? ORDER BY id",
        [&](const sqlite::Statement& row) {
            const auto position = static_cast<std::size_t>(row.integer(0));
            if (position >= stored.plan.points.size())
                return;
            StoredPoint point;
            point.point = stored.plan.points[position];
            point.startedAt = row.text(1);
            point.finished = !row.isNull(2);
            if (point.finished)
                point.facts = factsFromText(row.text(2));
            stored.points.push_back(std::move(point));
        },
        run.value);
    if (!status)
        return status.error();
    status = m_impl->loadServerSamples(stored);
    if (!status)
        return status.error();
    return stored;
}

Result<RecordBatch> Store::loadRecords(RunId run, PointIndex point, bool withChunks) const
{
    const Result<std::optional<std::int64_t>> started = m_impl->findPoint(run, point);
    if (!started)
        return started.error();
    RecordBatch batch;
    if (!started.value())
        return batch;
    const Status status = m_impl->db.query(
        selectRecordsSql(withChunks),
        [&](const sqlite::Statement& row) { appendRow(row, withChunks, batch); }, *started.value());
    if (!status)
        return status.error();
    return batch;
}

Result<std::int64_t> Store::dataVersion() const
{
    // SQLite's data_version tells of the commits of others, the count of changes of our own.
    std::int64_t version = 0;
    const Status status = m_impl->db.query("PRAGMA data_version",
                                           [&](const sqlite::Statement& row) { version = row.integer(0); });
    if (!status)
        return status.error();
    return version + m_impl->db.totalChanges();
}

Status Store::renameRun(RunId run, const std::string& name)
{
    return m_impl->change(run, "UPDATE runs SET name = ? WHERE id = ?", name, run.value);
}

Status Store::setNote(RunId run, const std::string& note)
{
    return m_impl->change(run, "UPDATE runs SET note = ? WHERE id = ?", note, run.value);
}

Status Store::setTags(RunId run, const std::vector<std::string>& tags)
{
    Result<sqlite::Transaction> transaction = m_impl->beginWriting();
    if (!transaction)
        return transaction.error();
    if (Status status = m_impl->db.run("DELETE FROM run_tags WHERE run = ?", run.value); !status)
        return status;
    for (const std::string& tag : tags)
        if (Status status =
                m_impl->db.run("INSERT OR IGNORE INTO run_tags (run, tag) VALUES (?, ?)", run.value, tag);
            !status)
            return status;
    return transaction.value().commit();
}

Status Store::setBaseline(const std::string& name, RunId run)
{
    return m_impl->write("INSERT OR REPLACE INTO baselines (name, run) VALUES (?, ?)", name, run.value);
}

Status Store::removeBaseline(const std::string& name)
{
    return m_impl->write("DELETE FROM baselines WHERE name = ?", name);
}

Result<std::map<std::string, RunId>> Store::baselines() const
{
    std::map<std::string, RunId> named;
    const Status status = m_impl->db.query(
        "SELECT baselines.name, run FROM baselines JOIN runs ON runs.id = run WHERE deleted_at IS NULL",
        [&](const sqlite::Statement& row) { named.emplace(row.text(0), RunId{row.integer(1)}); });
    if (!status)
        return status.error();
    return named;
}

Status Store::deleteRun(RunId run)
{
    if (m_impl->writers.isHeld(run))
        return Error{ErrorCode::BadInput, m_impl->db.path(),
                     "run " + std::to_string(run.value) +
                         " is still being written; stop it before deleting it"};
    return m_impl->change(run, "UPDATE runs SET deleted_at = ? WHERE id = ?", utcNow(), run.value);
}

Status Store::undeleteRun(RunId run)
{
    return m_impl->change(run, "UPDATE runs SET deleted_at = NULL WHERE id = ?", run.value);
}

Status Store::purgeDeleted()
{
    if (Status status = m_impl->write("DELETE FROM runs WHERE deleted_at IS NOT NULL"); !status)
        return status;
    return m_impl->write("UPDATE runs SET partner = NULL WHERE partner NOT IN (SELECT id FROM runs)");
}

Status Store::keepTrace(const KeptTrace& trace)
{
    Result<sqlite::Transaction> transaction = sqlite::Transaction::begin(m_impl->db);
    if (!transaction)
        return transaction.error();
    sqlite::Connection& db = m_impl->db;
    const Status inserted = db.run("INSERT OR IGNORE INTO traces (hash, name, format, rows, kept_at, summary, content) "
                                   "VALUES (?, ?, ?, ?, ?, ?, zeroblob(?))",
                                   trace.hash, trace.name, trace.format, trace.rows, utcNow(), trace.summary,
                                   trace.content.size());
    if (!inserted || db.changes() == 0)
        return inserted;
    if (Status status = db.writeBlob("traces", "content", db.lastInsertId(), std::as_bytes(std::span(trace.content))); !status)
        return status;
    return transaction.value().commit();
}

Result<bool> Store::hasTrace(const std::string& hash) const
{
    bool found = false;
    const Status status = m_impl->db.query(
        "SELECT 1 FROM traces WHERE hash = ?", [&](const sqlite::Statement&) { found = true; }, hash);
    return status ? Result<bool>(found) : status.error();
}

Result<std::optional<KeptTrace>> Store::loadTrace(const std::string& hash) const
{
    std::optional<KeptTrace> trace;
    const Status status = m_impl->db.query(
        "SELECT hash, name, format, rows, summary, content FROM traces WHERE hash = ?",
        [&](const sqlite::Statement& row) {
            trace = KeptTrace{row.text(0), row.text(1), row.text(2), row.integer(3), row.text(4), {}};
            const std::span<const std::byte> content = row.blob(5);
            trace->content.assign(reinterpret_cast<const char*>(content.data()), content.size());
        },
        hash);
    return status ? Result<std::optional<KeptTrace>>(std::move(trace)) : status.error();
}

} // namespace tailmark
