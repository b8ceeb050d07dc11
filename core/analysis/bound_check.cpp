// SPDX-License-Identifier: GPL-3.0-or-later
// What measured points reached of the bound, and what that says.
#include "analysis/bound.h"
#include "analysis/text.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

constexpr double kGiga = 1e9;

double meanOf(const std::optional<Distribution>& counts)
{
    return counts ? counts->mean : 0;
}

const std::optional<Distribution>& promptOf(const PointSummary& point)
{
    return point.promptTokens ? point.promptTokens : point.promptTokensPlanned;
}

double contextOf(const PointSummary& point)
{
    return meanOf(promptOf(point)) + meanOf(point.outputTokens) / 2;
}

std::pair<double, const char*> batchOf(const PointSummary& point)
{
    const ServerFigure* running = point.server ? point.server->figure(ServerCounter::Running) : nullptr;
    if (running && running->mean.value_or(0) > 0)
        return {*running->mean, "mean number running, by the engine's counter"};
    return {point.meanInFlight, "mean number in flight at the client"};
}

std::string formulaText(const BoundFigures& f, const BoundCheck& c)
{
    const double kv = kvBytes(f, c.contextTokens);
    std::string text = "B x bandwidth / (weights + B x keys and values) = " + figureText(c.batch) + " x " +
                       figureText(f.bandwidthGbPerS) + " GB/s x " + figureText(f.devices) + " / (" +
                       figureText(weightBytes(f, c.batch) / kGiga) + " GB + " + figureText(c.batch) + " x " +
                       figureText(kv / kGiga) + " GB) = " + figureText(c.bandwidthTokensPerS) + " tok/s, with " +
                       figureText(f.activeParams / kGiga) + " x 10^9 active parameters of " +
                       figureText(f.bytesPerParam) + " bytes";
    if (f.experts > 0)
        text += ", " + figureText(f.experts) + " experts of which a token takes " + figureText(f.expertsPerToken) +
                " and the batch touches " + percentText(touchedShare(f.experts, f.expertsPerToken, c.batch));
    text += ", a context of " + figureText(c.contextTokens) + " tokens and " +
            (kv > 0 ? figureText(kv / std::max(1.0, c.contextTokens)) + " bytes kept of each"
                    : std::string("no size of their keys and values stated"));
    if (c.computeTokensPerS)
        text += "; compute bound " + figureText(f.peakTflops) + " TFLOP/s x " + figureText(f.devices) +
                " / (2 x active parameters) = " + figureText(*c.computeTokensPerS) + " tok/s";
    if (const auto balanced = balancedBatch(f); c.computeTokensPerS && balanced && f.experts == 0)
        text += ", the lower one without context from a batch of " + figureText(*balanced) + " on";
    if (c.fraction)
        text += "; measured " + figureText(*c.measuredTokensPerS) + " tok/s, " + percentText(*c.fraction) +
                " of the bandwidth bound";
    return text;
}

/// More useful tokens than passes over the weights.
std::string speculationText(const PointSummary& point)
{
    if (point.server && point.server->speculation)
        return "speculative decoding is on (" + figureText(point.server->speculation->acceptedPerS) +
               " drafted tokens/s accepted), so that several tokens come of one pass";
    constexpr double kSeveral = 1.2;
    const Distribution* perChunk = point.distribution(Metric::TokensPerChunk);
    if (perChunk && perChunk->mean > kSeveral)
        return "chunks carry " + figureText(perChunk->mean) + " tokens, as with speculative decoding";
    return "speculative decoding, of which nothing is told here";
}

std::string cachingText(const PointSummary& point)
{
    if (point.cache.cachedTokens > 0)
        return "a prefix that requests share (" + countText(point.cache.cachedTokens) +
               " prompt tokens came from the cache) and that is read once for several of them";
    return "answers from a cache";
}

