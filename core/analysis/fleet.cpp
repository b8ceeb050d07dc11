// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/fleet.h"

#include "analysis/text.h"

#include <charconv>
#include <cmath>

namespace tailmark {

namespace {

std::string unitText(FleetUnit unit)
{
    return unit == FleetUnit::TokensPerS ? " tok/s" : " requests/s";
}

std::optional<double> throughputOf(const CapacityAt& at, FleetUnit unit)
{
    return unit == FleetUnit::TokensPerS ? at.outputTokensPerS : at.requestsPerS;
}

const std::optional<CrossingInterval>& intervalOf(const OperatingPoint& op, FleetUnit unit)
{
    return unit == FleetUnit::TokensPerS ? op.crossingTokensPerS : op.crossingRequestsPerS;
}

std::string sourceText(const OperatingPoint& op, bool isLowerEnd)
{
    if (isLowerEnd)
        return "the lower end of the 95 % interval of its capacity";
    if (op.state == OperatingState::NotReached)
        return "what it carried at the highest level measured, so that fewer may do";
    return "what it carried at the last level that passes";
}

} // namespace

FleetSize fleetFor(const OperatingPoint& op, const FleetDemand& demand)
{
    FleetSize fleet{demand, {}, false, {}, {}};
    const std::string wished = figureText(demand.value) + unitText(demand.unit);
    if (const auto& interval = intervalOf(op, demand.unit); interval && interval->lowOpen) {
        fleet.sentence = "No number of replicas can be told for " + wished +
                         ": the lower end of the capacity of one lies below the lowest level that may be believed. Lower levels or "
                         "longer points would tell.";
        return fleet;
    } else if (interval) {
        fleet.perReplica = interval->low;
        fleet.isLowerEnd = true;
    } else if (op.lastPassing) {
        fleet.perReplica = throughputOf(*op.lastPassing, demand.unit);
    }
    if (!fleet.perReplica || *fleet.perReplica <= 0) {
        fleet.perReplica.reset();
        fleet.sentence = "No number of replicas can be told for " + wished +
                         ": the capacity of one within its limits is not known.";
        return fleet;
    }
    constexpr double kRounding = 1e-9;
    const double usable = *fleet.perReplica * (1 - demand.headroom);
    fleet.replicas = static_cast<int>(std::ceil(demand.value / usable - kRounding));
    const double load = demand.value / (*fleet.replicas * *fleet.perReplica);
    fleet.sentence =
        std::to_string(*fleet.replicas) + (*fleet.replicas == 1 ? " replica carries " : " replicas carry ") +
        wished + " within the limits, each loaded to " + percentText(load) + " of " +
        figureText(*fleet.perReplica) + unitText(demand.unit) + ", " + sourceText(op, fleet.isLowerEnd) +
        (demand.headroom > 0 ? ", with " + percentText(demand.headroom) + " kept free" : std::string()) +
        ". This takes the replicas as independent and the load as spread evenly over them; no balancer "
        "is perfect, so " +
        (demand.headroom > 0 ? "the headroom has to cover that too." : "add headroom.");
    if (op.axis == LoadAxis::Concurrency)
        fleet.sentence += " It is the capacity of a closed loop, whose clients wait for their answers before they ask again; "
                          "arrivals that do not wait come in bunches, for which an arrival sweep tells the capacity.";
    return fleet;
}

Result<FleetDemand> parseFleetDemand(const std::string& text)
{
    FleetDemand demand;
    const char* end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, demand.value);
    std::string unit(rest, end);
    unit.erase(0, std::min(unit.find_first_not_of(' '), unit.size()));
    if (unit == "tok/s")
        demand.unit = FleetUnit::TokensPerS;
    const bool known = unit.empty() || unit == "requests/s" || unit == "tok/s";
    if (code != std::errc() || !known || !std::isfinite(demand.value) || demand.value <= 0 ||
        demand.value > 1e12)
        return Error{ErrorCode::BadInput, "--fleet",
                     "must be a rate above 0, like 120, '120 requests/s' or '9000 tok/s'; is '" + text + "'"};
    return demand;
}

} // namespace tailmark
