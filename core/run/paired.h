// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "run/run_event.h"
#include "run/runner.h"

#include <functional>
#include <vector>

namespace tailmark {

/// The plan of the second target of a pair: the same points, another target and card. `plan.matrix` must have a
/// `paired_with`.
Plan partnerPlan(const Plan& plan);

/// In what order the points of a pair are measured. The level alternates who is first, and so does the repeat: A-B, B-A, A-B
/// over the levels of a sweep, and each level A-B in one repeat and B-A in the next. What drifts with time so falls on
/// both alike.
struct PairStep
{
    Side side = Side::A;
    std::size_t point = 0; ///< index into the points of the plan
    bool operator==(const PairStep&) const = default;
};
std::vector<PairStep> pairSequence(const Plan& plan);

struct PairReport
{
    RunReport a, b;
};

/// Measures the plan on its target and on the one that it is paired with, point by point in turn: the same schedule and
/// lengths on both, and the same prompts (written as fits the first; salted alike, unless both are one server). Two runs
/// are stored that know each other. `onEvent` is told whose each event is. Both targets must answer before either run
/// exists; the errors are those of executeRun(). One that goes away later ends its own run, and the other goes on alone.
/// Skipping a point skips it on both, unless one has measured it already.
Result<PairReport> executePair(const Plan& plan, Store& store, const RunOptions& options, RunControl& control,
                               const std::function<void(Side, const RunEvent&)>& onEvent);

} // namespace tailmark
