// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/request_record.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// The same records by the definitions of another tool, so that a number from elsewhere can be matched. Those
/// tools take every successful request of a run, ramp and drain included, and divide by the wall clock from
/// the first send to the last answer; so does this. What a record cannot tell (their own tokenizer, their own
/// lag) stays ours.
struct PeerFigures
{
    struct Latency
    {
        double mean = 0, p50 = 0, p99 = 0; ///< ms; percentiles by the rule of the tool
        bool operator==(const Latency&) const = default;
    };
    std::string tool;       ///< "vllm", "sglang", "guidellm", "aiperf", "inference-perf", "llmperf"
    std::string definition; ///< how its figures differ from ours
    std::optional<Latency> ttft, tpot, e2e;
    std::optional<double> itlMeanMs; ///< mean of what it calls inter-token latency
    std::optional<double> outputTokensPerS;
    bool operator==(const PeerFigures&) const = default;
};

/// How the figures of a tool differ from ours; empty for one that is not known.
std::string_view peerDefinition(std::string_view tool);

/// One entry a tool, in the order above; empty where no request succeeded.
std::vector<PeerFigures> asOthersCount(std::span<const RequestRecord> records);

} // namespace tailmark
