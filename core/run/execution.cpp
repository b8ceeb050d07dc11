// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/execution.h"

#include "analysis/operating_point.h"
#include "analysis/summarize.h"
#include "analysis/text.h"
#include "report/kept_digest.h"
#include "run/refinement.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace tailmark {

namespace {

constexpr auto kPoll = std::chrono::milliseconds(20);
constexpr Nanoseconds kIdleLimit = std::chrono::seconds(10);

std::string verdictText(const Verdict& verdict)
{
    std::string text;
    for (const VerdictReason& reason : verdict.reasons)
        text += (text.empty() ? "" : "; ") + reason.text;
    return text.empty() ? "valid" : text;
}

/// Not one request of the point reached the target.
bool targetIsGone(const PointSummary& summary)
{
    const auto count = [&](Outcome outcome) {
        return summary.outcomesOfPoint[static_cast<std::size_t>(outcome)];
    };
    std::uint64_t ended = 0;
    for (const std::uint64_t n : summary.outcomesOfPoint)
        ended += n;
    const std::uint64_t unreached = count(Outcome::ConnectFailed) + count(Outcome::TimeoutConnect);
    return unreached > 0 && unreached + count(Outcome::Cancelled) + count(Outcome::NotSent) == ended;
}

OperatingPointFound eventOf(const OperatingPoint& point)
{
    const std::optional<CapacityAt>& place = point.crossing ? point.crossing : point.lastPassing;
    OperatingPointFound event;
    event.test = point.test;
    event.state = operatingStateId(point.state);
    event.sentence = point.sentence;
    if (place) {
        event.load = place->load;
        event.outputTokensPerS = place->outputTokensPerS;
    }
    return event;
}

} // namespace

Result<RunReport> Execution::run()
{
    if (Status status = prepare(); !status)
        return status.error();
    if (const Result<RunId> created = create(); !created)
        return created.error();
    const Status status = measure();
    return finish(status ? std::nullopt : std::optional(status.error()));
}

Result<RunId> Execution::create()
{
    const Result<RunId> created = m_store.createRun(m_options.name, m_plan, m_card, m_environment);
    if (created)
        m_report.run = created.value();
    return created;
}

Status Execution::measure()
{
    if (Status status = setUp(estimatedSeconds(m_plan)); !status)
        return status;
    for (std::size_t i = 0; i < m_plan.points.size(); ++i) { // it grows where it is refined
        if (m_plan.points[i].kind == TestKind::ColdStart)
            continue;
        holdWhilePaused(m_control);
        if (m_control.stop)
            break;
        const PointPlan point = m_plan.points[i];
        if (const Result<bool> measured = measurePoint(point, secondsAfter(point)); !measured)
            return measured.error();
        if (i + 1 == m_plan.points.size())
            if (Status status = refine(); !status)
                return status;
        if (i + 1 == m_plan.points.size())
            break;
        if (Status status = settle(point); !status)
            return status;
    }
    return success();
}

/// What the points behind this one will take.
double Execution::secondsAfter(const PointPlan& point) const
{
    return estimatedSeconds(
        {m_plan.matrix, {m_plan.points.begin() + point.index.value + 1, m_plan.points.end()}});
}

Status Execution::settle(const PointPlan& point)
{
    coolDown(point);
    return waitForIdleEngine();
}

/// What was cancelled at the end of a point may still be worked on; it must not slow down the next one.
Status Execution::waitForIdleEngine()
{
    if (!m_counters || m_control.stop)
        return success();
    const double left = m_counters->waitUntilIdle(kIdleLimit, m_control.stop).value_or(0);
    return left > 0 && !m_control.stop ? warn("The engine still had requests running or waiting " +
                                              figureText(toSeconds(kIdleLimit)) +
                                              " s after a point had ended: they load the next one")
                                       : success();
}

Result<bool> Execution::measurePoint(const PointPlan& point, double restS)
{
    m_control.skipPoint = false; // asked for after the last point had ended
    if (Status status = noteNeighbours(); !status)
        return status.error();
    Result<std::shared_ptr<const RequestSource>> source = requestsOf(point);
    if (!source)
        return source.error();
    if (point.kind != TestKind::ColdStart) // whose first request is to be the target's first
        if (Status status = prepareCache(point); !status)
            return status.error();
    if (m_control.stop)
        return false;
    ++m_report.points;
    m_notify(PointStarted{point.index, point.test, point.kind, point.load, point.repeat, point.warmupS,
                          point.durationS});
    PointContext context{*m_generator,
                         m_store,
                         m_report.run,
                         m_control,
                         m_notify,
                         m_plan.matrix.slo,
                         m_secrets,
                         m_counters ? &*m_counters : nullptr,
                         {}};
    if (m_fields)
        context.withoutRefused = [&](std::string_view refusal) { return withoutRefused(point, refusal); };
    Result<PointMeasurement> measured =
        executePoint(context, point, std::move(source).value(), restS);
    if (!measured)
        return measured.error();
    if (!measured.value().batch.empty())
        m_fields.reset();
    measured.value().facts.cache = m_cacheFacts;
    if (point.kind == TestKind::ColdStart)
        measured.value().facts.coldStart = m_coldStart->facts(measured.value().origin);
    for (std::size_t i = 0; i < m_lengths.size(); ++i)
        if (m_lengths[i].lengths == point.lengths)
            m_statedLengths[i].note(point, *m_lengths[i].source, measured.value().batch, measured.value().facts);
    if (Status status = conclude(point, measured.value()); !status)
        return status.error();
    return measured.value().facts.endedBy == "skip";
}

