// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"
#include "bridge/store_worker.h"
#include "plan/matrix.h"
#include "record/request_record.h"
#include "report/run_results.h"
#include "store/store.h"

#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QThread>
#include <QTimer>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace tailmark::ui {

using RunListPtr = std::shared_ptr<const std::vector<RunInfo>>;
using ResultsPtr = std::shared_ptr<const RunResults>;
using RecordsPtr = std::shared_ptr<const RecordBatch>;
using RequestNumber = quint64; ///< 0 is no request

/// The names under which the run is kept.
QStringList baselinesOf(const Baselines& baselines, RunId run);

/// The workbench's only way to the store: a worker thread with its own connection, asked and answered from
/// the GUI thread. Every request has a number and is answered by exactly one signal that carries it, unless
/// it was dropped. Answers are immutable values. Records and summaries of the runs asked for last are kept in
/// memory, so that the same run under another SLO is computed without reading again.
class StoreSession : public QObject
{
    Q_OBJECT

public:
    explicit StoreSession(const QString& databasePath, QObject* parent = nullptr);
    ~StoreSession() override;

    const QString& databasePath() const { return m_databasePath; }
    /// The library as it was last read, newest first; never null.
    RunListPtr runs() const { return m_runs; }
    /// The runs that are kept as baselines, by their names; of the same reading.
    const Baselines& baselines() const { return m_baselines; }

    /// Reads the library again; runsChanged() follows.
    void refresh();
    /// Points that are finished, summarised under `slo` (absent: the matrix's own); resultsReady() follows.
    RequestNumber requestResults(RunId run, const std::optional<Slo>& slo = {});
    /// The records of one point, of the running one those stored so far and without their chunks, of one that
    /// has not started none; recordsReady() follows.
    RequestNumber requestRecords(RunId run, PointIndex point);
    /// Writes a file; exported() follows.
    RequestNumber requestExport(RunId run, RunExport format, const QString& path,
                                const std::optional<Slo>& slo = {});
    /// The answer is no longer wanted: nothing with this number is emitted any more, and work not begun is
    /// left out.
    void drop(RequestNumber request);

    void renameRun(RunId run, const QString& name);
    void setNote(RunId run, const QString& note);
    void setTags(RunId run, const QStringList& tags);
    /// Keeps the run under this name, in place of the one that had it.
    void setBaseline(const QString& name, RunId run);
    void removeBaseline(const QString& name);
    void deleteRun(RunId run);
    void undeleteRun(RunId run);

    /// News of other connections are told by storeChanged(): they are looked for twice a second while a run
    /// of this window is on, else every other second.
    void setLive(bool live);

signals:
    void runsChanged();
    /// The database was removed or replaced by another: what was answered before is of a file that is gone,
    /// requests that are open may be answered from the new one.
    void databaseReplaced();
    void storeChanged();
    void resultsReady(tailmark::ui::RequestNumber request, const tailmark::ui::ResultsPtr& results);
    void recordsReady(tailmark::ui::RequestNumber request, const tailmark::ui::RecordsPtr& records);
    void exported(tailmark::ui::RequestNumber request, const QString& path);
    /// One clear line; request 0: the library itself or a change of it failed.
    void failed(tailmark::ui::RequestNumber request, const QString& message);

private:
    /// Runs `work` on the worker's thread unless the request was dropped, then `deliver` with its answer on
    /// this one.
    template <typename Answer>
    void ask(RequestNumber request, std::function<Answer(StoreWorker&)> work,
             std::function<void(Answer)> deliver);
    void change(std::function<Status(Store&)> write);
    RequestNumber open();
    bool isWanted(RequestNumber request) const;
    void lookForNews();

    QString m_databasePath;
    RunListPtr m_runs;
    Baselines m_baselines;
    RequestNumber m_lastRequest = 0;
    mutable std::mutex m_openMutex; ///< guards m_open, which both threads read
    QSet<RequestNumber> m_open;     ///< asked, neither answered nor dropped
    QTimer m_newsTimer;
    bool m_looking = false;
    QThread m_thread;
    QObject* m_workerContext;              ///< lives on m_thread; work is queued to it
    std::unique_ptr<StoreWorker> m_worker; ///< touched on m_thread only
};

} // namespace tailmark::ui
