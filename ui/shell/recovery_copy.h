// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"

#include <QLockFile>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace tailmark::ui {

/// A copy of one window's unsaved matrix, which survives a crash. Every window has a file of its own in the
/// folder and holds a lock beside it while it lives: a copy whose lock nobody holds was left behind.
class RecoveryCopy
{
public:
    /// `folder` empty, or one that cannot be made: no copy is kept.
    explicit RecoveryCopy(const QString& folder);

    struct Found
    {
        Matrix matrix;
        QString file; ///< that the matrix was opened from; empty = none
    };

    void keep(const Matrix& matrix, const QString& file);
    void forget();
    /// Whether a window that is gone left a copy.
    bool othersWait() const;
    /// The newest copy that was left behind; from now on it is this window's own, and the one before is
    /// forgotten.
    std::optional<Found> take();

private:
    QStringList leftBehind() const;

    QString m_folder;
    QString m_base; ///< of this window's files, without their endings; empty = none is kept
    std::unique_ptr<QLockFile> m_lock;
};

} // namespace tailmark::ui
