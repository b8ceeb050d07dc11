// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/kept_traces.h"

#include "analysis/text.h"
#include "plan/validate.h"
#include "report/trace_summary.h"
#include "workload/prompt_file.h"
#include "workload/trace/canonical_rows.h"
#include "workload/trace/trace_import.h"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

std::string shortHash(const std::string& hash)
{
    return hash.substr(0, 12);
}

Result<ReadLengths> readFrom(const Lengths& lengths, const Store* library, Store* keeper);

Result<ReadLengths> readMix(const Lengths& mix, const Store* library, Store* keeper)
{
    ReadLengths all{mix, nullptr, nullptr, {}};
    std::vector<std::shared_ptr<const LengthSource>> sources;
    for (MixPart& part : all.lengths.parts) {
        Result<ReadLengths> read = readFrom(part.lengths, library, keeper);
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

/// A log that is named by its hash alone.
Result<ReadLengths> readKept(const Lengths& lengths, const Store* library)
{
    Result<std::optional<Trace>> kept =
        library ? keptTrace(*library, lengths.hash) : Result<std::optional<Trace>>(std::optional<Trace>());
    if (!kept)
        return kept.error();
    if (!kept.value())
        return Error{ErrorCode::BadInput, "workload.lengths.hash",
                     "the log " + shortHash(lengths.hash) +
                         "… is not kept here; keep it with `import-trace FILE --db`, or name its file"};
    Lengths labelled = lengths;
    labelled.file = "the log " + shortHash(lengths.hash) + "…";
    Result<std::shared_ptr<const LengthSource>> source = makeLengthSource(labelled, *kept.value());
    if (!source)
        return source.error();
    const std::string warning = lengths.draw == LengthsDraw::Independent
                                    ? labelled.file + ": " + std::string(kIndependentDraw)
                                    : std::string();
    return ReadLengths{lengths, std::move(source).value(), std::make_shared<const Trace>(std::move(*kept.value())),
                       warning};
}

/// `library`: where logs are kept; `keeper`: where what is read is to be kept; each null where there is none.
Result<ReadLengths> readFrom(const Lengths& lengths, const Store* library, Store* keeper)
{
    if (lengths.kind == LengthsKind::Mix)
        return readMix(lengths, library, keeper);
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
    if (lengths.file.empty() && !lengths.hash.empty())
        return readKept(lengths, library);
    Result<Trace> trace = readTrace(lengths);
    if (library && !lengths.hash.empty() && (!trace || trace.value().hash != lengths.hash))
        if (std::optional<Trace> chosen = readByKeptColumns(lengths, *library))
            trace = std::move(*chosen);
    const bool changed = trace && !lengths.hash.empty() && trace.value().hash != lengths.hash;
    if (!trace || changed) {
        if (lengths.hash.empty())
            return trace.error();
        const std::string state =
            trace ? "has changed: it holds the log " + shortHash(trace.value().hash) + "… now"
                  : "cannot be read (" + trace.error().message + ")";
        Result<std::optional<Trace>> kept =
            library ? keptTrace(*library, lengths.hash) : Result<std::optional<Trace>>(std::optional<Trace>());
        if (!kept)
            return kept.error();
        if (!kept.value())
            return Error{
                ErrorCode::BadInput, lengths.file,
                state + ", and the log " + shortHash(lengths.hash) +
                    "… that the matrix names is not kept (a log with too many rows to hold never is); clear "
                    "workload.lengths.hash to take the file"};
        read.warning = lengths.file + " " + state + "; lengths are those of the log " +
                       shortHash(lengths.hash) + "… that the matrix names, as it is kept";
        trace = std::move(*kept.value());
    }
    Result<std::shared_ptr<const LengthSource>> source = makeLengthSource(lengths, trace.value());
    if (!source)
        return source.error();
    if (keeper)
        if (Status status = keepTrace(*keeper, lengths.file, trace.value()); !status)
            return status.error();
    for (const std::string& note : {whyNotKept(trace.value()), lengths.draw == LengthsDraw::Independent
                                                                   ? std::string(kIndependentDraw)
                                                                   : std::string()})
        if (!note.empty())
            read.warning += (read.warning.empty() ? lengths.file + ": " : "; ") + note;
    read.source = std::move(source).value();
    read.lengths.hash = trace.value().hash;
    read.log = std::make_shared<const Trace>(std::move(trace).value());
    return read;
}

} // namespace

std::string whyNotKept(const Trace& trace)
{
    return trace.sampledEvery > 1 ? "is not kept under its hash: of its " + countText(trace.rowsAccepted) +
                                        " rows one in " + countText(trace.sampledEvery) +
                                        " is held, and a run needs the file itself to ask the same again"
                                  : std::string();
}

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
    return readFrom(lengths, &store, &store);
}

Result<ReadLengths> lookUpLengths(const Lengths& lengths, const Store* library)
{
    return readFrom(lengths, library, nullptr);
}

Result<std::vector<ReadLengths>> readLengths(Plan& plan,
                                             const std::function<Result<ReadLengths>(const Lengths&)>& read)
{
    std::vector<ReadLengths> all;
    for (PointPlan& point : plan.points) {
        if (std::any_of(all.begin(), all.end(),
                        [&](const ReadLengths& known) { return known.lengths == point.lengths; }))
            continue;
        Result<ReadLengths> fresh = read(point.lengths);
        if (!fresh)
            return fresh.error();
        if (const FilePrompts* prompts = fresh.value().source->prompts())
            if (Status status = prompts->fitApi(plan.matrix.target.api); !status)
                return status.error();
        all.push_back(std::move(fresh).value());
        const Lengths named = point.lengths, resolved = all.back().lengths;
        if (plan.matrix.workload.lengths == named)
            plan.matrix.workload.lengths = resolved;
        for (PointPlan& other : plan.points)
            if (other.lengths == named)
                other.lengths = resolved;
    }
    return all;
}

} // namespace tailmark
