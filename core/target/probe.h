// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/matrix.h"
#include "record/run_card.h"
#include "target/probe_checks.h"
#include "workload/prompt.h"

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

/// What the target told of itself before any load.
struct ProbeResult
{
    std::string baseUrl;
    bool reachable = false;
    std::vector<std::string> models;
    std::string model;  ///< the one that will be asked; empty where several are listed and none was named
    std::string engine; ///< profile id: "vllm", "sim", … "generic" when not recognised
    std::string recognisedBy; ///< what it was known by, in words; empty when not recognised
    std::string version;      ///< empty = not told
    int contextTokens = 0;    ///< longest context; 0 = not told
    RunCard card;             ///< typed entries of the matrix, overlaid by what was read
    BodyOptions body;         ///< request fields that this engine takes
    EmptyDelta emptyDelta = EmptyDelta::Nothing; ///< how to read this engine's stream
    // of the one test request (absent when `sendRequest` was false, or `model` is empty)
    bool requestCompleted = false;
    int promptTokensReported = -1;
    int outputTokensReported = -1;
    int cachedTokensReported = -1;
    std::vector<ProbeCheck> checks;
    std::vector<std::string> notes; ///< warnings for a run, in words: no usage reported, length not forced, …
    std::map<std::string, std::string> headers;          ///< those that tell of the server or of a proxy
    nlohmann::json documents = nlohmann::json::object(); ///< all info documents by path, secrets hidden
};

/// Asks the info endpoints (/v1/models, /version, …) and, with `sendRequest`, one short request. Blocking, at
/// most about `limits.connect_timeout_s` + `limits.first_token_timeout_s`; any thread. Errors: Unreachable
/// when nothing answers, the model is not among those listed, or the one request is refused, each in one
/// line. The request is made as `workload` makes its own, so that fields which the target refuses are found
/// here: they are left out of `body`, with a note. The API key is read from the environment variable that the
/// target names; a name without a value is an error. Once `stop` is set, by any thread, it ends with
/// Cancelled within a second.
Result<ProbeResult> probe(const Target& target, const CardInput& card, const Limits& limits, bool sendRequest,
                          const std::atomic<bool>* stop = nullptr, const Workload& workload = Workload());

/// A load needs one model: BadInput, with the names to choose from, where the probe was left with several.
Status needOneModel(const ProbeResult& result);

nlohmann::ordered_json probeToJson(const ProbeResult& result);

} // namespace tailmark
