// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/table_model.h"

#include <QAbstractListModel>
#include <QList>
#include <QTime>

namespace tailmark::ui {

/// What a run has told, oldest first. Keeps the last 2,000.
class EventListModel : public QAbstractListModel
{
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;

    void add(const QTime& at, const QString& text, Badge badge = Badge::None);
    void clear();

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    struct Event
    {
        QTime at;
        QString text;
        Badge badge;
    };
    QList<Event> m_events;
};

} // namespace tailmark::ui
