// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/trace_summary.h"

#include "analysis/text.h"

#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Json = nlohmann::ordered_json;

double msOf(double ns)
{
    return std::round(ns / 100.0) / 10'000.0;
}

double msOf(std::int64_t ns)
{
    return msOf(static_cast<double>(ns));
}

Json orNull(const std::optional<double>& value)
{
    return value ? Json(*value) : Json();
}

Json lengthsJson(const IntegerStats& s)
{
    if (s.n == 0)
        return nullptr;
    return {{"n", s.n}, {"min", s.min}, {"p50", s.p50}, {"p90", s.p90}, {"p99", s.p99}, {"max", s.max}};
}

/// With the percentiles that the contract's six keys leave out.
Json moreJson(const IntegerStats& s)
{
    if (s.n == 0)
        return nullptr;
    return {{"mean", s.mean}, {"p10", s.p10}, {"p25", s.p25}, {"p75", s.p75}, {"p95", s.p95}};
}

Json gapsJson(const ArrivalStats& arrivals)
{
    if (!arrivals.gaps)
        return nullptr;
    const GapStats& g = *arrivals.gaps;
    return {{"n", g.n},
            {"mean_ms", msOf(g.meanNs)},
            {"min_ms", msOf(g.minNs)},
            {"p50_ms", msOf(g.p50Ns)},
            {"p90_ms", msOf(g.p90Ns)},
            {"p99_ms", msOf(g.p99Ns)},
            {"max_ms", msOf(g.maxNs)}};
}

Json arrivalsJson(const ArrivalStats& a)
{
    Json windows = Json::array();
    for (const WindowCounts& w : a.windows)
        windows.push_back({{"window_s", w.widthS},
                           {"dispersion", w.dispersion},
                           {"peak_per_s", w.peakPerS},
                           {"empty_share", w.emptyShare}});
    const double seconds = toSeconds(a.duration);
    return {{"rate_per_s", a.gaps && seconds > 0 ? Json(static_cast<double>(a.gaps->n) / seconds) : Json()},
            {"cv", a.gaps && a.gaps->meanNs > 0 ? Json(a.gaps->cv) : Json()},
            {"zero_gap_share", a.gaps ? Json(a.gaps->zeroShare) : Json()},
            {"windows", std::move(windows)},
            {"grid_ms", a.grid ? Json(msOf(a.grid->count())) : Json()},
            {"rates", {{"window_s", a.rateWidthS}, {"per_s", a.ratesPerS}}}};
}

Json prefixJson(const PrefixStats& p)
{
    Json capacities = Json::array(), ages = Json::array();
    for (const PrefixStats::AtCapacity& c : p.capacities)
        capacities.push_back({{"blocks", c.blocks},
                              {"tokens", c.blocks * p.blockSize},
                              {"block_hit_rate", c.blockHitRate},
                              {"token_hit_rate", c.tokenHitRate}});
    for (const PrefixStats::WithinAge& a : p.ages)
        ages.push_back({{"within_s", a.seconds}, {"share", a.share}});
    return {{"block_size", p.blockSize},
            {"blocks", p.blocks},
            {"unique_blocks", p.uniqueBlocks},
            {"block_hit_rate", p.blockHitRate},
            {"token_hit_rate", p.tokenHitRate},
            {"requests_with_hit", p.requestsWithHit},
            {"requests_fully_cached", p.requestsFullyCached},
            {"per_request_hit", {{"p50", p.perRequestP50}, {"p90", p.perRequestP90}}},
            {"capacities", std::move(capacities)},
            {"ages", std::move(ages)}};
}

Json sessionsJson(const SessionStats& s)
{
    return {{"n", s.sessions},
            {"turns", lengthsJson(s.turns)},
            {"think_ms", s.thinkMs ? lengthsJson(*s.thinkMs) : Json()},
            {"growth", s.growth ? lengthsJson(*s.growth) : Json()}};
}

std::string number(double value, const char* format = "%.3g")
{
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string lengthsLine(const char* title, const IntegerStats& s, const std::string& unit)
{
    return std::string(title) + ": p50 " + std::to_string(s.p50) + ", p90 " + std::to_string(s.p90) +
           ", p95 " + std::to_string(s.p95) + ", p99 " + std::to_string(s.p99) + ", mean " + number(s.mean, "%.1f") + " (" +
           std::to_string(s.min) + " to " + std::to_string(s.max) + ") " + unit;
}

void addArrivals(const ArrivalStats& a, std::vector<std::string>& lines)
{
    if (!a.gaps)
        return;
    const double seconds = toSeconds(a.duration);
    lines.push_back("arrivals: " + number(seconds, "%.6g") + " s, mean " +
                    (seconds > 0 ? number(static_cast<double>(a.gaps->n) / seconds, "%.4g") + "/s, " : "") +
                    "time between them: p50 " + durationText(msOf(a.gaps->p50Ns)) + ", p99 " +
                    durationText(msOf(a.gaps->p99Ns)) + ", CV " + number(a.gaps->cv));
    std::string windows;
    for (const WindowCounts& w : a.windows)
        windows +=
            (windows.empty() ? "" : ", ") + number(w.dispersion) + " at " + std::to_string(w.widthS) + " s";
    if (!windows.empty())
        lines.push_back("dispersion of counts (1 = Poisson): " + windows + "; peak " +
                        number(a.windows.front().peakPerS) + "/s in " +
                        std::to_string(a.windows.front().widthS) + " s");
}

void addPrefix(const PrefixStats& p, std::vector<std::string>& lines)
{
    lines.push_back("prefix sharing: ideal hit rate " + percentText(p.tokenHitRate) +
                    " of the prompt tokens (" + percentText(p.blockHitRate) + " of " + countText(p.blocks) +
                    " blocks of " + std::to_string(p.blockSize) + " tokens, " + countText(p.uniqueBlocks) +
                    " different)");
    std::string capacities;
    for (const PrefixStats::AtCapacity& c : p.capacities)
        capacities += (capacities.empty() ? "" : ", ") + countText(static_cast<std::uint64_t>(c.blocks)) +
                      " " + percentText(c.blockHitRate);
    if (!capacities.empty())
        lines.push_back("block hit rate of an LRU cache, by its blocks: " + capacities);
    std::string ages;
    for (const PrefixStats::WithinAge& a : p.ages)
        ages += (ages.empty() ? "" : ", ") + percentText(a.share) + " within " +
                countText(static_cast<std::uint64_t>(a.seconds)) + " s";
    if (!ages.empty())
        lines.push_back("time since a hit block was last used: " + ages);
}

void addSessions(const SessionStats& s, std::vector<std::string>& lines)
{
    std::string text = "sessions: " + countText(s.sessions) + ", turns p50 " + std::to_string(s.turns.p50) +
                       ", p90 " + std::to_string(s.turns.p90) + ", max " + std::to_string(s.turns.max);
    if (s.thinkMs)
        text += "; think time p50 " + number(static_cast<double>(s.thinkMs->p50) / 1000) + ", p90 " +
                number(static_cast<double>(s.thinkMs->p90) / 1000) + " s";
    if (s.growth)
        text += "; a turn adds p50 " + std::to_string(s.growth->p50) + " to the prompt";
    lines.push_back(std::move(text));
}

} // namespace

