// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "exit_code.h"
#include "matrix_source.h"
#include "output.h"
#include "plan/plan.h"
#include "plan/plan_json.h"
#include "plan/validate.h"
#include "target/probe.h"
#include "workload/lengths.h"

#include <cstdio>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace tailmark::cli {

namespace {

int validateFile(const std::string& file)
{
    const Result<Matrix> matrix = loadMatrix(file);
    if (!matrix)
        return fail(matrix.error());
    const std::vector<Finding> findings = validate(matrix.value());
    for (const Finding& finding : findings) {
        if (finding.severity == Finding::Severity::Error)
            fail({ErrorCode::BadInput, file + ": " + finding.path, finding.message});
        else
            std::cout << "remark: " << finding.path << ": " << finding.message << '\n';
    }
    if (hasErrors(findings))
        return kBadInput;
    const auto lengths = makeLengthSource(matrix.value().workload.lengths);
    if (!lengths)
        return fail(lengths.error());
    if (const std::string remark = lengths.value()->remark(); !remark.empty())
        std::cout << "remark: " << oneLine(remark) << '\n';
    const Result<Plan> plan = expand(matrix.value());
    if (!plan)
        return fail({plan.error().code, file, plan.error().line()});
    std::cout << file << ": " << plan.value().points.size() << " points, about "
              << duration(estimatedSeconds(plan.value())) << '\n';
    return kDone;
}

struct ProbeArguments
{
    std::string url, model, apiKeyEnv;
    std::string api = "chat";
    bool json = false, noRequest = false;
};

void printProbe(const ProbeResult& result)
{
    std::cout << result.baseUrl << ": " << result.engine
              << (result.version.empty() ? "" : " " + result.version) << '\n';
    if (!result.model.empty())
        std::cout << "model: " << oneLine(result.model) << '\n';
    else
        for (const std::string& model : result.models)
            std::cout << "model: " << oneLine(model) << " (named with --model)\n";
    if (result.contextTokens > 0)
        std::cout << "context: " << result.contextTokens << " tokens\n";
    if (result.requestCompleted)
        std::cout << "test request: completed\n";
    for (const auto& [key, entry] : result.card.entries())
        if (entry.origin == CardOrigin::Read)
            std::cout << key << ": " << entry.value << '\n';
    for (const std::string& note : result.notes)
        std::cout << "note: " << note << '\n';
}

int probeTarget(const ProbeArguments& arguments)
{
    Target target;
    target.baseUrl = arguments.url;
    target.model = arguments.model;
    target.apiKeyEnv = arguments.apiKeyEnv;
    target.api = arguments.api == "chat" ? Api::Chat : Api::Completions;
    const Result<ProbeResult> result = probe(target, CardInput(), Limits(), !arguments.noRequest);
    if (!result)
        return fail(result.error());
    if (arguments.json)
        printJson(probeToJson(result.value()));
    else
        printProbe(result.value());
    return kDone;
}

} // namespace

void addValidate(CLI::App& app, Action& action)
{
    auto file = std::make_shared<std::string>();
    CLI::App* command =
        app.add_subcommand("validate", "Say what is wrong with a matrix, and what to consider");
    command->add_option("matrix", *file, "Matrix file (*.tailmark.json)")
        ->required()
        ->type_name("MATRIX.json");
    command->callback([&action, file] { action = [file] { return validateFile(*file); }; });
}

void addProbe(CLI::App& app, Action& action)
{
    auto arguments = std::make_shared<ProbeArguments>();
    CLI::App* command = app.add_subcommand("probe", "Ask a target what it is, with one short request");
    command->add_option("url", arguments->url, "Base URL, like http://127.0.0.1:8000/v1")
        ->required()
        ->type_name("URL");
    command->add_option("--model", arguments->model, "Model; default: the only one that the target lists")
        ->type_name("NAME");
    command->add_option("--api", arguments->api, "API dialect")
        ->check(CLI::IsMember({"chat", "completions"}))
        ->capture_default_str();
    command->add_option("--api-key-env", arguments->apiKeyEnv, "Environment variable with the API key")
        ->type_name("NAME");
    command->add_flag("--no-request", arguments->noRequest, "Ask the information endpoints only");
    command->add_flag("--json", arguments->json, "Print JSON");
    command->callback([&action, arguments] { action = [arguments] { return probeTarget(*arguments); }; });
}

} // namespace tailmark::cli
