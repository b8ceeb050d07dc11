// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/comparison.h"
#include "bridge/store_session.h"

#include <QWidget>

#include <array>
#include <optional>
#include <utility>

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabWidget;

namespace tailmark::ui {

class EmptyState;
class FrontierPanel;
class TableView;

/// Two stored runs over one another, baseline first: both frontiers under one SLO, level by level ratios with
/// intervals, capacity at the SLO, what differs between the two, and one sentence with latency and interval
/// in it.
class ComparePage : public QWidget
{
    Q_OBJECT

public:
    explicit ComparePage(StoreSession* store, QWidget* parent = nullptr);

    std::array<RunId, 2> runs() const;

public slots:
    /// Value 0: leave that side as it is.
    void setRuns(tailmark::RunId baseline, tailmark::RunId candidate);

private:
    struct Side
    {
        QComboBox* run = nullptr;
        RequestNumber request = 0;
        ResultsPtr results;
        bool askAgain = false;
        std::pair<RunState, int> seen{}; ///< state and finished points when its results were asked for
    };

    QWidget* makeContent();
    void fillRuns();
    void forgetRuns();
    void swapRuns();
    void ask(Side& side);
    void askBoth();
    void takeResults(RequestNumber request, const ResultsPtr& results);
    void showComparison();
    void showTest();
    void showState();

    StoreSession* m_store;
    std::array<Side, 2> m_sides;
    QPushButton* m_swap;
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
    std::optional<Slo> m_slo; ///< the reader's own; absent: the baseline's
};

} // namespace tailmark::ui
