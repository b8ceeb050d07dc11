// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/main_window.h"

#include "pages/compare_page.h"
#include "pages/message_bar.h"
#include "pages/plan_connect_dialog.h"
#include "pages/plan_page.h"
#include "pages/results_page.h"
#include "pages/run_page.h"
#include "run/started_program.h"
#include "shell/demo.h"
#include "shell/document_files.h"
#include "shell/notifier.h"
#include "shell/page_rail.h"
#include "shell/sample_matrices.h"
#include "shell/settings.h"
#include "shell/status_panel.h"
#include "shell/welcome_page.h"
#include "style/icons.h"

#include <QAction>
#include <QActionGroup>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLayoutVersion = 1;
const QString kWindowPart = u"window"_s;
const QString kPlanPart = u"plan"_s;

QString onlyDroppedFile(const QMimeData* data)
{
    const QList<QUrl> urls = data->urls();
    return urls.size() == 1 && urls.first().isLocalFile() ? urls.first().toLocalFile() : QString();
}

} // namespace

MainWindow::MainWindow(Settings& settings, Theme& theme, const WindowOptions& options)
    : m_settings(settings), m_theme(theme), m_controller(options.engine), m_store(options.database),
      m_files(new DocumentFiles(m_document, settings, options.recoveryFolder, this)),
      m_demo(new Demo(options.simulator, this)), m_rail(new PageRail(this)),
      m_stack(new QStackedWidget(this)), m_message(new MessageBar(MessageBar::Stay::UntilClosed, this)),
      m_welcome(new WelcomePage(this)), m_plan(new PlanPage(m_document, m_prober, this)),
      m_results(new ResultsPage(&m_store, this)), m_compare(new ComparePage(&m_store, this)),
      m_status(new StatusPanel(m_document, m_prober, m_controller, this))
{
    setObjectName(u"main_window"_s);
    setWindowIcon(applicationIcon());
    setMinimumSize(1000, 640);
    resize(1360, 900);
    setAcceptDrops(true);
    m_plan->setDatabase(options.database);
    makePages();
    makeActions();
    connectParts();
    fillRecent();
    showTitle();
    showRunActions();
    showPage(WelcomePageIndex);
    restoreGeometry(m_settings.layout(kWindowPart));
    m_plan->restoreState(m_settings.layout(kPlanPart));
    m_store.refresh();
}

MainWindow::~MainWindow()
{
    // The pages look at the document and the controller, which as members go before the children of the
    // window.
    delete takeCentralWidget();
    delete m_status;
}

void MainWindow::makePages()
{
    m_stack->addWidget(m_welcome);
    m_stack->addWidget(m_plan);
    m_stack->addWidget(new RunPage(&m_controller, &m_store, this));
    m_stack->addWidget(m_results);
    m_stack->addWidget(m_compare);

    auto* central = new QWidget(this);
    auto* right = new QVBoxLayout;
    right->setSpacing(0);
    right->addWidget(m_message);
    right->addWidget(m_stack, 1);
    auto* row = new QHBoxLayout(central);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_rail);
    row->addLayout(right, 1);
    setCentralWidget(central);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addPermanentWidget(m_status, 1);
}

void MainWindow::connectParts()
{
    connect(&m_document, &PlanDocument::fileChanged, this, &MainWindow::showTitle);
    connect(&m_document, &PlanDocument::changed, this, &MainWindow::showTitle);
    connect(m_files, &DocumentFiles::opened, this, [this] {
        m_message->hide();
        showPage(PlanPageIndex);
    });
    connect(m_files, &DocumentFiles::recentChanged, this, &MainWindow::fillRecent);
    connect(m_files, &DocumentFiles::failed, this,
            [this](const QString& text) { m_message->show(MessageBar::Kind::Error, text); });
    connect(m_welcome, &WelcomePage::demoRequested, this, &MainWindow::startDemo);
    connect(m_welcome, &WelcomePage::connectRequested, this, &MainWindow::connectToEngine);
    connect(m_welcome, &WelcomePage::openRequested, m_files, &DocumentFiles::openWithDialog);
    connect(m_welcome, &WelcomePage::recommendedRequested, m_files, &DocumentFiles::beginRecommended);
    connect(m_plan, &PlanPage::recommendedRequested, m_files, &DocumentFiles::beginRecommended);
    connect(m_welcome, &WelcomePage::newRequested, m_files, &DocumentFiles::beginNew);
    connect(m_welcome, &WelcomePage::recentRequested, this, &MainWindow::openDropped);
    connect(m_plan, &PlanPage::runRequested, this, &MainWindow::startRun);
    connect(m_plan, &PlanPage::runnableChanged, this, &MainWindow::showRunActions);
    connect(m_status, &StatusPanel::targetClicked, this, [this] {
        showPage(PlanPageIndex);
        m_plan->focusField(u"target.base_url"_s);
    });
    connect(m_results, &ResultsPage::compareRequested, this, &MainWindow::showComparison);
    connect(&m_prober, &TargetProber::changed, this, &MainWindow::showRunActions);
    connect(&m_controller, &RunController::stateChanged, this, [this](RunController::State state) {
        m_plan->setBlocked(m_controller.isActive() ? tr("A run is going on.") : QString());
        m_store.setLive(state != RunController::State::Idle);
        showRunActions();
    });
    connect(&m_controller, &RunController::finished, this, &MainWindow::runEnded);
    connect(&m_controller, &RunController::started, this, [this] { m_runLost = false; });
    connect(&m_store, &StoreSession::databaseReplaced, this, [this] {
        m_runLost = true;
        m_message->show(
            MessageBar::Kind::Error,
            tr("The database %1 was removed or replaced while in use. The runs shown are those of "
               "the file that is there now.")
                .arg(m_store.databasePath()));
    });
    connect(m_demo, &Demo::failed, this,
            [this](const QString& reason) { m_message->show(MessageBar::Kind::Error, reason); });
    connect(m_demo, &Demo::ready, this, [this](const Matrix& matrix) {
        m_files->replaceWith(matrix);
        startRun();
    });
}

