// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/compare_page.h"

#include "charts/frontier_panel.h"
#include "models/compare_tables.h"
#include "models/format.h"
#include "models/run_library_model.h"
#include "models/tables.h"
#include "pages/empty_state.h"
#include "pages/table_view.h"
#include "style/theme.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

namespace tailmark::ui {

ComparePage::ComparePage(StoreSession* store, QWidget* parent)
    : QWidget(parent), m_store(store), m_swap(new QPushButton(tr("Swap"), this)),
      m_stack(new QStackedWidget(this)), m_empty(new EmptyState({}, {}, this))
{
    auto* top = new QHBoxLayout;
    top->setSpacing(8);
    const QString names[] = {tr("A (baseline)"), tr("B (candidate)")};
    for (std::size_t i = 0; i < m_sides.size(); ++i) {
        Side& side = m_sides[i];
        side.run = new QComboBox(this);
        side.run->setAccessibleName(names[i]);
        side.run->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        side.run->setMinimumContentsLength(14);
        auto* label = new QLabel(names[i], this);
        label->setBuddy(side.run);
        top->addWidget(label);
        top->addWidget(side.run, 1);
        connect(side.run, &QComboBox::currentIndexChanged, this, [this, i] {
            m_sides[i].results.reset();
            if (i == 0)
                m_slo.reset(); // the baseline's own limits count again
            askBoth();
        });
    }
    m_swap->setToolTip(tr("Make the candidate the baseline"));
    top->addWidget(m_swap);
    connect(m_swap, &QPushButton::clicked, this, &ComparePage::swapRuns);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(makeContent());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->setSpacing(8);
    column->addLayout(top);
    column->addWidget(m_stack, 1);

    connect(m_store, &StoreSession::runsChanged, this, &ComparePage::fillRuns);
    connect(m_store, &StoreSession::databaseReplaced, this, &ComparePage::forgetRuns);
    connect(m_store, &StoreSession::resultsReady, this, &ComparePage::takeResults);
    connect(m_store, &StoreSession::failed, this, [this](RequestNumber request, const QString& message) {
        for (Side& side : m_sides)
            if (request != 0 && request == side.request) {
                side.request = 0;
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
    row->addWidget(m_test, 0, Qt::AlignTop);
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
        if (m_sides[0].results && m_sides[1].results) {
            FrontierAxes axes = defaultAxes(m_sides[0].results->run.plan, m_sides[0].results->slo,
                                            m_test->currentText().toStdString());
            axes.x = m_frontier->axes().x;
            m_frontier->setAxes(axes);
            m_frontier->chart()->zoomToFit();
            showTest();
        }
    });
    connect(m_frontier, &FrontierPanel::axesChanged, this, &ComparePage::showTest);
    const auto moved = [this] {
        m_slo = m_frontier->slo();
        askBoth();
    };
    connect(m_frontier, &FrontierPanel::sloDragged, this, moved);
    connect(m_frontier, &FrontierPanel::sloEdited, this, moved);
    return content;
}

// ---- which runs

std::array<RunId, 2> ComparePage::runs() const
{
    return {RunId{m_sides[0].run->currentData().toLongLong()},
            RunId{m_sides[1].run->currentData().toLongLong()}};
}

void ComparePage::fillRuns()
{
    const auto before = runs();
    const auto list = m_store->runs();
    // Without a choice of two runs: the newest against the one before it.
    const bool chosen = before[0].value != 0 && before[1].value != 0 && before[0] != before[1];
    const std::size_t wanted[] = {1, 0};
    for (std::size_t i = 0; i < m_sides.size(); ++i) {
        QComboBox* box = m_sides[i].run;
        const QSignalBlocker quiet(box);
        box->clear();
        for (const RunInfo& run : *list) {
            box->addItem(QStringLiteral("%1 — %2").arg(text(run.name), formatInstant(run.startedAt)),
                         static_cast<qint64>(run.id.value));
            box->setItemData(box->count() - 1, runStateName(run.state), Qt::ToolTipRole);
        }
        const int same = chosen ? box->findData(static_cast<qint64>(before[i].value)) : -1;
        box->setCurrentIndex(same >= 0 ? same : wanted[i] < list->size() ? static_cast<int>(wanted[i]) : -1);
    }
    const auto now = runs();
    for (std::size_t i = 0; i < m_sides.size(); ++i) {
        std::pair<RunState, int> seen{};
        for (const RunInfo& run : *list)
            if (run.id == now[i])
                seen = {run.state, run.pointsDone};
        if (now[i] != before[i] || seen != m_sides[i].seen) // a run that goes on has more to show
            m_sides[i].results.reset();
        m_sides[i].seen = seen;
    }
    if (!m_sides[0].results || !m_sides[1].results)
        askBoth();
}

/// The numbers may mean other runs now; runsChanged follows.
void ComparePage::forgetRuns()
{
    for (Side& side : m_sides) {
        const QSignalBlocker quiet(side.run);
        side.run->clear();
        m_store->drop(std::exchange(side.request, 0));
        side.results.reset();
        side.askAgain = false;
        side.seen = {};
    }
    m_slo.reset();
    showState();
}

void ComparePage::setRuns(RunId baseline, RunId candidate)
{
    const RunId wanted[] = {baseline, candidate};
    for (std::size_t i = 0; i < m_sides.size(); ++i)
        if (wanted[i].value != 0)
            if (const int at = m_sides[i].run->findData(static_cast<qint64>(wanted[i].value)); at >= 0)
                m_sides[i].run->setCurrentIndex(at);
}

void ComparePage::swapRuns()
{
    const auto [a, b] = runs();
    setRuns(b, a);
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

void ComparePage::askBoth()
{
    const auto [a, b] = runs();
    if (a.value != 0 && b.value != 0 && a != b)
        for (Side& side : m_sides)
            ask(side);
    showState();
}

void ComparePage::takeResults(RequestNumber request, const ResultsPtr& results)
{
    for (Side& side : m_sides) {
        if (request == 0 || request != side.request)
            continue;
        side.request = 0;
        side.results = results;
        if (std::exchange(side.askAgain, false)) {
            ask(side);
            return;
        }
    }
    // One SLO for both: the baseline's, unless the reader has set another.
    if (!m_slo && m_sides[0].results && m_sides[1].results &&
        m_sides[0].results->slo != m_sides[1].results->slo) {
        m_slo = m_sides[0].results->slo;
        ask(m_sides[1]);
        return;
    }
    if (m_sides[0].request == 0 && m_sides[1].request == 0)
        showComparison();
    showState();
}

void ComparePage::showState()
{
    const auto [a, b] = runs();
    if (m_store->runs()->size() < 2)
        m_empty->setText(tr("Nothing to compare yet"),
                         tr("Two stored runs are needed. Measure the same matrix on two targets, or twice on "
                            "one, then choose both here."));
    else if (a == b)
        m_empty->setText(tr("Twice the same run"), tr("Choose another run as candidate."));
    else
        m_empty->setText(tr("Reading both runs…"), {});
    const bool shown = m_sides[0].results && m_sides[1].results && a != b;
    m_stack->setCurrentIndex(shown ? 1 : 0);
}

// ---- what they say

void ComparePage::showComparison()
{
    if (!m_sides[0].results || !m_sides[1].results)
        return;
    const RunResults &a = *m_sides[0].results, &b = *m_sides[1].results;
    const auto found = differences(factsOf(a), factsOf(b));
    m_control->setText(text(comparisonSentence(found)));
    setRole(m_control, isControlled(found) ? QStringLiteral("ok") : QStringLiteral("warning"));
    m_differences->setTable(differencesTable(found));
    m_tabs->setTabText(2, tr("What differs (%1)").arg(found.size()));
    m_capacity->setTable(capacityTable(a, b));

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

void ComparePage::showTest()
{
    if (!m_sides[0].results || !m_sides[1].results)
        return;
    const RunResults &a = *m_sides[0].results, &b = *m_sides[1].results;
    const std::string test = m_test->currentText().toStdString();
    QList<FrontierSeries> series;
    QStringList missing; // a run that goes on may have nothing of this test yet
    for (const auto& [results, name] : {std::pair{&a, tr("A")}, std::pair{&b, tr("B")}}) {
        series.append(frontierSeries(*results, test, m_frontier->axes()));
        series.last().name = QStringLiteral("%1: %2").arg(name, text(results->run.info.name));
        if (const QString why = whyNoPoints(*results, test); !why.isEmpty())
            missing << QStringLiteral("%1: %2").arg(name, why);
    }
    m_frontier->setSlo(a.slo, a.run.plan.matrix.slo);
    m_frontier->chart()->setSeries(series);
    m_frontier->chart()->setMessage(test.empty() ? tr("The two runs have no test of the same name.")
                                                 : missing.join(QLatin1Char('\n')));
    m_levels->setTable(levelsTable(compareLevels(a.points, b.points), test));
    const OperatingPoint *opA = operatingPointOf(a, test), *opB = operatingPointOf(b, test);
    m_claim->setText(opA && opB ? text(compareCapacity(*opA, *opB, a.run.info.name, b.run.info.name).sentence)
                     : !missing.isEmpty()
                         ? missing.join(QLatin1Char(' '))
                         : tr("Without an operating point on both sides there is no capacity to compare."));
    m_copy->setEnabled(opA && opB);
}

} // namespace tailmark::ui
