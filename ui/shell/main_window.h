// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/run_controller.h"
#include "bridge/store_session.h"
#include "bridge/target_prober.h"
#include "pages/message_bar.h"
#include "pages/plan_document.h"

#include <QMainWindow>

#include <optional>

class QAction;
class QActionGroup;
class QMenu;
class QStackedWidget;

namespace tailmark::ui {

class ComparePage;
class Demo;
class DocumentFiles;
class PageRail;
class PlanPage;
class ResultsPage;
class Settings;
class StatusPanel;
class Theme;
class WelcomePage;

/// Where the workbench keeps what belongs to one window.
struct WindowOptions
{
    QString database;       ///< SQLite file of the runs
    QString recoveryFolder; ///< for the copy of unsaved changes; empty = none is kept
    QString engine;         ///< path of tailmark-cli; empty = found beside the executable or on PATH
    QString simulator;      ///< path of tailmark-sim, likewise
};

/// The workbench's window: the pages, the menus, and the objects that they share.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    enum Page { WelcomePageIndex, PlanPageIndex, RunPageIndex, ResultsPageIndex, ComparePageIndex };

    MainWindow(Settings& settings, Theme& theme, const WindowOptions& options);
    ~MainWindow() override;

    PlanDocument& document() { return m_document; }
    RunController& controller() { return m_controller; }
    StoreSession& store() { return m_store; }

    /// What the last session was at: the recovered or last matrix and page; the start page where there is
    /// none.
    void restoreSession();
    bool openMatrix(const QString& path);
    /// Says that a session which ended unexpectedly left unsaved changes, and offers to bring them back.
    void offerRecovery();
    void showPage(Page page);
    /// Opens a stored run on the Results page.
    void showRun(RunId run);
    /// Opens two stored runs on the Compare page.
    void showComparison(RunId baseline, RunId candidate);

public slots:
    /// Starts the simulated engine, loads the demo matrix and runs it.
    void startDemo();
    void startRun();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makePages();
    void makeActions();
    void makeFileMenu();
    void makeEditMenu();
    void makeRunMenu();
    void makeViewMenu();
    void makeToolsMenu();
    void makeHelpMenu();
    QAction* addAction(QMenu* menu, const QString& text, const QKeySequence& key,
                       const QString& iconName = {});
    void connectParts();
    void fillRecent();
    void connectToEngine();
    void showTitle();
    void showRunActions();
    void runEnded(const RunFinished& outcome);
    void pairEnded(MessageBar::Kind kind, const QString& text, const RunFinished& outcome);
    void openDropped(const QString& path);
    bool recover();
    bool confirmStopping();
    /// Asks before a run starts a program that the matrix names. Absent: the user does not want it.
    std::optional<QString> allowedCommand();

    Settings& m_settings;
    Theme& m_theme;
    PlanDocument m_document;
    TargetProber m_prober;
    RunController m_controller;
    StoreSession m_store;
    DocumentFiles* m_files;
    Demo* m_demo;

    PageRail* m_rail;
    QStackedWidget* m_stack;
    MessageBar* m_message;
    WelcomePage* m_welcome;
    PlanPage* m_plan;
    ResultsPage* m_results;
    ComparePage* m_compare;
    StatusPanel* m_status;
    QMenu* m_recentMenu = nullptr;
    QActionGroup* m_pageActions = nullptr;
    bool m_runLost = false; ///< the database of the run that goes on, or of the last one, is gone
    QAction* m_start = nullptr;
    QAction* m_probe = nullptr;
    QAction* m_pause = nullptr;
    QAction* m_skip = nullptr;
    QAction* m_stop = nullptr;
};

} // namespace tailmark::ui