/// After the planned levels: others between the last that passes and the first that fails.
Status Execution::refine()
{
    const std::vector<PointPlan> more = refinementOf(m_plan, m_summaries);
    if (more.empty() || m_control.stop)
        return success();
    m_plan.points.insert(m_plan.points.end(), more.begin(), more.end());
    if (Status status = m_store.updatePlan(m_report.run, m_plan); !status)
        return status;
    m_notify(PlanExtended{static_cast<int>(m_plan.points.size())});
    return success();
}

Status Execution::conclude(const PointPlan& point, const PointMeasurement& measured)
{
    const Matrix& matrix = m_plan.matrix;
    if (Status status = m_store.finishPoint(m_report.run, point.index, measured.facts); !status)
        return status;
    if (Status status = noteStamps(measured.batch); !status)
        return status;
    if (Status status = noteNeighbours(); !status) // also those that began meanwhile
        return status;
    for (const std::string& note : {measured.facts.generatorNote, measured.facts.serverNote})
        if (!note.empty())
            if (Status status = warn(note); !status)
                return status;

    m_summaries.push_back(
        summarize(point, matrix.slo, matrix.measurement.failureDenominator, measured.batch, measured.facts));
    const PointSummary& summary = m_summaries.back();
    m_report.validPoints += summary.verdict.valid ? 1 : 0;
    m_errors.add(measured.batch);
    if (Status status = noteCache(); !status)
        return status;
    m_notify(PointFinished{point.index, summary.verdict.valid, verdictText(summary.verdict)});
    tellOperatingPoints();
    if (Status status = keepDigest(m_store, m_report.run, summary, measured.batch, measured.facts); !status)
        return status;
    if (targetIsGone(summary) && !m_control.stop)
        return Error{
            ErrorCode::Unreachable, matrix.target.baseUrl,
            "the target is gone: not one request of the last point reached it, so the run was ended"};
    return success();
}

/// How event times were stamped is known only once responses came.
Status Execution::noteStamps(const RecordBatch& batch)
{
    const std::size_t known = m_stamps.size();
    for (const RequestRecord& record : batch.records)
        if (isPresent(record.firstEvent))
            m_stamps.emplace(stampSourceId(record.stamps));
    if (m_stamps.size() == known)
        return success();
    m_environment["event_stamps"] = m_stamps;
    return m_store.updateEnvironment(m_report.run, m_environment);
}

/// Another run that loads the same target takes from it what this one would measure. Only runs in the same
/// database are known.
Status Execution::noteNeighbours()
{
    const Result<std::vector<RunInfo>> runs = m_store.listRuns();
    if (!runs)
        return runs.error();
    for (const RunInfo& run : runs.value()) {
        if (run.id == m_report.run || run.partner == m_report.run || run.state != RunState::Running ||
            !isSameTarget(run.target, m_plan.matrix.target.baseUrl))
            continue;
        if (Status status = warn("Run " + std::to_string(run.id.value) + " (" + run.name +
                                 ") loads the same target at the same time: neither of the two measures what "
                                 "the target does alone");
            !status)
            return status;
    }
    return success();
}

/// Each text once: what holds for one point mostly holds for all.
Status Execution::warn(const std::string& text)
{
    if (!m_warned.insert(text).second)
        return success();
    m_notify(RunWarning{text});
    return m_store.addWarning(m_report.run, text);
}

void Execution::tellOperatingPoints()
{
    for (const Curve& curve : makeCurves(m_summaries, m_plan.matrix.slo)) {
        const OperatingPointFound event = eventOf(findOperatingPoint(curve));
        const std::string line = eventToLine(event);
        if (std::exchange(m_operatingPoints[event.test], line) != line)
            m_notify(event);
    }
}

void Execution::coolDown(const PointPlan& point) const
{
    const MonotonicClock clock;
    const Nanoseconds until = clock.now() + fromSeconds(point.cooldownS);
    while (clock.now() < until && !m_control.stop)
        std::this_thread::sleep_for(std::min<Nanoseconds>(kPoll, until - clock.now()));
}

RunReport Execution::finish(const std::optional<Error>& failure)
{
    m_report.failure = failure;
    if (failure)
        m_report.state = RunState::Failed;
    else if (m_control.stop)
        m_report.state = RunState::Cancelled;
    m_report.firstErrors = m_errors.lines();
    if (Status status = m_store.finishRun(m_report.run, m_report.state); !status && !m_report.failure) {
        m_report.state = RunState::Failed;
        m_report.failure = status.error();
    }
    m_notify(RunFinished{m_report.run, runStateId(m_report.state), m_report.validPoints, m_report.points,
                         m_report.failure ? m_report.failure->line() : std::string()});
    return m_report;
}

} // namespace tailmark
