// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/store_session.h"
#include "models/timeline_data.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QTabWidget;
class QStackedWidget;
class QToolButton;

namespace tailmark::ui {

class BoundPanel;
class ColdStartPanel;
class DistributionChart;
class FleetPanel;
class TableView;
class TimelineChart;

/// The points of one test as a table, and everything about the chosen one: distribution, timeline, outcomes,
/// laws, verdict, bound; beside them what is known of the system.
class PointTabs : public QWidget
{
    Q_OBJECT

public:
    explicit PointTabs(QWidget* parent = nullptr);

    void setResults(const ResultsPtr& results, const std::string& test);
    /// Of the chosen point; null while they are read.
    void setRecords(const RecordsPtr& records);
    void choose(PointIndex point);
    PointIndex chosen() const { return m_chosen; }
    TableView* pointsView() const { return m_points; }
    QTabWidget* tabs() const { return m_tabs; }

signals:
    void pointChosen(tailmark::PointIndex point);

private:
    QWidget* makeOutcomesTab();
    QWidget* makeVerdictTab();
    QWidget* makeServerTab();
    const PointSummary* summary() const;
    /// What stands where there is no point.
    QString emptyText() const;
    void fillChooser();
    void showPoint();
    void showColdStart();
    void showDistribution();

    QTabWidget* m_tabs;
    QComboBox* m_chooser;
    TableView* m_points;
    QComboBox* m_metric;
    QToolButton* m_asTable; ///< the same figures the other way
    QStackedWidget* m_distributionStack;
    DistributionChart* m_distribution;
    TableView* m_metrics;
    QStackedWidget* m_timelineStack;
    TimelineChart* m_timeline;
    TableView* m_timelineTable;
    TableView* m_outcomes;
    QLabel* m_errors;
    TableView* m_laws;
    QLabel* m_verdict;
    TableView* m_constraints;
    QLabel* m_generator;
    ColdStartPanel* m_coldStart; ///< its tab stands where the test is one
    BoundPanel* m_bound;
    FleetPanel* m_fleet;
    TableView* m_server;
    QLabel* m_serverText;
    TableView* m_card;

    ResultsPtr m_results;
    std::string m_test;
    RecordsPtr m_records;
    PointIndex m_chosen;
};

} // namespace tailmark::ui
