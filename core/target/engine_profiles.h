// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "target/response_event.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

/// Where an engine tells a fact. `fact`: a key of the run card ("engine_version", "flags.dtype", "flags.*"
/// for all plain members), "default_flags.*" (what the flags of these names are by default), "parallelism:tp" for a part of that entry, or "context" for the longest context in
/// tokens. `document`: "model" (the entry of /v1/models) or paths beside the API prefix, of which the first
/// that answers counts ("/server_info|/get_server_info"). `pointer`: JSON pointer into it.
struct FactSource
{
    std::string fact;
    std::string document;
    std::string pointer;
};

/// What only this engine's answers have: a member of a document, or a response header (its name in lower
/// case). With `value` the member or header must be that text (without regard to case), else it only has to
/// be there.
struct EngineSign
{
    std::string document;
    std::string pointer;
    std::string header;
    std::string value;
};

/// How an engine is recognised and where it tells what.
struct EngineFacts
{
    std::vector<std::string> owners; ///< values of owned_by in /v1/models
    std::vector<EngineSign> signs;
    std::vector<FactSource> sources;             ///< of one fact the first that answers wins
    std::map<std::string, std::string> defaults; ///< by the name of the flag, for the flags in `sources`
};

enum class FieldUse { Unknown, Taken, Ignored, Refused };

/// Request fields by which the tokens of each chunk are told: merged into the body (objects member by
/// member). `kind` tells what comes back: "token_ids", "usage" (continuous usage), "timings" or "logprobs".
struct TokenEvidence
{
    std::string kind;
    nlohmann::json fields = nlohmann::json::object();
    bool chat = true;
    bool completions = true;
};

/// Which request fields the engine takes.
struct RequestFields
{
    std::string maxTokens = "max_tokens"; ///< the one field for the output limit
    bool ignoreEos = false;               ///< lengths can be forced
    bool minTokens = false;
    bool streamOptions = true;           ///< stream_options.include_usage
    std::vector<TokenEvidence> evidence; ///< in order of preference
    /// Of other fields (seed, top_k, priority, cache_salt, n, service_tier, …) what becomes of them.
    std::vector<std::string> taken, ignored, refused;
    FieldUse others = FieldUse::Unknown; ///< what becomes of a field that the engine does not know
    EmptyDelta emptyDelta = EmptyDelta::Nothing;
};

/// A call of an info endpoint beside the API prefix. In `body` the texts "$model", "$text", "$messages" (chat
/// messages) and "$ids" (token ids) stand for what is asked with. Absent where `path` is empty.
struct EndpointCall
{
    std::string path;
    nlohmann::json body = nlohmann::json::object();
    std::string ids;      ///< JSON pointer to the list of token ids in the answer; "/" = the answer itself
    std::string idMember; ///< where the elements of that list are objects: which member is the id
    std::string count;    ///< JSON pointer to the number of tokens
    std::string text;     ///< JSON pointer to a text
    explicit operator bool() const { return !path.empty(); }
};

/// How the exact length of a prompt is had.
struct PromptAccess
{
    bool tokenIds = false;         ///< completions takes a list of token ids as `prompt`
    std::string chatTokenIds;      ///< chat takes token ids in this field, past the template; empty = no
    EndpointCall tokenizeText;     ///< plain text, special tokens as a completion would have them
    EndpointCall tokenizeMessages; ///< chat messages through the template: `ids` or only `count`
    EndpointCall applyTemplate;    ///< chat messages to the templated `text`
    EndpointCall detokenize;       ///< ids to `text`
};

enum class CacheDefault { Unknown, On, Off };

/// How a state of the prefix cache is made and proved.
struct CacheAccess
{
    CacheDefault byDefault = CacheDefault::Unknown;
    std::string salt; ///< request field that keeps the prompts of different values apart; empty = none
    nlohmann::json bypass = nlohmann::json::object(); ///< fields by which one request reads no cache
    std::string resetMethod;                          ///< "GET" or "POST"
    std::string resetPath; ///< beside the API prefix; "$slot" = once for each slot; empty = none
    std::string resetHint; ///< what the reset needs, in words; its HTTP 200 is no proof
    std::vector<std::string> cachedTokens; ///< JSON pointers into the event with usage, the first counts
    bool absentIsZero = false;             ///< once told at all, a missing count means 0
    std::string cachedHint; ///< the flag without which cached tokens are not told; empty = always told
};

enum class MetricKind { Gauge, Counter, Histogram };

/// One way to read a counter: the sum of these names over all their label sets, each matched whole up to "{".
/// A counter may stand with or without "_total". Of a histogram "_sum" and "_count" are read.
struct MetricSource
{
    std::vector<std::string> names;
    MetricKind kind = MetricKind::Counter;
    bool atRequestEnd = false; ///< grows only when a request ends: good for whole runs, not for seconds
};

/// The server's counters. Of each the sources in order, of which the first with a sample counts.
struct MetricsAccess
{
    std::string path;                                    ///< beside the API prefix; empty = none
    std::string hint;                                    ///< the flag that it needs, in words
    std::vector<MetricSource> running, waiting;          ///< requests
    std::vector<MetricSource> kvUse;                     ///< 0..1
    std::vector<MetricSource> prefixQueries, prefixHits; ///< in one unit, tokens or blocks
    std::vector<MetricSource> preemptions;
    std::vector<MetricSource> promptTokens, generatedTokens;
    std::vector<MetricSource> specDrafted, specAccepted; ///< tokens
    std::vector<MetricSource> queueTime;                 ///< seconds
};

/// What is known of an engine beforehand. A file of its own in resources/engines, built into the program.
struct EngineProfile
{
    std::string id = "generic";      ///< as in target.engine
    std::string title = "any other"; ///< as its makers write it
    EngineFacts facts;
    RequestFields request;
    PromptAccess prompt;
    CacheAccess cache;
    MetricsAccess metrics;

    FieldUse use(std::string_view field) const;
};

/// Reads one file. An unknown key, a wrong type or a value that makes no sense is refused with its path.
Result<EngineProfile> parseEngineProfile(const std::string& text, const std::string& source);

/// The info documents that are asked for to recognise an engine, in this order; 404 is an answer.
std::span<const std::string_view> infoDocuments();

/// All profiles, by id. Safe from any thread.
const std::vector<EngineProfile>& engineProfiles();
/// The profile with this id; "generic" for one that is not known.
const EngineProfile& engineProfile(std::string_view id);

} // namespace tailmark
