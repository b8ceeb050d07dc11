// SPDX-License-Identifier: GPL-3.0-or-later
// On the first page: what a reader who has never seen the run must know before believing a number of it.
#include "analysis/bound.h"
#include "analysis/foreign_summary.h"
#include "analysis/operating_sentence.h"
#include "analysis/text.h"
#include "base/percentile_text.h"
#include "plan/plan_json.h"
#include "report/document.h"
#include "report/share_safe.h"
#include "report/table_parts.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

/// Entries of the card as one text; each that is not known says so by its name.
std::string entriesText(const RunCard& card, std::initializer_list<std::pair<const char*, const char*>> entries)
{
    std::string text;
    for (const auto& [key, name] : entries) {
        const CardEntry entry = card.entry(key);
        const std::string title = *name == 0 ? std::string() : std::string(name) + " ";
        text += (text.empty() ? "" : ", ") + title +
                (entry.origin == CardOrigin::Unknown ? std::string(kUnknownText) : entry.value);
    }
    return text;
}

/// "max_num_seqs 512 (default 256), …": those that are known to differ, and how many may.
std::string flagsText(const RunCard& card)
{
    constexpr std::string_view kFlags = "flags.";
    std::string differing;
    std::size_t others = 0;
    for (const auto& [key, entry] : card.entries()) {
        if (!key.starts_with(kFlags) || entry.origin == CardOrigin::Unknown)
            continue;
        if (entry.standard.empty())
            ++others;
        else if (entry.standard != entry.value)
            differing += (differing.empty() ? "" : ", ") + key.substr(kFlags.size()) + " " + entry.value + " (default " +
                         entry.standard + ")";
    }
    if (others > 0)
        differing += (differing.empty() ? "none is known to be; " : "; ") + countText(others) +
                     " of unknown default are in the run card below";
    return differing.empty() ? std::string(kUnknownText) + ": no flag was typed or read" : differing;
}

std::string quantilesText(const std::optional<Distribution>& d)
{
    if (!d)
        return kUnknownText;
    std::string text;
    for (const double percent : {50.0, 90.0, 95.0, 99.0})
        if (const Distribution::Quantile* q = d->at(percent))
            text += (text.empty() ? "" : ", ") + percentileText(percent) + " " + figureText(q->value);
    return text.empty() ? "mean " + figureText(d->mean) : text;
}

/// The point whose requests tell most of the lengths.
const PointSummary* largestPoint(const RunResults& results)
{
    const auto size = [](const PointSummary& p) { return p.promptTokensPlanned ? p.promptTokensPlanned->n : 0; };
    const auto largest = std::max_element(results.points.begin(), results.points.end(),
                                          [&](const auto& a, const auto& b) { return size(a) < size(b); });
    return largest == results.points.end() ? nullptr : &*largest;
}

std::string lengthsText(const RunResults& results)
{
    const nlohmann::ordered_json lengths = shareSafeMatrix(results.run.plan.matrix).at("workload").at("lengths");
    std::string text = results.run.info.foreign.empty() ? lengths.at("kind").get<std::string>() : kUnknownText;
    if (const auto file = lengths.find("file"); file != lengths.end())
        text += " from " + file->get<std::string>();
    if (const PointSummary* p = largestPoint(results))
        text += "; prompt tokens " + quantilesText(p->promptTokens ? p->promptTokens : p->promptTokensPlanned) +
                "; output tokens " + quantilesText(p->outputTokens) + " (" + p->point.test + ", " + pointName(*p) + ")";
    return text;
}

std::string plannedText(const Prefix& prefix)
{
    switch (prefix.kind) {
    case PrefixKind::None:
        return "none is planned";
    case PrefixKind::Shared:
        return percentText(prefix.share) + " of the requests begin with one of " +
               countText(static_cast<std::uint64_t>(prefix.groups)) + " shared prefixes of " +
               countText(static_cast<std::uint64_t>(prefix.sharedTokens)) + " tokens";
    default:
        return "as in the log";
    }
}

std::string prefixText(const RunResults& results)
{
    const Workload& workload = results.run.plan.matrix.workload;
    std::string text = plannedText(workload.prefix);
    for (const MixPart& part : workload.lengths.parts)
        if (part.prefix)
            text += "; in the part " + part.name + " " + plannedText(*part.prefix);
    if (workload.sessions.kind != SessionsKind::None)
        text += "; each turn carries those before it";
    const CacheState cache = cacheOf(results);
    if (cache.requests > 0 && cache.promptTokens > 0)
        text += "; of the prompt tokens " +
                percentText(static_cast<double>(cache.sharedTokens) / static_cast<double>(cache.promptTokens)) +
                " are shared by plan, " +
                percentText(static_cast<double>(cache.cachedTokens) / static_cast<double>(cache.promptTokens)) +
                " came from the cache";
    return text;
}

std::string levelsText(const RunResults& results, const std::string& test)
{
    std::vector<double> loads;
    for (const PointSummary& p : results.points)
        if (p.point.test == test && std::find(loads.begin(), loads.end(), p.point.load.value) == loads.end())
            loads.push_back(p.point.load.value);
    std::sort(loads.begin(), loads.end());
    std::string text;
    for (const double load : loads)
        text += (text.empty() ? "" : ", ") + figureText(load);
    return text;
}

