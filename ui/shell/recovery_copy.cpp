// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/recovery_copy.h"

#include "plan/plan_json.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMostWindows = 100;
const QString kCopy = u".tailmark.json"_s;
const QString kOrigin = u".origin"_s; ///< names the file that was opened
const QString kLock = u".lock"_s;

std::unique_ptr<QLockFile> lockOf(const QString& base)
{
    auto lock = std::make_unique<QLockFile>(base + kLock);
    lock->setStaleLockTime(0); // whether the owner is alive decides
    return lock->tryLock(0) ? std::move(lock) : nullptr;
}

} // namespace

RecoveryCopy::RecoveryCopy(const QString& folder)
{
    if (folder.isEmpty() || !QDir().mkpath(folder))
        return;
    m_folder = folder;
    for (int i = 1; i <= kMostWindows && m_base.isEmpty(); ++i) {
        const QString base = folder + u"/unsaved"_s + (i > 1 ? u"-%1"_s.arg(i) : QString());
        if (QFileInfo::exists(base + kCopy))
            continue; // another's, or left behind
        m_lock = lockOf(base);
        if (m_lock && !QFileInfo::exists(base + kCopy))
            m_base = base;
    }
}

void RecoveryCopy::keep(const Matrix& matrix, const QString& file)
{
    if (m_base.isEmpty())
        return;
    QSaveFile origin(m_base + kOrigin);
    if (origin.open(QIODevice::WriteOnly)) {
        origin.write(file.toUtf8());
        origin.commit();
    }
    (void)saveMatrix(matrix, (m_base + kCopy).toStdString()); // no room for a copy is no reason to disturb
}

void RecoveryCopy::forget()
{
    if (m_base.isEmpty())
        return;
    QFile::remove(m_base + kCopy);
    QFile::remove(m_base + kOrigin);
}

QStringList RecoveryCopy::leftBehind() const
{
    QStringList bases;
    if (m_folder.isEmpty())
        return bases;
    const QDir folder(m_folder);
    for (const QString& name : folder.entryList({u"unsaved*"_s + kCopy}, QDir::Files, QDir::Time)) {
        const QString base = folder.filePath(name.chopped(kCopy.size()));
        if (base != m_base && lockOf(base))
            bases << base;
    }
    return bases;
}

bool RecoveryCopy::othersWait() const
{
    return !leftBehind().isEmpty();
}

std::optional<RecoveryCopy::Found> RecoveryCopy::take()
{
    for (const QString& base : leftBehind()) {
        std::unique_ptr<QLockFile> lock = lockOf(base);
        if (!lock)
            continue;
        Result<Matrix> matrix = loadMatrix((base + kCopy).toStdString());
        if (!matrix)
            continue;
        QFile origin(base + kOrigin);
        const QString file =
            origin.open(QIODevice::ReadOnly) ? QString::fromUtf8(origin.readAll()) : QString();
        forget();
        m_lock = std::move(lock);
        m_base = base;
        return Found{std::move(matrix).value(), file};
    }
    return std::nullopt;
}

} // namespace tailmark::ui
