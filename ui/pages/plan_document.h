// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "plan/validate.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tailmark::ui {

/// The matrix that is being edited: its value, its file, its undo stack and what there is to say about it.
/// Every change of the matrix goes through edit(), so that each can be undone.
class PlanDocument : public QObject
{
    Q_OBJECT

public:
    explicit PlanDocument(QObject* parent = nullptr);

    const Matrix& matrix() const { return m_matrix; }
    QUndoStack& undoStack() { return m_undo; }

    /// Changes the matrix as one undoable step named `text`. Edits with the same `mergeKey` (the key path of
    /// the field) become one step until endMerge().
    void edit(const QString& text, const std::string& mergeKey, const std::function<void(Matrix&)>& change);
    void endMerge() { ++m_mergeEpoch; }

    /// A text in the field at `path` that is not a value at all ("12x"), so that it cannot be part of the
    /// matrix; empty = none.
    void setFieldProblem(const std::string& path, const QString& problem);

    /// Fields whose text is no value; the matrix holds what they were before.
    std::vector<Finding> fieldProblems() const;
    /// validate() and the fields' own problems.
    const std::vector<Finding>& findings() const { return m_findings; }
    bool runnable() const { return !hasErrors(m_findings) && !m_matrix.tests.empty(); }
    /// Why it cannot be run, in one line; empty when it can.
    QString whyNotRunnable() const;

    QString path() const { return m_path; }
    /// File name, else the matrix's name, else "Untitled".
    QString displayName() const;
    bool isModified() const { return m_recovered || !m_undo.isClean(); }

    /// Replaces everything; `path` empty = not saved anywhere yet. `modified`: the content is newer than the
    /// file.
    void reset(Matrix matrix, const QString& path, bool modified = false);
    /// Values out of range are taken over, for the user to mend.
    Status load(const QString& path);
    Status save(const QString& path);
    /// Says changed() to views that have just been made.
    void announce() { emit changed(); }

signals:
    void changed();     ///< matrix or findings
    void fileChanged(); ///< path, name or modified mark
    void replaced();    ///< another matrix altogether: views forget what they were at

private:
    friend class MatrixCommand;
    void setMatrix(const Matrix& matrix);
    void review();

    Matrix m_matrix;
    QUndoStack m_undo;
    std::map<std::string, QString> m_problems;
    std::vector<Finding> m_findings;
    QString m_path;
    quint64 m_mergeEpoch = 0;
    bool m_recovered = false;
};

} // namespace tailmark::ui
