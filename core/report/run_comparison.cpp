// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/run_comparison.h"

#include "analysis/foreign_summary.h"
#include "analysis/test_figures.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Json = nlohmann::ordered_json;

Json orNull(const std::optional<double>& value)
{
    return value ? Json(*value) : Json();
}

/// Of a ratio; an end that is 0 or infinite is open.
Json intervalJson(const std::optional<Interval>& interval)
{
    const auto end = [](double value) { return value > 0 && std::isfinite(value) ? Json(value) : Json(); };
    return interval ? Json{end(interval->low), end(interval->high)} : Json();
}

Json pairJson(const std::optional<double>& a, const std::optional<double>& b, const std::optional<double>& ratio,
              const std::optional<Interval>& ci95)
{
    return {{"a", orNull(a)}, {"b", orNull(b)}, {"ratio", orNull(ratio)}, {"ci95", intervalJson(ci95)}};
}

Json levelJson(const LevelComparison& level)
{
    Json latency = {{"metric", metricInfo(level.latencyMetric).id}, {"percentile", level.latencyPercent}};
    latency.update(pairJson(level.latencyA, level.latencyB, level.latencyRatio, level.latencyRatioCi95));
    return {{"test", level.test},
            {"load", {{"axis", loadAxisId(level.load.axis)}, {"value", level.load.value}}},
            {"valid",
             {{"a", level.checkedA ? Json(level.validA) : Json()}, {"b", level.checkedB ? Json(level.validB) : Json()}}},
            {"output_tokens_per_s",
             pairJson(level.throughputA, level.throughputB, level.throughputRatio, level.throughputRatioCi95)},
            {"latency", std::move(latency)},
            {"goodput_requests_per_s",
             pairJson(level.goodputA, level.goodputB, level.goodputRatio, level.goodputRatioCi95)}};
}

Json capacityJson(const CapacityComparison& capacity)
{
    Json gained, saved;
    if (capacity.ratio && capacity.ratio->value > 0) {
        gained = 100 * (capacity.ratio->value - 1);
        saved = 100 * (1 - 1 / capacity.ratio->value);
    }
    return {{"test", capacity.test},
            {"ratio", capacity.ratio ? Json(capacity.ratio->value) : Json()},
            {"ci95", intervalJson(capacity.ratio ? capacity.ratio->ci95 : std::nullopt)},
            {"distinguishable", capacity.ratio && capacity.ratio->ci95 ? Json(capacity.ratio->isDistinguishable()) : Json()},
            {"least_load_ratio", orNull(capacity.leastLoadRatio)},
            {"most_load_ratio", orNull(capacity.mostLoadRatio)},
            {"least_throughput_ratio", orNull(capacity.leastThroughputRatio)},
            {"most_throughput_ratio", orNull(capacity.mostThroughputRatio)},
            {"throughput_gained_percent", gained},
            {"time_saved_percent", saved},
            {"sentence", capacity.sentence}};
}

Json figuresJson(const std::vector<TestFigure>& a, const std::vector<TestFigure>& b)
{
    Json json = Json::array();
    for (const TestFigure& figure : a) {
        const auto same = std::find_if(b.begin(), b.end(), [&](const TestFigure& f) {
            return f.test == figure.test && f.id == figure.id;
        });
        if (same != b.end())
            json.push_back({{"test", figure.test},
                            {"figure", figure.id},
                            {"unit", figure.unit},
                            {"a", orNull(figure.value)},
                            {"b", orNull(same->value)}});
    }
    return json;
}

Json comparisonJson(const RunResults& a, const RunResults& b, const RunComparison& comparison)
{
    Json differences = Json::array(), levels = Json::array(), capacities = Json::array();
    for (const Difference& d : comparison.differences)
        differences.push_back({{"key", d.key}, {"a", d.a}, {"b", d.b}, {"unknown", d.unknown}});
    for (const LevelComparison& level : comparison.levels)
        levels.push_back(levelJson(level));
    for (const CapacityComparison& capacity : comparison.capacities)
        capacities.push_back(capacityJson(capacity));
    return {{"a", runInfoToJson(a.run.info)},
            {"b", runInfoToJson(b.run.info)},
            {"controlled", comparison.controlled()},
            {"sentence", comparison.conditions()},
            {"counting", comparison.counting.empty() ? Json() : Json(comparison.counting)},
            {"paired", comparison.pairing == Pairing::Paired},
            {"same_requests", comparison.sameRequests == SameRequests::Unknown
                                  ? Json()
                                  : Json(comparison.sameRequests != SameRequests::No)},
            {"differences", std::move(differences)},
            {"levels", std::move(levels)},
            {"capacities", std::move(capacities)},
            {"figures", figuresJson(testFigures(a.points), testFigures(b.points))}};
}

