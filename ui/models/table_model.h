// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QList>
#include <QString>
#include <QVariant>

namespace tailmark::ui {

/// How a cell stands out; always together with a word in it.
enum class Badge { None, Good, Warning, Bad, Neutral, Active };

enum TableRole {
    SortRole = Qt::UserRole, ///< a number, or the text
    CopyRole,                ///< for TSV: the number in full, without grouping
    BadgeRole,               ///< int of Badge
};

struct Cell
{
    QString text;
    QVariant sort; ///< unset: the text
    QString toolTip;
    Badge badge = Badge::None;
};

struct Column
{
    QString title;
    QString toolTip;
    bool numeric = false;
};

/// A table as a value: what the builders in tables.h make of core's values, and a view, a screen reader or
/// the clipboard read.
struct Table
{
    QList<Column> columns;
    QList<QList<Cell>> rows;
    QList<int> ids; ///< one a row, or none: what the row stands for (the index of a point)
};

/// Shows a Table. New content of the same shape changes cells in place, so that selection and scroll position
/// stay.
class TableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setTable(const Table& table);
    const Table& table() const { return m_table; }
    /// -1 where the row stands for nothing.
    int idOf(int row) const;
    int rowOf(int id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    Table m_table;
};

/// Head and rows, tab-separated, "\n" after each; tabs and line breaks in cells become spaces.
QString toTsv(const QAbstractItemModel& model, const QList<int>& rows);

} // namespace tailmark::ui
