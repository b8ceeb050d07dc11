// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "compared_runs.h"
#include "exit_code.h"
#include "fail_condition.h"
#include "output.h"
#include "report/report.h"
#include "stored_run.h"

#include <cstdio>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace tailmark::cli {

namespace {

struct CompareArguments
{
    Library library;
    std::vector<std::string> runs, slo, failIf;
    std::string baseline;
    std::string as, output = "-";
    bool json = false;
};

Result<RunId> findBaseline(const Store& store, const std::string& name)
{
    const Result<std::map<std::string, RunId>> baselines = store.baselines();
    if (!baselines)
        return baselines.error();
    const auto found = baselines.value().find(name);
    if (found != baselines.value().end())
        return found->second;
    std::string known;
    for (const auto& [other, run] : baselines.value())
        known += (known.empty() ? "" : ", ") + other;
    return Error{ErrorCode::BadInput, "--baseline " + name,
                 known.empty() ? "there is no baseline yet; make one with `tailmark-cli baseline NAME RUN`"
                               : "there is no such baseline; there are: " + known};
}

/// The runs in their order, the baseline first.
Result<std::vector<RunId>> findRuns(const Store& store, const CompareArguments& arguments)
{
    std::vector<RunId> runs;
    if (!arguments.baseline.empty()) {
        const Result<RunId> baseline = findBaseline(store, arguments.baseline);
        if (!baseline)
            return baseline.error();
        runs.push_back(baseline.value());
    }
    for (const std::string& text : arguments.runs) {
        const Result<RunId> run = findRun(store, text);
        if (!run)
            return run.error();
        runs.push_back(run.value());
    }
    return runs;
}

Status tell(const CompareArguments& arguments, const ComparedRuns& compared)
{
    const std::string as = arguments.json ? "json" : arguments.as;
    if (as == "json")
        return writeJsonTo(arguments.output, comparisonToJson(compared));
    return writeTo(arguments.output, [&](std::ostream& out) {
        if (as.empty())
            printComparison(compared, out);
        else
            out << (as == "md" ? comparisonMarkdown(compared) : comparisonHtml(compared));
        return success();
    });
}

/// Each condition of each run against the baseline.
int exitCodeOf(const std::vector<FailCondition>& conditions, const ComparedRuns& compared)
{
    for (const FailCondition& condition : conditions) {
        for (const RunComparison& comparison : compared.comparisons) {
            if (const std::optional<std::string> why = condition.holds(comparison)) {
                std::fprintf(stderr, "tailmark-cli: --fail-if %s%s\n", why->c_str(),
                             compared.comparisons.size() > 1
                                 ? (" (" + comparison.nameB + "/" + comparison.nameA + ")").c_str()
                                 : "");
                return kConditionHolds;
            }
        }
    }
    return kDone;
}

int compare(const CompareArguments& arguments)
{
    std::vector<FailCondition> conditions;
    for (const std::string& text : arguments.failIf) {
        Result<FailCondition> condition = FailCondition::parseComparison(text);
        if (!condition)
            return fail(condition.error());
        conditions.push_back(std::move(condition).value());
    }
    const Result<Slo> slo = parseSlo(arguments.slo);
    if (!slo)
        return fail(slo.error());
    const Result<Store> store = arguments.library.open();
    if (!store)
        return fail(store.error());
    const Result<std::vector<RunId>> runs = findRuns(store.value(), arguments);
    if (!runs)
        return fail(runs.error());
    const Result<ComparedRuns> compared = loadCompared(store.value(), runs.value(), slo.value());
    if (!compared)
        return fail(compared.error());
    if (const Status status = tell(arguments, compared.value()); !status)
        return fail(status.error());
    return exitCodeOf(conditions, compared.value());
}

struct BaselineArguments
{
    Library library;
    std::string name, run;
    bool forget = false;
};

int listBaselines(const BaselineArguments& arguments)
{
    const Result<Store> store = arguments.library.open();
    if (!store)
        return fail(store.error());
    const Result<std::map<std::string, RunId>> baselines = store.value().baselines();
    if (!baselines)
        return fail(baselines.error());
    if (baselines.value().empty())
        std::fprintf(stderr, "There is no baseline yet in %s\n", arguments.library.path().c_str());
    for (const auto& [name, run] : baselines.value()) {
        if (!arguments.name.empty() && name != arguments.name)
            continue;
        const Result<StoredRun> stored = store.value().loadRun(run);
        if (!stored)
            return fail(stored.error());
        std::cout << oneLine(name) << ": run " << run.value << ", " << oneLine(stored.value().info.name) << '\n';
    }
    return kDone;
}

int baseline(const BaselineArguments& arguments)
{
    if (arguments.run.empty() && !arguments.forget)
        return listBaselines(arguments);
    if (arguments.run.empty() == !arguments.forget || arguments.name.empty())
        return fail({ErrorCode::BadInput, "baseline", "needs NAME RUN to keep a run, or NAME --forget"});
    RunId run;
    {
        const Result<Store> store = arguments.library.open(); // a database that is not there is not made
        if (!store)
            return fail(store.error());
        const Result<RunId> found = arguments.forget ? findBaseline(store.value(), arguments.name)
                                                     : findRun(store.value(), arguments.run);
        if (!found)
            return fail(found.error());
        run = found.value();
    }
    Result<Store> store = Store::open(arguments.library.path());
    if (!store)
        return fail(store.error());
    const Status status = arguments.forget ? store.value().removeBaseline(arguments.name)
                                           : store.value().setBaseline(arguments.name, run);
    if (!status)
        return fail(status.error());
    return arguments.forget ? kDone : listBaselines(arguments);
}

} // namespace

