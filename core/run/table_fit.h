// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "run/kept_traces.h"

#include <functional>
#include <string>

namespace tailmark {

/// What is known beforehand of requests that hang together (workload/request_table.h).
struct TableFit
{
    int longestPrompt = 0; ///< in tokens; 0 = the plan has none of them
    std::string remark;    ///< conversations that outgrow the target's context and are sent all the same
};

/// Makes the table of each point that needs one, so that a log that does not tell what the workload asks of
/// it is known before the run. Conversations grow: their longest request is held against `contextTokens` as
/// fitIntoContext() holds those that are drawn; there is nothing to clip in them that would leave the others
/// what they are.
Result<TableFit> fitTables(const Plan& plan,
                           const std::function<const ReadLengths*(const PointPlan&)>& readFor,
                           int contextTokens, int templateTokens);

} // namespace tailmark