std::string countsText(const PointSummary& point)
{
    if (point.tokensUnknown > 0)
        return "wrong token counts (those of " + countText(point.tokensUnknown) + " answers are not known)";
    const auto law = std::ranges::find(point.laws, std::string("engine_tokens"), &LawCheck::law);
    if (law != point.laws.end())
        return "wrong token counts (the engine counted " + figureText(law->expected) + ", the client " +
               figureText(law->observed) + ")";
    return "wrong token counts";
}

/// The bound is that of decoding; prompts that were not in the cache had to be read as well.
std::optional<double> prefillShare(const BoundCheck& c, const PointSummary& point)
{
    const std::optional<double> requests = point.rate(Metric::RequestsPerS);
    if (!c.computeTokensPerS || !requests)
        return std::nullopt;
    const double cached = point.cache.promptTokens > 0 ? static_cast<double>(point.cache.cachedTokens) /
                                                             static_cast<double>(point.cache.promptTokens)
                                                       : 0;
    return *requests * meanOf(promptOf(point)) * (1 - cached) / *c.computeTokensPerS;
}

std::string sentenceOf(const BoundCheck& c, const PointSummary& point)
{
    constexpr double kWorthTelling = 0.1;
    const double fraction = *c.bindingFraction();
    const bool byCompute = c.computeTokensPerS && *c.computeTokensPerS < c.bandwidthTokensPerS;
    const BoundStanding standing = boundStandingOf(fraction);
    std::string text = figureText(*c.measuredTokensPerS) + " tok/s are " + percentText(fraction) + " of the " +
                       (byCompute ? "compute" : "bandwidth") + " bound of " + figureText(c.tokensPerS()) +
                       " tok/s at batch " + figureText(c.batch) + ": " + boundStandingText(standing);
    if (const auto share = prefillShare(c, point);
        share.value_or(0) >= kWorthTelling && standing != BoundStanding::Impossible)
        text += "; reading the prompts, which the bound leaves out, takes at least " + percentText(*share) +
                " of the peak arithmetic";
    if (standing == BoundStanding::Impossible)
        text += ". It could be " + speculationText(point) + "; " + cachingText(point) + "; " + countsText(point) +
                "; or wrong inputs (bytes per parameter, devices, active parameters)";
    return text;
}

const PointSummary* pointAt(std::span<const PointSummary> points, const std::string& test, double load)
{
    const PointSummary* found = nullptr;
    for (const PointSummary& p : points) {
        if (p.point.test != test || p.point.load.value != load)
            continue;
        if (p.verdict.valid)
            return &p;
        if (!found)
            found = &p;
    }
    return found;
}

} // namespace

double BoundCheck::tokensPerS() const
{
    return std::min(bandwidthTokensPerS, computeTokensPerS.value_or(bandwidthTokensPerS));
}

std::optional<double> BoundCheck::bindingFraction() const
{
    return measuredTokensPerS ? std::optional(*measuredTokensPerS / tokensPerS()) : std::nullopt;
}

