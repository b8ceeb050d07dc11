// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/row_reader.h"

#include "base/rng.h"

#include <charconv>

namespace tailmark {

namespace {

constexpr std::size_t kMaxConversations = 2'000'000;

bool isBlank(const FieldValue& value)
{
    return value.type == FieldValue::Type::Missing || value.type == FieldValue::Type::Null ||
           (value.type == FieldValue::Type::Text && value.text.empty());
}

/// A name or number as a name.
void nameOf(const FieldValue& value, std::string& name)
{
    name.clear();
    if (value.type == FieldValue::Type::Text)
        name = value.text;
    else if (value.type == FieldValue::Type::Whole)
        name = std::to_string(value.whole);
}

} // namespace

RowReader::RowReader(Layout layout, const TraceOptions& options, TraceBuilder& rows, bool decimalComma)
    : m_layout(std::move(layout)), m_options(options), m_rows(rows), m_decimalComma(decimalComma),
      m_timed(m_layout.has(Field::Timestamp)), m_total(m_layout.has(Field::Total)),
      m_cached(m_layout.has(Field::Cached)),
      m_named(m_layout.has(Field::Session) || m_layout.has(Field::Model)),
      m_think(m_layout.has(Field::ThinkTime)), m_turn(m_layout.has(Field::Turn)),
      m_blocks(m_layout.has(Field::Blocks))
{
    Trace& facts = m_rows.facts();
    facts.format = m_layout.format;
    facts.sessionClock = m_layout.sessionClock;
    facts.blockSize = m_blocks ? m_layout.blockSize : 0;
    if (!m_layout.has(Field::Prompt))
        facts.lengthUnit = "unicode code points";
    m_rows.setWholeBlocksOnly(m_layout.wholeBlocksOnly);
    for (std::size_t i = 0; i < kFieldCount; ++i)
        if (m_layout.sources[i])
            facts.columns.emplace_back(fieldId(static_cast<Field>(i)), m_layout.sources[i]->name);
    if (m_layout.unitGuessed)
        m_rows.warn("time_unit_guessed", 0);
}

const char* RowReader::readInto(TraceRow& row, const FieldValues& values, Field& wrong)
{
    if (m_timed) {
        wrong = Field::Timestamp;
        const FieldValue& timestamp = value(values, Field::Timestamp);
        if (isBlank(timestamp)) {
            if (!m_layout.timestampOptional)
                return timestamp.type == FieldValue::Type::Missing ? "missing_column" : "empty_value";
        } else {
            if (const char* reason = parseTime(timestamp, m_layout.timestampUnit, row.arrival))
                return reason;
            if (row.arrival < m_layout.earliest || row.arrival > m_layout.latest)
                return "out_of_range";
        }
    }
    wrong = Field::Prompt;
    if (m_layout.has(Field::Prompt)) {
        if (const char* reason =
                parseCount(value(values, Field::Prompt), 1, m_decimalComma, row.lengths.promptTokens))
            return reason;
    } else {
        const FieldValue& text = value(values, Field::PromptText);
        if (isBlank(text))
            return text.type == FieldValue::Type::Missing ? "missing_column" : "empty_value";
        if (text.type != FieldValue::Type::Text)
            return "not_a_text";
        row.lengths.promptTokens = codePoints(text.text);
    }
    wrong = Field::Output;
    const FieldValue& output = value(values, Field::Output);
    const FieldValue& text = value(values, Field::OutputText);
    if (m_options.outputTokens > 0 && isBlank(output) && isBlank(text)) {
        row.lengths.outputTokens = m_options.outputTokens;
        m_rows.warn("output_not_told", row.line);
    } else if (m_layout.has(Field::Output) || !m_layout.has(Field::OutputText)) {
        return parseCount(output, m_options.keepZeroOutput ? 0 : 1, m_decimalComma, row.lengths.outputTokens);
    } else {
        if (isBlank(text))
            return text.type == FieldValue::Type::Missing ? "missing_column" : "empty_value";
        if (text.type != FieldValue::Type::Text)
            return "not_a_text";
        row.lengths.outputTokens = codePoints(text.text);
    }
    return nullptr;
}

/// Session and model. A request that follows another belongs to its conversation.
void RowReader::readNames(TraceRow& row, const FieldValues& values)
{
    if (m_layout.has(Field::Parent)) {
        nameOf(value(values, Field::Parent), m_name);
        const auto parent = m_conversations.find(m_name);
        nameOf(value(values, Field::Session), m_name);
        row.session = parent != m_conversations.end() ? parent->second : m_rows.session(m_name);
        if (m_conversations.size() < kMaxConversations)
            m_conversations[m_name] = row.session;
    } else if (m_layout.has(Field::Session)) {
        nameOf(value(values, Field::Session), m_name);
        if (!m_name.empty()) {
            if (m_layout.has(Field::Agent)) {
                const FieldValue& agent = value(values, Field::Agent);
                m_name += '/';
                m_name += agent.text;
            }
            row.session = m_rows.session(m_name);
        }
    }
    if (m_layout.has(Field::Model)) {
        nameOf(value(values, Field::Model), m_name);
        if (!m_name.empty())
            row.model = m_rows.model(m_name);
    }
}

void RowReader::read(const FieldValues& values, std::int64_t line, std::vector<IdRun>* ids)
{
    if (!m_layout.requestKind.empty() && value(values, Field::Kind).text != m_layout.requestKind)
        return m_rows.reject(line, "", "not_a_request");
    if (!m_options.model.empty() && value(values, Field::Model).text != m_options.model)
        return m_rows.warn("other_models_left_out", line);
    TraceRow row;
    row.line = line;
    Field wrong = Field::Timestamp;
    if (const char* reason = readInto(row, values, wrong))
        return m_rows.reject(line, fieldId(wrong), reason);
    if (m_total && !isBlank(value(values, Field::Total))) {
        std::int32_t total = 0;
        if (parseCount(value(values, Field::Total), 0, m_decimalComma, total) ||
            total != row.lengths.promptTokens + row.lengths.outputTokens)
            m_rows.warn("total_mismatch", line);
    }
    if (m_cached && parseCount(value(values, Field::Cached), 0, m_decimalComma, row.cachedTokens))
        row.cachedTokens = TraceRow::kNotTold;
    if (m_turn && parseCount(value(values, Field::Turn), 0, m_decimalComma, row.turn))
        row.turn = TraceRow::kNotTold;
    if (m_think && !isBlank(value(values, Field::ThinkTime)))
        if (Nanoseconds think{}; !parseTime(value(values, Field::ThinkTime), m_layout.thinkUnit, think) && think.count() >= 0)
            row.thinkTime = think;
    if (m_named)
        readNames(row, values);
    std::uint64_t scope = 0;
    if (m_blocks) {
        if (!ids) {
            m_ids.clear();
            if (!parseIdRuns(value(values, Field::Blocks).text, m_ids)) {
                m_ids.clear();
                m_rows.warn("bad_block_ids", line);
            }
            ids = &m_ids;
        }
        if (m_layout.idsOfSession) {
            nameOf(value(values, Field::Session), m_name);
            scope = hashText(m_name);
        }
    }
    m_rows.accept(row, ids ? std::span<const IdRun>(*ids) : std::span<const IdRun>(), scope);
}

} // namespace tailmark
