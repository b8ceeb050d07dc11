// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace tailmark::sqlite {

/// One row of a result, or the parameters of a statement: a thin face of sqlite3_stmt. Parameters and columns
/// count from 0. Text and blobs are bound without a copy and must live until the statement has been stepped.
class Statement
{
public:
    Statement() = default;

    void bindNull(int i);
    void bind(int i, std::int64_t value);
    void bind(int i, std::string_view text);
    void bindBlob(int i, std::span<const std::byte> bytes);
    void bindReal(int i, double value);
    template <typename T> void bind(int i, const std::optional<T>& value)
    {
        if (value)
            bind(i, *value);
        else
            bindNull(i);
    }

    /// SQLite's result code: SQLITE_ROW, SQLITE_DONE or an error.
    int step();
    /// Ready for another execution; parameters keep their values.
    void reset();

    bool isNull(int i) const;
    std::int64_t integer(int i) const;
    double real(int i) const;
    std::string text(int i) const;          ///< "" for NULL
    std::string_view textView(int i) const; ///< valid until the next step
    std::span<const std::byte> blob(int i) const;

private:
    friend class Connection;
    struct Finalize
    {
        void operator()(sqlite3_stmt* statement) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
};

/// One connection to a database file; used by one thread at a time. Errors are ErrorCode::Io with the file's
/// name.
class Connection
{
public:
    enum class Mode {
        Write, ///< creates the file where there is none
        Read,  ///< as Write where the file may be written, so that closing leaves no log of changes behind
        Immutable, ///< takes for granted that nobody writes; needs no file beside the database
    };
    static Result<Connection> open(const std::string& path, Mode mode);

    const std::string& path() const { return m_path; }
    /// Whether the file still lies under its name: one that was removed or replaced can be read and written
    /// on, but nobody will ever find again what it holds.
    bool isInPlace() const;
    sqlite3* handle() const { return m_db.get(); }

    Status execute(const std::string& sql); ///< one or more statements without parameters or results
    Result<Statement> prepare(std::string_view sql) const;

    /// Executes one statement with the given parameters (integers, text or optionals of them), `onRow` for
    /// each row.
    template <typename OnRow, typename... Parameters>
    Status query(std::string_view sql, OnRow&& onRow, const Parameters&... parameters) const
    {
        Result<Statement> statement = prepare(sql);
        if (!statement)
            return statement.error();
        int i = 0;
        (bindOne(statement.value(), i++, parameters), ...);
        return forEachRow(statement.value(), onRow);
    }
    template <typename... Parameters> Status run(std::string_view sql, const Parameters&... parameters)
    {
        return query(
            sql, [](const Statement&) {}, parameters...);
    }
    template <typename OnRow> Status forEachRow(Statement& statement, OnRow&& onRow) const
    {
        int code;
        while ((code = statement.step()) == kRow)
            onRow(static_cast<const Statement&>(statement));
        return code == kDone ? success() : Status(lastError());
    }

    /// Fills a blob that was made with its size (zeroblob). A large one bound to a statement is copied whole first.
    Status writeBlob(const char* table, const char* column, std::int64_t row, std::span<const std::byte> bytes);

    std::int64_t lastInsertId() const;
    std::int64_t changes() const;      ///< rows changed by the last statement
    std::int64_t totalChanges() const; ///< rows changed since the connection was opened
    Error lastError() const;           ///< what SQLite says of the last failure, in one line

private:
    static constexpr int kRow = 100, kDone = 101; // SQLITE_ROW, SQLITE_DONE
    template <typename T> static void bindOne(Statement& statement, int i, const T& value)
    {
        if constexpr (std::is_integral_v<T>)
            statement.bind(i, static_cast<std::int64_t>(value));
        else if constexpr (std::is_convertible_v<T, std::string_view>)
            statement.bind(i, std::string_view(value));
        else
            statement.bind(i, value);
    }
    struct Close
    {
        void operator()(sqlite3* db) const;
    };
    std::string m_path;
    std::unique_ptr<sqlite3, Close> m_db;
};

/// BEGIN IMMEDIATE … COMMIT; rolls back when it is destroyed before `commit`.
class Transaction
{
public:
    static Result<Transaction> begin(Connection& connection);
    Transaction(Transaction&& other) noexcept : m_connection(std::exchange(other.m_connection, nullptr)) {}
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    Status commit();

private:
    explicit Transaction(Connection& connection) : m_connection(&connection) {}
    Connection* m_connection;
};

} // namespace tailmark::sqlite
