// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sanity.h"

#include "analysis/comparison.h"
#include "analysis/sanity_desk.h"
#include "analysis/text.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

using Kind = SanityFinding::Kind;

constexpr double kGiga = 1e9;

using Desk = SanityDesk;

double devicesOf(const Claim& claim, const BoundFigures& figures)
{
    return claim.devices.value_or(figures.devices);
}

std::string productText(const Claim& c)
{
    return figureText(*c.requestsPerS) + " requests/s x " + figureText(*c.outputTokens) + " output tokens = " +
           figureText(*c.requestsPerS * *c.outputTokens) + " tok/s";
}

/// Throughput, request rate and output length tell one figure twice.
void compareTotals(Desk& d)
{
    constexpr double kRounding = 0.05; // people say figures of two digits
    const double product = *d.claim.requestsPerS * *d.claim.outputTokens;
    const bool agree = std::abs(product / *d.total - 1) <= kRounding;
    d.add(agree ? Kind::Derived : Kind::Impossible, "total",
          productText(d.claim) + (agree ? ", as claimed but for rounding"
                                        : ", not the " + figureText(*d.total) +
                                              " that are claimed: the three figures are not of one test"),
          {{"output_tokens_per_s", product}});
}

void findTotals(Desk& d)
{
    const Claim& c = d.claim;
    const bool product = c.requestsPerS && c.outputTokens;
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
    }
    if (product && d.total) {
        compareTotals(d);
    } else if (product) {
        d.total = *c.requestsPerS * *c.outputTokens;
        d.add(Kind::Derived, "total", productText(c), {{"output_tokens_per_s", *d.total}});
    }
    if (d.total && d.perUser && !d.batch) {
        d.batch = *d.total / *d.perUser;
        d.add(Kind::Derived, "users",
              figureText(*d.total) + " tok/s / " + figureText(*d.perUser) + " tok/s for each user = " +
                  figureText(*d.batch) + " in flight",
              {{"concurrency", *d.batch}});
    }
    if (d.total && d.batch && !d.perUser)
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

void sayWhatItWouldTake(Desk& d)
{
    d.add(Kind::Condition, "bound",
          "For it to be true several tokens must come of one pass (speculative decoding), answers or shared "
          "prefixes from a cache, fewer bytes per parameter or more devices than taken here; else the tokens are "
          "counted wrongly, for instance prompt tokens among them");
}

bool isByCompute(const Desk& d, double batch)
{
    const std::optional<double> compute = computeBound(d.figures);
    return compute && *compute < *bandwidthBound(d.figures, batch, d.context);
}

void checkBoundAtBatch(Desk& d)
{
    const double batch = std::max(1.0, *d.batch); // below one there are times without any
    const double bound = *lowerBound(d, batch);
    const double fraction = *d.total / bound;
    const BoundStanding standing = boundStandingOf(fraction);
    d.add(standing == BoundStanding::Impossible ? Kind::Impossible : Kind::Derived, "bound",
          figureText(*d.total) + " tok/s are " + percentText(fraction) + " of the " +
              (isByCompute(d, batch) ? "compute" : "bandwidth") + " bound of " + figureText(bound) + " tok/s at batch " +
              figureText(batch) + ": " + boundStandingText(standing) + assumptionText(d),
          {{"bound_tokens_per_s", bound}, {"fraction", fraction}});
    if (standing == BoundStanding::Impossible)
        sayWhatItWouldTake(d);
}

/// With others beside it a user gets less than alone.
void checkOneUser(Desk& d)
{
    const double bound = *lowerBound(d, 1);
    const double fraction = *d.perUser / bound;
    const bool possible = boundStandingOf(fraction) != BoundStanding::Impossible;
    d.add(possible ? Kind::Derived : Kind::Impossible, "bound",
          figureText(*d.perUser) + " tok/s for each user are " + percentText(fraction) + " of the " +
              (isByCompute(d, 1) ? "compute" : "bandwidth") + " bound of " + figureText(bound) +
              " tok/s of one user alone, and less is left of it with every other" + assumptionText(d),
          {{"bound_tokens_per_s", bound}, {"fraction", fraction}});
    if (!possible)
        sayWhatItWouldTake(d);
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
        d.add(Kind::Missing, "lengths",
              std::string(c.promptTokens  ? "The output length is"
                          : c.outputTokens ? "The prompt length is"
                                           : "Prompt and output lengths are") +
                  " not told: one pair of short fixed lengths flatters");
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
    return !rounds.empty() && std::ranges::all_of(rounds, [](const Round& r) { return r.tokens >= 0 && r.seconds > 0 && std::isfinite(r.tokens + r.seconds); });
}

} // namespace

