// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/record_rows.h"

#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

namespace tailmark {

namespace {

// Chunks are stored as they lie in memory.
static_assert(std::endian::native == std::endian::little, "the chunks of the store are little-endian");
static_assert(std::is_trivially_copyable_v<ChunkRecord>);

constexpr std::array kColumns = {"request",
                                 "worker",
                                 "phase",
                                 "outcome",
                                 "finish_reason",
                                 "stamps",
                                 "new_connection",
                                 "resent_after_stale",
                                 "done_seen",
                                 "http_status",
                                 "intended_ns",
                                 "sent_ns",
                                 "headers_ns",
                                 "first_event_ns",
                                 "first_token_ns",
                                 "first_answer_token_ns",
                                 "last_token_ns",
                                 "closed_ns",
                                 "connect_ns",
                                 "prompt_tokens_planned",
                                 "prompt_tokens_client",
                                 "prompt_tokens",
                                 "cached_tokens_planned",
                                 "session",
                                 "turn",
                                 "output_tokens_cap",
                                 "output_tokens",
                                 "cached_tokens",
                                 "token_events",
                                 "first_event_tokens",
                                 "coalesced_events",
                                 "malformed_events",
                                 "error",
                                 "chunks"};

std::string columnList(std::size_t count)
{
    std::string list;
    for (std::size_t i = 0; i < count; ++i)
        list += (i ? ", " : "") + std::string(kColumns[i]);
    return list;
}

StampSource stampsFromId(std::string_view id)
{
    for (const StampSource source : {StampSource::Kernel, StampSource::Readiness})
        if (stampSourceId(source) == id)
            return source;
    return StampSource::Processing;
}

/// Binds or reads the columns one after another, so that both sides list them in the same order.
class Binder
{
public:
    Binder(sqlite::Statement& statement, int first) : m_statement(statement), m_next(first) {}
    void integer(std::int64_t value) { m_statement.bind(m_next++, value); }
    void text(std::string_view value) { m_statement.bind(m_next++, value); }
    void textOrNull(std::string_view value) { value.empty() ? null() : text(value); }
    void time(Nanoseconds value) { isPresent(value) ? integer(value.count()) : null(); }
    void count(std::int64_t value) { value == kUnknownCount ? null() : integer(value); }
    void null() { m_statement.bindNull(m_next++); }
    void chunks(std::span<const ChunkRecord> chunks)
    {
        chunks.empty() ? null() : m_statement.bindBlob(m_next++, std::as_bytes(chunks));
    }

private:
    sqlite::Statement& m_statement;
    int m_next;
};

class Reader
{
public:
    explicit Reader(const sqlite::Statement& row) : m_row(row) {}
    template <typename T> T integer() { return static_cast<T>(m_row.integer(m_next++)); }
    std::string_view text() { return m_row.textView(m_next++); }
    Nanoseconds time()
    {
        const int i = m_next++;
        return m_row.isNull(i) ? kAbsentTime : Nanoseconds(m_row.integer(i));
    }
    std::int32_t count()
    {
        const int i = m_next++;
        return m_row.isNull(i) ? kUnknownCount : static_cast<std::int32_t>(m_row.integer(i));
    }
    std::span<const std::byte> blob() { return m_row.blob(m_next++); }

private:
    const sqlite::Statement& m_row;
    int m_next = 0;
};

} // namespace

const std::string& insertRecordSql()
{
    static const std::string sql = [] {
        std::string values = "?";
        for (std::size_t i = 0; i < kColumns.size(); ++i)
            values += ",?";
        return "INSERT INTO records (point, " + columnList(kColumns.size()) + ") VALUES (" + values + ")";
    }();
    return sql;
}

std::string selectRecordsSql(bool withChunks)
{
    return "SELECT " + columnList(kColumns.size() - (withChunks ? 0 : 1)) +
           " FROM records WHERE point = ? ORDER BY id";
}

void bindRecord(sqlite::Statement& statement, std::int64_t pointRow, const RecordBatch& batch,
                const RequestRecord& record)
{
    Binder bind(statement, 0);
    bind.integer(pointRow);
    bind.integer(record.request);
    bind.count(record.worker);
    bind.integer(record.phase);
    bind.text(outcomeId(record.outcome));
    bind.textOrNull(finishReasonId(record.finishReason));
    bind.text(stampSourceId(record.stamps));
    bind.integer(record.newConnection);
    bind.integer(record.resentAfterStale);
    bind.integer(record.doneSeen);
    record.httpStatus == 0 ? bind.null() : bind.integer(record.httpStatus);
    bind.time(record.intended);
    bind.time(record.sent);
    bind.time(record.headers);
    bind.time(record.firstEvent);
    bind.time(record.firstToken);
    bind.time(record.firstAnswerToken);
    bind.time(record.lastToken);
    bind.time(record.closed);
    bind.integer(record.connect.count());
    bind.count(record.promptTokensPlanned);
    bind.count(record.promptTokensClient);
    bind.count(record.promptTokens);
    bind.count(record.cachedTokensPlanned);
    bind.count(record.session);
    bind.count(record.turn);
    bind.count(record.outputTokensCap);
    bind.count(record.outputTokens);
    bind.count(record.cachedTokens);
    bind.integer(record.tokenEvents);
    bind.count(record.firstEventTokens);
    bind.integer(record.coalescedEvents);
    bind.integer(record.malformedEvents);
    bind.textOrNull(batch.errorOf(record));
    bind.chunks(batch.chunksOf(record));
}

void appendRow(const sqlite::Statement& row, bool withChunks, RecordBatch& batch)
{
    Reader read(row);
    RequestRecord record;
    record.request = read.integer<std::uint32_t>();
    record.worker = read.count();
    record.phase = read.integer<std::uint8_t>();
    record.outcome = outcomeFromId(read.text()).value_or(Outcome::Malformed);
    record.finishReason = finishReasonFromId(read.text());
    record.stamps = stampsFromId(read.text());
    record.newConnection = read.integer<bool>();
    record.resentAfterStale = read.integer<bool>();
    record.doneSeen = read.integer<bool>();
    record.httpStatus = read.integer<std::uint16_t>();
    record.intended = read.time();
    record.sent = read.time();
    record.headers = read.time();
    record.firstEvent = read.time();
    record.firstToken = read.time();
    record.firstAnswerToken = read.time();
    record.lastToken = read.time();
    record.closed = read.time();
    record.connect = Nanoseconds(read.integer<std::int64_t>());
    record.promptTokensPlanned = read.count();
    record.promptTokensClient = read.count();
    record.promptTokens = read.count();
    record.cachedTokensPlanned = read.count();
    record.session = read.count();
    record.turn = read.count();
    record.outputTokensCap = read.count();
    record.outputTokens = read.count();
    record.cachedTokens = read.count();
    record.tokenEvents = read.integer<std::int32_t>();
    record.firstEventTokens = read.count();
    record.coalescedEvents = read.integer<std::int32_t>();
    record.malformedEvents = read.integer<std::int32_t>();
    if (const std::string_view error = read.text(); !error.empty()) {
        // A failing target gives the same words again and again.
        if (batch.errors.empty() || batch.errors.back() != error)
            batch.errors.emplace_back(error);
        record.error = static_cast<std::int32_t>(batch.errors.size()) - 1;
    }
    record.chunkBegin = static_cast<std::uint32_t>(batch.chunks.size());
    if (withChunks) {
        const std::span<const std::byte> bytes = read.blob();
        record.chunkCount = static_cast<std::uint32_t>(bytes.size() / sizeof(ChunkRecord));
        batch.chunks.resize(batch.chunks.size() + record.chunkCount);
        if (record.chunkCount > 0)
            std::memcpy(&batch.chunks[record.chunkBegin], bytes.data(),
                        record.chunkCount * sizeof(ChunkRecord));
    }
    batch.records.push_back(record);
}

} // namespace tailmark
