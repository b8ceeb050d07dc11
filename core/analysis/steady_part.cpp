// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/steady_part.h"

#include "analysis/text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace tailmark {

namespace {

constexpr std::size_t kLeastValues = 100;
constexpr std::size_t kMserBatch = 5;
constexpr std::size_t kBatches = 16;
constexpr int kMostLooks = 5;
constexpr double kStepShare = 0.1; ///< of the point
constexpr double kChance = 0.01;
constexpr double kLeastChange = 0.1;
constexpr double kSpoilingRatio = 1.25;
constexpr double kSpoilingShare = 0.05; ///< of the planned window
constexpr int kPlaces =
    20; ///< where a steady part may begin: the twentieths of the first half, at both sides

std::vector<double> batchMeans(std::span<const double> values, std::size_t batches)
{
    std::vector<double> means(batches);
    for (std::size_t i = 0; i < batches; ++i) {
        const std::size_t begin = values.size() * i / batches;
        const std::size_t end = values.size() * (i + 1) / batches;
        for (std::size_t k = begin; k < end; ++k)
            means[i] += values[k] / static_cast<double>(end - begin);
    }
    return means;
}

double meanOf(std::span<const double> values)
{
    double sum = 0;
    for (const double v : values)
        sum += v;
    return sum / static_cast<double>(values.size());
}

/// Of independent values.
double varianceOf(std::span<const double> values)
{
    const double mean = meanOf(values);
    double squares = 0;
    for (const double v : values)
        squares += (v - mean) * (v - mean);
    return squares / static_cast<double>(values.size() - 1);
}

std::vector<double> logarithms(std::span<const double> values)
{
    constexpr double kLeast = 1e-3; // 1 µs of latencies in ms
    std::vector<double> logs;
    logs.reserve(values.size());
    for (const double v : values)
        logs.push_back(std::log(std::max(v, kLeast)));
    return logs;
}

std::size_t firstFrom(std::span<const double> atS, double startS)
{
    return static_cast<std::size_t>(std::lower_bound(atS.begin(), atS.end(), startS) - atS.begin());
}

} // namespace

std::size_t mserTruncation(std::span<const double> values)
{
    const std::size_t batches = values.size() / kMserBatch;
    if (batches < 2)
        return 0;
    std::vector<double> means(batches);
    for (std::size_t i = 0; i < batches; ++i)
        means[i] = meanOf(values.subspan(i * kMserBatch, kMserBatch));
    // From the end, so that every rest costs one step (Welford's update).
    double mean = 0, squares = 0, best = 0;
    std::size_t truncated = 0;
    for (std::size_t left = 1; left <= batches; ++left) {
        const double value = means[batches - left];
        const double distance = value - mean;
        mean += distance / static_cast<double>(left);
        squares += distance * (value - mean);
        const std::size_t cut = batches - left;
        if (cut > batches / 2)
            continue;
        const double error = squares / (static_cast<double>(left) * static_cast<double>(left));
        if (cut == batches / 2 || error <= best) {
            best = error;
            truncated = cut;
        }
    }
    return truncated * kMserBatch;
}

double mannKendallP(std::span<const double> values)
{
    const auto n = static_cast<double>(values.size());
    if (values.size() < 4)
        return 1;
    double s = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t k = i + 1; k < values.size(); ++k)
            s += (values[k] > values[i]) - (values[k] < values[i]);
    }
    const double deviation = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
    const double z = std::max(0.0, std::fabs(s) - 1) / deviation;
    return 2 * cdf(complement(boost::math::normal(), z));
}

std::optional<SteadyPart> findSteadyPart(std::span<const double> atS, std::span<const double> latencies,
                                         double endS)
{
    if (latencies.size() < kLeastValues)
        return std::nullopt;
    const std::vector<double> logs = logarithms(latencies);
    const std::span<const double> all(logs);
    const std::size_t cut = mserTruncation(all);
    SteadyPart part;
    part.startS = cut == 0 ? 0 : atS[cut];
    part.endS = endS;
    for (;; ++part.looks) {
        const std::size_t first = firstFrom(atS, part.startS);
        if (part.startS > endS / 2 || all.size() - first < kLeastValues / 2 || part.looks > kMostLooks)
            return std::nullopt;
        const double p = mannKendallP(batchMeans(all.subspan(first), kBatches));
        part.pValue = std::min(1.0, p * part.looks);
        if (p >= kChance / kMostLooks)
            return part;
        part.startS += kStepShare * endS;
    }
}

std::optional<ShortWarmup> findShortWarmup(std::span<const double> atS, std::span<const double> latencies,
                                           const SteadyPart& steady, double warmupS)
{
    if (steady.startS <= warmupS)
        return std::nullopt;
    const std::size_t begin = firstFrom(atS, warmupS);
    const std::size_t split = firstFrom(atS, steady.startS);
    if (split - begin < kMserBatch)
        return std::nullopt;
    const std::vector<double> logs = logarithms(latencies);
    const std::span<const double> early = std::span<const double>(logs).subspan(begin, split - begin);
    const std::span<const double> late = std::span<const double>(logs).subspan(split);
    // The long-run variance of one value, from the steady part.
    const double longRun =
        varianceOf(batchMeans(late, kBatches)) * static_cast<double>(late.size()) / kBatches;
    const double error =
        std::sqrt(longRun * (1 / static_cast<double>(early.size()) + 1 / static_cast<double>(late.size())));
    const double change = meanOf(early) - meanOf(late);
    if (std::fabs(change) < std::log1p(kLeastChange))
        return std::nullopt;
    double p = 0; // for latencies that do not vary at all
    if (error > 0)
        p = 2 * cdf(complement(boost::math::students_t(kBatches - 1), std::fabs(change) / error));
    ShortWarmup found{std::exp(change), std::min(1.0, kPlaces * p)};
    found.spoils = std::fabs(change) >= std::log(kSpoilingRatio) &&
                   steady.startS - warmupS >= kSpoilingShare * (steady.endS - warmupS);
    return found.pValue < kChance ? std::optional(found) : std::nullopt;
}

std::string shortWarmupText(const SteadyPart& steady, const ShortWarmup& shortWarmup, double warmupS,
                            std::string_view latency)
{
    return "steady only from " + figureText(steady.startS) + " s on; warm-up was " + figureText(warmupS) +
           " s, and from there until then " + std::string(latency) + " was " + figureText(shortWarmup.ratio) +
           " times that of the steady part";
}

} // namespace tailmark
