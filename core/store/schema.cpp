// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/schema.h"

#include <array>
#include <string>

namespace tailmark {

namespace {

// Marks the file as ours (`PRAGMA application_id`): "Tlmk".
constexpr std::int64_t kApplicationId = 0x546c6d6b;

// Every step that the schema ever took, oldest first. A released step is never edited; a change is a new
// step.
//
// Times are whole nanoseconds since the start of the point, NULL where the moment never came; counts are NULL
// where they are not known. Chunks are ChunkRecords of 8 bytes, little-endian, one after another, and stand
// last in their row so that reading the other columns need not walk over them.
constexpr std::array kMigrations = {
    R"sql(
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        started_at TEXT NOT NULL,
        finished_at TEXT,
        state TEXT NOT NULL,
        target TEXT NOT NULL,
        points_planned INTEGER NOT NULL,
        note TEXT NOT NULL DEFAULT '',
        deleted_at TEXT,
        plan TEXT NOT NULL,
        card TEXT NOT NULL,
        environment TEXT NOT NULL
    );
    CREATE TABLE run_tags (
        run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
        tag TEXT NOT NULL,
        PRIMARY KEY (run, tag)
    ) WITHOUT ROWID;
    CREATE TABLE run_warnings (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
        text TEXT NOT NULL
    );
    CREATE INDEX run_warnings_by_run ON run_warnings(run);
    CREATE TABLE points (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        started_at TEXT NOT NULL,
        facts TEXT,
        UNIQUE (run, position)
    );
    CREATE TABLE records (
        id INTEGER PRIMARY KEY,
        point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE,
        request INTEGER NOT NULL,
        worker INTEGER,
        phase INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        finish_reason TEXT,
        stamps TEXT NOT NULL,
        new_connection INTEGER NOT NULL,
        resent_after_stale INTEGER NOT NULL,
        done_seen INTEGER NOT NULL,
        http_status INTEGER,
        intended_ns INTEGER,
        sent_ns INTEGER,
        headers_ns INTEGER,
        first_event_ns INTEGER,
        first_token_ns INTEGER,
        first_answer_token_ns INTEGER,
        last_token_ns INTEGER,
        closed_ns INTEGER,
        connect_ns INTEGER NOT NULL,
        prompt_tokens_planned INTEGER,
        prompt_tokens INTEGER,
        output_tokens_cap INTEGER,
        output_tokens INTEGER,
        cached_tokens INTEGER,
        token_events INTEGER NOT NULL,
        first_event_tokens INTEGER,
        coalesced_events INTEGER NOT NULL,
        malformed_events INTEGER NOT NULL,
        error TEXT,
        chunks BLOB
    );
    CREATE INDEX records_by_point ON records(point);
    )sql",
    // What the server told of itself while a point ran: ids of serverCounters(), times as those of records.
    R"sql(
    CREATE TABLE server_samples (
        point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE,
        at_ns INTEGER NOT NULL,
        counter TEXT NOT NULL,
        value REAL NOT NULL,
        PRIMARY KEY (point, at_ns, counter)
    ) WITHOUT ROWID;
    )sql",
    // A column that is added stands behind the chunks, and reading it would walk over them: so the table is
    // made anew.
    R"sql(
    DROP INDEX records_by_point;
    ALTER TABLE records RENAME TO records_before;
    CREATE TABLE records (
        id INTEGER PRIMARY KEY,
        point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE,
        request INTEGER NOT NULL,
        worker INTEGER,
        phase INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        finish_reason TEXT,
        stamps TEXT NOT NULL,
        new_connection INTEGER NOT NULL,
        resent_after_stale INTEGER NOT NULL,
        done_seen INTEGER NOT NULL,
        http_status INTEGER,
        intended_ns INTEGER,
        sent_ns INTEGER,
        headers_ns INTEGER,
        first_event_ns INTEGER,
        first_token_ns INTEGER,
        first_answer_token_ns INTEGER,
        last_token_ns INTEGER,
        closed_ns INTEGER,
        connect_ns INTEGER NOT NULL,
        prompt_tokens_planned INTEGER,
        prompt_tokens_client INTEGER,
        prompt_tokens INTEGER,
        output_tokens_cap INTEGER,
        output_tokens INTEGER,
        cached_tokens INTEGER,
        token_events INTEGER NOT NULL,
        first_event_tokens INTEGER,
        coalesced_events INTEGER NOT NULL,
        malformed_events INTEGER NOT NULL,
        error TEXT,
        chunks BLOB
    );
    INSERT INTO records SELECT id, point, request, worker, phase, outcome, finish_reason, stamps, new_connection,
        resent_after_stale, done_seen, http_status, intended_ns, sent_ns, headers_ns, first_event_ns,
        first_token_ns, first_answer_token_ns, last_token_ns, closed_ns, connect_ns, prompt_tokens_planned, NULL,
        prompt_tokens, output_tokens_cap, output_tokens, cached_tokens, token_events, first_event_tokens,
        coalesced_events, malformed_events, error, chunks FROM records_before;
    DROP TABLE records_before;
    CREATE INDEX records_by_point ON records(point);
    )sql",
    // Logs that lengths are drawn from, by the hash of their rows.
    R"sql(
    CREATE TABLE traces (
        id INTEGER PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        format TEXT NOT NULL,
        rows INTEGER NOT NULL,
        kept_at TEXT NOT NULL,
        summary TEXT NOT NULL,
        content BLOB NOT NULL
    );
    )sql",
    // Runs measured beside each other, and runs kept under a name for others to be compared with.
    R"sql(
    ALTER TABLE runs ADD COLUMN partner INTEGER;
    CREATE TABLE baselines (
        name TEXT PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE
    ) WITHOUT ROWID;
    )sql",
    // What requests share by plan, and which turn of which session they are; the table made anew once more.
    R"sql(
    DROP INDEX records_by_point;
    ALTER TABLE records RENAME TO records_before;
    CREATE TABLE records (
        id INTEGER PRIMARY KEY,
        point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE,
        request INTEGER NOT NULL,
        worker INTEGER,
        phase INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        finish_reason TEXT,
        stamps TEXT NOT NULL,
        new_connection INTEGER NOT NULL,
        resent_after_stale INTEGER NOT NULL,
        done_seen INTEGER NOT NULL,
        http_status INTEGER,
        intended_ns INTEGER,
        sent_ns INTEGER,
        headers_ns INTEGER,
        first_event_ns INTEGER,
        first_token_ns INTEGER,
        first_answer_token_ns INTEGER,
        last_token_ns INTEGER,
        closed_ns INTEGER,
        connect_ns INTEGER NOT NULL,
        prompt_tokens_planned INTEGER,
        prompt_tokens_client INTEGER,
        prompt_tokens INTEGER,
        cached_tokens_planned INTEGER,
        session INTEGER,
        turn INTEGER,
        output_tokens_cap INTEGER,
        output_tokens INTEGER,
        cached_tokens INTEGER,
        token_events INTEGER NOT NULL,
        first_event_tokens INTEGER,
        coalesced_events INTEGER NOT NULL,
        malformed_events INTEGER NOT NULL,
        error TEXT,
        chunks BLOB
    );
    INSERT INTO records SELECT id, point, request, worker, phase, outcome, finish_reason, stamps, new_connection,
        resent_after_stale, done_seen, http_status, intended_ns, sent_ns, headers_ns, first_event_ns,
        first_token_ns, first_answer_token_ns, last_token_ns, closed_ns, connect_ns, prompt_tokens_planned,
        prompt_tokens_client, prompt_tokens, NULL, NULL, NULL, output_tokens_cap, output_tokens, cached_tokens,
        token_events, first_event_tokens, coalesced_events, malformed_events, error, chunks FROM records_before;
    DROP TABLE records_before;
    CREATE INDEX records_by_point ON records(point);
    )sql",
    // What is worked out of a point's records so that they need not be read again; only its maker knows what it means, and
    // of what version it is.
    R"sql(
    CREATE TABLE digests (
        point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE,
        part TEXT NOT NULL,
        version TEXT NOT NULL,
        bytes BLOB NOT NULL,
        PRIMARY KEY (point, part)
    );
    )sql",
};