void MainWindow::restoreSession()
{
    if (recover())
        return;
    const QString path = m_settings.lastMatrix();
    if (path.isEmpty() || !QFileInfo::exists(path) || !m_files->open(path))
        return;
    const int last = m_settings.lastPage();
    if (last >= PlanPageIndex && last <= ComparePageIndex)
        showPage(static_cast<Page>(last));
}

void MainWindow::offerRecovery()
{
    if (m_files->canRecover())
        m_message->show(MessageBar::Kind::Info,
                        tr("A session that ended unexpectedly left unsaved changes of a matrix."),
                        tr("Bring them back"), [this] {
                            if (m_files->confirmLeaving())
                                recover();
                        });
}

bool MainWindow::recover()
{
    if (!m_files->recover())
        return false;
    showPage(PlanPageIndex);
    m_message->show(MessageBar::Kind::Info,
                    tr("Unsaved changes of a session that ended unexpectedly were brought back."));
    return true;
}

bool MainWindow::openMatrix(const QString& path)
{
    return m_files->open(path);
}

void MainWindow::showRun(RunId run)
{
    m_results->openRun(run);
    showPage(ResultsPageIndex);
}

void MainWindow::showComparison(RunId baseline, RunId candidate)
{
    m_compare->setRuns(baseline, candidate);
    showPage(ComparePageIndex);
}

void MainWindow::showPage(Page page)
{
    m_stack->setCurrentIndex(page);
    if (page == ResultsPageIndex && m_message->kind() != MessageBar::Kind::Error)
        m_message->hide(); // what it tells is to be seen here
    m_welcome->setRecent(m_settings.recentMatrices());
    for (QAction* action : m_pageActions->actions())
        action->setChecked(action->data().toInt() == page);
}

void MainWindow::startDemo()
{
    if (m_controller.isActive()) {
        m_message->show(MessageBar::Kind::Info, tr("A run is going on. The demo can start when it is over."));
        return;
    }
    if (!m_files->confirmLeaving())
        return;
    m_message->show(MessageBar::Kind::Info, tr("Starting the simulated engine…"));
    m_demo->start();
}

void MainWindow::startRun()
{
    if (!m_plan->whyNotRunnable().isEmpty())
        return;
    const std::optional<QString> command = allowedCommand();
    if (!command)
        return;
    m_store.refresh(); // before the run has a number: a database that was replaced is noticed by now
    if (const Status started = m_controller.start(m_document.matrix(), m_store.databasePath(), *command);
        !started.ok()) {
        m_message->show(
            MessageBar::Kind::Error,
            tr("The run could not be started. %1").arg(QString::fromStdString(started.error().line())));
        return;
    }
    m_message->hide();
    showPage(RunPageIndex);
}

