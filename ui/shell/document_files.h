// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "shell/recovery_copy.h"

#include <QObject>
#include <QString>
#include <QTimer>

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
    /// `window`: parent of the dialogs. `recoveryFolder`: where the copies of unsaved changes are kept.
    DocumentFiles(PlanDocument& document, Settings& settings, const QString& recoveryFolder, QWidget* window);
    ~DocumentFiles() override;

    /// Brings back the newest of what crashes left behind; true if there was something.
    bool recover();
    /// Whether there is something to bring back.
    bool canRecover() const { return m_recovery.othersWait(); }
    /// Opens a file; errors are shown. False when it was not opened.
    bool open(const QString& path);
    void replaceWith(const Matrix& matrix);

    /// Asks what to do with unsaved changes. False: the user wants to go on editing.
    bool confirmLeaving();
    /// The session ends in order: nothing is left to recover.
    void forgetRecovery();

public slots:
    void beginNew();
    /// The recommended matrix, for the target of the present one.
    void beginRecommended();
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
    RecoveryCopy m_recovery;
    QTimer m_timer;
};

} // namespace tailmark::ui
