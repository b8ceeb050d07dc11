// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace_import.h"

#include "workload/line_reader.h"
#include "workload/timestamp.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

namespace tailmark {

namespace {

constexpr std::int64_t kMaxLength = 100'000'000;

std::string_view trimmed(std::string_view text)
{
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && blank(text.back()))
        text.remove_suffix(1);
    return text;
}

/// A column name without what varies between copies of one format: case, blanks, underscores, hyphens.
std::string folded(std::string_view name)
{
    std::string text;
    for (const char c : name) {
        if (c == ' ' || c == '_' || c == '-' || c == '\t')
            continue;
        text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

/// The cells of a line, trimmed, quotes taken off. They point into `line`.
void split(std::string_view line, char separator, std::vector<std::string_view>& cells)
{
    cells.clear();
    for (std::size_t begin = 0;;) {
        std::size_t end = line.find(separator, begin);
        std::string_view cell =
            trimmed(line.substr(begin, end == std::string_view::npos ? end : end - begin));
        if (cell.starts_with('"')) { // a quoted cell may hold separators
            const std::size_t open = line.find('"', begin);
            const std::size_t close = line.find('"', open + 1);
            if (close != std::string_view::npos) {
                cell = trimmed(line.substr(open + 1, close - open - 1));
                end = line.find(separator, close + 1);
            }
        }
        cells.push_back(cell);
        if (end == std::string_view::npos)
            return;
        begin = end + 1;
    }
}

bool isBlank(std::string_view line, char separator)
{
    return std::all_of(line.begin(), line.end(),
                       [&](char c) { return c == ' ' || c == '\t' || c == separator; });
}

/// Where the columns of the Azure format are.
struct Columns
{
    std::size_t timestamp = 0, prompt = 0, output = 0;
    char separator = ',';
};

std::optional<Columns> azureColumns(std::string_view header)
{
    for (const char separator : {',', ';', '\t'}) {
        std::vector<std::string_view> cells;
        split(header, separator, cells);
        const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
            for (std::size_t i = 0; i < cells.size(); ++i) {
                if (folded(cells[i]) == name)
                    return i;
            }
            return std::nullopt;
        };
        const auto timestamp = find("timestamp"), prompt = find("contexttokens"),
                   output = find("generatedtokens");
        if (timestamp && prompt && output)
            return Columns{*timestamp, *prompt, *output, separator};
    }
    return std::nullopt;
}

/// A whole number above 0, 512.0 included; else the reason why it is none.
const char* parseLength(std::string_view text, char separator, std::int32_t& length)
{
    if (text.empty())
        return "empty_value";
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range)
        return "out_of_range";
    if (error != std::errc())
        return "not_an_integer";
    std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
    const bool fraction = !rest.empty() && (rest[0] == '.' || (rest[0] == ',' && separator != ','));
    if (fraction)
        rest.remove_prefix(1);
    if ((fraction && rest.empty()) || rest.find_first_not_of("0") != std::string_view::npos ||
        (!fraction && !rest.empty()))
        return "not_an_integer";
    if (value < 0)
        return "negative";
    if (value == 0)
        return "zero";
    if (value > kMaxLength)
        return "out_of_range";
    length = static_cast<std::int32_t>(value);
    return nullptr;
}

/// One row; what is wrong with it is told by the first bad field.
std::optional<RejectedRow> parseRow(const std::vector<std::string_view>& cells, const Columns& columns,
                                    TraceRow& row)
{
    const auto reject = [&](const char* field, const char* reason) {
        return RejectedRow{row.line, field, reason};
    };
    if (columns.timestamp >= cells.size())
        return reject("timestamp", "missing_column");
    if (cells[columns.timestamp].empty())
        return reject("timestamp", "empty_value");
    const std::optional<Nanoseconds> arrival = parseTimestamp(cells[columns.timestamp]);
    if (!arrival)
        return reject("timestamp", "bad_timestamp");
    row.arrival = *arrival;
    const struct
    {
        const char* field;
        std::size_t column;
        std::int32_t& length;
    } lengths[] = {{"prompt", columns.prompt, row.lengths.promptTokens},
                   {"output", columns.output, row.lengths.outputTokens}};
    for (const auto& [field, column, length] : lengths) {
        if (column >= cells.size())
            return reject(field, "missing_column");
        if (const char* reason = parseLength(cells[column], columns.separator, length))
            return reject(field, reason);
    }
    return std::nullopt;
}

void sortByArrival(Trace& trace)
{
    const auto earlier = [](const TraceRow& a, const TraceRow& b) { return a.arrival < b.arrival; };
    if (!std::is_sorted(trace.rows.begin(), trace.rows.end(), earlier)) {
        std::stable_sort(trace.rows.begin(), trace.rows.end(), earlier);
        trace.warnings.push_back("unsorted");
    }
    const Nanoseconds first = trace.rows.front().arrival;
    for (TraceRow& row : trace.rows)
        row.arrival -= first;
}

} // namespace

Result<Trace> importTrace(const std::string& path, const std::string& format)
{
    const auto refuse = [&](const std::string& message) { return Error{ErrorCode::BadInput, path, message}; };
    if (format != "auto" && format != "azure")
        return refuse("unknown_format: \"" + format + "\" is none; allowed: \"auto\" or \"azure\"");
    std::error_code ec;
    if (std::filesystem::is_directory(path, ec))
        return refuse("not_a_file: is a folder; must be a trace file");
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return refuse("unreadable: cannot be opened");

    const std::string lookedFor =
        "looked for TIMESTAMP, ContextTokens and GeneratedTokens (format azure) in the first line";
    LineReader lines(file);
    std::string line;
    std::optional<Columns> columns;
    Trace trace;
    std::vector<std::string_view> cells;
    while (lines.next(line)) {
        if (!columns) {
            if (lines.number() == 1 && line.starts_with("\x1f\x8b"))
                return refuse("compressed: is a gzip file; unpack it first");
            if (line.find('\0') != std::string::npos)
                return refuse("not_text: holds zero bytes; must be a text file");
            if (isBlank(line, ','))
                continue;
            columns = azureColumns(line);
            if (!columns)
                return refuse("no_header: has no known header; " + lookedFor);
            continue;
        }
        if (isBlank(line, columns->separator))
            continue;
        split(line, columns->separator, cells);
        TraceRow row;
        row.line = lines.number();
        if (std::optional<RejectedRow> rejected = parseRow(cells, *columns, row))
            trace.rejected.push_back(std::move(*rejected));
        else
            trace.rows.push_back(row);
    }
    if (lines.tooLong())
        return refuse("not_text: line " + std::to_string(lines.number() + 1) + " is longer than " +
                      std::to_string(LineReader::kMaxLine) + " bytes, so this is no table of requests");
    if (file.bad())
        return refuse("unreadable: cannot be read to the end");
    if (!columns)
        return refuse("no_header: is empty; " + lookedFor);
    if (trace.rows.empty()) {
        if (trace.rejected.empty())
            return refuse("no_rows: has a header and no row");
        const RejectedRow& first = trace.rejected.front();
        return refuse("no_rows: none of its " + std::to_string(trace.rejected.size()) +
                      " rows can be used; line " + std::to_string(first.line) + ": " + first.field + " " +
                      first.reason);
    }
    trace.format = "azure";
    sortByArrival(trace);
    return trace;
}

} // namespace tailmark
