// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tailmark {

/// What is kept of a point beside its records: how it ended, and how the generator fared.
struct PointFacts
{
    double endedS = 0; ///< when the point ended, since its start: a stopped point's window ends here
    std::optional<double> cpuCores;
    std::optional<double> busiestThreadCpu;
    std::optional<double> runDelayShare;
    std::vector<double> loopLagMs;
    std::uint64_t newConnections = 0, staleConnections = 0;
    std::string generatorNote;
    std::string endedBy = "time"; ///< what ended it: time, count, skip, stop, error
};

} // namespace tailmark
