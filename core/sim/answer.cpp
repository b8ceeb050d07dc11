// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/answer.h"

#include <algorithm>

#include "base/rng.h"

namespace tailmark::sim {

namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kStreamType = "text/event-stream; charset=utf-8";
constexpr std::string_view kInjectedError = "Injected fault: the engine failed while generating.";
constexpr std::string_view kGarbage("\x00\xff\xfe<html>\x01 no event stream \x80\x81</html>\r\n", 36);

} // namespace

AnswerPlan planAnswer(const GenerationRequest& request, const Profile& profile, std::uint64_t serverSeed,
                      int choice)
{
    AnswerPlan plan;
    plan.seed = choiceSeed(deriveSeed(serverSeed, request.prompt.contentHash()), choice);
    plan.tokens = request.maxTokens;
    if (request.ignoreEos)
        return plan;
    const int natural = std::max(
        naturalLength(plan.seed, profile.naturalOutput.mean, profile.naturalOutput.cv), request.minTokens);
    plan.stops = natural <= request.maxTokens;
    plan.tokens = std::min(natural, request.maxTokens);
    return plan;
}

Answer::Answer(const GenerationRequest& request, AnswerWriter writer, const std::vector<AnswerPlan>& plans,
               Fault fault, TruthRow truth)
    : m_writer(std::move(writer)), m_open(plans.size()), m_calls(!request.tool.empty()), m_fault(fault),
      m_stream(request.stream), m_chat(request.api == Api::Chat), m_includeUsage(request.includeUsage),
      m_cachedTokensInUsage(request.cachedTokensInUsage), m_truth(std::move(truth))
{
    for (const AnswerPlan& plan : plans) {
        m_choices.push_back({plan.stops, 0});
        m_planned += plan.tokens;
    }
}

void Answer::begin(Connection& connection)
{
    if (!m_stream)
        return;
    m_truth.httpStatus = 200;
    connection.beginStream(200, kStreamType);
}

Answer::State Answer::deliver(Connection& connection, const Emission& emission)
{
    if (m_fault.kind == FaultKind::Stall && !m_stallOver && m_truth.outputTokens >= m_planned / 2) {
        m_held.push_back(emission);
        strike();
        return State::Stalled;
    }
    return write(connection, emission);
}

Answer::State Answer::resume(Connection& connection)
{
    m_stallOver = true;
    State state = State::Open;
    for (const Emission& emission : std::exchange(m_held, {}))
        state = write(connection, emission);
    return state;
}

Answer::State Answer::write(Connection& connection, const Emission& emission)
{
    if (choiceOf(emission.id) == 0) // the others find its prompt in the cache
        m_truth.cachedTokens = emission.cachedTokens;
    m_truth.preemptions = std::max(m_truth.preemptions, emission.preemptions);
    return m_stream ? writeStreamed(connection, emission) : writeWhole(connection, emission);
}

Answer::State Answer::writeStreamed(Connection& connection, const Emission& emission)
{
    if (cutsOffNow())
        return cutOff(connection);
    thread_local std::string chunk; // keeps its memory from chunk to chunk
    const int number = choiceOf(emission.id);
    Choice& choice = m_choices[static_cast<std::size_t>(number)];
    const int first = choice.tokens;
    const bool isFirst = m_truth.tokenEvents == 0;
    if (first == 0 && m_chat) {
        chunk.clear();
        m_writer.appendRoleChunk(chunk, number, usage());
        connection.addChunk(chunk);
    }
    choice.tokens += emission.tokens;
    m_truth.outputTokens += emission.tokens;
    ++m_truth.tokenEvents;
    chunk.clear();
    m_writer.appendTokenChunk(chunk, number, first, emission.tokens,
                              emission.finished ? finishReason(choice) : std::string_view(), usage());
    connection.addChunk(chunk);
    if (emission.finished)
        --m_open;
    const bool finished = m_open == 0;
    if (finished) {
        if (m_includeUsage) {
            chunk.clear();
            m_writer.appendUsageChunk(chunk, usage());
            connection.addChunk(chunk);
        }
        chunk.clear();
        AnswerWriter::appendDone(chunk);
        connection.addChunk(chunk);
        m_truth.finishReason = finishReason(m_choices.front());
    }
    m_truth.lastTokenWritten = m_clock.now();
    if (isFirst)
        m_truth.firstTokenWritten = m_truth.lastTokenWritten;
    if (finished) {
        connection.endStream();
        return State::Finished;
    }
    connection.flush();
    return cutsOffNow() ? cutOff(connection) : State::Open;
}

Answer::State Answer::writeWhole(Connection& connection, const Emission& emission)
{
    m_choices[static_cast<std::size_t>(choiceOf(emission.id))].tokens += emission.tokens;
    m_truth.outputTokens += emission.tokens;
    if (emission.finished)
        --m_open;
    if (m_open > 0)
        return State::Open;
    if (m_fault.kind == FaultKind::Cut || m_fault.kind == FaultKind::Error ||
        m_fault.kind == FaultKind::Garbage)
        return cutOff(connection);
    std::vector<AnswerWriter::Whole> choices;
    for (const Choice& choice : m_choices)
        choices.push_back({choice.tokens, finishReason(choice)});
    const std::string body = m_writer.body(choices, usage(), m_includeUsage);
    m_truth.httpStatus = 200;
    m_truth.finishReason = finishReason(m_choices.front());
    m_truth.firstTokenWritten = m_truth.lastTokenWritten = m_clock.now();
    connection.respond(200, kJsonType, body);
    return State::Finished;
}

bool Answer::cutsOffNow() const
{
    switch (m_fault.kind) {
    case FaultKind::Garbage:
        return true;
    case FaultKind::Cut:
    case FaultKind::Error:
        return m_truth.tokenEvents >= m_fault.param;
    default:
        return false;
    }
}

Answer::State Answer::cutOff(Connection& connection)
{
    strike();
    switch (m_fault.kind) {
    case FaultKind::Garbage:
        m_truth.httpStatus = 200;
        if (m_stream) {
            connection.addChunk(kGarbage);
            connection.endStream();
        } else {
            connection.respond(200, kJsonType, kGarbage);
        }
        break;
    case FaultKind::Error:
        if (m_stream) {
            std::string events;
            AnswerWriter::appendErrorEvent(events, 500, kInjectedError);
            AnswerWriter::appendDone(events);
            connection.addChunk(events);
            connection.endStream();
        } else {
            m_truth.httpStatus = 500;
            connection.respond(500, kJsonType, errorBody(500, kInjectedError));
        }
        break;
    default: // Cut
        if (!m_stream) {
            m_truth.httpStatus = 200;
            connection.writeRaw(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{");
        }
        connection.close();
        break;
    }
    return State::CutOff;
}

Usage Answer::usage() const
{
    return {m_truth.promptTokens, m_truth.outputTokens, m_cachedTokensInUsage ? m_truth.cachedTokens : -1};
}

} // namespace tailmark::sim
