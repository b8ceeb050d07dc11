// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/store_session.h"

#include <QSaveFile>

namespace tailmark::ui {

namespace {

constexpr int kLivePollMs = 500;
constexpr int kIdlePollMs = 2'000;

QString lineOf(const Error& error)
{
    return QString::fromStdString(error.line());
}

} // namespace

QStringList baselinesOf(const Baselines& baselines, RunId run)
{
    QStringList names;
    for (const auto& [name, id] : baselines)
        if (id == run)
            names << QString::fromStdString(name);
    return names;
}

StoreSession::StoreSession(const QString& databasePath, QObject* parent)
    : QObject(parent), m_databasePath(databasePath), m_runs(std::make_shared<std::vector<RunInfo>>()),
      m_workerContext(new QObject), m_worker(std::make_unique<StoreWorker>(databasePath.toStdString()))
{
    m_workerContext->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_workerContext, &QObject::deleteLater);
    m_thread.setObjectName(QStringLiteral("store"));
    m_thread.start();
    m_newsTimer.start(kIdlePollMs);
    connect(&m_newsTimer, &QTimer::timeout, this, &StoreSession::lookForNews);
    refresh();
}

StoreSession::~StoreSession()
{
    m_thread.quit(); // work that is queued behind is left out, work in progress is waited for
    m_thread.wait();
}

RequestNumber StoreSession::open()
{
    const std::lock_guard lock(m_openMutex);
    m_open.insert(++m_lastRequest);
    return m_lastRequest;
}

bool StoreSession::isWanted(RequestNumber request) const
{
    const std::lock_guard lock(m_openMutex);
    return request == 0 || m_open.contains(request);
}

void StoreSession::drop(RequestNumber request)
{
    const std::lock_guard lock(m_openMutex);
    m_open.remove(request);
}

template <typename Answer>
void StoreSession::ask(RequestNumber request, std::function<Answer(StoreWorker&)> work,
                       std::function<void(Answer)> deliver)
{
    QMetaObject::invokeMethod(m_workerContext,
                              [this, request, work = std::move(work), deliver = std::move(deliver)] {
                                  if (!isWanted(request))
                                      return;
                                  auto answer = work(*m_worker);
                                  QMetaObject::invokeMethod(
                                      this,
                                      [this, request, deliver, answer = std::move(answer),
                                       replaced = m_worker->wasReplaced()]() mutable {
                                          if (replaced)
                                              emit databaseReplaced();
                                          if (!isWanted(request))
                                              return;
                                          drop(request);
                                          if (!answer.ok())
                                              emit failed(request, lineOf(answer.error()));
                                          else
                                              deliver(std::move(answer));
                                      },
                                      Qt::QueuedConnection);
                              });
}

void StoreSession::refresh()
{
    ask<Result<Library>>(
        0, [](StoreWorker& worker) { return worker.library(); },
        [this](Result<Library> library) {
            Library read = std::move(library).value();
            m_runs = std::make_shared<const std::vector<RunInfo>>(std::move(read.runs));
            m_baselines = std::move(read.baselines);
            emit runsChanged();
        });
}

RequestNumber StoreSession::requestResults(RunId run, const std::optional<Slo>& slo)
{
    const RequestNumber request = open();
    ask<Result<ResultsPtr>>(
        request, [run, slo](StoreWorker& worker) { return worker.results(run, slo); },
        [this, request](Result<ResultsPtr> results) { emit resultsReady(request, results.value()); });
    return request;
}

RequestNumber StoreSession::requestRecords(RunId run, PointIndex point)
{
    const RequestNumber request = open();
    ask<Result<RecordsPtr>>(
        request, [run, point](StoreWorker& worker) { return worker.records(run, point); },
        [this, request](Result<RecordsPtr> records) { emit recordsReady(request, records.value()); });
    return request;
}

RequestNumber StoreSession::requestExport(RunId run, RunExport format, const QString& path,
                                          const std::optional<Slo>& slo)
{
    const RequestNumber request = open();
    ask<Status>(
        request,
        [run, format, path, slo](StoreWorker& worker) -> Status {
            const auto content = worker.exported(run, format, slo);
            if (!content)
                return content.error();
            QSaveFile file(path);
            if (!file.open(QIODevice::WriteOnly) || file.write(content.value()) < 0 || !file.commit())
                return Error{ErrorCode::Io, path.toStdString(), file.errorString().toStdString()};
            return success();
        },
        [this, request, path](Status) { emit exported(request, path); });
    return request;
}

void StoreSession::change(std::function<Status(Store&)> write)
{
    ask<Status>(
        0, [write = std::move(write)](StoreWorker& worker) { return worker.change(write); }, [](Status) {});
    refresh(); // also after a failure: views then show what is true
}

void StoreSession::renameRun(RunId run, const QString& name)
{
    change([run, name = name.toStdString()](Store& store) { return store.renameRun(run, name); });
}

void StoreSession::setNote(RunId run, const QString& note)
{
    change([run, note = note.toStdString()](Store& store) { return store.setNote(run, note); });
}

void StoreSession::setTags(RunId run, const QStringList& tags)
{
    std::vector<std::string> list;
    for (const QString& tag : tags)
        list.push_back(tag.toStdString());
    change([run, list = std::move(list)](Store& store) { return store.setTags(run, list); });
}

void StoreSession::setBaseline(const QString& name, RunId run)
{
    change([run, name = name.toStdString()](Store& store) { return store.setBaseline(name, run); });
}

void StoreSession::removeBaseline(const QString& name)
{
    change([name = name.toStdString()](Store& store) { return store.removeBaseline(name); });
}

void StoreSession::deleteRun(RunId run)
{
    change([run](Store& store) { return store.deleteRun(run); });
}

void StoreSession::undeleteRun(RunId run)
{
    change([run](Store& store) { return store.undeleteRun(run); });
}

void StoreSession::setLive(bool live)
{
    const bool wasLive = m_newsTimer.interval() == kLivePollMs;
    m_newsTimer.start(live ? kLivePollMs : kIdlePollMs);
    if (wasLive && !live)
        lookForNews(); // the last words of the run that has just ended
}

void StoreSession::lookForNews()
{
    if (m_looking)
        return;
    m_looking = true;
    ask<Result<bool>>(
        0, [](StoreWorker& worker) -> Result<bool> { return worker.hasNews(); },
        [this](Result<bool> news) {
            m_looking = false;
            if (!news.value())
                return;
            emit storeChanged();
            refresh();
        });
}

} // namespace tailmark::ui
