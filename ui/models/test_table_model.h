// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/estimate.h"
#include "plan/matrix.h"
#include "plan/validate.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace tailmark::ui {

/// What a kind of test is called, and what it varies, in the user's language.
QString testKindTitle(TestKind kind);
QString testKindPurpose(TestKind kind);
/// What a test varies and over which levels: "concurrency 1, 2, 4 … 96".
QString testLevelsText(const Test& test);

/// The tests of a matrix, one a row. Reads only: a click on the check box is told by enabledToggled(), and
/// the row changes when the matrix that comes back has changed.
class TestTableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { TestColumn, VariesColumn, RequestsColumn, TokensColumn, TimeColumn, ColumnCount };
    enum Role {
        SeverityRole = Qt::UserRole + 1, ///< the worst finding about the test: 2 an error, 1 a remark, 0 none
        EnabledRole,
    };

    explicit TestTableModel(QObject* parent = nullptr);

    /// `meanTokens`: prompt + output tokens of a mean request of the workload, where known.
    void setMatrix(const Matrix& matrix, const std::vector<Finding>& findings,
                   std::optional<double> meanTokens);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    void enabledToggled(int row, bool enabled);

private:
    struct Row
    {
        Test test;
        QString name;
        std::optional<TestEstimate> estimate;
        std::optional<double> meanTokens;
        int severity = 0;
        QString findings;
        bool operator==(const Row&) const = default;
    };
    QString text(const Row& row, int column) const;
    QString toolTip(const Row& row, int column) const;

    std::vector<Row> m_rows;
};

} // namespace tailmark::ui
