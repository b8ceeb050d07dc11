// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/background_job.h"
#include "plan/matrix.h"
#include "record/length_figures.h"
#include "schedule/recorded_times.h"
#include "workload/trace/trace_import.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tailmark::ui {

/// What the lengths of a workload look like before anything is sent.
struct WorkloadSummary
{
    TraceStats stats;
    std::uint64_t rows = 0; ///< accepted; 0 = lengths that need no file
    std::uint64_t sampledEvery = 1;
    std::string format, lengthUnit, hash;
    std::vector<std::pair<std::string, std::string>> columns; ///< field and the name it was found under
    std::vector<RejectedRow> rejected;                        ///< the first of them
    std::uint64_t rowsRejected = 0;
    std::map<std::string, std::uint64_t> rejectedByReason;
    std::vector<TraceWarning> warnings;
    std::shared_ptr<const RecordedTimes>
        times;                             ///< of the log, for schedules that replay it; null without a log
    std::vector<AskedLengths::Part> parts; ///< of a mix
    std::string remark;                    ///< where these are not the rows that the file holds now; one line

    double meanTokens() const { return stats.prompt.mean + stats.output.mean; } ///< of a mean request
};

WorkloadSummary summaryOf(const Trace& trace);

/// How far the reading of a file has come; written by the thread that reads.
struct ReadingProgress
{
    std::atomic<double> fraction{0};
    std::atomic<std::uint64_t> rows{0};
};

/// Blocks while a file is read. `database`: where logs are kept under their hash; empty = nowhere. A log that
/// the lengths name by a hash which the file has not (any more) is taken from there.
Result<WorkloadSummary> summariseLengths(const Lengths& lengths, const std::string& database = {},
                                         std::stop_token stop = {}, ReadingProgress* progress = nullptr);

/// Keeps the summary of the lengths under edit. A file is read on a thread of its own, shortly after the last
/// change.
class WorkloadPreview : public QObject
{
    Q_OBJECT

public:
    explicit WorkloadPreview(QObject* parent = nullptr);

    /// Where runs keep the logs that they name by hash.
    void setDatabase(const QString& path) { m_database = path.toStdString(); }
    const std::string& database() const { return m_database; }
    void setLengths(const Lengths& lengths);
    /// Stops the reading; the lengths then have no summary until read() or a change.
    void cancel();
    void read();

    bool reading() const { return m_delay.isActive() || m_job.running(); }
    bool cancelled() const { return m_cancelled; }
    const ReadingProgress& progress() const { return *m_progress; }
    /// Absent while reading, and where there is an error.
    const std::optional<WorkloadSummary>& summary() const { return m_summary; }
    const QString& error() const { return m_error; }

signals:
    void changed();
    void progressed(); ///< a few times a second while a file is read

private:
    void show(Result<WorkloadSummary> summary);
    void clear();

    std::string m_database;
    Lengths m_lengths;
    bool m_known = false;
    bool m_cancelled = false;
    QTimer m_delay, m_ticks;
    std::shared_ptr<ReadingProgress> m_progress = std::make_shared<ReadingProgress>();
    BackgroundJob<Result<WorkloadSummary>> m_job;
    std::optional<WorkloadSummary> m_summary;
    QString m_error;
};

} // namespace tailmark::ui
