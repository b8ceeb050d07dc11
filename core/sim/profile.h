// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tailmark::sim {

/// What one engine on one accelerator can do: limits, cache and step time. One JSON file under resources/sim;
/// every key but `name` may be left out and then has the value below. Times in ms.
struct Profile
{
    std::string name;
    std::string description;
    std::string model = "tailmark/simulated-8b"; ///< model id the server answers to
    std::string accelerator;

    double weightsBytes = 16.06e9;   ///< `weights_bytes`: told by /server_info, the step time has it in c0
    double kvBytesPerToken = 131072; ///< `kv_bytes_per_token`: likewise
    std::int64_t kvCapacityTokens = 65536; ///< `kv_capacity_tokens`: all KV blocks together
    int maxModelLen = 32768; ///< `max_model_len`: prompt + output of one request; at most the KV capacity
    int block = 16;          ///< `block`: tokens per KV block
    int maxNumSeqs = 256;    ///< `max_num_seqs`: requests in one step
    int maxNumBatchedTokens = 2048; ///< `max_num_batched_tokens`: token budget of one step
    bool prefixCache = true;        ///< `prefix_cache`

    /// Time of a forward pass over D decode tokens of B sequences with K million tokens of context together
    /// and T thousand prompt tokens (see stepTimeMs): `decode` {c0, cB, cK}, `prefill` {p1, p2}.
    struct Decode
    {
        double c0 = 10; ///< reading the weights once, ms
        double cB = 0;  ///< ms per sequence
        double cK = 0;  ///< reading the KV cache, ms per million tokens of context
    } decode;
    struct Prefill
    {
        double p1 = 0; ///< ms per thousand tokens
        double p2 = 0; ///< attention, ms per (thousand tokens)²
    } prefill;
    double stepOverheadMs = 0; ///< `step_overhead_ms`: scheduling, sampling and launching, per step
    double ingestMs = 0;       ///< `ingest_ms`: from receipt to the waiting queue (parsing, tokenising)
    double perTokenMs =
        0;             ///< `per_token_ms`: host work per output token of a request, for all streams at once
    double jitter = 0; ///< `jitter`: relative standard deviation of a step's time

    /// `natural_output` {mean, cv}: length at which an answer stops of itself, lognormal.
    struct NaturalOutput
    {
        double mean = 256;
        double cv = 0.8;
    } naturalOutput;

    /// `speculative` {tokens, acceptance, draft_ms}: K drafts per step, each accepted with this probability
    /// as long as those before it were; draft_ms is the time of drafting one position for the whole batch.
    struct Speculative
    {
        int tokens = 0;
        double acceptance = 0.7;
        double draftMs = 0;
    } speculative;
};

/// The KV capacity in whole blocks, in tokens.
std::int64_t usableKvTokens(const Profile& profile);

/// Reads a profile. An unknown key, a wrong type or a value out of range is refused with its path. `where`
/// names the text in errors.
Result<Profile> parseProfile(std::string_view json, const std::string& where);

/// The checks of parseProfile on a profile that was changed afterwards; keys in the error are those of the
/// file.
Status checkProfile(const Profile& profile, const std::string& where);

/// The profile as JSON with every key.
std::string profileJson(const Profile& profile);

/// Reads `nameOrFile`: a path when it has a slash or ends in .json, else the name of a file in one of
/// `folders`.
Result<Profile> loadProfile(const std::string& nameOrFile, const std::vector<std::filesystem::path>& folders);

/// Every readable profile of `folders`, by name; a name found twice is the one of the first folder.
std::vector<Profile> listProfiles(const std::vector<std::filesystem::path>& folders);

} // namespace tailmark::sim
