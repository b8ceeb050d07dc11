// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/runner.h"

#include "analysis/error_counts.h"
#include "analysis/operating_point.h"
#include "analysis/summarize.h"
#include "analysis/text.h"
#include "plan/request_extras.h"
#include "run/cache_preparation.h"
#include "run/cold_start.h"
#include "run/context_fit.h"
#include "run/endpoint.h"
#include "run/environment.h"
#include "run/generator_threads.h"
#include "run/kept_traces.h"
#include "run/length_facts.h"
#include "run/log_replay.h"
#include "run/point_execution.h"
#include "run/refinement.h"
#include "run/request_hash.h"
#include "run/run_steps.h"
#include "run/table_fit.h"
#include "target/address.h"
#include "target/counter_scraper.h"
#include "target/engine_profiles.h"
#include "target/error_text.h"
#include "target/http_client.h"
#include "target/probe.h"
#include "target/prompt_oracle.h"
#include "target/refused_field.h"
#include "workload/lengths.h"
#include "workload/request_body.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

namespace tailmark {

namespace {

constexpr auto kPoll = std::chrono::milliseconds(20);
constexpr Nanoseconds kIdleLimit = std::chrono::seconds(10);
constexpr auto kPreparationNews = std::chrono::milliseconds(100);
constexpr double kFittingLimitS = 60;
/// The card's entry for the stated cache and how the claim stands; the figures are with the points.
constexpr const char* kCacheEntry = "cache";

/// A stated cache needs prompts that no earlier run can have left behind in the target.
std::string freshSalt()
{
    std::random_device device;
    char text[17];
    std::snprintf(text, sizeof text, "%08x%08x", static_cast<unsigned>(device()),
                  static_cast<unsigned>(device()));
    return text;
}

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

/// Of engines that keep a cache for each slot: how many slots; 0 = not told.
int slotsOf(const RunCard& card)
{
    const CardEntry entry = card.entry("flags.total_slots");
    return entry.origin == CardOrigin::Unknown ? 0 : std::atoi(entry.value.c_str());
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

class Execution final : public RunSteps
{
public:
    Execution(const Plan& plan, Store& store, const RunOptions& options, RunControl& control,
              std::function<void(const RunEvent&)> onEvent)
        : m_plan(plan), m_store(store), m_options(options), m_control(control), m_notify(std::move(onEvent))
    {
    }

    Result<RunReport> run();

    Status prepare() override;
    std::string salt() const override { return m_body.runSalt; }
    void setSalt(const std::string& salt) override;
    Result<RunId> create() override;
    const Plan& plan() const override { return m_plan; }
    Status setUp(double estimatedS) override;
    const PromptFit& fit() const override { return m_body.fit; }
    Status setFit(const PromptFit& fit) override;
    Result<bool> measurePoint(const PointPlan& point, double restS) override;
    Status settle(const PointPlan& point) override;
    Status warn(const std::string& text) override;
    RunReport finish(const std::optional<Error>& failure) override;

private:
    Status bringUp();
    Status measureCold();
    Status readLengths();
    Status fitLengths(const ProbeResult& target);
    const ReadLengths* readFor(const PointPlan& point) const;
    std::shared_ptr<const LengthSource> lengthsOf(const PointPlan& point) const;
    Result<std::shared_ptr<const RequestSource>> requestsOf(const PointPlan& point) const;
    Status noteRequests();
    void setUpPreparation(const ProbeResult& target);
    Status measure();
    Status refine();
    Status findCounters();
    Status waitForIdleEngine();
    int generatorThreads() const;
    Status fitPrompts();
    Status prepareCache(const PointPlan& point);
    Status noteCache();
    Status conclude(const PointPlan& point, const PointMeasurement& measured);
    Status noteStamps(const RecordBatch& batch);
    std::shared_ptr<const RequestSource> withoutRefused(const PointPlan& point, std::string_view refusal);
    Status noteNeighbours();
    Status notePrompts(const PromptFit& fit);
    void tellOperatingPoints();
    void coolDown(const PointPlan& point) const;
    double secondsAfter(const PointPlan& point) const;

    Plan m_plan; ///< with the hashes of the files that were read, and the levels that were added
    Store& m_store;
    const RunOptions m_options;
    RunControl& m_control;
    const std::function<void(const RunEvent&)> m_notify;

    ProbeResult m_target;
    std::vector<ReadLengths> m_lengths;        ///< the different ones
    std::vector<StatedLengths> m_statedLengths; ///< the same before they were cut to the target's context
    std::vector<std::string> m_lengthRemarks;
    int m_longestPrompt = 0; ///< of requests that hang together
    Endpoint m_endpoint;
    std::string m_engine;                     ///< profile of the target
    std::optional<CounterScraper> m_counters; ///< where the server tells any
    std::vector<std::string> m_secrets;
    BodyOptions m_body;
    std::optional<FieldDropper> m_fields; ///< until the target has taken a request
    const EngineProfile* m_profile = nullptr;
    std::unique_ptr<HttpClient> m_http; ///< for what is asked between the points
    std::unique_ptr<CachePreparation> m_cache;
    std::optional<ColdStart> m_coldStart; ///< of a plan that has one, to the end of the run
    std::unique_ptr<LoadGenerator> m_generator;
    CacheFacts m_cacheFacts; ///< of the point that comes
    RunCard m_card;
    nlohmann::json m_environment;
    std::set<std::string> m_warned;
    std::set<std::string> m_stamps;
    std::vector<PointSummary> m_summaries;
    std::map<std::string, std::string> m_operatingPoints; ///< what was last told of each test
    ErrorCounts m_errors;
    RunReport m_report;
};

Result<RunReport> Execution::run()
{
    if (Status status = prepare(); !status)
        return status.error();
    if (const Result<RunId> created = create(); !created)
        return created.error();
    const Status status = measure();
    return finish(status ? std::nullopt : std::optional(status.error()));
}

Status Execution::prepare()
{
    const Matrix& matrix = m_plan.matrix;
    if (Status status = readLengths(); !status)
        return status.error();
    if (Status status = RequestBody::checkFiles(matrix); !status)
        return status.error();
    if (Status status = bringUp(); !status)
        return status.error();
    // A request would take the cold start's first token.
    Result<ProbeResult> probed =
        probe(matrix.target, matrix.card, matrix.limits, !m_coldStart, &m_control.stop, matrix.workload);
    if (!probed)
        return probed.error();
    m_target = std::move(probed).value();
    if (Status status = needOneModel(m_target); !status)
        return status.error();
    Result<Endpoint> endpoint = makeEndpoint(matrix);
    if (!endpoint)
        return endpoint.error();
    m_endpoint = std::move(endpoint).value();
    m_endpoint.emptyDelta = m_target.emptyDelta;
    m_secrets = secretsOf(m_endpoint.headers);
    m_body = m_target.body;
    m_engine = m_target.engine;
    m_fields.emplace(matrix.target, matrix.workload);
    if (Status status = fitLengths(m_target); !status)
        return status.error();
    m_card = m_target.card;
    m_environment = clientEnvironment();
    m_environment.update(connectionFacts(matrix.target));
    m_environment["server_documents"] = m_target.documents;
    setUpPreparation(m_target);
    return success();
}

Result<RunId> Execution::create()
{
    const Result<RunId> created = m_store.createRun(m_options.name, m_plan, m_card, m_environment);
    if (created)
        m_report.run = created.value();
    return created;
}

void Execution::setSalt(const std::string& salt)
{
    m_body.runSalt = salt;
    m_environment["prompt_salt"] = salt;
}

/// A plan with a cold start may find no target yet.
Status Execution::bringUp()
{
    if (Status status = checkCommandAllowed(m_plan, m_options.allowedCommand); !status)
        return status;
    const Test* test = coldStartOf(m_plan);
    if (!test)
        return success();
    m_coldStart.emplace(m_plan.matrix, *test, m_control, m_notify);
    return m_coldStart->bringUp();
}

/// The cold start's requests, before the target has had any other; then what the probe would have learnt from one.
Status Execution::measureCold()
{
    const PointPlan& cold = m_plan.points.front();
    if (const Result<bool> measured = measurePoint(cold, secondsAfter(cold)); !measured)
        return measured.error();
    if (m_plan.points.size() == 1 || m_control.stop)
        return success();
    const Matrix& matrix = m_plan.matrix;
    const Result<ProbeResult> probed =
        probe(matrix.target, matrix.card, matrix.limits, true, &m_control.stop, matrix.workload);
    if (!probed)
        return probed.error();
    const std::string salt = m_body.runSalt;
    m_body = probed.value().body;
    m_body.runSalt = salt;
    m_card = probed.value().card;
    setUpPreparation(probed.value());
    for (const std::string& note : probed.value().notes)
        if (Status status = warn(note); !status)
            return status;
    return m_store.updateCard(m_report.run, m_card);
}

void Execution::setUpPreparation(const ProbeResult& target)
{
    const Matrix& matrix = m_plan.matrix;
    m_profile = &engineProfile(target.engine);
    m_http = std::make_unique<HttpClient>(m_endpoint.headers, m_endpoint.connection, &m_control.stop);
    m_body.fit.overheadTokens = 1 + (matrix.target.api == Api::Chat ? m_body.chatOverheadTokens : 0);
    if (matrix.workload.cache != CachePolicy::AsIs) {
        m_body.saltField = m_profile->cache.salt;
        m_body.bypassFields = m_profile->cache.bypass;
        if (m_body.runSalt.empty())
            setSalt(freshSalt());
    }
    m_cache = std::make_unique<CachePreparation>(*m_http, matrix, *m_profile, m_body, slotsOf(target.card));
}

/// Reads every file of lengths that the plan needs: once, and before anything is sent.
Status Execution::readLengths()
{
    for (PointPlan& point : m_plan.points) {
        if (lengthsOf(point))
            continue;
        Result<ReadLengths> read = tailmark::readLengths(point.lengths, m_store);
        if (!read)
            return read.error();
        m_lengths.push_back(std::move(read).value());
        // From here on the plan says which log is meant, whatever becomes of the file.
        const Lengths named = point.lengths, resolved = m_lengths.back().lengths;
        if (m_plan.matrix.workload.lengths == named)
            m_plan.matrix.workload.lengths = resolved;
        for (PointPlan& other : m_plan.points)
            if (other.lengths == named)
                other.lengths = resolved;
    }
    Result<std::vector<std::string>> replays = checkReplays(m_plan, m_lengths);
    if (!replays)
        return replays.error();
    m_lengthRemarks = std::move(replays).value();
    return success();
}

/// The lengths as the target's context allows them.
Status Execution::fitLengths(const ProbeResult& target)
{
    const Result<RequestExtras> extras = readExtras(m_plan.matrix.workload.extras);
    for (ReadLengths& read : m_lengths) {
        m_statedLengths.emplace_back(read.source, extras ? extras.value().choices : 1);
        Result<ContextFit> fit = fitIntoContext(read.source, read.lengths.kind, m_plan.matrix.workload.beyondContext,
                                                target.contextTokens, target.body.chatOverheadTokens);
        if (!fit)
            return Error{fit.error().code, target.baseUrl, fit.error().message};
        read.source = fit.value().source;
        if (!fit.value().remark.empty())
            m_lengthRemarks.push_back(fit.value().remark);
    }
    const Result<TableFit> tables =
        fitTables(m_plan, [this](const PointPlan& point) { return readFor(point); }, target.contextTokens,
                  target.body.chatOverheadTokens);
    if (!tables)
        return tables.error().where.empty() ? Error{tables.error().code, target.baseUrl, tables.error().message}
                                            : tables.error();
    m_longestPrompt = tables.value().longestPrompt;
    if (!tables.value().remark.empty())
        m_lengthRemarks.push_back(tables.value().remark);
    return success();
}

const ReadLengths* Execution::readFor(const PointPlan& point) const
{
    for (const ReadLengths& read : m_lengths)
        if (read.lengths == point.lengths)
            return &read;
    return nullptr;
}

std::shared_ptr<const LengthSource> Execution::lengthsOf(const PointPlan& point) const
{
    const ReadLengths* read = readFor(point);
    return read ? read->source : nullptr;
}

Result<std::shared_ptr<const RequestSource>> Execution::requestsOf(const PointPlan& point) const
{
    const ReadLengths* read = readFor(point);
    return makeRequestSource(m_plan.matrix, point, m_body, read ? read->source : nullptr,
                             read ? read->log : nullptr);
}

/// Names what the run asks.
Status Execution::noteRequests()
{
    Result<nlohmann::json> names =
        requestNames(m_plan, m_body, [this](const PointPlan& point) { return readFor(point); });
    if (!names)
        return names.error();
    m_environment["requests"] = std::move(names).value();
    return m_store.updateEnvironment(m_report.run, m_environment);
}

Status Execution::setUp(double estimatedS)
{
    m_notify(RunStarted{m_report.run, m_options.name, m_options.database,
                        static_cast<int>(m_plan.points.size()), estimatedS, m_target.baseUrl,
                        m_target.engine, m_target.version, m_target.model});
    for (const std::string& note : m_target.notes)
        if (Status status = warn(note); !status)
            return status;
    for (const std::string& remark : connectionRemarks(m_plan))
        if (Status status = warn(remark); !status)
            return status;
    for (const ReadLengths& read : m_lengths)
        for (const std::string& remark : {read.warning, read.source->remark()})
            if (!remark.empty())
                if (Status status = warn(remark); !status)
                    return status;
    for (const std::string& remark : m_lengthRemarks)
        if (Status status = warn(remark); !status)
            return status;
    if (Status status = findCounters(); !status)
        return status;
    m_generator = std::make_unique<LoadGenerator>(m_endpoint, GeneratorOptions{generatorThreads()});
    if (m_coldStart)
        if (Status status = measureCold(); !status)
            return status;
    if (m_control.stop)
        return success();
    if (Status status = fitPrompts(); !status)
        return status;
    if (Status status = noteRequests(); !status)
        return status;
    return success();
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

/// Whether the server tells its counters. That it does not ends no run.
Status Execution::findCounters()
{
    std::optional<CounterEndpoint> endpoint =
        counterEndpoint(m_plan.matrix.target, m_engine, m_endpoint.headers);
    if (!endpoint)
        return success();
    const bool expected = endpoint->expected;
    m_counters.emplace(std::move(*endpoint));
    const Status told = m_counters->check();
    if (told)
        return success();
    m_counters.reset();
    return expected ? warn("No counters of the server: " + told.error().line()) : success();
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

int Execution::generatorThreads() const
{
    if (m_plan.matrix.limits.generatorThreads > 0)
        return m_plan.matrix.limits.generatorThreads;
    double chunksPerS = 0;
    for (const PointPlan& point : m_plan.points) {
        double outputTokens = 0;
        for (const LengthPart& part : lengthsOf(point)->parts()) {
            double ofPart = 0;
            for (const LengthPair& pair : part.pairs)
                ofPart += pair.outputTokens;
            outputTokens += part.share * ofPart / static_cast<double>(part.pairs.size());
        }
        chunksPerS = std::max(chunksPerS, expectedChunksPerS(point, outputTokens));
    }
    return threadsForChunks(chunksPerS, usableCores());
}

/// Finds how many words make a prompt of a wanted length; whatever comes of it, the run goes on.
Status Execution::fitPrompts()
{
    int longest = std::max(1, m_longestPrompt);
    for (const ReadLengths& read : m_lengths)
        for (const LengthPart& part : read.source->parts())
            for (const LengthPair& pair : part.pairs)
                longest = std::max(longest, pair.promptTokens);
    const MonotonicClock clock;
    const Nanoseconds until = clock.now() + fromSeconds(kFittingLimitS);
    Nanoseconds nextNews{0};
    CalibrationOptions options;
    options.longestPrompt = longest;
    options.proceed = [&](double done) {
        const Nanoseconds now = clock.now();
        if (now >= nextNews) {
            nextNews = now + kPreparationNews;
            m_notify(Preparation{"fitting prompt lengths", static_cast<int>(100 * done), 100});
        }
        return !m_control.stop && now < until;
    };
    TargetTokens tokens(*m_http, m_plan.matrix, *m_profile, m_body);
    for (const std::string& note : tokens.tryCacheFields())
        if (Status status = warn(note); !status)
            return status;
    const Result<Calibration> calibrated = calibratePrompts(tokens.oracle(), options);
    if (!calibrated)
        return success(); // stopped: the points see that too
    const PromptFit& fit = calibrated.value().fit;
    if (fit.method != PromptMethod::Unchecked)
        m_body.fit = fit;
    for (const std::string& note : calibrated.value().notes)
        if (Status status = warn(note); !status)
            return status;
    return notePrompts(fit);
}

Status Execution::setFit(const PromptFit& fit)
{
    m_body.fit = fit;
    if (Status status = notePrompts(fit); !status)
        return status;
    return noteRequests();
}

Status Execution::notePrompts(const PromptFit& fit)
{
    m_environment["prompts"] = {{"method", promptMethodId(fit.method)},
                                {"exact", fit.exact()},
                                {"overhead_tokens", m_body.fit.overheadTokens},
                                {"tokens_per_word", fit.tokensPerPiece},
                                {"words_left_out", fit.dropped},
                                {"text", promptFitText(m_body.fit)}};
    return m_store.updateEnvironment(m_report.run, m_environment);
}

Status Execution::prepareCache(const PointPlan& point)
{
    const Result<CacheFacts> made = m_cache->prepare(point, *m_generator, m_control, m_notify);
    if (!made)
        return made.error();
    m_cacheFacts = made.value();
    for (const std::string& note : m_cache->takeNotes())
        if (Status status = warn(note); !status)
            return status;
    return success();
}

/// How the stated cache stands after the points so far, into the card.
Status Execution::noteCache()
{
    std::vector<CacheState> states;
    for (const PointSummary& summary : m_summaries)
        states.push_back(summary.cache);
    const CardEntry before = m_card.entry(kCacheEntry);
    const CacheState state = pooled(states);
    m_card.read(kCacheEntry, cacheEntryText(state));
    const std::string& hint = m_profile->cache.cachedHint;
    if (state.standing == CacheStanding::Unverified && state.succeeded && !hint.empty())
        if (Status status = warn("the state of the cache is unverified: the engine tells cached tokens only with " +
                                 hint);
            !status)
            return status;
    return m_card.entry(kCacheEntry) == before ? success() : m_store.updateCard(m_report.run, m_card);
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

/// The probe's request was taken, and the load's first is not: the field it is refused for gives way too.
std::shared_ptr<const RequestSource> Execution::withoutRefused(const PointPlan& point, std::string_view refusal)
{
    const std::string dropped = m_fields->drop(refusal, m_body);
    if (dropped.empty())
        return nullptr;
    const Result<std::shared_ptr<const RequestSource>> source = requestsOf(point);
    if (!source || !warn(dropped) || !noteRequests())
        return nullptr;
    return source.value();
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

} // namespace

bool isSameTarget(std::string_view a, std::string_view b)
{
    const auto withoutSlash = [](std::string_view url) {
        return url.ends_with('/') ? url.substr(0, url.size() - 1) : url;
    };
    return withoutSlash(a) == withoutSlash(b);
}

void holdWhilePaused(const RunControl& control)
{
    while (control.pauseAfter && !control.stop)
        std::this_thread::sleep_for(kPoll);
}

std::unique_ptr<RunSteps> makeRunSteps(const Plan& plan, Store& store, const RunOptions& options, RunControl& control,
                                       std::function<void(const RunEvent&)> onEvent)
{
    return std::make_unique<Execution>(plan, store, options, control, std::move(onEvent));
}

Result<RunReport> executeRun(const Plan& plan, Store& store, const RunOptions& options, RunControl& control,
                             const std::function<void(const RunEvent&)>& onEvent)
{
    return Execution(plan, store, options, control, onEvent).run();
}

} // namespace tailmark
