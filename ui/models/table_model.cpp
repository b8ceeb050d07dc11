// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/table_model.h"

#include "models/format.h"

#include <QRegularExpression>

namespace tailmark::ui {

void TableModel::setTable(const Table& table)
{
    const auto sameColumns = [&] {
        if (table.columns.size() != m_table.columns.size())
            return false;
        for (qsizetype i = 0; i < table.columns.size(); ++i)
            if (table.columns[i].title != m_table.columns[i].title)
                return false;
        return true;
    };
    if (!sameColumns() || table.rows.size() < m_table.rows.size() ||
        table.ids.first(std::min(table.ids.size(), m_table.ids.size())) != m_table.ids) {
        beginResetModel();
        m_table = table;
        endResetModel();
        return;
    }
    const int before = static_cast<int>(m_table.rows.size()), after = static_cast<int>(table.rows.size());
    if (after > before) {
        beginInsertRows({}, before, after - 1);
        m_table = table;
        endInsertRows();
    } else {
        m_table = table;
    }
    if (before > 0 && columnCount() > 0)
        emit dataChanged(index(0, 0), index(before - 1, columnCount() - 1));
}

int TableModel::idOf(int row) const
{
    return row >= 0 && row < m_table.ids.size() ? m_table.ids[row] : -1;
}

int TableModel::rowOf(int id) const
{
    return static_cast<int>(m_table.ids.indexOf(id));
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Cell& cell = m_table.rows[index.row()][index.column()];
    switch (role) {
    case Qt::DisplayRole:
        return cell.text;
    case Qt::ToolTipRole:
        return cell.toolTip.isEmpty() ? QVariant() : cell.toolTip;
    case Qt::TextAlignmentRole:
        return int(m_table.columns[index.column()].numeric ? Qt::AlignRight | Qt::AlignVCenter
                                                           : Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(m_table.columns[index.column()].title, cell.text);
    case SortRole:
        return cell.sort.isValid() ? cell.sort : QVariant(cell.text);
    case CopyRole:
        return cell.sort.typeId() == QMetaType::Double ? QVariant(formatEditable(cell.sort.toDouble()))
                                                       : QVariant(cell.text);
    case BadgeRole:
        return static_cast<int>(cell.badge);
    default:
        return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= m_table.columns.size())
        return {};
    const Column& column = m_table.columns[section];
    switch (role) {
    case Qt::DisplayRole:
        return column.title;
    case Qt::ToolTipRole:
        return column.toolTip.isEmpty() ? QVariant() : column.toolTip;
    case Qt::TextAlignmentRole:
        return int(column.numeric ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
    default:
        return {};
    }
}

QString toTsv(const QAbstractItemModel& model, const QList<int>& rows)
{
    static const QRegularExpression breaks(QStringLiteral("[\\t\\r\\n]+"));
    const auto clean = [](QString s) { return s.replace(breaks, QStringLiteral(" ")); };
    QString tsv;
    const int columns = model.columnCount();
    QStringList head;
    for (int c = 0; c < columns; ++c)
        head << clean(model.headerData(c, Qt::Horizontal).toString());
    tsv += head.join(QLatin1Char('\t')) + QLatin1Char('\n');
    for (int row : rows) {
        QStringList line;
        for (int c = 0; c < columns; ++c) {
            const QModelIndex cell = model.index(row, c);
            const QVariant copy = model.data(cell, CopyRole);
            line << clean((copy.isValid() ? copy : model.data(cell)).toString());
        }
        tsv += line.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    return tsv;
}

} // namespace tailmark::ui