nlohmann::ordered_json traceToJson(const Trace& trace)
{
    const TraceStats& stats = trace.stats;
    Json rejected = Json::array(), warnings = Json::array(), notes = Json::array(), columns = Json::object(),
         scatter = Json::array();
    for (const RejectedRow& row : trace.rejected)
        rejected.push_back({{"line", row.line},
                            {"field", row.field.empty() ? Json() : Json(row.field)},
                            {"reason", row.reason}});
    for (const TraceWarning& warning : trace.warnings) {
        warnings.push_back(warning.code);
        notes.push_back(warning.text);
    }
    for (const auto& [field, name] : trace.columns)
        columns[field] = name;
    for (const LengthPair& pair : stats.scatter)
        scatter.push_back({pair.promptTokens, pair.outputTokens});
    return {{"format", trace.format},
            {"length_unit", trace.lengthUnit},
            {"hash", trace.hash},
            {"rows_accepted", trace.rowsAccepted},
            {"rows_rejected", trace.rowsRejected},
            {"rows_kept", trace.rows.size()},
            {"rejected", std::move(rejected)},
            {"rejected_by_reason", trace.rejectedByReason},
            {"warnings", std::move(warnings)},
            {"notes", std::move(notes)},
            {"columns", std::move(columns)},
            {"prompt", lengthsJson(stats.prompt)},
            {"output", lengthsJson(stats.output)},
            {"prompt_more", moreJson(stats.prompt)},
            {"output_more", moreJson(stats.output)},
            {"cached", stats.cached ? lengthsJson(*stats.cached) : Json()},
            {"cached_share", orNull(stats.cachedShare)},
            {"inter_arrival", stats.arrivals ? gapsJson(*stats.arrivals) : Json()},
            {"duration_ms", stats.arrivals ? Json(msOf(stats.arrivals->duration.count())) : Json()},
            {"arrivals", stats.arrivals ? arrivalsJson(*stats.arrivals) : Json()},
            {"correlation", {{"pearson", orNull(stats.pearson)}, {"spearman", orNull(stats.spearman)}}},
            {"prefix", stats.prefix ? prefixJson(*stats.prefix) : Json()},
            {"sessions", stats.sessions ? sessionsJson(*stats.sessions) : Json()},
            {"models", trace.models},
            {"scatter", std::move(scatter)}};
}

std::vector<std::string> traceLines(const Trace& trace)
{
    const TraceStats& stats = trace.stats;
    std::vector<std::string> lines;
    std::string columns;
    for (const auto& [field, name] : trace.columns)
        columns += (columns.empty() ? "" : ", ") + field + " = " + name;
    if (!columns.empty())
        lines.push_back("columns: " + columns);
    for (const RejectedRow& row : trace.rejected)
        lines.push_back("line " + std::to_string(row.line) + ": " +
                        (row.field.empty() ? "" : row.field + ": ") + row.reason);
    if (trace.rowsRejected > trace.rejected.size())
        for (const auto& [reason, n] : trace.rejectedByReason)
            lines.push_back("refused as " + reason + ": " + countText(n));
    for (const TraceWarning& warning : trace.warnings)
        lines.push_back("warning: " + warning.text);
    lines.push_back(lengthsLine("prompt", stats.prompt, trace.lengthUnit));
    lines.push_back(lengthsLine("output", stats.output, trace.lengthUnit));
    if (stats.pearson && stats.spearman)
        lines.push_back("correlation of prompt and output: Pearson " + number(*stats.pearson, "%.3f") +
                        ", Spearman " + number(*stats.spearman, "%.3f"));
    if (stats.cachedShare)
        lines.push_back("cached as the log has it: " + percentText(*stats.cachedShare) +
                        " of the prompt tokens");
    if (stats.arrivals)
        addArrivals(*stats.arrivals, lines);
    if (stats.prefix)
        addPrefix(*stats.prefix, lines);
    if (stats.sessions)
        addSessions(*stats.sessions, lines);
    lines.push_back("hash: " + trace.hash);
    return lines;
}

} // namespace tailmark
