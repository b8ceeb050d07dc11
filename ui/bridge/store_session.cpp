// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/store_session.h"

namespace tailmark::ui {

StoreSession::StoreSession(const QString& databasePath, QObject* parent)
    : QObject(parent), m_databasePath(databasePath), m_runs(std::make_shared<std::vector<RunInfo>>())
{
}
StoreSession::~StoreSession() = default;
void StoreSession::refresh() {}
RequestNumber StoreSession::requestResults(RunId, const Slo&)
{
    return ++m_lastRequest;
}
RequestNumber StoreSession::requestRecords(RunId, PointIndex)
{
    return ++m_lastRequest;
}
RequestNumber StoreSession::requestExport(RunId, RunExport, const QString&, const Slo&)
{
    return ++m_lastRequest;
}
void StoreSession::drop(RequestNumber) {}
void StoreSession::renameRun(RunId, const QString&) {}
void StoreSession::setNote(RunId, const QString&) {}
void StoreSession::setTags(RunId, const QStringList&) {}
void StoreSession::deleteRun(RunId) {}
void StoreSession::undeleteRun(RunId) {}
void StoreSession::setLive(bool) {}

} // namespace tailmark::ui
