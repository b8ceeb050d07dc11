// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"
#include "run/kept_traces.h"

#include <string>
#include <vector>

namespace tailmark {

/// Holds the points that replay arrivals or think times of a log against the logs that were read, before anything is
/// sent, and puts those that replay it in its own time at the rate that it offers (atOwnRate()). Remarks on what is
/// replayed, one line each; BadInput where a log does not tell what a point needs.
Result<std::vector<std::string>> checkReplays(Plan& plan, const std::vector<ReadLengths>& lengths);

} // namespace tailmark
