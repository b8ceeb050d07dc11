// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "analysis/comparison.h"
#include "base/percentile_text.h"
#include "exit_code.h"
#include "fail_condition.h"
#include "output.h"
#include "report/report.h"
#include "stored_run.h"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace tailmark::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Arguments
{
    Library library;
    std::string run, other;
    std::vector<std::string> slo, failIf;
    std::string as, output = "-";
    bool json = false;
};

Json infoJson(const RunInfo& run)
{
    return {{"id", run.id.value},
            {"name", run.name},
            {"started_at", run.startedAt},
            {"finished_at", run.finishedAt.empty() ? Json() : Json(run.finishedAt)},
            {"state", runStateId(run.state)},
            {"target", run.target},
            {"engine", run.engine},
            {"model", run.model},
            {"points_planned", run.pointsPlanned},
            {"points_done", run.pointsDone},
            {"tags", run.tags},
            {"note", run.note}};
}

int list(const Arguments& arguments)
{
    std::vector<RunInfo> runs;
    // Before the first run there is no database: no runs, not an error. One that was named must be there.
    if (!arguments.library.database.empty() || std::filesystem::exists(arguments.library.path())) {
        const Result<Store> store = arguments.library.open();
        if (!store)
            return fail(store.error());
        Result<std::vector<RunInfo>> listed = store.value().listRuns();
        if (!listed)
            return fail(listed.error());
        runs = std::move(listed).value();
    }
    if (arguments.json) {
        Json json = Json::array();
        for (const RunInfo& run : runs)
            json.push_back(infoJson(run));
        printJson(json);
        return kDone;
    }
    Table table({{"run"},
                 {"name", false},
                 {"started", false},
                 {"state", false},
                 {"points"},
                 {"engine", false},
                 {"model", false}});
    for (const RunInfo& run : runs)
        table.addRow({std::to_string(run.id.value), run.name, run.startedAt.substr(0, 19) + "Z",
                      runStateId(run.state),
                      std::to_string(run.pointsDone) + "/" + std::to_string(run.pointsPlanned), run.engine,
                      run.model});
    if (table.empty())
        std::cout << "There is no run yet in " << arguments.library.path() << '\n';
    else
        table.print(std::cout);
    return kDone;
}

/// A run under the given limits, or under its own.
Result<RunResults> resultsOf(const Store& store, const std::string& run,
                             const std::vector<std::string>& limits)
{
    const Result<Slo> slo = parseSlo(limits);
    if (!slo)
        return slo.error();
    const Result<RunId> id = findRun(store, run);
    if (!id)
        return id.error();
    return loadResults(store, id.value(), slo.value());
}

int exportRun(const Arguments& arguments)
{
    const Result<Store> store = arguments.library.open();
    if (!store)
        return fail(store.error());
    const Result<RunResults> loaded = resultsOf(store.value(), arguments.run, arguments.slo);
    if (!loaded)
        return fail(loaded.error());
    const RunResults& results = loaded.value();
    Status status = success();
    if (arguments.as == "json")
        status = writeJsonTo(arguments.output, resultToJson(results));
    else
        status = writeTo(arguments.output, [&](std::ostream& out) {
            if (arguments.as == "records")
                return writeRecordsCsv(results, store.value(), out);
            if (arguments.as == "csv")
                writePointsCsv(results, out);
            else
                out << (arguments.as == "md" ? markdownReport(results) : htmlReport(results));
            return success();
        });
    return status ? kDone : fail(status.error());
}

int operatingPoint(const Arguments& arguments)
{
    const Result<Store> store = arguments.library.open();
    if (!store)
        return fail(store.error());
    const Result<RunResults> results = resultsOf(store.value(), arguments.run, arguments.slo);
    if (!results)
        return fail(results.error());
    if (arguments.json) {
        printJson(resultToJson(results.value()).at("operating_points"));
        return kDone;
    }
    for (const SloLimit& limit : results.value().slo)
        std::cout << "Limit: " << sloSentence(limit) << '\n';
    printOperatingPoints(results.value(), std::cout);
    return kDone;
}

Json intervalJson(const std::optional<Interval>& interval)
{
    return interval ? Json{interval->low, interval->high} : Json();
}

Json pairJson(const std::optional<double>& a, const std::optional<double>& b,
              const std::optional<double>& ratio, const std::optional<Interval>& ci95)
{
    const auto orNull = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    return {{"a", orNull(a)}, {"b", orNull(b)}, {"ratio", orNull(ratio)}, {"ci95", intervalJson(ci95)}};
}

