// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/percentile_text.h"
#include "plan/plan_json.h"
#include "report/bound_results.h"
#include "report/cold_start_section.h"
#include "report/report.h"
#include "report/share_safe.h"
#include "report/told.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

/// JSON knows no infinity and no NaN: such a value is as absent as one that was never had.
Json number(double value)
{
    return std::isfinite(value) ? Json(value) : Json();
}

Json number(const std::optional<double>& value)
{
    return value ? number(*value) : Json();
}

Json interval(const std::optional<Interval>& i)
{
    return i ? Json{number(i->low), number(i->high)} : Json();
}

Json text(const std::string& value)
{
    return value.empty() ? Json() : Json(value);
}

Json distributionJson(const Distribution* d)
{
    if (!d)
        return {};
    Json json = {{"n", d->n}, {"mean", number(d->mean)}, {"min", number(d->min)}};
    Json ci95 = Json::object();
    Json weak = Json::array();
    for (const Distribution::Quantile& q : d->quantiles) {
        const std::string key = percentileText(q.percent);
        json[key] = number(q.value);
        ci95[key] = interval(q.ci95);
        if (q.weak)
            weak.push_back(key);
    }
    json["max"] = number(d->max);
    json["ci95"] = std::move(ci95);
    json["weak"] = std::move(weak);
    return json;
}

Json distributionJson(const std::optional<Distribution>& d)
{
    return distributionJson(d ? &*d : nullptr);
}

Json loadJson(const Load& load)
{
    return {{"axis", loadAxisId(load.axis)}, {"value", load.value}};
}

Json limitJson(const SloLimit& limit)
{
    return {{"metric", limit.metric}, {"percentile", limit.percentile}, {"limit", limit.limit}};
}

Json sloJson(const Slo& slo)
{
    Json json = Json::array();
    for (const SloLimit& limit : slo)
        json.push_back(limitJson(limit));
    return json;
}

Json sloResultJson(const SloResult& slo)
{
    Json constraints = Json::array();
    for (const ConstraintResult& c : slo.constraints) {
        Json json = limitJson(c.limit);
        json["value"] = number(c.value);
        json["ci95"] = interval(c.ci95);
        json["n"] = c.n > 0 ? Json(c.n) : Json();
        json["weak"] = c.weak;
        json["value_with_failures"] = number(c.counted); // null where infinite
        json["within_share"] = number(c.withinShare);
        json["within_share_ci95"] = interval(c.withinCi95);
        json["measured"] = c.measured;
        json["met"] = c.measured ? Json(c.met) : Json();
        constraints.push_back(std::move(json));
    }
    const bool known = !slo.constraints.empty();
    return {{"met", known && slo.decided() ? Json(slo.met) : Json()},
            {"attainment", known && slo.measured() && slo.denominator > 0 ? number(slo.attainment) : Json()},
            {"good", slo.good},
            {"denominator", slo.denominator},
            {"undecided", slo.undecided},
            {"constraints", std::move(constraints)}};
}

Json errorsJson(const LengthErrors& errors)
{
    const auto summary = summarizeErrors(errors);
    if (!summary)
        return {};
    return {{"n", summary->n},     {"exact", summary->exact}, {"exact_share", number(summary->exactShare())},
            {"min", summary->min}, {"p50", summary->p50},     {"p99", summary->p99},
            {"max", summary->max}};
}

Json cacheJson(const CacheState& cache)
{
    const bool told = cache.requests > 0;
    return {{"stated", cachePolicyId(cache.stated)},
            {"standing", cacheStandingId(cache.standing)},
            {"made", text(cache.made)},
            {"cached_tokens", told ? Json(cache.cachedTokens) : Json()},
            {"prompt_tokens", told ? Json(cache.promptTokens) : Json()},
            {"shared_tokens", told ? Json(cache.sharedTokens) : Json()},
            {"counter_hit_share",
             cache.counterQueries > 0 ? Json(cache.counterHits / cache.counterQueries) : Json()},
            {"text", cache.text}};
}

