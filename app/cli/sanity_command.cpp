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
#include <cmath>
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
    std::optional<double> tokensPerS, requestsPerS, concurrency, promptTokens, outputTokens, devices;
    bool perDevice = false, perUser = false;
    std::vector<std::string> latencies; ///< "ttft_ms:p99<=1000"
    BoundInput bound;
    std::vector<double> closedLoop, backlog;
    std::vector<std::string> rounds, roundsAfter;
    bool list = false, json = false;
};

/// A claim, and where what was typed stands in the place of what its text says.
struct TypedClaim
{
    Claim claim;
    std::vector<std::string> replaced; ///< "32 in flight, not 96"
};

void take(TypedClaim& typed, std::optional<double>& member, const std::optional<double>& value, const char* unit)
{
    if (!value)
        return;
    if (member && *member != *value)
        typed.replaced.push_back(figureText(*value) + " " + unit + ", not " + figureText(*member));
    member = value;
}

void takeLatency(TypedClaim& typed, const SloLimit& limit)
{
    const Claim::Latency latency{limit.metric, limit.percentile, limit.limit};
    const auto same = std::ranges::find_if(typed.claim.latencies, [&](const Claim::Latency& l) {
        return l.metric == latency.metric && l.percentile == latency.percentile;
    });
    if (same == typed.claim.latencies.end()) {
        typed.claim.latencies.push_back(latency);
        return;
    }
    if (same->ms != latency.ms)
        typed.replaced.push_back(percentileText(latency.percentile) + " " +
                                 std::string(metricInfo(*metricFromId(latency.metric)).abbreviation) + " " +
                                 durationText(latency.ms) + ", not " + durationText(same->ms));
    *same = latency;
}

/// A device or model of the options stands in the place of that of the text.
template <typename Entry>
void takeName(TypedClaim& typed, std::string& named, const std::string& id, const Entry* (*find)(std::string_view))
{
    if (id.empty())
        return;
    if (!named.empty() && named != id)
        typed.replaced.push_back(find(id)->name + ", not " + find(named)->name);
    named = id;
}

Result<TypedClaim> claimOf(const Arguments& arguments)
{
    std::string text;
    for (const std::string& word : arguments.words)
        text += (text.empty() ? "" : " ") + word;
    TypedClaim typed{parseClaim(text), {}};
    Claim& claim = typed.claim;
    if (!claim.doubts.empty())
        return Error{ErrorCode::BadInput, "sanity", claim.doubts.front()};
    const bool perDevice = arguments.perDevice && claim.of != Claim::Of::Device;
    const bool perUser = arguments.perUser && claim.of != Claim::Of::User;
    if (claim.tokensPerS && !arguments.tokensPerS && claim.of != Claim::Of::System && (perDevice || perUser))
        typed.replaced.push_back(perDevice ? "tok/s per device, not per user" : "tok/s per user, not per device");
    take(typed, claim.tokensPerS, arguments.tokensPerS, "tok/s");
    take(typed, claim.requestsPerS, arguments.requestsPerS, "requests/s");
    take(typed, claim.concurrency, arguments.concurrency, "in flight");
    take(typed, claim.promptTokens, arguments.promptTokens, "prompt tokens");
    take(typed, claim.outputTokens, arguments.outputTokens, "output tokens");
    take(typed, claim.devices, arguments.devices, arguments.devices == 1.0 ? "device" : "devices");
    takeName(typed, claim.accelerator, arguments.bound.accelerator, findAccelerator);
    takeName(typed, claim.model, arguments.bound.model, findServedModel);
    if (perDevice)
        claim.of = Claim::Of::Device;
    if (perUser)
        claim.of = Claim::Of::User;
    for (const std::string& latency : arguments.latencies) {
        const Result<SloLimit> limit = parseSloLimit(latency);
        if (!limit)
            return Error{ErrorCode::BadInput, "--latency", limit.error().message};
        constexpr std::string_view kClaimed[] = {"ttft_ms", "tpot_ms", "e2e_ms"};
        if (std::ranges::find(kClaimed, limit.value().metric) == std::end(kClaimed))
            return Error{ErrorCode::BadInput, "--latency",
                         limit.value().metric + " is not checked here; allowed: ttft_ms, tpot_ms, e2e_ms"};
        takeLatency(typed, limit.value());
    }
    return typed;
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
            !number(slash + 1, text.size(), round.seconds) || !(round.tokens >= 0) || !(round.seconds > 0) ||
            !std::isfinite(round.tokens + round.seconds))
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
            {"accelerator", claim.accelerator.empty() ? Json() : Json(claim.accelerator)},
            {"model", claim.model.empty() ? Json() : Json(claim.model)},
            {"bytes_per_param", optionalJson(claim.bytesPerParam)},
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
    const Result<TypedClaim> typed = claimOf(arguments);
    if (!typed)
        return fail(typed.error());
    const Claim& claim = typed.value().claim;
    std::vector<SanityFinding> findings;
    if (const Status status = calculate(arguments, findings); !status)
        return fail(status.error());
    const bool claimed = claim.tokensPerS || claim.requestsPerS;
    if (!claimed && findings.empty())
        return fail({ErrorCode::BadInput, "sanity",
                     "no throughput was understood; say one like '8,400 tok/s at concurrency 96', or ask a calculator "
                     "(--closed-loop, --backlog, --rounds)"});
    if (claimed)
        for (SanityFinding& finding : checkClaim(claim, claimFigures(claim, arguments.bound)))
            findings.push_back(std::move(finding));
    if (arguments.json) {
        Json json = {{"claim", claimed ? claimJson(claim) : Json()},
                     {"replaced", typed.value().replaced},
                     {"findings", Json::array()}};
        for (const SanityFinding& finding : findings)
            json["findings"].push_back(findingJson(finding));
        printJson(json);
        return kDone;
    }
    if (claimed)
        std::cout << "Understood: " << claimText(claim) << '\n';
    for (const std::string& replaced : typed.value().replaced)
        std::cout << "As typed, in the place of the text: " << replaced << '\n';
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

