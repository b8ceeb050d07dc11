// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/run_page.h"

#include "charts/frontier_panel.h"
#include "charts/timeline_chart.h"
#include "models/event_list_model.h"
#include "models/format.h"
#include "models/tables.h"
#include "pages/elided_label.h"
#include "pages/empty_state.h"
#include "pages/table_view.h"
#include "style/icons.h"

#include <QLabel>
#include <QListView>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailmark::ui {

namespace {

constexpr int kRepaintMs = 125;
constexpr qsizetype kTrail = 240;

QString loadOf(const PointStarted& point)
{
    QString name = QStringLiteral("%1 · %2").arg(text(point.test), formatLoad(point.load));
    if (point.repeat > 0)
        name += RunPage::tr(" · repeat %1").arg(point.repeat + 1);
    return name;
}

QString capitalised(QString words)
{
    return words.replace(0, 1, words.left(1).toUpper());
}

/// Rows as high as their wrapped text: a view by itself takes the width of its frame for that of the rows.
class LogDelegate : public BadgeDelegate
{
public:
    explicit LogDelegate(QListView* view) : BadgeDelegate(view), m_view(view) {}

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem narrow = option;
        narrow.rect.setWidth(m_view->viewport()->width());
        return BadgeDelegate::sizeHint(narrow, index);
    }

private:
    QListView* m_view;
};

} // namespace

RunPage::RunPage(RunController* controller, StoreSession* store, QWidget* parent)
    : QWidget(parent), m_controller(controller), m_store(store), m_stack(new QStackedWidget(this)),
      m_empty(new EmptyState(
          tr("No run is on"),
          tr("Set up a matrix on the Plan page and press Start run. The frontier is drawn here "
             "while it is measured."),
          this)),
      m_events(new EventListModel(this))
{
    m_stack->addWidget(m_empty);
    m_stack->addWidget(makeContent());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->addWidget(m_stack);

    m_repaint.setSingleShot(true);
    m_repaint.setInterval(kRepaintMs);
    connect(&m_repaint, &QTimer::timeout, this, &RunPage::repaintLive);
    connect(m_store, &StoreSession::storeChanged, this, &RunPage::askRecords);
    connect(m_store, &StoreSession::resultsReady, this,
            [this](RequestNumber request, const ResultsPtr& results) {
                if (request != 0 && request == m_resultsRequest)
                    takeResults(results);
            });
    connect(m_store, &StoreSession::recordsReady, this,
            [this](RequestNumber request, const RecordsPtr& records) {
                if (request == 0 || request != m_recordsRequest)
                    return;
                m_recordsRequest = 0;
                m_live.setRecords(*records);
                m_repaint.start();
            });
    connect(m_store, &StoreSession::failed, this, [this](RequestNumber request, const QString& message) {
        if (request == 0 || (request != m_resultsRequest && request != m_recordsRequest))
            return;
        if (request == m_resultsRequest)
            m_resultsRequest = 0;
        else
            m_recordsRequest = 0;
        tell(message, Badge::Bad);
    });
    connect(m_store, &StoreSession::databaseReplaced, this, &RunPage::loseRun);
    connectController();
    showState();
}

