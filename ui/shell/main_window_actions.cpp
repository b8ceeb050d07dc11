// SPDX-License-Identifier: GPL-3.0-or-later
// The menus of the main window.
#include "shell/main_window.h"

#include "dialogs/help_dialogs.h"
#include "dialogs/sanity_dialog.h"
#include "pages/plan_page.h"
#include "shell/document_files.h"
#include "shell/page_rail.h"
#include "shell/settings.h"
#include "shell/welcome_page.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

QAction* MainWindow::addAction(QMenu* menu, const QString& text, const QKeySequence& key,
                               const QString& iconName)
{
    auto* action = new QAction(text, this);
    if (!iconName.isEmpty())
        action->setIcon(icon(iconName));
    action->setShortcut(key);
    menu->addAction(action);
    QMainWindow::addAction(action); // works while the menu bar is hidden, too
    return action;
}

void MainWindow::makeActions()
{
    makeFileMenu();
    makeEditMenu();
    makeRunMenu();
    makeViewMenu();
    makeToolsMenu();
    makeHelpMenu();
}

void MainWindow::makeFileMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&File"));
    connect(addAction(menu, tr("&New matrix"), QKeySequence::New, u"new"_s), &QAction::triggered, m_files,
            &DocumentFiles::beginNew);
    QAction* recommended = addAction(menu, tr("Recommended &matrix"), Qt::CTRL | Qt::SHIFT | Qt::Key_N);
    recommended->setToolTip(tr("The tests that fit any engine, for the target that is set"));
    connect(recommended, &QAction::triggered, m_files, &DocumentFiles::beginRecommended);
    connect(addAction(menu, tr("&Open…"), QKeySequence::Open, u"open"_s), &QAction::triggered, m_files,
            &DocumentFiles::openWithDialog);
    m_recentMenu = menu->addMenu(tr("Open &recent"));
    menu->addSeparator();
    connect(addAction(menu, tr("&Save"), QKeySequence::Save, u"save"_s), &QAction::triggered, m_files,
            &DocumentFiles::save);
    connect(addAction(menu, tr("Save &as…"), QKeySequence::SaveAs), &QAction::triggered, m_files,
            &DocumentFiles::saveAs);
    connect(addAction(menu, tr("&Import trace…"), Qt::CTRL | Qt::Key_I), &QAction::triggered, this, [this] {
        showPage(PlanPageIndex);
        m_plan->importTrace({});
    });
    menu->addSeparator();
    connect(addAction(menu, tr("&Connect to an engine…"), {}, u"probe"_s), &QAction::triggered, this,
            &MainWindow::connectToEngine);
    connect(addAction(menu, tr("Run the &demo"), {}, u"demo"_s), &QAction::triggered, this,
            &MainWindow::startDemo);
    connect(addAction(menu, tr("S&tart page"), {}), &QAction::triggered, this,
            [this] { showPage(WelcomePageIndex); });
    menu->addSeparator();
    connect(addAction(menu, tr("&Quit"), QKeySequence::Quit), &QAction::triggered, this, &QWidget::close);
}

void MainWindow::makeEditMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&Edit"));
    QUndoStack& stack = m_document.undoStack();
    QAction* undo = addAction(menu, tr("&Undo"), QKeySequence::Undo, u"undo"_s);
    QAction* redo = addAction(menu, tr("&Redo"), QKeySequence::Redo, u"redo"_s);
    connect(undo, &QAction::triggered, &stack, &QUndoStack::undo);
    connect(redo, &QAction::triggered, &stack, &QUndoStack::redo);
    const auto show = [undo, redo, &stack] {
        undo->setEnabled(stack.canUndo());
        redo->setEnabled(stack.canRedo());
        undo->setText(stack.canUndo() ? MainWindow::tr("&Undo: %1").arg(stack.undoText())
                                      : MainWindow::tr("&Undo"));
        redo->setText(stack.canRedo() ? MainWindow::tr("&Redo: %1").arg(stack.redoText())
                                      : MainWindow::tr("&Redo"));
    };
    connect(&stack, &QUndoStack::indexChanged, this, show);
    connect(&m_document, &PlanDocument::changed, this, show);
    show();
}

