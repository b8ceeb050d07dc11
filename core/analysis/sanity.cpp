// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sanity.h"

#include "analysis/comparison.h"
#include "analysis/text.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

using Kind = SanityFinding::Kind;

constexpr double kGiga = 1e9;
constexpr double kFlopsPerParam = 2;

struct Desk
{
    const Claim& claim;
    BoundFigures figures;
    std::optional<double> total;   ///< output tok/s of the whole system
    std::optional<double> batch;   ///< in flight
    std::optional<double> perUser; ///< tok/s
    double context = 0;
    bool contextKnown = false;
    std::vector<SanityFinding> findings;

    void add(Kind kind, const char* topic, std::string text, std::vector<SanityFigure> values = {})
    {
        findings.push_back({kind, topic, std::move(text), std::move(values)});
    }
};

double devicesOf(const Claim& claim, const BoundFigures& figures)
{
    return claim.devices.value_or(figures.devices);
}

void findTotals(Desk& d)
{
    const Claim& c = d.claim;
    d.batch = c.concurrency;
    if (c.tokensPerS && c.of == Claim::Of::User) {
        d.perUser = c.tokensPerS;
        if (d.batch)
            d.total = *c.tokensPerS * *d.batch;
    } else if (c.tokensPerS) {
        const double devices = c.of == Claim::Of::Device ? d.figures.devices : 1;
        d.total = *c.tokensPerS * devices;
        if (devices > 1)
            d.add(Kind::Derived, "total",
                  figureText(*c.tokensPerS) + " tok/s per device x " + figureText(devices) + " devices = " +
                      figureText(*d.total) + " tok/s in all",
                  {{"output_tokens_per_s", *d.total}});
    } else if (c.requestsPerS && c.outputTokens) {
        d.total = *c.requestsPerS * *c.outputTokens;
        d.add(Kind::Derived, "total",
              figureText(*c.requestsPerS) + " requests/s x " + figureText(*c.outputTokens) + " output tokens = " +
                  figureText(*d.total) + " tok/s",
              {{"output_tokens_per_s", *d.total}});
    }
    if (d.total && d.batch && *d.batch > 0 && !d.perUser)
        d.perUser = *d.total / *d.batch;
    d.contextKnown = c.promptTokens || c.outputTokens;
    d.context = c.promptTokens.value_or(0) + c.outputTokens.value_or(0) / 2;
}

void checkPerUser(Desk& d)
{
    if (!d.perUser || *d.perUser <= 0)
        return;
    const double tpot = 1000 / *d.perUser;
    std::string text;
    if (d.total && d.batch)
        text = figureText(*d.total) + " tok/s / " + figureText(*d.batch) + " in flight = ";
    d.add(Kind::Derived, "per_user",
          text + figureText(*d.perUser) + " tok/s for each user, a token every " + figureText(tpot) +
              " ms with the wait for the first one spread over them",
          {{"output_tokens_per_s_user", *d.perUser}, {"tpot_ms", tpot}});
}

/// Little's law on the claim: requests/s, and the time that one takes from end to end.
void checkLittle(Desk& d)
{
    const Claim& c = d.claim;
    std::optional<double> requests = c.requestsPerS;
    if (!requests && d.total && c.outputTokens && *c.outputTokens > 0) {
        requests = *d.total / *c.outputTokens;
        d.add(Kind::Derived, "requests",
              figureText(*d.total) + " tok/s / " + figureText(*c.outputTokens) + " output tokens = " +
                  figureText(*requests) + " requests/s",
              {{"requests_per_s", *requests}});
    }
    const auto e2e = std::ranges::find(c.latencies, std::string("e2e_ms"), &Claim::Latency::metric);
    if (requests && d.batch && *requests > 0) {
        const double response = *d.batch / *requests;
        std::string text = "Little: " + figureText(*d.batch) + " in flight / " + figureText(*requests) +
                           " requests/s = " + figureText(response) + " s from end to end on average";
        const bool atOdds = e2e != c.latencies.end() && e2e->percentile <= 50 &&
                            std::abs(e2e->ms / 1000 / response - 1) > 0.25;
        if (atOdds)
            text += ", against the claimed " + durationText(e2e->ms) +
                    ": unless the latencies are very uneven the three figures are not of one test";
        d.add(atOdds ? Kind::Condition : Kind::Derived, "little", std::move(text), {{"e2e_ms", response * 1000}});
    } else if (requests && e2e != c.latencies.end() && !d.batch) {
        const double inFlight = *requests * e2e->ms / 1000;
        d.batch = inFlight;
        d.add(Kind::Derived, "little",
              "Little: " + figureText(*requests) + " requests/s x " + durationText(e2e->ms) + " = " +
                  figureText(inFlight) + " in flight",
              {{"concurrency", inFlight}});
    }
}

