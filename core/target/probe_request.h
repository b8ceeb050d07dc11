// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "target/http_client.h"
#include "workload/prompt.h"

#include <string>
#include <vector>

namespace tailmark {

/// What the one short request of a probe found.
struct ProbeRequestResult
{
    BodyOptions body; ///< without the fields that the server refused, with the chat template's tokens
    int promptTokens = -1;
    int outputTokens = -1;
    std::vector<std::string> notes;
};

/// Sends one short streamed request, made as the requests of a load are made, and holds what came back
/// against what was asked. A 4xx that names one of our optional fields is asked once more without that field.
/// Error (Unreachable): it was refused or did not end properly within `limits`.
Result<ProbeRequestResult> sendProbeRequest(HttpClient& http, const Target& target, const BodyOptions& body,
                                            const HttpLimits& limits);

} // namespace tailmark
