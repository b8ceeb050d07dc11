// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/sqlite.h"

#include <algorithm>
#include <cstring>

#include <sqlite3.h>

namespace tailmark::sqlite {

namespace {

// Long enough for another process to write a large batch or to checkpoint on a slow disk.
constexpr int kBusyTimeoutMs = 10'000;

std::string immutableUri(const std::string& path)
{
    std::string uri = "file:";
    for (const char c : path) {
        if (c == '%')
            uri += "%25";
        else if (c == '?')
            uri += "%3f";
        else if (c == '#')
            uri += "%23";
        else
            uri += c;
    }
    return uri + "?immutable=1";
}

} // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const
{
    sqlite3_finalize(statement);
}

void Statement::bindNull(int i)
{
    sqlite3_bind_null(m_statement.get(), i + 1);
}

void Statement::bind(int i, std::int64_t value)
{
    sqlite3_bind_int64(m_statement.get(), i + 1, value);
}

void Statement::bind(int i, std::string_view text)
{
    // A null pointer would bind NULL; an empty text is a value.
    sqlite3_bind_text64(m_statement.get(), i + 1, text.data() ? text.data() : "", text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
}

void Statement::bindBlob(int i, std::span<const std::byte> bytes)
{
    sqlite3_bind_blob64(m_statement.get(), i + 1, bytes.data(), bytes.size(), SQLITE_STATIC);
}

int Statement::step()
{
    return sqlite3_step(m_statement.get());
}

void Statement::reset()
{
    sqlite3_reset(m_statement.get());
}

bool Statement::isNull(int i) const
{
    return sqlite3_column_type(m_statement.get(), i) == SQLITE_NULL;
}

void Statement::bindReal(int i, double value)
{
    sqlite3_bind_double(m_statement.get(), i + 1, value);
}

std::int64_t Statement::integer(int i) const
{
    return sqlite3_column_int64(m_statement.get(), i);
}

double Statement::real(int i) const
{
    return sqlite3_column_double(m_statement.get(), i);
}

std::string Statement::text(int i) const
{
    return std::string(textView(i));
}

std::string_view Statement::textView(int i) const
{
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(m_statement.get(), i));
    return text ? std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), i)))
                : std::string_view();
}

std::span<const std::byte> Statement::blob(int i) const
{
    const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(m_statement.get(), i));
    return {bytes, bytes ? static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), i)) : 0};
}

void Connection::Close::operator()(sqlite3* db) const
{
    sqlite3_close_v2(db);
}

Result<Connection> Connection::open(const std::string& path, Mode mode)
{
    Connection connection;
    connection.m_path = path;
    sqlite3* db = nullptr;
    int code = SQLITE_OK;
    if (mode == Mode::Immutable)
        code = sqlite3_open_v2(immutableUri(path).c_str(), &db,
                               SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    else
        code = sqlite3_open_v2(path.c_str(), &db,
                               SQLITE_OPEN_READWRITE | (mode == Mode::Write ? SQLITE_OPEN_CREATE : 0) |
                                   SQLITE_OPEN_NOMUTEX,
                               nullptr);
    connection.m_db.reset(db);
    if (code != SQLITE_OK)
        return connection.lastError();
    sqlite3_busy_timeout(db, kBusyTimeoutMs);
    return connection;
}

bool Connection::isInPlace() const
{
    int moved = 0;
    return sqlite3_file_control(m_db.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK ||
           moved == 0;
}

Status Connection::execute(const std::string& sql)
{
    if (sqlite3_exec(m_db.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return lastError();
    return success();
}

Result<Statement> Connection::prepare(std::string_view sql) const
{
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v2(m_db.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
    Statement statement;
    statement.m_statement.reset(raw);
    if (code != SQLITE_OK)
        return lastError();
    return statement;
}

Status Connection::writeBlob(const char* table, const char* column, std::int64_t row, std::span<const std::byte> bytes)
{
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    sqlite3_blob* blob = nullptr;
    if (sqlite3_blob_open(m_db.get(), "main", table, column, row, 1, &blob) != SQLITE_OK)
        return lastError();
    const std::unique_ptr<sqlite3_blob, int (*)(sqlite3_blob*)> closed(blob, sqlite3_blob_close);
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
        const std::span<const std::byte> piece = bytes.subspan(at, std::min(kPiece, bytes.size() - at));
        if (sqlite3_blob_write(blob, piece.data(), static_cast<int>(piece.size()), static_cast<int>(at)) != SQLITE_OK)
            return lastError();
    }
    return success();
}

std::int64_t Connection::lastInsertId() const
{
    return sqlite3_last_insert_rowid(m_db.get());
}

std::int64_t Connection::changes() const
{
    return sqlite3_changes64(m_db.get());
}

std::int64_t Connection::totalChanges() const
{
    return sqlite3_total_changes64(m_db.get());
}

Error Connection::lastError() const
{
    if (!m_db)
        return {ErrorCode::Io, m_path, "out of memory"};
    const int code = sqlite3_errcode(m_db.get());
    const int reason = sqlite3_system_errno(m_db.get());
    std::string message = sqlite3_errmsg(m_db.get());
    if (code == SQLITE_NOTADB)
        return {ErrorCode::BadInput, m_path, "this is not a Tailmark database"};
    if (code == SQLITE_CORRUPT)
        message = "the database is damaged (" + message + ")";
    else if (code == SQLITE_CANTOPEN)
        message = std::string("the database cannot be opened: ") +
                  (reason != 0 ? std::strerror(reason) : "no such place");
    else if (code == SQLITE_FULL)
        message = "there is no room left to write";
    else if (code == SQLITE_READONLY)
        message =
            "the database cannot be written, nor read where its folder cannot be written (file permissions)";
    else if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        message = "another process keeps the database locked";
    return {ErrorCode::Io, m_path, std::move(message)};
}

Result<Transaction> Transaction::begin(Connection& connection)
{
    if (const Status status = connection.execute("BEGIN IMMEDIATE"); !status)
        return status.error();
    return Transaction(connection);
}

Transaction::~Transaction()
{
    if (m_connection)
        (void)m_connection->execute("ROLLBACK");
}

Status Transaction::commit()
{
    Status status = m_connection->execute("COMMIT");
    if (status)
        m_connection = nullptr;
    return status;
}

} // namespace tailmark::sqlite