QWidget* RunPage::makeContent()
{
    auto* content = new QWidget(this);
    m_title = new QLabel(content);
    QFont large = m_title->font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setWeight(QFont::DemiBold);
    m_title->setFont(large);
    m_title->setTextFormat(Qt::PlainText);
    m_subtitle = new ElidedLabel(content);
    m_subtitle->setProperty("role", QStringLiteral("secondary"));
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_pause = new QPushButton(icon(QStringLiteral("pause")), tr("Pause after point"), content);
    m_pause->setCheckable(true);
    m_pause->setToolTip(tr("The running point is finished first, so that nothing of it is lost"));
    m_skip = new QPushButton(icon(QStringLiteral("skip")), tr("Skip point"), content);
    m_skip->setToolTip(tr("End the running point now and go on with the next"));
    m_stop = new QPushButton(icon(QStringLiteral("stop")), tr("Stop"), content);
    m_stop->setToolTip(tr("End the run now; what was measured is kept"));
    m_bar = new QProgressBar(content);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(6);
    m_bar->setAccessibleName(tr("Progress of the run"));
    m_words = new QLabel(content);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setAccessibleName(tr("What the run does now"));
    m_health = new QLabel(content);
    m_health->setProperty("role", QStringLiteral("secondary"));
    m_health->setToolTip(
        tr("The load generator's own condition: how late it sends, and how much of the machine it takes"));
    m_frontier = new FrontierPanel(FrontierPanel::SloControl::ReadOnly, content);
    m_pointTitle = new QLabel(content);
    m_pointTitle->setTextFormat(Qt::PlainText);
    QFont strong = m_pointTitle->font();
    strong.setWeight(QFont::DemiBold);
    m_pointTitle->setFont(strong);
    m_pointTitle->setMinimumHeight(m_frontier->layout()->itemAt(0)->sizeHint().height());
    m_timeline = new TimelineChart(content);
    m_points = new TableView(content);
    m_points->setAccessibleName(tr("Finished points"));
    m_eventList = new QListView(content);
    m_eventList->setModel(m_events);
    m_eventList->setItemDelegate(new LogDelegate(m_eventList));
    m_eventList->setAccessibleName(tr("Events of the run"));
    m_eventList->setWordWrap(true);
    m_eventList->setResizeMode(QListView::Adjust);
    m_eventList->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_eventList->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);

    auto* names = new QVBoxLayout;
    names->setSpacing(2);
    names->addWidget(m_title);
    names->addWidget(m_subtitle);
    auto* top = new QHBoxLayout;
    top->setSpacing(8);
    top->addLayout(names, 1);
    for (QPushButton* button : {m_pause, m_skip, m_stop})
        top->addWidget(button, 0, Qt::AlignTop);
    auto* state = new QHBoxLayout;
    state->addWidget(m_words, 1);
    state->addWidget(m_health);
    auto* timelineSide = new QWidget(content);
    auto* timelineColumn = new QVBoxLayout(timelineSide);
    timelineColumn->setContentsMargins(0, 0, 0, 0);
    timelineColumn->setSpacing(6);
    timelineColumn->addWidget(m_pointTitle);
    timelineColumn->addWidget(m_timeline, 1);
    auto* charts = new QSplitter(content);
    charts->setObjectName(QStringLiteral("run.charts"));
    charts->addWidget(m_frontier);
    charts->addWidget(timelineSide);
    charts->setSizes({600, 480});
    auto* lists = new QSplitter(content);
    lists->setObjectName(QStringLiteral("run.lists"));
    lists->addWidget(m_points);
    lists->addWidget(m_eventList);
    lists->setSizes({700, 380});
    auto* split = new QSplitter(Qt::Vertical, content);
    split->setObjectName(QStringLiteral("run.detail"));
    split->addWidget(charts);
    split->addWidget(lists);
    split->setSizes({600, 300});
    for (QSplitter* s : {charts, lists, split})
        s->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addLayout(top);
    column->addWidget(m_bar);
    column->addLayout(state);
    column->addWidget(split, 1);

    connect(m_pause, &QPushButton::toggled, m_controller, &RunController::setPauseAfterPoint);
    connect(m_skip, &QPushButton::clicked, m_controller, &RunController::skipPoint);
    connect(m_stop, &QPushButton::clicked, m_controller, &RunController::stop);
    connect(m_frontier, &FrontierPanel::axesChanged, this, [this] {
        m_mark.trail.clear(); // it was drawn on other axes
        showFrontier();
    });
    connect(m_points, &TableView::idSelected, this,
            [this](int id) { m_frontier->chart()->setSelected({id}); });
    connect(m_frontier->chart(), &FrontierChart::pointSelected, this, [this](PointIndex point) {
        m_frontier->chart()->setSelected(point);
        m_points->selectId(point.value);
    });
    return content;
}

