// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"

#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// base_url + path: "http://127.0.0.1:8000/v1" and "/models" give "http://127.0.0.1:8000/v1/models".
std::string apiUrl(const Target& target, std::string_view path);
/// The same beside the API's version prefix: "/version" gives "http://127.0.0.1:8000/version".
std::string serverUrl(const Target& target, std::string_view path);
/// Where the requests of a run go: …/chat/completions or …/completions.
std::string completionsUrl(const Target& target);

/// The header lines "Name: value" of every request to the target: its own, and the API key as bearer token
/// from the environment variable that it names. Never stored or shown. Errors (BadInput): a name or value
/// that cannot be a header, a variable that is not set, a key beside an Authorization header.
Result<std::vector<std::string>> requestHeaders(const Target& target);

} // namespace tailmark
