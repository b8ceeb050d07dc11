// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/server_sample.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailmark {

/// One of the engine's counters over the window of a point. What was not told is absent.
struct ServerFigure
{
    std::size_t n = 0;                    ///< readings
    std::optional<double> mean, min, max; ///< of a gauge
    std::optional<double> delta, perS;    ///< of a counter
    bool restarted = false;               ///< it fell inside the window: no difference can be taken
    bool atRequestEnd = false;            ///< it grows only when a request ends
    bool operator==(const ServerFigure&) const = default;
};

/// Tokens per second of wall clock.
struct Speculation
{
    double draftedPerS = 0, acceptedPerS = 0, rejectedPerS = 0; ///< by the engine's counters
    std::optional<double> generatedPerS;                        ///< by the engine's counters
    double usefulPerS = 0; ///< useful output that arrived at the client meanwhile; 0 without known tokens
    bool operator==(const Speculation&) const = default;
};

/// What the engine's own counters say of a point.
struct ServerSummary
{
    /// The readings next to the edges of the window, seconds since the start of the point; differences and
    /// means are taken between them, rates over the time between them.
    double startS = 0, endS = 0;
    std::size_t readings = 0;
    std::map<ServerCounter, ServerFigure> figures;
    /// Of the whole point, from before its first request to after its last; absent where it cannot be known.
    std::optional<double> generatedInPoint;
    std::optional<Speculation> speculation;
    std::vector<std::string> remarks; ///< restarts, readings that failed

    const ServerFigure* figure(ServerCounter counter) const;
    std::optional<double> delta(ServerCounter counter) const;
    /// Share of the queried prompt tokens (or blocks) that the prefix cache had, 0..1.
    std::optional<double> prefixHitShare() const;
    /// Mean wait of a request in the engine's queue.
    std::optional<double> meanQueueS() const;
    bool operator==(const ServerSummary&) const = default;
};

struct PointData;

/// Absent where the engine told nothing.
std::optional<ServerSummary> summarizeServer(const PointData& data);

} // namespace tailmark