void RunPage::connectController()
{
    connect(m_controller, &RunController::stateChanged, this, &RunPage::showState);
    connect(m_controller, &RunController::started, this, &RunPage::start);
    connect(m_controller, &RunController::prepared, this, &RunPage::prepare);
    connect(m_controller, &RunController::pointStarted, this, &RunPage::startPoint);
    connect(m_controller, &RunController::progress, this, &RunPage::takeProgress);
    connect(m_controller, &RunController::pointFinished, this, &RunPage::finishPoint);
    connect(m_controller, &RunController::operatingPoint, this, [this](const OperatingPointFound& event) {
        tell(text(event.sentence),
             event.state == operatingStateId(OperatingState::Found) ? Badge::Good : Badge::None);
    });
    connect(m_controller, &RunController::warning, this,
            [this](const QString& warning) { tell(warning, Badge::Warning); });
    connect(m_controller, &RunController::finished, this, &RunPage::finish);
}

// ---- what the engine tells

void RunPage::tell(const QString& words, Badge badge)
{
    m_events->add(QTime::currentTime(), words, badge);
    m_eventList->scrollToBottom();
}

void RunPage::start(const RunStarted& event)
{
    m_store->drop(std::exchange(m_resultsRequest, 0));
    m_store->drop(std::exchange(m_recordsRequest, 0));
    m_run = event.run;
    m_results.reset();
    m_askAgain = false;
    m_test.clear();
    m_preparing.clear();
    m_finishedPoints = 0;
    m_live = {};
    m_mark = {};
    m_events->clear();
    m_points->setTable({});
    m_frontier->chart()->setSeries({});
    m_frontier->chart()->setLive({});
    m_title->setText(text(event.name));
    m_subtitle->setWords(
        QStringList{QStringLiteral("%1 %2").arg(text(event.engine), text(event.version)).trimmed(),
                    text(event.model), text(event.target), tr("%1 points").arg(event.points)}
            .join(QStringLiteral(" · ")));
    tell(tr("Run started on %1, about %2").arg(text(event.target), formatDuration(event.estimatedS)));
    askResults(); // the plan, for axes and SLO
    showState();
}

void RunPage::prepare(const Preparation& event)
{
    if (m_preparing != event.what)
        tell(capitalised(text(event.what)));
    m_preparing = event.what;
    if (!m_repaint.isActive())
        m_repaint.start();
}

void RunPage::startPoint(const PointStarted& event)
{
    m_preparing.clear();
    m_store->drop(std::exchange(m_recordsRequest, 0));
    QList<TimelineData::Phase> phases;
    if (m_results)
        for (const PointPlan& p : m_results->run.plan.points)
            if (p.index == event.point)
                phases = phasesOf(p);
    m_live.start(event, phases);
    m_mark = {{}, formatLoadValue(event.load)};
    m_pointTitle->setText(loadOf(event));
    tell(tr("Point %1: %2").arg(event.point.value + 1).arg(loadOf(event)));
    if (event.test != m_test)
        showTest(event.test);
    m_repaint.start();
}

void RunPage::takeProgress(const Progress& event)
{
    m_live.add(event.load);
    m_live.addServer(event);
    const FrontierAxes& axes = m_frontier->axes();
    const double* x = nullptr;
    if (axes.x == Metric::OutputTokensPerS && event.outputTokensPerS)
        x = &*event.outputTokensPerS;
    else if (axes.x == Metric::RequestsPerS && event.requestsPerS)
        x = &*event.requestsPerS;
    // The engine tells the headline latency alone. On the axis of its twin that counts from the send the mark
    // stands as well, and says from where it counts.
    const Metric headline = m_live.data().latency;
    const bool twin = headline == Metric::TtftIntended && axes.y == Metric::Ttft;
    const double* y = nullptr;
    if (axes.y == headline || twin)
        if (const auto found = event.headlineMs.find(axes.percent); found != event.headlineMs.end())
            y = &found->second;
    if (const auto& point = m_controller->point())
        m_mark.label = twin ? tr("%1, from the intended start").arg(formatLoadValue(point->load))
                            : formatLoadValue(point->load);
    if (x && y && std::isfinite(*x) && std::isfinite(*y)) {
        m_mark.trail.append({*x, *y});
        if (m_mark.trail.size() > kTrail)
            m_mark.trail.removeFirst();
    }
    if (!m_repaint.isActive())
        m_repaint.start();
}

