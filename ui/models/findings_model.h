// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/validate.h"

#include <QAbstractListModel>

#include <vector>

namespace tailmark::ui {

/// What there is to say about the matrix, errors first.
class FindingsModel : public QAbstractListModel
{
    Q_OBJECT

public:
    enum Role {
        PathRole = Qt::UserRole + 1, ///< key path of the value ("tests[1].cv")
        IsErrorRole,
    };

    explicit FindingsModel(QObject* parent = nullptr);

    void setFindings(const std::vector<Finding>& findings);
    int errorCount() const;
    int remarkCount() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<Finding> m_findings;
};

} // namespace tailmark::ui
