// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/settings.h"

#include <QFileInfo>
#include <QStandardPaths>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

QString ownFile()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           u"/tailmark/tailmark.ini"_s;
}

} // namespace

Settings::Settings(const QString& file) : m_store(file.isEmpty() ? ownFile() : file, QSettings::IniFormat) {}

ThemeChoice Settings::theme() const
{
    return themeFromId(m_store.value(u"view/theme"_s).toString());
}

void Settings::setTheme(ThemeChoice choice)
{
    m_store.setValue(u"view/theme"_s, themeId(choice));
}

bool Settings::notifyAtEnd() const
{
    return m_store.value(u"run/notify_at_end"_s, true).toBool();
}

void Settings::setNotifyAtEnd(bool notify)
{
    m_store.setValue(u"run/notify_at_end"_s, notify);
}

QStringList Settings::recentMatrices() const
{
    QStringList paths = m_store.value(u"file/recent"_s).toStringList();
    paths.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return paths;
}

void Settings::addRecentMatrix(const QString& path)
{
    QStringList paths = recentMatrices();
    paths.removeAll(path);
    paths.prepend(path);
    m_store.setValue(u"file/recent"_s, paths.mid(0, kMostRecent));
}

void Settings::clearRecentMatrices()
{
    m_store.remove(u"file/recent"_s);
}

QString Settings::lastMatrix() const
{
    return m_store.value(u"session/matrix"_s).toString();
}

void Settings::setLastMatrix(const QString& path)
{
    m_store.setValue(u"session/matrix"_s, path);
}

int Settings::lastPage() const
{
    return m_store.value(u"session/page"_s, -1).toInt();
}

void Settings::setLastPage(int page)
{
    m_store.setValue(u"session/page"_s, page);
}

QByteArray Settings::layout(const QString& part) const
{
    return m_store.value(u"layout/"_s + part).toByteArray();
}

void Settings::setLayout(const QString& part, const QByteArray& state)
{
    m_store.setValue(u"layout/"_s + part, state);
}

} // namespace tailmark::ui