std::string assumptionText(const SanityDesk& d)
{
    std::string text = d.figures.accelerator.empty() ? std::string() : d.figures.accelerator;
    if (!d.figures.model.empty())
        text += (text.empty() ? "" : ", ") + d.figures.model;
    for (const std::string& assumption : d.figures.assumptions)
        text += (text.empty() ? "" : "; ") + assumption;
    if (!d.claim.devices && d.figures.devices == 1)
        text += std::string(text.empty() ? "" : "; ") + "1 device, as no other number is told";
    text += d.contextKnown ? "" : "; no context, as no lengths are told";
    return text.empty() ? text : " (" + text + ")";
}

std::optional<double> lowerBound(const SanityDesk& d, double batch)
{
    const std::optional<double> bandwidth = bandwidthBound(d.figures, batch, d.context);
    const std::optional<double> compute = computeBound(d.figures);
    return bandwidth && compute ? std::min(*bandwidth, *compute) : bandwidth;
}

const char* sanityKindId(SanityFinding::Kind kind)
{
    constexpr const char* kIds[] = {"derived", "missing", "condition", "impossible"};
    return kIds[static_cast<int>(kind)];
}

BoundFigures claimFigures(const Claim& claim, BoundInput typed)
{
    const bool namedDevice = typed.accelerator.empty() && typed.bandwidthGbPerS <= 0;
    if (namedDevice)
        typed.accelerator = claim.accelerator;
    if (typed.model.empty() && typed.activeParams <= 0)
        typed.model = claim.model;
    const bool namedFormat = typed.bytesPerParam <= 0 && claim.bytesPerParam;
    if (namedFormat)
        typed.bytesPerParam = *claim.bytesPerParam;
    BoundFigures figures = boundFigures(typed);
    if (namedDevice && !claim.acceleratorRemark.empty())
        figures.assumptions.push_back(claim.acceleratorRemark);
    if (namedFormat)
        figures.assumptions.push_back(figureText(*claim.bytesPerParam) + (*claim.bytesPerParam == 1 ? " byte" : " bytes") +
                                      " per parameter, by the format in the text");
    return figures;
}

std::vector<SanityFinding> checkClaim(const Claim& claim, const BoundFigures& figures)
{
    Desk d{claim, figures, {}, {}, {}, 0, false, {}};
    d.figures.devices = devicesOf(claim, figures);
    findTotals(d);
    checkPerUser(d);
    checkLittle(d);
    if (!lowerBound(d, 1)) {
        d.add(Kind::Missing, "hardware",
              std::string(figures.bandwidthGbPerS > 0 ? "No model is"
                          : figures.activeParams > 0  ? "No device is"
                                                      : "No device and model are") +
                  " stated, so that it cannot be held against what the hardware allows");
    } else if (d.total) {
        if (d.batch)
            checkBoundAtBatch(d);
        else
            findNeededBatch(d);
        checkMemory(d);
        checkPrefill(d);
    } else if (d.perUser) {
        checkOneUser(d);
        checkMemory(d);
    }
    checkLatencies(d);
    checkFirstToken(d);
    findMissing(d);
    return std::move(d.findings);
}

std::optional<SanityFinding> closedLoopRate(double users, double responseS, double thinkS)
{
    if (!(users > 0) || !(responseS >= 0) || !(thinkS >= 0) || !(responseS + thinkS > 0) ||
        !std::isfinite(users + responseS + thinkS))
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
    if (!(offeredPerS > 0) || !(completedPerS > 0) || !(seconds > 0) ||
        !std::isfinite(offeredPerS + completedPerS + seconds))
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
