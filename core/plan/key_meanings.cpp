// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/key_list.h"

#include <algorithm>
#include <iterator>

namespace tailmark {

namespace {

struct Meaning
{
    std::string_view path, text;
};

constexpr Meaning kMeanings[] = {
    {"schema_version", "Version of the file's format"},
    {"name", "How runs of the matrix are called in the library; empty takes the name of the file"},
    {"target", "The endpoint that is measured"},
    {"target.base_url", "Where the OpenAI-compatible API begins, with its version: http://host:8000/v1"},
    {"target.api", "chat: /chat/completions, messages in the engine's chat template; completions: the prompt as it is"},
    {"target.model", "Name under which the target serves the model; empty asks for the only one that it lists"},
    {"target.engine", "Which request fields and info endpoints are tried; auto finds out"},
    {"target.api_key_env", "Name of the environment variable that holds the API key; the key itself is never stored"},
    {"target.headers", "Extra HTTP headers of every request; no secrets"},
    {"target.extra_body", "Extra fields of every request that this target needs, sent as they are"},
    {"target.tls", "How a TLS connection is verified"},
    {"target.tls.verify", "Off only for a test server with a certificate of its own"},
    {"target.tls.ca_file", "PEM file to verify with; empty uses the system's"},
    {"target.http_version", "1.1: a connection for each request in flight; 2: many requests on one connection"},
    {"target.proxy", "http://host:port; empty uses none, whatever the environment says"},
    {"target.metrics_url", "URL of the engine's Prometheus metrics; auto tries /metrics beside the API; none asks for none"},
    {"card", "What is known of the system under test; what the target tells of itself wins over it"},
    {"card.engine", "Name of the engine"},
    {"card.engine_version", "Version of the engine"},
    {"card.model", "Name of the model"},
    {"card.model_revision", "Revision of the model's weights"},
    {"card.quantization", "Of the weights, like FP8"},
    {"card.tokenizer", "The tokenizer that the engine uses"},
    {"card.chat_template", "The chat template that the engine uses"},
    {"card.accelerator", "Name of the accelerator"},
    {"card.accelerator_count", "How many accelerators serve the model; 0 is not stated"},
    {"card.parallelism", "How the model is spread over them, like TP2"},
    {"card.flags", "Flags of the engine that differ from the default, like {\"max_num_seqs\": \"256\"}"},
    {"card.notes", "Anything else to keep with the run"},
    {"paired_with", "A second target that is measured in turn with the first, point by point"},
    {"paired_with.target", "The second endpoint"},
    {"paired_with.card", "What is known of the second system"},
    {"bound", "What the hardware allows, to hold results against; 0 or empty is not stated"},
    {"bound.accelerator", "Its bandwidth and arithmetic stand for what is not stated below"},
    {"bound.model", "Its parameters, experts, keys and values stand for what is not stated below"},
    {"bound.bandwidth_gb_per_s", "Memory bandwidth of one device"},
    {"bound.devices", "How many devices serve the model together"},
    {"bound.active_params", "Parameters that one token passes through"},
    {"bound.bytes_per_param", "2 for BF16, 1 for FP8, 0.56 for FP4"},
    {"bound.kv_bytes_per_token", "Keys and values kept of one token, all layers together"},
    {"bound.peak_tflops", "Peak compute of one device, dense, for the width of the weights"},
    {"bound.expert_params", "Parameters of all routed experts of all layers; of a mixture of experts only"},
    {"bound.experts", "Experts per layer; 0 takes the table's, or a dense model"},
    {"bound.experts_per_token", "Experts per layer that a token is routed to; 0 takes the table's"},
    {"workload", "What is asked"},
    {"workload.lengths", "Lengths of prompts and outputs"},
    {"workload.lengths.kind", "fixed: one shape; trace: rows of a log; empirical: pairs of a file; quantiles: a distribution "
                              "through them; mix: several kinds of requests; prompts: real prompts of a file"},
    {"workload.lengths.prompt_tokens", "Length of every prompt"},
    {"workload.lengths.output_tokens", "Length of every output, its cap with output natural; with kind prompts of rows that tell none"},
    {"workload.lengths.file", "The file, relative to the matrix; a log that --db keeps needs none beside its hash"},
    {"workload.lengths.format", "Of the log; auto recognises it"},
    {"workload.lengths.hash", "SHA-256 of the rows that are meant, whatever becomes of the file; empty takes the file as it is"},
    {"workload.lengths.draw", "joint: prompt and output of a row stay together; independent: they are drawn apart"},
    {"workload.lengths.prompt", "Quantiles of prompt tokens, like {\"p50\": 800, \"p99\": 24000}; min and max bound it"},
    {"workload.lengths.output", "Quantiles of output tokens, likewise"},
    {"workload.lengths.rank_correlation", "Of prompt and output; 0 draws them independently"},
    {"workload.lengths.parts", "The kinds of requests of a mix"},
    {"workload.lengths.parts[].name", "How the part is called in results"},
    {"workload.lengths.parts[].weight", "Its share of the requests, in proportion to the other weights"},
    {"workload.lengths.parts[].lengths", "Its lengths; no mix again"},
    {"workload.lengths.parts[].prefix", "Its shared prefixes, in place of those of the workload"},
    {"workload.prefix", "What prompts have in common at their begin"},
    {"workload.prefix.kind", "none: nothing; shared: a share of the prompts begins with the prefix of one of several groups; "
                             "trace: blocks that requests of the log share"},
    {"workload.prefix.shared_tokens", "Length of a shared prefix; with kind shared"},
    {"workload.prefix.groups", "How many different prefixes there are; with kind shared"},
    {"workload.prefix.share", "Share of the requests that begin with a shared prefix; with kind shared"},
    {"workload.sessions", "Conversations of users of a concurrency sweep: a turn after the answer to the one before it"},
    {"workload.sessions.kind", "none: single requests; trace: the sessions of the log; synthetic: of a given number of turns"},
    {"workload.sessions.turns", "Turns of a conversation"},
    {"workload.sessions.growth_tokens", "Prompt tokens that each turn behind the first adds; 0 = as many as are drawn for it"},
    {"workload.output", "natural: ends at the model's own end, with the planned length as its cap; forced: the engine is made to "
                        "generate the planned length"},
    {"workload.cache", "Prefix cache. cold: every prompt is new to the engine; warm: shared prefixes are sent once before each "
                       "point; as_is: nothing is done or claimed"},
    {"workload.beyond_context", "Requests that are longer than the target's context. stop: no run; clip: they are cut; send: they "
                                "are sent as they are"},
    {"workload.streaming", "Answers come token by token; without it there is no TTFT"},
    {"workload.token_evidence", "on: the engine is asked to tell the tokens of each chunk, which costs it a little"},
    {"workload.sampling", "Sampling fields of every request, sent as they are"},
    {"workload.extras", "What requests ask for beyond text; a field that is not listed here is sent as it is"},
    {"workload.extras.n", "Answers that each request asks for"},
    {"workload.extras.priority", "Priority of each request, for engines that schedule by it"},
    {"workload.extras.cache_salt", "Keeps the prefix cache of these requests apart"},
    {"workload.extras.response_format", "Form of the answer, like a JSON schema"},
    {"workload.extras.images", "Pictures that each request carries beside its text"},
    {"workload.extras.images.count", "Pictures of each request"},
    {"workload.extras.images.width_px", "Width of a picture that is made here"},
    {"workload.extras.images.height_px", "Height of a picture that is made here"},
    {"workload.extras.images.file", "This picture in every request; empty: another one is made for each"},
    {"workload.extras.variants", "Kinds of requests, drawn by their weights; every other key is a field of their requests"},
    {"workload.extras.variants[].weight", "Its share of the requests, in proportion to the other weights"},
    {"workload.seed", "All random draws follow from it: the same seed asks the same"},
    {"slo", "Limits that decide whether a level passes: all of them"},
    {"slo[].metric", "The metric that is limited; --help-metrics explains each"},
    {"slo[].percentile", "The percentile of its requests that must hold"},
    {"slo[].limit", "At most this; of a rate at least this"},
    {"tests", "What is measured, one after another"},
    {"tests[].kind", "fixed_shape: one shape at one concurrency; concurrency_sweep: users who wait for answers; arrival_sweep: "
                     "requests at given rates; burst_recovery: a burst and the time after it; cold_start: a target that comes up"},
    {"tests[].name", "How the test is called in results and exports; empty takes its kind"},
    {"tests[].enabled", "A test that is not enabled stays in the matrix and is left out of the run"},
    {"tests[].prompt_tokens", "Length of every prompt of the test"},
    {"tests[].output_tokens", "Length of every output of the test"},
    {"tests[].concurrency", "Users, each waiting for the answer before asking again"},
    {"tests[].levels", "Users at a time; the last should be past the objective"},
    {"tests[].think_time_s", "Pause of a user between the answer and the next request"},
    {"tests[].think_time", "constant: the same each time; exponential: random with this mean; trace: those of the log, stretched to "
                           "a mean above 0"},
    {"tests[].rates_per_s", "Requests per second; the last should be past capacity"},
    {"tests[].process", "constant: evenly spaced; poisson: independent users; gamma, weibull: with a coefficient of variation; "
                        "recorded: arrivals of the log, stretched to the rate"},
    {"tests[].cv", "Coefficient of variation of the gaps between arrivals, of gamma and weibull; 1 is Poisson"},
    {"tests[].recorded", "Which arrivals of the log are replayed, and how fast"},
    {"tests[].recorded.from_s", "Second of the log at which the replay begins"},
    {"tests[].recorded.to_s", "Second of the log at which it ends; 0 is the log's end; a stretch that is too short is repeated"},
    {"tests[].recorded.time_scale", "How fast the log's time runs; 0 stretches it so that the mean rate is that of the level"},
    {"tests[].fan_out", "Requests that come together at each arrival; the rate stays that of requests"},
    {"tests[].shape", "Rate over the window relative to the level, straight from one factor to the next; empty is one rate throughout"},
    {"tests[].shape[].at_s", "Second of the window"},
    {"tests[].shape[].factor", "Rate there, relative to that of the level"},
    {"tests[].base_rate_per_s", "Requests per second before and after the burst"},
    {"tests[].burst_rate_per_s", "Requests per second of the burst"},
    {"tests[].baseline_s", "At the base rate, before the burst; the warm-up comes first"},
    {"tests[].burst_s", "At the burst rate"},
    {"tests[].recovery_s", "At the base rate again, long enough to see the backlog go"},
    {"tests[].requests", "One after another, from the first that the engine ever answers"},
    {"tests[].command", "Program and arguments that start the target; needs --allow-command; empty: it is started apart"},
    {"tests[].keep_running", "What was started is not ended with the run"},
    {"tests[].timeout_s", "Until the target is ready, and again until the last request has ended"},
    {"measurement", "How each point is measured"},
    {"measurement.warmup_s", "Load that is sent before the window and left out of every number"},
    {"measurement.duration_s", "Window of each point; a burst test has its own times"},
    {"measurement.max_requests", "A point ends after so many requests; 0 is no limit"},
    {"measurement.until_stable", "A point goes on beyond its window until the interval of every limited percentile is narrow"},
    {"measurement.stable_width", "Stable: the 95 % interval is at most this share of the percentile wide"},
    {"measurement.max_duration_s", "Longest window; where it is not stable by then, the point says so"},
    {"measurement.repeats", "How often every point is measured; the spread is shown with the result"},
    {"measurement.order", "sequential: one test after another; interleaved: tests take turns level by level; shuffled: all points of a "
                          "repeat in random order"},
    {"measurement.refine", "Levels that may be added to each sweep between the last that passes and the first that fails"},
    {"measurement.refine_to", "Levels are added until those two are so close: (failing - passing) / passing"},
    {"measurement.cooldown_s", "Pause after each point, so that the next begins with an idle engine"},
    {"measurement.drain_s", "After the window: how long requests in flight may still finish before they are cancelled"},
    {"measurement.failure_denominator", "attempted: a request that failed or was never sent misses the objective; accepted: only "
                                        "requests that the engine took on count"},
    {"limits", "When a request has failed, and what the generator may use"},
    {"limits.connect_timeout_s", "A connection that is not up by then is a failed request"},
    {"limits.first_token_timeout_s", "A request without a token by then has failed"},
    {"limits.stall_timeout_s", "A stream that is silent for so long has failed"},
    {"limits.total_timeout_s", "A request that is not over by then has failed"},
    {"limits.max_in_flight", "Requests that are open at most; what cannot be sent counts as not sent"},
    {"limits.generator_threads", "Threads that send and receive; 0 takes as many as the load asks for"},
};

} // namespace

std::string_view meaningOfKey(std::string_view path)
{
    const auto found = std::ranges::find(kMeanings, path, &Meaning::path);
    return found == std::end(kMeanings) ? std::string_view() : found->text;
}

std::vector<std::string_view> pathsWithMeaning()
{
    std::vector<std::string_view> paths;
    std::ranges::transform(kMeanings, std::back_inserter(paths), &Meaning::path);
    return paths;
}

} // namespace tailmark