/// Null where no sharing is planned.
Json sharingJson(const PrefixSharing& sharing)
{
    const auto planned = sharing.planned(), measured = sharing.measured();
    if (!planned)
        return {};
    return {{"planned_hit_rate", number(*planned)},
            {"planned_tokens", sharing.plannedTokens},
            {"planned_of", sharing.plannedOf},
            {"measured_hit_rate", measured ? number(*measured) : Json()},
            {"measured_tokens", measured ? number(sharing.measuredTokens) : Json()},
            {"measured_of", measured ? number(sharing.measuredOf) : Json()},
            {"measured_by", measured ? Json(hitSourceId(sharing.source)) : Json()}};
}

/// How prompts were made long enough, and how far the server's count was off the plan over the whole run.
Json promptsJson(const RunResults& results)
{
    const nlohmann::json& environment = results.run.environment;
    Json json = environment.is_object() && environment.contains("prompts") ? Json(environment["prompts"])
                                                                           : Json::object();
    json["error"] = errorsJson(promptErrorsOf(results));
    return json;
}

Json outcomesJson(const std::array<std::uint64_t, kOutcomeCount>& counts)
{
    Json json = Json::object();
    for (int i = 0; i < kOutcomeCount; ++i)
        json[std::string(outcomeId(static_cast<Outcome>(i)))] = counts[static_cast<std::size_t>(i)];
    return json;
}

Json verdictJson(const Verdict& verdict)
{
    Json reasons = Json::array();
    for (const VerdictReason& reason : verdict.reasons)
        reasons.push_back({{"code", reason.code}, {"text", reason.text}});
    return {
        {"valid", verdict.valid}, {"failure_stands", verdict.failureStands}, {"reasons", std::move(reasons)}};
}

Json metricsJson(const std::map<Metric, Distribution>& metrics)
{
    Json json = Json::object();
    for (const MetricInfo& info : metricCatalogue()) {
        if (info.scope == MetricScope::Point)
            continue;
        const auto it = metrics.find(info.metric);
        json[std::string(info.id)] = distributionJson(it == metrics.end() ? nullptr : &it->second);
    }
    return json;
}

Json lawJson(const LawCheck& law)
{
    return {{"law", law.law},
            {"expected", number(law.expected)},
            {"observed", number(law.observed)},
            {"relative_difference", number(law.relativeDifference)},
            {"text", law.text}};
}

Json phasesJson(const std::vector<PhaseSummary>& phases)
{
    Json json = Json::array();
    for (const PhaseSummary& phase : phases)
        json.push_back({{"name", phase.name},
                        {"start_s", phase.startS},
                        {"end_s", phase.endS},
                        {"offered_per_s", number(phase.offeredPerS)},
                        {"sent_per_s", number(phase.sentPerS)},
                        {"completed_per_s", number(phase.completedPerS)},
                        {"metrics", metricsJson(phase.metrics)}});
    return json;
}

Json burstJson(const std::optional<BurstSummary>& burst)
{
    if (!burst)
        return {};
    return {{"baseline_backlog", number(burst->baselineBacklog)},
            {"peak_backlog", number(burst->peakBacklog)},
            {"peak_at_s", number(burst->peakAtS)},
            {"backlog_recovered_s", number(burst->backlogRecoveredS)},
            {"latency_recovered_s", number(burst->latencyRecoveredS)},
            {"predicted_growth", number(burst->predictedGrowth)},
            {"observed_growth", number(burst->observedGrowth)}};
}

Json peersJson(const std::vector<PeerFigures>& peers)
{
    const auto latency = [](const std::optional<PeerFigures::Latency>& l) {
        return l ? Json{{"mean", number(l->mean)}, {"p50", number(l->p50)}, {"p99", number(l->p99)}} : Json();
    };
    Json json = Json::object();
    for (const PeerFigures& peer : peers)
        json[std::string(peer.tool)] = {{"ttft_ms", latency(peer.ttft)},
                                        {"tpot_ms", latency(peer.tpot)},
                                        {"e2e_ms", latency(peer.e2e)},
                                        {"itl_mean_ms", number(peer.itlMeanMs)},
                                        {"output_tokens_per_s", number(peer.outputTokensPerS)}};
    return json;
}

