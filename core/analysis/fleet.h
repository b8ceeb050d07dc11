// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/operating_point.h"
#include "base/result.h"

#include <optional>
#include <string>

namespace tailmark {

enum class FleetUnit { RequestsPerS, TokensPerS };

/// What all replicas together are to carry.
struct FleetDemand
{
    double value = 0; ///< above 0
    FleetUnit unit = FleetUnit::RequestsPerS;
    double headroom = 0; ///< share of its capacity that each replica keeps free, 0..1 exclusive
};

/// How many replicas of what was measured carry a demand within the SLO.
struct FleetSize
{
    FleetDemand demand;
    std::optional<double> perReplica; ///< capacity of one that is counted with; absent where none is known
    bool isLowerEnd = false;          ///< it is the lower end of the 95 % interval of the capacity
    std::optional<int> replicas;
    std::string sentence; ///< what it means and what it assumes
};

/// The capacity of one replica is the lower end of the interval of the operating point's throughput, none where that end is
/// open; without an interval that of the last passing level; below the first level there is none. replicas = ceil(demand / (capacity x (1 - headroom))). Assumes
/// that replicas are independent and the demand is spread perfectly over them, which no balancer does: that is what the
/// headroom is for.
FleetSize fleetFor(const OperatingPoint& op, const FleetDemand& demand);

/// "120" or "120 requests/s", "9000 tok/s" -> demand. Errors say what is allowed.
Result<FleetDemand> parseFleetDemand(const std::string& text);

} // namespace tailmark
