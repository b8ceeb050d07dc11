// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "plan/plan.h"
#include "plan/request_extras.h"
#include "plan/rule.h"

#include <array>
#include <span>

namespace tailmark::keys {

// The keys of the matrix file: their names, order, members and rules, said once. The reader, the writer,
// validate() and the hints are visitors of these descriptions. A visitor has
//   value(key, member, rule)   a number, text, boolean, choice, list of numbers or map of texts
//   object(key, member, fn)    a nested object, described by fn(visitor, member)
//   list(key, members, fn)     a list of objects, each described by fn(visitor, member)
//   constant(key, value)       a key of the contract that has this one value so far

/// The ids of a choice in the contract's order.
template <typename E> struct Choice;

#define TAILMARK_CHOICE(E, COUNT, ...)                                                                       \
    template <> struct Choice<E>                                                                             \
    {                                                                                                        \
        static constexpr std::array<std::string_view, COUNT> ids = {__VA_ARGS__};                            \
    };
TAILMARK_CHOICE(Api, 2, "chat", "completions")
TAILMARK_CHOICE(HttpVersion, 2, "1.1", "2")
TAILMARK_CHOICE(OutputPolicy, 2, "natural", "forced")
TAILMARK_CHOICE(CachePolicy, 3, "cold", "warm", "as_is")
TAILMARK_CHOICE(BeyondContext, 3, "stop", "clip", "send")
TAILMARK_CHOICE(TokenEvidencePolicy, 2, "off", "on")
TAILMARK_CHOICE(PrefixKind, 3, "none", "shared", "trace")
TAILMARK_CHOICE(SessionsKind, 3, "none", "trace", "synthetic")
TAILMARK_CHOICE(TestKind, 5, "fixed_shape", "concurrency_sweep", "arrival_sweep", "burst_recovery", "cold_start")
TAILMARK_CHOICE(ThinkTime, 3, "constant", "exponential", "trace")
TAILMARK_CHOICE(ArrivalProcess, 5, "constant", "poisson", "gamma", "weibull", "recorded")
TAILMARK_CHOICE(LengthsKind, 6, "fixed", "trace", "empirical", "quantiles", "mix", "prompts")
TAILMARK_CHOICE(LengthsDraw, 2, "joint", "independent")
TAILMARK_CHOICE(PointOrder, 3, "sequential", "interleaved", "shuffled")
TAILMARK_CHOICE(FailureDenominator, 2, "attempted", "accepted")
TAILMARK_CHOICE(LoadAxis, 2, "concurrency", "rate_per_s")
#undef TAILMARK_CHOICE

template <typename E> constexpr std::string_view idOf(E value)
{
    return Choice<E>::ids[static_cast<std::size_t>(value)];
}

// Texts that are more than text (matrix_keys.cpp).
bool isHttpUrl(std::string_view text);
bool isUrlOrAuto(std::string_view text);
bool isProxyUrl(std::string_view text);
bool isEngineId(std::string_view text);
bool isVariableName(std::string_view text);
bool isSloMetric(std::string_view text);
bool isTraceFormat(std::string_view text);
bool isAcceleratorId(std::string_view text);
bool isServedModelId(std::string_view text);
bool isCacheSalt(std::string_view text);
bool isTraceHash(std::string_view text);
bool isPartName(std::string_view text);
bool isOneLine(std::string_view text);
bool isFileName(std::string_view text);
bool isArgument(std::string_view text);
std::string httpUrlWords();
std::string urlOrAutoWords();
std::string proxyUrlWords();
std::string engineIdWords();
std::string variableNameWords();
std::string sloMetricWords();
std::string traceFormatWords();
std::string acceleratorIdWords();
std::string servedModelIdWords();
std::string cacheSaltWords();
std::string traceHashWords();
std::string partNameWords();
std::string oneLineWords();
std::string fileNameWords();
std::string logFileWords();
std::string argumentWords();

inline constexpr Rule kAny{};
inline constexpr Rule kLine = text(isOneLine, oneLineWords);
inline constexpr Rule kTokens = atLeast(1, 2'000'000, "tokens");
inline constexpr Rule kWorkers = atLeast(1, 65'536);
inline constexpr Rule kSeconds = above(0, 86'400, "s");
inline constexpr Rule kSecondsOrNone = atLeast(0, 86'400, "s");
inline constexpr Rule kRate = above(0, 100'000);
inline constexpr Rule kCv = above(0, 100);
inline constexpr Rule kStableWidth = above(0, 10);
/// A record keeps the times of its chunks in 32 bits of µs, so that a request may take 71 minutes at most.
inline constexpr Rule kTimeout = above(0, 3'600, "s");
/// Every JSON reader holds whole numbers up to here exactly.
inline constexpr Rule kSeed = atLeast(0, 9'007'199'254'740'991.0);

template <typename V, typename T> void describeTls(V& v, T& t)
{
    v.value("verify", t.verify, kAny);
    v.value("ca_file", t.caFile, kLine);
}

template <typename V, typename T> void describeTarget(V& v, T& t)
{
    v.value("base_url", t.baseUrl, secretText(isHttpUrl, httpUrlWords));
    v.value("api", t.api, kAny);
    v.value("model", t.model, kLine);
    v.value("engine", t.engine, text(isEngineId, engineIdWords));
    v.value("api_key_env", t.apiKeyEnv, secretText(isVariableName, variableNameWords));
    v.value("headers", t.headers, kAny);
    v.value("extra_body", t.extraBody, kAny);
    v.object("tls", t.tls, [](auto& w, auto& tls) { describeTls(w, tls); });
    v.value("http_version", t.httpVersion, kAny);
    v.value("proxy", t.proxy, secretText(isProxyUrl, proxyUrlWords));
    v.value("metrics_url", t.metricsUrl, secretText(isUrlOrAuto, urlOrAutoWords));
}

template <typename V, typename T> void describeBound(V& v, T& b)
{
    v.value("accelerator", b.accelerator, text(isAcceleratorId, acceleratorIdWords));
    v.value("model", b.model, text(isServedModelId, servedModelIdWords));
    v.value("bandwidth_gb_per_s", b.bandwidthGbPerS, atLeast(0, 1e9, "GB/s"));
    v.value("devices", b.devices, above(0, 1e6));
    v.value("active_params", b.activeParams, atLeast(0, 1e15));
    v.value("bytes_per_param", b.bytesPerParam, atLeast(0, 16));
    v.value("kv_bytes_per_token", b.kvBytesPerToken, atLeast(0, 1e9));
    v.value("peak_tflops", b.peakTflops, atLeast(0, 1e9, "TFLOP/s"));
    v.value("expert_params", b.expertParams, atLeast(0, 1e15));
    v.value("experts", b.experts, atLeast(0, 100'000));
    v.value("experts_per_token", b.expertsPerToken, atLeast(0, 100'000));
}

template <typename V, typename T> void describePrefix(V& v, T& p)
{
    v.value("kind", p.kind, kAny);
    v.value("shared_tokens", p.sharedTokens, atLeast(0, 2'000'000, "tokens"));
    v.value("groups", p.groups, atLeast(1, 1'000'000));
    v.value("share", p.share, atLeast(0, 1));
}

template <typename V, typename T> void describeSessions(V& v, T& s)
{
    v.value("kind", s.kind, kAny);
    if (s.kind != SessionsKind::Synthetic)
        return;
    v.value("turns", s.turns, atLeast(1, 1'000));
    v.value("growth_tokens", s.growthTokens, atLeast(0, 2'000'000, "tokens"));
}

template <typename V, typename T> void describeMixPart(V& v, T& p);

template <typename V, typename T> void describeLengths(V& v, T& l)
{
    v.value("kind", l.kind, kAny);
    switch (l.kind) {
    case LengthsKind::Fixed:
        v.value("prompt_tokens", l.promptTokens, kTokens);
        v.value("output_tokens", l.outputTokens, kTokens);
        break;
    case LengthsKind::Trace:
    case LengthsKind::Empirical:
        v.value("file", l.file, text(isOneLine, logFileWords));
        if (l.kind == LengthsKind::Trace)
            v.value("format", l.format, text(isTraceFormat, traceFormatWords));
        v.value("hash", l.hash, text(isTraceHash, traceHashWords));
        v.value("draw", l.draw, kAny);
        break;
    case LengthsKind::Quantiles:
        v.value("prompt", l.promptQuantiles, kAny.mandatory());
        v.value("output", l.outputQuantiles, kAny.mandatory());
        v.value("rank_correlation", l.rankCorrelation, atLeast(-1, 1));
        break;
    case LengthsKind::Mix:
        v.list("parts", l.parts, [](auto& w, auto& part) { describeMixPart(w, part); });
        break;
    case LengthsKind::Prompts:
        v.value("file", l.file, text(isFileName, fileNameWords).mandatory());
        v.value("hash", l.hash, text(isTraceHash, traceHashWords));
        v.value("output_tokens", l.outputTokens, kTokens);
        break;
    }
}

template <typename V, typename T> void describeMixPart(V& v, T& p)
{
    v.value("name", p.name, text(isPartName, partNameWords).mandatory());
    v.value("weight", p.weight, above(0, 1e9).mandatory());
    v.object("lengths", p.lengths, [](auto& w, auto& lengths) { describeLengths(w, lengths); });
    v.object("prefix", p.prefix, [](auto& w, auto& prefix) { describePrefix(w, prefix); });
}

template <typename V, typename T> void describeImages(V& v, T& i)
{
    v.value("count", i.count, atLeast(1, 64));
    v.value("width_px", i.widthPx, atLeast(1, 4'096, "pixels"));
    v.value("height_px", i.heightPx, atLeast(1, 4'096, "pixels"));
    v.value("file", i.file, kLine);
}

/// The keys that `workload.extras` knows beside the fields of a request that are sent as they are.
template <typename V, typename T> void describeExtras(V& v, T& e)
{
    v.value("n", e.choices, atLeast(1, 64));
    v.value("priority", e.priority, atLeast(-2'147'483'648.0, 2'147'483'647.0));
    v.value("cache_salt", e.cacheSalt, text(isCacheSalt, cacheSaltWords));
    v.value("response_format", e.responseFormat, kAny);
    v.object("images", e.images, [](auto& w, auto& images) { describeImages(w, images); });
}

/// The same of one entry of `workload.extras.variants`.
template <typename V, typename T> void describeVariant(V& v, T& e)
{
    v.value("weight", e.weight, above(0, 1e9));
}

template <typename V, typename T> void describeWorkload(V& v, T& w)
{
    v.object("lengths", w.lengths, [](auto& u, auto& lengths) { describeLengths(u, lengths); });
    v.object("prefix", w.prefix, [](auto& u, auto& prefix) { describePrefix(u, prefix); });
    v.object("sessions", w.sessions, [](auto& u, auto& sessions) { describeSessions(u, sessions); });
    v.value("output", w.output, kAny);
    v.value("cache", w.cache, kAny);
    v.value("beyond_context", w.beyondContext, kAny);
    v.value("streaming", w.streaming, kAny);
    v.value("token_evidence", w.tokenEvidence, kAny);
    v.value("sampling", w.sampling, kAny);
    v.value("extras", w.extras, kAny);
    v.value("seed", w.seed, kSeed);
}

template <typename V, typename T> void describeSloLimit(V& v, T& s)
{
    v.value("metric", s.metric, text(isSloMetric, sloMetricWords).mandatory());
    v.value("percentile", s.percentile, between(0, 100));
    v.value("limit", s.limit, above(0, 1e9).mandatory());
}

template <typename V, typename T> void describeRecorded(V& v, T& r)
{
    v.value("from_s", r.fromS, atLeast(0, 1e9, "s"));
    v.value("to_s", r.toS, atLeast(0, 1e9, "s"));
    v.value("time_scale", r.timeScale, atLeast(0, 1e6));
}

template <typename V, typename T> void describeRateFactor(V& v, T& f)
{
    v.value("at_s", f.atS, kSecondsOrNone.mandatory());
    v.value("factor", f.factor, atLeast(0, 1'000).mandatory());
}

/// How arrivals come: of a test that has a rate, and of its points.
template <typename V, typename T> void describeArrivals(V& v, T& t)
{
    v.value("process", t.process, kAny);
    v.value("cv", t.cv, kCv);
    if (t.process == ArrivalProcess::Recorded)
        v.object("recorded", t.recorded, [](auto& w, auto& recorded) { describeRecorded(w, recorded); });
    v.value("fan_out", t.fanOut, atLeast(1, 1'024, "requests"));
}

template <typename V, typename T> void describeShape(V& v, T& t)
{
    v.list("shape", t.shape, [](auto& w, auto& factor) { describeRateFactor(w, factor); });
}

template <typename V, typename T> void describeTest(V& v, T& t)
{
    v.value("kind", t.kind, kAny.mandatory());
    v.value("name", t.name, kLine);
    v.value("enabled", t.enabled, kAny);
    switch (t.kind) {
    case TestKind::FixedShape:
        v.value("prompt_tokens", t.promptTokens, kTokens);
        v.value("output_tokens", t.outputTokens, kTokens);
        v.value("concurrency", t.concurrency, kWorkers);
        break;
    case TestKind::ConcurrencySweep:
        v.value("levels", t.levels, kWorkers.rising());
        v.value("think_time_s", t.thinkTimeS, atLeast(0, 3'600, "s"));
        v.value("think_time", t.thinkTime, kAny);
        break;
    case TestKind::ArrivalSweep:
        v.value("rates_per_s", t.ratesPerS, kRate.rising());
        describeArrivals(v, t);
        describeShape(v, t);
        break;
    case TestKind::BurstRecovery:
        v.value("base_rate_per_s", t.baseRatePerS, kRate);
        v.value("burst_rate_per_s", t.burstRatePerS, kRate);
        v.value("baseline_s", t.baselineS, kSeconds);
        v.value("burst_s", t.burstS, kSeconds);
        v.value("recovery_s", t.recoveryS, kSeconds);
        describeArrivals(v, t);
        break;
    case TestKind::ColdStart:
        v.value("requests", t.requests, atLeast(6, 1'000));
        v.value("command", t.command, text(isArgument, argumentWords));
        v.value("keep_running", t.keepRunning, kAny);
        v.value("timeout_s", t.timeoutS, kSeconds);
        break;
    }
}

template <typename V, typename T> void describeMeasurement(V& v, T& m)
{
    v.value("warmup_s", m.warmupS, kSecondsOrNone);
    v.value("duration_s", m.durationS, kSeconds);
    v.value("max_requests", m.maxRequests, atLeast(0, 5'000'000));
    v.value("until_stable", m.untilStable, kAny);
    v.value("stable_width", m.stableWidth, kStableWidth);
    v.value("max_duration_s", m.maxDurationS, kSeconds);
    v.value("repeats", m.repeats, atLeast(1, 100));
    v.value("order", m.order, kAny);
    v.value("refine", m.refine, atLeast(0, 32));
    v.value("refine_to", m.refineTo, above(0, 1));
    v.value("cooldown_s", m.cooldownS, kSecondsOrNone);
    v.value("drain_s", m.drainS, kSecondsOrNone);
    v.value("failure_denominator", m.failureDenominator, kAny);
}

template <typename V, typename T> void describeLimits(V& v, T& l)
{
    v.value("connect_timeout_s", l.connectTimeoutS, kTimeout);
    v.value("first_token_timeout_s", l.firstTokenTimeoutS, kTimeout);
    v.value("stall_timeout_s", l.stallTimeoutS, kTimeout);
    v.value("total_timeout_s", l.totalTimeoutS, kTimeout);
    v.value("max_in_flight", l.maxInFlight, kWorkers);
    v.value("generator_threads", l.generatorThreads, atLeast(0, 64));
}

template <typename V, typename T> void describePaired(V& v, T& p)
{
    v.object("target", p.target, [](auto& w, auto& target) { describeTarget(w, target); });
    v.card("card", p.card);
}

template <typename V, typename T> void describeMatrix(V& v, T& m)
{
    v.value("schema_version", m.schemaVersion, atLeast(1, 1));
    v.value("name", m.name, kLine);
    v.object("target", m.target, [](auto& w, auto& target) { describeTarget(w, target); });
    v.card("card", m.card);
    v.object("paired_with", m.pairedWith, [](auto& w, auto& paired) { describePaired(w, paired); });
    v.object("bound", m.bound, [](auto& w, auto& bound) { describeBound(w, bound); });
    v.object("workload", m.workload, [](auto& w, auto& workload) { describeWorkload(w, workload); });
    v.list("slo", m.slo, [](auto& w, auto& limit) { describeSloLimit(w, limit); });
    v.list("tests", m.tests, [](auto& w, auto& test) { describeTest(w, test); });
    v.object("measurement", m.measurement,
             [](auto& w, auto& measurement) { describeMeasurement(w, measurement); });
    v.object("limits", m.limits, [](auto& w, auto& limits) { describeLimits(w, limits); });
}

// The points of a saved plan.

template <typename V, typename T> void describePoint(V& v, T& p)
{
    v.value("index", p.index.value, atLeast(0, 1e9));
    v.value("test_index", p.testIndex, atLeast(0, 1e9));
    v.value("test", p.test, kLine);
    v.value("kind", p.kind, kAny.mandatory());
    v.object("load", p.load, [](auto& w, auto& load) {
        w.value("axis", load.axis, kAny);
        w.value("value", load.value, kAny);
    });
    v.value("repeat", p.repeat, atLeast(0, 1e9));
    v.value("concurrency", p.concurrency, atLeast(0, 65'536));
    v.value("think_time_s", p.thinkTimeS, kAny);
    v.value("think_time", p.thinkTime, kAny);
    v.list("phases", p.phases, [](auto& w, auto& phase) {
        w.value("name", phase.name, kLine);
        w.value("rate_per_s", phase.ratePerS, kRate);
        w.value("duration_s", phase.durationS, kAny);
    });
    describeArrivals(v, p);
    describeShape(v, p);
    v.object("lengths", p.lengths, [](auto& w, auto& lengths) { describeLengths(w, lengths); });
    v.object("prefix", p.prefix, [](auto& w, auto& prefix) { describePrefix(w, prefix); });
    v.object("sessions", p.sessions, [](auto& w, auto& sessions) { describeSessions(w, sessions); });
    v.value("output", p.output, kAny);
    v.value("cache", p.cache, kAny);
    v.value("warmup_s", p.warmupS, kAny);
    v.value("duration_s", p.durationS, kAny);
    v.value("max_duration_s", p.maxDurationS, kAny);
    v.value("stable_width", p.stableWidth, kAny);
    v.value("max_requests", p.maxRequests, atLeast(0, 5'000'000));
    v.value("drain_s", p.drainS, kAny);
    v.value("cooldown_s", p.cooldownS, kAny);
    v.object("seeds", p.seeds, [](auto& w, auto& seeds) {
        w.value("arrivals", seeds.arrivals, kSeed);
        w.value("lengths", seeds.lengths, kSeed);
        w.value("prompts", seeds.prompts, kSeed);
        w.value("think_times", seeds.thinkTimes, kSeed);
    });
    v.value("added", p.added, kAny);
}

} // namespace tailmark::keys
