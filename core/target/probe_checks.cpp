// SPDX-License-Identifier: GPL-3.0-or-later
#include "target/probe_checks.h"

#include "target/error_text.h"

#include <charconv>

namespace tailmark {

namespace {

/// A chat template of one message is no longer than this; beyond it the words themselves are more than a
/// token each.
constexpr int kLongestTemplate = 96;
/// What a completion may add: the token that begins a text, and one for a first blank.
constexpr int kCompletionExtra = 2;
/// Hardly any token is longer than this many bytes.
constexpr std::size_t kLongestToken = 32;

std::string number(int value)
{
    return std::to_string(value);
}

ProbeCheck passed(const char* id, std::string text)
{
    return {id, CheckState::Passed, std::move(text), false};
}

ProbeCheck failed(const char* id, std::string text)
{
    return {id, CheckState::Failed, std::move(text), true};
}

ProbeCheck modelName(const ProbeAnswer& answer, const std::string& model)
{
    if (answer.model.empty())
        return {"model_name", CheckState::Unknown, "the answer names no model", false};
    const std::string asked = plainLine(model);
    if (answer.model == asked)
        return passed("model_name", "the answer is from " + answer.model + ", as asked");
    if (answer.model.starts_with(asked + '-'))
        return passed("model_name",
                      "the answer is from " + answer.model + ", what " + asked + " stands for today");
    return failed("model_name", "asked " + asked + ", the answer is from " + answer.model +
                                    ": another name, or another model");
}

ProbeCheck usage(const RequestRecord& record)
{
    if (record.promptTokens < 0 && record.outputTokens < 0)
        return failed("usage", "no usage reported: token counts and rates will be unknown");
    if (record.promptTokens < 0 || record.outputTokens < 0)
        return failed("usage", std::string("the server reports no ") +
                                   (record.promptTokens < 0 ? "prompt tokens" : "output tokens") +
                                   ": they will be unknown");
    return passed("usage", "the server reports " + number(record.promptTokens) + " prompt and " +
                               number(record.outputTokens) + " output tokens");
}

ProbeCheck promptTokens(const ProbeAnswer& answer, Api api)
{
    const int reported = answer.record.promptTokens;
    const std::string planned = number(answer.promptWords);
    if (reported < 0)
        return {"prompt_tokens", CheckState::Unknown, "the server's count of a prompt is not known", false};
    const int extra = templateTokens(answer);
    const bool near = extra >= 0 && (api == Api::Chat || extra <= kCompletionExtra);
    if (!near)
        return failed("prompt_tokens", "a prompt planned as " + planned + " tokens is " + number(reported) +
                                           " by the server's count: prompt lengths will be off");
    return passed("prompt_tokens", "planned " + planned + ", reported " + number(reported) +
                                       (api == Api::Chat ? ": the chat template adds " + number(extra) : ""));
}

ProbeCheck outputTokens(const ProbeAnswer& answer, const Workload& workload)
{
    const int reported = answer.record.outputTokens;
    const std::string asked = number(answer.outputTokens);
    if (answer.record.outcome == Outcome::NoContent)
        return failed("output_tokens", "the test request ended properly without any generated token");
    if (reported < 0)
        return {"output_tokens", CheckState::Unknown, "the server's count of an answer is not known", false};
    const bool forced = workload.output == OutputPolicy::Forced && answer.body.ignoreEos;
    if (reported > answer.outputTokens)
        return failed("output_tokens", "asked for at most " + asked + " output tokens, the server reports " +
                                           number(reported) + ": it does not keep to " +
                                           answer.body.maxTokensField);
    if (forced && reported != answer.outputTokens)
        return failed("output_tokens", "asked for exactly " + asked + " output tokens, the server reports " +
                                           number(reported) + ": output lengths are not forced");
    return passed("output_tokens", std::string("asked for ") + (forced ? "exactly " : "at most ") + asked +
                                       ", reported " + number(reported));
}

/// Some servers send the whole text so far in place of what is new.
bool repeatsItself(const std::vector<std::string>& texts)
{
    for (std::size_t i = 1; i < texts.size(); ++i)
        if (texts[i].size() <= texts[i - 1].size() || !texts[i].starts_with(texts[i - 1]))
            return false;
    return texts.size() >= 3;
}

ProbeCheck stream(const ProbeAnswer& answer)
{
    std::size_t bytes = 0;
    for (const std::string& text : answer.texts)
        bytes += text.size();
    const RequestRecord& record = answer.record;
    if (repeatsItself(answer.texts))
        return failed("stream",
                      "each event of the stream repeats the text so far: what is new in it is not told");
    if (record.outputTokens > 0 &&
        bytes > kLongestToken * (static_cast<std::size_t>(record.outputTokens) + 1))
        return failed("stream", "the answer is " + std::to_string(bytes) + " bytes of text for " +
                                    number(record.outputTokens) +
                                    " tokens by the server's count: it repeats text, or the count is wrong");
    if (record.malformedEvents > 0)
        return failed("stream", number(static_cast<int>(record.malformedEvents)) +
                                    " events of the stream are no JSON; they are passed over");
    return passed("stream", number(static_cast<int>(record.tokenEvents)) + " events with tokens" +
                                (record.doneSeen ? "" : ", no [DONE] at the end"));
}

ProbeCheck cachedTokens(const RequestRecord& record, const Workload& workload, const EngineProfile& profile)
{
    if (record.cachedTokens >= 0)
        return passed("cached_tokens", "told with each answer: " + number(record.cachedTokens) + " of " +
                                           number(record.promptTokens) +
                                           " prompt tokens came from the cache");
    std::string text = "the server does not tell how much of a prompt came from its cache";
    if (!profile.cache.cachedHint.empty())
        text += (profile.cache.absentIsZero ? ", or it was none" : "") + std::string(" (") + profile.title +
                " tells it with " + profile.cache.cachedHint + ")";
    const bool stated = workload.cache != CachePolicy::AsIs;
    if (stated)
        text += ": the stated cache state cannot be proved by it";
    return {"cached_tokens", CheckState::Unknown, text, stated};
}

/// What a proxy says it did besides passing on: 0 = nothing, absent = it says nothing.
int headerCount(const ProbeAnswer& answer, const char* name)
{
    const auto it = answer.headers.find(name);
    int value = 0;
    if (it != answer.headers.end())
        std::from_chars(it->second.data(), it->second.data() + it->second.size(), value);
    return value;
}

void proxy(const ProbeAnswer& answer, std::vector<ProbeCheck>& checks)
{
    const auto has = [&](const char* name) { return answer.headers.contains(name); };
    if (headerCount(answer, "x-litellm-attempted-retries") > 0 ||
        headerCount(answer, "x-litellm-attempted-fallbacks") > 0)
        checks.push_back(failed("proxy",
                                "the proxy tried the test request again or elsewhere: its retries and "
                                "fallbacks must be off, or failures and times are not the engine's"));
    else if (const auto hit = answer.headers.find("x-cache");
             has("x-litellm-cache-key") || (hit != answer.headers.end() && (hit->second.starts_with("HIT") ||
                                                                            hit->second.starts_with("hit"))))
        checks.push_back(failed("proxy",
                                "a proxy keeps whole answers in a cache of its own: equal requests would "
                                "not reach the engine"));
    else if (has("x-litellm-version") || has("via"))
        checks.push_back(
            passed("proxy", "a proxy is in between (" +
                                (has("via") ? "via: " + answer.headers.at("via")
                                            : "LiteLLM " + answer.headers.at("x-litellm-version")) +
                                "), which says that it did not try again"));
}

} // namespace

const char* checkStateId(CheckState state)
{
    return state == CheckState::Passed ? "passed" : state == CheckState::Failed ? "failed" : "unknown";
}

int templateTokens(const ProbeAnswer& answer)
{
    const int extra = answer.record.promptTokens - answer.promptWords;
    return answer.record.promptTokens >= 0 && extra >= 0 && extra <= kLongestTemplate ? extra : -1;
}

std::vector<ProbeCheck> checkAnswer(const ProbeAnswer& answer, const std::string& model, const Target& target,
                                    const Workload& workload, const EngineProfile& profile)
{
    std::vector<ProbeCheck> checks = {
        modelName(answer, model),       usage(answer.record), promptTokens(answer, target.api),
        outputTokens(answer, workload), stream(answer),       cachedTokens(answer.record, workload, profile),
    };
    proxy(answer, checks);
    return checks;
}

} // namespace tailmark