void MainWindow::makeRunMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&Run"));
    menu->setToolTipsVisible(true);
    m_probe = addAction(menu, tr("&Probe the target"), Qt::Key_F6, u"probe"_s);
    connect(m_probe, &QAction::triggered, this, [this] {
        showPage(PlanPageIndex);
        m_plan->probe();
    });
    m_start = addAction(menu, tr("&Start"), Qt::CTRL | Qt::Key_R, u"run"_s);
    connect(m_start, &QAction::triggered, this, &MainWindow::startRun);
    menu->addSeparator();
    m_pause = addAction(menu, tr("P&ause after this point"), Qt::Key_F8, u"pause"_s);
    m_pause->setCheckable(true);
    connect(m_pause, &QAction::triggered, &m_controller, &RunController::setPauseAfterPoint);
    m_skip = addAction(menu, tr("S&kip this point"), Qt::Key_F9, u"skip"_s);
    connect(m_skip, &QAction::triggered, &m_controller, &RunController::skipPoint);
    m_stop = addAction(menu, tr("S&top"), Qt::CTRL | Qt::Key_Period, u"stop"_s);
    connect(m_stop, &QAction::triggered, &m_controller, &RunController::stop);
    menu->addSeparator();
    QAction* notify = addAction(menu, tr("&Notify me when a run ends"), {});
    notify->setCheckable(true);
    notify->setChecked(m_settings.notifyAtEnd());
    connect(notify, &QAction::toggled, this, [this](bool on) { m_settings.setNotifyAtEnd(on); });
}

void MainWindow::makeViewMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    m_pageActions = new QActionGroup(this);
    m_pageActions->setExclusionPolicy(QActionGroup::ExclusionPolicy::ExclusiveOptional);
    struct PageAction
    {
        Page page;
        QString text, iconName;
        Qt::Key key;
    };
    for (const PageAction& each : {PageAction{PlanPageIndex, tr("&Plan"), u"plan"_s, Qt::Key_1},
                                   PageAction{RunPageIndex, tr("&Run"), u"run"_s, Qt::Key_2},
                                   PageAction{ResultsPageIndex, tr("R&esults"), u"results"_s, Qt::Key_3},
                                   PageAction{ComparePageIndex, tr("&Compare"), u"compare"_s, Qt::Key_4}}) {
        QAction* action = addAction(menu, each.text, QKeySequence(Qt::CTRL | each.key), each.iconName);
        action->setCheckable(true);
        action->setData(each.page);
        action->setIconText(QString(each.text).remove(u'&'));
        m_pageActions->addAction(action);
        connect(action, &QAction::triggered, this, [this, page = each.page] { showPage(page); });
        m_rail->addPage(action);
    }
    menu->addSeparator();
    QMenu* theme = menu->addMenu(tr("&Theme"));
    auto* themes = new QActionGroup(this);
    for (const auto& [choice, text] :
         {std::pair(ThemeChoice::System, tr("Like the &system")), std::pair(ThemeChoice::Light, tr("&Light")),
          std::pair(ThemeChoice::Dark, tr("&Dark"))}) {
        QAction* action = theme->addAction(text);
        action->setCheckable(true);
        action->setChecked(m_theme.choice() == choice);
        themes->addAction(action);
        connect(action, &QAction::triggered, this, [this, choice = choice] {
            m_theme.setChoice(choice);
            m_settings.setTheme(choice);
        });
    }
    QAction* full = addAction(menu, tr("&Full screen"), QKeySequence::FullScreen);
    full->setCheckable(true);
    connect(full, &QAction::triggered, this,
            [this](bool on) { setWindowState(windowState().setFlag(Qt::WindowFullScreen, on)); });
}

void MainWindow::makeToolsMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&Tools"));
    connect(addAction(menu, tr("&Sanity desk…"), Qt::CTRL | Qt::SHIFT | Qt::Key_D), &QAction::triggered, this,
            [this] {
                auto* dialog = new SanityDialog(m_document.matrix().bound, this);
                dialog->setAttribute(Qt::WA_DeleteOnClose);
                dialog->show(); // beside the window: a figure is often read there
            });
}

void MainWindow::makeHelpMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    connect(addAction(menu, tr("&Keyboard shortcuts"), QKeySequence::HelpContents), &QAction::triggered, this,
            [this] { showShortcuts(this, actions()); });
    connect(addAction(menu, tr("&Definitions of the metrics"), Qt::CTRL | Qt::Key_F1), &QAction::triggered,
            this, [this] { showMetricDefinitions(this); });
    menu->addSeparator();
    connect(addAction(menu, tr("&About Tailmark"), {}), &QAction::triggered, this,
            [this] { showAbout(this); });
}

void MainWindow::fillRecent()
{
    const QStringList paths = m_settings.recentMatrices();
    m_welcome->setRecent(paths);
    m_recentMenu->clear();
    m_recentMenu->setEnabled(!paths.isEmpty());
    int number = 0;
    for (const QString& path : paths) {
        ++number;
        QAction* action =
            m_recentMenu->addAction(number < 10 ? u"&%1  %2"_s.arg(number).arg(QFileInfo(path).fileName())
                                                : QFileInfo(path).fileName(),
                                    this, [this, path] { openDropped(path); });
        action->setToolTip(path);
    }
    m_recentMenu->setToolTipsVisible(true);
    m_recentMenu->addSeparator();
    m_recentMenu->addAction(tr("&Clear the list"), this, [this] {
        m_settings.clearRecentMatrices();
        fillRecent();
    });
}

} // namespace tailmark::ui
