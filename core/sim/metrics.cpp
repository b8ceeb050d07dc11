// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tailmark::sim {

namespace {

// vLLM's buckets (vllm/v1/metrics/loggers.py), in seconds.
constexpr double kFirstTokenBounds[] = {0.001, 0.005, 0.01, 0.02,  0.04,  0.06,  0.08, 0.1,
                                        0.25,  0.5,   0.75, 1.0,   2.5,   5.0,   7.5,  10.0,
                                        20.0,  40.0,  80.0, 160.0, 640.0, 2560.0};
constexpr double kInterTokenBounds[] = {0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2,  0.3,  0.4, 0.5,
                                        0.75, 1.0,   2.5,  5.0,   7.5, 10.0, 20.0, 40.0, 80.0};
constexpr double kRequestBounds[] = {0.3,  0.5,  0.8,  1.0,  1.5,   2.0,   2.5,   5.0,   10.0,   15.0,  20.0,
                                     30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0};

std::string number(double value)
{
    if (value == std::floor(value) && std::abs(value) < 1e15)
        return std::to_string(static_cast<std::int64_t>(value)) + ".0";
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string labelValue(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '\\' || c == '"')
            out += '\\';
        out += c;
    }
    return out;
}

void appendHead(std::string& out, std::string_view name, std::string_view type, std::string_view help)
{
    out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name).append(" ");
    out.append(type).append("\n");
}

void appendSample(std::string& out, std::string_view name, std::string_view labels, double value)
{
    out.append(name).append("{").append(labels).append("} ").append(number(value)).append("\n");
}

} // namespace

void Histogram::observe(double value)
{
    const auto bucket = std::lower_bound(m_bounds.begin(), m_bounds.end(), value) - m_bounds.begin();
    ++m_counts[static_cast<std::size_t>(bucket)];
    m_sum += value;
}

void Histogram::append(std::string& out, std::string_view name, std::string_view labels) const
{
    const std::string bucket = std::string(name) + "_bucket";
    std::int64_t below = 0;
    for (std::size_t i = 0; i < m_counts.size(); ++i) {
        below += m_counts[i];
        const std::string bound = i < m_bounds.size() ? number(m_bounds[i]) : "+Inf";
        appendSample(out, bucket, std::string(labels) + ",le=\"" + bound + "\"", static_cast<double>(below));
    }
    appendSample(out, std::string(name) + "_count", labels, static_cast<double>(below));
    appendSample(out, std::string(name) + "_sum", labels, m_sum);
}

Metrics::Metrics(const Profile& profile, std::string model)
    : timeToFirstToken(kFirstTokenBounds), interTokenLatency(kInterTokenBounds), e2eLatency(kRequestBounds),
      queueTime(kRequestBounds), m_labels("engine=\"0\",model_name=\"" + labelValue(model) + "\""),
      m_cacheConfig("block_size=\"" + std::to_string(profile.block) + "\",enable_prefix_caching=\"" +
                    (profile.prefixCache ? "True" : "False") + "\",engine=\"0\",num_gpu_blocks=\"" +
                    std::to_string(profile.kvCapacityTokens / profile.block) + "\"")
{
    for (const char* reason : {"stop", "length", "abort"})
        m_finished[reason] = 0;
}

std::string Metrics::text(const SchedulerStats& stats) const
{
    std::string out;
    const auto single = [&](const char* name, const char* type, const char* help, double value) {
        appendHead(out, name, type, help);
        appendSample(out, name, m_labels, value);
    };
    single("vllm:num_requests_running", "gauge", "Number of requests in model execution batches.",
           stats.running);
    single("vllm:num_requests_waiting", "gauge", "Number of requests waiting to be processed.",
           stats.waiting);
    single("vllm:kv_cache_usage_perc", "gauge", "KV-cache usage. 1 means 100 percent usage.", stats.kvUsage);
    single("vllm:prefix_cache_queries_total", "counter",
           "Prefix cache queries, in terms of number of queried tokens.",
           static_cast<double>(stats.prefixQueries));
    single("vllm:prefix_cache_hits_total", "counter",
           "Prefix cache hits, in terms of number of cached tokens.", static_cast<double>(stats.prefixHits));
    single("vllm:num_preemptions_total", "counter", "Cumulative number of preemptions from the engine.",
           static_cast<double>(stats.preemptions));
    single("vllm:prompt_tokens_total", "counter", "Number of prefill tokens processed.",
           static_cast<double>(promptTokens));
    single("vllm:generation_tokens_total", "counter", "Number of generation tokens processed.",
           static_cast<double>(generationTokens));
    single("vllm:spec_decode_num_drafts_total", "counter", "Number of spec decoding drafts.",
           static_cast<double>(stats.drafts));
    single("vllm:spec_decode_num_draft_tokens_total", "counter", "Number of draft tokens.",
           static_cast<double>(stats.draftTokens));
    single("vllm:spec_decode_num_accepted_tokens_total", "counter", "Number of accepted tokens.",
           static_cast<double>(stats.acceptedTokens));

    appendHead(out, "vllm:request_success_total", "counter", "Count of successfully processed requests.");
    for (const auto& [reason, count] : m_finished)
        appendSample(out, "vllm:request_success_total", m_labels + ",finished_reason=\"" + reason + "\"",
                     static_cast<double>(count));

    const auto histogram = [&](const char* name, const char* help, const Histogram& values) {
        appendHead(out, name, "histogram", help);
        values.append(out, name, m_labels);
    };
    histogram("vllm:time_to_first_token_seconds", "Histogram of time to first token in seconds.",
              timeToFirstToken);
    histogram("vllm:inter_token_latency_seconds", "Histogram of inter-token latency in seconds.",
              interTokenLatency);
    histogram("vllm:e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.", e2eLatency);
    histogram("vllm:request_queue_time_seconds", "Histogram of time spent in WAITING phase for request.",
              queueTime);

    appendHead(out, "vllm:cache_config_info", "gauge", "Information of the LLMEngine CacheConfig");
    appendSample(out, "vllm:cache_config_info", m_cacheConfig, 1);
    return out;
}

} // namespace tailmark::sim
