// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "exit_code.h"
#include "matrix_source.h"
#include "output.h"
#include "plan/evidence.h"
#include "plan/matrix_keys.h"
#include "plan/plan.h"
#include "plan/plan_json.h"
#include "plan/validate.h"
#include "run/kept_traces.h"
#include "run/log_replay.h"
#include "stored_run.h"
#include "target/connection.h"
#include "target/engine_profiles.h"
#include "target/probe.h"
#include "workload/prompt_file.h"
#include "workload/request_body.h"
#include "workload/request_table.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace tailmark::cli {

namespace {

Status checkFiles(const Matrix& matrix)
{
    if (Status status = RequestBody::checkFiles(matrix); !status)
        return status;
    if (Status status = checkCertificates(matrix.target); !status || !matrix.pairedWith)
        return status;
    return checkCertificates(matrix.pairedWith->target);
}

/// Lengths as the run would read them, with what it would say of them; `library`: null where there is none.
Result<std::vector<ReadLengths>> checkLengths(Plan& plan, const Store* library)
{
    Result<std::vector<ReadLengths>> lengths =
        readLengths(plan, [&](const Lengths& named) { return lookUpLengths(named, library); });
    if (!lengths)
        return lengths;
    for (const ReadLengths& read : lengths.value()) {
        if (const FilePrompts* prompts = read.source->prompts(); prompts && plan.matrix.pairedWith)
            if (Status status = prompts->fitApi(plan.matrix.pairedWith->target.api); !status)
                return status.error();
        for (const std::string& remark : {read.warning, read.source->remark()})
            if (!remark.empty())
                std::cout << "remark: " << oneLine(remark) << '\n';
    }
    const Result<std::vector<std::string>> replays = checkReplays(plan, lengths.value());
    if (!replays)
        return replays.error();
    for (const std::string& remark : replays.value())
        std::cout << "remark: " << oneLine(remark) << '\n';
    return lengths;
}

/// Whether what the log tells is what the plan asks of it.
Status checkTables(const Plan& plan, const std::vector<ReadLengths>& lengths)
{
    for (const PointPlan& point : plan.points) {
        if (!RequestTable::isNeeded(point))
            continue;
        const auto read = std::find_if(lengths.begin(), lengths.end(),
                                       [&](const ReadLengths& each) { return each.lengths == point.lengths; });
        const auto requests = makeRequestSource(plan.matrix, point, {}, read->source, read->log);
        return requests ? success() : Status(requests.error()); // what a log tells, it tells for all points
    }
    return success();
}

int validateFile(const std::string& file, const Library& library)
{
    const Result<Matrix> matrix = loadDraft(file);
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
    const auto refuse = [&](const Error& error) { return fail(ofMatrix(file, matrix.value(), error)); };
    if (const Status files = checkFiles(matrix.value()); !files)
        return refuse(files.error());
    Result<Plan> plan = expand(matrix.value());
    if (!plan)
        return fail({plan.error().code, file, plan.error().line()});
    std::optional<Store> store;
    if (std::error_code code; !library.database.empty() || std::filesystem::exists(library.path(), code)) {
        Result<Store> opened = library.open();
        if (!opened)
            return fail(opened.error());
        store = std::move(opened).value();
    }
    const auto lengths = checkLengths(plan.value(), store ? &*store : nullptr);
    if (!lengths)
        return refuse(lengths.error());
    if (const Status tables = checkTables(plan.value(), lengths.value()); !tables)
        return refuse(tables.error());
    Table evidence({{"test", false}, {"load"}, {"evidence", false}});
    for (const LevelEvidence& level : expectedEvidence(plan.value()))
        evidence.addRow({level.test, figure(level.load.value), level.text});
    evidence.print(std::cout);
    std::cout << file << ": " << plan.value().points.size() << (plan.value().points.size() == 1 ? " point, about " : " points, about ")
              << duration(estimatedSeconds(plan.value())) << '\n';
    return kDone;
}

struct ProbeArguments
{
    std::string url, model, apiKeyEnv;
    std::string api = "chat", httpVersion = "1.1", caFile, proxy;
    std::string engine = "auto";
    bool json = false, noRequest = false, insecure = false;
};

/// Names in one column, texts in the next.
void printRow(const std::string& name, const std::string& text)
{
    constexpr std::size_t kColumn = 30;
    std::cout << "  " << name << std::string(name.size() < kColumn ? kColumn - name.size() : 1, ' ') << text
              << '\n';
}

std::string originOf(const CardEntry& entry)
{
    std::string text = entry.origin == CardOrigin::Typed ? "typed" : "read";
    if (!entry.source.empty())
        text += ": " + entry.source;
    if (!entry.standard.empty())
        text += "; default: " + entry.standard;
    return text;
}

void printCard(const RunCard& card)
{
    std::cout << "Run card\n";
    std::vector<std::string> keys = RunCard::fixedKeys();
    for (const auto& [key, entry] : card.entries())
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            keys.push_back(key);
    for (const std::string& key : keys) {
        const CardEntry entry = card.entry(key);
        const bool known = entry.origin != CardOrigin::Unknown;
        printRow(key, known ? oneLine(entry.value) + "  [" + oneLine(originOf(entry)) + "]" : "unknown");
    }
}

void printFields(const ProbeResult& result)
{
    const BodyOptions& body = result.body;
    const EngineProfile& profile = engineProfile(result.engine);
    std::cout << "Requests\n";
    printRow("output limit", body.maxTokensField);
    printRow("lengths forced", body.ignoreEos
                                   ? std::string("ignore_eos") + (body.minTokens ? ", min_tokens" : "")
                                   : std::string("no"));
    printRow("usage asked for", body.streamOptions ? "stream_options.include_usage" : "no");
    printRow("prompts as token ids", profile.prompt.tokenIds ? "with the completions API" : "no");
    printRow("tokenizer", profile.prompt.tokenizeText ? profile.prompt.tokenizeText.path : "none known");
    const CacheDefault cache = profile.cache.byDefault;
    printRow("prefix cache", cache == CacheDefault::On    ? "on by default"
                             : cache == CacheDefault::Off ? "off by default"
                                                          : "not known");
    printRow("cache salt", profile.cache.salt.empty() ? "none" : profile.cache.salt);
    printRow("cache reset",
             profile.cache.resetPath.empty()
                 ? std::string("none")
                 : profile.cache.resetMethod + ' ' + profile.cache.resetPath +
                       (profile.cache.resetHint.empty() ? "" : ", " + profile.cache.resetHint));
    printRow("counters",
             profile.metrics.path.empty()
                 ? std::string("none")
                 : profile.metrics.path + (profile.metrics.hint.empty() ? "" : ", " + profile.metrics.hint));
    for (const std::string& field : body.refusedFields)
        printRow("left out", oneLine(field));
}

void printProbe(const ProbeResult& result)
{
    std::cout << result.baseUrl << ": " << engineProfile(result.engine).title
              << (result.version.empty() ? "" : " " + oneLine(result.version))
              << (result.recognisedBy.empty() ? "" : ", recognised by " + oneLine(result.recognisedBy))
              << '\n';
    if (!result.model.empty())
        printRow("model", oneLine(result.model));
    else
        for (const std::string& model : result.models)
            printRow("model", oneLine(model) + " (named with --model)");
    printRow("context", result.contextTokens > 0 ? std::to_string(result.contextTokens) + " tokens"
                                                 : std::string("not told"));
    for (const auto& [name, value] : result.headers)
        printRow(name, oneLine(value));
    printCard(result.card);
    printFields(result);
    if (result.requestCompleted) {
        std::cout << "Test request: completed\n";
        for (const ProbeCheck& check : result.checks)
            printRow(check.id, std::string(checkStateId(check.state)) + ": " + check.text);
    }
    for (const std::string& note : result.notes)
        std::cout << "note: " << note << '\n';
}

int probeTarget(const ProbeArguments& arguments)
{
    Target target;
    target.baseUrl = arguments.url;
    target.model = arguments.model;
    target.engine = arguments.engine;
    target.apiKeyEnv = arguments.apiKeyEnv;
    target.api = arguments.api == "chat" ? Api::Chat : Api::Completions;
    if (!keys::isEngineId(target.engine))
        return fail({ErrorCode::BadInput, "--engine", "must be " + keys::engineIdWords()});
    target.tls = {!arguments.insecure, arguments.caFile};
    target.httpVersion = arguments.httpVersion == "2" ? HttpVersion::Http2 : HttpVersion::Http11;
    target.proxy = arguments.proxy;
    if (!keys::isProxyUrl(target.proxy))
        return fail({ErrorCode::BadInput, "--proxy", "must be " + keys::proxyUrlWords()});
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
    auto library = std::make_shared<Library>();
    CLI::App* command =
        app.add_subcommand("validate", "Say what is wrong with a matrix, and what to consider");
    command->add_option("matrix", *file, "Matrix file (*.tailmark.json)")
        ->required()
        ->type_name("MATRIX.json");
    library->addTo(*command);
    command->callback([&action, file, library] { action = [file, library] { return validateFile(*file, *library); }; });
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
    command->add_option("--engine", arguments->engine, "Engine, where it is known")
        ->capture_default_str()
        ->type_name("NAME");
    command->add_option("--api-key-env", arguments->apiKeyEnv, "Environment variable with the API key")
        ->type_name("NAME");
    command->add_option("--ca-file", arguments->caFile, "Authority to trust for TLS (PEM)")
        ->type_name("FILE");
    command->add_flag("--insecure", arguments->insecure, "Do not verify the server's TLS certificate");
    command->add_option("--http-version", arguments->httpVersion, "HTTP version to ask in")
        ->check(CLI::IsMember({"1.1", "2"}))
        ->capture_default_str();
    command->add_option("--proxy", arguments->proxy, "Proxy; none is used unless named here")
        ->type_name("http://HOST:PORT");
    command->add_flag("--no-request", arguments->noRequest, "Ask the information endpoints only");
    command->add_flag("--json", arguments->json, "Print JSON");
    command->callback([&action, arguments] { action = [arguments] { return probeTarget(*arguments); }; });
}

} // namespace tailmark::cli
