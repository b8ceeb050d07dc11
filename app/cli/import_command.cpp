// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "analysis/foreign_summary.h"
#include "exit_code.h"
#include "foreign/import.h"
#include "output.h"
#include "report/run_comparison.h"
#include "report/run_results.h"
#include "stored_run.h"

#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace tailmark::cli {

namespace {

struct Arguments
{
    Library library;
    std::vector<std::string> files;
    std::vector<double> concurrency, ratesPerS;
    std::string as = "auto", name, test;
    bool json = false;
};

/// The load that was stated for a file; none where the files tell theirs.
Result<std::optional<Load>> loadOf(const Arguments& arguments, std::size_t file)
{
    const bool byRate = !arguments.ratesPerS.empty();
    const std::vector<double>& stated = byRate ? arguments.ratesPerS : arguments.concurrency;
    if (stated.empty())
        return std::optional<Load>();
    if (stated.size() != arguments.files.size())
        return Error{ErrorCode::BadInput, byRate ? "--rate-per-s" : "--concurrency",
                     "needs one value for each file, of which there are " + std::to_string(arguments.files.size())};
    return std::optional(Load{byRate ? LoadAxis::RatePerS : LoadAxis::Concurrency, stated[file]});
}

Result<std::vector<ForeignLevel>> readLevels(const Arguments& arguments)
{
    std::vector<ForeignLevel> all;
    for (std::size_t i = 0; i < arguments.files.size(); ++i) {
        const Result<std::optional<Load>> load = loadOf(arguments, i);
        if (!load)
            return load.error();
        Result<std::vector<ForeignLevel>> levels =
            readForeignResult(arguments.files[i], arguments.as, load.value());
        if (!levels)
            return levels.error();
        for (ForeignLevel& level : levels.value())
            all.push_back(std::move(level));
    }
    return all;
}

int importResult(const Arguments& arguments)
{
    const Result<std::vector<ForeignLevel>> levels = readLevels(arguments);
    if (!levels)
        return fail(levels.error());
    Result<Store> store = Store::open(arguments.library.path());
    if (!store)
        return fail(store.error());
    std::string name = arguments.name;
    if (name.empty())
        name = std::filesystem::path(arguments.files.front()).filename().string();
    const Result<RunId> run = importForeignRun(store.value(), name, arguments.test, levels.value());
    if (!run)
        return fail(run.error());
    const Result<RunResults> results = loadResults(store.value(), run.value());
    if (!results)
        return fail(results.error());
    const std::string& tool = results.value().run.info.foreign;
    if (arguments.json) {
        printJson(runInfoToJson(results.value().run.info));
        return kDone;
    }
    std::cout << "run " << run.value().value << ": " << levels.value().size()
              << (levels.value().size() == 1 ? " level" : " levels") << " measured by " << toolTitle(tool) << '\n';
    printPoints(results.value(), std::cout);
    std::cout << toolTitle(tool) << " counts: " << peerDefinition(tool) << '\n';
    printReasons(results.value(), std::cout);
    return kDone;
}

} // namespace

void addImportResult(CLI::App& app, Action& action)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand(
        "import-result", "Keep the results of another benchmark tool as a run, to be compared with runs of Tailmark");
    arguments->library.addTo(*command);
    command->add_option("files", arguments->files, "Result files of one tool; several make a sweep, a level each")
        ->required()
        ->type_name("FILE");
    std::string tools = "auto";
    for (const std::string_view tool : foreignToolIds())
        tools += ", " + std::string(tool);
    command->add_option("--as", arguments->as, "Whose file it is: " + tools)->capture_default_str()->type_name("TOOL");
    CLI::Option* concurrency = command->add_option(
        "--concurrency", arguments->concurrency, "Of each file, in their order, where they do not tell their load");
    command->add_option("--rate-per-s", arguments->ratesPerS, "Likewise: the requests/s that were offered")
        ->excludes(concurrency);
    command->add_option("--name", arguments->name, "Name of the run; default: that of the first file");
    command->add_option("--test", arguments->test, "Name of its test, so that it lines up with that of another run");
    command->add_flag("--json", arguments->json, "Print JSON");
    command->callback([&action, arguments] { action = [arguments] { return importResult(*arguments); }; });
}

} // namespace tailmark::cli
