// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/engine_profiles.h"

#include <algorithm>

namespace tailmark {

namespace {

using Owners = std::string_view;

// vLLM answers with JSON only when asked so; other servers ignore the query.
constexpr std::string_view kServerInfo = "/server_info?config_format=json";
constexpr std::string_view kSglangInfo = "/server_info?config_format=json|/get_server_info";

constexpr std::string_view kInfoDocuments[] = {"/version", kServerInfo, "/props", "/info", "/api/version"};

// --- vLLM: /server_info exists in its developer mode only
constexpr Owners kVllmOwners[] = {"vllm"};
constexpr EngineSign kVllmSigns[] = {{kServerInfo, "/vllm_config"}};
constexpr FactSource kVllmFacts[] = {
    {"engine_version", "/version", "/version"},
    {"model", "model", "/root"},
    {"model", "model", "/id"},
    {"model_revision", kServerInfo, "/vllm_config/model_config/revision"},
    {"quantization", kServerInfo, "/vllm_config/model_config/quantization"},
    {"tokenizer", kServerInfo, "/vllm_config/model_config/tokenizer"},
    {"context", "model", "/max_model_len"},
    {"parallelism:tp", kServerInfo, "/vllm_config/parallel_config/tensor_parallel_size"},
    {"parallelism:pp", kServerInfo, "/vllm_config/parallel_config/pipeline_parallel_size"},
    {"parallelism:dp", kServerInfo, "/vllm_config/parallel_config/data_parallel_size"},
    {"flags.max_model_len", "model", "/max_model_len"},
    {"flags.dtype", kServerInfo, "/vllm_config/model_config/dtype"},
    {"flags.kv_cache_dtype", kServerInfo, "/vllm_config/cache_config/cache_dtype"},
    {"flags.enable_prefix_caching", kServerInfo, "/vllm_config/cache_config/enable_prefix_caching"},
    {"flags.block_size", kServerInfo, "/vllm_config/cache_config/block_size"},
    {"flags.gpu_memory_utilization", kServerInfo, "/vllm_config/cache_config/gpu_memory_utilization"},
    {"flags.max_num_seqs", kServerInfo, "/vllm_config/scheduler_config/max_num_seqs"},
    {"flags.max_num_batched_tokens", kServerInfo, "/vllm_config/scheduler_config/max_num_batched_tokens"},
};

// --- SGLang
constexpr Owners kSglangOwners[] = {"sglang"};
constexpr EngineSign kSglangSigns[] = {{kServerInfo, "/tp_size"}, {kServerInfo, "/disable_radix_cache"}};
constexpr FactSource kSglangFacts[] = {
    {"engine_version", kSglangInfo, "/version"},
    {"model", kSglangInfo, "/model_path"},
    {"model", "model", "/id"},
    {"model_revision", kSglangInfo, "/revision"},
    {"quantization", kSglangInfo, "/quantization"},
    {"tokenizer", kSglangInfo, "/tokenizer_path"},
    {"chat_template", kSglangInfo, "/chat_template"},
    {"context", "model", "/max_model_len"},
    {"context", kSglangInfo, "/context_length"},
    {"parallelism:tp", kSglangInfo, "/tp_size"},
    {"parallelism:pp", kSglangInfo, "/pp_size"},
    {"parallelism:dp", kSglangInfo, "/dp_size"},
    {"parallelism:ep", kSglangInfo, "/ep_size"},
    {"flags.dtype", kSglangInfo, "/dtype"},
    {"flags.kv_cache_dtype", kSglangInfo, "/kv_cache_dtype"},
    {"flags.disable_radix_cache", kSglangInfo, "/disable_radix_cache"},
    {"flags.page_size", kSglangInfo, "/page_size"},
    {"flags.attention_backend", kSglangInfo, "/attention_backend"},
    {"flags.schedule_policy", kSglangInfo, "/schedule_policy"},
    {"flags.chunked_prefill_size", kSglangInfo, "/chunked_prefill_size"},
    {"flags.max_running_requests", kSglangInfo, "/max_running_requests"},
    {"flags.mem_fraction_static", kSglangInfo, "/mem_fraction_static"},
    {"flags.stream_interval", kSglangInfo, "/stream_interval"},
    {"flags.speculative_algorithm", kSglangInfo, "/speculative_algorithm"},
    {"flags.speculative_num_steps", kSglangInfo, "/speculative_num_steps"},
};

// --- llama.cpp's server: n_ctx is per slot
constexpr Owners kLlamaOwners[] = {"llamacpp"};
constexpr EngineSign kLlamaSigns[] = {{"/props", "/default_generation_settings"}, {"/props", "/total_slots"}};
constexpr FactSource kLlamaFacts[] = {
    {"engine_version", "/props", "/build_info"},
    {"model", "/props", "/model_path"},
    {"model", "model", "/id"},
    {"quantization", "model", "/meta/ftype"},
    {"context", "/props", "/default_generation_settings/n_ctx"},
    {"context", "model", "/meta/n_ctx"},
    {"flags.total_slots", "/props", "/total_slots"},
    {"flags.n_ctx_per_slot", "/props", "/default_generation_settings/n_ctx"},
    {"flags.n_params", "model", "/meta/n_params"},
};

// --- Hugging Face TGI: only temperature 0 is greedy, lengths cannot be forced
constexpr EngineSign kTgiSigns[] = {{"/info", "/max_total_tokens"}, {"/info", "/docker_label"}};
constexpr FactSource kTgiFacts[] = {
    {"engine_version", "/info", "/version"},
    {"model", "/info", "/model_id"},
    {"model_revision", "/info", "/model_sha"},
    {"context", "/info", "/max_total_tokens"},
    {"flags.max_concurrent_requests", "/info", "/max_concurrent_requests"},
    {"flags.max_input_tokens", "/info", "/max_input_tokens"},
    {"flags.max_total_tokens", "/info", "/max_total_tokens"},
    {"flags.docker_label", "/info", "/docker_label"},
};

// --- trtllm-serve and Triton's OpenAI front: unknown request fields are refused
constexpr Owners kTrtllmOwners[] = {"tensorrt_llm", "Triton Inference Server"};
constexpr FactSource kTrtllmFacts[] = {
    {"engine_version", "/version", "/version"},
    {"model", "model", "/id"},
};

// --- Ollama: max_completion_tokens and ignore_eos are silently ignored; /api/ps knows a model once it is
// loaded
constexpr Owners kOllamaOwners[] = {"library"};
constexpr EngineSign kOllamaSigns[] = {{"/api/version", "/version"}};
constexpr FactSource kOllamaFacts[] = {
    {"engine_version", "/api/version", "/version"},
    {"model", "model", "/id"},
    {"model_revision", "/api/ps", "/models/0/digest"},
    {"quantization", "/api/ps", "/models/0/details/quantization_level"},
    {"context", "/api/ps", "/models/0/context_length"},
};

// --- LMDeploy
constexpr Owners kLmdeployOwners[] = {"lmdeploy"};
constexpr FactSource kLmdeployFacts[] = {
    {"model", "model", "/root"},
    {"model", "model", "/id"},
};

// --- OpenAI: reasoning models refuse max_tokens
constexpr Owners kOpenaiOwners[] = {"openai", "openai-internal", "system"};
constexpr FactSource kModelIdOnly[] = {{"model", "model", "/id"}};

// --- the simulated engine speaks vLLM's shapes
constexpr Owners kSimOwners[] = {"tailmark-sim"};
constexpr FactSource kSimFacts[] = {
    {"engine_version", "/version", "/version"},
    {"model", "model", "/root"},
    {"model", "model", "/id"},
    {"context", "model", "/max_model_len"},
    {"accelerator", kServerInfo, "/profile/accelerator"},
    {"flags.*", kServerInfo, "/profile"},
    {"flags.max_queue", kServerInfo, "/max_queue"},
    {"flags.seed", kServerInfo, "/seed"},
    {"flags.faults", kServerInfo, "/faults"},
};

// The order is that in which signs are looked for.
constexpr EngineProfile kProfiles[] = {
    {"sim", kSimOwners, {}, true, true, "max_tokens", kSimFacts},
    {"vllm", kVllmOwners, kVllmSigns, true, true, "max_tokens", kVllmFacts},
    {"sglang", kSglangOwners, kSglangSigns, true, true, "max_tokens", kSglangFacts},
    {"llamacpp", kLlamaOwners, kLlamaSigns, true, false, "max_tokens", kLlamaFacts},
    {"tgi", {}, kTgiSigns, false, false, "max_tokens", kTgiFacts},
    {"trtllm", kTrtllmOwners, {}, true, true, "max_tokens", kTrtllmFacts},
    {"ollama", kOllamaOwners, kOllamaSigns, false, false, "max_tokens", kOllamaFacts},
    {"lmdeploy", kLmdeployOwners, {}, true, false, "max_tokens", kLmdeployFacts},
    {"openai", kOpenaiOwners, {}, false, false, "max_completion_tokens", kModelIdOnly},
    {"generic", {}, {}, false, false, "max_tokens", kModelIdOnly},
};

} // namespace

std::span<const std::string_view> infoDocuments()
{
    return kInfoDocuments;
}

std::span<const EngineProfile> engineProfiles()
{
    return kProfiles;
}

const EngineProfile& engineProfile(std::string_view id)
{
    const auto found = std::ranges::find(kProfiles, id, &EngineProfile::id);
    return found != std::end(kProfiles) ? *found : kProfiles[std::size(kProfiles) - 1];
}

} // namespace tailmark
