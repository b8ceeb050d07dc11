// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/background_job.h"
#include "bridge/workload_preview.h"
#include "plan/matrix.h"
#include "workload/trace/trace_head.h"

#include <QDialog>
#include <QTimer>

#include <map>
#include <memory>
#include <optional>
#include <string>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace tailmark::ui {

class TableView;
class WorkloadView;

/// A log of requests on its way into a matrix: what its first records look like, which column stands for
/// what, and, read anew after each change, what is accepted and refused. The file is read on threads of their
/// own; accepting keeps the rows in the database under their hash, so that the runs of the matrix mean these
/// rows whatever becomes of the file.
class TraceImportDialog : public QDialog
{
    Q_OBJECT

public:
    /// `database`: empty = rows are not kept and the lengths name the file alone.
    TraceImportDialog(const QString& file, const std::string& database, QWidget* parent = nullptr);

    /// The lengths that the log makes; once accepted.
    const Lengths& lengths() const { return m_lengths; }

    void accept() override;

private:
    using TracePtr = std::shared_ptr<const Trace>;

    QWidget* makeChoices();
    QWidget* makeResult();
    QComboBox* addChoice(QFormLayout* form, const QString& label, const QString& help);
    TraceOptions options() const;
    /// Whether the file by itself, without what is chosen here, would be read otherwise.
    bool isChosen() const;
    void readLater();
    void read();
    void stop();
    void showHead(Result<TraceHead> head);
    void showTrace(Result<TracePtr> trace);
    void showProgress();
    void showState(const QString& text, const QString& role);
    void enableUse();

    QString m_file;
    std::string m_database;
    Lengths m_lengths;
    QTimer m_delay, m_ticks;
    std::shared_ptr<ReadingProgress> m_progress = std::make_shared<ReadingProgress>();
    BackgroundJob<Result<TraceHead>> m_headJob;
    BackgroundJob<Result<TracePtr>> m_traceJob;
    BackgroundJob<Status> m_keepJob;
    TracePtr m_trace;

    TableView* m_samples;
    QComboBox* m_format = nullptr;
    std::map<Field, QComboBox*> m_columns;
    QComboBox* m_timeUnit = nullptr;
    QLineEdit* m_outputTokens = nullptr;
    QLineEdit* m_model = nullptr;
    QCheckBox* m_keepZeroOutput = nullptr;
    QLabel* m_state = nullptr;
    QProgressBar* m_bar = nullptr;
    QPushButton* m_stop = nullptr;
    WorkloadView* m_view = nullptr;
    QPushButton* m_use = nullptr;
};

} // namespace tailmark::ui
