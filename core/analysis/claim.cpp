// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/claim.h"

#include "analysis/claim_names.h"
#include "analysis/claim_numbers.h"
#include "analysis/metrics.h"
#include "analysis/text.h"
#include "base/percentile_text.h"
#include "plan/bound_tables.h"

#include <charconv>
#include <regex>

namespace tailmark {

namespace {

#define NUMBER "#(\\d+)#"
/// A word that a number stands before already names that number, not the one behind it.
#define NOT_NAMED "(#\\d+#(?:[\\s-]*tokens?)?[\\s-]*)?\\b"

std::regex pattern(const char* text)
{
    return std::regex(text, std::regex::icase | std::regex::ECMAScript);
}

std::optional<double> percentOf(const std::string& digits)
{
    double percent = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
    return error == std::errc() && end == digits.data() + digits.size() && percent > 0 && percent < 100
               ? std::optional(percent)
               : std::nullopt;
}

class ClaimReader
{
public:
    ClaimReader(NumberedText text, Claim& claim)
        : m_text(std::move(text.text)), m_numbers(std::move(text.numbers)), m_claim(claim)
    {
    }

    void read()
    {
        readThroughput();
        take(m_claim.requestsPerS, "request rate",
             pattern(NUMBER R"(\s*(?:(?:requests?|reqs?)\s*(?:/|per)\s*(?:seconds?|sec|s)\b|rps\b|qps\b))"), 1);
        readLatencies();
        takeBehind(m_claim.promptTokens, "prompt length",
                   pattern(NOT_NAMED R"((?:isl|input|prompts?)(?:\s+(?:length|len|tokens?))?\s*(?:of|=|:|is)?\s*)" NUMBER));
        take(m_claim.promptTokens, "prompt length",
             pattern(NUMBER R"((?:[\s-]*tokens?)?[\s-]*(?:in(?:put)?|prompt|isl)\b(?!\s*flight))"
                            R"(|#(\d+)#[\s-]*tokens?[\s-]*prompts\b)"),
             1);
        takeBehind(m_claim.outputTokens, "output length",
                   pattern(NOT_NAMED R"((?:osl|output|completions?)(?:\s+(?:length|len|tokens?))?\s*(?:of|=|:|is)?\s*)" NUMBER));
        take(m_claim.outputTokens, "output length",
             pattern(NUMBER R"((?:[\s-]*tokens?)?[\s-]*(?:out(?:put)?|completion|osl)\b)"
                            R"(|#(\d+)#[\s-]*tokens?[\s-]*completions\b)"),
             1);
        takeBehind(m_claim.concurrency, "concurrency",
                   pattern(NOT_NAMED R"((?:concurrency|batch(?:\s+size)?|in\s+flight|parallelism)\s*(?:of|=|:|is)?\s*)" NUMBER));
        take(m_claim.concurrency, "concurrency",
             pattern(NUMBER R"(\s*(?:concurren(?:t|cy)\b|parallel|simultaneous|in\s+flight|users?\b|streams?\b|clients?\b|)"
                            R"(sequences?\b|workers?\b))"),
             1);
        take(m_claim.devices, "number of devices",
             pattern(NUMBER R"(\s*x?\s*(?:gpus?|devices?|accelerators?|chips?|cards?)\b)"
                            R"(|\b(?:gpus?|devices?)\s*x\s*#(\d+)#)"),
             1);
        doubtLatencies();
    }

private:
    /// The number of a group, where it may be taken.
    std::optional<double> valueOf(const std::string& what, const std::string& group)
    {
        const WrittenNumber& number = m_numbers.at(static_cast<std::size_t>(std::stoul(group)));
        if (number.doubt.empty() && number.value > 0)
            return number.value;
        m_claim.doubts.push_back(!number.doubt.empty() ? number.doubt : what + " of " + number.written + ": must be above 0");
        return std::nullopt;
    }

    void keep(std::optional<double>& member, const char* what, const std::string& group)
    {
        const std::optional<double> value = valueOf(what, group);
        if (!value)
            return;
        if (member && *member != *value)
            m_claim.doubts.push_back(std::string(what) + " is told twice, " + figureText(*member) + " and " +
                                     figureText(*value) + "; say one");
        else
            member = value;
    }

    /// Of a match nothing is read twice.
    void consume(const std::smatch& match)
    {
        m_text = match.prefix().str() + ";" + match.suffix().str();
    }

    /// Every number that the pattern names in its group, or in that after the alternative.
    void take(std::optional<double>& member, const char* what, const std::regex& named, std::size_t group)
    {
        std::smatch match;
        while (std::regex_search(m_text, match, named)) {
            keep(member, what, match[group].matched ? match[group] : match[group + 1]);
            consume(std::smatch(match));
        }
    }

    /// The same of numbers that stand behind what they are of.
    void takeBehind(std::optional<double>& member, const char* what, const std::regex& named)
    {
        for (std::size_t from = 0; from < m_text.size();) {
            std::smatch match;
            const std::string rest = m_text.substr(from);
            if (!std::regex_search(rest, match, named))
                return;
            const auto at = static_cast<std::size_t>(match.position(0));
            const auto length = static_cast<std::size_t>(match.length(0));
            if (match[1].matched) { // its word is of the number before it
                from += at + static_cast<std::size_t>(match.length(1)) + 1;
                continue;
            }
            keep(member, what, match[2]);
            m_text.replace(from + at, length, ";");
            from += at;
        }
    }

