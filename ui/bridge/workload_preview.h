// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/background_job.h"
#include "plan/matrix.h"
#include "workload/trace/trace.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <optional>

namespace tailmark::ui {

/// Percentiles of one length column, nearest rank.
struct LengthPercentiles
{
    double p50 = 0, p90 = 0, p99 = 0;
};

/// What the lengths of a workload look like before anything is sent.
struct WorkloadSummary
{
    LengthPercentiles prompt, output;
    double meanTokens = 0; ///< prompt + output of a mean request
    std::optional<double>
        rankCorrelation;  ///< of prompt and output (Spearman); absent where one does not vary
    std::size_t rows = 0; ///< accepted; 0 = fixed lengths
    std::string format;
    std::vector<RejectedRow> rejected;
    std::uint64_t rowsRejected = 0; ///< all of them; `rejected` lists the first
    std::vector<TraceWarning> warnings;
};

/// Pure; reads the trace file where there is one (blocking).
Result<WorkloadSummary> summariseLengths(const Lengths& lengths);

/// Keeps the summary of the lengths under edit. A file is read on a thread of its own, shortly after the last
/// change.
class WorkloadPreview : public QObject
{
    Q_OBJECT

public:
    explicit WorkloadPreview(QObject* parent = nullptr);

    void setLengths(const Lengths& lengths);
    bool reading() const { return m_delay.isActive() || m_job.running(); }
    /// Absent while reading, and where there is an error.
    const std::optional<WorkloadSummary>& summary() const { return m_summary; }
    const QString& error() const { return m_error; }

signals:
    void changed();

private:
    void show(Result<WorkloadSummary> summary);

    Lengths m_lengths;
    bool m_known = false;
    QTimer m_delay;
    BackgroundJob<Result<WorkloadSummary>> m_job;
    std::optional<WorkloadSummary> m_summary;
    QString m_error;
};

} // namespace tailmark::ui
