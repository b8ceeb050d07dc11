// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "style/theme.h"

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>

namespace tailmark::ui {

/// All preferences and the layout of the last session; the only user of QSettings. Holds nothing of a matrix
/// and no secret.
class Settings
{
public:
    static constexpr int kMostRecent = 10;

    /// `file`: an INI file; empty = the user's own.
    explicit Settings(const QString& file = {});

    ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);
    bool notifyAtEnd() const;
    void setNotifyAtEnd(bool notify);

    /// Newest first, at most kMostRecent; files that are gone are left out.
    QStringList recentMatrices() const;
    void addRecentMatrix(const QString& path);
    void clearRecentMatrices();

    // The last session.
    QString lastMatrix() const;
    void setLastMatrix(const QString& path);
    int lastPage() const;
    void setLastPage(int page);
    QByteArray layout(const QString& part) const;
    void setLayout(const QString& part, const QByteArray& state);

private:
    QSettings m_store;
};

} // namespace tailmark::ui
