// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"

#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>

class QWidget;

namespace tailmark::ui {

class PlanDocument;
class Settings;

/// New, open, save and what must be asked before; the list of recent files; and a copy of unsaved changes
/// that survives a crash.
class DocumentFiles : public QObject
{
    Q_OBJECT

public:
    /// `window`: parent of the dialogs. `recoveryFolder`: where the copy of unsaved changes is kept; one
    /// workbench at a time uses it.
    DocumentFiles(PlanDocument& document, Settings& settings, const QString& recoveryFolder, QWidget* window);
    ~DocumentFiles() override;

    /// Brings back what a crash left behind; true if there was something.
    bool recover();
    /// Opens a file; errors are shown. False when it was not opened.
    bool open(const QString& path);
    void replaceWith(const Matrix& matrix);

    /// Asks what to do with unsaved changes. False: the user wants to go on editing.
    bool confirmLeaving();
    /// The session ends in order: nothing is left to recover.
    void forgetRecovery();

public slots:
    void beginNew();
    void openWithDialog();
    bool save();
    bool saveAs();

signals:
    void opened();
    void recentChanged();
    /// Something went wrong with a file; one line.
    void failed(const QString& message);

private:
    bool saveTo(const QString& path);
    void keepCopy();

    PlanDocument& m_document;
    Settings& m_settings;
    QWidget* m_window;
    QString m_copy;
    std::unique_ptr<QLockFile> m_lock;
    QTimer m_timer;
};

} // namespace tailmark::ui
