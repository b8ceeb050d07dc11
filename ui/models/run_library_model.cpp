// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/run_library_model.h"

#include "models/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace tailmark::ui {

QString runStateName(RunState state)
{
    const auto tr = [](const char* s) { return QCoreApplication::translate("RunState", s); };
    switch (state) {
    case RunState::Running:
        return tr("running");
    case RunState::Done:
        return tr("done");
    case RunState::Cancelled:
        return tr("cancelled");
    case RunState::Failed:
        return tr("failed");
    case RunState::Interrupted:
        return tr("interrupted");
    }
    return {};
}

Badge runStateBadge(RunState state)
{
    switch (state) {
    case RunState::Running:
        return Badge::Active;
    case RunState::Done:
        return Badge::Good;
    case RunState::Cancelled:
        return Badge::Neutral;
    case RunState::Failed:
        return Badge::Bad;
    case RunState::Interrupted:
        return Badge::Warning;
    }
    return Badge::None;
}

void RunLibraryModel::setRuns(const RunListPtr& runs, const Baselines& baselines)
{
    m_baselines = baselines;
    // The same runs in the same order (a rename, a run that goes on): the selection must stay.
    const auto sameIds =
        m_runs && std::equal(m_runs->begin(), m_runs->end(), runs->begin(), runs->end(),
                             [](const RunInfo& a, const RunInfo& b) { return a.id == b.id; });
    if (sameIds) {
        m_runs = runs;
        if (!m_runs->empty())
            emit dataChanged(index(0), index(rowCount() - 1));
        return;
    }
    beginResetModel();
    m_runs = runs;
    endResetModel();
}

const RunInfo* RunLibraryModel::run(RunId id) const
{
    const QModelIndex at = indexOf(id);
    return at.isValid() ? &(*m_runs)[static_cast<std::size_t>(at.row())] : nullptr;
}

QModelIndex RunLibraryModel::indexOf(RunId id) const
{
    for (int row = 0; row < rowCount(); ++row)
        if ((*m_runs)[static_cast<std::size_t>(row)].id == id)
            return index(row);
    return {};
}

int RunLibraryModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_runs ? 0 : static_cast<int>(m_runs->size());
}

QVariant RunLibraryModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const RunInfo& r = (*m_runs)[static_cast<std::size_t>(index.row())];
    const auto details = [&] {
        QStringList parts;
        for (const std::string* part : {&r.engine, &r.model})
            if (!part->empty())
                parts << text(*part);
        parts << tr("%1 of %2 points").arg(r.pointsDone).arg(r.pointsPlanned);
        return parts.join(QStringLiteral(" · "));
    };
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        return text(r.name);
    case Qt::ToolTipRole: {
        QStringList lines{text(r.name), text(r.target), details(),
                          tr("Started %1").arg(formatInstant(r.startedAt))};
        if (const QStringList names = baselinesOf(m_baselines, r.id); !names.isEmpty())
            lines << tr("Baseline %1").arg(names.join(QStringLiteral(", ")));
        if (!r.note.empty())
            lines << text(r.note);
        lines.removeAll(QString());
        return lines.join(QLatin1Char('\n'));
    }
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1, %2, %3, %4")
            .arg(text(r.name), runStateName(r.state), details(), formatInstant(r.startedAt));
    case BadgeRole:
        return static_cast<int>(runStateBadge(r.state));
    case IdRole:
        return static_cast<qint64>(r.id.value);
    case StateTextRole:
        return runStateName(r.state);
    case DetailsRole:
        return details();
    case StartedRole:
        return formatInstant(r.startedAt);
    case TagsRole: {
        QStringList tags;
        for (const std::string& tag : r.tags)
            tags << text(tag);
        return tags;
    }
    case FilterRole: {
        QStringList all{text(r.name), text(r.target),        text(r.engine),   text(r.model),
                        text(r.note), runStateName(r.state), text(r.startedAt)};
        for (const std::string& tag : r.tags)
            all << text(tag);
        all << baselinesOf(m_baselines, r.id);
        return all.join(QLatin1Char('\n'));
    }
    case EngineRole:
        return text(r.engine);
    case ModelRole:
        return text(r.model);
    case BaselinesRole:
        return baselinesOf(m_baselines, r.id);
    case SortableStartRole:
        return text(r.startedAt);
    default:
        return {};
    }
}

bool RunLibraryModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::EditRole)
        return false;
    const QString name = value.toString().trimmed();
    const RunInfo& r = (*m_runs)[static_cast<std::size_t>(index.row())];
    if (name.isEmpty() || name == text(r.name))
        return false;
    emit renameRequested(r.id, name);
    return true;
}

Qt::ItemFlags RunLibraryModel::flags(const QModelIndex& index) const
{
    return QAbstractListModel::flags(index) | (index.isValid() ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

RunFilterModel::RunFilterModel(QObject* parent) : QSortFilterProxyModel(parent)
{
    setSortCaseSensitivity(Qt::CaseInsensitive);
    setSortLocaleAware(true);
    setOrder(Order::Newest);
}

void RunFilterModel::setFilterText(const QString& filter)
{
    m_words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

void RunFilterModel::setOrder(Order order)
{
    switch (order) {
    case Order::Newest:
    case Order::Oldest:
        setSortRole(RunLibraryModel::SortableStartRole);
        break;
    case Order::Name:
        setSortRole(Qt::DisplayRole);
        break;
    case Order::Engine:
        setSortRole(RunLibraryModel::EngineRole);
        break;
    case Order::Model:
        setSortRole(RunLibraryModel::ModelRole);
        break;
    }
    sort(0, order == Order::Newest ? Qt::DescendingOrder : Qt::AscendingOrder);
}

bool RunFilterModel::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    if (m_words.isEmpty())
        return true;
    const QString all = sourceModel()->index(row, 0, parent).data(RunLibraryModel::FilterRole).toString();
    return std::all_of(m_words.begin(), m_words.end(),
                       [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

} // namespace tailmark::ui
