// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/compare_page.h"

#include "analysis/foreign_summary.h"
#include "charts/frontier_panel.h"
#include "models/compare_tables.h"
#include "models/format.h"
#include "models/run_library_model.h"
#include "models/tables.h"
#include "pages/baseline_actions.h"
#include "pages/empty_state.h"
#include "pages/table_view.h"
#include "style/elided_combo_box.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QClipboard>
#include <QComboBox>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace tailmark::ui {

namespace {

constexpr std::size_t kMostRuns = 6; ///< more curves cannot be told apart

/// All chosen, and none twice.
bool areDistinct(const std::vector<RunId>& runs)
{
    for (auto run = runs.begin(); run != runs.end(); ++run)
        if (run->value == 0 || std::find(run + 1, runs.end(), *run) != runs.end())
            return false;
    return true;
}

} // namespace

ComparePage::ComparePage(StoreSession* store, QWidget* parent)
    : QWidget(parent), m_store(store), m_choices(new QGridLayout), m_swap(new QPushButton(tr("Swap"), this)),
      m_add(new QPushButton(icon(QStringLiteral("add")), tr("Add a run"), this)),
      m_baseline(new QPushButton(tr("Baseline"), this)), m_stack(new QStackedWidget(this)),
      m_empty(new EmptyState({}, {}, this))
{
    m_choices->setHorizontalSpacing(8);
    m_choices->setVerticalSpacing(6);
    m_choices->setColumnStretch(0, 1);
    m_choices->setColumnStretch(1, 1);
    m_swap->setToolTip(tr("Make the first candidate the baseline"));
    m_add->setToolTip(tr("Lay one more run over the others, against the same baseline"));
    connect(m_swap, &QPushButton::clicked, this, &ComparePage::swapRuns);
    connect(m_add, &QPushButton::clicked, this, &ComparePage::addRun);
    m_baseline->setToolTip(tr("Keep A under a name, or compare with a run that is kept so"));
    auto* menu = new QMenu(m_baseline);
    m_baseline->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        addBaselineActions(*menu, *m_store, runs().front(), this,
                           [this](RunId baseline) { compareWith(baseline); });
    });
    m_stack->addWidget(m_empty);
    m_stack->addWidget(makeContent());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->setSpacing(8);
    column->addLayout(m_choices);
    column->addWidget(m_stack, 1);
    addSide();
    addSide();

    connect(m_store, &StoreSession::runsChanged, this, &ComparePage::fillRuns);
    connect(m_store, &StoreSession::databaseReplaced, this, &ComparePage::forgetRuns);
    connect(m_store, &StoreSession::resultsReady, this, &ComparePage::takeResults);
    connect(m_store, &StoreSession::failed, this, [this](RequestNumber request, const QString& message) {
        for (const auto& side : m_sides)
            if (request != 0 && request == side->request) {
                side->request = 0;
                m_empty->setText(tr("The run cannot be read"), message);
                m_stack->setCurrentIndex(0);
            }
    });
    fillRuns();
}

