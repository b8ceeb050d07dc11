// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/store_session.h"
#include "models/frontier_data.h"
#include "report/run_comparison.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace tailmark::ui {

class EmptyState;
class FrontierPanel;
class TableView;

/// Two or more stored runs over one another, baseline first: all frontiers under one SLO; and of one of them
/// against the baseline level by level ratios with intervals, capacity at the SLO, what differs, and one
/// sentence with latency and interval in it.
class ComparePage : public QWidget
{
    Q_OBJECT

public:
    explicit ComparePage(StoreSession* store, QWidget* parent = nullptr);

    /// Those chosen, the baseline first; value 0 where there is none.
    std::vector<RunId> runs() const;

public slots:
    /// Value 0: leave that side as it is. Further runs stay.
    void setRuns(tailmark::RunId baseline, tailmark::RunId candidate);
    /// One more over the others: the newest that is not there yet.
    void addRun();

private:
    struct Side
    {
        QWidget* box = nullptr;
        QLabel* label = nullptr;
        QComboBox* run = nullptr;
        QToolButton* remove = nullptr; ///< of those beyond two
        RequestNumber request = 0;
        ResultsPtr results;
        bool askAgain = false;
        std::pair<RunState, int> seen{}; ///< state and finished points when its results were asked for
    };

    QWidget* makeContent();
    void addSide();
    void removeSide(const Side* side);
    void placeSides();
    void fillBox(Side& side, RunId chosen);
    void fillRuns();
    void forgetRuns();
    void swapRuns();
    void compareWith(RunId baseline);
    void ask(Side& side);
    void askAll();
    bool complete() const; ///< results of all runs are there
    void takeResults(RequestNumber request, const ResultsPtr& results);
    QString letterAgainst() const;
    void countAlike();
    QString whyNoCurves(const QList<FrontierSeries>& series) const;
    void showComparison();
    void showTest();
    void showState();

    StoreSession* m_store;
    QGridLayout* m_choices;
    std::vector<std::unique_ptr<Side>> m_sides;
    QPushButton* m_swap;
    QPushButton* m_add;
    QPushButton* m_baseline;
    QLabel* m_againstLabel;
    QComboBox* m_against; ///< which of more than one is told against the baseline
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QLabel* m_control;
    QLabel* m_claim;
    QPushButton* m_copy;
    QComboBox* m_test;
    FrontierPanel* m_frontier;
    QTabWidget* m_tabs;
    TableView* m_levels;
    TableView* m_capacity;
    TableView* m_differences;
    std::vector<ResultsPtr> m_shown; ///< of all sides, counted alike
    RunComparison m_comparison;
    std::optional<Slo> m_slo; ///< the reader's own; absent: the baseline's
};

} // namespace tailmark::ui