void addCompare(CLI::App& app, Action& action)
{
    auto arguments = std::make_shared<CompareArguments>();
    CLI::App* command = app.add_subcommand(
        "compare", "Set runs side by side, the first as the baseline, and say whether only one thing differs");
    arguments->library.addTo(*command);
    command->add_option("runs", arguments->runs, kRunHelp)->required()->type_name("RUN");
    command->add_option("--baseline", arguments->baseline, "The baseline kept under this name, before all runs given")
        ->type_name("NAME");
    command
        ->add_option("--slo", arguments->slo, "Limit in place of the first run's own, like 'ttft_ms:p99<=1000'; may be repeated")
        ->type_name("LIMIT")
        ->allow_extra_args(false);
    command
        ->add_option("--fail-if", arguments->failIf,
                     "Exit with 5 where this holds of a run against the baseline, or cannot be told: a ratio B/A, then one "
                     "of < <= > >= and a number. capacity: of the throughputs at the limit, like 'capacity<0.95'; "
                     "throughput, latency, goodput: at each level that both have, or with @LOAD at this one, like "
                     "'latency@32>1.1'. TEST/ before it: of this test only")
        ->type_name("CONDITION")
        ->allow_extra_args(false);
    command->add_option("--as", arguments->as, "html, md: report; json; default: a table for the terminal")
        ->check(CLI::IsMember({"html", "md", "json"}));
    command->add_option("-o,--output", arguments->output, "File; default: standard output")->type_name("FILE");
    command->add_flag("--json", arguments->json, "The same as --as json");
    command->callback([&action, arguments] { action = [arguments] { return compare(*arguments); }; });
}

void addBaseline(CLI::App& app, Action& action)
{
    auto arguments = std::make_shared<BaselineArguments>();
    CLI::App* command = app.add_subcommand(
        "baseline", "Keep a run under a name for others to be compared with; without a run, list those kept");
    arguments->library.addTo(*command);
    command->add_option("name", arguments->name, "Name of the baseline")->type_name("NAME");
    command->add_option("run", arguments->run, kRunHelp)->type_name("RUN");
    command->add_flag("--forget", arguments->forget, "Forget the name; the run stays");
    command->callback([&action, arguments] { action = [arguments] { return baseline(*arguments); }; });
}

} // namespace tailmark::cli