std::optional<QString> MainWindow::allowedCommand()
{
    QString command;
    for (const Test& test : m_document.matrix().tests)
        if (test.enabled && test.kind == TestKind::ColdStart && !test.command.empty())
            command = QString::fromStdString(commandText(test.command));
    if (command.isEmpty())
        return QString();
    QMessageBox box(QMessageBox::Question, tr("This matrix starts a program"),
                    tr("Its cold start runs this command on your machine:"), QMessageBox::Cancel, this);
    box.setInformativeText(command);
    QPushButton* start = box.addButton(tr("Start it"), QMessageBox::AcceptRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == start ? std::optional(command) : std::nullopt;
}

void MainWindow::runEnded(const RunFinished& outcome)
{
    m_store.refresh();
    const QString name =
        m_controller.run() ? QString::fromStdString(m_controller.run()->name) : m_document.displayName();
    const QString error = QString::fromStdString(outcome.error);
    QString text;
    MessageBar::Kind kind = MessageBar::Kind::Ok;
    if (outcome.state == "done") {
        text = tr("%1 is done: %2 of %n point(s) valid.", nullptr, outcome.points)
                   .arg(name)
                   .arg(outcome.validPoints);
    } else if (outcome.state == "cancelled") {
        text = tr("%1 was stopped. What was measured is kept.").arg(name);
        kind = MessageBar::Kind::Info;
    } else {
        text = tr("%1 did not finish. %2").arg(name, error);
        kind = MessageBar::Kind::Error;
        m_prober.forget(); // the target may be what ended it
    }
    if (m_runLost)
        m_message->show(MessageBar::Kind::Error,
                        text + u' ' +
                            tr("Its database was removed or replaced meanwhile: the run "
                               "is kept no longer."));
    else if (m_controller.run() && m_controller.partner())
        pairEnded(kind, text, outcome);
    else if (m_controller.run()) // something was stored
        m_message->show(kind, text, tr("Show the results"), [this, run = outcome.run] { showRun(run); });
    else
        m_message->show(kind, text);
    if (m_settings.notifyAtEnd() && !isActiveWindow())
        notifyDesktop(tr("Tailmark"), text);
}

/// The two can be compared where neither failed; else the half that can be looked at is offered.
void MainWindow::pairEnded(MessageBar::Kind kind, const QString& text, const RunFinished& outcome)
{
    const RunId first = outcome.run, second = m_controller.partner()->run;
    const auto failed = [](const RunFinished& end) {
        return end.state == "failed" || end.state == "interrupted";
    };
    const std::optional<RunFinished>& other = m_controller.partnerOutcome();
    const bool secondFailed = other ? failed(*other) : failed(outcome);
    if (!failed(outcome) && !secondFailed) {
        m_message->show(kind, text, tr("Compare the two"),
                        [this, first, second] { showComparison(first, second); });
        return;
    }
    QString all = text;
    if (other && failed(*other))
        all += u' ' + tr("The run on the second target failed: %1").arg(QString::fromStdString(other->error));
    const RunId shown = failed(outcome) && !secondFailed ? second : first;
    m_message->show(MessageBar::Kind::Error, all.trimmed(), tr("Show the results"),
                    [this, shown] { showRun(shown); });
}

void MainWindow::connectToEngine()
{
    if (!m_files->confirmLeaving())
        return;
    PlanConnectDialog dialog(newMatrix(), m_prober, this);
    if (dialog.exec() == QDialog::Accepted)
        m_files->replaceWith(dialog.matrix());
}

void MainWindow::showTitle()
{
    setWindowTitle(tr("%1[*] – Tailmark").arg(m_document.displayName()));
    setWindowModified(m_document.isModified());
}

void MainWindow::showRunActions()
{
    const RunController::State state = m_controller.state();
    const bool running = state == RunController::State::Running || state == RunController::State::Pausing;
    const QString reason = m_plan->whyNotRunnable();
    m_start->setEnabled(reason.isEmpty());
    m_start->setToolTip(reason.isEmpty() ? tr("Start the run") : reason);
    m_probe->setEnabled(m_prober.state() != TargetProber::State::Probing);
    m_pause->setEnabled(running || state == RunController::State::Paused);
    m_pause->setChecked(state == RunController::State::Pausing || state == RunController::State::Paused);
    m_skip->setEnabled(running);
    m_stop->setEnabled(m_controller.isActive() && state != RunController::State::Stopping);
}

bool MainWindow::confirmStopping()
{
    if (!m_controller.isActive())
        return true;
    QMessageBox box(QMessageBox::Question, tr("A run is going on"), tr("Stop the run and close?"),
                    QMessageBox::Cancel, this);
    box.setInformativeText(tr("What was measured is kept, and the run is marked as cancelled."));
    QPushButton* stop = box.addButton(tr("Stop and close"), QMessageBox::AcceptRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == stop;
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!confirmStopping() || !m_files->confirmLeaving()) {
        event->ignore();
        return;
    }
    m_files->forgetRecovery();
    m_settings.setLayout(kWindowPart, saveGeometry());
    m_settings.setLayout(kPlanPart, m_plan->saveState());
    m_settings.setLastPage(m_stack->currentIndex());
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!onlyDroppedFile(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QString path = onlyDroppedFile(event->mimeData());
    if (path.isEmpty())
        return;
    event->acceptProposedAction();
    openDropped(path);
}

/// A matrix is opened; anything else is taken for a trace.
void MainWindow::openDropped(const QString& path)
{
    if (path.endsWith(".tailmark.json"_L1)) {
        if (m_files->confirmLeaving())
            openMatrix(path);
        return;
    }
    showPage(PlanPageIndex);
    // After a drop, which the other program waits for.
    QTimer::singleShot(0, m_plan, [this, path] { m_plan->importTrace(path); });
}

} // namespace tailmark::ui