Json serverJson(const std::optional<ServerSummary>& server)
{
    if (!server)
        return {};
    Json json = {{"start_s", server->startS}, {"end_s", server->endS}, {"readings", server->readings}};
    for (const ServerCounterInfo& info : serverCounters()) {
        Json& entry = json[std::string(info.id)] = nullptr;
        const ServerFigure* figure = server->figure(info.counter);
        if (!figure)
            continue;
        if (info.gauge)
            entry = {{"n", figure->n},
                     {"mean", number(figure->mean)},
                     {"min", number(figure->min)},
                     {"max", number(figure->max)}};
        else
            entry = {{"n", figure->n},
                     {"delta", number(figure->delta)},
                     {"per_s", number(figure->perS)},
                     {"restarted", figure->restarted},
                     {"at_request_end", figure->atRequestEnd}};
    }
    json["prefix_hit_share"] = number(server->prefixHitShare());
    json["mean_queue_s"] = number(server->meanQueueS());
    json["generated_in_point"] = number(server->generatedInPoint);
    Json& speculation = json["speculation"] = nullptr;
    if (server->speculation) {
        const Speculation& s = *server->speculation;
        speculation = {{"useful_tokens_per_s", number(s.usefulPerS)},
                       {"generated_tokens_per_s", number(s.generatedPerS)},
                       {"drafted_tokens_per_s", number(s.draftedPerS)},
                       {"accepted_tokens_per_s", number(s.acceptedPerS)},
                       {"rejected_tokens_per_s", number(s.rejectedPerS)}};
    }
    json["remarks"] = server->remarks;
    return json;
}

Json generatorJson(const PointSummary& p)
{
    Json stamps = Json::object();
    for (const StampSource source : {StampSource::Kernel, StampSource::Readiness, StampSource::Processing})
        stamps[std::string(stampSourceId(source))] = p.stamped(source);
    return {{"threads", p.threadCpu.empty() ? Json() : Json(p.threadCpu.size())},
            {"cpu_cores", number(p.cpuCores)},
            {"thread_cpu", p.threadCpu},
            {"run_delay_share", number(p.runDelayShare)},
            {"send_lag_ms", distributionJson(p.distribution(Metric::SendLag))},
            {"loop_lag_ms", distributionJson(p.loopLagMs)},
            {"timer_lag_ms", distributionJson(p.timerLagMs)},
            {"new_connections", p.newConnections},
            {"stale_connections", p.staleConnections},
            {"token_events", p.tokenEvents},
            {"coalesced_events", p.coalescedEvents},
            {"coalesced_share", number(p.coalescedShare())},
            {"stamps", std::move(stamps)}};
}

void addRates(Json& json, const PointSummary& p)
{
    Json rates = Json::object();
    Json intervals = Json::object();
    for (const MetricInfo& info : metricCatalogue()) {
        if (info.scope != MetricScope::Point)
            continue;
        const std::string id(info.id);
        rates[id] = number(p.rate(info.metric));
        if (const auto it = p.rateIntervals.find(info.metric); it != p.rateIntervals.end())
            intervals[id] = interval(it->second);
    }
    json["rates"] = std::move(rates);
    json["rates_ci95"] = std::move(intervals);
}

void addLengthMatch(Json& json, const LengthMatch& lengths)
{
    json["asked"] = lengths.asked ? askedLengthsToJson(*lengths.asked) : Json();
    json["rank_correlation"] = {
        {"asked", number(lengths.asked ? lengths.asked->all.rankCorrelation : std::nullopt)},
        {"planned", number(lengths.plannedCorrelation)},
        {"measured", number(lengths.measuredCorrelation)}};
    json["parts"] = Json::array();
    for (const LengthMatch::Part& part : lengths.parts)
        json["parts"].push_back({{"name", text(part.name)},
                                 {"share_asked", number(part.askedShare)},
                                 {"share", number(part.share)},
                                 {"requests", part.requests}});
    json["clipped"] = lengths.clipped;
}

