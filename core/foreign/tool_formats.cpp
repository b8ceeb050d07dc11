// SPDX-License-Identifier: GPL-3.0-or-later
#include "foreign/tool_formats.h"

#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using nlohmann::json;
using Latency = ForeignFigures::Latency;

/// The value at "a/b/c"; null where there is none. Keys hold dots, never slashes.
const json& at(const json& root, std::string_view path)
{
    static const json null;
    const json* value = &root;
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        const std::string key(path.substr(0, slash));
        if (!value->is_object())
            return null;
        const auto it = value->find(key);
        if (it == value->end())
            return null;
        value = &*it;
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    return *value;
}

std::optional<double> number(const json& value)
{
    if (!value.is_number())
        return std::nullopt;
    const double read = value.get<double>();
    return std::isfinite(read) ? std::optional(read) : std::nullopt;
}

std::optional<double> number(const json& root, std::string_view path)
{
    return number(at(root, path));
}

/// Nothing measured is below 0; tools write -1 where they have no value.
std::optional<double> positive(const json& root, std::string_view path)
{
    const auto value = number(root, path);
    return value && *value > 0 ? value : std::nullopt;
}

std::optional<std::uint64_t> count(const json& root, std::string_view path)
{
    const auto value = number(root, path);
    return value && *value >= 0 ? std::optional(static_cast<std::uint64_t>(std::llround(*value)))
                                : std::nullopt;
}

