// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// What the result file of another tool tells of one level, by that tool's own definitions (analysis/peer_definitions.h).
/// Nothing is made up: what the file does not tell is absent, and named in `missing`.
struct ForeignFigures
{
    struct Latency
    {
        std::optional<double> mean, min, max; ///< ms
        std::map<double, double> percentiles; ///< percent to ms
        bool operator==(const Latency&) const = default;
    };

    std::string tool; ///< "vllm", "sglang", "guidellm", "aiperf", "inference-perf", "llmperf"
    std::string file; ///< its name, without folders
    std::optional<double> durationS;
    std::optional<std::uint64_t> completed, failed;
    std::optional<double> requestsPerS, outputTokensPerS, goodputRequestsPerS;
    std::optional<double> concurrency; ///< mean in flight, where it was measured
    std::optional<double> promptTokens, outputTokens; ///< mean of a request
    std::map<std::string, Latency> latencies; ///< "ttft_ms", "tpot_ms", "itl_ms", "e2e_ms": the names that the tool uses
    std::vector<std::string> missing; ///< in words: "p99 TTFT", "failed requests"
    bool operator==(const ForeignFigures&) const = default;
};

nlohmann::json foreignToJson(const ForeignFigures& figures);
/// Reads what foreignToJson() wrote; what is not as expected is absent.
ForeignFigures foreignFromJson(const nlohmann::json& json);

} // namespace tailmark
