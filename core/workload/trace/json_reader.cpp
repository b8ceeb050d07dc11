// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/json_reader.h"

#include "base/bounded_json.h"
#include "base/rng.h"
#include "workload/trace/json_records.h"
#include "workload/trace/json_values.h"
#include "workload/trace/row_reader.h"

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

/// Records that are looked at before the layout is settled; they are read like all others afterwards.
constexpr std::size_t kSampleRecords = 200;
constexpr std::size_t kSampleBytes = std::size_t{4} << 20;

/// Flat objects by a layout.
class FlatReader final : public JsonRowReader
{
public:
    FlatReader(Layout layout, const TraceOptions& options, TraceBuilder& rows)
        : m_rows(std::move(layout), options, rows)
    {
    }
    void read(const nlohmann::json& record, std::int64_t line) override
    {
        const Layout& layout = m_rows.layout();
        for (std::size_t field = 0; field < kFieldCount; ++field) {
            if (!layout.sources[field])
                continue;
            const nlohmann::json* found = atPath(record, layout.sources[field]->path);
            m_values[field] = found ? fieldValueOf(*found) : FieldValue();
            if (!found)
                continue;
            if (field == static_cast<std::size_t>(Field::Blocks))
                readIds(*found);
            else if (found->is_array() && !found->empty() &&
                     found->front().is_string()) // texts: the first is sent
                m_values[field] = fieldValueOf(found->front());
        }
        const FieldValue& blocks = m_values[static_cast<std::size_t>(Field::Blocks)];
        const bool listed = blocks.type == FieldValue::Type::Other;
        m_rows.read(m_values, line, listed ? &m_ids : nullptr);
    }

private:
    void readIds(const nlohmann::json& list)
    {
        m_ids.clear();
        if (!list.is_array())
            return;
        for (const nlohmann::json& id : list)
            if (id.is_number_integer())
                appendId(m_ids, id.get<std::uint64_t>());
            else if (id.is_string()) // digests
                appendId(m_ids, hashText(id.get_ref<const std::string&>()));
    }

    RowReader m_rows;
    FieldValues m_values;
    std::vector<IdRun> m_ids;
};

/// An object, or one that was written into a text (some conversations of ShareGPT are).
std::optional<nlohmann::json> objectOf(std::string_view text, std::string_view& reason)
{
    nlohmann::json value = boundedJson(text);
    if (value.is_discarded()) {
        reason = isNestedTooDeep(text) ? "nested_too_deep" : "invalid_json";
        return std::nullopt;
    }
    if (value.is_string())
        value = boundedJson(value.get<std::string>());
    if (!value.is_object()) {
        reason = "not_an_object";
        return std::nullopt;
    }
    return value;
}

Result<std::unique_ptr<JsonRowReader>> readerOf(const std::vector<nlohmann::json>& samples,
                                                const TraceOptions& options, TraceBuilder& builder)
{
    for (const nlohmann::json& sample : samples)
        if (std::unique_ptr<JsonRowReader> nested = makeNestedReader(sample, options, builder))
            return nested;
    std::vector<SourceName> names;
    std::deque<std::string> storage;
    for (std::size_t i = 0; i < samples.size(); ++i)
        addNames(samples[i], i, names, storage);
    Result<Layout> layout = layoutOf(std::move(names), options);
    if (!layout)
        return layout.error();
    return std::unique_ptr<JsonRowReader>(
        std::make_unique<FlatReader>(std::move(layout).value(), options, builder));
}

} // namespace

Result<bool> readJson(ByteSource& source, const TraceOptions& options, TraceBuilder& builder)
{
    JsonRecords records(source, jsonShapeOf(source.window()));
    std::unique_ptr<JsonRowReader> reader;
    // What stands before the layout is known, bad records included, in the order of the file.
    struct Waiting
    {
        std::int64_t line;
        std::optional<nlohmann::json> object;
        std::string_view reason;
    };
    std::vector<Waiting> waiting;
    std::size_t bytes = 0;
    const auto hand = [&](const Waiting& record) {
        if (record.object)
            reader->read(*record.object, record.line);
        else
            builder.reject(record.line, "", record.reason);
    };
    const auto settle = [&]() -> Status {
        std::vector<nlohmann::json> samples;
        for (const Waiting& record : waiting)
            if (record.object)
                samples.push_back(*record.object);
        if (samples.empty() && !waiting.empty())
            return Error{ErrorCode::BadInput, "",
                         "no_rows: none of its " + std::to_string(waiting.size()) +
                             " first records is a JSON object; line " + std::to_string(waiting.front().line) +
                             ": " + std::string(waiting.front().reason)};
        Result<std::unique_ptr<JsonRowReader>> made = readerOf(samples, options, builder);
        if (!made)
            return made.error();
        reader = std::move(made).value();
        for (const Waiting& record : waiting)
            hand(record);
        waiting.clear();
        return success();
    };
    std::string_view text;
    while (records.next(text)) {
        Waiting record{records.line(), std::nullopt, {}};
        record.object = objectOf(text, record.reason);
        if (reader) {
            hand(record);
        } else {
            bytes += text.size();
            waiting.push_back(std::move(record));
            if (waiting.size() >= kSampleRecords || bytes >= kSampleBytes)
                if (Status status = settle(); !status)
                    return status.error();
        }
        if (!builder.goOn(source))
            return false;
    }
    if (records.tooLong())
        return Error{ErrorCode::BadInput, "",
                     "not_text: the " +
                         (records.line() > 0 ? "record after line " + std::to_string(records.line())
                                             : std::string("first record")) +
                         " is longer than 64 MiB, so this is no log of requests"};
    if (!reader && waiting.empty())
        return Error{ErrorCode::BadInput, "", "no_rows: holds no record"};
    if (!reader)
        if (Status status = settle(); !status)
            return status.error();
    return true;
}

} // namespace tailmark
