// SPDX-License-Identifier: GPL-3.0-or-later
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <CLI/CLI.hpp>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/event_loop.h"
#include "sim/server.h"

using namespace tailmark;

namespace {

/// Where profiles are looked for: installed, beside the binary, in the source tree.
std::vector<std::filesystem::path> profileFolders()
{
    std::error_code error;
    const auto binary = std::filesystem::read_symlink("/proc/self/exe", error);
    std::vector<std::filesystem::path> folders;
    if (!error) {
        folders.push_back(binary.parent_path().parent_path() / "share" / "tailmark" / "sim");
        folders.push_back(binary.parent_path() / "sim");
    }
    folders.emplace_back(TAILMARK_SIM_SOURCE_PROFILES);
    return folders;
}

int usageError(const std::string& line)
{
    std::fprintf(stderr, "tailmark-sim: %s\n", line.c_str());
    return 2;
}

/// What the command line says in place of the profile.
struct Overrides
{
    std::string model;
    std::optional<int> maxNumSeqs;
    std::optional<int> maxNumBatchedTokens;
    std::optional<std::int64_t> kvTokens;
    std::optional<int> maxModelLen;
    std::optional<int> speculativeTokens;
    std::optional<double> acceptance;
    std::optional<double> naturalMean;
    bool noPrefixCache = false;
};

Status apply(const Overrides& overrides, sim::Profile& profile)
{
    if (!overrides.model.empty())
        profile.model = overrides.model;
    profile.maxNumSeqs = overrides.maxNumSeqs.value_or(profile.maxNumSeqs);
    profile.maxNumBatchedTokens = overrides.maxNumBatchedTokens.value_or(profile.maxNumBatchedTokens);
    profile.kvCapacityTokens = overrides.kvTokens.value_or(profile.kvCapacityTokens);
    if (overrides.kvTokens)
        profile.maxModelLen =
            static_cast<int>(std::min<std::int64_t>(profile.maxModelLen, usableKvTokens(profile)));
    profile.maxModelLen = overrides.maxModelLen.value_or(profile.maxModelLen);
    profile.speculative.tokens = overrides.speculativeTokens.value_or(profile.speculative.tokens);
    profile.speculative.acceptance = overrides.acceptance.value_or(profile.speculative.acceptance);
    profile.naturalOutput.mean = overrides.naturalMean.value_or(profile.naturalOutput.mean);
    profile.prefixCache = profile.prefixCache && !overrides.noPrefixCache;
    return checkProfile(profile, "profile " + profile.name + " with the command line's settings");
}

std::string shellWord(const std::string& word)
{
    const bool plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                               "0123456789-_./:@,=+") == std::string::npos;
    if (plain)
        return word;
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

/// The options that make the engine what it is; not where it listens and what it logs.
std::string startOptions(const CLI::App& app)
{
    std::string text;
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_single_name();
        if (option->count() == 0 || name == "host" || name == "port" || name == "truth" || name == "exit-with-parent")
            continue;
        const bool flag = option->get_expected_max() == 0;
        for (const std::string& value : option->results())
            text += (text.empty() ? "--" : " --") + name + (flag ? std::string() : " " + shellWord(value));
    }
    return text;
}

