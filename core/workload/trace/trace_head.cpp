// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/trace_head.h"

#include "base/bounded_json.h"
#include "workload/trace/byte_source.h"
#include "workload/trace/csv_reader.h"
#include "workload/trace/json_reader.h"
#include "workload/trace/json_records.h"
#include "workload/trace/json_values.h"
#include "workload/trace/servegen.h"
#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_formats.h"

#include <algorithm>
#include <cstdio>
#include <deque>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

constexpr std::size_t kLongestSample = 60;

std::string sampleText(const FieldValue& value)
{
    switch (value.type) {
    case FieldValue::Type::Missing:
        return {};
    case FieldValue::Type::Null:
        return "null";
    case FieldValue::Type::Whole:
        return std::to_string(value.whole);
    case FieldValue::Type::Real: {
        char text[40];
        std::snprintf(text, sizeof text, "%.15g", value.real);
        return text;
    }
    case FieldValue::Type::NoJson:
    case FieldValue::Type::Other:
        return "…";
    case FieldValue::Type::Text:
        break;
    }
    if (value.text.size() <= kLongestSample)
        return std::string(value.text);
    std::size_t end = kLongestSample; // not inside a character
    while (end > 0 && (static_cast<unsigned char>(value.text[end]) & 0xC0) == 0x80)
        --end;
    return std::string(value.text.substr(0, end)) + "…";
}

/// The names of a table, by the separator that makes most of them.
std::optional<CsvHead> tableHead(std::string_view text)
{
    std::optional<CsvHead> best;
    for (const char separator : {',', ';', '\t', '|'})
        if (std::optional<CsvHead> head = csvHead(text, separator);
            head && (!best || head->names.size() > best->names.size()))
            best = std::move(head);
    return best;
}

struct Names
{
    std::vector<SourceName> names;
    std::deque<std::string> storage;
    bool nested = false;
};

Names jsonNames(ByteSource& source, const TraceOptions& options, std::size_t records)
{
    Names names;
    JsonRecords reader(source, jsonShapeOf(source.window()));
    TraceBuilder unused(options, "unknown");
    std::string_view record;
    for (std::size_t row = 0; row < records && reader.next(record);) {
        const nlohmann::json object = boundedJson(record);
        if (!object.is_object())
            continue;
        names.nested = names.nested || makeNestedReader(object, options, unused) != nullptr;
        addNames(object, row, names.names, names.storage);
        ++row;
    }
    return names;
}

} // namespace

Result<TraceHead> readTraceHead(const std::string& path, const TraceOptions& options, std::size_t records)
{
    Result<ByteSource> opened = ByteSource::open(path);
    if (!opened)
        return opened.error();
    ByteSource& source = opened.value();
    const std::string_view begin = source.window();
    TraceHead head;
    const std::size_t first = begin.find_first_not_of("\xEF\xBB\xBF \t\r\n");
    Names names;
    if (first == std::string_view::npos || begin.find('\0') != std::string_view::npos) {
        head.nested = true; // empty, or no text: importTrace() says which
        return head;
    }
    if (looksLikeServeGen(begin)) {
        head.nested = true;
        return head;
    }
    if (begin[first] == '{' || begin[first] == '[') {
        names = jsonNames(source, options, records);
    } else if (std::optional<CsvHead> table = tableHead(begin)) {
        names.names = std::move(table->names);
        names.storage = std::move(table->storage);
    }
    head.nested = names.nested;
    for (const SourceName& name : names.names) {
        TraceColumn& column = head.columns.emplace_back();
        column.name = name.name;
        for (std::size_t row = 0; row < std::min(records, name.samples.size()); ++row)
            column.samples.push_back(sampleText(name.samples[row]));
    }
    if (head.nested)
        return head;
    if (const Result<Layout> layout = layoutOf(std::move(names.names), options)) {
        for (std::size_t field = 0; field < kFieldCount; ++field)
            if (const auto& found = layout.value().sources[field])
                head.guessed[static_cast<Field>(field)] = found->name;
        if (layout.value().has(Field::Timestamp))
            head.timeUnit = layout.value().timestampUnit;
    }
    return head;
}

} // namespace tailmark
