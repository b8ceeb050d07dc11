// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_tests_panel.h"

#include "pages/plan_arrivals_panel.h"
#include "pages/plan_test_delegate.h"
#include "pages/plan_test_form.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <charconv>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr TestKind kKinds[] = {TestKind::FixedShape, TestKind::ConcurrencySweep, TestKind::ArrivalSweep,
                               TestKind::BurstRecovery, TestKind::ColdStart};
constexpr int kRowHeight = 30;
constexpr int kFewestRows = 4; ///< the table is as high as its rows, within reason
constexpr int kMostRows = 7;
constexpr std::string_view kTests = "tests[";

} // namespace

PlanTestsPanel::PlanTestsPanel(PlanDocument& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_model(new TestTableModel(this)), m_table(new QTableView(this)),
      m_title(new QLabel(this)), m_purpose(new QLabel(this)),
      m_arrivals(new PlanArrivalsPanel(document, this)), m_add(new QToolButton(this))
{
    // Before the form's own connection: it must know its row before it reads the matrix.
    connect(&document, &PlanDocument::changed, this, &PlanTestsPanel::refresh);
    connect(&document, &PlanDocument::replaced, this, [this] { select(0); });

    auto* menu = new QMenu(m_add);
    menu->setToolTipsVisible(true);
    for (const TestKind kind : kKinds) {
        QAction* add = menu->addAction(testKindTitle(kind), this, [this, kind] { addTest(kind); });
        add->setToolTip(testKindPurpose(kind));
    }
    m_add->setText(tr("A&dd test"));
    m_add->setIcon(icon(u"add"_s));
    m_add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_add->setPopupMode(QToolButton::InstantPopup);
    m_add->setFocusPolicy(Qt::StrongFocus);
    m_add->setMenu(menu);
    m_duplicate = action(u"duplicate"_s, tr("Duplicate test"), QKeySequence(Qt::CTRL | Qt::Key_D));
    m_up = action(u"up"_s, tr("Move test up"), QKeySequence(Qt::ALT | Qt::Key_Up));
    m_down = action(u"down"_s, tr("Move test down"), QKeySequence(Qt::ALT | Qt::Key_Down));
    m_remove = action(u"remove"_s, tr("Remove test"), QKeySequence(Qt::Key_Delete));
    connect(m_duplicate, &QAction::triggered, this, &PlanTestsPanel::duplicate);
    connect(m_up, &QAction::triggered, this, [this] { move(-1); });
    connect(m_down, &QAction::triggered, this, [this] { move(1); });
    connect(m_remove, &QAction::triggered, this, &PlanTestsPanel::remove);

    auto* heading = new QLabel(tr("&Tests"), this);
    QFont bold = heading->font();
    bold.setWeight(QFont::DemiBold);
    heading->setFont(bold);
    heading->setBuddy(m_table);
    auto* bar = new QHBoxLayout;
    bar->setSpacing(2);
    bar->addWidget(heading);
    bar->addStretch(1);
    auto* recommended = new QToolButton(this);
    recommended->setText(tr("Recommended"));
    recommended->setToolTip(
        tr("Take the recommended matrix: tests, workload and measurement that fit any engine, for "
           "the target that is set"));
    recommended->setAccessibleName(tr("Recommended matrix"));
    recommended->setFocusPolicy(Qt::StrongFocus);
    connect(recommended, &QToolButton::clicked, this, &PlanTestsPanel::recommendedRequested);
    bar->addWidget(recommended);
    bar->addWidget(m_add);
    for (QAction* each : {m_duplicate, m_up, m_down, m_remove}) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(each);
        button->setFocusPolicy(Qt::StrongFocus);
        bar->addWidget(button);
    }

    m_table->setModel(m_model);
    m_table->setItemDelegate(new PlanTestDelegate(m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->setAccessibleName(tr("Tests"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    QHeaderView* header = m_table->horizontalHeader();
    header->setHighlightSections(false);
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(48);
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(TestTableModel::VariesColumn, QHeaderView::Stretch);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->addActions({m_duplicate, m_up, m_down, m_remove});
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &PlanTestsPanel::showSelected);
    connect(m_model, &TestTableModel::enabledToggled, this, [this](int row, bool enabled) {
        m_document.edit(enabled ? tr("Enable a test") : tr("Disable a test"), {}, [&](Matrix& matrix) {
            matrix.tests[static_cast<std::size_t>(row)].enabled = enabled;
        });
    });

    auto* detail = new QWidget(this);
    auto* detailColumn = new QVBoxLayout(detail);
    detailColumn->setContentsMargins(0, 8, 8, 8);
    detailColumn->setSpacing(8);
    m_title->setFont(bold);
    m_purpose->setWordWrap(true);
    setRole(m_purpose, u"secondary"_s);
    m_form = new PlanTestForm(document, detail);
    detailColumn->addWidget(m_title);
    detailColumn->addWidget(m_purpose);
    detailColumn->addWidget(m_form);
    detailColumn->addWidget(m_arrivals);
    detailColumn->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(detail);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(bar);
    column->addWidget(m_table);
    column->addWidget(scroll, 1);
    connect(&document, &PlanDocument::changed, this, [this] { m_arrivals->showTest(currentRow()); });
    refresh();
    select(0);
    showSelected();
}

QAction* PlanTestsPanel::action(const QString& iconName, const QString& text, const QKeySequence& key)
{
    auto* made = new QAction(icon(iconName), text, this);
    made->setShortcut(key);
    made->setShortcutContext(Qt::WidgetShortcut); // in the table
    made->setToolTip(tr("%1 (%2)").arg(text, key.toString(QKeySequence::NativeText)));
    return made;
}

void PlanTestsPanel::setMeanTokens(std::optional<double> tokens)
{
    if (m_meanTokens == tokens)
        return;
    m_meanTokens = tokens;
    refresh();
}

void PlanTestsPanel::setLog(const std::shared_ptr<const RecordedTimes>& log)
{
    m_arrivals->setLog(log);
}

bool PlanTestsPanel::focusField(const std::string& path)
{
    if (!path.starts_with(kTests)) {
        if (path != "tests")
            return false;
        m_add->setFocus(Qt::OtherFocusReason);
        return true;
    }
    int row = -1;
    std::from_chars(path.data() + kTests.size(), path.data() + path.size(), row);
    if (row < 0 || row >= m_model->rowCount())
        return false;
    select(row);
    if (!m_form->focusField(path))
        m_table->setFocus(Qt::OtherFocusReason);
    return true;
}

int PlanTestsPanel::currentRow() const
{
    return m_table->currentIndex().row();
}

void PlanTestsPanel::select(int row)
{
    row = std::min(row, m_model->rowCount() - 1);
    if (row >= 0)
        m_table->setCurrentIndex(m_model->index(row, TestTableModel::TestColumn));
}

void PlanTestsPanel::addTest(TestKind kind)
{
    m_document.edit(tr("Add a test"), {}, [kind](Matrix& matrix) {
        Test test;
        test.kind = kind;
        matrix.tests.push_back(test);
    });
    select(m_model->rowCount() - 1);
    m_table->setFocus(Qt::OtherFocusReason);
}

void PlanTestsPanel::duplicate()
{
    const int row = currentRow();
    if (row < 0)
        return;
    m_document.edit(tr("Duplicate a test"), {}, [row](Matrix& matrix) {
        Test copy = matrix.tests[static_cast<std::size_t>(row)];
        if (!copy.name.empty())
            copy.name += PlanTestsPanel::tr(" copy").toStdString();
        matrix.tests.insert(matrix.tests.begin() + row + 1, copy);
    });
    select(row + 1);
}

void PlanTestsPanel::remove()
{
    const int row = currentRow();
    if (row < 0)
        return;
    m_document.edit(tr("Remove a test"), {},
                    [row](Matrix& matrix) { matrix.tests.erase(matrix.tests.begin() + row); });
    select(row);
}

void PlanTestsPanel::move(int by)
{
    const int row = currentRow();
    const int other = row + by;
    if (row < 0 || other < 0 || other >= m_model->rowCount())
        return;
    m_document.edit(tr("Move a test"), {}, [row, other](Matrix& matrix) {
        std::swap(matrix.tests[static_cast<std::size_t>(row)], matrix.tests[static_cast<std::size_t>(other)]);
    });
    select(other);
}

void PlanTestsPanel::refresh()
{
    m_model->setMatrix(m_document.matrix(), m_document.findings(), m_meanTokens);
    const int rows = std::clamp(m_model->rowCount(), kFewestRows, kMostRows);
    m_table->setFixedHeight(rows * kRowHeight + m_table->horizontalHeader()->sizeHint().height() + 4);
    if (currentRow() < 0)
        select(0);
    showSelected();
}

void PlanTestsPanel::showSelected()
{
    const int row = currentRow();
    const int count = m_model->rowCount();
    m_duplicate->setEnabled(row >= 0);
    m_remove->setEnabled(row >= 0);
    m_up->setEnabled(row > 0);
    m_down->setEnabled(row >= 0 && row + 1 < count);
    if (m_form) {
        m_form->setRow(row);
        m_form->setVisible(row >= 0);
    }
    const auto& tests = m_document.matrix().tests;
    const bool selected = row >= 0 && row < static_cast<int>(tests.size());
    m_title->setText(selected ? m_model->index(row, TestTableModel::TestColumn).data().toString()
                              : QString());
    m_title->setVisible(selected);
    m_purpose->setText(selected ? testKindPurpose(tests[static_cast<std::size_t>(row)].kind)
                                : tr("No test yet. A matrix usually has a fixed-shape diagnostic, a "
                                     "concurrency sweep, an arrival "
                                     "sweep and a burst."));
    m_arrivals->showTest(row);
}

} // namespace tailmark::ui
