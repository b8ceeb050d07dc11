// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "analysis/sanity.h"
#include "analysis/slo.h"
#include "analysis/text.h"
#include "base/percentile_text.h"
#include "exit_code.h"
#include "output.h"
#include "plan/bound_tables.h"
#include "plan/rule.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace tailmark::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Arguments
{
    std::vector<std::string> words; ///< of the claim
    double tokensPerS = 0, requestsPerS = 0, concurrency = 0, promptTokens = 0, outputTokens = 0;
    bool perDevice = false, perUser = false;
    std::vector<std::string> latencies; ///< "ttft_ms:p99<=1000"
    BoundInput bound;
    std::vector<double> closedLoop, backlog;
    std::vector<std::string> rounds, roundsAfter;
    bool list = false, json = false;
};

Result<Claim> claimOf(const Arguments& arguments)
{
    std::string text;
    for (const std::string& word : arguments.words)
        text += (text.empty() ? "" : " ") + word;
    Claim claim = parseClaim(text);
    const auto take = [](std::optional<double>& member, double typed) {
        if (typed > 0)
            member = typed;
    };
    take(claim.tokensPerS, arguments.tokensPerS);
    take(claim.requestsPerS, arguments.requestsPerS);
    take(claim.concurrency, arguments.concurrency);
    take(claim.promptTokens, arguments.promptTokens);
    take(claim.outputTokens, arguments.outputTokens);
    take(claim.devices, arguments.bound.devices);
    if (arguments.perDevice)
        claim.of = Claim::Of::Device;
    if (arguments.perUser)
        claim.of = Claim::Of::User;
    for (const std::string& latency : arguments.latencies) {
        const Result<SloLimit> limit = parseSloLimit(latency);
        if (!limit)
            return Error{ErrorCode::BadInput, "--latency", limit.error().message};
        claim.latencies.push_back({limit.value().metric, limit.value().percentile, limit.value().limit});
    }
    return claim;
}

/// "5/0.010": tokens and seconds of each round.
Result<std::vector<Round>> roundsOf(const std::vector<std::string>& texts, const char* option)
{
    std::vector<Round> rounds;
    for (const std::string& text : texts) {
        const std::size_t slash = text.find('/');
        const auto number = [&](std::size_t from, std::size_t to, double& value) {
            const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, value);
            return error == std::errc() && end == text.data() + to;
        };
        Round round;
        if (slash == std::string::npos || !number(0, slash, round.tokens) ||
            !number(slash + 1, text.size(), round.seconds) || round.tokens < 0 || !(round.seconds > 0))
            return Error{ErrorCode::BadInput, option,
                         text + " is no round; a round is tokens/seconds, like 5/0.010"};
        rounds.push_back(round);
    }
    return rounds;
}

Json findingJson(const SanityFinding& finding)
{
    Json figures = Json::object();
    for (const SanityFigure& figure : finding.figures)
        figures[figure.id] = figure.value;
    return {{"kind", sanityKindId(finding.kind)},
            {"topic", finding.topic},
            {"text", finding.text},
            {"figures", std::move(figures)}};
}

Json optionalJson(const std::optional<double>& value)
{
    return value ? Json(*value) : Json();
}

Json claimJson(const Claim& claim)
{
    constexpr const char* kOf[] = {"system", "device", "user"};
    Json latencies = Json::array();
    for (const Claim::Latency& latency : claim.latencies)
        latencies.push_back({{"metric", latency.metric},
                             {"percentile", latency.percentile > 0 ? Json(latency.percentile) : Json()},
                             {"ms", latency.ms}});
    return {{"understood", claimText(claim)},
            {"output_tokens_per_s", optionalJson(claim.tokensPerS)},
            {"of", claim.tokensPerS ? Json(kOf[static_cast<int>(claim.of)]) : Json()},
            {"requests_per_s", optionalJson(claim.requestsPerS)},
            {"concurrency", optionalJson(claim.concurrency)},
            {"devices", optionalJson(claim.devices)},
            {"prompt_tokens", optionalJson(claim.promptTokens)},
            {"output_tokens", optionalJson(claim.outputTokens)},
            {"latencies", std::move(latencies)}};
}

