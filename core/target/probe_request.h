// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "record/request_record.h"
#include "target/engine_profiles.h"
#include "target/http_client.h"
#include "workload/prompt.h"

#include <map>
#include <string>
#include <vector>

namespace tailmark {

/// The one short request of a probe: what was asked, and what came back.
struct ProbeAnswer
{
    BodyOptions body;                 ///< without the fields that the server refused
    std::vector<std::string> dropped; ///< what was left out or replaced, in words
    int promptWords = 0;              ///< one token each is planned
    int outputTokens = 0;             ///< that were asked for
    RequestRecord record;             ///< of it no time means anything
    std::string model;                ///< that the answer says it is from; empty = not told
    std::vector<std::string> texts;   ///< generated texts of choice 0, event by event
    std::map<std::string, std::string> headers;
};

/// Sends one short request, made as the requests of a load are made. A refusal that names one of our optional
/// fields is asked once more without that field. Error (Unreachable): it was refused or did not end properly
/// within `limits`.
Result<ProbeAnswer> sendProbeRequest(HttpClient& http, const Target& target, const Workload& workload,
                                     const EngineProfile& profile, const BodyOptions& body,
                                     const HttpLimits& limits);

} // namespace tailmark
