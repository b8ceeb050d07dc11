// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/json_visitors.h"
#include "plan/strict_json.h"
#include "target/engine_profiles.h"

#include <algorithm>

namespace tailmark {

namespace keys {

template <> struct Choice<FieldUse>
{
    static constexpr std::array<std::string_view, 4> ids = {"unknown", "taken", "ignored", "refused"};
};
template <> struct Choice<EmptyDelta>
{
    static constexpr std::array<std::string_view, 3> ids = {"nothing", "token_after_role", "token"};
};
template <> struct Choice<CacheDefault>
{
    static constexpr std::array<std::string_view, 3> ids = {"unknown", "on", "off"};
};
template <> struct Choice<MetricKind>
{
    static constexpr std::array<std::string_view, 3> ids = {"gauge", "counter", "histogram"};
};

} // namespace keys

namespace {

using keys::kAny;
using keys::Reader;

void describeSource(Reader& r, FactSource& source)
{
    r.value("fact", source.fact, kAny.mandatory());
    r.value("document", source.document, kAny.mandatory());
    r.value("pointer", source.pointer, kAny.mandatory());
}

void describeSign(Reader& r, EngineSign& sign)
{
    r.value("document", sign.document, kAny);
    r.value("pointer", sign.pointer, kAny);
    r.value("header", sign.header, kAny);
    r.value("value", sign.value, kAny);
}

void describeFacts(Reader& r, EngineFacts& facts)
{
    r.value("owners", facts.owners, kAny);
    r.list("signs", facts.signs, describeSign);
    r.list("sources", facts.sources, describeSource);
    r.value("defaults", facts.defaults, kAny);
}

void describeEvidence(Reader& r, TokenEvidence& evidence)
{
    r.value("kind", evidence.kind, kAny.mandatory());
    r.value("fields", evidence.fields, kAny.mandatory());
    r.value("chat", evidence.chat, kAny);
    r.value("completions", evidence.completions, kAny);
}

void describeRequest(Reader& r, RequestFields& request)
{
    r.value("max_tokens", request.maxTokens, kAny);
    r.value("ignore_eos", request.ignoreEos, kAny);
    r.value("min_tokens", request.minTokens, kAny);
    r.value("stream_options", request.streamOptions, kAny);
    r.list("evidence", request.evidence, describeEvidence);
    r.value("taken", request.taken, kAny);
    r.value("ignored", request.ignored, kAny);
    r.value("refused", request.refused, kAny);
    r.value("others", request.others, kAny);
    r.value("empty_delta", request.emptyDelta, kAny);
}

void describeCall(Reader& r, EndpointCall& call)
{
    r.value("path", call.path, kAny.mandatory());
    r.value("body", call.body, kAny.mandatory());
    r.value("ids", call.ids, kAny);
    r.value("id_member", call.idMember, kAny);
    r.value("count", call.count, kAny);
    r.value("text", call.text, kAny);
}

void describePrompt(Reader& r, PromptAccess& prompt)
{
    r.value("token_ids", prompt.tokenIds, kAny);
    r.value("chat_token_ids", prompt.chatTokenIds, kAny);
    r.object("tokenize_text", prompt.tokenizeText, describeCall);
    r.object("tokenize_messages", prompt.tokenizeMessages, describeCall);
    r.object("apply_template", prompt.applyTemplate, describeCall);
    r.object("detokenize", prompt.detokenize, describeCall);
}

void describeCache(Reader& r, CacheAccess& cache)
{
    r.value("default", cache.byDefault, kAny);
    r.value("salt", cache.salt, kAny);
    r.value("bypass", cache.bypass, kAny);
    r.value("reset_method", cache.resetMethod, kAny);
    r.value("reset_path", cache.resetPath, kAny);
    r.value("reset_hint", cache.resetHint, kAny);
    r.value("cached_tokens", cache.cachedTokens, kAny);
    r.value("absent_is_zero", cache.absentIsZero, kAny);
    r.value("cached_hint", cache.cachedHint, kAny);
}

void describeMetric(Reader& r, MetricSource& source)
{
    r.value("names", source.names, kAny.mandatory());
    r.value("kind", source.kind, kAny.mandatory());
    r.value("at_request_end", source.atRequestEnd, kAny);
}

void describeMetrics(Reader& r, MetricsAccess& metrics)
{
    r.value("path", metrics.path, kAny);
    r.value("hint", metrics.hint, kAny);
    r.list("running", metrics.running, describeMetric);
    r.list("waiting", metrics.waiting, describeMetric);
    r.list("kv_use", metrics.kvUse, describeMetric);
    r.list("prefix_queries", metrics.prefixQueries, describeMetric);
    r.list("prefix_hits", metrics.prefixHits, describeMetric);
    r.list("preemptions", metrics.preemptions, describeMetric);
    r.list("prompt_tokens", metrics.promptTokens, describeMetric);
    r.list("generated_tokens", metrics.generatedTokens, describeMetric);
    r.list("spec_drafted", metrics.specDrafted, describeMetric);
    r.list("spec_accepted", metrics.specAccepted, describeMetric);
    r.list("queue_time", metrics.queueTime, describeMetric);
}

void describeProfile(Reader& r, EngineProfile& profile)
{
    r.value("id", profile.id, kAny.mandatory());
    r.value("title", profile.title, kAny.mandatory());
    r.object("facts", profile.facts, describeFacts);
    r.object("request", profile.request, describeRequest);
    r.object("prompt", profile.prompt, describePrompt);
    r.object("cache", profile.cache, describeCache);
    r.object("metrics", profile.metrics, describeMetrics);
}

/// What is wrong with the values beyond their types: the first fault as {key path, what is wrong}.
class Check
{
public:
    explicit Check(const EngineProfile& profile)
    {
        require("id", !profile.id.empty(), "must not be empty");
        facts(profile.facts);
        for (const TokenEvidence& evidence : profile.request.evidence)
            require("request.evidence.kind",
                    evidence.kind == "token_ids" || evidence.kind == "usage" || evidence.kind == "timings" ||
                        evidence.kind == "logprobs",
                    "must be \"token_ids\", \"usage\", \"timings\" or \"logprobs\"");
        require("request.max_tokens", !profile.request.maxTokens.empty(), "must not be empty");
        call("prompt.tokenize_text", profile.prompt.tokenizeText);
        call("prompt.tokenize_messages", profile.prompt.tokenizeMessages);
        call("prompt.apply_template", profile.prompt.applyTemplate);
        call("prompt.detokenize", profile.prompt.detokenize);
        for (const std::string& at : profile.cache.cachedTokens)
            pointer("cache.cached_tokens", at);
        path("cache.reset_path", profile.cache.resetPath);
        const std::string& method = profile.cache.resetMethod;
        require("cache.reset_method",
                profile.cache.resetPath.empty() ? method.empty() : method == "GET" || method == "POST",
                "must be \"GET\" or \"POST\", and only where there is a reset_path");
        path("metrics.path", profile.metrics.path);
        metrics(profile.metrics);
    }
    const std::string& where() const { return m_where; }
    const std::string& what() const { return m_what; }

private:
    void require(const char* where, bool holds, const char* what)
    {
        if (holds || !m_where.empty())
            return;
        m_where = where;
        m_what = what;
    }
    void path(const char* where, const std::string& text)
    {
        require(where, text.empty() || text.front() == '/', "must be empty or begin with /");
    }
    void pointer(const char* where, const std::string& text)
    {
        require(where, text.empty() || text.front() == '/', "must be a JSON pointer, which begins with /");
    }
    void facts(const EngineFacts& facts)
    {
        for (const FactSource& source : facts.sources)
            pointer("facts.sources.pointer", source.pointer);
        for (const EngineSign& sign : facts.signs) {
            require("facts.signs", sign.document.empty() != sign.header.empty(),
                    "each must have a document or a header, and not both");
            pointer("facts.signs.pointer", sign.pointer);
        }
    }
    void call(const char* where, const EndpointCall& call)
    {
        path(where, call.path);
        for (const std::string* at : {&call.ids, &call.count, &call.text})
            pointer(where, *at);
        require(where, !call || !(call.ids + call.count + call.text).empty(),
                "must have ids, count or text: what is read from the answer");
    }
    void metrics(const MetricsAccess& metrics)
    {
        for (const auto* sources :
             {&metrics.running, &metrics.waiting, &metrics.kvUse, &metrics.prefixQueries, &metrics.prefixHits,
              &metrics.preemptions, &metrics.promptTokens, &metrics.generatedTokens, &metrics.specDrafted,
              &metrics.specAccepted, &metrics.queueTime})
            for (const MetricSource& source : *sources) {
                require("metrics", !metrics.path.empty(), "must have a path where there are counters");
                require("metrics", !source.names.empty(), "each counter must have names");
            }
    }

    std::string m_where;
    std::string m_what;
};

} // namespace

Result<EngineProfile> parseEngineProfile(const std::string& text, const std::string& source)
{
    const Result<nlohmann::json> json = parseStrictly(text, source);
    if (!json)
        return json.error();
    if (!json.value().is_object())
        return Error{ErrorCode::BadInput, source, "must be a JSON object, is " + keys::shown(json.value())};
    EngineProfile profile;
    Reader reader(json.value(), source);
    describeProfile(reader, profile);
    if (std::optional<Error> error = reader.finish())
        return *error;
    const Check check(profile);
    if (!check.where().empty())
        return Error{ErrorCode::BadInput, source + ": " + check.where(), check.what()};
    return profile;
}

} // namespace tailmark