QWidget* ComparePage::makeContent()
{
    auto* content = new QWidget(this);
    m_control = new QLabel(content);
    m_control->setWordWrap(true);
    m_control->setTextFormat(Qt::PlainText);
    m_claim = new QLabel(content);
    m_claim->setWordWrap(true);
    m_claim->setTextFormat(Qt::PlainText);
    m_claim->setTextInteractionFlags(Qt::TextSelectableByMouse);
    QFont strong = m_claim->font();
    strong.setWeight(QFont::DemiBold);
    m_claim->setFont(strong);
    m_copy = new QPushButton(tr("Copy sentence"), content);
    m_copy->setToolTip(tr("Both lines, for a slide"));
    m_test = new QComboBox(content);
    m_test->setAccessibleName(tr("Test compared"));
    m_test->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_againstLabel = new QLabel(tr("Against the baseline"), content);
    setRole(m_againstLabel, QStringLiteral("secondary"));
    m_against = new ElidedComboBox(content);
    m_against->setAccessibleName(tr("Run that is told against the baseline"));
    m_againstLabel->setBuddy(m_against);
    m_frontier = new FrontierPanel(FrontierPanel::SloControl::Editable, content);
    m_tabs = new QTabWidget(content);
    m_tabs->setDocumentMode(true);
    m_levels = new TableView(content);
    m_levels->setAccessibleName(tr("Level by level"));
    m_capacity = new TableView(content);
    m_capacity->setAccessibleName(tr("Capacity at the SLO"));
    m_differences = new TableView(content);
    m_differences->setAccessibleName(tr("What differs"));
    m_tabs->addTab(m_levels, tr("Levels"));
    m_tabs->addTab(m_capacity, tr("Capacity at the SLO"));
    m_tabs->addTab(m_differences, tr("What differs"));

    auto* words = new QVBoxLayout;
    words->setSpacing(3);
    words->addWidget(m_claim);
    words->addWidget(m_control);
    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    auto* chosen = new QVBoxLayout;
    chosen->setSpacing(3);
    chosen->addWidget(m_test);
    chosen->addWidget(m_againstLabel);
    chosen->addWidget(m_against);
    chosen->addStretch(1);
    row->addLayout(chosen);
    row->addLayout(words, 1);
    row->addWidget(m_copy, 0, Qt::AlignTop);
    auto* split = new QSplitter(Qt::Vertical, content);
    split->setObjectName(QStringLiteral("compare.detail"));
    split->setChildrenCollapsible(false);
    split->addWidget(m_frontier);
    split->addWidget(m_tabs);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({600, 400});
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addLayout(row);
    column->addWidget(split, 1);

    connect(m_copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_claim->text() + QLatin1Char('\n') + m_control->text());
    });
    connect(m_test, &QComboBox::currentIndexChanged, this, [this] {
        if (complete()) {
            const RunResults& baseline = *m_sides.front()->results;
            FrontierAxes axes =
                defaultAxes(baseline.run.plan, baseline.slo, m_test->currentText().toStdString());
            axes.x = m_frontier->axes().x;
            m_frontier->setAxes(axes);
            m_frontier->chart()->zoomToFit();
            showTest();
        }
    });
    connect(m_against, &QComboBox::activated, this, &ComparePage::showComparison);
    connect(m_frontier, &FrontierPanel::axesChanged, this, &ComparePage::showTest);
    const auto moved = [this] {
        m_slo = m_frontier->slo();
        askAll();
    };
    connect(m_frontier, &FrontierPanel::sloDragged, this, moved);
    connect(m_frontier, &FrontierPanel::sloEdited, this, moved);
    return content;
}

// ---- which runs

std::vector<RunId> ComparePage::runs() const
{
    std::vector<RunId> chosen;
    for (const auto& side : m_sides)
        chosen.push_back(RunId{side->run->currentData().toLongLong()});
    return chosen;
}

bool ComparePage::complete() const
{
    return std::all_of(m_sides.begin(), m_sides.end(),
                       [](const auto& side) { return side->results != nullptr; });
}

