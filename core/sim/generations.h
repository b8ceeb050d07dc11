// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "sim/answer.h"
#include "sim/engine.h"
#include "sim/metrics.h"
#include "sim/server.h"

namespace tailmark::sim {

/// The requests that are being answered: takes them from the routes to the engine, brings what the engine
/// emits to their connections, and writes the truth of each when it ends. One thread.
class Generations final : public EngineListener
{
public:
    Generations(EventLoop& loop, const HttpServer& http, const ServerOptions& options, TruthLog truth);

    const ServedModel& model() const { return m_model; }
    /// Checks a request and sets it going, or answers why not.
    void start(Connection& connection, Api api, const HttpRequest& request);
    /// Answers a request for a generation with an error, and logs it.
    void refuse(Connection& connection, const HttpRequest& request, const ApiError& error);
    /// The client of this request has gone.
    void clientGone(std::uint64_t id);
    /// Cuts off whatever is open.
    void endAll();

    std::string metricsText() const { return m_metrics.text(m_engine.stats()); }
    bool resetPrefixCache() { return m_engine.resetPrefixCache(); }

    void onAdmission(std::uint64_t id, Admission admission, Nanoseconds now) override;
    void onFirstScheduled(std::uint64_t id, Nanoseconds stepStart) override;
    void onStepEnd(std::span<const Emission> emissions) override;

private:
    struct Open
    {
        Open(Generations& owner, std::uint64_t id, std::uint64_t connection, int choices, Answer answer)
            : owner(owner), id(id), connection(connection), choices(choices), answer(std::move(answer))
        {
        }
        Generations& owner;
        const std::uint64_t id;
        const std::uint64_t connection;
        const int choices;
        Answer answer;
        int decided = 0;      ///< choices that the engine took or turned away
        bool refused = false; ///< it turned one away
        Nanoseconds queuedAt = kAbsentTime;
        Nanoseconds lastTokens = kAbsentTime;
        EventPtr stallTimer;
    };

    TruthRow newTruth(const HttpRequest& request);
    void refuse(Connection& connection, TruthRow& truth, const ApiError& error);
    void settle(Open& open, Answer::State state);
    void startStall(Open& open);
    void cutOff(std::uint64_t id);
    void close(Open& open);
    void countTokens(Open& open, const Emission& emission, Nanoseconds now);

    EventLoop& m_loop;
    const HttpServer& m_http;
    const Profile m_profile;
    const ServedModel m_model;
    const bool m_cachedTokensInUsage;
    const std::uint64_t m_answerSeed;
    const FaultPicker m_faults;
    TruthLog m_truth;
    MonotonicClock m_clock;
    Metrics m_metrics;
    Engine m_engine;
    std::unordered_map<std::uint64_t, Open> m_open;
    std::uint64_t m_requests = 0;
};

/// Answers with an error in vLLM's shape.
void respondError(Connection& connection, const ApiError& error);

} // namespace tailmark::sim