namespace {

/// `check` with its batch, its context and what was measured; the rest is filled in. `point` tells what else may matter.
std::optional<BoundCheck> completed(BoundCheck check, const BoundFigures& figures, const PointSummary& point)
{
    const auto bound = bandwidthBound(figures, check.batch, check.contextTokens);
    const auto single = bandwidthBound(figures, 1, 0);
    if (!bound || !single || check.measuredTokensPerS == 0.0)
        return std::nullopt;
    check.bandwidthTokensPerS = *bound;
    check.singleStreamTokensPerS = *single;
    check.computeTokensPerS = computeBound(figures);
    if (check.measuredTokensPerS) {
        check.fraction = *check.measuredTokensPerS / *bound;
        if (check.computeTokensPerS)
            check.computeFraction = *check.measuredTokensPerS / *check.computeTokensPerS;
        check.sentence = sentenceOf(check, point);
        if (!figures.contradiction.empty())
            check.sentence += "; but " + figures.contradiction;
    }
    check.text = formulaText(figures, check);
    return check;
}

/// Where the limit is crossed: batch and context lie between those of the two levels as the crossing does.
std::optional<BoundCheck> checkCrossing(const BoundFigures& figures, const OperatingPoint& op, const PointSummary& passing,
                                        const PointSummary& failing)
{
    const double from = passing.point.load.value, to = failing.point.load.value;
    const double share = (op.crossing->load - from) / (to - from);
    BoundCheck check;
    double further = 0;
    std::tie(check.batch, check.batchSource) = batchOf(passing);
    std::tie(further, std::ignore) = batchOf(failing);
    check.batch += share * (further - check.batch);
    check.contextTokens = contextOf(passing) + share * (contextOf(failing) - contextOf(passing));
    check.measuredTokensPerS = op.crossing->outputTokensPerS;
    auto whole = completed(std::move(check), figures, passing);
    if (whole)
        whole->sentence += "; interpolated between the measured levels " + figureText(from) + " and " + figureText(to);
    return whole;
}

} // namespace

std::optional<BoundCheck> checkBound(const BoundFigures& figures, const PointSummary& point)
{
    BoundCheck check;
    std::tie(check.batch, check.batchSource) = batchOf(point);
    check.contextTokens = contextOf(point);
    check.measuredTokensPerS = point.rate(Metric::OutputTokensPerS);
    return completed(std::move(check), figures, point);
}

std::vector<OperatingBound> operatingBounds(const BoundFigures& figures,
                                            std::span<const OperatingPoint> operatingPoints,
                                            std::span<const PointSummary> points)
{
    std::vector<OperatingBound> bounds;
    for (const OperatingPoint& op : operatingPoints) {
        const PointSummary* at = op.lastPassing ? pointAt(points, op.test, op.lastPassing->load) : nullptr;
        if (!at)
            continue;
        const PointSummary* beyond =
            op.crossing && op.firstFailing ? pointAt(points, op.test, op.firstFailing->load) : nullptr;
        const auto check = beyond ? checkCrossing(figures, op, *at, *beyond) : checkBound(figures, *at);
        if (check && check->fraction)
            bounds.push_back({op.test, {op.axis, beyond ? op.crossing->load : at->point.load.value}, *check});
    }
    return bounds;
}

std::vector<LevelBound> boundAlong(const BoundFigures& figures, const Curve& curve,
                                   std::span<const PointSummary> points)
{
    std::vector<LevelBound> bounds;
    for (const CurveLevel& level : curve.levels) {
        const PointSummary* at = pointAt(points, curve.test, level.load.value);
        if (const auto check = at ? checkBound(figures, *at) : std::nullopt)
            bounds.push_back({level.load, check->batch, check->tokensPerS()});
    }
    return bounds;
}

std::vector<BoundCurve> boundCurves(const BoundFigures& figures, std::span<const PointSummary> points)
{
    struct Seen
    {
        BoundCurve curve;
        double largestBatch = 1;
        int n = 0;
    };
    std::vector<Seen> tests;
    for (const PointSummary& p : points) {
        if (!checkBound(figures, p))
            continue;
        auto seen = std::ranges::find_if(tests, [&](const Seen& s) { return s.curve.test == p.point.test; });
        if (seen == tests.end())
            seen = tests.insert(tests.end(), Seen{{p.point.test, 0, {}}});
        seen->largestBatch = std::max(seen->largestBatch, batchOf(p).first);
        seen->curve.contextTokens += contextOf(p);
        ++seen->n;
    }
    std::vector<BoundCurve> curves;
    for (Seen& seen : tests) {
        seen.curve.contextTokens /= seen.n;
        seen.curve.points = boundOverBatch(figures, seen.curve.contextTokens, 2 * seen.largestBatch);
        curves.push_back(std::move(seen.curve));
    }
    return curves;
}

} // namespace tailmark