void RunPage::finishPoint(const PointFinished& event)
{
    ++m_finishedPoints;
    m_mark = {};
    tell(tr("Point %1 is finished: %2")
             .arg(event.point.value + 1)
             .arg(text(event.verdict).replace(QLatin1Char('_'), QLatin1Char(' '))),
         event.valid ? Badge::Good : Badge::Warning);
    askResults();
    m_repaint.start();
}

void RunPage::finish(const RunFinished& event)
{
    m_mark = {};
    if (event.error.empty())
        tell(tr("Run %1: %2 of %3 points may be believed")
                 .arg(text(event.state))
                 .arg(event.validPoints)
                 .arg(event.points),
             event.validPoints > 0 ? Badge::Good : Badge::Warning);
    else
        tell(text(event.error), Badge::Bad);
    if (event.run.value == 0 &&
        m_run.value == 0) // it ended before it was a run: there is nothing else to show
        m_title->setText(tr("The run did not begin"));
    m_pause->setChecked(false);
    askResults();
    showState();
    m_repaint.start();
}

// ---- what the store holds

void RunPage::askResults()
{
    if (m_run.value == 0)
        return;
    if (m_resultsRequest != 0)
        m_askAgain = true;
    else
        m_resultsRequest = m_store->requestResults(m_run);
}

void RunPage::takeResults(const ResultsPtr& results)
{
    m_resultsRequest = 0;
    const bool first = !m_results;
    m_results = results;
    m_points->setTable(pointsTable(*results));
    if (first && !m_test.empty())
        showTest(m_test);
    else
        showFrontier();
    if (std::exchange(m_askAgain, false))
        askResults();
}

/// What is drawn stays; its number may mean another run now.
void RunPage::loseRun()
{
    m_store->drop(std::exchange(m_resultsRequest, 0));
    m_store->drop(std::exchange(m_recordsRequest, 0));
    m_askAgain = false;
    if (std::exchange(m_run, {}).value != 0)
        tell(tr("The database was removed or replaced while in use: this run is kept no longer."),
             Badge::Bad);
    showProgress();
}

void RunPage::askRecords()
{
    const auto& point = m_controller->point();
    if (m_controller->isActive() && m_run.value != 0 && point && m_recordsRequest == 0)
        m_recordsRequest = m_store->requestRecords(m_run, point->point);
}

// ---- what is shown

void RunPage::showTest(const std::string& test)
{
    m_test = test;
    if (m_results) {
        FrontierAxes axes = defaultAxes(m_results->run.plan, m_results->slo, test);
        axes.x = m_frontier->axes().x;
        m_frontier->setSlo(m_results->slo, m_results->slo);
        m_frontier->setAxes(axes);
        m_frontier->chart()->zoomToFit();
    }
    showFrontier();
}

void RunPage::showFrontier()
{
    if (!m_results)
        return;
    FrontierSeries series = frontierSeries(*m_results, m_test, m_frontier->axes());
    m_frontier->setSlo(m_results->slo, m_results->slo);
    m_frontier->chart()->setSeries({series});
    m_frontier->chart()->setMessage(
        series.points.isEmpty() && m_mark.trail.isEmpty()
            ? tr("The first point of this test is being measured.\nIt stands here when it is finished.")
            : QString());
}

