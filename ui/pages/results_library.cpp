// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/results_library.h"

#include "bridge/store_session.h"
#include "models/format.h"
#include "pages/baseline_actions.h"
#include "pages/message_bar.h"
#include "pages/results_edit_dialog.h"
#include "pages/table_view.h"
#include "style/theme.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace tailmark::ui {

namespace {

constexpr int kPad = 9;

} // namespace

void RunItemDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const ThemeColours& colours = themeColours(option.palette);
    const QRect box = option.rect.adjusted(2, 1, -2, -1);
    if (option.state & QStyle::State_Selected) {
        painter->setPen(option.state & QStyle::State_HasFocus ? QPen(colours.accent) : QPen(Qt::NoPen));
        painter->setBrush(colours.accentSoft);
        painter->drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    } else if (option.state & QStyle::State_MouseOver) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(colours.hover);
        painter->drawRoundedRect(box, 4, 4);
    }
    const QRect inner = box.adjusted(kPad, 5, -kPad, -5);
    QFont bold = option.font, small = option.font;
    bold.setWeight(QFont::DemiBold);
    small.setPointSizeF(small.pointSizeF() * 0.9);
    const QFontMetrics boldMetrics(bold), smallMetrics(small);
    const QString state = index.data(RunLibraryModel::StateTextRole).toString();
    const int stateWidth = smallMetrics.horizontalAdvance(state);
    const int line = boldMetrics.height();
    painter->setFont(bold);
    painter->setPen(option.palette.color(QPalette::Text));
    // Names of runs that belong together often differ at their end only.
    painter->drawText(QRect(inner.left(), inner.top(), inner.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                      boldMetrics.elidedText(index.data().toString(), Qt::ElideMiddle, inner.width()));
    painter->setFont(small);
    const auto below = [&](int row, const QString& words, int width) {
        painter->drawText(QRect(inner.left(), inner.top() + line + 2 + row * (smallMetrics.height() + 1),
                                width, smallMetrics.height()),
                          Qt::AlignLeft | Qt::AlignVCenter,
                          smallMetrics.elidedText(words, Qt::ElideRight, width));
    };
    painter->setPen(colours.secondary);
    below(0, index.data(RunLibraryModel::DetailsRole).toString(), inner.width());
    QStringList last{index.data(RunLibraryModel::StartedRole).toString()};
    if (const QStringList names = index.data(RunLibraryModel::BaselinesRole).toStringList(); !names.isEmpty())
        last << RunLibrary::tr("baseline %1").arg(names.join(QStringLiteral(", ")));
    for (const QString& tag : index.data(RunLibraryModel::TagsRole).toStringList())
        last << QLatin1Char('#') + tag;
    below(1, last.join(QStringLiteral("  ")), inner.width() - stateWidth - 8);
    painter->setPen(badgeColor(static_cast<Badge>(index.data(BadgeRole).toInt()), option.palette));
    painter->drawText(QRect(inner.right() - stateWidth, inner.top() + line + 3 + smallMetrics.height(),
                            stateWidth + 1, smallMetrics.height()),
                      Qt::AlignRight | Qt::AlignVCenter, state);
    painter->restore();
}

QSize RunItemDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const
{
    return {160, option.fontMetrics.height() * 3 + 14};
}

void RunItemDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                           const QModelIndex&) const
{
    editor->setGeometry(
        option.rect.adjusted(4, 2, -4, 0)
            .intersected(
                QRect(option.rect.topLeft(), QSize(option.rect.width(), option.fontMetrics.height() + 16))));
}

