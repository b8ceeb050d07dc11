// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/event_list_model.h"

#include <QLocale>

namespace tailmark::ui {

namespace {

constexpr int kKept = 2000;

} // namespace

void EventListModel::add(const QTime& at, const QString& text, Badge badge)
{
    if (m_events.size() >= kKept) {
        beginRemoveRows({}, 0, 0);
        m_events.removeFirst();
        endRemoveRows();
    }
    const int row = static_cast<int>(m_events.size());
    beginInsertRows({}, row, row);
    m_events.append({at, text, badge});
    endInsertRows();
}

void EventListModel::clear()
{
    beginResetModel();
    m_events.clear();
    endResetModel();
}

int EventListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_events.size());
}

QVariant EventListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Event& event = m_events[index.row()];
    switch (role) {
    case Qt::DisplayRole:
        return QStringLiteral("%1  %2").arg(QLocale().toString(event.at, QStringLiteral("HH:mm:ss")),
                                            event.text);
    case Qt::ToolTipRole:
        return event.text;
    case BadgeRole:
        return static_cast<int>(event.badge);
    default:
        return {};
    }
}

} // namespace tailmark::ui