/// No figure of a claim is 0 or below.
CLI::Validator aboveZero()
{
    return CLI::Validator(
        [](const std::string& text) {
            double value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool whole = error == std::errc() && end == text.data() + text.size();
            return whole && value > 0 && std::isfinite(value) ? std::string() : text + " is no number above 0";
        },
        "");
}

} // namespace

void addSanity(CLI::App& app, Action& action)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand(
        "sanity", "Say what a headline figure implies, what it leaves out and whether it can be; and small calculators");
    command->add_option("claim", arguments->words, "The claim, as it was written: '8,400 tok/s at concurrency 96'")
        ->type_name("TEXT");
    const CLI::Validator positive = aboveZero();
    command->add_option("--tokens-per-s", arguments->tokensPerS, "Output tokens per second")->check(positive);
    CLI::Option* perDevice =
        command->add_flag("--per-device", arguments->perDevice, "The tokens are those of one device");
    command->add_flag("--per-user", arguments->perUser, "The tokens are those of one user")->excludes(perDevice);
    command->add_option("--requests-per-s", arguments->requestsPerS, "Requests completed per second")->check(positive);
    command->add_option("--concurrency", arguments->concurrency, "Requests in flight")->check(positive);
    command->add_option("--prompt-tokens", arguments->promptTokens, "Mean prompt")->check(positive);
    command->add_option("--output-tokens", arguments->outputTokens, "Mean output")->check(positive);
    command->add_option("--latency", arguments->latencies, "A latency that is claimed with it, like 'ttft_ms:p99<=1000'")
        ->type_name("LIMIT")
        ->allow_extra_args(false);
    command->add_option("--accelerator", arguments->bound.accelerator, "Device of the table (--list)")
        ->check(known("accelerator", acceleratorIds()))
        ->type_name("ID");
    command->add_option("--model", arguments->bound.model, "Model of the table (--list)")
        ->check(known("model", servedModelIds()))
        ->type_name("ID");
    command->add_option("--devices", arguments->devices, "How many devices; default: 1")->check(positive);
    command->add_option("--bytes-per-param", arguments->bound.bytesPerParam,
                        "2 for BF16, 1 for FP8, 0.56 for FP4; default: as the model is published")
        ->check(positive);
    command->add_option("--bandwidth-gb-per-s", arguments->bound.bandwidthGbPerS, "Of one device, in place of the table")
        ->check(positive);
    command->add_option("--peak-tflops", arguments->bound.peakTflops, "Of one device, in place of the table")
        ->check(positive);
    command->add_option("--active-params", arguments->bound.activeParams, "Parameters that a token reads, in place of the table")
        ->check(positive);
    command->add_option("--kv-bytes-per-token", arguments->bound.kvBytesPerToken,
                        "Keys and values kept of a token, in place of the table")
        ->check(positive);
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