std::string assumptionText(const Desk& d)
{
    std::string text = d.figures.accelerator.empty() ? std::string() : d.figures.accelerator;
    if (!d.figures.model.empty())
        text += (text.empty() ? "" : ", ") + d.figures.model;
    for (const std::string& assumption : d.figures.assumptions)
        text += (text.empty() ? "" : "; ") + assumption;
    text += d.contextKnown ? "" : "; no context, as no lengths are told";
    return text.empty() ? text : " (" + text + ")";
}

void checkBoundAtBatch(Desk& d)
{
    const double bandwidth = *bandwidthBound(d.figures, *d.batch, d.context);
    const std::optional<double> compute = computeBound(d.figures);
    const bool byCompute = compute && *compute < bandwidth;
    const double bound = byCompute ? *compute : bandwidth;
    const double fraction = *d.total / bound;
    const BoundStanding standing = boundStandingOf(fraction);
    d.add(standing == BoundStanding::Impossible ? Kind::Impossible : Kind::Derived, "bound",
          figureText(*d.total) + " tok/s are " + percentText(fraction) + " of the " +
              (byCompute ? "compute" : "bandwidth") + " bound of " + figureText(bound) + " tok/s at batch " +
              figureText(*d.batch) + ": " + boundStandingText(standing) + assumptionText(d),
          {{"bound_tokens_per_s", bound}, {"fraction", fraction}});
    if (standing == BoundStanding::Impossible)
        d.add(Kind::Condition, "bound",
              "For it to be true several tokens must come of one pass (speculative decoding), answers or shared "
              "prefixes from a cache, fewer bytes per parameter or more devices than taken here; else the tokens are "
              "counted wrongly, for instance prompt tokens among them");
}

/// The smallest batch whose bound reaches `tokensPerS`; absent where none does.
std::optional<double> batchFor(const BoundFigures& f, double tokensPerS, double context)
{
    constexpr double kMost = 1 << 20;
    const auto reaches = [&](double batch) { return *bandwidthBound(f, batch, context) >= tokensPerS; };
    if (const auto compute = computeBound(f); compute && *compute < tokensPerS)
        return std::nullopt;
    if (!reaches(kMost))
        return std::nullopt;
    double low = 0;
    double high = kMost;
    while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (middle >= 1 && reaches(middle) ? high : low) = middle;
    }
    return high;
}

void findNeededBatch(Desk& d)
{
    const auto batch = batchFor(d.figures, *d.total, d.context);
    if (!batch) {
        const double most = std::min(computeBound(d.figures).value_or(INFINITY),
                                     d.context > 0 ? *bandwidthBound(d.figures, 1 << 20, d.context) : INFINITY);
        d.add(Kind::Impossible, "bound",
              figureText(*d.total) + " tok/s: no batch gives more than " + figureText(most) + " tok/s" +
                  assumptionText(d),
              {{"bound_tokens_per_s", most}});
        return;
    }
    const double perUser = *d.total / *batch;
    d.add(Kind::Condition, "batch",
          "For " + figureText(*d.total) + " tok/s at least " + figureText(*batch) +
              " sequences must be decoded together, each at " + figureText(perUser) + " tok/s or less (a token every " +
              figureText(1000 / perUser) + " ms or more)" + assumptionText(d),
          {{"batch", *batch}, {"output_tokens_per_s_user", perUser}, {"tpot_ms", 1000 / perUser}});
    if (!d.batch)
        d.batch = batch;
}

void checkMemory(Desk& d)
{
    const BoundFigures& f = d.figures;
    if (f.memoryGb <= 0 || f.totalWeightBytes <= 0)
        return;
    const double memory = f.memoryGb * kGiga * f.devices;
    const double left = memory - f.totalWeightBytes;
    const std::string weights = figureText(f.totalWeightBytes / kGiga) + " GB of weights";
    if (left <= 0) {
        d.add(Kind::Impossible, "memory",
              weights + " do not fit in " + figureText(memory / kGiga) + " GB: more devices, or fewer bytes per parameter");
        return;
    }
    const double kept = d.batch.value_or(0) * kvBytes(f, d.context);
    if (kept <= 0)
        return;
    const bool fits = kept <= left;
    d.add(fits ? Kind::Derived : Kind::Impossible, "memory",
          figureText(*d.batch) + " sequences of " + figureText(d.context) + " tokens keep " + figureText(kept / kGiga) +
              " GB of keys and values; beside " + weights + " there are " + figureText(left / kGiga) + " GB" +
              (fits ? "" : ": fewer run at once, and the others wait"),
          {{"kv_gb", kept / kGiga}, {"free_gb", left / kGiga}});
}

