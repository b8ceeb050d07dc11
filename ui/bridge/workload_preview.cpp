// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/workload_preview.h"

#include "run/kept_traces.h"
#include "store/store.h"
#include "workload/length_preview.h"
#include "workload/log_times.h"
#include "workload/trace/trace_import.h"

#include <utility>

namespace tailmark::ui {

namespace {

constexpr int kDelayMs = 200;
constexpr int kTickMs = 150;

IntegerStats always(std::int64_t tokens)
{
    IntegerStats stats;
    stats.n = 1;
    stats.mean = static_cast<double>(tokens);
    for (std::int64_t* each : {&stats.min, &stats.p10, &stats.p25, &stats.p50, &stats.p75, &stats.p90,
                               &stats.p95, &stats.p99, &stats.max})
        *each = tokens;
    return stats;
}

IntegerStats statsOf(const TokenFigures& figures, const LengthHistogram& histogram, std::uint64_t n)
{
    IntegerStats stats;
    stats.n = n;
    stats.min = histogram.edges.empty() ? figures.p50 : histogram.edges.front();
    stats.p50 = figures.p50;
    stats.p90 = figures.p90;
    stats.p95 = figures.p95;
    stats.p99 = figures.p99;
    stats.max = figures.max;
    stats.mean = figures.mean;
    return stats;
}

WorkloadSummary summaryOf(const LengthSource& source)
{
    const LengthPreview preview = previewLengths(source);
    WorkloadSummary summary;
    const std::uint64_t n = preview.scatter.size();
    summary.stats.prompt = statsOf(preview.figures.all.prompt, preview.prompt, n);
    summary.stats.output = statsOf(preview.figures.all.output, preview.output, n);
    summary.stats.spearman = preview.figures.all.rankCorrelation;
    for (const LengthPreview::Point& point : preview.scatter)
        summary.stats.scatter.push_back(point.pair);
    summary.parts = preview.figures.parts;
    summary.remark = source.remark();
    return summary;
}

std::optional<Trace> keptUnder(const std::string& hash, const std::string& database)
{
    if (hash.empty() || database.empty())
        return std::nullopt;
    const Result<Store> store = Store::open(database);
    if (!store)
        return std::nullopt;
    Result<std::optional<Trace>> kept = keptTrace(store.value(), hash);
    return kept ? std::move(kept).value() : std::nullopt;
}

} // namespace

WorkloadSummary summaryOf(const Trace& trace)
{
    WorkloadSummary summary;
    summary.stats = trace.stats;
    summary.rows = trace.rowsAccepted;
    summary.sampledEvery = trace.sampledEvery;
    summary.format = trace.format;
    summary.lengthUnit = trace.lengthUnit;
    summary.hash = trace.hash;
    summary.columns = trace.columns;
    summary.rejected = trace.rejected;
    summary.rowsRejected = trace.rowsRejected;
    summary.rejectedByReason = trace.rejectedByReason;
    summary.warnings = trace.warnings;
    summary.times = std::make_shared<const RecordedTimes>(timesOf(trace));
    return summary;
}

Result<WorkloadSummary> summariseLengths(const Lengths& lengths, const std::string& database,
                                         std::stop_token stop, ReadingProgress* progress)
{
    if (lengths.kind == LengthsKind::Fixed) {
        WorkloadSummary summary;
        summary.stats.prompt = always(lengths.promptTokens);
        summary.stats.output = always(lengths.outputTokens);
        return summary;
    }
    if (!isDrawnFromLog(lengths.kind)) {
        const Result<std::shared_ptr<const LengthSource>> source = makeLengthSource(lengths);
        if (!source)
            return source.error();
        return summaryOf(*source.value());
    }
    TraceOptions options;
    options.pairs = lengths.kind == LengthsKind::Empirical;
    if (lengths.kind == LengthsKind::Trace)
        options.format = lengths.format;
    options.stop = stop;
    if (progress)
        options.progress = [progress](double fraction, std::uint64_t rows) {
            progress->fraction = fraction;
            progress->rows = rows;
        };
    const Result<Trace> read = importTrace(lengths.file, options);
    if (read && (lengths.hash.empty() || read.value().hash == lengths.hash))
        return summaryOf(read.value());
    if (!read && read.error().code == ErrorCode::Cancelled)
        return read.error();
    if (const std::optional<Trace> kept = keptUnder(lengths.hash, database)) {
        WorkloadSummary summary = summaryOf(*kept);
        summary.remark =
            WorkloadPreview::tr("These are the rows that the matrix names, as they are kept in the database.")
                .toStdString();
        return summary;
    }
    if (!read)
        return read.error();
    return Error{
        ErrorCode::BadInput, lengths.file,
        WorkloadPreview::tr("holds other rows than those that the matrix names, and these are not kept; "
                            "choose the file again to take what it holds now")
            .toStdString()};
}

WorkloadPreview::WorkloadPreview(QObject* parent) : QObject(parent)
{
    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMs);
    m_ticks.setInterval(kTickMs);
    connect(&m_delay, &QTimer::timeout, this, [this] {
        m_progress = std::make_shared<ReadingProgress>();
        m_job.start(
            [lengths = m_lengths, database = m_database, progress = m_progress](std::stop_token stop) {
                return summariseLengths(lengths, database, stop, progress.get());
            },
            [this](Result<WorkloadSummary> summary) { show(std::move(summary)); });
        m_ticks.start();
    });
    connect(&m_ticks, &QTimer::timeout, this, &WorkloadPreview::progressed);
}

void WorkloadPreview::setLengths(const Lengths& lengths)
{
    if (m_known && m_lengths == lengths)
        return;
    m_known = true;
    m_lengths = lengths;
    read();
}

void WorkloadPreview::read()
{
    clear();
    if (m_lengths.kind == LengthsKind::Fixed) {
        show(summariseLengths(m_lengths));
        return;
    }
    const bool file = isDrawnFromLog(m_lengths.kind) || m_lengths.kind == LengthsKind::Prompts;
    if (!file || !m_lengths.file.empty())
        m_delay.start();
    emit changed();
}

void WorkloadPreview::cancel()
{
    if (!reading())
        return;
    clear();
    m_cancelled = true;
    emit changed();
}

void WorkloadPreview::clear()
{
    m_delay.stop();
    m_ticks.stop();
    m_job.cancel();
    m_cancelled = false;
    m_summary.reset();
    m_error.clear();
}

void WorkloadPreview::show(Result<WorkloadSummary> summary)
{
    m_ticks.stop();
    m_summary.reset();
    m_error.clear();
    if (summary.ok())
        m_summary = std::move(summary).value();
    else
        m_error = QString::fromStdString(summary.error().line());
    emit changed();
}

} // namespace tailmark::ui
