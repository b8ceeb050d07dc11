// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/trace_import.h"

#include "plan/validate.h"
#include "workload/trace/byte_source.h"
#include "workload/trace/csv_reader.h"
#include "workload/trace/json_reader.h"
#include "workload/trace/servegen.h"
#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_formats.h"
#include "workload/trace/trace_measures.h"

#include <algorithm>

namespace tailmark {

namespace {

struct Mark
{
    std::string_view bytes;
    const char* what;
};
constexpr Mark kOtherFiles[] = {
    {"PAR1", "unsupported: is a Parquet file; export it as CSV or JSON lines"},
    {"\x28\xb5\x2f\xfd", "compressed: is a Zstandard file; unpack it first, or pack it with gzip"},
    {"\xfd"
     "7zXZ",
     "compressed: is an xz file; unpack it first, or pack it with gzip"},
    {"BZh", "compressed: is a bzip2 file; unpack it first, or pack it with gzip"},
    {"PK\x03\x04", "compressed: is a zip archive or a workbook; unpack it, or export it as CSV"},
    {"version https://git-lfs", "not_here: is a pointer of Git LFS; fetch the file itself (git lfs pull)"},
    {"SQLite format 3", "unsupported: is an SQLite database; export the table as CSV"},
};

bool isJson(std::string_view text)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '[');
}

/// The head of the table by the separator that makes a known layout; else why there is none. A comma is tried
/// first.
Result<std::pair<char, Layout>> csvLayout(std::string_view text, const TraceOptions& options)
{
    std::optional<Error> first;
    std::optional<Error> named;
    for (const char separator : {',', ';', '\t', '|'}) {
        std::optional<CsvHead> head = csvHead(text, separator);
        if (!head)
            return Error{ErrorCode::BadInput, "", "no_header: is empty; " + namesLookedFor(options.format)};
        const bool several = head->names.size() > 1;
        Result<Layout> layout = layoutOf(std::move(head->names), options);
        if (layout)
            return std::pair(separator, std::move(layout).value());
        if (!first)
            first = layout.error();
        if (several && !named && !layout.error().message.starts_with("no_header"))
            named = layout.error();
    }
    return named ? *named : *first;
}

/// Whether the first row is two lengths and nothing else.
bool isPair(std::string_view text)
{
    std::vector<std::string_view> cells;
    std::deque<std::string> unquoted;
    splitCells(text.substr(0, text.find_first_of("\r\n")), ',', 3, cells, unquoted);
    std::int32_t count = 0;
    return cells.size() == 2 && !parseCount(FieldValue::of(cells[0]), 1, false, count) &&
           !parseCount(FieldValue::of(cells[1]), 1, false, count);
}

Layout pairLayout()
{
    Layout layout;
    layout.format = "generic";
    layout.sources[static_cast<std::size_t>(Field::Prompt)] = SourceName{"first column", 0, {}, {}};
    layout.sources[static_cast<std::size_t>(Field::Output)] = SourceName{"second column", 1, {}, {}};
    return layout;
}

Result<Trace> importFrom(ByteSource& source, const std::string& path, const TraceOptions& options)
{
    const auto refuse = [&](const std::string& message) { return Error{ErrorCode::BadInput, path, message}; };
    const std::string_view begin = source.window();
    for (const Mark& mark : kOtherFiles)
        if (begin.starts_with(mark.bytes))
            return refuse(mark.what);
    if (begin.starts_with("\xff\xfe") || begin.starts_with("\xfe\xff"))
        return refuse("not_text: is UTF-16; save it as UTF-8");
    if (begin.find('\0') != std::string_view::npos)
        return refuse("not_text: holds zero bytes; must be a text file");

    TraceBuilder builder(options, options.format == "auto" ? "unknown" : options.format);
    Result<bool> read = true;
    if (isJson(begin)) {
        read = readJson(source, options, builder);
    } else if (options.format == "servegen" || (options.format == "auto" && looksLikeServeGen(begin))) {
        read = readServeGen(source, path, options, builder);
    } else if (options.pairs && isPair(begin)) {
        RowReader rows(pairLayout(), options, builder);
        bool tooLong = false;
        read = readCsv(source, ',', false, rows, builder, tooLong);
    } else {
        Result<std::pair<char, Layout>> layout = csvLayout(begin, options);
        if (!layout)
            return refuse(layout.error().message);
        const char separator = layout.value().first;
        RowReader rows(std::move(layout.value().second), options, builder, separator != ',');
        bool tooLong = false;
        read = readCsv(source, separator, true, rows, builder, tooLong);
        if (tooLong)
            return refuse("not_text: has a line longer than 64 MiB, so this is no table of requests");
    }
    if (!read)
        return refuse(read.error().message);
    if (!source.failure().empty())
        return refuse(source.failure());
    return builder.finish(path);
}

} // namespace

Result<Trace> importTrace(const std::string& path, const TraceOptions& options)
{
    const std::span<const std::string_view> formats = traceFormatIds();
    if (std::find(formats.begin(), formats.end(), options.format) == formats.end()) {
        std::string allowed;
        for (const std::string_view format : formats)
            allowed += (allowed.empty() ? "" : ", ") + std::string(format);
        return Error{ErrorCode::BadInput, path,
                     "unknown_format: \"" + options.format + "\" is none; allowed: " + allowed};
    }
    Result<ByteSource> source = ByteSource::open(path, [&options] {
        if (options.progress)
            options.progress(0, 0);
        return !options.stop.stop_requested();
    });
    Result<Trace> trace = source ? importFrom(source.value(), path, options) : Result<Trace>(source.error());
    if (!trace && options.stop.stop_requested())
        return Error{ErrorCode::Cancelled, path, "stopped"};
    return trace;
}

Result<Trace> traceFromCanonical(std::string_view bytes)
{
    const Error damaged{ErrorCode::Io, "", "these are no rows of a log"};
    Trace trace;
    CanonicalDecoder decoder(bytes);
    TraceRow row;
    std::vector<BlockRun> blocks;
    while (decoder.next(row, blocks)) {
        trace.rows.push_back(row, blocks);
        ++trace.rowsAccepted;
    }
    if (trace.rows.empty() || !decoder.trailer(trace))
        return damaged;
    if (!trace.sessionClock)
        trace.rows.startAtZero();
    TraceMeasures measures;
    for (std::size_t i = 0; i < trace.rows.size(); ++i)
        measures.add(trace.rows[i], trace.rows.blocks(i), trace.blockSize);
    measures.finish(trace);
    return trace;
}

} // namespace tailmark
