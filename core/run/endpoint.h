// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "load/load_generator.h"
#include "plan/plan.h"

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// Where a matrix sends its requests, with the API key from the environment variable that it names. The
/// result holds the key and is never stored. Error: BadInput when that variable is not set.
Result<Endpoint> makeEndpoint(const Matrix& matrix);

/// What a reader of the run has to know of the way to the target: certificates that are not verified, a
/// proxy in between, file descriptors that are missing for the plan's load. One line each.
std::vector<std::string> connectionRemarks(const Plan& plan);
/// The same as facts of the environment: `http_version`, `tls`, `proxy`.
nlohmann::json connectionFacts(const Target& target);

} // namespace tailmark
