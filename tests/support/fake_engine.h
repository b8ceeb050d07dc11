// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/run_event.h"

#include <QFile>
#include <QString>
#include <QTextStream>

#include <nlohmann/json.hpp>

#include <vector>

namespace tailmark::test {

/// Writes an engine that tells these events, then waits until its standard input says stop (or closes), then
/// tells `last`. Returns its path. Needs /bin/sh.
inline QString writeFakeEngine(const QString& folder, const std::vector<RunEvent>& events,
                               const std::vector<RunEvent>& last)
{
    const QString path = folder + QStringLiteral("/fake-engine");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate))
        return {};
    QTextStream out(&file);
    const auto tell = [&](const std::vector<RunEvent>& list) {
        for (const RunEvent& event : list)
            out << "cat <<'END'\n" << QString::fromStdString(eventToJson(event).dump()) << "\nEND\n";
    };
    out << "#!/bin/sh\n";
    tell(events);
    out << "while read line; do case \"$line\" in *stop*) break;; esac; done\n";
    tell(last);
    file.close();
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path;
}

} // namespace tailmark::test
