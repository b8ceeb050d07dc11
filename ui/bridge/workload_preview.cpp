// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/workload_preview.h"

#include "workload/trace/trace_import.h"

namespace tailmark::ui {

namespace {

constexpr int kDelayMs = 200;

LengthPercentiles percentiles(const IntegerStats& lengths)
{
    return {static_cast<double>(lengths.p50), static_cast<double>(lengths.p90),
            static_cast<double>(lengths.p99)};
}

} // namespace

Result<WorkloadSummary> summariseLengths(const Lengths& lengths)
{
    WorkloadSummary summary;
    if (lengths.kind == LengthsKind::Fixed) {
        const double prompt = lengths.promptTokens;
        const double output = lengths.outputTokens;
        summary.prompt = {prompt, prompt, prompt};
        summary.output = {output, output, output};
        summary.meanTokens = prompt + output;
        return summary;
    }
    TraceOptions options;
    options.format = lengths.format;
    Result<Trace> imported = importTrace(lengths.file, options);
    if (!imported)
        return imported.error();
    Trace& trace = imported.value();
    summary.prompt = percentiles(trace.stats.prompt);
    summary.output = percentiles(trace.stats.output);
    summary.rankCorrelation = trace.stats.spearman;
    summary.rows = trace.rowsAccepted;
    summary.meanTokens = trace.stats.prompt.mean + trace.stats.output.mean;
    summary.format = trace.format;
    summary.rowsRejected = trace.rowsRejected;
    summary.rejected = std::move(trace.rejected);
    summary.warnings = std::move(trace.warnings);
    return summary;
}

WorkloadPreview::WorkloadPreview(QObject* parent) : QObject(parent)
{
    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMs);
    connect(&m_delay, &QTimer::timeout, this, [this] {
        m_job.start([lengths = m_lengths](std::stop_token) { return summariseLengths(lengths); },
                    [this](Result<WorkloadSummary> summary) { show(std::move(summary)); });
    });
}

void WorkloadPreview::setLengths(const Lengths& lengths)
{
    if (m_known && m_lengths == lengths)
        return;
    m_known = true;
    m_lengths = lengths;
    m_delay.stop();
    m_job.cancel();
    if (lengths.kind == LengthsKind::Fixed) {
        show(summariseLengths(lengths));
        return;
    }
    m_summary.reset();
    m_error.clear();
    if (!lengths.file.empty())
        m_delay.start();
    emit changed();
}

void WorkloadPreview::show(Result<WorkloadSummary> summary)
{
    m_summary.reset();
    m_error.clear();
    if (summary.ok())
        m_summary = std::move(summary).value();
    else
        m_error = QString::fromStdString(summary.error().line());
    emit changed();
}

} // namespace tailmark::ui
