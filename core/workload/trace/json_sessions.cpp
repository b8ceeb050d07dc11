// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/rng.h"
#include "workload/trace/json_reader.h"
#include "workload/trace/json_values.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using nlohmann::json;

FieldValue member(const json& object, const char* key)
{
    const auto found = object.find(key);
    return found == object.end() ? FieldValue() : fieldValueOf(*found);
}

std::string nameOf(const json& object, const char* key, std::int64_t line)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null())
        return "line " + std::to_string(line);
    return found->is_string() ? found->get<std::string>() : found->dump();
}

const json* listOf(const json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_array() ? &*found : nullptr;
}

/// A time that is told since another.
const char* timeAfter(Nanoseconds start, const FieldValue& value, TimeUnit unit, Nanoseconds& time)
{
    if (value.type == FieldValue::Type::Missing)
        return "missing_column";
    if (const char* reason = parseTime(value, unit, time))
        return reason;
    if (time < kEarliestTime - start || time >= kLatestTime - start)
        return "out_of_range";
    time += start;
    return nullptr;
}

/// Agent sessions (callanjfox/kv-cache-tester): requests in order with the chain of blocks of each, the pause
/// before it, and sub-agents with requests of their own that share the ids of the session.
class AgentSessions final : public JsonRowReader
{
public:
    AgentSessions(const TraceOptions& options, TraceBuilder& rows) : m_options(options), m_rows(rows)
    {
        rows.facts().format = "weka";
        rows.facts().sessionClock = true;
        rows.setWholeBlocksOnly(true);
        rows.facts().columns = {{"timestamp", "t"},           {"prompt", "in"},   {"output", "out"},
                                {"think_time", "think_time"}, {"model", "model"}, {"blocks", "hash_ids"}};
    }
    void read(const json& record, std::int64_t line) override
    {
        const json* requests = listOf(record, "requests");
        if (!requests)
            return m_rows.reject(line, "", "missing_column");
        std::int32_t blockSize = 64;
        parseCount(member(record, "block_size"), 1, false, blockSize);
        if (m_options.blockSize > 0)
            blockSize = m_options.blockSize;
        if (m_rows.facts().blockSize == 0)
            m_rows.facts().blockSize = blockSize;
        else if (m_rows.facts().blockSize != blockSize)
            return m_rows.reject(line, "", "other_block_size");
        const std::string name = nameOf(record, "id", line);
        readRequests(*requests, name, name, Nanoseconds(0), line, 0);
    }

private:
    void readRequests(const json& requests, const std::string& session, const std::string& conversation,
                      Nanoseconds start, std::int64_t line, int depth)
    {
        std::int32_t turn = 0, number = 0;
        for (const json& request : requests) {
            if (const json* own = listOf(request, "requests"); own && depth < 8) { // of a sub-agent
                Nanoseconds t = start;
                if (timeAfter(start, member(request, "t"), TimeUnit::Seconds, t))
                    t = start;
                const std::string agent = conversation + "/" + nameOf(request, "agent_id", ++number);
                readRequests(*own, session, agent, t, line, depth + 1);
                continue;
            }
            TraceRow row;
            row.line = line;
            row.turn = turn++;
            Field wrong = Field::Timestamp;
            const char* reason = timeAfter(start, member(request, "t"), TimeUnit::Seconds, row.arrival);
            if (!reason) {
                wrong = Field::Prompt;
                reason = parseCount(member(request, "in"), 1, false, row.lengths.promptTokens);
            }
            if (!reason) {
                wrong = Field::Output;
                reason = parseCount(member(request, "out"), m_options.keepZeroOutput ? 0 : 1, false,
                                    row.lengths.outputTokens);
            }
            if (reason) {
                m_rows.reject(line, fieldId(wrong), reason);
                continue;
            }
            const FieldValue model = member(request, "model");
            if (!m_options.model.empty() && model.text != m_options.model) {
                m_rows.warn("other_models_left_out", line);
                continue;
            }
            row.session = m_rows.session(conversation);
            if (model.type == FieldValue::Type::Text)
                row.model = m_rows.model(model.text);
            if (Nanoseconds think{};
                !parseTime(member(request, "think_time"), TimeUnit::Seconds, think) && think.count() >= 0)
                row.thinkTime = think;
            m_ids.clear();
            if (const json* ids = listOf(request, "hash_ids"))
                for (const json& id : *ids)
                    if (id.is_number_integer())
                        appendId(m_ids, id.get<std::uint64_t>());
            m_rows.accept(row, m_ids, hashText(session));
        }
    }

    const TraceOptions& m_options;
    TraceBuilder& m_rows;
    std::vector<IdRun> m_ids;
};

