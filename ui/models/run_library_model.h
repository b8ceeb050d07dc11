// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bridge/store_session.h"
#include "models/table_model.h"

#include <QAbstractListModel>
#include <QSortFilterProxyModel>

namespace tailmark::ui {

/// The library of runs. Editing a row's text asks for a new name by renameRequested(); the list changes when
/// the store has.
class RunLibraryModel : public QAbstractListModel
{
    Q_OBJECT

public:
    enum Role {
        IdRole = BadgeRole + 1, ///< qint64
        StateTextRole,
        DetailsRole, ///< engine, model, points: the second line
        StartedRole, ///< local date and time, for display
        TagsRole,    ///< QStringList
        FilterRole,  ///< all that can be searched for
        EngineRole,
        ModelRole,
        SortableStartRole, ///< ISO 8601
        BaselinesRole,     ///< QStringList: the names under which it is kept as a baseline
    };

    using QAbstractListModel::QAbstractListModel;

    void setRuns(const RunListPtr& runs, const Baselines& baselines = {});
    const RunInfo* run(RunId id) const;
    QModelIndex indexOf(RunId id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

signals:
    void renameRequested(tailmark::RunId run, const QString& name);

private:
    RunListPtr m_runs;
    Baselines m_baselines;
};

/// Runs whose text holds every word of the filter, by date, name, engine or model.
class RunFilterModel : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    enum class Order { Newest, Oldest, Name, Engine, Model };

    explicit RunFilterModel(QObject* parent = nullptr);
    void setFilterText(const QString& text);
    void setOrder(Order order);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList m_words;
};

/// "running", "done"… in the user's words, and how it stands out.
QString runStateName(RunState state);
Badge runStateBadge(RunState state);

} // namespace tailmark::ui
