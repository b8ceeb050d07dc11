// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "compared_runs.h"
#include "control.h"
#include "exit_code.h"
#include "fail_condition.h"
#include "matrix_source.h"
#include "output.h"
#include "plan/plan.h"
#include "plan/validate.h"
#include "progress_view.h"
#include "report/report.h"
#include "run/cold_start.h"
#include "run/paired.h"
#include "run/runner.h"
#include "stored_run.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>
#include <optional>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace tailmark::cli {

namespace {

struct RunArguments
{
    std::string matrix;
    Library library;
    Overrides overrides;
    std::string name;
    std::string json, records, events;
    std::string allowedCommand;
    bool noProgress = false, stopOnEof = false;
    std::vector<std::string> only, failIf;
};

/// The matrix's name, else that of its file without its endings.
std::string nameOf(const RunArguments& arguments, const Matrix& matrix)
{
    if (!arguments.name.empty())
        return arguments.name;
    if (!matrix.name.empty())
        return matrix.name;
    std::string name = std::filesystem::path(arguments.matrix).filename().string();
    for (const char* ending : {".json", ".tailmark"})
        if (name.ends_with(ending))
            name.resize(name.size() - std::string(ending).size());
    return name;
}

Status checkOutputs(const RunArguments& arguments)
{
    const auto wants = [](const std::string& file) { return file == "-" ? 1 : 0; };
    if (!arguments.events.empty() && arguments.events != "-")
        return Error{ErrorCode::BadInput, "--events " + arguments.events, "must be -, for standard output"};
    if (wants(arguments.events) + wants(arguments.json) + wants(arguments.records) > 1)
        return Error{ErrorCode::BadInput, "",
                     "only one of --events, --json and --records can go to standard output"};
    if (arguments.stopOnEof && arguments.events.empty())
        return Error{ErrorCode::BadInput, "--stop-on-eof", "needs --events -"};
    for (const std::string& file : {arguments.json, arguments.records})
        if (!file.empty())
            if (Status status = checkWritable(file); !status)
                return status;
    return success();
}

bool isOutputTaken(const RunArguments& arguments)
{
    return arguments.events == "-" || arguments.json == "-" || arguments.records == "-";
}

void printResults(const RunResults& results)
{
    printPoints(results, std::cout);
    printBursts(results, std::cout);
    printColdStart(results, std::cout);
    printReasons(results, std::cout);
    printLaws(results, std::cout);
    printConditions(results, std::cout);
    printOperatingPoints(results, std::cout);
}

/// Writes what was asked for and tells the person the rest. The files hold what is stored, whatever ended the
/// run.
Result<RunResults> tellResults(const RunArguments& arguments, const Store& store, const RunReport& report)
{
    Result<RunResults> loaded = loadResults(store, report.run);
    if (!loaded)
        return loaded;
    const RunResults& results = loaded.value();
    if (!arguments.json.empty())
        if (Status status = writeJsonTo(arguments.json, resultToJson(results)); !status)
            return status.error();
    if (!arguments.records.empty()) {
        const Status status = writeTo(
            arguments.records, [&](std::ostream& out) { return writeRecordsCsv(results, store, out); });
        if (!status)
            return status.error();
    }
    if (!isOutputTaken(arguments)) {
        printResults(results);
        std::cout.flush();
    }
    return loaded;
}

/// A gate of `run`; of a pair also one of the comparison, by its subject.
struct Gates
{
    std::vector<FailCondition> ofRuns, ofComparison;
};

Result<Gates> parseGates(const std::vector<std::string>& texts, bool paired)
{
    Gates gates;
    for (const std::string& text : texts) {
        if (paired)
            if (Result<FailCondition> condition = FailCondition::parseComparison(text)) {
                gates.ofComparison.push_back(std::move(condition).value());
                continue;
            }
        Result<FailCondition> condition = FailCondition::parse(text);
        if (!condition)
            return condition.error();
        gates.ofRuns.push_back(std::move(condition).value());
    }
    return gates;
}

int failsGate(const std::string& why)
{
    std::fprintf(stderr, "tailmark-cli: --fail-if %s\n", why.c_str());
    return kConditionHolds;
}

/// `which`: of a pair, before what is said.
int exitCodeOf(const RunArguments& arguments, const std::vector<FailCondition>& conditions,
               const RunReport& report, const RunResults& results, const std::string& which = {})
{
    if (report.failure)
        return fail(*report.failure);
    const char* ended = report.state == RunState::Cancelled ? "cancelled" : "finished";
    if (report.validPoints == 0) {
        std::fprintf(stderr, "tailmark-cli: %s%s: %s, but no point is valid\n", which.c_str(),
                     arguments.matrix.c_str(), ended);
        return kNothingValid;
    }
    for (const FailCondition& condition : conditions)
        if (const std::optional<std::string> why = condition.holds(results))
            return failsGate(which + *why);
    return kDone;
}

void tellErrors(const RunReport& report, const char* which = "")
{
    for (const std::string& error : report.firstErrors)
        std::fprintf(stderr, "%sfailed requests: %s\n", which, oneLine(error).c_str());
}

/// Both tables and the comparison.
Status tellPair(const RunArguments& arguments, const ComparedRuns& compared)
{
    if (!arguments.json.empty()) {
        nlohmann::ordered_json runs = nlohmann::ordered_json::array();
        for (const RunResults& results : compared.runs)
            runs.push_back(resultToJson(results));
        const nlohmann::ordered_json json = {{"runs", std::move(runs)}, {"comparison", comparisonToJson(compared)}};
        if (Status status = writeJsonTo(arguments.json, json); !status)
            return status;
    }
    if (isOutputTaken(arguments))
        return success();
    for (std::size_t i = 0; i < compared.runs.size(); ++i) {
        std::cout << runLetter(i) << ": run " << compared.runs[i].run.info.id.value << " on "
                  << oneLine(compared.runs[i].run.info.target) << '\n';
        printResults(compared.runs[i]);
        std::cout << '\n';
    }
    printComparison(compared, std::cout);
    std::cout.flush();
    return success();
}

int endPair(const RunArguments& arguments, const Gates& gates, const Store& store, const PairReport& report)
{
    const Result<ComparedRuns> compared = loadCompared(store, {report.a.run, report.b.run});
    if (!compared)
        return fail(compared.error());
    if (const Status status = tellPair(arguments, compared.value()); !status)
        return fail(status.error());
    tellErrors(report.a, "A: ");
    tellErrors(report.b, "B: ");
    const std::vector<RunResults>& runs = compared.value().runs;
    const int codeA = exitCodeOf(arguments, gates.ofRuns, report.a, runs[0], "A: ");
    const int codeB = exitCodeOf(arguments, gates.ofRuns, report.b, runs[1], "B: ");
    if (codeA != kDone || codeB != kDone)
        return codeA == kDone || (report.b.failure && !report.a.failure) ? codeB : codeA;
    for (const FailCondition& gate : gates.ofComparison)
        if (const std::optional<std::string> why = gate.holds(compared.value().comparisons.front()))
            return failsGate(*why);
    return kDone;
}

int run(const RunArguments& arguments)
{
    if (Status status = checkOutputs(arguments); !status)
        return fail(status.error());
    const Result<Matrix> matrix = readMatrix(arguments.matrix, arguments.overrides);
    if (!matrix)
        return fail(matrix.error());
    const bool paired = matrix.value().pairedWith.has_value();
    if (paired && !arguments.records.empty())
        return fail({ErrorCode::BadInput, "--records",
                     "cannot hold two runs; write each with `tailmark-cli export RUN --as records`"});
    const Result<Gates> gates = parseGates(arguments.failIf, paired);
    if (!gates)
        return fail(gates.error());
    const Result<Plan> plan = expand(matrix.value(), arguments.only);
    if (!plan)
        return fail({plan.error().code, arguments.matrix, plan.error().line()});
    for (const FailCondition& condition : gates.value().ofRuns)
        if (const Status status = condition.check(plan.value()); !status)
            return fail(status.error());
    Result<Store> store = Store::open(arguments.library.path());
    if (!store)
        return fail(store.error());

    RunControl control;
    stopOnSignals(control, "ending: what was measured is being kept; a second signal stops at once");
    std::optional<ControlLines> controlLines;
    if (!arguments.events.empty())
        controlLines.emplace(control, arguments.stopOnEof);
    auto progress = arguments.noProgress ? nullptr : std::make_unique<ProgressView>(plan.value());
    // What warns is no progress; who reads events finds it there.
    const bool warns = progress || arguments.events.empty();
    bool remarked = !warns;
    // Once there is a run: before it there may be an error to tell, which is to stand alone.
    const auto tellRemarks = [&] {
        if (!std::exchange(remarked, true))
            for (const Finding& finding : validate(matrix.value()))
                std::fprintf(stderr, "remark: %s: %s\n", finding.path.c_str(), finding.message.c_str());
    };

    if (const Status status = checkCommandAllowed(plan.value(), arguments.allowedCommand); !status)
        return fail({status.error().code, arguments.matrix,
                     status.error().line() + "; to allow it, give --allow-command with just this text"});
    const RunOptions options{nameOf(arguments, matrix.value()), arguments.library.path(),
                             arguments.allowedCommand};
    const auto tell = [&](std::optional<Side> side, const RunEvent& event) {
        if (!arguments.events.empty())
            std::cout << eventToLine(event, side) << std::endl;
        if (std::holds_alternative<RunStarted>(event))
            tellRemarks();
        if (progress)
            progress->show(event, side);
        else if (const auto* warning = std::get_if<RunWarning>(&event); warning && warns)
            std::fprintf(stderr, "%swarning: %s\n", !side ? "" : *side == Side::A ? "A " : "B ",
                         oneLine(warning->text).c_str());
    };
    if (paired) {
        const Result<PairReport> report = executePair(plan.value(), store.value(), options, control, tell);
        progress.reset();
        return report ? endPair(arguments, gates.value(), store.value(), report.value())
                      : fail(ofMatrix(arguments.matrix, matrix.value(), report.error()));
    }
    const Result<RunReport> report = executeRun(plan.value(), store.value(), options, control,
                                                [&](const RunEvent& event) { tell({}, event); });
    progress.reset();
    if (!report)
        return fail(ofMatrix(arguments.matrix, matrix.value(), report.error()));
    const Result<RunResults> results = tellResults(arguments, store.value(), report.value());
    if (!results)
        return fail(results.error());
    tellErrors(report.value());
    return exitCodeOf(arguments, gates.value().ofRuns, report.value(), results.value());
}

} // namespace