Json latencyJson(const LevelComparison& level)
{
    Json json = {{"metric", metricInfo(level.latencyMetric).id}, {"percentile", level.latencyPercent}};
    json.update(pairJson(level.latencyA, level.latencyB, level.latencyRatio, level.latencyRatioCi95));
    return json;
}

struct Comparison
{
    const RunResults& a;
    const RunResults& b;
    std::vector<Difference> differing;
    std::vector<LevelComparison> levels;
    std::vector<CapacityComparison> capacities;
};

Json comparisonJson(const Comparison& comparison)
{
    Json differences = Json::array(), levels = Json::array();
    for (const Difference& difference : comparison.differing)
        differences.push_back({{"key", difference.key},
                               {"a", difference.a},
                               {"b", difference.b},
                               {"unknown", difference.unknown}});
    for (const LevelComparison& level : comparison.levels)
        levels.push_back({{"test", level.test},
                          {"load", {{"axis", loadAxisId(level.load.axis)}, {"value", level.load.value}}},
                          {"output_tokens_per_s", pairJson(level.throughputA, level.throughputB,
                                                           level.throughputRatio, level.throughputRatioCi95)},
                          {"latency", latencyJson(level)},
                          {"goodput_requests_per_s", pairJson(level.goodputA, level.goodputB,
                                                              level.goodputRatio, level.goodputRatioCi95)}});
    Json capacities = Json::array();
    for (const CapacityComparison& capacity : comparison.capacities)
        capacities.push_back({{"test", capacity.test},
                              {"ratio", capacity.ratio ? Json(capacity.ratio->value) : Json()},
                              {"ci95", intervalJson(capacity.ratio ? capacity.ratio->ci95 : std::nullopt)},
                              {"sentence", capacity.sentence}});
    return {{"a", infoJson(comparison.a.run.info)},
            {"b", infoJson(comparison.b.run.info)},
            {"controlled", isControlled(comparison.differing)},
            {"sentence", comparisonSentence(comparison.differing)},
            {"differences", std::move(differences)},
            {"levels", std::move(levels)},
            {"capacities", std::move(capacities)}};
}

void printComparison(const Comparison& comparison)
{
    for (const auto& [letter, results] : {std::pair("A", &comparison.a), std::pair("B", &comparison.b)})
        std::cout << letter << ": run " << results->run.info.id.value << ", "
                  << oneLine(results->run.info.name) << '\n';
    std::cout << comparisonSentence(comparison.differing) << '\n';
    for (const Difference& difference : comparison.differing)
        std::cout << "  " << difference.key << ": " << difference.a << " | " << difference.b << '\n';
    Table table({{"test", false},
                 {"load"},
                 {"tok/s A"},
                 {"tok/s B"},
                 {"B/A"},
                 {"latency", false},
                 {"A ms"},
                 {"B ms"},
                 {"B/A"},
                 {"goodput/s A"},
                 {"goodput/s B"},
                 {"B/A"}});
    for (const LevelComparison& level : comparison.levels)
        table.addRow({level.test, figure(level.load.value), figure(level.throughputA),
                      figure(level.throughputB), figure(level.throughputRatio),
                      percentileText(level.latencyPercent) + " " +
                          std::string(metricInfo(level.latencyMetric).abbreviation),
                      figure(level.latencyA),
                      figure(level.latencyB), figure(level.latencyRatio), figure(level.goodputA),
                      figure(level.goodputB), figure(level.goodputRatio)});
    if (!table.empty())
        table.print(std::cout);
    else
        std::cout << "The runs have no level in common.\n";
    for (const CapacityComparison& capacity : comparison.capacities)
        std::cout << capacity.test << ": " << capacity.sentence << '\n';
}