void RunPage::showState()
{
    using State = RunController::State;
    const State state = m_controller->state();
    const bool active = m_controller->isActive();
    if (const int shown = active || m_events->rowCount() > 0 ? 1 : 0; shown != m_stack->currentIndex()) {
        m_stack->setCurrentIndex(shown);
        m_frontier->chart()->setFocus(); // not Stop, which a space would press
    }
    const bool measuring = state == State::Running || state == State::Pausing;
    m_pause->setEnabled(measuring || state == State::Paused);
    m_pause->setText(state == State::Paused ? tr("Go on") : tr("Pause after point"));
    m_pause->setIcon(icon(state == State::Paused ? QStringLiteral("run") : QStringLiteral("pause")));
    if (state == State::Running && m_pause->isChecked()) {
        const QSignalBlocker quiet(m_pause);
        m_pause->setChecked(false);
    }
    m_skip->setEnabled(measuring);
    m_stop->setEnabled(active && state != State::Stopping);
    if (state == State::Starting) {
        m_title->setText(tr("Starting"));
        m_subtitle->setWords({});
    }
    showProgress();
}

void RunPage::showProgress()
{
    using State = RunController::State;
    const auto& run = m_controller->run();
    const auto& point = m_controller->point();
    const auto& progress = m_controller->latestProgress();
    double done = m_finishedPoints;
    if (point && progress && m_controller->isActive()) {
        const double length = point->warmupS + point->durationS;
        if (length > 0 && progress->point == point->point)
            done += std::clamp(toSeconds(progress->load.elapsed) / length, 0.0, 1.0);
    }
    const int points = run ? run->points : 0;
    m_bar->setValue(points > 0 ? std::clamp(static_cast<int>(done / points * 1000), 0, 1000) : 0);
    const auto place = [&] {
        return point ? tr("point %1 of %2, %3").arg(point->point.value + 1).arg(points).arg(loadOf(*point))
                     : QString();
    };
    switch (m_controller->state()) {
    case State::Idle: {
        const auto& outcome = m_controller->outcome();
        m_words->setText(
            !outcome ? QString()
            : outcome->error.empty()
                ? (m_run.value != 0
                       ? tr("Run %1. All of it is on the Results page.").arg(text(outcome->state))
                       : tr("Run %1. It is kept no longer.").arg(text(outcome->state)))
                : text(outcome->error));
        if (m_controller->outcome() && m_finishedPoints >= points && points > 0)
            m_bar->setValue(1000);
        break;
    }
    case State::Starting:
        m_words->setText(tr("Asking the target what it is…"));
        break;
    case State::Paused:
        m_words->setText(tr("Paused before the next point."));
        break;
    case State::Stopping:
        m_words->setText(tr("Stopping; what was measured is kept."));
        break;
    case State::Pausing:
    case State::Running: {
        if (const auto& preparing = m_controller->preparation()) {
            m_words->setText(
                preparing->total > 0
                    ? tr("%1 · %2").arg(capitalised(text(preparing->what)),
                                        formatShare(static_cast<double>(preparing->done) / preparing->total))
                    : capitalised(text(preparing->what)));
            break;
        }
        QString words = point ? capitalised(place()) : tr("Preparing the first point…");
        if (point && progress && progress->point == point->point) {
            const double elapsed = toSeconds(progress->load.elapsed);
            words += elapsed < point->warmupS                      ? tr(" · warming up")
                     : elapsed < point->warmupS + point->durationS ? tr(" · measuring")
                                                                   : tr(" · draining");
            words += tr(" · about %1 left").arg(formatDuration(progress->remainingS));
        }
        if (m_controller->state() == State::Pausing)
            words += tr(" · pauses after this point");
        m_words->setText(words);
        break;
    }
    }
    m_health->setText(
        progress && m_controller->isActive()
            ? tr("Send lag p99 %1 · %2 cores")
                  .arg(formatValue(progress->sendLagP99Ms, "ms", 3), formatNumber(progress->cpuCores, 2))
            : QString());
}

void RunPage::repaintLive()
{
    showProgress();
    m_frontier->chart()->setLive(m_mark.trail.isEmpty() ? std::nullopt : std::optional(m_mark));
    if (!m_mark.trail.isEmpty())
        m_frontier->chart()->setMessage({});
    m_timeline->setData(m_live.data());
}

} // namespace tailmark::ui
