// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/generations.h"

#include <ctime>

#include <event2/event.h>

#include "base/rng.h"

namespace tailmark::sim {

namespace {

enum SeedOf : std::uint64_t { kScheduler = 1, kFaults = 2, kAnswers = 3 };

} // namespace

void respondError(Connection& connection, const ApiError& error)
{
    const bool later = error.status == 429 || error.status == 503;
    connection.respond(error.status, "application/json", errorBody(error.status, error.message, error.param),
                       later ? "retry-after: 1\r\n" : "");
}

Generations::Generations(EventLoop& loop, const HttpServer& http, const ServerOptions& options,
                         TruthLog truth)
    : m_loop(loop), m_http(http),
      m_profile(options.profile), m_model{options.profile.model, options.profile.maxModelLen,
                                          options.adapters},
      m_cachedTokensInUsage(options.cachedTokens), m_answerSeed(deriveSeed(options.seed, kAnswers)),
      m_faults(options.faults, deriveSeed(options.seed, kFaults)), m_truth(std::move(truth)),
      m_metrics(options.profile, m_model.name),
      m_engine(loop, options.profile, options.maxQueue, deriveSeed(options.seed, kScheduler), *this,
               options.coldPenaltyMs)
{
}

TruthRow Generations::newTruth(const HttpRequest& request)
{
    TruthRow truth;
    truth.received = m_clock.now();
    truth.requestId = request.header("x-request-id");
    if (truth.requestId.empty())
        truth.requestId = std::to_string(m_requests);
    return truth;
}

void Generations::refuse(Connection& connection, TruthRow& truth, const ApiError& error)
{
    respondError(connection, error);
    truth.httpStatus = error.status;
    truth.closed = m_clock.now();
    m_truth.write(truth);
}

void Generations::refuse(Connection& connection, const HttpRequest& request, const ApiError& error)
{
    ++m_requests;
    TruthRow truth = newTruth(request);
    refuse(connection, truth, error);
}

void Generations::start(Connection& connection, Api api, const HttpRequest& http)
{
    const std::uint64_t id = ++m_requests;
    TruthRow truth = newTruth(http);
    auto parsed = parseGeneration(api, http.body, m_model);
    if (const auto* error = std::get_if<ApiError>(&parsed))
        return refuse(connection, truth, *error);
    GenerationRequest& request = std::get<GenerationRequest>(parsed);
    request.cachedTokensInUsage = m_cachedTokensInUsage;
    truth.promptTokens = request.prompt.size();
    const Fault fault = m_faults.pick(id);
    if (fault.kind == FaultKind::Status) {
        truth.fault = fault.kind;
        return refuse(connection, truth, {static_cast<int>(fault.param), "Injected fault.", ""});
    }
    if (fault.kind == FaultKind::Hang || (fault.kind == FaultKind::NoUsage && request.includeUsage))
        truth.fault = fault.kind;
    if (fault.kind == FaultKind::NoUsage)
        request.includeUsage = request.continuousUsage = false;

    std::vector<AnswerPlan> plans;
    for (int choice = 0; choice < request.choices; ++choice)
        plans.push_back(planAnswer(request, m_profile, m_answerSeed, choice));
    const std::string& model = request.model.empty() ? m_model.name : request.model;
    AnswerWriter writer(request, truth.requestId, model, std::time(nullptr), plans.front().seed);
    m_open.try_emplace(id, *this, id, connection.id(), request.choices,
                       Answer(request, std::move(writer), plans, fault, std::move(truth)));
    connection.openRequest = id;
    if (fault.kind == FaultKind::Hang)
        return;
    for (int choice = 0; choice < request.choices; ++choice) {
        const AnswerPlan& plan = plans[static_cast<std::size_t>(choice)];
        SchedulerRequest work;
        work.id = engineId(id, choice);
        work.promptTokens = request.prompt.size();
        work.outputTokens = plan.tokens;
        if (m_profile.prefixCache)
            work.blockHashes =
                blockHashes(request.prompt, request.cacheSalt, plan.seed, plan.tokens, m_profile.block);
        m_engine.submit(std::move(work));
    }
}

/// The choices of a request leave the ingest stage one right after the other; it is taken when all were.
void Generations::onAdmission(std::uint64_t id, Admission admission, Nanoseconds now)
{
    Open& open = m_open.at(requestOf(id));
    Connection& connection = *m_http.find(open.connection);
    open.refused |= admission != Admission::Queued;
    if (++open.decided < open.choices)
        return;
    if (!open.refused) {
        open.queuedAt = now;
        open.answer.begin(connection);
        return;
    }
    for (int choice = 0; choice < open.choices; ++choice)
        m_engine.abort(engineId(open.id, choice));
    refuse(connection, open.answer.truth(), {429, "The engine's queue is full. Please try again later.", ""});
    m_open.erase(open.id);
}

void Generations::onFirstScheduled(std::uint64_t id, Nanoseconds stepStart)
{
    if (choiceOf(id) != 0)
        return;
    Open& open = m_open.at(requestOf(id));
    const Nanoseconds waited = std::max(stepStart - open.queuedAt, Nanoseconds(0));
    open.answer.truth().queued = waited;
    m_metrics.queueTime.observe(toSeconds(waited));
}

void Generations::onStepEnd(std::span<const Emission> emissions)
{
    const Nanoseconds now = m_clock.now();
    for (const Emission& emission : emissions) {
        const auto it = m_open.find(requestOf(emission.id));
        if (it == m_open.end())
            continue; // cut off by what was written before it
        Open& open = it->second;
        countTokens(open, emission, now);
        settle(open, open.answer.deliver(*m_http.find(open.connection), emission));
    }
}

void Generations::countTokens(Open& open, const Emission& emission, Nanoseconds now)
{
    const TruthRow& truth = open.answer.truth();
    m_metrics.generationTokens += emission.tokens;
    if (choiceOf(emission.id) != 0)
        return; // the times of a request are those of its first choice
    if (!isPresent(open.lastTokens)) {
        m_metrics.promptTokens += truth.promptTokens;
        m_metrics.timeToFirstToken.observe(toSeconds(now - truth.received));
    } else {
        m_metrics.interTokenLatency.observe(toSeconds(now - open.lastTokens));
    }
    open.lastTokens = now;
}

void Generations::settle(Open& open, Answer::State state)
{
    switch (state) {
    case Answer::State::Open:
        break;
    case Answer::State::Stalled:
        startStall(open);
        break;
    case Answer::State::Finished:
        m_metrics.e2eLatency.observe(toSeconds(m_clock.now() - open.answer.truth().received));
        close(open);
        break;
    case Answer::State::CutOff:
        cutOff(open.id);
        break;
    }
}

void Generations::startStall(Open& open)
{
    if (open.stallTimer)
        return;
    const auto over = [](evutil_socket_t, short, void* argument) {
        Open& stalled = *static_cast<Open*>(argument);
        Generations& self = stalled.owner;
        self.settle(stalled, stalled.answer.resume(*self.m_http.find(stalled.connection)));
    };
    open.stallTimer.reset(evtimer_new(m_loop.base(), over, &open));
    const auto us = static_cast<std::int64_t>(open.answer.stallSeconds() * 1e6);
    const timeval delay{us / 1'000'000, us % 1'000'000};
    evtimer_add(open.stallTimer.get(), &delay);
}

void Generations::clientGone(std::uint64_t id)
{
    cutOff(id);
}

void Generations::cutOff(std::uint64_t id)
{
    const auto it = m_open.find(id);
    if (it == m_open.end())
        return;
    for (int choice = 0; choice < it->second.choices; ++choice)
        m_engine.abort(engineId(id, choice));
    it->second.answer.truth().finishReason = "abort";
    close(it->second);
}

void Generations::close(Open& open)
{
    TruthRow& truth = open.answer.truth();
    truth.closed = m_clock.now();
    m_metrics.countFinished(truth.finishReason);
    m_truth.write(truth);
    m_open.erase(open.id);
}

void Generations::endAll()
{
    while (!m_open.empty())
        cutOff(m_open.begin()->first);
}

} // namespace tailmark::sim