void printFindings(const std::vector<SanityFinding>& findings)
{
    using Kind = SanityFinding::Kind;
    const std::pair<Kind, const char*> parts[] = {{Kind::Impossible, "Cannot be:"},
                                                  {Kind::Derived, "What it implies:"},
                                                  {Kind::Missing, "What it leaves out:"},
                                                  {Kind::Condition, "What would have to be true:"}};
    for (const auto& [kind, title] : parts) {
        bool first = true;
        for (const SanityFinding& finding : findings) {
            if (finding.kind != kind)
                continue;
            if (std::exchange(first, false))
                std::cout << title << '\n';
            std::cout << "  " << finding.text << '\n';
        }
    }
}

int printTables()
{
    Table devices({{"accelerator", false}, {"name", false}, {"GB"}, {"GB/s"}, {"TFLOP/s 16 bit"}, {"8 bit"}, {"4 bit"}});
    const auto known = [](double value) { return figure(value > 0 ? std::optional(value) : std::nullopt); };
    for (const Accelerator& a : accelerators())
        devices.addRow({a.id, a.name, figure(a.memoryGb), figure(a.bandwidthGbPerS), known(a.tflops16Bit),
                        known(a.tflops8Bit), known(a.tflops4Bit)});
    devices.print(std::cout);
    std::cout << '\n';
    Table models({{"model", false}, {"name", false}, {"parameters 10^9"}, {"active 10^9"}, {"experts", false}, {"KV bytes/token"}});
    for (const ServedModel& m : servedModels())
        models.addRow({m.id, m.name, figure(m.totalParams / 1e9), figure(m.activeParams / 1e9),
                       m.experts > 0 ? figure(m.expertsPerToken) + " of " + figure(m.experts) : "",
                       figure(m.kvBytesPerToken() + m.windowKvBytesPerToken())});
    models.print(std::cout);
    return kDone;
}

/// Appends the finding of a calculator that was asked for; an error where its numbers are none.
Status calculate(const Arguments& arguments, std::vector<SanityFinding>& findings)
{
    const auto add = [&](const char* option, std::optional<SanityFinding> finding) -> Status {
        if (!finding)
            return Error{ErrorCode::BadInput, option, "its numbers must be above 0"};
        findings.push_back(std::move(*finding));
        return success();
    };
    const Result<std::vector<Round>> rounds = roundsOf(arguments.rounds, "--rounds");
    const Result<std::vector<Round>> after = roundsOf(arguments.roundsAfter, "--rounds-after");
    if (!rounds)
        return rounds.error();
    if (!after)
        return after.error();
    Status status = success();
    const std::vector<double>& loop = arguments.closedLoop;
    if (!loop.empty())
        status = add("--closed-loop", closedLoopRate(loop[0], loop[1], loop.size() > 2 ? loop[2] : 0));
    const std::vector<double>& backlog = arguments.backlog;
    if (status && !backlog.empty())
        status = add("--backlog", backlogGrowth(backlog[0], backlog[1], backlog[2]));
    if (status && !rounds.value().empty())
        status = add("--rounds", wallClockRate(rounds.value()));
    if (status && !after.value().empty())
        status = add("--rounds-after", wallClockRate(after.value()));
    if (status && !after.value().empty())
        status = add("--rounds-after", throughputGained(rounds.value(), after.value()));
    return status;
}

int sanity(const Arguments& arguments)
{
    if (arguments.list)
        return printTables();
    const Result<Claim> claim = claimOf(arguments);
    if (!claim)
        return fail(claim.error());
    std::vector<SanityFinding> findings;
    if (const Status status = calculate(arguments, findings); !status)
        return fail(status.error());
    const std::string understood = claimText(claim.value());
    const bool claimed = claim.value().tokensPerS || claim.value().requestsPerS;
    if (!claimed && findings.empty())
        return fail({ErrorCode::BadInput, "sanity",
                     "no throughput was understood; say one like '8,400 tok/s at concurrency 96', or ask a calculator "
                     "(--closed-loop, --backlog, --rounds)"});
    BoundInput input = arguments.bound;
    if (input.devices <= 0)
        input.devices = 1;
    if (claimed)
        for (SanityFinding& finding : checkClaim(claim.value(), boundFigures(input)))
            findings.push_back(std::move(finding));
    if (arguments.json) {
        Json json = {{"claim", claimed ? claimJson(claim.value()) : Json()}, {"findings", Json::array()}};
        for (const SanityFinding& finding : findings)
            json["findings"].push_back(findingJson(finding));
        printJson(json);
        return kDone;
    }
    if (claimed)
        std::cout << "Understood: " << understood << '\n';
    printFindings(findings);
    return kDone;
}

