// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/engine_programs.h"

#include <QCoreApplication>
#include <QStandardPaths>

namespace tailmark::ui {

QString findProgram(const QString& name)
{
    const QString beside = QStandardPaths::findExecutable(name, {QCoreApplication::applicationDirPath()});
    return beside.isEmpty() ? QStandardPaths::findExecutable(name) : beside;
}

} // namespace tailmark::ui
