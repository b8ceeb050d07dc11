// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "run/kept_traces.h"
#include "workload/prompt.h"
#include "workload/request_source.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace tailmark {

/// Names what a run asks, so that two runs can be known to have asked the same: a SHA-256 over the intended
/// times, think times, planned lengths and bodies of its requests, point by point.
struct RequestHash
{
    std::string sha256;         ///< 64 hex digits
    std::uint64_t requests = 0; ///< that are in it
    bool operator==(const RequestHash&) const = default;
};

using RequestsOf = std::function<Result<std::shared_ptr<const RequestSource>>(const PointPlan&)>;

/// Of each point all scheduled requests, of a closed loop, which has no end, the first kClosedLoopRequests
/// (at most `max_requests`). Bodies count up to kBodyBytes of a point, times and lengths of the requests
/// behind that still do.
Result<RequestHash> hashRequests(const Plan& plan, const RequestsOf& requestsOf);

/// The names that a run keeps of its requests (environment.requests), both without the salt, which keeps runs
/// apart on purpose:
/// {"sha256": of the bodies as they are sent, "prompts_sha256": of the same prompts, lengths and times
/// without what is the target's own (model, fields of its engine), "hashed": how many requests are in them}, and where rows of a
/// prompts file give fields of their requests "extras_of_rows": {field: rows that give it}.
Result<nlohmann::json> requestNames(const Plan& plan, const BodyOptions& body,
                                    const std::function<const ReadLengths*(const PointPlan&)>& readFor);

inline constexpr std::uint32_t kClosedLoopRequests = 1000;
inline constexpr std::uint64_t kBodyBytes = 16 << 20;

} // namespace tailmark
