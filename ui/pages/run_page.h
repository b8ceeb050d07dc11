// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/run_controller.h"
#include "bridge/store_session.h"
#include "charts/frontier_chart.h"
#include "models/table_model.h"
#include "models/timeline_data.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QListView;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace tailmark::ui {

class ElidedLabel;
class EmptyState;
class EventListModel;
class FrontierPanel;
class TableView;
class TimelineChart;

/// The run that is on, or the last one of this session: frontier and timeline live, points, events, and the
/// ways to pause, skip and stop. Finished points come from the store, the moving mark and the rates from the
/// engine's progress events, the dots from the records stored so far. Repaints at most eight times a second,
/// whatever the engine tells.
class RunPage : public QWidget
{
    Q_OBJECT

public:
    RunPage(RunController* controller, StoreSession* store, QWidget* parent = nullptr);

private:
    QWidget* makeContent();
    void connectController();
    void start(const RunStarted& event);
    void prepare(const Preparation& event);
    void startPoint(const PointStarted& event);
    void takeProgress(const Progress& event);
    void finishPoint(const PointFinished& event);
    void finish(const RunFinished& event);
    void tell(const QString& text, Badge badge = Badge::None);

    void askResults();
    void takeResults(const ResultsPtr& results);
    void loseRun();
    void askRecords();
    void showState();
    void showProgress();
    void showFrontier();
    void showTest(const std::string& test);
    void repaintLive();

    RunController* m_controller;
    StoreSession* m_store;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QLabel* m_title;
    ElidedLabel* m_subtitle;
    QPushButton* m_pause;
    QPushButton* m_skip;
    QPushButton* m_stop;
    QProgressBar* m_bar;
    QLabel* m_words;
    QLabel* m_health;
    FrontierPanel* m_frontier;
    QLabel* m_pointTitle;
    TimelineChart* m_timeline;
    TableView* m_points;
    EventListModel* m_events;
    QListView* m_eventList;

    RunId m_run;
    std::string m_test;      ///< of the running point: what the frontier shows
    std::string m_preparing; ///< the preparation that was told last
    ResultsPtr m_results;
    RequestNumber m_resultsRequest = 0;
    RequestNumber m_recordsRequest = 0;
    bool m_askAgain = false;
    int m_finishedPoints = 0;
    LiveTimeline m_live;
    FrontierChart::LiveMark m_mark;
    QTimer m_repaint;
};

} // namespace tailmark::ui
