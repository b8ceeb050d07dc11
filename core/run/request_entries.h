// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/prompt.h"

#include <functional>
#include <map>
#include <string>

namespace tailmark {

struct ReadLengths;

/// What the requests of a run carry beside their prompts, as entries of its card: "request.<field>" with the value of
/// that field, of a long one its size and the beginning of its SHA-256; where the workload has variants, the different
/// values with their share of the requests. "request.images" tells the pictures, and "request.rows.<field>" in how many
/// rows of a prompts file a field is given. Secrets are hidden.
std::map<std::string, std::string>
requestEntries(const Plan& plan, const BodyOptions& body,
               const std::function<const ReadLengths*(const PointPlan&)>& readFor);

} // namespace tailmark
