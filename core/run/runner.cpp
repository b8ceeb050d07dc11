// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/runner.h"

#include "run/execution.h"

#include <thread>
#include <utility>

namespace tailmark {

bool isSameTarget(std::string_view a, std::string_view b)
{
    const auto withoutSlash = [](std::string_view url) {
        return url.ends_with('/') ? url.substr(0, url.size() - 1) : url;
    };
    return withoutSlash(a) == withoutSlash(b);
}

void holdWhilePaused(const RunControl& control)
{
    while (control.pauseAfter && !control.stop)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

std::unique_ptr<RunSteps> makeRunSteps(const Plan& plan, Store& store, const RunOptions& options, RunControl& control,
                                       std::function<void(const RunEvent&)> onEvent)
{
    return std::make_unique<Execution>(plan, store, options, control, std::move(onEvent));
}

Result<RunReport> executeRun(const Plan& plan, Store& store, const RunOptions& options, RunControl& control,
                             const std::function<void(const RunEvent&)>& onEvent)
{
    return Execution(plan, store, options, control, onEvent).run();
}

} // namespace tailmark
