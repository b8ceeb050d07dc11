// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "analysis/fleet.h"
#include "analysis/foreign_summary.h"
#include "exit_code.h"
#include "output.h"
#include "report/report.h"
#include "report/run_comparison.h"
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
    std::string run;
    std::vector<std::string> slo;
    std::string as, output = "-";
    std::string fleet;
    double headroom = 0;
    bool json = false;
};

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
    if (runs.empty())
        std::fprintf(stderr, "There is no run yet in %s\n", arguments.library.path().c_str());
    if (arguments.json) {
        Json json = Json::array();
        for (const RunInfo& run : runs)
            json.push_back(runInfoToJson(run));
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
                      std::string(runStateId(run.state)) +
                          (run.foreign.empty() ? "" : ", by " + toolTitle(run.foreign)),
                      std::to_string(run.pointsDone) + "/" + std::to_string(run.pointsPlanned), run.engine,
                      run.model});
    if (!table.empty())
        table.print(std::cout);
    return kDone;
}

/// A run under the given limits, or under its own, as `load` has it.
Result<RunResults> resultsOf(const Store& store, const Arguments& arguments,
                             Result<RunResults> (*load)(const Store&, RunId, const Slo&))
{
    const Result<Slo> slo = parseSlo(arguments.slo);
    if (!slo)
        return slo.error();
    const Result<RunId> id = findRun(store, arguments.run);
    if (!id)
        return id.error();
    return load(store, id.value(), slo.value());
}

int exportRun(const Arguments& arguments)
{
    const Result<Store> store = arguments.library.open();
    if (!store)
        return fail(store.error());
    const Result<RunResults> loaded = resultsOf(store.value(), arguments, loadResults);
    if (!loaded)
        return fail(loaded.error());
    const RunResults& results = loaded.value();
    if (const std::string& tool = results.run.info.foreign; !tool.empty() && arguments.as == "records")
        return fail({ErrorCode::BadInput, "run " + arguments.run,
                     "was measured by " + toolTitle(tool) + " and has no records; export it as json, csv, md or html"});
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

Json fleetJson(const FleetSize& fleet)
{
    const auto orNull = [](const auto& value) { return value ? Json(*value) : Json(); };
    return {{"demand", fleet.demand.value},
            {"unit", fleet.demand.unit == FleetUnit::TokensPerS ? "tok/s" : "requests/s"},
            {"headroom", fleet.demand.headroom},
            {"per_replica", orNull(fleet.perReplica)},
            {"per_replica_is_lower_end", fleet.isLowerEnd},
            {"replicas", orNull(fleet.replicas)},
            {"sentence", fleet.sentence}};
}

int operatingPoint(const Arguments& arguments)
{
    const Result<Store> store = arguments.library.open();
    if (!store)
        return fail(store.error());
    const Result<RunResults> results = resultsOf(store.value(), arguments, reevaluateRun);
    if (!results)
        return fail(results.error());
    std::optional<FleetDemand> demand;
    if (!arguments.fleet.empty()) {
        Result<FleetDemand> parsed = parseFleetDemand(arguments.fleet);
        if (!parsed)
            return fail(parsed.error());
        demand = parsed.value();
        demand->headroom = arguments.headroom;
    }
    if (arguments.json) {
        Json json = resultToJson(results.value());
        for (Json& point : json["operating_points"]) {
            point["bound"] = nullptr;
            for (const Json& bound : json["bound"].is_object() ? json["bound"]["operating_points"] : Json::array())
                if (bound["test"] == point["test"])
                    point["bound"] = bound;
        }
        for (std::size_t i = 0; demand && i < results.value().operatingPoints.size(); ++i)
            json["operating_points"][i]["fleet"] = fleetJson(fleetFor(results.value().operatingPoints[i], *demand));
        printJson(json["operating_points"]);
        return kDone;
    }
    for (const SloLimit& limit : results.value().slo)
        std::cout << "Limit: " << sloSentence(limit) << '\n';
    printOperatingPoints(results.value(), std::cout);
    if (results.value().operatingPoints.empty())
        std::cout << "There is no operating point: no test of this run sweeps a load.\n";
    if (demand)
        for (const OperatingPoint& point : results.value().operatingPoints)
            std::cout << point.test << ": " << fleetFor(point, *demand).sentence << '\n';
    return kDone;
}


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

void addOperatingPoint(CLI::App& app, Action& action)
{
    CLI::App* command = nullptr;
    const auto arguments = addLibraryCommand(
        app, action, "operating-point", "Say where a stored run crosses its latency limits, or other ones",
        operatingPoint, command);
    command->add_option("run", arguments->run, kRunHelp)->required()->type_name("RUN");
    command->add_option("--slo", arguments->slo, kSloHelp)->type_name("LIMIT")->allow_extra_args(false);
    CLI::Option* fleet =
        command
            ->add_option("--fleet", arguments->fleet,
                         "Say how many replicas carry this rate within the limits: 120 (requests/s) or '9000 tok/s'")
            ->type_name("RATE");
    command->add_option("--headroom", arguments->headroom, "Share of its capacity that each replica keeps free")
        ->check(CLI::Range(0.0, 0.99))
        ->capture_default_str()
        ->needs(fleet);
    command->add_flag("--json", arguments->json, "Print JSON");
}

} // namespace tailmark::cli
