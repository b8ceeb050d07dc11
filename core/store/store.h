// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "plan/plan.h"
#include "record/point_facts.h"
#include "record/request_record.h"
#include "record/run_card.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

enum class RunState { Running, Done, Cancelled, Failed, Interrupted };
const char* runStateId(RunState state); ///< "running", "done", "cancelled", "failed", "interrupted"

/// One line of the library.
struct RunInfo
{
    RunId id;
    std::string name;
    std::string startedAt, finishedAt; ///< UTC, ISO 8601; finishedAt empty while it runs
    RunState state = RunState::Running;
    std::string target, engine, model; ///< for lists
    int pointsPlanned = 0, pointsDone = 0;
    std::vector<std::string> tags;
    std::string note;
    /// The tool whose result file it was taken from ("vllm", analysis/peer_definitions.h); empty = measured by Tailmark.
    /// Such a run has no records, and of its plan only tests and levels mean anything.
    std::string foreign;
    std::optional<RunId> partner; ///< of a paired run: the one that was measured beside it
};

/// A stored point; its records are read apart.
struct StoredPoint
{
    PointPlan point;
    std::string startedAt;
    bool finished = false; ///< false: it was running when the run ended
    PointFacts facts;      ///< of one that is not finished only the server's samples
};

/// A log of requests that lengths are drawn from, kept so that runs that name it always mean the same rows.
struct KeptTrace
{
    std::string hash;   ///< SHA-256 of `content`, 64 hex digits
    std::string name;   ///< of the file, without its folder
    std::string format; ///< as it was read
    std::int64_t rows = 0;
    std::string summary; ///< JSON: what it shows
    std::string content; ///< canonical rows (workload/trace/canonical_rows.h)
};

/// A run without its records.
struct StoredRun
{
    RunInfo info;
    Plan plan;
    RunCard card;
    nlohmann::json environment;
    std::vector<std::string> warnings;
    std::vector<StoredPoint> points; ///< those that were started, in order
};

/// The SQLite file with all runs: WAL mode, versioned schema, migrated on opening. One Store = one
/// connection, used by one thread at a time; several stores (processes) may have the file open, one writing
/// at a time. A run whose writer is gone (its process has died) is listed as interrupted. Errors carry the
/// file's name: ErrorCode::BadInput where the caller named something that is not there or not ours (no such
/// database, not a Tailmark database, a newer one, no such run), ErrorCode::Io where reading or writing
/// failed.
class Store
{
public:
    enum class Mode { ReadWrite, ReadOnly };
    static Result<Store> open(const std::string& path, Mode mode = Mode::ReadWrite);
    /// `$XDG_DATA_HOME/tailmark/runs.sqlite`, or the same under ~/.local/share.
    static std::string defaultPath();

    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    const std::string& path() const;
    /// An error once the file was removed or replaced by another. Every write asks this first; who only reads
    /// would go on seeing a file that is no longer there.
    Status checkInPlace() const;

    // writing a run
    Result<RunId> createRun(const std::string& name, const Plan& plan, const RunCard& card,
                            const nlohmann::json& environment);
    /// Two runs that are measured beside each other know each other.
    Status pairRuns(RunId a, RunId b);
    Status updateCard(RunId run, const RunCard& card);
    /// With points that were added behind the others while it runs.
    Status updatePlan(RunId run, const Plan& plan);
    Status updateEnvironment(RunId run, const nlohmann::json& environment);
    Status addWarning(RunId run, const std::string& text);
    Status startPoint(RunId run, const PointPlan& point, const std::string& startedAt);
    /// One transaction for the whole batch.
    Status appendRecords(RunId run, PointIndex point, const RecordBatch& batch);
    /// What the server told meanwhile, in one transaction; loadRun() has it among the facts of the point.
    Status appendServerSamples(RunId run, PointIndex point, std::span<const ServerSample> samples);
    /// The facts but for the server's samples, which are stored while the point goes on.
    Status finishPoint(RunId run, PointIndex point, const PointFacts& facts);
    Status finishRun(RunId run, RunState state);
    /// Keeps what was worked out of a point's records and facts, in place of what was kept under this name. Gone as soon as
    /// anything of these is written again.
    Status keepDigest(RunId run, PointIndex point, std::string_view part, std::string_view version,
                      std::span<const std::byte> bytes);

    // reading
    Result<std::vector<RunInfo>> listRuns() const; ///< newest first
    Result<StoredRun> loadRun(RunId run) const;
    /// None of a point that has not started yet.
    Result<RecordBatch> loadRecords(RunId run, PointIndex point, bool withChunks = true) const;
    /// Lends the bytes to `use`, which gets nothing where nothing of this version is kept.
    Status readDigest(RunId run, PointIndex point, std::string_view part, std::string_view version,
                      const std::function<void(std::span<const std::byte>)>& use) const;
    /// Changes with every committed write of any connection; to poll for news cheaply.
    Result<std::int64_t> dataVersion() const;

    // logs of requests, by their hash
    Status keepTrace(const KeptTrace& trace); ///< nothing where there is one with this hash
    Result<bool> hasTrace(const std::string& hash) const;
    Result<std::optional<KeptTrace>> loadTrace(const std::string& hash) const;

    // library
    Status renameRun(RunId run, const std::string& name);
    Status setNote(RunId run, const std::string& note);
    Status setTags(RunId run, const std::vector<std::string>& tags);
    /// Keeps a run under a name of its own, in place of the one that had it, for others to be compared with.
    Status setBaseline(const std::string& name, RunId run);
    Status removeBaseline(const std::string& name);
    /// By their names; those of deleted runs are left out.
    Result<std::map<std::string, RunId>> baselines() const;
    /// Hides the run from lists (not while it is being written); undeleteRun brings it back; purgeDeleted
    /// drops such runs for good (the file keeps its size, the space is used again).
    Status deleteRun(RunId run);
    Status undeleteRun(RunId run);
    Status purgeDeleted();

private:
    struct Impl;
    explicit Store(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace tailmark
