// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/test_table_model.h"

#include "models/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("tailmark::ui::TestTableModel", text);
}

template <typename T> QString shortList(const std::vector<T>& values)
{
    const auto text = [](T value) { return formatEditable(static_cast<double>(value)); };
    QStringList parts;
    const std::size_t shown = values.size() <= 5 ? values.size() : 3;
    for (std::size_t i = 0; i < shown; ++i)
        parts << text(values[i]);
    QString list = parts.join(u", "_s);
    if (shown < values.size())
        list += u" … "_s + text(values.back());
    return list;
}

} // namespace

QString testKindTitle(TestKind kind)
{
    switch (kind) {
    case TestKind::FixedShape:
        return translated("Fixed shape");
    case TestKind::ConcurrencySweep:
        return translated("Concurrency sweep");
    case TestKind::ArrivalSweep:
        return translated("Arrival sweep");
    case TestKind::BurstRecovery:
        return translated("Burst and recovery");
    case TestKind::ColdStart:
        return translated("Cold start");
    }
    return {};
}

QString testKindPurpose(TestKind kind)
{
    switch (kind) {
    case TestKind::FixedShape:
        return translated(
            "Requests of one length, one load: a diagnostic that compares a kernel or one setting.");
    case TestKind::ConcurrencySweep:
        return translated(
            "Closed loop: a fixed number of users, each waiting for the answer before asking again.");
    case TestKind::ArrivalSweep:
        return translated("Open loop: requests arrive on a schedule of their own, whether or not earlier "
                          "ones are answered.");
    case TestKind::BurstRecovery:
        return translated("Open loop: a steady rate, a burst above capacity, then the steady rate until the "
                          "backlog is gone.");
    case TestKind::ColdStart:
        return translated("From nobody there to steady: until the target is ready, until its first token, and request "
                          "by request until TTFT has settled. Always the first test of a run.");
    }
    return {};
}

QString testLevelsText(const Test& test)
{
    switch (test.kind) {
    case TestKind::FixedShape:
        return translated("nothing: %1 → %2 tokens, concurrency %3")
            .arg(test.promptTokens)
            .arg(test.outputTokens)
            .arg(test.concurrency);
    case TestKind::ConcurrencySweep:
        return translated("concurrency %1").arg(shortList(test.levels));
    case TestKind::ArrivalSweep:
        return translated("rate %1 /s").arg(shortList(test.ratesPerS));
    case TestKind::BurstRecovery:
        return translated("rate %1 → %2 → %1 /s")
            .arg(formatEditable(test.baseRatePerS), formatEditable(test.burstRatePerS));
    case TestKind::ColdStart:
        return translated("nothing: %1 requests one after another").arg(test.requests);
    }
    return {};
}

TestTableModel::TestTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TestTableModel::setMatrix(const Matrix& matrix, const std::vector<Finding>& findings,
                               std::optional<double> meanTokens)
{
    const std::vector<std::string> names = testNames(matrix.tests);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < matrix.tests.size(); ++i) {
        Row row;
        row.test = matrix.tests[i];
        row.name =
            row.test.name.empty() ? testKindTitle(row.test.kind) : QString::fromStdString(row.test.name);
        if (const std::string kind = testKindId(row.test.kind); row.test.name.empty() && names[i] != kind)
            row.name += u' ' + QString::fromStdString(names[i].substr(kind.size())); // " #2"
        if (const Result<TestEstimate> estimate = estimateTest(matrix, static_cast<int>(i)); estimate.ok())
            row.estimate = estimate.value();
        row.meanTokens = row.test.kind == TestKind::FixedShape ? row.test.promptTokens + row.test.outputTokens
                                                               : meanTokens;
        const std::string path = "tests[" + std::to_string(i) + "]";
        QStringList texts;
        for (const Finding& finding : findings) {
            if (!finding.path.starts_with(path))
                continue;
            row.severity = std::max(row.severity, finding.severity == Finding::Severity::Error ? 2 : 1);
            texts << QString::fromStdString(finding.message);
        }
        row.findings = texts.join(u'\n');
        rows.push_back(std::move(row));
    }

    // Keep what stayed at its place, so that the selection and the focus of the view survive an edit.
    const std::size_t before = m_rows.size();
    const std::size_t now = rows.size();
    if (before != now) {
        std::size_t same = 0;
        while (same < std::min(before, now) && m_rows[same].test == rows[same].test)
            ++same;
        if (now > before) {
            const std::size_t added = now - before;
            beginInsertRows({}, static_cast<int>(same), static_cast<int>(same + added - 1));
            m_rows.insert(m_rows.begin() + static_cast<std::ptrdiff_t>(same), added, Row{});
        } else {
            const std::size_t removed = before - now;
            beginRemoveRows({}, static_cast<int>(same), static_cast<int>(same + removed - 1));
            const auto first = m_rows.begin() + static_cast<std::ptrdiff_t>(same);
            m_rows.erase(first, first + static_cast<std::ptrdiff_t>(removed));
        }
        std::swap(m_rows, rows);
        if (now > before)
            endInsertRows();
        else
            endRemoveRows();
    } else {
        if (m_rows == rows)
            return;
        std::swap(m_rows, rows);
    }
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(static_cast<int>(m_rows.size()) - 1, ColumnCount - 1));
}

int TestTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TestTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString TestTableModel::text(const Row& row, int column) const
{
    const QString unknown = u"–"_s;
    switch (column) {
    case TestColumn:
        return row.name;
    case VariesColumn:
        return testLevelsText(row.test);
    case RequestsColumn:
        return row.estimate && row.estimate->requests ? formatEstimate(*row.estimate->requests) : unknown;
    case TokensColumn:
        return row.estimate && row.estimate->requests && row.meanTokens
                   ? formatEstimate(*row.estimate->requests * *row.meanTokens)
                   : unknown;
    case TimeColumn:
        return row.estimate ? formatDuration(row.estimate->seconds) : unknown;
    default:
        return {};
    }
}

QString TestTableModel::toolTip(const Row& row, int column) const
{
    if (!row.findings.isEmpty())
        return row.findings;
    const bool closed = row.test.kind == TestKind::FixedShape || row.test.kind == TestKind::ConcurrencySweep ||
                        row.test.kind == TestKind::ColdStart;
    if ((column == RequestsColumn || column == TokensColumn) && closed)
        return tr("A closed loop sends as fast as the engine answers; the number is known after the run.");
    if (column == TimeColumn && row.estimate)
        return tr("%n point(s): warm-up, window and cool-down of each", nullptr, row.estimate->points);
    return testKindPurpose(row.test.kind);
}

QVariant TestTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return toolTip(row, index.column());
    case Qt::CheckStateRole:
        if (index.column() == TestColumn)
            return row.test.enabled ? Qt::Checked : Qt::Unchecked;
        return {};
    case Qt::TextAlignmentRole:
        if (index.column() >= RequestsColumn)
            return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    case Qt::AccessibleTextRole:
        return row.test.enabled ? text(row, index.column())
                                : tr("%1, disabled").arg(text(row, index.column()));
    case SeverityRole:
        return row.severity;
    case EnabledRole:
        return row.test.enabled;
    default:
        return {};
    }
}

QVariant TestTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section >= RequestsColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        if (section == RequestsColumn)
            return tr("Expected number of requests, all points and repeats; fixed beforehand for open-loop "
                      "tests only");
        if (section == TokensColumn)
            return tr("Expected prompt and output tokens of these requests together");
        if (section == TimeColumn)
            return tr("Warm-up, window and cool-down of all points");
        return {};
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case TestColumn:
        return tr("Test");
    case VariesColumn:
        return tr("Varies");
    case RequestsColumn:
        return tr("Requests");
    case TokensColumn:
        return tr("Tokens");
    case TimeColumn:
        return tr("Time");
    default:
        return {};
    }
}

Qt::ItemFlags TestTableModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == TestColumn)
        flags |= Qt::ItemIsUserCheckable;
    return flags;
}

bool TestTableModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || role != Qt::CheckStateRole ||
        index.column() != TestColumn)
        return false;
    emit enabledToggled(index.row(), value.toInt() == Qt::Checked);
    return true;
}

} // namespace tailmark::ui
