// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/trace_import.h"

#include "plan/validate.h"
#include "workload/trace/byte_source.h"
#include "workload/trace/csv_reader.h"
#include "workload/trace/json_reader.h"
#include "workload/trace/servegen.h"
#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_formats.h"

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
    } else {
        Result<std::pair<char, Layout>> layout = csvLayout(begin, options);
        if (!layout)
            return refuse(layout.error().message);
        const char separator = layout.value().first;
        RowReader rows(std::move(layout.value().second), options, builder, separator != ',');
        bool tooLong = false;
        read = readCsv(source, separator, rows, builder, tooLong);
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
    Result<ByteSource> source = ByteSource::open(path);
    if (!source)
        return source.error();
    return importFrom(source.value(), path, options);
}

} // namespace tailmark
