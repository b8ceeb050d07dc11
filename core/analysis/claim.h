// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tailmark {

/// A headline figure, as somebody wrote it or as it was typed. What is not told is absent.
struct Claim
{
    enum class Of { System, Device, User };
    struct Latency
    {
        std::string metric; ///< id of the metric catalogue: "ttft_ms", "tpot_ms", "e2e_ms"
        double percentile = 50; ///< 0 = a mean, or not told
        double ms = 0;
        bool operator==(const Latency&) const = default;
    };

    std::optional<double> tokensPerS; ///< output tokens
    Of of = Of::System;
    std::optional<double> requestsPerS;
    std::optional<double> concurrency; ///< requests in flight, users or batch
    std::optional<double> devices;
    std::optional<double> promptTokens, outputTokens;
    std::vector<Latency> latencies;
    std::string accelerator, model;      ///< ids of the tables, where the text names them; empty: it does not
    std::optional<double> bytesPerParam; ///< of the weights, by their format in the text
    std::string acceleratorRemark;       ///< which was taken of several of that name
    /// What cannot be read with certainty, a sentence each. What it is of is absent; the claim is to be said otherwise.
    std::vector<std::string> doubts;
    bool operator==(const Claim&) const = default;
};

/// Reads "8,400 tok/s at concurrency 96", "10k tokens/s per GPU on 8 GPUs, p99 TTFT 250 ms", "1024 in / 128 out".
/// Lenient: what it does not understand is passed over, so that the caller shows what was understood; what it understands
/// in two ways, or what no claim can have (a throughput of 0), is a doubt.
Claim parseClaim(const std::string& text);
/// What was understood, in one line: "8,400 tok/s, 96 in flight, p99 TTFT 1 s"; empty where nothing was.
std::string claimText(const Claim& claim);

} // namespace tailmark
