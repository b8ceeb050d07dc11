// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/claim.h"

#include "analysis/metrics.h"
#include "analysis/text.h"
#include "base/percentile_text.h"

#include <charconv>
#include <cmath>
#include <regex>

namespace tailmark {

namespace {

// A number as people write it, and what may follow it: "8,400", "8.4k", "1.2 million".
#define NUMBER R"((\d[\d,_']*(?:\.\d+)?)\s*(k|m|million|thousand)?)"

std::regex pattern(const char* text)
{
    return std::regex(text, std::regex::icase | std::regex::ECMAScript);
}

std::optional<double> numberOf(const std::string& digits, const std::string& factor)
{
    std::string plain;
    for (const char c : digits) {
        if (c != ',' && c != '_' && c != '\'')
            plain += c;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    if (error != std::errc() || !std::isfinite(value))
        return std::nullopt;
    if (factor.empty())
        return value;
    return value * (factor[0] == 'k' || factor[0] == 'K' || factor[0] == 't' || factor[0] == 'T' ? 1e3 : 1e6);
}

/// The number of the first match, whose groups are its digits and its factor.
std::optional<double> find(const std::string& text, const std::regex& what)
{
    std::smatch match;
    return std::regex_search(text, match, what) ? numberOf(match[1], match[2]) : std::nullopt;
}

void readThroughput(const std::string& text, Claim& claim)
{
    static const std::regex kTokens = pattern(
        NUMBER R"(\s*(?:(?:output|generated|decode)\s+)?(?:(?:tokens?|toks?)\s*(?:/|per)\s*(?:seconds?|sec|s)\b|tps\b|t/s\b))"
               R"(\s*(?:/|per|each)?\s*(gpus?|devices?|accelerators?|chips?|cards?|users?|streams?|requests?)?)");
    std::smatch match;
    if (!std::regex_search(text, match, kTokens))
        return;
    claim.tokensPerS = numberOf(match[1], match[2]);
    const std::string of = match[3];
    if (!of.empty())
        claim.of = std::string("usrUSR").find(of[0]) != std::string::npos ? Claim::Of::User : Claim::Of::Device;
}

void readLatencies(const std::string& text, Claim& claim)
{
    static const std::regex kLatency = pattern(
        R"((?:p(\d+(?:\.\d+)?)|(median))?\s*(ttft|time to first token|tpot|itl|inter-token latency|e2e|end-to-end|latency))"
        R"((?:\s*\(?p(\d+(?:\.\d+)?)\)?)?[^\d]{0,24}?(\d[\d,]*(?:\.\d+)?)\s*(ms|milliseconds|s|seconds?)\b)");
    for (std::sregex_iterator it(text.begin(), text.end(), kLatency), end; it != end; ++it) {
        const std::smatch& match = *it;
        const std::string name = match[3];
        const char first = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
        const bool perToken = name.size() > 1 && (first == 'i' || std::tolower(name[1]) == 'p');
        Claim::Latency latency;
        latency.metric = first == 't' && !perToken ? "ttft_ms" : perToken ? "tpot_ms" : "e2e_ms";
        latency.percentile = match[2].matched ? 50
                             : match[1].matched ? *numberOf(match[1], "")
                             : match[4].matched ? *numberOf(match[4], "")
                                                : 0;
        latency.ms = *numberOf(match[5], "") * (match[6].str()[0] == 'm' || match[6].str()[0] == 'M' ? 1 : 1000);
        claim.latencies.push_back(std::move(latency));
    }
}

} // namespace

Claim parseClaim(const std::string& whole)
{
    constexpr std::size_t kMostRead = 2000; // the expressions work by recursion
    const std::string text = whole.substr(0, kMostRead);
    static const std::regex kRequests =
        pattern(NUMBER R"(\s*(?:(?:requests?|reqs?)\s*(?:/|per)\s*(?:seconds?|sec|s)\b|rps\b|qps\b))");
    static const std::regex kConcurrencyBefore =
        pattern(R"((?:concurrency|batch(?:\s+size)?|in\s+flight|parallelism)\s*(?:of|=|:|is)?\s*)" NUMBER);
    static const std::regex kConcurrencyAfter = pattern(
        NUMBER
        R"(\s*(?:concurrent|parallel|simultaneous|in\s+flight|users?\b|streams?\b|clients?\b|sequences?\b|workers?\b))");
    static const std::regex kDevices = pattern(
        NUMBER
        R"(\s*(?:x|×)?\s*(?:gpus?\b|devices?\b|accelerators?\b|cards?\b|(?:nvidia\s+|amd\s+)?(?:h100|h200|a100|b200|gb200|l4\b|l40s|a10|mi300x|rtx)))");
    static const std::regex kPrompt =
        pattern(NUMBER R"((?:[\s-]*tokens?)?[\s-]*(?:in(?:put)?\b|prompts?\b|isl\b)(?!\s*flight))");
    static const std::regex kOutput =
        pattern(NUMBER R"((?:[\s-]*tokens?)?[\s-]*(?:out(?:put)?\b|completions?\b|osl\b)(?!\s+tok\w*\s*(?:/|per\b)))");
    Claim claim;
    readThroughput(text, claim);
    claim.requestsPerS = find(text, kRequests);
    claim.concurrency = find(text, kConcurrencyBefore);
    if (!claim.concurrency)
        claim.concurrency = find(text, kConcurrencyAfter);
    claim.devices = find(text, kDevices);
    claim.promptTokens = find(text, kPrompt);
    claim.outputTokens = find(text, kOutput);
    readLatencies(text, claim);
    return claim;
}

std::string claimText(const Claim& claim)
{
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (claim.tokensPerS)
        add(figureText(*claim.tokensPerS) + " tok/s" +
            (claim.of == Claim::Of::Device ? " per device"
             : claim.of == Claim::Of::User ? " per user"
                                           : ""));
    if (claim.requestsPerS)
        add(figureText(*claim.requestsPerS) + " requests/s");
    if (claim.concurrency)
        add(figureText(*claim.concurrency) + " in flight");
    if (claim.devices)
        add(figureText(*claim.devices) + (*claim.devices == 1 ? " device" : " devices"));
    if (claim.promptTokens)
        add(figureText(*claim.promptTokens) + " prompt tokens");
    if (claim.outputTokens)
        add(figureText(*claim.outputTokens) + " output tokens");
    for (const Claim::Latency& latency : claim.latencies) {
        const auto metric = metricFromId(latency.metric);
        add((latency.percentile > 0 ? percentileText(latency.percentile) + " " : "") +
            std::string(metric ? metricInfo(*metric).abbreviation : latency.metric) + " " +
            durationText(latency.ms));
    }
    return text;
}

} // namespace tailmark