void addRun(CLI::App& app, Action& action)
{
    auto arguments = std::make_shared<RunArguments>();
    CLI::App* command =
        app.add_subcommand("run", "Run a matrix against its target and keep what was measured");
    command->add_option("matrix", arguments->matrix, "Matrix file (*.tailmark.json)")
        ->required()
        ->type_name("MATRIX.json");
    arguments->library.addTo(*command);
    command
        ->add_option("--base-url", arguments->overrides.baseUrl,
                     "Target in place of the matrix's, like http://127.0.0.1:8000/v1")
        ->type_name("URL");
    command
        ->add_option("--paired-url", arguments->overrides.pairedUrl,
                     "A second target, measured in turn with the first point by point; asked as the first where the "
                     "matrix has no paired_with")
        ->type_name("URL");
    command->add_option("--model", arguments->overrides.model, "Model in place of the matrix's")
        ->type_name("NAME");
    command
        ->add_option("--set", arguments->overrides.settings,
                     "Value in place of the matrix's, like measurement.duration_s=5 or tests[0].levels=[1,2]")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    command->add_option("--only", arguments->only, "Only this test, by its name; may be repeated")
        ->type_name("TEST")
        ->allow_extra_args(false);
    command->add_option("--name", arguments->name, "Name of the run in the library")->type_name("TEXT");
    command->add_option("--json", arguments->json, "Write the results as JSON (- = standard output)")
        ->type_name("FILE");
    command->add_option("--records", arguments->records, "Write one CSV row a request (- = standard output)")
        ->type_name("FILE");
    command
        ->add_option("--fail-if", arguments->failIf,
                     "Exit with 5 where this holds, or cannot be told: METRIC[:pNN][@LOAD] or "
                     "operating_point.KEY, then one of < <= > "
                     ">= and a number, like 'ttft_ms:p99@8>500' or 'operating_point.load<32'; TEST/ before "
                     "it: of this test only. Of a pair also as in `compare`, like 'capacity<0.95'")
        ->type_name("CONDITION")
        ->allow_extra_args(false);
    command
        ->add_option("--allow-command", arguments->allowedCommand,
                     "The program that a cold start of the matrix may start, as the command line that it names; "
                     "without this, and for any other, the run is refused and tells the command")
        ->type_name("COMMAND");
    command->add_flag("--no-progress", arguments->noProgress, "Tell no progress on standard error; warnings still are, without --events");
    command
        ->add_option("--events", arguments->events,
                     "-: one JSON object a line on standard output for all that happens; takes the lines "
                     "pause, resume, "
                     "skip and stop on standard input")
        ->type_name("-");
    command->add_flag("--stop-on-eof", arguments->stopOnEof,
                      "With --events: the end of standard input stops the run");
    command->footer(
        "Ctrl-C ends the run cleanly: what was measured is stored, the run is marked cancelled. A second one "
        "stops "
        "at once.\nAPI keys are read from the environment variable that target.api_key_env names.");
    command->callback([&action, arguments] { action = [arguments] { return run(*arguments); }; });
}

} // namespace tailmark::cli
