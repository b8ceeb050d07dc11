// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sim/api_request.h"
#include "sim/faults.h"
#include "sim/http_server.h"
#include "sim/scheduler.h"
#include "sim/truth_log.h"
#include "sim/wire.h"

namespace tailmark::sim {

/// What the model will say to a prompt, known before it says it.
struct AnswerPlan
{
    std::uint64_t seed = 0;
    int tokens = 0;
    bool stops = false; ///< of itself; else it is cut at its cap
};

/// Draws the answer from the prompt's content and the server's seed: the same prompt always gets the same
/// words and the same natural length, which ignore_eos, min_tokens and the cap then overrule. Each choice of
/// a request has an answer of its own.
AnswerPlan planAnswer(const GenerationRequest& request, const Profile& profile, std::uint64_t serverSeed,
                      int choice = 0);

/// The answer to one request on its way to the client: turns what the engine emits into bytes on the
/// connection, plays the faults that strike an answer, and keeps the truth about it. One thread.
class Answer
{
public:
    enum class State {
        Open,
        Stalled,  ///< what comes is kept; resume() is to be called stallSeconds() after the first time
        Finished, ///< all was written
        CutOff,   ///< a fault ended it early: the engine should stop; the connection may be gone
    };

    /// `plans`: one for each choice.
    Answer(const GenerationRequest& request, AnswerWriter writer, const std::vector<AnswerPlan>& plans,
           Fault fault, TruthRow truth);

    /// The engine took the request: sends the head of a stream.
    void begin(Connection& connection);
    /// What a step gave it.
    State deliver(Connection& connection, const Emission& emission);
    /// The stall is over: writes what came meanwhile.
    State resume(Connection& connection);

    double stallSeconds() const { return m_fault.param; }
    TruthRow& truth() { return m_truth; }

private:
    State write(Connection& connection, const Emission& emission);
    State writeStreamed(Connection& connection, const Emission& emission);
    State writeWhole(Connection& connection, const Emission& emission);
    bool cutsOffNow() const;
    State cutOff(Connection& connection);
    void strike() { m_truth.fault = m_fault.kind; }
    Usage usage() const;
    struct Choice
    {
        bool stops = false; ///< of itself; else it is cut at its cap
        int tokens = 0;     ///< written
    };
    std::string_view finishReason(const Choice& choice) const
    {
        return !choice.stops ? "length" : m_calls ? "tool_calls" : "stop";
    }

    const AnswerWriter m_writer;
    std::vector<Choice> m_choices;
    std::size_t m_open; ///< choices that are not finished
    int m_planned = 0;  ///< tokens of all choices
    const bool m_calls; ///< a tool
    const Fault m_fault;
    const bool m_stream;
    const bool m_chat;
    const bool m_includeUsage;
    const bool m_cachedTokensInUsage;
    TruthRow m_truth;
    MonotonicClock m_clock;
    bool m_stallOver = false;
    std::vector<Emission> m_held;
};

} // namespace tailmark::sim