void ComparePage::addSide()
{
    auto side = std::make_unique<Side>();
    Side* made = side.get();
    made->box = new QWidget(this);
    made->label = new QLabel(made->box);
    made->run = new ElidedComboBox(made->box);
    made->run->setMinimumContentsLength(14);
    made->label->setBuddy(made->run);
    made->remove = new QToolButton(made->box);
    made->remove->setIcon(icon(QStringLiteral("close"), Tint::Secondary));
    made->remove->setFocusPolicy(Qt::StrongFocus);
    auto* row = new QHBoxLayout(made->box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(made->label);
    row->addWidget(made->run, 1);
    row->addWidget(made->remove);
    connect(made->run, &QComboBox::currentIndexChanged, this, [this, made] {
        made->results.reset();
        if (made == m_sides.front().get())
            m_slo.reset(); // the baseline's own limits count again
        askAll();
    });
    connect(made->remove, &QToolButton::clicked, this, [this, made] { removeSide(made); });
    m_sides.push_back(std::move(side));
    placeSides();
}

void ComparePage::removeSide(const Side* side)
{
    const auto found =
        std::find_if(m_sides.begin(), m_sides.end(), [&](const auto& each) { return each.get() == side; });
    m_store->drop((*found)->request);
    m_choices->removeWidget((*found)->box);
    (*found)->box->hide();
    (*found)->box->deleteLater(); // its button is being pressed
    m_sides.erase(found);
    placeSides();
    showComparison();
    showState();
}

/// Two in a row, named by their letters; the buttons behind the first row.
void ComparePage::placeSides()
{
    for (std::size_t i = 0; i < m_sides.size(); ++i) {
        Side& side = *m_sides[i];
        const QString letter = text(runLetter(i));
        const QString name = i == 0   ? tr("%1 (baseline)").arg(letter)
                             : i == 1 ? tr("%1 (candidate)").arg(letter)
                                      : letter;
        side.label->setText(name);
        side.run->setAccessibleName(name);
        side.remove->setVisible(i >= 2);
        side.remove->setToolTip(tr("Take %1 away").arg(letter));
        side.remove->setAccessibleName(side.remove->toolTip());
        m_choices->removeWidget(side.box);
        m_choices->addWidget(side.box, static_cast<int>(i) / 2, static_cast<int>(i) % 2);
    }
    m_choices->removeWidget(m_swap);
    m_choices->removeWidget(m_add);
    m_choices->addWidget(m_swap, 0, 2);
    m_choices->addWidget(m_add, 0, 3);
    m_choices->removeWidget(m_baseline);
    m_choices->addWidget(m_baseline, 0, 4);
}

void ComparePage::fillBox(Side& side, RunId chosen)
{
    const QSignalBlocker quiet(side.run);
    side.run->clear();
    int kept = 0; // baselines come first
    for (const RunInfo& run : *m_store->runs()) {
        QString name = QStringLiteral("%1 — %2").arg(text(run.name), formatInstant(run.startedAt));
        int at = side.run->count();
        if (const QStringList names = baselinesOf(m_store->baselines(), run.id); !names.isEmpty()) {
            name = tr("Baseline %1: %2").arg(names.join(QStringLiteral(", ")), name);
            at = kept++;
        }
        side.run->insertItem(at, name, static_cast<qint64>(run.id.value));
        side.run->setItemData(at, runStateName(run.state), Qt::ToolTipRole);
    }
    side.run->setCurrentIndex(side.run->findData(static_cast<qint64>(chosen.value)));
}

void ComparePage::addRun()
{
    const std::vector<RunId> chosen = runs();
    for (const RunInfo& run : *m_store->runs()) {
        if (std::find(chosen.begin(), chosen.end(), run.id) != chosen.end())
            continue;
        addSide();
        fillBox(*m_sides.back(), run.id);
        fillRuns(); // notes what its run is at
        askAll();
        return;
    }
}

void ComparePage::fillRuns()
{
    const std::vector<RunId> before = runs();
    const auto list = m_store->runs();
    const auto listed = [&](RunId run) {
        return run.value != 0 &&
               std::any_of(list->begin(), list->end(), [&](const RunInfo& r) { return r.id == run; });
    };
    // Without a choice of two runs: the newest against the one before it.
    const bool chosen = before[0] != before[1] && listed(before[0]) && listed(before[1]);
    for (std::size_t i = 0; i < m_sides.size(); ++i) {
        RunId run = before[i];
        if (i < 2 && !chosen)
            run = list->size() > 1 - i ? (*list)[1 - i].id : RunId{};
        fillBox(*m_sides[i], run);
        std::pair<RunState, int> seen{};
        for (const RunInfo& each : *list)
            if (each.id == run)
                seen = {each.state, each.pointsDone};
        if (run != before[i] || seen != m_sides[i]->seen) // a run that goes on has more to show
            m_sides[i]->results.reset();
        m_sides[i]->seen = seen;
    }
    for (std::size_t i = m_sides.size(); i-- > 2;)
        if (!listed(before[i]))
            removeSide(m_sides[i].get());
    if (!complete())
        askAll();
    else
        showState();
}

/// The numbers may mean other runs now; runsChanged follows.
void ComparePage::forgetRuns()
{
    while (m_sides.size() > 2)
        removeSide(m_sides.back().get());
    for (const auto& side : m_sides) {
        const QSignalBlocker quiet(side->run);
        side->run->clear();
        m_store->drop(std::exchange(side->request, 0));
        side->results.reset();
        side->askAgain = false;
        side->seen = {};
    }
    m_slo.reset();
    showState();
}

void ComparePage::setRuns(RunId baseline, RunId candidate)
{
    const RunId wanted[] = {baseline, candidate};
    for (std::size_t i = 0; i < 2; ++i)
        if (wanted[i].value != 0)
            if (const int at = m_sides[i]->run->findData(static_cast<qint64>(wanted[i].value)); at >= 0)
                m_sides[i]->run->setCurrentIndex(at);
}

void ComparePage::swapRuns()
{
    const std::vector<RunId> chosen = runs();
    setRuns(chosen[1], chosen[0]);
}

/// The run that is the candidate already changes places with A.
void ComparePage::compareWith(RunId baseline)
{
    const std::vector<RunId> chosen = runs();
    setRuns(baseline, baseline == chosen[1] ? chosen[0] : chosen[1]);
}

void ComparePage::ask(Side& side)
{
    const RunId run{side.run->currentData().toLongLong()};
    if (run.value == 0)
        return;
    if (side.request != 0 && side.results) { // the same run under a limit that has moved on
        side.askAgain = true;
        return;
    }
    m_store->drop(side.request);
    side.request = m_store->requestResults(run, m_slo);
}

void ComparePage::askAll()
{
    if (areDistinct(runs()))
        for (const auto& side : m_sides)
            ask(*side);
    showState();
}

void ComparePage::takeResults(RequestNumber request, const ResultsPtr& results)
{
    for (const auto& side : m_sides) {
        if (request == 0 || request != side->request)
            continue;
        side->request = 0;
        side->results = results;
        if (std::exchange(side->askAgain, false)) {
            ask(*side);
            return;
        }
    }
    // One SLO for all: the baseline's, unless the reader has set another.
    const Side& baseline = *m_sides.front();
    if (!m_slo && complete()) {
        bool others = false;
        for (const auto& side : m_sides)
            others = others || side->results->slo != baseline.results->slo;
        if (others) {
            m_slo = baseline.results->slo;
            for (const auto& side : m_sides)
                if (side->results->slo != *m_slo)
                    ask(*side);
            return;
        }
    }
    if (std::all_of(m_sides.begin(), m_sides.end(), [](const auto& side) { return side->request == 0; }))
        showComparison();
    showState();
}

void ComparePage::showState()
{
    const bool distinct = areDistinct(runs());
    if (m_store->runs()->size() < 2)
        m_empty->setText(tr("Nothing to compare yet"),
                         tr("Two stored runs are needed. Measure the same matrix on two targets, or twice on "
                            "one, then choose both here."));
    else if (!distinct)
        m_empty->setText(tr("Twice the same run"), tr("Choose another run as candidate."));
    else
        m_empty->setText(tr("Reading the runs…"), {});
    m_baseline->setEnabled(runs().front().value != 0);
    m_add->setEnabled(m_sides.size() < std::min(kMostRuns, m_store->runs()->size()));
    m_stack->setCurrentIndex(complete() && distinct ? 1 : 0);
}

// ---- what they say

/// The letter of the run that is told against the baseline.
QString ComparePage::letterAgainst() const
{
    return text(runLetter(static_cast<std::size_t>(m_against->currentIndex()) + 1));
}

/// Beside a run of another tool ours are shown as that tool counts, so that like stands beside like
/// everywhere on the page.
void ComparePage::countAlike()
{
    std::vector<RunInfo> infos;
    for (const auto& side : m_sides)
        infos.push_back(side->results->run.info);
    const std::string tool = commonTool(infos);
    m_shown.clear();
    for (const auto& side : m_sides)
        m_shown.push_back(tool.empty() || !side->results->run.info.foreign.empty()
                              ? side->results
                              : std::make_shared<const RunResults>(countedAs(*side->results, tool)));
}

void ComparePage::showComparison()
{
    if (!complete())
        return;
    const int before = m_against->currentIndex();
    m_against->clear();
    for (std::size_t i = 1; i < m_sides.size(); ++i)
        m_against->addItem(
            QStringLiteral("%1: %2").arg(text(runLetter(i)), text(m_sides[i]->results->run.info.name)));
    m_against->setCurrentIndex(before >= 0 && before < m_against->count() ? before : 0);
    m_against->setVisible(m_sides.size() > 2);
    m_againstLabel->setVisible(m_sides.size() > 2);

    const auto against = static_cast<std::size_t>(m_against->currentIndex()) + 1;
    countAlike();
    const RunResults &a = *m_shown.front(), &b = *m_shown[against];
    m_comparison = compareRuns(a, b, a.run.info.name, b.run.info.name);
    m_control->setText(text(m_comparison.conditions()));
    setRole(m_control, m_comparison.controlled() ? QStringLiteral("ok") : QStringLiteral("warning"));
    m_differences->setTable(differencesTable(m_comparison.differences, letterAgainst()));
    m_tabs->setTabText(2, tr("What differs (%1)").arg(m_comparison.differences.size()));
    std::vector<const RunResults*> all;
    for (const ResultsPtr& results : m_shown)
        all.push_back(results.get());
    m_capacity->setTable(capacityTable(all));

    QStringList shared;
    const QStringList testsB = testsOf(b.run.plan);
    for (const QString& test : testsOf(a.run.plan))
        if (testsB.contains(test))
            shared << test;
    QStringList listed;
    for (int i = 0; i < m_test->count(); ++i)
        listed << m_test->itemText(i);
    if (listed != shared) {
        const QSignalBlocker quiet(m_test);
        m_test->clear();
        m_test->addItems(shared);
        FrontierAxes axes = defaultAxes(a.run.plan, a.slo, m_test->currentText().toStdString());
        axes.x = m_frontier->axes().x;
        m_frontier->setAxes(axes);
    }
    m_test->setVisible(shared.size() > 1);
    showTest();
}

/// Empty where there is a curve.
QString ComparePage::whyNoCurves(const QList<FrontierSeries>& series) const
{
    if (std::ranges::any_of(series, [](const FrontierSeries& s) { return !s.points.isEmpty(); }))
        return {};
    const FrontierAxes& axes = m_frontier->axes();
    for (const ResultsPtr& results : m_shown)
        if (const std::string& tool = results->run.info.foreign; !tool.empty())
            return tr("No point has both values. As %1 counts, %2 is not known: choose p50 or p99.")
                .arg(text(toolTitle(tool)), quantileName(axes.y, axes.percent));
    return tr("No finished point of this test has both values. Choose other axes.");
}

void ComparePage::showTest()
{
    if (!complete())
        return;
    const RunResults& a = *m_shown.front();
    const std::string test = m_test->currentText().toStdString();
    QList<FrontierSeries> series;
    QStringList missing; // a run that goes on may have nothing of this test yet
    for (std::size_t i = 0; i < m_shown.size(); ++i) {
        const RunResults& results = *m_shown[i];
        const QString letter = text(runLetter(i));
        series.append(frontierSeries(results, test, m_frontier->axes()));
        series.last().name = QStringLiteral("%1: %2").arg(letter, text(results.run.info.name));
        series.last().bound.clear(); // of each its own: what is compared are the curves
        if (const QString why = whyNoPoints(results, test); !why.isEmpty())
            missing << QStringLiteral("%1: %2").arg(letter, why);
    }
    m_frontier->setSlo(a.slo, a.run.plan.matrix.slo);
    m_frontier->chart()->setSeries(series);
    m_frontier->chart()->setMessage(test.empty()         ? tr("The two runs have no test of the same name.")
                                    : !missing.isEmpty() ? missing.join(QLatin1Char('\n'))
                                                         : whyNoCurves(series));
    m_levels->setTable(levelsTable(m_comparison.levels, test, letterAgainst()));
    const auto capacity = std::find_if(m_comparison.capacities.begin(), m_comparison.capacities.end(),
                                       [&](const CapacityComparison& c) { return c.test == test; });
    const bool compared = capacity != m_comparison.capacities.end();
    m_claim->setText(compared       ? text(capacity->sentence)
                     : test.empty() ? tr("The two runs have no test of the same name.")
                     : !missing.isEmpty()
                         ? missing.join(QLatin1Char(' '))
                         : tr("Without an operating point on both sides there is no capacity to compare."));
    m_copy->setEnabled(compared);
}

} // namespace tailmark::ui
