// SPDX-License-Identifier: GPL-3.0-or-later
// The latencies of a claim: against its other figures, against each other, and against what a step takes.
#include "analysis/metrics.h"
#include "analysis/sanity_desk.h"
#include "analysis/text.h"
#include "base/percentile_text.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

using Kind = SanityFinding::Kind;
using Latency = Claim::Latency;
using Desk = SanityDesk;

constexpr double kRounding = 1.005;    ///< figures of data sheets have three digits
constexpr double kOfOtherTests = 0.25; ///< apart by more, a mean and a median are not of one test

std::string nameOf(const Latency& l)
{
    const auto metric = metricFromId(l.metric);
    return (l.percentile > 0 ? percentileText(l.percentile) + " " : "") +
           std::string(metric ? metricInfo(*metric).abbreviation : l.metric);
}

std::string textOf(const Latency& l)
{
    return nameOf(l) + " " + durationText(l.ms);
}

/// A mean, or a percentile at or below the median, which stands for one.
bool isMiddle(const Latency& l)
{
    return l.percentile <= 50;
}

/// At least half of all requests are no slower: what none can be below, this cannot be below either.
bool isOfMost(const Latency& l)
{
    return l.percentile == 0 || l.percentile >= 50;
}

const Latency* middleOf(const Claim& claim, const char* metric)
{
    const auto it = std::ranges::find_if(
        claim.latencies, [&](const Latency& l) { return l.metric == metric && isMiddle(l); });
    return it == claim.latencies.end() ? nullptr : &*it;
}

/// Milliseconds of a step of so many sequences at least.
double stepMs(const Desk& d, double batch)
{
    return batch / *lowerBound(d, batch) * 1000;
}

/// No percentile is below a lower one, and a first token does not come after the last.
void checkOrder(Desk& d)
{
    for (const Latency& a : d.claim.latencies) {
        for (const Latency& b : d.claim.latencies) {
            if (a.metric == b.metric && a.percentile > 0 && a.percentile < b.percentile && a.ms > b.ms)
                d.add(Kind::Impossible, "order",
                      textOf(b) + " is below " + textOf(a) + ": no percentile is below a lower one");
            if (a.metric == "ttft_ms" && b.metric == "e2e_ms" && a.percentile == b.percentile && a.ms > b.ms)
                d.add(Kind::Impossible, "order", textOf(b) + " is below " + textOf(a) + ", which is a part of it");
        }
    }
}

void checkTpot(Desk& d, const Latency& l)
{
    const double alone = stepMs(d, 1);
    const std::string step = "a step takes at least ";
    if (l.ms * kRounding < alone) {
        const double batch = std::max(1.0, d.batch.value_or(1));
        const std::string ofAll = durationText(stepMs(d, batch));
        d.add(Kind::Impossible, "tpot",
              textOf(l) + ": " + step + durationText(alone) + " even of one sequence" +
                  (ofAll != durationText(alone) ? ", and " + ofAll + " of all " + figureText(batch) + " in flight"
                                                : std::string()) +
                  assumptionText(d),
              {{"tpot_min_ms", alone}});
        return;
    }
    if (!d.total)
        return;
    const double decoded = *d.total * l.ms / 1000; // Little
    const double least = stepMs(d, std::max(1.0, decoded));
    if (l.ms * kRounding < least)
        d.add(Kind::Impossible, "tpot",
              textOf(l) + ": at " + figureText(*d.total) + " tok/s that are " + figureText(decoded) +
                  " sequences decoded at once (Little), and of so many " + step + durationText(least) + assumptionText(d),
              {{"tpot_min_ms", least}});
}

/// The quickest first token: the weights are read once, and a prompt that is in no cache takes its arithmetic.
void checkTtft(Desk& d, const Latency& l, const std::optional<double>& promptMs)
{
    const double pass = stepMs(d, 1);
    const double least = std::max(pass, promptMs.value_or(0));
    if (l.ms * kRounding >= least)
        return;
    const std::string prompt =
        promptMs ? "a prompt of " + figureText(*d.claim.promptTokens) + " tokens takes at least " + durationText(*promptMs) +
                       " to read by itself"
                 : std::string();
    const bool belowPass = l.ms * kRounding < pass;
    d.add(Kind::Impossible, "ttft",
          textOf(l) + ": " +
              (belowPass ? "one pass over the weights alone takes at least " + durationText(pass) +
                               (promptMs ? ", and " + prompt : std::string())
                         : prompt + ", unless the prefix cache has most of it") +
              assumptionText(d),
          {{"ttft_min_ms", least}});
}

void checkE2e(Desk& d, const Latency& l, const std::optional<double>& promptMs)
{
    if (!d.claim.outputTokens)
        return;
    const double step = stepMs(d, 1);
    const double steps = std::max(0.0, *d.claim.outputTokens - 1);
    const double least = std::max(step, promptMs.value_or(0)) + steps * step;
    if (l.ms * kRounding < least)
        d.add(Kind::Impossible, "e2e",
              textOf(l) + ": the first token and " + figureText(steps) + " steps of at least " + durationText(step) +
                  " after it take " + durationText(least) + assumptionText(d),
              {{"e2e_min_ms", least}});
}

std::optional<double> promptMs(const Desk& d)
{
    const std::optional<double> compute = computeBound(d.figures);
    return d.claim.promptTokens && compute ? std::optional(*d.claim.promptTokens / *compute * 1000) : std::nullopt;
}

