// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/kept_traces.h"

#include "plan/validate.h"
#include "report/trace_summary.h"
#include "workload/prompt_file.h"
#include "workload/trace/canonical_rows.h"
#include "workload/trace/trace_import.h"

#include <filesystem>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

std::string shortHash(const std::string& hash)
{
    return hash.substr(0, 12);
}

Result<ReadLengths> readMix(const Lengths& mix, Store& store)
{
    ReadLengths all{mix, nullptr, nullptr, {}};
    std::vector<std::shared_ptr<const LengthSource>> sources;
    for (MixPart& part : all.lengths.parts) {
        Result<ReadLengths> read = readLengths(part.lengths, store);
        if (!read)
            return read;
        part.lengths = read.value().lengths;
        sources.push_back(read.value().source);
        if (!read.value().warning.empty())
            all.warning += (all.warning.empty() ? "" : "; ") + read.value().warning;
    }
    all.source = makeMix(all.lengths, std::move(sources));
    return all;
}

/// The file read again by the columns that the kept log was read by, which a person may have chosen; absent
/// where it does not hold that log so either.
std::optional<Trace> readByKeptColumns(const Lengths& lengths, const Store& store)
{
    const Result<std::optional<KeptTrace>> kept = store.loadTrace(lengths.hash);
    if (!kept || !kept.value())
        return std::nullopt;
    const nlohmann::json summary = nlohmann::json::parse(kept.value()->summary, nullptr, false);
    const auto columns = summary.find("columns");
    if (columns == summary.end() || !columns->is_object())
        return std::nullopt;
    TraceOptions options;
    options.format = kept.value()->format;
    for (const auto& [id, name] : columns->items())
        if (const std::optional<Field> field = fieldFromId(id); field && name.is_string())
            options.columns[*field] = name.get<std::string>();
    Result<Trace> trace = importTrace(lengths.file, options);
    return trace && trace.value().hash == lengths.hash ? std::optional(std::move(trace).value()) : std::nullopt;
}

} // namespace

Status keepTrace(Store& store, const std::string& file, const Trace& trace)
{
    if (trace.sampledEvery > 1)
        return success();
    const Result<bool> known = store.hasTrace(trace.hash);
    if (!known || known.value())
        return known ? success() : Status(known.error());
    KeptTrace kept;
    kept.hash = trace.hash;
    kept.name = std::filesystem::path(file).filename().string();
    kept.format = trace.format;
    kept.rows = static_cast<std::int64_t>(trace.rowsAccepted);
    kept.summary = traceToJson(trace).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    kept.content = canonicalRows(trace);
    return store.keepTrace(kept);
}

Result<std::optional<Trace>> keptTrace(const Store& store, const std::string& hash)
{
    const Result<std::optional<KeptTrace>> kept = store.loadTrace(hash);
    if (!kept)
        return kept.error();
    if (!kept.value())
        return std::optional<Trace>();
    Result<Trace> trace = traceFromCanonical(kept.value()->content);
    if (!trace || trace.value().hash != hash)
        return Error{ErrorCode::Io, kept.value()->name, "the log that is kept under " + hash + " is damaged"};
    trace.value().format = kept.value()->format;
    return std::optional<Trace>(std::move(trace).value());
}

Result<ReadLengths> readLengths(const Lengths& lengths, Store& store)
{
    if (lengths.kind == LengthsKind::Mix)
        return readMix(lengths, store);
    ReadLengths read{lengths, nullptr, nullptr, {}};
    if (!isDrawnFromLog(lengths.kind)) {
        Result<std::shared_ptr<const LengthSource>> source = makeLengthSource(lengths);
        if (!source)
            return source.error();
        read.source = std::move(source).value();
        if (const FilePrompts* prompts = read.source->prompts()) {
            // Prompts are not kept with the runs: they are what people wrote.
            if (!lengths.hash.empty() && prompts->hash() != lengths.hash)
                return Error{ErrorCode::BadInput, lengths.file,
                             "has changed: it holds the prompts " + shortHash(prompts->hash()) +
                                 "… now, and the matrix names " + shortHash(lengths.hash) +
                                 "…; clear workload.lengths.hash to take the file"};
            read.lengths.hash = prompts->hash();
        }
        return read;
    }
    Result<Trace> trace = readTrace(lengths);
    if (!lengths.hash.empty() && (!trace || trace.value().hash != lengths.hash))
        if (std::optional<Trace> chosen = readByKeptColumns(lengths, store))
            trace = std::move(*chosen);
    const bool changed = trace && !lengths.hash.empty() && trace.value().hash != lengths.hash;
    if (!trace || changed) {
        if (lengths.hash.empty())
            return trace.error();
        const std::string state =
            trace ? "has changed: it holds the log " + shortHash(trace.value().hash) + "… now"
                  : "cannot be read (" + trace.error().message + ")";
        Result<std::optional<Trace>> kept = keptTrace(store, lengths.hash);
        if (!kept)
            return kept.error();
        if (!kept.value())
            return Error{
                ErrorCode::BadInput, lengths.file,
                state + ", and the log " + shortHash(lengths.hash) +
                    "… that the matrix names is not kept; clear workload.lengths.hash to take the file"};
        read.warning = lengths.file + " " + state + "; lengths are those of the log " +
                       shortHash(lengths.hash) + "… that the matrix names, as it is kept";
        trace = std::move(*kept.value());
    }
    Result<std::shared_ptr<const LengthSource>> source = makeLengthSource(lengths, trace.value());
    if (!source)
        return source.error();
    if (Status status = keepTrace(store, lengths.file, trace.value()); !status)
        return status.error();
    if (lengths.draw == LengthsDraw::Independent)
        read.warning += (read.warning.empty() ? lengths.file + ": " : "; ") + std::string(kIndependentDraw);
    read.source = std::move(source).value();
    read.lengths.hash = trace.value().hash;
    read.log = std::make_shared<const Trace>(std::move(trace).value());
    return read;
}

} // namespace tailmark
