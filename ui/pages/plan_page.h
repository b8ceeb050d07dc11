// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_document.h"

#include <QByteArray>
#include <QWidget>

class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;

namespace tailmark::ui {

class PlanFindingsPanel;
class PlanLineEdit;
class PlanSection;
class PlanTargetSection;
class PlanTestsPanel;
class PlanWorkloadSection;
class TargetProber;
class WorkloadPreview;

/// Where a matrix is made: its tests at the left, what is common to all at the right, what there is to say
/// about it below.
class PlanPage : public QWidget
{
    Q_OBJECT

public:
    PlanPage(PlanDocument& document, TargetProber& prober, QWidget* parent = nullptr);

    /// Why the matrix cannot be run now; empty when it can.
    QString whyNotRunnable() const;
    /// A reason from outside ("a run is going on"); empty = none.
    void setBlocked(const QString& reason);
    bool focusField(const QString& path);
    void probe();
    /// Where runs are kept, with the rows of the logs that they name.
    void setDatabase(const QString& path);
    /// Looks at a trace with the user and takes it for the lengths; an empty path asks for the file.
    void importTrace(const QString& path);

    QByteArray saveState() const;
    void restoreState(const QByteArray& state);

signals:
    void runRequested();
    void recommendedRequested();
    void runnableChanged();

private:
    QWidget* makeHead();
    QWidget* makeSections();
    QWidget* makeFoot();
    void refresh();
    QString statement() const;

    PlanDocument& m_document;
    TargetProber& m_prober;
    WorkloadPreview* m_preview;
    QString m_blocked;
    PlanLineEdit* m_name;
    QLabel* m_estimate;
    QPushButton* m_run;
    QLabel* m_reason;
    QLabel* m_statement;
    QSplitter* m_splitter;
    PlanTestsPanel* m_tests;
    PlanTargetSection* m_target;
    PlanWorkloadSection* m_workload;
    std::vector<PlanSection*> m_sections;
    PlanFindingsPanel* m_findings;
};

} // namespace tailmark::ui
