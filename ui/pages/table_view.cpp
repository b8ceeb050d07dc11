// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/table_view.h"

#include "style/theme.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>

#include <algorithm>

namespace tailmark::ui {

namespace {

constexpr int kHeadPadding = 8; // as the style sheet has it

} // namespace

QColor badgeColor(Badge badge, const QPalette& palette)
{
    const ThemeColours& colours = themeColours(palette);
    switch (badge) {
    case Badge::Good:
        return colours.ok;
    case Badge::Warning:
        return colours.warning;
    case Badge::Bad:
        return colours.error;
    case Badge::Active:
        return colours.accent;
    case Badge::Neutral:
        return colours.secondary;
    case Badge::None:
        break;
    }
    return palette.color(QPalette::Text);
}

void BadgeDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const auto badge = static_cast<Badge>(index.data(BadgeRole).toInt());
    if (badge == Badge::None)
        return;
    const QColor color = badgeColor(badge, option->palette);
    option->palette.setColor(QPalette::Text, color);
    option->palette.setColor(QPalette::HighlightedText, color);
}

HeadView::HeadView(QWidget* parent) : QHeaderView(Qt::Horizontal, parent)
{
    setSectionsClickable(true);
    setHighlightSections(false);
    setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

QString HeadView::broken(const QString& title)
{
    const qsizetype unit = title.lastIndexOf(QStringLiteral(" ["));
    return unit < 0 ? title : title.left(unit) + QLatin1Char('\n') + title.mid(unit + 1);
}

void HeadView::initStyleOptionForIndex(QStyleOptionHeader* option, int section) const
{
    QHeaderView::initStyleOptionForIndex(option, section);
    option->text = broken(option->text);
    // As a letter of the head: the style would draw its arrow over the end of a title at the right.
    if (option->sortIndicator != QStyleOptionHeader::None) {
        option->text += option->sortIndicator == QStyleOptionHeader::SortDown ? QStringLiteral(" ▾")
                                                                              : QStringLiteral(" ▴");
        option->sortIndicator = QStyleOptionHeader::None;
    }
}

QSize HeadView::sectionSizeFromContents(int section) const
{
    const QString title = model()->headerData(section, orientation()).toString();
    const QFontMetrics metrics(font());
    const QSize whole = metrics.size(0, title), two = metrics.size(0, broken(title));
    const int height = QHeaderView::sectionSizeFromContents(section).height() + two.height() - whole.height();
    return {two.width() + metrics.horizontalAdvance(QStringLiteral(" ▾")) + 2 * kHeadPadding, height};
}

TableView::TableView(QWidget* parent)
    : QTableView(parent), m_model(new TableModel(this)), m_sorted(new QSortFilterProxyModel(this))
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(SortRole);
    setHorizontalHeader(new HeadView(this));
    setModel(m_sorted);
    setItemDelegate(new BadgeDelegate(this));
    setSelectionBehavior(SelectRows);
    setEditTriggers(NoEditTriggers);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    setAlternatingRowColors(true);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setSortingEnabled(true);
    sortByColumn(-1, Qt::AscendingOrder);
}

void TableView::setTable(const Table& table)
{
    const int before = m_model->columnCount();
    QStringList heads;
    for (int c = 0; c < before; ++c)
        heads << m_model->headerData(c, Qt::Horizontal).toString();
    const int id = m_model->idOf(m_sorted->mapToSource(currentIndex()).row());
    {
        const QScopedValueRollback quiet(m_quiet, true);
        m_model->setTable(table);
        if (id >= 0)
            selectId(id);
    }
    bool sameHeads = before == m_model->columnCount();
    for (int c = 0; sameHeads && c < before; ++c)
        sameHeads = heads[c] == m_model->headerData(c, Qt::Horizontal).toString();
    if (!sameHeads || m_model->rowCount() > 0)
        resizeColumnsToContents();
}

void TableView::selectId(int id)
{
    const QScopedValueRollback quiet(m_quiet, true);
    const int row = m_model->rowOf(id);
    if (row < 0)
        clearSelection();
    else
        selectRow(m_sorted->mapFromSource(m_model->index(row, 0)).row());
}

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    const int id = m_model->idOf(m_sorted->mapToSource(current).row());
    if (!m_quiet && id >= 0 && current.row() != previous.row())
        emit idSelected(id);
}

void TableView::copyTsv() const
{
    QList<int> rows;
    for (const QModelIndex& index : selectionModel()->selectedRows())
        rows << index.row();
    if (rows.size() <= 1) { // one row is where the cursor stands, not a choice
        rows.clear();
        for (int row = 0; row < m_sorted->rowCount(); ++row)
            rows << row;
    }
    std::sort(rows.begin(), rows.end());
    QGuiApplication::clipboard()->setText(toTsv(*m_sorted, rows));
}

void TableView::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    QAction* copy =
        menu.addAction(selectionModel()->selectedRows().size() > 1 ? tr("Copy selected rows as TSV")
                                                                   : tr("Copy table as TSV"),
                       this, &TableView::copyTsv);
    copy->setShortcut(QKeySequence::Copy);
    menu.exec(event->globalPos());
}

void TableView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) {
        copyTsv();
        return;
    }
    QTableView::keyPressEvent(event);
}

} // namespace tailmark::ui
