// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_document.h"

#include "plan/plan_json.h"

#include <QFileInfo>
#include <QUndoCommand>

#include <utility>

namespace tailmark::ui {

/// A step of the undo stack: the matrix before and after (a few kB), which is simpler than a command for each
/// field and cannot drift from it.
class MatrixCommand : public QUndoCommand
{
public:
    MatrixCommand(PlanDocument& document, const QString& text, Matrix after, std::string mergeKey)
        : QUndoCommand(text), m_document(document), m_before(document.matrix()), m_after(std::move(after)),
          m_mergeKey(std::move(mergeKey)), m_epoch(document.m_mergeEpoch)
    {
    }

    void undo() override { m_document.setMatrix(m_before); }
    void redo() override { m_document.setMatrix(m_after); }

    int id() const override { return m_mergeKey.empty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* next = static_cast<const MatrixCommand*>(other);
        if (next->m_mergeKey != m_mergeKey || next->m_epoch != m_epoch)
            return false;
        m_after = next->m_after;
        setObsolete(m_after == m_before);
        return true;
    }

private:
    PlanDocument& m_document;
    Matrix m_before;
    Matrix m_after;
    std::string m_mergeKey;
    quint64 m_epoch;
};

PlanDocument::PlanDocument(QObject* parent) : QObject(parent)
{
    connect(&m_undo, &QUndoStack::cleanChanged, this, &PlanDocument::fileChanged);
    review();
}

void PlanDocument::edit(const QString& text, const std::string& mergeKey,
                        const std::function<void(Matrix&)>& change)
{
    Matrix after = m_matrix;
    change(after);
    if (after == m_matrix)
        return;
    m_undo.push(new MatrixCommand(*this, text, std::move(after), mergeKey));
}

void PlanDocument::setFieldProblem(const std::string& path, const QString& problem)
{
    if (problem.isEmpty() ? m_problems.erase(path) == 0 : std::exchange(m_problems[path], problem) == problem)
        return;
    review();
    emit changed();
}

std::vector<Finding> PlanDocument::fieldProblems() const
{
    std::vector<Finding> problems;
    for (const auto& [path, problem] : m_problems)
        problems.push_back({Finding::Severity::Error, path, problem.toStdString()});
    return problems;
}

QString PlanDocument::whyNotRunnable() const
{
    if (m_matrix.tests.empty())
        return tr("Add a test first.");
    QString first;
    int errors = 0;
    for (const Finding& finding : m_findings) {
        if (finding.severity != Finding::Severity::Error)
            continue;
        if (++errors == 1)
            first = QString::fromStdString(finding.path + ": " + finding.message);
    }
    if (errors > 1)
        return tr("%1 (and %n more)", nullptr, errors - 1).arg(first);
    return first;
}

QString PlanDocument::displayName() const
{
    if (!m_path.isEmpty())
        return QFileInfo(m_path).fileName();
    return m_matrix.name.empty() ? tr("Untitled") : QString::fromStdString(m_matrix.name);
}

void PlanDocument::reset(Matrix matrix, const QString& path, bool modified)
{
    m_undo.clear();
    m_problems.clear();
    m_path = path;
    m_recovered = modified;
    m_matrix = std::move(matrix);
    review();
    emit replaced();
    emit changed();
    emit fileChanged();
}

Status PlanDocument::load(const QString& path)
{
    Result<Matrix> matrix = loadDraft(path.toStdString());
    if (!matrix.ok())
        return matrix.error();
    reset(std::move(matrix).value(), QFileInfo(path).absoluteFilePath());
    return success();
}

Status PlanDocument::save(const QString& path)
{
    if (Status saved = saveMatrix(m_matrix, path.toStdString()); !saved.ok())
        return saved;
    m_path = QFileInfo(path).absoluteFilePath();
    m_recovered = false;
    m_undo.setClean();
    emit fileChanged();
    return success();
}

void PlanDocument::setMatrix(const Matrix& matrix)
{
    m_matrix = matrix;
    review();
    emit changed();
}

void PlanDocument::review()
{
    m_findings = validate(m_matrix);
    // Of a field whose text is no value the matrix holds an older one: what there is to say is about the
    // text.
    std::erase_if(m_findings, [this](const Finding& finding) { return m_problems.contains(finding.path); });
    const std::vector<Finding> problems = fieldProblems();
    m_findings.insert(m_findings.end(), problems.begin(), problems.end());
}

} // namespace tailmark::ui