/// Chats as texts: the first question and its answer; a system prompt before it is left out, as every tool
/// does.
class Conversations final : public JsonRowReader
{
public:
    Conversations(const char* list, const TraceOptions& options, TraceBuilder& rows)
        : m_list(list), m_options(options), m_rows(rows)
    {
        rows.facts().format = "sharegpt";
        rows.facts().lengthUnit = "unicode code points";
        rows.facts().columns = {{"prompt_text", m_list}, {"output_text", m_list}};
    }
    void read(const json& record, std::int64_t line) override
    {
        const json* turns = listOf(record, m_list);
        if (!turns)
            return m_rows.reject(line, "", "missing_column");
        std::size_t question = 0;
        while (question < turns->size() && !isOf((*turns)[question], {"human", "user"}))
            ++question;
        if (question + 1 >= turns->size())
            return m_rows.reject(line, "", "too_few_turns");
        const std::string_view asked = textOf((*turns)[question]), answered = textOf((*turns)[question + 1]);
        if (asked.empty())
            return m_rows.reject(line, "prompt", "empty_value");
        if (answered.empty() && !m_options.keepZeroOutput)
            return m_rows.reject(line, "output", "empty_value");
        const FieldValue model = member(record, "model");
        if (!m_options.model.empty() && model.text != m_options.model)
            return m_rows.warn("other_models_left_out", line);
        if (question + 2 < turns->size())
            m_rows.warn("extra_turns_ignored", line);
        TraceRow row;
        row.line = line;
        row.lengths = {codePoints(asked), codePoints(answered)};
        if (model.type == FieldValue::Type::Text && !model.text.empty())
            row.model = m_rows.model(model.text);
        m_rows.accept(row);
    }

private:
    static std::string_view stringAt(const json& turn, std::initializer_list<const char*> keys)
    {
        for (const char* key : keys)
            if (const auto found = turn.is_object() ? turn.find(key) : turn.end();
                turn.is_object() && found != turn.end() && found->is_string())
                return found->get_ref<const std::string&>();
        return {};
    }
    static bool isOf(const json& turn, std::initializer_list<std::string_view> roles)
    {
        const std::string_view role = stringAt(turn, {"from", "role"});
        return std::find(roles.begin(), roles.end(), role) != roles.end();
    }
    static std::string_view textOf(const json& turn) { return stringAt(turn, {"value", "content", "text"}); }

    const char* m_list;
    const TraceOptions& m_options;
    TraceBuilder& m_rows;
};

/// AIPerf's multi_turn: texts of a session in order, with a time (ms) or a pause (ms) before each.
class TurnSessions final : public JsonRowReader
{
public:
    TurnSessions(const TraceOptions& options, TraceBuilder& rows) : m_options(options), m_rows(rows)
    {
        rows.facts().format = "aiperf";
        rows.facts().lengthUnit = "unicode code points";
        rows.facts().columns = {{"session", "session_id"},
                                {"prompt_text", "turns[].text"},
                                {"timestamp", "turns[].timestamp"},
                                {"think_time", "turns[].delay"}};
    }
    void read(const json& record, std::int64_t line) override
    {
        const json* turns = listOf(record, "turns");
        if (!turns)
            return m_rows.reject(line, "", "missing_column");
        const std::string session = nameOf(record, "session_id", line);
        std::int32_t number = 0;
        for (const json& turn : *turns) {
            TraceRow row;
            row.line = line;
            row.turn = number++;
            const FieldValue timestamp = member(turn, "timestamp");
            if (timestamp.type != FieldValue::Type::Missing && timestamp.type != FieldValue::Type::Null) {
                if (const char* reason = parseTime(timestamp, TimeUnit::Milliseconds, row.arrival)) {
                    m_rows.reject(line, "timestamp", reason);
                    continue;
                }
            }
            if (Nanoseconds delay{};
                !parseTime(member(turn, "delay"), TimeUnit::Milliseconds, delay) && delay.count() >= 0)
                row.thinkTime = delay;
            row.lengths.promptTokens = textLength(turn);
            if (row.lengths.promptTokens == 0) {
                m_rows.reject(line, "prompt", "empty_value");
                continue;
            }
            const FieldValue output = member(turn, "output_length");
            if (output.type == FieldValue::Type::Missing && m_options.outputTokens > 0) {
                row.lengths.outputTokens = m_options.outputTokens;
                m_rows.warn("output_not_told", line);
            } else if (const char* reason = parseCount(output, 1, false, row.lengths.outputTokens)) {
                m_rows.reject(line, "output", reason);
                continue;
            }
            row.session = m_rows.session(session);
            m_rows.accept(row);
        }
    }

private:
    static std::int32_t textLength(const json& turn)
    {
        if (const FieldValue text = member(turn, "text"); text.type == FieldValue::Type::Text)
            return codePoints(text.text);
        std::int32_t sum = 0;
        if (const json* texts = listOf(turn, "texts"))
            for (const json& text : *texts)
                sum += text.is_string() ? codePoints(text.get_ref<const std::string&>()) : 0;
        return sum;
    }

    const TraceOptions& m_options;
    TraceBuilder& m_rows;
};

} // namespace

std::unique_ptr<JsonRowReader> makeNestedReader(const json& record, const TraceOptions& options,
                                                TraceBuilder& rows)
{
    const auto wanted = [&](std::string_view format) {
        return (options.format == "auto" && options.columns.empty()) || options.format == format;
    };
    if (wanted("weka") && listOf(record, "requests"))
        return std::make_unique<AgentSessions>(options, rows);
    for (const char* list : {"conversations", "conversation"})
        if (wanted("sharegpt") && listOf(record, list))
            return std::make_unique<Conversations>(list, options, rows);
    if (wanted("aiperf") && listOf(record, "turns"))
        return std::make_unique<TurnSessions>(options, rows);
    return nullptr;
}

} // namespace tailmark