/// The runs of a pair name each other in their environments.
bool arePaired(const StoredRun& a, const StoredRun& b)
{
    return a.info.partner == b.info.id && b.info.partner == a.info.id;
}

/// The names that runs keep of their requests (run/request_hash.h).
SameRequests sameRequests(const StoredRun& a, const StoredRun& b)
{
    const auto nameOf = [](const StoredRun& run, const char* key) {
        const nlohmann::json& environment = run.environment;
        const auto names = environment.is_object() ? environment.find("requests") : environment.end();
        return environment.is_object() && names != environment.end() && names->is_object()
                   ? names->value(key, nlohmann::json())
                   : nlohmann::json();
    };
    const auto isOne = [&](const char* key) {
        const nlohmann::json name = nameOf(a, key);
        return !name.is_null() && name == nameOf(b, key);
    };
    if (isOne("sha256"))
        return SameRequests::Yes;
    if (isOne("prompts_sha256"))
        return SameRequests::ButForTheTarget;
    const bool known = !nameOf(a, "prompts_sha256").is_null() && !nameOf(b, "prompts_sha256").is_null();
    return known ? SameRequests::No : SameRequests::Unknown;
}

const char* sameRequestsText(SameRequests same)
{
    switch (same) {
    case SameRequests::Yes:
        return "; same requests";
    case SameRequests::ButForTheTarget:
        return "; same prompts, lengths and times";
    case SameRequests::No:
        return "; not the same requests";
    case SameRequests::Unknown:
        break;
    }
    return "";
}

/// Whose definitions the figures of a comparison follow, without a full stop; empty where both are Tailmark's.
std::string countingText(const RunResults& a, const RunResults& b, const std::string& nameA, const std::string& nameB)
{
    const auto toolOf = [](const RunResults& r) { return r.countedAs.empty() ? r.run.info.foreign : r.countedAs; };
    const auto definitionOf = [](const std::string& tool) {
        std::string_view definition = peerDefinition(tool);
        if (definition.ends_with('.'))
            definition.remove_suffix(1);
        return toolTitle(tool) + " counts: " + std::string(definition);
    };
    const std::string toolA = toolOf(a), toolB = toolOf(b);
    if (toolA.empty() && toolB.empty())
        return {};
    if (toolA != toolB)
        return "The definitions differ: " + nameA + " as " + definitionOf(toolA) + ". " + nameB + " as " +
               definitionOf(toolB);
    if (a.countedAs.empty() == b.countedAs.empty())
        return (a.countedAs.empty() ? "Both as " : "Both are counted as ") + definitionOf(toolA);
    return a.countedAs.empty() ? nameB + " is counted as " + nameA + " is, as " + definitionOf(toolA)
                               : nameA + " is counted as " + nameB + " is, as " + definitionOf(toolA);
}

/// Of a comparison that is not controlled, what that takes from its sentence; empty of a controlled one.
std::string reservationText(std::span<const Difference> differences)
{
    if (isControlled(differences))
        return {};
    const auto known = std::ranges::count_if(
        differences, [](const Difference& d) { return !d.unknown && d.partOf.empty(); });
    if (known > 1)
        return " More than one thing differs between the two (" + std::to_string(known) +
               "), so that this is of all of them together.";
    return " The comparison is not controlled, so that more may differ than is known.";
}

/// By the figures as they are.
RunComparison compareCounted(const RunResults& baseline, const RunResults& run, const std::string& nameA,
                             const std::string& nameB)
{
    RunComparison c;
    c.nameA = nameA;
    c.nameB = nameB;
    c.pairing = arePaired(baseline.run, run.run) ? Pairing::Paired : Pairing::Apart;
    c.sameRequests = sameRequests(baseline.run, run.run);
    c.differences = differences(factsOf(baseline), factsOf(run));
    c.counting = countingText(baseline, run, nameA, nameB);
    c.levels = compareLevels(baseline.points, run.points, c.pairing);
    c.capacities = c.pairing == Pairing::Paired
                       ? comparePairedCapacities(baseline.points, run.points, baseline.slo, nameA, nameB)
                       : compareCapacities(baseline.operatingPoints, run.operatingPoints, nameA, nameB);
    for (CapacityComparison& capacity : c.capacities)
        if (capacity.ratio)
            capacity.sentence += reservationText(c.differences);
    return c;
}

} // namespace

