// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/server_sample.h"

#include <array>

namespace tailmark {

namespace {

using enum ServerCounter;

constexpr std::array kCounters = {
    ServerCounterInfo{Running, "running", "Running requests", "", true,
                      "Requests that the engine is working on."},
    ServerCounterInfo{Waiting, "waiting", "Waiting requests", "", true,
                      "Requests in the engine's own queue."},
    ServerCounterInfo{KvUse, "kv_use", "KV cache use", "share", true,
                      "Share of the KV cache in use, 0 to 1; of several engines the mean."},
    ServerCounterInfo{PrefixQueries, "prefix_queries", "Prefix cache queries", "tokens", false,
                      "Prompt tokens (TensorRT-LLM: blocks) looked up in the prefix cache."},
    ServerCounterInfo{PrefixHits, "prefix_hits", "Prefix cache hits", "tokens", false,
                      "Those of the queries that were found."},
    ServerCounterInfo{Preemptions, "preemptions", "Preemptions", "", false,
                      "Requests thrown out of the batch for want of memory, to be done again."},
    ServerCounterInfo{GeneratedTokens, "generated_tokens", "Generated tokens", "tokens", false,
                      "Output tokens by the engine's own count."},
    ServerCounterInfo{PromptTokens, "prompt_tokens", "Prompt tokens", "tokens", false,
                      "Prompt tokens by the engine's own count."},
    ServerCounterInfo{SpecDrafted, "spec_drafted", "Drafted tokens", "tokens", false,
                      "Tokens proposed by speculative decoding."},
    ServerCounterInfo{SpecAccepted, "spec_accepted", "Accepted tokens", "tokens", false,
                      "Drafted tokens that became output."},
    ServerCounterInfo{QueueTime, "queue_time", "Time in the queue", "s", false,
                      "Seconds that all requests together waited in the engine's queue."},
    ServerCounterInfo{QueuedRequests, "queued_requests", "Requests that left the queue", "", false,
                      "Requests whose wait is in the time in the queue."},
};

} // namespace

std::span<const ServerCounterInfo> serverCounters()
{
    return kCounters;
}

const ServerCounterInfo& serverCounterInfo(ServerCounter counter)
{
    return kCounters[static_cast<std::size_t>(counter)];
}

std::optional<ServerCounter> serverCounterFromId(std::string_view id)
{
    for (const ServerCounterInfo& info : kCounters)
        if (info.id == id)
            return info.counter;
    return std::nullopt;
}

} // namespace tailmark
