// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "run/run_event.h"
#include "store/store.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tailmark {

/// What a user can ask of a run that goes on. Set from any thread (or a signal handler), read by the runner.
struct RunControl
{
    std::atomic<bool> stop{false};       ///< end now; what was measured is kept, the run is marked cancelled
    std::atomic<bool> skipPoint{false};  ///< end this point, go on with the next
    std::atomic<bool> pauseAfter{false}; ///< hold before the next point until it is false again
};

struct RunOptions
{
    std::string name;
    std::string database; ///< told in the first event
    std::string allowedCommand; ///< commandText() of the program that a cold start may start (run/started_program.h)
};

struct RunReport
{
    RunId run;
    RunState state = RunState::Done; ///< done, cancelled or failed
    int points = 0, validPoints = 0; ///< of the points that were run
    std::vector<std::string>
        firstErrors;              ///< of failed requests: the up to five most frequent, with their counts
    std::optional<Error> failure; ///< why the run failed
};

/// The one orchestrator: the target is brought up where the plan has a cold start, then probe, then point by point schedule + workload -> load generator -> records -> store
/// -> summary -> verdict -> operating point, telling `onEvent` (called on the caller's thread) what happens.
/// Blocks until the run is over, and puts the caller's thread behind the generator's (nice +10). Errors are
/// what keeps a run from beginning: BadInput (workload file, a command that is not allowed), Unreachable (probe), Io
/// (store), Cancelled (stopped during the probe). A run that has begun always gives a report; whatever ends it early (a store
/// that cannot be written, a target that is gone for a whole point) is its `failure`, and what was measured
/// until then is stored.
Result<RunReport> executeRun(const Plan& plan, Store& store, const RunOptions& options, RunControl& control,
                             const std::function<void(const RunEvent&)>& onEvent);

} // namespace tailmark