/// Reading the prompts takes arithmetic that the bound of decoding leaves out.
void checkPrefill(Desk& d)
{
    const BoundFigures& f = d.figures;
    const Claim& c = d.claim;
    if (!c.promptTokens || !c.outputTokens || *c.outputTokens <= 0 || !d.total || !computeBound(f))
        return;
    const double promptPerS = *d.total / *c.outputTokens * *c.promptTokens;
    const double share = (promptPerS + *d.total) / *computeBound(f);
    const bool possible = share <= 1.005;
    d.add(possible ? Kind::Derived : Kind::Impossible, "prefill",
          "With " + figureText(*c.promptTokens) + " prompt tokens for " + figureText(*c.outputTokens) +
              " output tokens the prompts come at " + figureText(promptPerS) +
              " tok/s; both together take " + percentText(share) + " of the peak arithmetic" +
              (possible ? "" : ", unless most prompt tokens come from the prefix cache"),
          {{"prompt_tokens_per_s", promptPerS}, {"compute_share", share}});
}

/// Between the quickest step of this batch and the time that Little's law leaves.
void checkFirstToken(Desk& d)
{
    const BoundFigures& f = d.figures;
    const Claim& c = d.claim;
    if (c.promptTokens && computeBound(f)) {
        const double ms = *c.promptTokens / *computeBound(f) * 1000;
        d.add(Kind::Derived, "first_token",
              "A prompt of " + figureText(*c.promptTokens) + " tokens takes at least " + durationText(ms) +
                  " to read by itself",
              {{"ttft_min_ms", ms}});
    }
    if (!d.perUser || !c.outputTokens || *c.outputTokens < 2 || !d.batch)
        return;
    const double e2e = *c.outputTokens / *d.perUser * 1000;
    const auto tpot = std::ranges::find(c.latencies, std::string("tpot_ms"), &Claim::Latency::metric);
    const bool told = tpot != c.latencies.end() && tpot->percentile <= 50;
    const auto bound = bandwidthBound(f, *d.batch, d.context);
    if (!told && !bound)
        return;
    const double step = told ? tpot->ms : *d.batch / *bound * 1000;
    const double first = e2e - (*c.outputTokens - 1) * step;
    if (first < 0) {
        if (told)
            d.add(Kind::Impossible, "first_token",
                  figureText(*c.outputTokens) + " tokens every " + figureText(step) + " ms take longer than the " +
                      durationText(e2e) + " that an answer has at this throughput and concurrency");
        return;
    }
    d.add(Kind::Derived, "first_token",
          "An answer takes " + durationText(e2e) + "; with a token every " + figureText(step) + " ms" +
              (told ? "" : " (the bound)") + " the first one comes after " + (told ? "" : "at most ") +
              durationText(first) + " on average",
          {{"e2e_ms", e2e}, {"ttft_ms", first}});
}

void findMissing(Desk& d)
{
    const Claim& c = d.claim;
    const std::string figure = d.total       ? figureText(*d.total) + " tok/s"
                               : d.perUser   ? figureText(*d.perUser) + " tok/s"
                               : c.requestsPerS ? figureText(*c.requestsPerS) + " requests/s"
                                                : std::string("the figure");
    if (c.latencies.empty())
        d.add(Kind::Missing, "latency",
              "No latency is named: a peak without one is not a capacity. At which p99 TTFT are " + figure + " had?");
    else if (std::ranges::none_of(c.latencies, [](const Claim::Latency& l) { return l.percentile >= 90; }))
        d.add(Kind::Missing, "latency", "Only means or medians are named: ask for the p99");
    if (!c.concurrency && !c.requestsPerS)
        d.add(Kind::Missing, "concurrency",
              "No concurrency and no request rate is named: throughput at batch 1 and at batch 128 are different "
              "measurements");
    if (!c.promptTokens || !c.outputTokens)
        d.add(Kind::Missing, "lengths", "Prompt and output lengths are not told: one pair of short fixed lengths flatters");
    if (c.tokensPerS)
        d.add(Kind::Condition, "counting",
              "It must count useful output tokens alone, over the wall clock: not prompt tokens, not rejected drafts, "
              "not a mean or a sum of rates");
    d.add(Kind::Condition, "cache",
          "Prompts must be as different as those of production: one prompt repeated measures the prefix cache");
}

double sumOf(std::span<const Round> rounds, double Round::*member)
{
    double sum = 0;
    for (const Round& round : rounds)
        sum += round.*member;
    return sum;
}

bool areRounds(std::span<const Round> rounds)
{
    return !rounds.empty() && std::ranges::all_of(rounds, [](const Round& r) { return r.tokens >= 0 && r.seconds > 0; });
}

} // namespace

