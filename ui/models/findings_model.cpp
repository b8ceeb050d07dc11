// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/findings_model.h"

#include <algorithm>

namespace tailmark::ui {

namespace {

bool isError(const Finding& finding)
{
    return finding.severity == Finding::Severity::Error;
}

} // namespace

FindingsModel::FindingsModel(QObject* parent) : QAbstractListModel(parent) {}

void FindingsModel::setFindings(const std::vector<Finding>& findings)
{
    beginResetModel();
    m_findings = findings;
    std::stable_partition(m_findings.begin(), m_findings.end(), isError);
    endResetModel();
}

int FindingsModel::errorCount() const
{
    return static_cast<int>(std::count_if(m_findings.begin(), m_findings.end(), isError));
}

int FindingsModel::remarkCount() const
{
    return static_cast<int>(m_findings.size()) - errorCount();
}

int FindingsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_findings.size());
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Finding& finding = m_findings[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return tr("%1: %2").arg(QString::fromStdString(finding.path),
                                QString::fromStdString(finding.message));
    case Qt::AccessibleTextRole:
        return (isError(finding) ? tr("Error. %1") : tr("Remark. %1"))
            .arg(QString::fromStdString(finding.message));
    case Qt::ToolTipRole:
        return tr("Go to the field");
    case PathRole:
        return QString::fromStdString(finding.path);
    case IsErrorRole:
        return isError(finding);
    default:
        return {};
    }
}

} // namespace tailmark::ui
