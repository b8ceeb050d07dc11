// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/workload_preview.h"

#include "report/trace_summary.h"

#include <nlohmann/json.hpp>

namespace tailmark::ui {

namespace {

constexpr int kDelayMs = 200;

LengthPercentiles percentiles(const nlohmann::ordered_json& lengths)
{
    return {lengths.at("p50"), lengths.at("p90"), lengths.at("p99")};
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
    Result<Trace> trace = importTrace(lengths.file, lengths.format);
    if (!trace.ok())
        return trace.error();
    const nlohmann::ordered_json json = traceToJson(trace.value());
    summary.prompt = percentiles(json.at("prompt"));
    summary.output = percentiles(json.at("output"));
    if (const auto& spearman = json.at("correlation").at("spearman"); spearman.is_number())
        summary.rankCorrelation = spearman.get<double>();
    summary.rows = trace.value().rows.size();
    for (const TraceRow& row : trace.value().rows)
        summary.meanTokens +=
            (row.lengths.promptTokens + row.lengths.outputTokens) / static_cast<double>(summary.rows);
    summary.format = trace.value().format;
    summary.rejected = std::move(trace.value().rejected);
    summary.warnings = std::move(trace.value().warnings);
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
