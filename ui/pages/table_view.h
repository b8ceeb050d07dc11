// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/table_model.h"

#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTableView>

class QSortFilterProxyModel;

namespace tailmark::ui {

/// Draws a cell that stands out as a word in the colour of its badge.
class BadgeDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

QColor badgeColor(Badge badge, const QPalette& palette);

/// Column heads with their unit on a second line, so that the figures and not the words set the width.
class HeadView : public QHeaderView
{
    Q_OBJECT

public:
    explicit HeadView(QWidget* parent = nullptr);

protected:
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;
    QSize sectionSizeFromContents(int section) const override;

private:
    static QString broken(const QString& title);
};

/// A sortable read-only table over a TableModel; Ctrl+C and the context menu copy the selected rows, or all,
/// as TSV.
class TableView : public QTableView
{
    Q_OBJECT

public:
    explicit TableView(QWidget* parent = nullptr);

    /// Keeps sort order, selection and column widths while the shape stays.
    void setTable(const Table& table);
    const TableModel& tableModel() const { return *m_model; }
    /// Selects the row with this id without a signal.
    void selectId(int id);

public slots:
    void copyTsv() const;

signals:
    void idSelected(int id);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    TableModel* m_model;
    QSortFilterProxyModel* m_sorted;
    bool m_quiet = false;
};

} // namespace tailmark::ui