/// Where no output length is told, which checkFirstToken() needs.
void checkTpotOfUser(Desk& d)
{
    const Latency* tpot = middleOf(d.claim, "tpot_ms");
    if (!tpot || !d.perUser || d.claim.outputTokens || tpot->ms <= 1000 / *d.perUser * (1 + kOfOtherTests))
        return;
    d.add(Kind::Condition, "tpot",
          textOf(*tpot) + " gives a user at most " + figureText(1000 / tpot->ms) + " tok/s, not " + figureText(*d.perUser) +
              ": unless answers are very short the figures are not of one test");
}

/// What the claimed E2E says beside the mean by Little's law; empty where they agree.
std::string besideMean(const Latency& l, double meanMs)
{
    if (isMiddle(l))
        return std::abs(l.ms / meanMs - 1) > kOfOtherTests
                   ? ", against the claimed " + (l.percentile > 0 ? textOf(l) : durationText(l.ms)) +
                         ": unless the latencies are very uneven the three figures are not of one test"
                   : std::string();
    if (l.ms * kRounding >= meanMs)
        return {};
    const double share = l.percentile / 100;
    return ", above the claimed " + textOf(l) + ": only if the slowest " + percentText(1 - share) + " take " +
           durationText((meanMs - share * l.ms) / (1 - share)) + " or more on average";
}

} // namespace

void checkLittle(SanityDesk& d)
{
    const Claim& c = d.claim;
    std::optional<double> requests = c.requestsPerS;
    if (!requests && d.total && c.outputTokens) {
        requests = *d.total / *c.outputTokens;
        d.add(Kind::Derived, "requests",
              figureText(*d.total) + " tok/s / " + figureText(*c.outputTokens) + " output tokens = " +
                  figureText(*requests) + " requests/s",
              {{"requests_per_s", *requests}});
    }
    if (!requests)
        return;
    if (d.batch) {
        const double response = *d.batch / *requests * 1000;
        const std::string mean = "Little: " + figureText(*d.batch) + " in flight / " + figureText(*requests) +
                                 " requests/s = " + figureText(response / 1000) + " s from end to end on average";
        bool atOdds = false;
        for (const Latency& l : c.latencies) {
            const std::string beside = l.metric == "e2e_ms" ? besideMean(l, response) : std::string();
            if (beside.empty())
                continue;
            d.add(Kind::Condition, "little", mean + beside, {{"e2e_ms", response}});
            atOdds = true;
        }
        if (!atOdds)
            d.add(Kind::Derived, "little", mean, {{"e2e_ms", response}});
    } else if (const Latency* e2e = middleOf(c, "e2e_ms")) {
        const double inFlight = *requests * e2e->ms / 1000;
        d.batch = inFlight;
        d.add(Kind::Derived, "little",
              "Little: " + figureText(*requests) + " requests/s x " + durationText(e2e->ms) + " = " +
                  figureText(inFlight) + " in flight",
              {{"concurrency", inFlight}});
    }
}

void checkLatencies(SanityDesk& d)
{
    checkOrder(d);
    checkTpotOfUser(d);
    if (!lowerBound(d, 1))
        return;
    const std::optional<double> prompt = promptMs(d);
    for (const Latency& l : d.claim.latencies) {
        if (!isOfMost(l))
            continue;
        if (l.metric == "tpot_ms")
            checkTpot(d, l);
        else if (l.metric == "ttft_ms")
            checkTtft(d, l, prompt);
        else if (l.metric == "e2e_ms")
            checkE2e(d, l, prompt);
    }
}

void checkFirstToken(SanityDesk& d)
{
    const Claim& c = d.claim;
    if (const std::optional<double> ms = promptMs(d))
        d.add(Kind::Derived, "first_token",
              "A prompt of " + figureText(*c.promptTokens) + " tokens takes at least " + durationText(*ms) +
                  " to read by itself",
              {{"ttft_min_ms", *ms}});
    if (!d.perUser || !c.outputTokens || *c.outputTokens < 2 || !d.batch)
        return;
    const double e2e = *c.outputTokens / *d.perUser * 1000;
    const bool impossible = std::ranges::find(d.findings, "tpot", &SanityFinding::topic) != d.findings.end();
    const Latency* tpot = impossible ? nullptr : middleOf(c, "tpot_ms");
    if (!tpot && !lowerBound(d, 1))
        return;
    const double step = tpot ? tpot->ms : stepMs(d, std::max(1.0, *d.batch));
    const double first = e2e - (*c.outputTokens - 1) * step;
    if (first < 0) {
        if (tpot)
            d.add(Kind::Impossible, "first_token",
                  figureText(*c.outputTokens) + " tokens every " + figureText(step) + " ms take longer than the " +
                      durationText(e2e) + " that an answer has at this throughput and concurrency");
        return;
    }
    std::string text = "An answer takes " + durationText(e2e) + "; with a token every " + figureText(step) + " ms" +
                       (tpot ? "" : " (the bound)") + " the first one comes after " + (tpot ? "" : "at most ") +
                       durationText(first) + " on average";
    const Latency* ttft = middleOf(c, "ttft_ms");
    const bool atOdds = ttft && (ttft->ms > first * (1 + kOfOtherTests) ||
                                 (tpot && first - ttft->ms > e2e * kOfOtherTests));
    if (atOdds)
        text += ", against the claimed " + textOf(*ttft) + ": the figures are not of one test";
    d.add(atOdds ? Kind::Condition : Kind::Derived, "first_token", std::move(text), {{"e2e_ms", e2e}, {"ttft_ms", first}});
}

} // namespace tailmark
