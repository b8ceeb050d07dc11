// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/foreign_summary.h"
#include "report/csv.h"
#include "report/report.h"
#include "report/told.h"

#include <algorithm>
#include <array>

namespace tailmark {

namespace {

constexpr std::array kPercentiles = {50.0, 90.0, 95.0, 99.0};
constexpr std::array kPercentileNames = {"p50", "p90", "p95", "p99"};

void writeHeader(CsvWriter& csv)
{
    for (const char* column : {"test", "kind", "axis", "load", "repeat", "window_start_s", "window_end_s"})
        csv.text(column);
    for (const MetricInfo& info : metricCatalogue()) {
        if (info.scope == MetricScope::Point)
            csv.text(info.id);
    }
    csv.text("mean_in_flight");
    for (int i = 0; i < kOutcomeCount; ++i)
        csv.text(outcomeId(static_cast<Outcome>(i)));
    csv.text("failed");
    for (const MetricInfo& info : metricCatalogue()) {
        if (info.scope == MetricScope::Point)
            continue;
        const std::string id(info.id);
        csv.text(id + "_n").text(id + "_mean");
        for (const char* name : kPercentileNames)
            csv.text(id + "_" + name);
        csv.text(id + "_max");
    }
    for (const ServerCounterInfo& info : serverCounters()) {
        const std::string id = "server_" + std::string(info.id);
        if (info.gauge)
            csv.text(id + "_mean").text(id + "_max");
        else
            csv.text(id);
    }
    for (const char* column :
         {"generator_threads", "generator_cpu_cores", "generator_busiest_thread", "generator_run_delay_share",
          "loop_lag_ms_p99", "timer_lag_ms_p99", "new_connections", "stale_connections", "coalesced_events"})
        csv.text(column);
    csv.text("slo_met").text("valid").text("verdict");
    csv.text("cache_stated").text("cache_standing").text("cached_tokens").text("cached_of_prompt_tokens");
    csv.text("hit_rate_planned").text("hit_rate_measured");
    for (const char* column : {"n", "exact_share", "p50", "p99", "max"})
        csv.text("prompt_error_" + std::string(column));
    csv.endRow();
}

void writeDistribution(CsvWriter& csv, const Distribution* d, bool isTime)
{
    const auto write = [&](const std::optional<double>& value) {
        isTime ? csv.milliseconds(value) : csv.number(value);
    };
    if (!d) {
        for (std::size_t i = 0; i < kPercentiles.size() + 3; ++i)
            csv.empty();
        return;
    }
    csv.integer(static_cast<std::int64_t>(d->n));
    write(d->mean);
    for (const double percent : kPercentiles) {
        const Distribution::Quantile* q = d->at(percent);
        write(q ? std::optional(q->value) : std::nullopt);
    }
    write(d->max);
}

/// Means and largest values of gauges, differences of counters over the window; empty where not told.
void writeServer(CsvWriter& csv, const PointSummary& p)
{
    for (const ServerCounterInfo& info : serverCounters()) {
        const ServerFigure* figure = p.server ? p.server->figure(info.counter) : nullptr;
        if (info.gauge)
            csv.number(figure ? figure->mean : std::nullopt).number(figure ? figure->max : std::nullopt);
        else
            csv.number(figure ? figure->delta : std::nullopt);
    }
}

void writeCount(CsvWriter& csv, const std::optional<std::uint64_t>& count)
{
    count ? csv.integer(static_cast<std::int64_t>(*count)) : csv.empty();
}

void writeGenerator(CsvWriter& csv, const PointSummary& p, bool told)
{
    const auto p99 = [](const std::optional<Distribution>& d) {
        return d ? std::optional(d->at(99)->value) : std::nullopt;
    };
    const auto busiest = std::max_element(p.threadCpu.begin(), p.threadCpu.end());
    const bool known = busiest != p.threadCpu.end();
    csv.number(known ? std::optional(static_cast<double>(p.threadCpu.size())) : std::nullopt);
    csv.number(p.cpuCores).number(known ? std::optional(*busiest) : std::nullopt).number(p.runDelayShare);
    csv.number(p99(p.loopLagMs)).number(p99(p.timerLagMs));
    for (const std::uint64_t count : {p.newConnections, p.staleConnections, p.coalescedEvents})
        writeCount(csv, told ? std::optional(count) : std::nullopt);
}

std::string verdictText(const Verdict& verdict)
{
    std::string text;
    for (const VerdictReason& reason : verdict.reasons)
        text += (text.empty() ? "" : "; ") + reason.code + ": " + reason.text;
    return text.empty() ? "valid" : text;
}

void writePoint(CsvWriter& csv, const RunResults& results, const PointSummary& p)
{
    const ForeignFigures* foreign = toldOf(results, p);
    const bool timed = !foreign || foreign->durationS;
    csv.text(p.point.test).text(testKindId(p.point.kind)).text(loadAxisId(p.point.load.axis));
    csv.number(p.point.load.value).integer(p.point.repeat);
    for (const double at : {p.window.startS, p.window.endS})
        csv.number(timed ? std::optional(at) : std::nullopt);
    for (const MetricInfo& info : metricCatalogue()) {
        if (info.scope == MetricScope::Point)
            csv.number(p.rate(info.metric));
    }
    csv.number(p.meanInFlight);
    for (int i = 0; i < kOutcomeCount; ++i)
        writeCount(csv, countOf(results, p, static_cast<Outcome>(i)));
    writeCount(csv, failedOf(results, p));
    for (const MetricInfo& info : metricCatalogue()) {
        if (info.scope != MetricScope::Point)
            writeDistribution(csv, p.distribution(info.metric), info.unit == "ms");
    }
    writeServer(csv, p);
    writeGenerator(csv, p, !foreign);
    results.slo.empty() || !p.slo.decided() ? csv.empty() : csv.flag(p.slo.met);
    isChecked(p.verdict) ? csv.flag(p.verdict.valid) : csv.empty();
    csv.text(verdictText(p.verdict));
    csv.text(cachePolicyId(p.cache.stated)).text(cacheStandingId(p.cache.standing));
    if (p.cache.requests > 0)
        csv.integer(static_cast<std::int64_t>(p.cache.cachedTokens))
            .integer(static_cast<std::int64_t>(p.cache.promptTokens));
    else
        csv.empty().empty();
    for (const std::optional<double> rate : {p.sharing.planned(), p.sharing.measured()})
        rate ? csv.number(*rate) : csv.empty();
    if (const auto errors = summarizeErrors(p.promptErrors))
        csv.integer(static_cast<std::int64_t>(errors->n))
            .number(errors->exactShare())
            .integer(errors->p50)
            .integer(errors->p99)
            .integer(errors->max);
    else
        csv.empty().empty().empty().empty().empty();
    csv.endRow();
}

} // namespace

void writePointsCsv(const RunResults& results, std::ostream& out)
{
    CsvWriter csv(out);
    writeHeader(csv);
    for (const PointSummary& p : results.points)
        writePoint(csv, results, p);
}

} // namespace tailmark