int compare(const Arguments& arguments)
{
    std::vector<FailCondition> conditions;
    for (const std::string& text : arguments.failIf) {
        Result<FailCondition> condition = FailCondition::parseComparison(text);
        if (!condition)
            return fail(condition.error());
        conditions.push_back(std::move(condition).value());
    }
    const Result<Store> store = arguments.library.open();
    if (!store)
        return fail(store.error());
    const Result<RunResults> a = resultsOf(store.value(), arguments.run, {});
    if (!a)
        return fail(a.error());
    const Result<RunId> other = findRun(store.value(), arguments.other);
    if (!other)
        return fail(other.error());
    if (other.value() == a.value().run.info.id)
        std::fprintf(stderr, "remark: both are run %lld: a run compared with itself says nothing\n",
                     static_cast<long long>(other.value().value));
    // Both under the limits of the first, else their capacities would not be of one kind.
    const Result<RunResults> b = loadResults(store.value(), other.value(), a.value().slo);
    if (!b)
        return fail(b.error());
    const auto facts = [](const RunResults& results) {
        return RunFacts{results.run.plan.matrix, results.run.card};
    };
    const Comparison comparison{
        a.value(), b.value(), differences(facts(a.value()), facts(b.value())),
        compareLevels(a.value().points, b.value().points),
        compareCapacities(a.value().operatingPoints, b.value().operatingPoints, "A", "B")};
    if (arguments.json)
        printJson(comparisonJson(comparison));
    else
        printComparison(comparison);
    for (const FailCondition& condition : conditions) {
        if (const std::optional<std::string> why = condition.holds(comparison.capacities)) {
            std::fprintf(stderr, "tailmark-cli: --fail-if %s\n", why->c_str());
            return kConditionHolds;
        }
    }
    return kDone;
}

constexpr const char* kRunHelp = "Run: its number, its name where only one has it, or latest";
constexpr const char* kSloHelp = "Limit in place of the run's own, like 'ttft_ms:p99<=1000'; may be repeated";

std::shared_ptr<Arguments> addLibraryCommand(CLI::App& app, Action& action, const char* name,
                                             const char* description, int (*execute)(const Arguments&),
                                             CLI::App*& command)
{
    auto arguments = std::make_shared<Arguments>();
    command = app.add_subcommand(name, description);
    arguments->library.addTo(*command);
    command->callback(
        [&action, arguments, execute] { action = [arguments, execute] { return execute(*arguments); }; });
    return arguments;
}

} // namespace

void addList(CLI::App& app, Action& action)
{
    CLI::App* command = nullptr;
    const auto arguments =
        addLibraryCommand(app, action, "list", "List the stored runs, newest first", list, command);
    command->add_flag("--json", arguments->json, "Print JSON");
}

void addExport(CLI::App& app, Action& action)
{
    CLI::App* command = nullptr;
    const auto arguments =
        addLibraryCommand(app, action, "export", "Write a stored run as a file", exportRun, command);
    command->add_option("run", arguments->run, kRunHelp)->required()->type_name("RUN");
    command
        ->add_option("--as", arguments->as,
                     "json: results; csv: one row a point; records: one CSV row a request; md, html: report")
        ->required()
        ->check(CLI::IsMember({"json", "csv", "records", "md", "html"}));
    command->add_option("-o,--output", arguments->output, "File; default: standard output")
        ->type_name("FILE");
    command->add_option("--slo", arguments->slo, kSloHelp)->type_name("LIMIT")->allow_extra_args(false);
}

void addCompare(CLI::App& app, Action& action)
{
    CLI::App* command = nullptr;
    const auto arguments = addLibraryCommand(
        app, action, "compare", "Set two runs side by side and say whether only one thing differs", compare,
        command);
    command->add_option("run_a", arguments->run, kRunHelp)->required()->type_name("RUN_A");
    command->add_option("run_b", arguments->other, "The run to compare with it")
        ->required()
        ->type_name("RUN_B");
    command
        ->add_option("--fail-if", arguments->failIf,
                     "Exit with 5 where this holds, or cannot be told: capacity, the ratio B/A of the throughputs at "
                     "the limit, then one of < <= > >= and a number, like 'capacity<0.95'; TEST/ before it: of this "
                     "test only")
        ->type_name("CONDITION")
        ->allow_extra_args(false);
    command->add_flag("--json", arguments->json, "Print JSON");
}

void addOperatingPoint(CLI::App& app, Action& action)
{
    CLI::App* command = nullptr;
    const auto arguments = addLibraryCommand(
        app, action, "operating-point", "Say where a stored run crosses its latency limits, or other ones",
        operatingPoint, command);
    command->add_option("run", arguments->run, kRunHelp)->required()->type_name("RUN");
    command->add_option("--slo", arguments->slo, kSloHelp)->type_name("LIMIT")->allow_extra_args(false);
    command->add_flag("--json", arguments->json, "Print JSON");
}

} // namespace tailmark::cli