std::string loadsText(const RunResults& results)
{
    std::string text;
    std::vector<std::string> done;
    for (const PointSummary& p : results.points) {
        if (std::find(done.begin(), done.end(), p.point.test) != done.end())
            continue;
        done.push_back(p.point.test);
        const std::string loop = p.point.openLoop() ? "open loop, requests/s " : "closed loop, concurrency ";
        text += (text.empty() ? "" : "; ") + p.point.test + ": " +
                (p.point.kind == TestKind::BurstRecovery ? "open loop, " + pointName(p)
                                                         : loop + levelsText(results, p.point.test));
    }
    return text.empty() ? std::string(kUnknownText) : text;
}

std::string windowText(const RunResults& results)
{
    if (!results.run.info.foreign.empty())
        return std::string(kUnknownText) + ": as " + toolTitle(results.run.info.foreign) + " measured";
    const Measurement& m = results.run.plan.matrix.measurement;
    std::uint64_t requests = 0, inWindow = 0;
    for (const PointSummary& p : results.points) {
        for (const std::uint64_t n : p.outcomesOfPoint)
            requests += n;
        for (const std::uint64_t n : p.outcomes)
            inWindow += n;
    }
    double shortest = 0, longest = 0;
    for (const PointSummary& p : results.points) {
        const double length = p.window.lengthS();
        shortest = longest == 0 ? length : std::min(shortest, length);
        longest = std::max(longest, length);
    }
    std::string windows = figureText(shortest);
    if (figureText(longest) != windows)
        windows += " to " + figureText(longest);
    return figureText(m.warmupS) + " s of warm-up discarded, then a window of " + windows + " s at each of " +
           countText(results.points.size()) + " points, " + std::to_string(m.repeats) +
           (m.repeats == 1 ? " repeat; " : " repeats; ") + countText(inWindow) + " of " + countText(requests) +
           " requests were intended inside a window";
}

std::string boundText(const RunResults& results)
{
    std::string text;
    for (const OperatingBound& bound :
         operatingBounds(boundFiguresOf(results), results.operatingPoints, results.points)) {
        if (!bound.check.fraction)
            continue;
        const auto at = std::find_if(results.points.begin(), results.points.end(), [&](const PointSummary& p) {
            return p.point.test == bound.test && p.point.load == bound.load;
        });
        text += (text.empty() ? "" : "; ") + bound.test + ", " + loadText(bound.load) + ": " +
                percentText(*bound.check.fraction) + " of the bandwidth bound of " +
                figureText(bound.check.bandwidthTokensPerS) + " tok/s" +
                (at == results.points.end() ? "" : " (" + latencyBeside(*at) + ")");
    }
    return text.empty() ? std::string(kUnknownText) + ": what it takes is not known, or no level passes" : text;
}

std::string clientText(const nlohmann::json& environment)
{
    std::string text;
    for (const char* key : {"client", "cpu", "cores", "kernel"}) {
        const auto entry = environment.is_object() ? environment.find(key) : environment.end();
        if (!environment.is_object() || entry == environment.end())
            continue;
        const std::string value = entry->is_string() ? entry->get<std::string>() : entry->dump();
        text += (text.empty() ? "" : ", ") + value + (std::string_view(key) == "cores" ? " cores" : "");
    }
    return text.empty() ? std::string(kUnknownText) : text;
}

} // namespace

ReportSection glanceSection(const RunResults& results)
{
    const RunCard card = shareSafeCard(results.run.card);
    const Workload& workload = results.run.plan.matrix.workload;
    ReportTable table{{textColumn("What"), textColumn("As it was")}, {}};
    const auto row = [&](const char* what, std::string text) { table.rows.push_back({what, std::move(text)}); };
    row("Engine", entriesText(card, {{"engine", ""}, {"engine_version", "version"}}));
    row("Model", entriesText(card, {{"model", ""}, {"model_revision", "revision"}}));
    row("Quantization", entriesText(card, {{"quantization", ""}}));
    row("Hardware", entriesText(card, {{"accelerator", ""}, {"accelerator_count", "count"}}));
    row("Parallelism", entriesText(card, {{"parallelism", ""}}));
    row("Flags off their default", flagsText(card));
    row("Tokenizer, chat template", entriesText(card, {{"tokenizer", ""}, {"chat_template", "chat template"}}));
    row("Input distribution", lengthsText(results));
    const bool ours = results.run.info.foreign.empty(); // what another tool asked is not known
    row("Prefix sharing", ours ? prefixText(results) : kUnknownText);
    row("Prefix cache", ours && !results.points.empty() ? cacheOf(results).text : kUnknownText);
    row("Output", !ours                                      ? kUnknownText
                  : workload.output == OutputPolicy::Forced ? "forced to the planned length"
                                                            : "natural stop, up to the planned length");
    row("Load", loadsText(results));
    row("Warm-up and run length", windowText(results));
    row("Bound and fraction reached", boundText(results));
    row("Load generator", clientText(results.run.environment));
    return {"At a glance", {std::move(table)}};
}

} // namespace tailmark
