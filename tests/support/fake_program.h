// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QTemporaryDir>

namespace tailmark::test {

/// A program that a shell script plays. `$DIR` in the script is the folder that holds it.
class FakeProgram
{
public:
    explicit FakeProgram(const QByteArray& script)
    {
        QFile file(path());
        if (!m_folder.isValid() || !file.open(QIODevice::WriteOnly))
            qFatal("no room for the fake program");
        file.write("#!/bin/sh\nDIR=" + m_folder.path().toUtf8() + "\n" + script);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

    QString path() const { return m_folder.filePath(QStringLiteral("program")); }
    void write(const QString& name, const QByteArray& content)
    {
        QFile file(m_folder.filePath(name));
        if (file.open(QIODevice::WriteOnly))
            file.write(content);
    }
    QByteArray read(const QString& name) const
    {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private:
    QTemporaryDir m_folder;
};

} // namespace tailmark::test