Result<std::int64_t> integerOf(const sqlite::Connection& connection, const char* sql)
{
    std::int64_t value = 0;
    if (Status status = connection.query(sql, [&](const sqlite::Statement& row) { value = row.integer(0); });
        !status)
        return status.error();
    return value;
}

/// The version of a file that is ours and not newer than we are; 0 for an empty one.
Result<std::int64_t> checkedVersion(const sqlite::Connection& connection)
{
    const Result<std::int64_t> tables = integerOf(connection, "SELECT count(*) FROM sqlite_schema");
    if (!tables)
        return tables.error();
    const Result<std::int64_t> application = integerOf(connection, "PRAGMA application_id");
    if (!application)
        return application.error();
    if (tables.value() > 0 && application.value() != kApplicationId)
        return Error{ErrorCode::BadInput, connection.path(), "this is not a Tailmark database"};
    Result<std::int64_t> version = integerOf(connection, "PRAGMA user_version");
    if (version && version.value() > schemaVersion())
        return Error{ErrorCode::BadInput, connection.path(),
                     "the database has schema version " + std::to_string(version.value()) +
                         ", written by a newer Tailmark; this one knows up to " +
                         std::to_string(schemaVersion())};
    return version;
}

Result<std::int64_t> migrateOneStep(sqlite::Connection& connection)
{
    Result<sqlite::Transaction> transaction = sqlite::Transaction::begin(connection);
    if (!transaction)
        return transaction.error();
    // Read again inside the transaction: another process may have been faster.
    const Result<std::int64_t> version = checkedVersion(connection);
    if (!version || version.value() == schemaVersion())
        return version;
    const std::string next = std::to_string(version.value() + 1);
    const std::string step = std::string(kMigrations[static_cast<std::size_t>(version.value())]) +
                             ";PRAGMA application_id = " + std::to_string(kApplicationId) +
                             ";PRAGMA user_version = " + next;
    if (Status status = connection.execute(step); !status)
        return status.error();
    if (Status status = transaction.value().commit(); !status)
        return status.error();
    return version.value() + 1;
}

} // namespace

int schemaVersion()
{
    return static_cast<int>(kMigrations.size());
}

bool isOutdated(const sqlite::Connection& connection)
{
    const Result<std::int64_t> version = checkedVersion(connection);
    return version && version.value() > 0 && version.value() < schemaVersion();
}

Status prepareSchema(sqlite::Connection& connection, bool mayWrite)
{
    Result<std::int64_t> version = checkedVersion(connection);
    while (version && version.value() < schemaVersion()) {
        if (!mayWrite)
            return Error{ErrorCode::BadInput, connection.path(),
                         "the database has schema version " + std::to_string(version.value()) +
                             " and must be opened for writing once to bring it to " +
                             std::to_string(schemaVersion())};
        version = migrateOneStep(connection);
    }
    return version ? success() : Status(version.error());
}

} // namespace tailmark