std::string RunComparison::conditions() const
{
    std::string text = comparisonSentence(differences);
    if (!counting.empty())
        text += ". " + counting;
    if (pairing == Pairing::Paired)
        text += "; paired, level by level on one engine after the other";
    return text + sameRequestsText(sameRequests);
}

RunComparison compareRuns(const RunResults& baseline, const RunResults& run, const std::string& nameA,
                          const std::string& nameB)
{
    const std::string tool = commonTool(std::vector{baseline.run.info, run.run.info});
    const auto needs = [&](const RunResults& r) { return r.run.info.foreign.empty() && r.countedAs != tool; };
    if (tool.empty() || (!needs(baseline) && !needs(run)))
        return compareCounted(baseline, run, nameA, nameB);
    return compareCounted(needs(baseline) ? countedAs(baseline, tool) : baseline,
                          needs(run) ? countedAs(run, tool) : run, nameA, nameB);
}

std::string commonTool(std::span<const RunInfo> runs)
{
    std::string tool;
    for (const RunInfo& run : runs) {
        if (!run.foreign.empty() && !tool.empty() && run.foreign != tool)
            return {};
        if (!run.foreign.empty())
            tool = run.foreign;
    }
    return tool;
}

std::string runLetter(std::size_t index)
{
    const std::string letter(1, static_cast<char>('A' + index % 26));
    return index < 26 ? letter : runLetter(index / 26 - 1) + letter;
}

Result<ComparedRuns> loadCompared(const Store& store, const std::vector<RunId>& runs, const Slo& slo)
{
    if (runs.size() < 2)
        return Error{ErrorCode::BadInput, "compare", "needs two runs or more"};
    ComparedRuns compared;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (std::count(runs.begin(), runs.end(), runs[i]) > 1)
            return Error{ErrorCode::BadInput, "run " + std::to_string(runs[i].value),
                         "is given twice: a run compared with itself says nothing"};
        Result<RunResults> results = loadResults(store, runs[i], i == 0 ? slo : compared.baseline().slo);
        if (!results)
            return results.error();
        compared.runs.push_back(std::move(results).value());
    }
    std::vector<RunInfo> infos;
    for (const RunResults& results : compared.runs)
        infos.push_back(results.run.info);
    if (const std::string tool = commonTool(infos); !tool.empty()) {
        for (RunResults& results : compared.runs)
            if (results.run.info.foreign.empty())
                results = countedAs(results, tool);
    }
    for (std::size_t i = 1; i < compared.runs.size(); ++i)
        compared.comparisons.push_back(
            compareRuns(compared.baseline(), compared.runs[i], runLetter(0), runLetter(i)));
    return compared;
}

Json runInfoToJson(const RunInfo& run)
{
    return {{"id", run.id.value},
            {"name", run.name},
            {"started_at", run.startedAt},
            {"finished_at", run.finishedAt.empty() ? Json() : Json(run.finishedAt)},
            {"state", runStateId(run.state)},
            {"target", run.target},
            {"engine", run.engine},
            {"measured_by", run.foreign.empty() ? "tailmark" : run.foreign},
            {"model", run.model},
            {"points_planned", run.pointsPlanned},
            {"points_done", run.pointsDone},
            {"paired_with", run.partner ? Json(run.partner->value) : Json()},
            {"tags", run.tags},
            {"note", run.note}};
}

Json comparisonToJson(const ComparedRuns& compared)
{
    Json all = Json::array();
    for (std::size_t i = 0; i < compared.comparisons.size(); ++i)
        all.push_back(comparisonJson(compared.baseline(), compared.runs[i + 1], compared.comparisons[i]));
    if (all.size() == 1)
        return all.front();
    return {{"baseline", runInfoToJson(compared.baseline().run.info)}, {"comparisons", std::move(all)}};
}

} // namespace tailmark
