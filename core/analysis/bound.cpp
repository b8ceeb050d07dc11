// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bound.h"

#include "analysis/text.h"

namespace tailmark {

namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kFlopsPerParam = 2; ///< one multiplication and one addition a token

double meanOf(const std::optional<Distribution>& counts)
{
    return counts ? counts->mean : 0;
}

} // namespace

std::optional<double> bandwidthBound(const BoundInput& input, double batch, double contextTokens)
{
    if (input.bandwidthGbPerS <= 0 || input.devices <= 0 || input.activeParams <= 0 ||
        input.bytesPerParam <= 0 || batch <= 0)
        return std::nullopt;
    const double bandwidth = input.bandwidthGbPerS * kGiga * input.devices;
    const double weightBytes = input.activeParams * input.bytesPerParam;
    return batch * bandwidth / (weightBytes + batch * contextTokens * input.kvBytesPerToken);
}

std::optional<double> computeBound(const BoundInput& input)
{
    if (input.peakTflops <= 0 || input.devices <= 0 || input.activeParams <= 0)
        return std::nullopt;
    return input.peakTflops * kTera * input.devices / (kFlopsPerParam * input.activeParams);
}

std::optional<BoundCheck> checkBound(const BoundInput& input, const PointSummary& point)
{
    BoundCheck check;
    check.batch = point.meanInFlight;
    const std::optional<Distribution>& prompt =
        point.promptTokens ? point.promptTokens : point.promptTokensPlanned;
    check.contextTokens = meanOf(prompt) + meanOf(point.outputTokens) / 2;
    const auto bound = bandwidthBound(input, check.batch, check.contextTokens);
    const auto single = bandwidthBound(input, 1, 0);
    if (!bound || !single)
        return std::nullopt;
    check.bandwidthTokensPerS = *bound;
    check.singleStreamTokensPerS = *single;
    check.computeTokensPerS = computeBound(input);
    check.measuredTokensPerS = point.rate(Metric::OutputTokensPerS);
    check.text = "B x bandwidth / (weights + B x L x KV bytes) = " + figureText(check.batch) + " x " +
                 figureText(input.bandwidthGbPerS) + " GB/s x " + figureText(input.devices) + " / (" +
                 figureText(input.activeParams) + " x " + figureText(input.bytesPerParam) + " B + " +
                 figureText(check.batch) + " x " + figureText(check.contextTokens) + " x " +
                 figureText(input.kvBytesPerToken) + " B) = " + figureText(*bound) + " tok/s";
    if (check.computeTokensPerS)
        check.text += "; compute bound " + figureText(*check.computeTokensPerS) + " tok/s";
    if (check.measuredTokensPerS) {
        check.fraction = *check.measuredTokensPerS / *bound;
        check.text += "; measured " + figureText(*check.measuredTokensPerS) + " tok/s, " +
                      percentText(*check.fraction) + " of the bandwidth bound";
    }
    return check;
}

} // namespace tailmark
