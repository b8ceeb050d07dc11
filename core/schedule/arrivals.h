// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "plan/plan.h"
#include "schedule/recorded_times.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tailmark {

struct Arrival
{
    Nanoseconds intended{0}; ///< since the start of the point, in whole µs
    std::uint8_t phase = 0;  ///< index into PointPlan::phases
    /// Of the log, where its arrivals are replayed: what else the row tells goes with it.
    std::uint32_t row = 0;
    std::uint32_t lap = 0; ///< how often the log had begun again before
    bool operator==(const Arrival&) const = default;
};

/// The intended start of every request of an open-loop point, all from one seed: phases one after another, each
/// with its rate times the shape. Constant: evenly spaced. Poisson: exponential gaps. Gamma, Weibull: gaps of that
/// distribution with the stated CV (1 = Poisson). Recorded: those of `log`, in its order. Operational time carries
/// all of them: the expected number of requests so far. A stationary process runs in it, and the rate's integral maps
/// it to seconds, so that a change of rate neither adds nor loses an arrival and nothing is thinned out. With a
/// fan-out of k each arrival is k requests at one moment, and arrivals come k times as rarely. At most `maxRequests`
/// of the point where it is not 0.
///
/// Recorded, without a time scale: the log is stretched so that what the point needs of it takes just as long as the
/// point, so that the point's mean rate is the asked one. With a time scale of s the log runs s times as fast, whatever
/// rate that makes. None from a log that checkLog() refuses. Pure.
///
/// The same on every machine: the generator and the tables behind the gaps are whole numbers, the arithmetic is
/// IEEE 754; log, exp, pow and tan may differ in their last bit from one mathematical library to another, which
/// after a million gaps is below 1 ns, and times are rounded to whole µs.
std::vector<Arrival> makeArrivals(const PointPlan& point, const RecordedTimes* log = nullptr);

/// Whether `log` tells what the point replays of it: arrivals on one clock, all of them and at least two in the stretch
/// that is named, not more than one point can have (kMaxRequestsPerPoint); or think times. BadInput with the name of
/// `file`. Success for a point that replays nothing.
Status checkLog(const PointPlan& point, const RecordedTimes* log, const std::string& file);

/// The point where `log` puts it: of a replay in the log's own time the level is what the log offers in the window,
/// unless it is called that already within kLevelTolerance. The same schedule, and for every other point the same point.
/// For a point and a log that checkLog() takes. Pure.
PointPlan atOwnRate(const PointPlan& point, const RecordedTimes& log);
inline constexpr double kLevelTolerance = 0.05;

/// What to know of the recorded arrivals of some points, as the matrix has them: a clock's grid that they were spread
/// on, a log that repeats, a level that atOwnRate() moves. Each a line.
std::vector<std::string> recordedRemarks(const std::vector<PointPlan>& points, const RecordedTimes& log,
                                         const std::string& file);

/// Think time before request `request` of a closed-loop point, other than the first of each worker: constant,
/// exponential with the stated mean, or one of those that `log` tells, each with the same chance, stretched to the
/// stated mean where that is not 0. Pure.
Nanoseconds thinkTime(const PointPlan& point, std::uint32_t request, const RecordedTimes* log = nullptr);

/// When each worker of a closed loop sends its first request: at a random moment of the first half of the warm-up.
/// Workers that started together would stay in step where all answers take equally long, and evenly spread ones would
/// keep their distances for good: the engine would see either all prompts at once, or never two. At once where there
/// is one worker, or no warm-up. Pure.
std::vector<Nanoseconds> workerStarts(const PointPlan& point);

} // namespace tailmark
