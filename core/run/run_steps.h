// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "run/runner.h"
#include "workload/prompt_fit.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tailmark {

/// One run, step by step, in the order of the functions, so that a sequence can interleave the steps of two
/// (paired.h). `store` and `control` must live as long.
class RunSteps
{
public:
    virtual ~RunSteps() = default;

    /// All that can be wrong before a run exists: files of the workload, probe.
    virtual Status prepare() = 0;
    /// What keeps the prompts apart from all that the target may have cached; empty where no cache is stated. Another
    /// one may be set between prepare() and create().
    virtual std::string salt() const = 0;
    virtual void setSalt(const std::string& salt) = 0;
    /// Makes the run in the store.
    virtual Result<RunId> create() = 0;
    /// As it is run: with what prepare() read of files.
    virtual const Plan& plan() const = 0;
    /// Tells that it has begun, and does what comes before the load, a cold start included. `estimatedS`: of the whole
    /// sequence.
    virtual Status setUp(double estimatedS) = 0;
    /// How prompts are written; another one may be set once it is set up.
    virtual const PromptFit& fit() const = 0;
    virtual Status setFit(const PromptFit& fit) = 0;
    /// Measures one point of plan(); `restS` is what the sequence will take after it. True: it was skipped.
    virtual Result<bool> measurePoint(const PointPlan& point, double restS) = 0;
    /// Lets target and generator come to rest before anything else is measured.
    virtual Status settle(const PointPlan& point) = 0;
    /// Each text once.
    virtual Status warn(const std::string& text) = 0;
    /// Ends the run, in whatever state; `failure` is why it could not go on.
    virtual RunReport finish(const std::optional<Error>& failure) = 0;
};

std::unique_ptr<RunSteps> makeRunSteps(const Plan& plan, Store& store, const RunOptions& options, RunControl& control,
                                       std::function<void(const RunEvent&)> onEvent);

/// Whether two base URLs are one.
bool isSameTarget(std::string_view a, std::string_view b);

/// Blocks while the user holds the run.
void holdWhilePaused(const RunControl& control);

} // namespace tailmark