void raiseDescriptorLimit()
{
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("A simulated LLM serving engine behind an OpenAI-compatible HTTP server: continuous "
                 "batching, KV cache "
                 "and step times as of a real engine, without a model. Prints its base URL when ready.",
                 "tailmark-sim");
    std::string profileName = "8b-h100";
    sim::ServerOptions options;
    Overrides overrides;
    std::vector<std::string> faultTexts;
    bool listProfiles = false;
    bool exitWithParent = false;
    app.set_version_flag("--version", std::string("tailmark-sim " TAILMARK_VERSION));
    app.add_option("--profile", profileName, "Engine profile: a name of --list-profiles or a JSON file")
        ->capture_default_str();
    app.add_flag("--list-profiles", listProfiles, "List the profiles and exit");
    app.add_option("--host", options.host, "Address to bind")->capture_default_str();
    app.add_option("--port", options.port, "Port to bind; 0 takes any free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    app.add_option("--model", overrides.model, "Model name to serve");
    app.add_option("--lora", options.adapters,
                   "Name of a LoRA adapter to serve beside the model; may be repeated")
        ->allow_extra_args(false);
    app.add_option("--max-num-seqs", overrides.maxNumSeqs, "Requests computed at once");
    app.add_option("--max-num-batched-tokens", overrides.maxNumBatchedTokens, "Token budget of one step");
    app.add_option("--kv-tokens", overrides.kvTokens, "KV cache capacity in tokens");
    app.add_option("--max-model-len", overrides.maxModelLen,
                   "Longest prompt and output together, in tokens; at most the KV cache");
    app.add_option("--max-queue", options.maxQueue,
                   "Waiting requests beyond which 429 is answered; 0 = unbounded")
        ->check(CLI::Range(0, 100'000'000))
        ->capture_default_str();
    app.add_flag("--no-prefix-cache", overrides.noPrefixCache, "Switch the prefix cache off");
    bool noTokenizer = false;
    bool noCachedTokens = false;
    app.add_flag("--no-tokenizer", noTokenizer, "Have no /tokenize");
    app.add_flag("--no-cached-tokens", noCachedTokens,
                 "Leave cached tokens out of the usage, as vLLM does without --enable-prompt-tokens-details");
    app.add_option("--speculative-tokens", overrides.speculativeTokens,
                   "Draft tokens per step; 0 = no speculation");
    app.add_option("--acceptance", overrides.acceptance, "Probability that a draft token is accepted");
    app.add_option("--natural-mean", overrides.naturalMean,
                   "Mean length, in tokens, at which answers stop of themselves");
    app.add_option("--seed", options.seed, "Seed of jitter, answers, acceptance and faults")
        ->capture_default_str();
    app.add_option("--truth", options.truthFile, "Write the truth of every request to this CSV file");
    double startupDelayS = 0;
    app.add_option("--startup-delay", startupDelayS,
                   "Seconds before the port is bound, as while an engine loads its model; --fault slow-start:SECONDS "
                   "answers 503 from then on")
        ->check(CLI::Range(0.0, 86'400.0));
    app.add_option("--cold-penalty-ms", options.coldPenaltyMs,
                   "What the first request takes longer to its first token; each further one half as much as the one "
                   "before it")
        ->check(CLI::Range(0.0, 3'600'000.0));
    app.add_option("--fault", faultTexts,
                   "KIND[:PARAM]@SHARE: status:CODE, stall:SECONDS, hang, cut:CHUNKS, error:CHUNKS, garbage, "
                   "no-usage for "
                   "this share of the requests; slow-start:SECONDS")
        ->allow_extra_args(false);
    app.add_flag("--exit-with-parent", exitWithParent, "End when standard input closes");
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        return usageError(error.what());
    }

    if (listProfiles) {
        for (const sim::Profile& profile : sim::listProfiles(profileFolders()))
            std::printf("%-12s %s\n", profile.name.c_str(), profile.description.c_str());
        return 0;
    }
    auto profile = sim::loadProfile(profileName, profileFolders());
    if (!profile)
        return usageError(profile.error().line());
    options.profile = std::move(profile).value();
    options.profileAsNamed = options.profile;
    options.startedWith = startOptions(app);
    if (const Status status = apply(overrides, options.profile); !status)
        return usageError(status.error().line());
    for (const std::string& text : faultTexts) {
        const auto fault = sim::parseFault(text);
        if (!fault)
            return usageError(fault.error().line());
        options.faults.push_back(fault.value());
    }

    options.tokenizer = !noTokenizer;
    options.cachedTokens = !noCachedTokens;

    raiseDescriptorLimit();
    prctl(PR_SET_TIMERSLACK, 1UL); // steps end when they should, not 50 µs later
    std::signal(SIGPIPE, SIG_IGN);
    std::this_thread::sleep_for(std::chrono::duration<double>(startupDelayS));
    auto server = sim::Server::create(options);
    if (!server) {
        const Error& error = server.error();
        std::fprintf(stderr, "tailmark-sim: %s\n", error.line().c_str());
        return error.code == ErrorCode::BadInput ? 2 : 1;
    }
    sim::Server& engine = *server.value();
    engine.loop().onTerminate([&engine] { engine.stop(); });
    if (exitWithParent && !engine.loop().onEndOfFile(STDIN_FILENO, [&engine] { engine.stop(); }))
        return usageError("--exit-with-parent needs a pipe as standard input");
    std::printf("%s\n", engine.baseUrl().c_str());
    std::fflush(stdout);
    engine.run();
    return 0;
}
