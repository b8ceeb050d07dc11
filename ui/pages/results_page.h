// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/store_session.h"

#include <QSet>
#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace tailmark::ui {

class EmptyState;
class FrontierPanel;
class MessageBar;
class PointTabs;
class RunHeader;
class RunLibrary;

/// The library of stored runs and everything about the one that is open. Dragging the SLO line asks the store
/// session for the same run under another limit: at most one question is open, and the answer is followed by
/// the latest limit.
class ResultsPage : public QWidget
{
    Q_OBJECT

public:
    explicit ResultsPage(StoreSession* store, QWidget* parent = nullptr);

    RunId openedRun() const { return m_run; }
    ResultsPtr results() const { return m_results; }
    /// Writes the chart (ending .png, .svg, .pdf).
    void exportChart(const QString& path);
    /// The report of the open run as pages.
    void exportReportPdf(const QString& path);
    void exportRun(RunExport format, const QString& path);

public slots:
    /// Opens it, also when it is not in the list yet.
    void openRun(tailmark::RunId run);

signals:
    void compareRequested(tailmark::RunId baseline, tailmark::RunId candidate);

private:
    QWidget* makeDetail();
    void makeExportMenu(QPushButton* button);
    void askChartFile(const QString& ending);
    void askReportPdf();
    void askRunFile(RunExport format, const QString& ending);
    void showRun(RunId run);
    void ask(const std::optional<Slo>& slo);
    void takeResults(RequestNumber request, const ResultsPtr& results);
    void showTest();
    void showFrontier();
    bool isColdStart(const std::string& test) const;
    /// What there is to say of a test that is no sweep.
    QString withoutOperatingPoint(const std::string& test) const;
    void showBound(const std::string& test);
    void chooseFirst();
    void choosePoint(PointIndex point);
    void showState();

    StoreSession* m_store;
    RunLibrary* m_library;
    QStackedWidget* m_stack; ///< the run, or why there is none
    EmptyState* m_empty;
    RunHeader* m_header;
    QComboBox* m_test;
    QLabel* m_sentence;
    QLabel* m_bound;
    FrontierPanel* m_frontier;
    PointTabs* m_points;
    MessageBar* m_message;

    RunId m_run;
    ResultsPtr m_results;
    RequestNumber m_resultsRequest = 0;
    RequestNumber m_recordsRequest = 0;
    QSet<RequestNumber> m_exportRequests;
    std::optional<Slo> m_slo; ///< the reader's own; absent: the matrix's
    bool m_askAgain = false;  ///< the limit has moved since the open question
};

} // namespace tailmark::ui
