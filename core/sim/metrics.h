// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/profile.h"
#include "sim/scheduler.h"

namespace tailmark::sim {

/// A Prometheus histogram.
class Histogram
{
public:
    /// `bounds`: upper bounds, ascending, without +Inf.
    explicit Histogram(std::span<const double> bounds) : m_bounds(bounds), m_counts(bounds.size() + 1) {}
    void observe(double value);
    void append(std::string& out, std::string_view name, std::string_view labels) const;

private:
    std::span<const double> m_bounds;
    std::vector<std::int64_t> m_counts; ///< per bucket, not cumulative
    double m_sum = 0;
};

/// The server's own counters, and the text of /metrics under vLLM's names. Times in seconds.
class Metrics
{
public:
    Metrics(const Profile& profile, std::string model);

    std::int64_t promptTokens = 0;     ///< of requests that got their first token
    std::int64_t generationTokens = 0; ///< added at every step
    Histogram timeToFirstToken;        ///< from receipt
    Histogram interTokenLatency;       ///< between the steps that gave a request tokens
    Histogram e2eLatency;              ///< receipt to the last token
    Histogram queueTime;
    void countFinished(const std::string& reason) { ++m_finished[reason]; }

    std::string text(const SchedulerStats& stats) const;

private:
    std::string m_labels;      ///< `engine="0",model_name="…"`
    std::string m_cacheConfig; ///< labels of vllm:cache_config_info
    std::map<std::string, std::int64_t> m_finished;
};

} // namespace tailmark::sim