Json steadyJson(const PointSummary& p)
{
    if (!p.steady)
        return {};
    const auto& early = p.shortWarmup;
    return {{"start_s", p.steady->startS},
            {"end_s", p.steady->endS},
            {"p_value", number(p.steady->pValue)},
            {"looks", p.steady->looks},
            {"warmup_too_short", early.has_value()},
            {"warmup_ratio", early ? number(early->ratio) : Json()},
            {"warmup_p_value", early ? number(early->pValue) : Json()},
            {"text", early ? Json(shortWarmupText(*p.steady, *early, p.window.startS,
                                                  metricInfo(headlineMetric(p.point.openLoop())).abbreviation))
                           : Json()}};
}

/// Of a point that another tool measured: what its file does not tell is null, never 0.
void dropUntold(Json& json, const ForeignFigures& told)
{
    for (const char* counts : {"outcomes", "outcomes_of_point"})
        for (auto& [outcome, count] : json[counts].items())
            count = outcome == outcomeId(Outcome::Completed) && told.completed ? Json(*told.completed) : Json();
    if (!told.durationS)
        json["window"]["start_s"] = json["window"]["end_s"] = nullptr;
    json["window"]["warmup_s"] = json["window"]["planned_s"] = nullptr;
    for (const char* key : {"output_tokens_unknown", "cut_off", "clipped"})
        json["lengths"][key] = nullptr;
    for (const char* key : {"good", "denominator", "undecided"})
        json["slo"][key] = nullptr;
    json["verdict"]["valid"] = nullptr; // nothing of it was checked
    json["generator"] = nullptr;
}

Json pointJson(const RunResults& results, const PointSummary& p)
{
    Json json = {
        {"test", p.point.test},
        {"kind", testKindId(p.point.kind)},
        {"load", loadJson(p.point.load)},
        {"repeat", p.point.repeat},
        {"added", p.point.added},
        {"window",
         {{"start_s", p.window.startS},
          {"end_s", p.window.endS},
          {"warmup_s", p.window.warmupS},
          {"planned_s", p.window.plannedS},
          {"note", text(p.window.note)}}}};
    json["steady"] = steadyJson(p);
    addRates(json, p);
    json["outcomes"] = outcomesJson(p.outcomes);
    json["outcomes_of_point"] = outcomesJson(p.outcomesOfPoint);
    const std::optional<std::uint64_t> failed = failedOf(results, p);
    json["failed"] = failed ? Json(*failed) : Json();
    json["metrics"] = metricsJson(p.metrics);
    json["lengths"] = {{"prompt_tokens_planned", distributionJson(p.promptTokensPlanned)},
                       {"prompt_tokens", distributionJson(p.promptTokens)},
                       {"prompt_error", errorsJson(p.promptErrors)},
                       {"output_tokens_cap", distributionJson(p.outputTokensCap)},
                       {"output_tokens", distributionJson(p.outputTokens)},
                       {"output_tokens_unknown", p.tokensUnknown},
                       {"cut_off",
                        {{"requests", p.cutOff.requests},
                         {"token_events", p.cutOff.tokenEvents},
                         {"output_tokens_per_s", number(p.cutOff.tokensPerS)}}}};
    addLengthMatch(json["lengths"], p.lengths);
    json["cache"] = cacheJson(p.cache);
    json["prefix_sharing"] = sharingJson(p.sharing);
    json["mean_in_flight"] = number(p.meanInFlight);
    json["slo"] = sloResultJson(p.slo);
    json["verdict"] = verdictJson(p.verdict);
    json["generator"] = generatorJson(p);
    json["server"] = serverJson(p.server);
    json["phases"] = phasesJson(p.phases);
    json["burst"] = burstJson(p.burst);
    json["cold_start"] = coldStartJson(p.coldStart);
    json["laws"] = Json::array();
    for (const LawCheck& law : p.laws)
        json["laws"].push_back(lawJson(law));
    json["as_others_count"] = peersJson(p.asOthersCount);
    json["errors"] = p.firstErrors;
    if (const ForeignFigures* told = toldOf(results, p))
        dropUntold(json, *told);
    return json;
}