std::string text(const json& root, std::string_view path)
{
    const json& value = at(root, path);
    return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<double> ratio(const std::optional<double>& a, const std::optional<std::uint64_t>& b)
{
    return a && b && *b > 0 ? std::optional(*a / static_cast<double>(*b)) : std::nullopt;
}

/// "p99" or "p99.9" -> percent.
std::optional<double> percentOf(std::string_view key)
{
    if (!key.starts_with('p'))
        return std::nullopt;
    double percent = 0;
    const auto [end, error] = std::from_chars(key.data() + 1, key.data() + key.size(), percent);
    const bool whole = error == std::errc() && end == key.data() + key.size();
    return whole && percent > 0 && percent < 100 ? std::optional(percent) : std::nullopt;
}

void keepCard(ForeignLevel& level, const char* key, const std::string& value)
{
    if (!value.empty())
        level.card[key] = value;
}

/// The rate that was asked for, else the limit of concurrency.
void takeLoad(ForeignLevel& level, const std::optional<double>& ratePerS,
              const std::optional<double>& concurrency)
{
    if (ratePerS && *ratePerS > 0)
        level.load = {LoadAxis::RatePerS, *ratePerS};
    else
        level.load = {LoadAxis::Concurrency, concurrency.value_or(0)};
}

/// Where a tool writes the figures of a level; empty: it does not.
struct FigurePaths
{
    std::string_view durationS = {};
    std::string_view completed = {};
    std::string_view failed = {};
    std::string_view requestsPerS = {};
    std::string_view outputTokensPerS = {};
    std::string_view goodputRequestsPerS = {};
    std::string_view concurrency = {};
    std::string_view promptTokens = {};
    std::string_view outputTokens = {};
};

ForeignLevel levelAt(const json& root, const FigurePaths& paths)
{
    ForeignLevel level;
    ForeignFigures& f = level.figures;
    f.durationS = positive(root, paths.durationS);
    f.completed = count(root, paths.completed);
    f.failed = count(root, paths.failed);
    f.requestsPerS = number(root, paths.requestsPerS);
    f.outputTokensPerS = number(root, paths.outputTokensPerS);
    f.goodputRequestsPerS = number(root, paths.goodputRequestsPerS);
    f.concurrency = positive(root, paths.concurrency);
    f.promptTokens = positive(root, paths.promptTokens);
    f.outputTokens = positive(root, paths.outputTokens);
    return level;
}

/// `read` gives the latency of a name; the ids are those of our metrics.
template <typename Read>
void keepLatencies(ForeignLevel& level, Read&& read,
                   std::initializer_list<std::pair<const char*, const char*>> idsAndNames)
{
    for (const auto& [id, name] : idsAndNames) {
        Latency latency = read(name);
        if (latency.mean || !latency.percentiles.empty())
            level.figures.latencies[id] = std::move(latency);
    }
}

// vLLM and SGLang write flat keys: mean_ttft_ms, median_ttft_ms, p99_ttft_ms.

Latency flatLatency(const json& root, const std::string& name)
{
    Latency latency;
    const std::string suffix = "_" + name + "_ms";
    latency.mean = number(root, "mean" + suffix);
    latency.max = number(root, "max" + suffix);
    // Zeros are written where nothing was measured.
    if (latency.mean == 0.0)
        return {};
    if (const auto median = number(root, "median" + suffix))
        latency.percentiles[50] = *median;
    for (const auto& [key, value] : root.items()) {
        if (!key.ends_with(suffix))
            continue;
        const auto percent = percentOf(std::string_view(key).substr(0, key.size() - suffix.size()));
        const auto ms = number(value);
        if (percent && ms)
            latency.percentiles[*percent] = *ms;
    }
    return latency;
}

ForeignLevel flatLevel(const json& root, const char* responseTime)
{
    ForeignLevel level = levelAt(root, {.durationS = "duration",
                                        .completed = "completed",
                                        .failed = "failed",
                                        .requestsPerS = "request_throughput",
                                        .outputTokensPerS = "output_throughput",
                                        .concurrency = "concurrency"});
    level.figures.promptTokens = ratio(number(root, "total_input_tokens"), level.figures.completed);
    level.figures.outputTokens = ratio(number(root, "total_output_tokens"), level.figures.completed);
    keepLatencies(level, [&](const char* name) { return flatLatency(root, name); },
                  {{"ttft_ms", "ttft"}, {"tpot_ms", "tpot"}, {"itl_ms", "itl"}, {"e2e_ms", responseTime}});
    takeLoad(level, positive(root, "request_rate"), positive(root, "max_concurrency"));
    return level;
}

/// Without a rate and without a limit all requests are sent at once: their number stands for the concurrency.
void takeAllAtOnce(ForeignLevel& level, const std::optional<std::uint64_t>& requests)
{
    if (level.load.value > 0 || !requests || *requests == 0)
        return;
    level.load.value = static_cast<double>(*requests);
    level.insteadOfLoad = "a rate or a limit of concurrency (all " + std::to_string(*requests) +
                          " requests were sent at once, and their number stands for it)";
}

bool isVllm(const json& root)
{
    return at(root, "mean_ttft_ms").is_number() && (root.contains("model_id") || root.contains("burstiness"));
}

std::vector<ForeignLevel> vllmLevels(const json& root)
{
    ForeignLevel level = flatLevel(root, "e2el");
    level.figures.goodputRequestsPerS =
        number(root, root.contains("request_goodput:") ? "request_goodput:" : "request_goodput");
    keepCard(level, "model", text(root, "model_id"));
    keepCard(level, "tokenizer", text(root, "tokenizer_id"));
    level.startedAt = text(root, "date");
    takeAllAtOnce(level, count(root, "num_prompts"));
    return {level};
}

bool isSglang(const json& root)
{
    return at(root, "mean_ttft_ms").is_number() &&
           (root.contains("mean_e2e_latency_ms") || root.contains("input_throughput"));
}

std::vector<ForeignLevel> sglangLevels(const json& root)
{
    ForeignLevel level = flatLevel(root, "e2e_latency");
    keepCard(level, "model", text(root, "server_info/model_path"));
    takeAllAtOnce(level, level.figures.completed);
    return {level};
}

// GuideLLM: metrics/<name>/successful/{mean, median, min, max, percentiles/p99}.

bool isGuidellm(const json& root)
{
    const json& benchmarks = at(root, "benchmarks");
    return benchmarks.is_array() && !benchmarks.empty() && at(benchmarks[0], "metrics").is_object();
}

Latency guidellmLatency(const json& metrics, const std::string& name)
{
    const double toMs = name == "request_latency" ? 1000 : 1; // the only one in seconds
    const json& summary = at(metrics, name + "/successful");
    Latency latency;
    const auto scaled = [&](const std::optional<double>& value) {
        return value ? std::optional(*value * toMs) : std::nullopt;
    };
    // Zeros are written where nothing was measured.
    if (positive(summary, "mean").value_or(0) <= 0)
        return latency;
    latency.mean = scaled(number(summary, "mean"));
    latency.min = scaled(number(summary, "min"));
    latency.max = scaled(number(summary, "max"));
    const std::pair<const char*, double> names[] = {{"p001", 0.1}, {"p01", 1},  {"p05", 5},    {"p10", 10},
                                                    {"p25", 25},   {"p50", 50}, {"p75", 75},   {"p90", 90},
                                                    {"p95", 95},   {"p99", 99}, {"p999", 99.9}};
    for (const auto& [key, percent] : names) {
        if (const auto value = number(summary, std::string("percentiles/") + key))
            latency.percentiles[percent] = *value * toMs;
    }
    return latency;
}

ForeignLevel guidellmLevel(const json& benchmark, const json& report)
{
    ForeignLevel level =
        levelAt(benchmark, {.durationS = "duration",
                            .completed = "metrics/request_totals/successful",
                            .failed = "metrics/request_totals/errored",
                            .requestsPerS = "metrics/requests_per_second/successful/mean",
                            .outputTokensPerS = "metrics/output_tokens_per_second/successful/mean",
                            .concurrency = "metrics/request_concurrency/successful/mean",
                            .promptTokens = "metrics/prompt_token_count/successful/mean",
                            .outputTokens = "metrics/output_token_count/successful/mean"});
    const json& metrics = at(benchmark, "metrics");
    keepLatencies(level, [&](const char* name) { return guidellmLatency(metrics, name); },
                  {{"ttft_ms", "time_to_first_token_ms"},
                   {"tpot_ms", "time_per_output_token_ms"},
                   {"itl_ms", "inter_token_latency_ms"},
                   {"e2e_ms", "request_latency"}});
    const json& config = at(benchmark, "config/strategy");
    const json& strategy = config.is_object() ? config : at(benchmark, "args/strategy");
    const std::string kind = text(strategy, "type_");
    if (kind == "synchronous")
        takeLoad(level, {}, 1);
    else if (kind == "concurrent")
        takeLoad(level, {}, positive(strategy, "streams"));
    else if (kind == "throughput") { // as many as it may: the load is what it reached
        const auto limit = positive(strategy, "max_concurrency");
        takeLoad(level, {}, limit ? limit : level.figures.concurrency);
        if (!limit)
            level.insteadOfLoad = "a limit of concurrency (the mean in flight stands for it)";
    }
    else
        takeLoad(level, positive(strategy, "rate"), {});
    for (const json* root : {&benchmark, &report}) {
        keepCard(level, "model", text(*root, "config/backend/model"));
        keepCard(level, "model", text(*root, "args/model"));
        if (level.target.empty())
            level.target = text(*root, "config/backend/target");
        if (level.target.empty())
            level.target = text(*root, "args/target");
    }
    return level;
}

std::vector<ForeignLevel> guidellmLevels(const json& root)
{
    std::vector<ForeignLevel> levels;
    for (const json& benchmark : at(root, "benchmarks")) {
        levels.push_back(guidellmLevel(benchmark, root));
        levels.back().toolVersion = text(root, "metadata/guidellm_version");
    }
    return levels;
}

// AIPerf: <metric>: {unit, avg, min, max, p50, …}.

bool isAiperf(const json& root)
{
    return at(root, "request_throughput/avg").is_number();
}

double toMsOf(const std::string& unit)
{
    if (unit == "s" || unit == "sec" || unit == "seconds")
        return 1000;
    if (unit == "us")
        return 1e-3;
    return unit == "ns" ? 1e-6 : 1;
}

Latency aiperfLatency(const json& root, const char* name)
{
    const json& metric = at(root, name);
    Latency latency;
    if (!metric.is_object())
        return latency;
    const double toMs = toMsOf(text(metric, "unit"));
    const auto scaled = [&](const char* key) {
        const auto value = number(metric, key);
        return value ? std::optional(*value * toMs) : std::nullopt;
    };
    latency.mean = scaled("avg");
    latency.min = scaled("min");
    latency.max = scaled("max");
    for (const auto& [key, value] : metric.items()) {
        const auto percent = percentOf(key);
        const auto read = number(value);
        if (percent && read)
            latency.percentiles[*percent] = *read * toMs;
    }
    return latency;
}

/// The only item of a list, or null: with several models or addresses it is not told which.
const json& only(const json& list)
{
    static const json null;
    return list.is_array() && list.size() == 1 ? list[0] : null;
}

/// Two layouts: {endpoint: {model_names, url}, loadgen}, and since the configuration has phases {models:
/// {items}, endpoint: {urls}, phases: [{name, concurrency, rate}]}.
void takeAiperfConfig(ForeignLevel& level, const json& config)
{
    const json* load = &at(config, "loadgen");
    const char* rate = "request_rate";
    if (const json& phases = at(config, "phases"); phases.is_array()) {
        for (const json& phase : phases) {
            if (text(phase, "name") == "profiling" || phases.size() == 1)
                load = &phase;
        }
        rate = "rate";
    }
    takeLoad(level, positive(*load, rate), positive(*load, "concurrency"));
    const json& named = only(at(config, "endpoint/model_names"));
    keepCard(level, "model",
             named.is_string() ? named.get<std::string>() : text(only(at(config, "models/items")), "name"));
    keepCard(level, "tokenizer", text(config, "tokenizer/name"));
    const json& url = only(at(config, "endpoint/urls"));
    level.target = url.is_string() ? url.get<std::string>() : text(config, "endpoint/url");
}

std::vector<ForeignLevel> aiperfLevels(const json& root)
{
    ForeignLevel level = levelAt(root, {.durationS = "benchmark_duration/avg",
                                        .completed = "request_count/avg",
                                        .failed = "error_request_count/avg",
                                        .requestsPerS = "request_throughput/avg",
                                        .outputTokensPerS = "output_token_throughput/avg",
                                        .goodputRequestsPerS = "goodput/avg",
                                        .concurrency = "effective_concurrency/avg",
                                        .promptTokens = "input_sequence_length/avg",
                                        .outputTokens = "output_sequence_length/avg"});
    if (level.figures.durationS)
        *level.figures.durationS *= toMsOf(text(root, "benchmark_duration/unit")) / 1000;
    keepLatencies(level, [&](const char* name) { return aiperfLatency(root, name); },
                  {{"ttft_ms", "time_to_first_token"},
                   {"itl_ms", "inter_token_latency"},
                   {"e2e_ms", "request_latency"}});
    takeAiperfConfig(level, at(root, "input_config"));
    if (at(root, "was_cancelled") == true)
        level.figures.missing.push_back("what would have come after it was cancelled");
    level.toolVersion = text(root, "aiperf_version");
    level.startedAt = text(root, "start_time");
    return {level};
}

// inference-perf: successes/latency/<name>/{mean, min, max, median, p99}, in seconds.

bool isInferencePerf(const json& root)
{
    return at(root, "load_summary").is_object() && at(root, "successes").is_object();
}

Latency inferencePerfLatency(const json& root, const std::string& name)
{
    const json& summary = at(root, "successes/latency/" + name);
    Latency latency;
    if (!summary.is_object())
        return latency;
    for (const auto& [key, value] : summary.items()) {
        const auto seconds = number(value);
        if (!seconds)
            continue;
        if (key == "mean")
            latency.mean = *seconds * 1000;
        else if (key == "min")
            latency.min = *seconds * 1000;
        else if (key == "max")
            latency.max = *seconds * 1000;
        else if (const auto percent = key == "median" ? std::optional(50.0) : percentOf(key))
            latency.percentiles[*percent] = *seconds * 1000;
    }
    return latency;
}

std::vector<ForeignLevel> inferencePerfLevels(const json& root)
{
    const bool newer = at(root, "successes/prompt_tokens/mean").is_number();
    ForeignLevel level =
        levelAt(root, {.durationS = "benchmark_time_seconds",
                       .completed = "successes/count",
                       .failed = "failures/count",
                       .requestsPerS = "successes/throughput/requests_per_sec",
                       .outputTokensPerS = "successes/throughput/output_tokens_per_sec",
                       .goodputRequestsPerS = "successes/goodput_metrics/request_goodput",
                       .promptTokens = newer ? "successes/prompt_tokens/mean" : "successes/prompt_len/mean",
                       .outputTokens = "successes/output_len/mean"});
    keepLatencies(level, [&](const char* name) { return inferencePerfLatency(root, name); },
                  {{"ttft_ms", "time_to_first_token"},
                   {"tpot_ms", "time_per_output_token"},
                   {"itl_ms", "inter_token_latency"},
                   {"e2e_ms", "request_latency"}});
    const auto concurrency = positive(root, "load_summary/concurrency");
    takeLoad(level, concurrency ? std::nullopt : positive(root, "load_summary/requested_rate"), concurrency);
    return {level};
}

// LLMPerf: flat keys, in seconds: results_ttft_s_quantiles_p99.

bool isLlmperf(const json& root)
{
    return at(root, "results_ttft_s_mean").is_number() ||
           at(root, "results_num_completed_requests").is_number();
}

Latency llmperfLatency(const json& root, const std::string& name)
{
    const std::string prefix = "results_" + name + "_";
    Latency latency;
    const auto inMs = [&](const std::string& key) {
        const auto value = number(root, key);
        return value ? std::optional(*value * 1000) : std::nullopt;
    };
    latency.mean = inMs(prefix + "mean");
    latency.min = inMs(prefix + "min");
    latency.max = inMs(prefix + "max");
    for (const int percent : {25, 50, 75, 90, 95, 99}) {
        if (const auto ms = inMs(prefix + "quantiles_p" + std::to_string(percent)))
            latency.percentiles[percent] = *ms;
    }
    return latency;
}

std::vector<ForeignLevel> llmperfLevels(const json& root)
{
    ForeignLevel level = levelAt(root, {.durationS = {},
                                        .completed = "results_num_completed_requests",
                                        .failed = "results_number_errors",
                                        .outputTokensPerS = "results_mean_output_throughput_token_per_s",
                                        .promptTokens = "results_number_input_tokens_mean",
                                        .outputTokens = "results_number_output_tokens_mean"});
    ForeignFigures& f = level.figures;
    if (const auto perMinute = positive(root, "results_num_completed_requests_per_min"))
        f.requestsPerS = *perMinute / 60;
    if (f.completed && f.requestsPerS)
        f.durationS = static_cast<double>(*f.completed) / *f.requestsPerS;
    keepLatencies(
        level, [&](const char* name) { return llmperfLatency(root, name); },
        {{"ttft_ms", "ttft_s"}, {"itl_ms", "inter_token_latency_s"}, {"e2e_ms", "end_to_end_latency_s"}});
    takeLoad(level, {}, positive(root, "num_concurrent_requests"));
    keepCard(level, "model", text(root, "model"));
    level.toolVersion = text(root, "version");
    return {level};
}

constexpr ToolFormat kFormats[] = {
    {"vllm", isVllm, vllmLevels},
    {"sglang", isSglang, sglangLevels},
    {"guidellm", isGuidellm, guidellmLevels},
    {"aiperf", isAiperf, aiperfLevels},
    {"inference-perf", isInferencePerf, inferencePerfLevels},
    {"llmperf", isLlmperf, llmperfLevels},
};

} // namespace

std::span<const ToolFormat> toolFormats()
{
    return kFormats;
}

} // namespace tailmark