    void readThroughput()
    {
        static const std::regex kTokens = pattern(
            NUMBER R"(\s*(?:(?:output|generated|decode)\s+)?(?:(?:tokens?|toks?)\s*(?:/|per)\s*(?:seconds?|sec|s)\b|tps\b|t/s\b))"
                   R"(\s*(?:/|per|each)?\s*(gpus?|devices?|accelerators?|chips?|cards?|users?|streams?|requests?)?)");
        std::smatch match;
        while (std::regex_search(m_text, match, kTokens)) {
            const std::string unit = match[2];
            const Claim::Of of = unit.empty()                                                 ? Claim::Of::System
                                 : std::string("usrUSR").find(unit[0]) != std::string::npos ? Claim::Of::User
                                                                                              : Claim::Of::Device;
            if (m_claim.tokensPerS && of != m_claim.of)
                m_claim.doubts.push_back("throughput is told twice, once for each user or device; say one");
            else
                keep(m_claim.tokensPerS, "throughput", match[1]);
            m_claim.of = m_claim.tokensPerS ? of : m_claim.of;
            consume(std::smatch(match));
        }
    }

    /// "250 ms p99 TTFT" and "p99 TTFT of 250 ms". From the left, so that each number goes with the word of its side.
    void readLatencies()
    {
        static const std::regex kLatency = pattern(
            R"(#(\d+)#\s*(ms|milliseconds|s|seconds?)\s+(?:p(\d+(?:\.\d+)?)\s+|(median)\s+|(?:mean|average)\s+)?)"
            R"((ttft|time to first token|tpot|itl|inter-token latency|e2e|end-to-end|latency)\b)"
            R"((?:\s+(?:at\s+)?\(?p(\d+(?:\.\d+)?)\)?)?)"
            R"(|(?:\bp(\d+(?:\.\d+)?)|\b(median)|\b(?:mean|average))?\s*)"
            R"(\b(ttft|time to first token|tpot|itl|inter-token latency|e2e|end-to-end|latency))"
            R"((?:[\s,]*(?:at\s+)?\(?p(\d+(?:\.\d+)?)\)?)?[^\d#;]{0,24}?#(\d+)#\s*(ms|milliseconds|s|seconds?)\b)");
        std::smatch match;
        while (std::regex_search(m_text, match, kLatency)) {
            if (match[1].matched)
                keepLatency(match[5], match[3].matched ? match[3] : match[6], match[4].matched, match[1], match[2]);
            else
                keepLatency(match[9], match[7].matched ? match[7] : match[10], match[8].matched, match[11], match[12]);
            consume(std::smatch(match));
        }
    }

    void keepLatency(const std::string& name, const std::string& percentile, bool median, const std::string& number,
                     const std::string& unit)
    {
        const auto lower = [&](std::size_t i) { return std::tolower(static_cast<unsigned char>(name[i])); };
        const bool perToken = lower(0) == 'i' || lower(1) == 'p';
        const std::optional<double> percent = median ? 50 : percentile.empty() ? 0 : percentOf(percentile);
        if (!percent)
            m_claim.doubts.push_back("p" + percentile + " is no percentile; it must be above 0 and below 100");
        const std::optional<double> time = valueOf("latency", number);
        if (percent && time)
            m_claim.latencies.push_back({lower(0) == 't' && !perToken ? "ttft_ms" : perToken ? "tpot_ms" : "e2e_ms", *percent,
                                         *time * (unit[0] == 'm' || unit[0] == 'M' ? 1 : 1000)});
    }

    /// A number beside the word that nothing took: two in one, or without a unit.
    void doubtLatencies()
    {
        static const std::regex kLeft = pattern(
            R"(\b(ttft|time to first token|tpot|itl|inter-token latency|e2e|end-to-end|latency)\b)"
            R"((?:[\s=:<>~/]|of|is|at|under|below|p\d+)*#\d+#)");
        std::smatch match;
        if (std::regex_search(m_text, match, kLeft))
            m_claim.doubts.push_back("what is said of " + match[1].str() +
                                     " is not understood; say each like p99 TTFT 250 ms");
    }

    std::string m_text;
    std::vector<WrittenNumber> m_numbers;
    Claim& m_claim;
};

} // namespace

Claim parseClaim(const std::string& whole)
{
    constexpr std::size_t kMostRead = 2000; // the expressions work by recursion
    ClaimNames names = takeNames(whole.substr(0, kMostRead));
    Claim claim;
    claim.accelerator = std::move(names.accelerator);
    claim.model = std::move(names.model);
    claim.bytesPerParam = names.bytesPerParam;
    claim.acceleratorRemark = std::move(names.acceleratorRemark);
    claim.doubts = std::move(names.doubts);
    ClaimReader(takeNumbers(names.text), claim).read();
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
    if (const Accelerator* device = findAccelerator(claim.accelerator))
        add(device->name);
    if (const ServedModel* model = findServedModel(claim.model))
        add(model->name);
    if (claim.bytesPerParam)
        add(figureText(*claim.bytesPerParam) + (*claim.bytesPerParam == 1 ? " byte" : " bytes") + " per parameter");
    return text;
}

} // namespace tailmark