Json capacityJson(const std::optional<CapacityAt>& at)
{
    if (!at)
        return {};
    return {{"load", number(at->load)},
            {"requests_per_s", number(at->requestsPerS)},
            {"output_tokens_per_s", number(at->outputTokensPerS)},
            {"goodput_requests_per_s", number(at->goodputRequestsPerS)}};
}

/// An open end is null.
Json crossingIntervalJson(const std::optional<CrossingInterval>& i)
{
    return i ? Json{i->lowOpen ? Json() : number(i->low), i->highOpen ? Json() : number(i->high)} : Json();
}

Json operatingPointJson(const OperatingPoint& op)
{
    Json crossings = Json::array();
    for (const CapacityAt& at : op.crossings)
        crossings.push_back(capacityJson(at));
    return {{"test", op.test},
            {"axis", loadAxisId(op.axis)},
            {"state", operatingStateId(op.state)},
            {"slo", sloJson(op.slo)},
            {"failing", op.failing ? limitJson(*op.failing) : Json()},
            {"last_passing", capacityJson(op.lastPassing)},
            {"first_failing", capacityJson(op.firstFailing)},
            {"crossing", capacityJson(op.crossing)},
            {"crossings", std::move(crossings)},
            {"crossing_interval",
             {{"load", crossingIntervalJson(op.crossingLoad)},
              {"output_tokens_per_s", crossingIntervalJson(op.crossingTokensPerS)},
              {"requests_per_s", crossingIntervalJson(op.crossingRequestsPerS)},
              {"below_load", op.crossingLoad && op.crossingLoad->lowOpen ? number(op.crossingLoad->low) : Json()},
              {"above_load", op.crossingLoad && op.crossingLoad->highOpen ? number(op.crossingLoad->high) : Json()},
              {"repeats", op.repeats},
              {"from", !op.crossingLoad  ? Json()
                       : op.repeats > 1 ? Json("student_t_over_repeats")
                                        : Json("block_bootstrap_within_run")}}},
            {"crossed_by_share", op.crossedByShare},
            {"sentence", op.sentence}};
}

Json lawsJson(const std::vector<PointSummary>& points)
{
    Json json = Json::array();
    for (const PointSummary& p : points) {
        for (const LawCheck& law : p.laws) {
            Json entry = {
                {"test", p.point.test}, {"load", loadJson(p.point.load)}, {"repeat", p.point.repeat}};
            entry.update(lawJson(law));
            json.push_back(std::move(entry));
        }
    }
    return json;
}

} // namespace

Json resultToJson(const RunResults& results)
{
    const StoredRun& run = results.run;
    Json json = {{"schema_version", kSchemaVersion},
                 {"tool", {{"name", "tailmark"}, {"version", TAILMARK_VERSION}}},
                 {"run",
                  {{"id", run.info.id.value},
                   {"name", run.info.name},
                   {"started_at", text(run.info.startedAt)},
                   {"finished_at", text(run.info.finishedAt)},
                   {"state", runStateId(run.info.state)},
                   {"measured_by", run.info.foreign.empty() ? "tailmark" : run.info.foreign},
                   {"tags", run.info.tags},
                   {"note", text(run.info.note)}}},
                 {"matrix", shareSafeMatrix(run.plan.matrix)}};
    Json plan = planToJson(run.plan);
    plan.erase("matrix"); // stands above
    json["plan"] = std::move(plan);
    if (!run.info.foreign.empty()) // another tool measured it: nobody told
        json["matrix"] = json["plan"] = nullptr;
    json["card"] = cardToJson(shareSafeCard(run.card));
    json["environment"] = run.environment;
    json["prompts"] = promptsJson(results);
    json["cache"] = cacheJson(cacheOf(results));
    json["prefix_sharing"] = sharingJson(sharingOf(results));
    json["slo"] = sloJson(results.slo);
    json["points"] = Json::array();
    for (const PointSummary& p : results.points)
        json["points"].push_back(pointJson(results, p));
    json["operating_points"] = Json::array();
    for (const OperatingPoint& op : results.operatingPoints)
        json["operating_points"].push_back(operatingPointJson(op));
    json["bound"] = boundJson(results);
    json["laws"] = lawsJson(results.points);
    json["warnings"] = run.warnings;
    return json;
}

} // namespace tailmark
