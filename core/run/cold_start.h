// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "plan/plan.h"
#include "record/point_facts.h"
#include "run/run_event.h"
#include "run/runner.h"
#include "run/started_program.h"

#include <functional>
#include <optional>

namespace tailmark {

/// The cold start of a plan: the test it is of; nullptr without one. It is the first point.
const Test* coldStartOf(const Plan& plan);

/// A program that a file names is started only where the user has allowed this very command: `allowed` is its
/// commandText(). BadInput, with that text, where it is not. Success for a plan that starts none.
Status checkCommandAllowed(const Plan& plan, const std::string& allowed);

/// Brings a target up for its cold start: starts its command, where there is one, and waits until it is ready.
/// What it started ends with this object, unless the test keeps it running. One thread.
class ColdStart
{
public:
    ColdStart(const Matrix& matrix, const Test& test, const RunControl& control,
              std::function<void(const RunEvent&)> notify);

    /// Ready: the target lists its models, and has no /health that says otherwise. Asked every 50 ms, so that times
    /// are known to that. Tells the command before it is started, and then the wait, by Preparation events. Errors:
    /// BadInput (the program cannot be started), Unreachable (not ready in time, or the program ended before),
    /// Cancelled.
    Status bringUp();

    /// Of a point whose clock began at `requestsFrom` of the monotonic clock.
    ColdStartFacts facts(Nanoseconds requestsFrom) const;

private:
    Status waitUntilReady();
    void tellWait(double seconds);

    const Matrix& m_matrix;
    const Test& m_test; ///< of the matrix
    const RunControl& m_control;
    std::function<void(const RunEvent&)> m_notify;
    MonotonicClock m_clock;
    Nanoseconds m_start{0};
    ColdStartFacts m_facts;
    std::optional<StartedProgram> m_program;
    int m_told = -1; ///< seconds of the wait, as last told
};

} // namespace tailmark