std::string oneOf(std::span<const std::string_view> ids)
{
    return keys::choiceText(ids.data(), ids.data() + ids.size());
}

CLI::Validator known(const char* what, std::span<const std::string_view> ids)
{
    return CLI::Validator(
        [what, ids](const std::string& id) {
            return std::ranges::find(ids, id) != ids.end() ? std::string()
                                                           : id + " is no " + what + " of the table; allowed: " + oneOf(ids);
        },
        "");
}

} // namespace

void addSanity(CLI::App& app, Action& action)
{
    auto arguments = std::make_shared<Arguments>();
    arguments->bound.devices = 0;
    CLI::App* command = app.add_subcommand(
        "sanity", "Say what a headline figure implies, what it leaves out and whether it can be; and small calculators");
    command->add_option("claim", arguments->words, "The claim, as it was written: '8,400 tok/s at concurrency 96'")
        ->type_name("TEXT");
    command->add_option("--tokens-per-s", arguments->tokensPerS, "Output tokens per second");
    command->add_flag("--per-device", arguments->perDevice, "The tokens are those of one device");
    command->add_flag("--per-user", arguments->perUser, "The tokens are those of one user");
    command->add_option("--requests-per-s", arguments->requestsPerS, "Requests completed per second");
    command->add_option("--concurrency", arguments->concurrency, "Requests in flight");
    command->add_option("--prompt-tokens", arguments->promptTokens, "Mean prompt");
    command->add_option("--output-tokens", arguments->outputTokens, "Mean output");
    command->add_option("--latency", arguments->latencies, "A latency that is claimed with it, like 'ttft_ms:p99<=1000'")
        ->type_name("LIMIT")
        ->allow_extra_args(false);
    command->add_option("--accelerator", arguments->bound.accelerator, "Device of the table (--list)")
        ->check(known("accelerator", acceleratorIds()))
        ->type_name("ID");
    command->add_option("--model", arguments->bound.model, "Model of the table (--list)")
        ->check(known("model", servedModelIds()))
        ->type_name("ID");
    command->add_option("--devices", arguments->bound.devices, "How many devices; default: 1");
    command->add_option("--bytes-per-param", arguments->bound.bytesPerParam,
                        "2 for BF16, 1 for FP8, 0.56 for FP4; default: as the model is published");
    command->add_option("--bandwidth-gb-per-s", arguments->bound.bandwidthGbPerS, "Of one device, in place of the table");
    command->add_option("--peak-tflops", arguments->bound.peakTflops, "Of one device, in place of the table");
    command->add_option("--active-params", arguments->bound.activeParams, "Parameters that a token reads, in place of the table");
    command->add_option("--kv-bytes-per-token", arguments->bound.kvBytesPerToken,
                        "Keys and values kept of a token, in place of the table");
    command->add_option("--closed-loop", arguments->closedLoop, "USERS RESPONSE_S [THINK_S]: requests/s = N / (R + Z)")
        ->expected(2, 3);
    command->add_option("--backlog", arguments->backlog, "OFFERED COMPLETED SECONDS: backlog = (offered - completed) x time")
        ->expected(3);
    CLI::Option* rounds =
        command->add_option("--rounds", arguments->rounds,
                        "TOKENS/SECONDS of each round: all tokens over the whole time, against the mean of the rates");
    command->add_option("--rounds-after", arguments->roundsAfter, "The same rounds after a change: what was gained")
        ->needs(rounds);
    command->add_flag("--list", arguments->list, "Show the tables of accelerators and models");
    command->add_flag("--json", arguments->json, "Print JSON");
    command->callback([&action, arguments] { action = [arguments] { return sanity(*arguments); }; });
}

} // namespace tailmark::cli