const char* sanityKindId(SanityFinding::Kind kind)
{
    constexpr const char* kIds[] = {"derived", "missing", "condition", "impossible"};
    return kIds[static_cast<int>(kind)];
}

std::vector<SanityFinding> checkClaim(const Claim& claim, const BoundFigures& figures)
{
    Desk d{claim, figures, {}, {}, {}, 0, false, {}};
    d.figures.devices = devicesOf(claim, figures);
    findTotals(d);
    checkPerUser(d);
    checkLittle(d);
    if (!bandwidthBound(d.figures, 1, d.context)) {
        d.add(Kind::Missing, "hardware",
              "No device and model are stated, so that it cannot be held against what the hardware allows");
    } else if (d.total && *d.total > 0) {
        if (d.batch && *d.batch > 0)
            checkBoundAtBatch(d);
        else
            findNeededBatch(d);
        checkMemory(d);
        checkPrefill(d);
    }
    checkFirstToken(d);
    findMissing(d);
    return std::move(d.findings);
}

std::optional<SanityFinding> closedLoopRate(double users, double responseS, double thinkS)
{
    if (!(users > 0) || !(responseS >= 0) || !(thinkS >= 0) || !(responseS + thinkS > 0))
        return std::nullopt;
    const double rate = users / (responseS + thinkS);
    const std::string sum =
        thinkS > 0 ? "(" + figureText(responseS) + " s + " + figureText(thinkS) + " s of thinking)"
                   : figureText(responseS) + " s";
    return SanityFinding{Kind::Derived, "closed_loop",
                         figureText(users) + " users / " + sum + " = " + figureText(rate) +
                             " requests/s: slower answers lower the load, so that this loop never shows a backlog of its own",
                         {{"requests_per_s", rate}}};
}

std::optional<SanityFinding> backlogGrowth(double offeredPerS, double completedPerS, double seconds)
{
    if (!(offeredPerS > 0) || !(completedPerS > 0) || !(seconds > 0))
        return std::nullopt;
    const double backlog = std::max(0.0, (offeredPerS - completedPerS) * seconds);
    const double wait = backlog / completedPerS;
    std::string text = "(" + figureText(offeredPerS) + "/s offered - " + figureText(completedPerS) + "/s completed) x " +
                       figureText(seconds) + " s = ";
    if (backlog > 0)
        text += figureText(backlog) + " requests waiting; who comes then waits " + figureText(wait) +
                " s before being served, and the wait grows by " +
                figureText((offeredPerS - completedPerS) / completedPerS) +
                " s every second. A bounded queue rejects them instead";
    else
        text += "no backlog: more can be completed than is offered";
    return SanityFinding{Kind::Derived, "backlog", std::move(text), {{"backlog", backlog}, {"wait_s", wait}}};
}

std::optional<SanityFinding> wallClockRate(std::span<const Round> rounds)
{
    if (!areRounds(rounds))
        return std::nullopt;
    const double tokens = sumOf(rounds, &Round::tokens);
    const double seconds = sumOf(rounds, &Round::seconds);
    const double rate = tokens / seconds;
    double mean = 0;
    for (const Round& round : rounds)
        mean += round.tokens / round.seconds / static_cast<double>(rounds.size());
    std::string text = figureText(tokens) + " tokens / " + durationText(seconds * 1000) + " = " + figureText(rate) + " tok/s";
    if (rounds.size() > 1 && rate > 0)
        text += "; the mean of the " + figureText(static_cast<double>(rounds.size())) + " rates is " + figureText(mean) +
                " tok/s, " + percentText(std::abs(mean / rate - 1)) + (mean < rate ? " less" : " more") +
                " than was had: it counts a short round as much as a long one";
    return SanityFinding{Kind::Derived, "wall_clock", std::move(text),
                         {{"output_tokens_per_s", rate}, {"mean_of_rates", mean}}};
}

std::optional<SanityFinding> throughputGained(std::span<const Round> before, std::span<const Round> after)
{
    if (!areRounds(before) || !areRounds(after) || sumOf(before, &Round::tokens) <= 0)
        return std::nullopt;
    const double rateBefore = sumOf(before, &Round::tokens) / sumOf(before, &Round::seconds);
    const double rateAfter = sumOf(after, &Round::tokens) / sumOf(after, &Round::seconds);
    return SanityFinding{Kind::Derived, "gain",
                         figureText(rateBefore) + " tok/s before, " + figureText(rateAfter) +
                             " tok/s after: " + gainText(rateAfter / rateBefore),
                         {{"ratio", rateAfter / rateBefore}}};
}

} // namespace tailmark
