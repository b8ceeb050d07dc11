// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/execution.h"

#include "analysis/cache_state.h"
#include "plan/request_extras.h"
#include "run/context_fit.h"
#include "run/environment.h"
#include "run/generator_threads.h"
#include "run/log_replay.h"
#include "run/request_entries.h"
#include "run/request_hash.h"
#include "run/table_fit.h"
#include "target/address.h"
#include "target/engine_profiles.h"
#include "target/secrets.h"
#include "target/prompt_oracle.h"
#include "workload/prompt_file.h"
#include "workload/request_body.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>

namespace tailmark {

namespace {

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

/// Of engines that keep a cache for each slot: how many slots; 0 = not told.
int slotsOf(const RunCard& card)
{
    const CardEntry entry = card.entry("flags.total_slots");
    return entry.origin == CardOrigin::Unknown ? 0 : std::atoi(entry.value.c_str());
}

} // namespace

Status Execution::prepare()
{
    const Matrix& matrix = m_plan.matrix;
    if (Status status = readLengths(); !status)
        return status.error();
    if (Status status = RequestBody::checkFiles(matrix); !status)
        return status.error();
    if (Status status = checkCertificates(matrix.target); !status)
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
    noteFields();
    return success();
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
    noteFields();
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

/// Reads every file of lengths that the plan needs, before anything is sent.
Status Execution::readLengths()
{
    Result<std::vector<ReadLengths>> lengths = tailmark::readLengths(
        m_plan, [this](const Lengths& named) { return tailmark::readLengths(named, m_store); });
    if (!lengths)
        return lengths.error();
    m_lengths = std::move(lengths).value();
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
        m_statedLengths.emplace_back(read.source, extras ? extras.value().choices : 1, read.log);
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

/// What the requests carry, into the card.
void Execution::noteFields()
{
    m_card.setSent(requestEntries(m_plan, m_body, [this](const PointPlan& point) { return readFor(point); }));
}

/// Names what the run asks.
Status Execution::noteRequests()
{
    Result<nlohmann::json> names =
        requestNames(m_plan, m_body, [this](const PointPlan& point) { return readFor(point); });
    if (!names)
        return names.error();
    m_environment["requests"] = std::move(names).value();
    const RunCard before = m_card;
    noteFields();
    if (m_card != before)
        if (Status status = m_store.updateCard(m_report.run, m_card); !status)
            return status;
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
    if (m_plan.matrix.workload.sessions.kind != SessionsKind::None && m_plan.matrix.target.api == Api::Chat)
        m_environment["prompts"]["turn_tokens"] = m_body.fit.turnTokens;
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

} // namespace tailmark