RunLibrary::RunLibrary(StoreSession* store, QWidget* parent)
    : QWidget(parent), m_store(store), m_model(new RunLibraryModel(this)),
      m_filtered(new RunFilterModel(this)), m_filter(new QLineEdit(this)), m_order(new QComboBox(this)),
      m_list(new QListView(this)), m_message(new MessageBar(MessageBar::Stay::AWhile, this))
{
    m_filtered->setSourceModel(m_model);
    m_filter->setPlaceholderText(tr("Filter runs"));
    m_filter->setAccessibleName(tr("Filter runs"));
    m_filter->setToolTip(tr("Words in name, target, engine, model, tags, note or state"));
    m_filter->setClearButtonEnabled(true);
    m_order->setAccessibleName(tr("Order of runs"));
    m_order->addItems({tr("Newest"), tr("Oldest"), tr("Name"), tr("Engine"), tr("Model")});
    m_list->setModel(m_filtered);
    m_list->setItemDelegate(new RunItemDelegate(m_list));
    m_list->setAccessibleName(tr("Stored runs"));
    m_list->setUniformItemSizes(true);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->setMouseTracking(true);

    auto* top = new QHBoxLayout;
    top->setSpacing(6);
    top->addWidget(m_filter, 1);
    top->addWidget(m_order);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(top);
    column->addWidget(m_list, 1);
    column->addWidget(m_message);

    connect(m_filter, &QLineEdit::textChanged, m_filtered, &RunFilterModel::setFilterText);
    connect(m_order, &QComboBox::currentIndexChanged, this,
            [this](int order) { m_filtered->setOrder(static_cast<RunFilterModel::Order>(order)); });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
        if (const RunId run = current(); run.value != 0)
            emit runOpened(run);
    });
    // A click beside the runs clears the selection, though the open run stays open.
    connect(m_list->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const QModelIndex open = m_list->currentIndex();
        if (open.isValid() && !m_list->selectionModel()->hasSelection())
            m_list->selectionModel()->select(open, QItemSelectionModel::Select);
    });
    connect(m_list, &QListView::customContextMenuRequested, this, &RunLibrary::showMenu);
    connect(m_model, &RunLibraryModel::renameRequested, m_store, &StoreSession::renameRun);
    connect(m_store, &StoreSession::runsChanged, this, &RunLibrary::showRuns);
    connect(m_store, &StoreSession::databaseReplaced, this, [this] {
        m_wanted = {}; // the numbers may mean other runs now
        m_model->setRuns(std::make_shared<const std::vector<RunInfo>>());
        emit runOpened({});
    });
    connect(m_store, &StoreSession::failed, this, [this](RequestNumber request, const QString& message) {
        if (request == 0)
            m_message->show(MessageBar::Kind::Error, message);
    });
    showRuns();
}

RunId RunLibrary::current() const
{
    const QModelIndex index = m_list->currentIndex();
    return {index.isValid() ? index.data(RunLibraryModel::IdRole).toLongLong() : 0};
}

void RunLibrary::showRuns()
{
    const RunId before = current();
    m_model->setRuns(m_store->runs(), m_store->baselines());
    RunId want = m_wanted.value != 0 && m_model->run(m_wanted) ? m_wanted : before;
    if (!m_model->run(want) && m_model->rowCount() > 0)
        want = m_store->runs()->front().id;
    if (want == m_wanted)
        m_wanted = {};
    const QModelIndex at = m_filtered->mapFromSource(m_model->indexOf(want));
    if (at.isValid() && want != current())
        m_list->setCurrentIndex(at);
    if (m_model->rowCount() == 0 && before.value != 0)
        emit runOpened({});
}

void RunLibrary::select(RunId run)
{
    m_wanted = run;
    showRuns();
}

void RunLibrary::renameCurrent()
{
    if (m_list->currentIndex().isValid())
        m_list->edit(m_list->currentIndex());
}

void RunLibrary::editCurrent()
{
    const RunInfo* run = m_model->run(current());
    if (!run)
        return;
    const RunId id = run->id;
    auto* dialog = new RunEditDialog(*run, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, id, dialog] {
        m_store->renameRun(id, dialog->name());
        m_store->setTags(id, dialog->tags());
        m_store->setNote(id, dialog->note());
    });
    dialog->open();
}

void RunLibrary::deleteCurrent()
{
    const RunInfo* run = m_model->run(current());
    if (!run)
        return;
    if (run->state == RunState::Running) {
        m_message->show(MessageBar::Kind::Error,
                        tr("A run that goes on cannot be deleted. Stop it on the Run page first."));
        return;
    }
    const RunId id = run->id;
    m_store->deleteRun(id);
    m_message->show(MessageBar::Kind::Info, tr("Deleted “%1”").arg(text(run->name)), tr("Undo"), [this, id] {
        m_store->undeleteRun(id);
        m_wanted = id;
    });
}

void RunLibrary::showMenu(const QPoint& at)
{
    if (!m_list->indexAt(at).isValid())
        return;
    QMenu menu(this);
    menu.addAction(tr("Rename"), QKeySequence(Qt::Key_F2), this, &RunLibrary::renameCurrent);
    menu.addAction(tr("Name, tags and note…"), this, &RunLibrary::editCurrent);
    menu.addAction(tr("Compare with…"), this, [this] { emit compareRequested(current(), {}); });
    menu.addSeparator();
    addBaselineActions(menu, *m_store, current(), this,
                       [this](RunId baseline) { emit compareRequested(baseline, current()); });
    menu.addSeparator();
    menu.addAction(tr("Delete"), QKeySequence(Qt::Key_Delete), this, &RunLibrary::deleteCurrent);
    menu.exec(m_list->viewport()->mapToGlobal(at));
}

void RunLibrary::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Delete && m_list->hasFocus())
        deleteCurrent();
    else if (event->matches(QKeySequence::Undo) && !m_message->isHidden() && m_message->button()->isVisible())
        m_message->button()->click();
    else
        QWidget::keyPressEvent(event);
}

} // namespace tailmark::ui
