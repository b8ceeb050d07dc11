// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/reevaluation.h"
#include "base/result.h"
#include "report/run_results.h"
#include "store/store.h"

#include <QByteArray>

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tailmark::ui {

/// What the lists show: the runs, newest first, and those that are kept as baselines by their names.
using Baselines = std::map<std::string, RunId>;
struct Library
{
    std::vector<RunInfo> runs;
    Baselines baselines;
};

enum class RunExport { PointsCsv, RecordsCsv, Json, Html, Markdown };

/// What the store session's thread works with: one connection, and the records of the runs asked for last, so
/// that another SLO needs no reading. Used by one thread at a time. Nothing here knows of signals or events.
class StoreWorker
{
public:
    explicit StoreWorker(std::string path);

    Result<Library> library();
    Result<std::shared_ptr<const RunResults>> results(RunId run, const std::optional<Slo>& slo);
    Result<std::shared_ptr<const RecordBatch>> records(RunId run, PointIndex point);
    Result<QByteArray> exported(RunId run, RunExport format, const std::optional<Slo>& slo);
    Status change(const std::function<Status(Store&)>& write);
    /// True when something was written since the last call, or the writer of a run that was listed as going
    /// on has died, of which the file tells nothing.
    bool hasNews();
    /// Whether, since the last call, the file was found to be another than before; the answers after that
    /// are of the file that is there now.
    bool wasReplaced() { return std::exchange(m_replaced, false); }

private:
    struct CachedRun
    {
        RunId id;
        std::map<PointIndex, std::shared_ptr<const RecordBatch>>
            points; ///< those whose records change no more
        /// Of a run that has ended: as it was summarised last, and what holds it against another SLO.
        std::shared_ptr<const RunResults> base;
        std::unique_ptr<Reevaluation> again;
    };

    Result<Store*> store();
    CachedRun& cached(RunId run);
    std::shared_ptr<const RunResults> evaluatedAgain(CachedRun& cache, const StoredRun& run, const Slo& slo);

    std::string m_path;
    std::optional<Store> m_store;
    std::list<CachedRun> m_cache; ///< the last used one first
    std::int64_t m_seenVersion = 0;
    bool m_replaced = false;
    std::ptrdiff_t m_running = 0; ///< in the list that was told last
};

} // namespace tailmark::ui
