// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/foreign_figures.h"
#include "record/length_figures.h"
#include "record/server_sample.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tailmark {

/// What was done for the stated state of the engine's prefix cache before a point, and what is needed to judge
/// it.
struct CacheFacts
{
    std::string made;                  ///< in words: "salted by cache_salt, 4 shared prefixes sent before"
    std::optional<int> overheadTokens; ///< the same in every prompt (template): any cache may have these
    /// A count that is missing is 0 where others of the point are told: such engines leave out a zero.
    bool absentIsZero = false;
    bool operator==(const CacheFacts&) const = default;
};

/// How a target came up before the requests of a cold start. Seconds since its start: of the command, or, where it was
/// started apart, of the wait for it.
struct ColdStartFacts
{
    std::string command;       ///< that started it, as it was shown; empty = started apart
    double connectedS = 0;     ///< until somebody answered at its address, with whatever
    double readyS = 0;         ///< until it was ready: it lists its models, and no health endpoint says otherwise
    double requestsFromS = 0;  ///< until the point's own clock began
    int failedAttempts = 0;    ///< before it was ready
    bool operator==(const ColdStartFacts&) const = default;
};

/// What is kept of a point beside its records: how it ended, how the generator fared, what the server told.
struct PointFacts
{
    double endedS = 0; ///< when the point ended, since its start: a stopped point's window ends here
    double windowS = 0; ///< length of the window where it went on until stable; 0 = as planned
    std::string windowNote; ///< how that ended, in words; empty = as planned
    std::optional<double> cpuCores;
    std::optional<double> busiestThreadCpu;
    std::optional<double> runDelayShare;
    std::vector<double> threadCpu; ///< of each generator thread, in cores
    std::vector<double> loopLagMs;
    std::vector<double> timerLagMs;
    std::uint64_t newConnections = 0, staleConnections = 0;
    std::string generatorNote;
    CacheFacts cache;
    std::optional<ColdStartFacts> coldStart; ///< of a cold start
    std::optional<AskedLengths> lengths; ///< as the matrix states them; absent in facts of older versions
    std::uint64_t clippedRequests = 0;   ///< cut to fit the target's context
    std::string endedBy = "time"; ///< what ended it: time, count, skip, stop, error
    std::vector<ServerSample> serverSamples; ///< by time
    std::vector<ServerCounter> countedAtRequestEnd; ///< those that grow only when a request ends
    std::optional<ForeignFigures> foreign; ///< of a point that another tool measured: all that there is of it
    std::string serverNote; ///< what kept counters from being read; empty = nothing
};

} // namespace tailmark
