// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tailmark {

/// What an engine tells of itself while it serves, whatever its own names for it. Counters only grow; gauges
/// are the state of the moment.
enum class ServerCounter : std::uint8_t {
    Running,         ///< gauge, requests that are worked on
    Waiting,         ///< gauge, requests in the engine's queue
    KvUse,           ///< gauge, share of the KV cache in use, 0..1; of several engines the mean
    PrefixQueries,   ///< counter, prompt tokens (TensorRT-LLM: blocks) looked up in the prefix cache
    PrefixHits,      ///< counter, those of them that were found
    Preemptions,     ///< counter, requests thrown out of the batch for want of memory
    GeneratedTokens, ///< counter
    PromptTokens,    ///< counter
    SpecDrafted,     ///< counter, tokens proposed by speculative decoding
    SpecAccepted,    ///< counter, those of them that became output
    QueueTime,       ///< counter, seconds that all requests together waited in the queue
    QueuedRequests,  ///< counter, requests whose wait is in QueueTime
};

struct ServerCounterInfo
{
    ServerCounter counter;
    std::string_view id;    ///< in files: "running", "kv_use"
    std::string_view title; ///< for people: "Running requests"
    std::string_view unit;  ///< "" for requests
    bool gauge;
    std::string_view definition;
};

/// All of them, in the order in which they are shown.
std::span<const ServerCounterInfo> serverCounters();
const ServerCounterInfo& serverCounterInfo(ServerCounter counter);
std::optional<ServerCounter> serverCounterFromId(std::string_view id);

/// One value that an engine told. What it did not tell has no sample: absent, never zero.
struct ServerSample
{
    Nanoseconds at{0}; ///< since the start of the point; below zero: right before it
    ServerCounter counter = ServerCounter::Running;
    double value = 0;
    bool operator==(const ServerSample&) const = default;
};

} // namespace tailmark
