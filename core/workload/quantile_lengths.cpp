// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/quantile_lengths.h"

#include "base/exact_math.h"
#include "base/rng.h"
#include "plan/length_quantiles.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tailmark {

namespace {

constexpr double kMaxTokens = 2'000'000;
constexpr double kPi = 3.141592653589793;
constexpr std::size_t kSample = 10'000; ///< p99 and the ends stand on a pair of their own

double zOf(double percent)
{
    return exactNormalQuantile(percent / 100);
}

/// Uniform in (0, 1), neither end included.
double unit(std::uint64_t bits)
{
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

class QuantileLengths final : public LengthSource
{
public:
    explicit QuantileLengths(const Lengths& lengths)
        : m_prompt(lengths.promptQuantiles), m_output(lengths.outputQuantiles),
          m_correlation(normalCorrelation(lengths.rankCorrelation)),
          m_rest(std::sqrt(std::max(0.0, 1 - m_correlation * m_correlation))), m_parts{LengthPart{{}, 1, sample()}}
    {
    }

    LengthPair draw(std::uint64_t seed, std::uint32_t request) const override
    {
        const double z = exactNormalQuantile(unit(deriveSeed(seed, request, 0)));
        const double other = exactNormalQuantile(unit(deriveSeed(seed, request, 1)));
        return {m_prompt.at(z), m_output.at(coupled(z, other))};
    }
    const std::vector<LengthPart>& parts() const override { return m_parts; }

private:
    double coupled(double z, double other) const { return m_correlation * z + m_rest * other; }

    /// Each side takes all its percents in equal steps; they are paired by the ranks of an even cover of the
    /// square (additive recurrence of the golden ratio).
    std::vector<LengthPair> sample() const
    {
        std::vector<double> outputZ(kSample);
        for (std::size_t i = 0; i < kSample; ++i) {
            const double at = static_cast<double>(i) + 0.5;
            const double golden = at * 0.6180339887498949;
            outputZ[i] = coupled(exactNormalQuantile(at / kSample),
                                 exactNormalQuantile(std::clamp(golden - std::floor(golden), 1e-9, 1 - 1e-9)));
        }
        std::vector<std::size_t> byOutput(kSample);
        std::iota(byOutput.begin(), byOutput.end(), std::size_t{0});
        std::stable_sort(byOutput.begin(), byOutput.end(),
                         [&](std::size_t a, std::size_t b) { return outputZ[a] < outputZ[b]; });
        std::vector<LengthPair> pairs(kSample);
        for (std::size_t rank = 0; rank < kSample; ++rank) {
            const double percent = 100.0 * static_cast<double>(rank + 1) / kSample;
            pairs[rank].promptTokens = m_prompt.atPercent(percent);
            pairs[byOutput[rank]].outputTokens = m_output.atPercent(percent);
        }
        return pairs;
    }

    LengthCurve m_prompt, m_output;
    double m_correlation, m_rest;
    std::vector<LengthPart> m_parts;
};

} // namespace

LengthCurve::LengthCurve(const LengthQuantiles& quantiles)
{
    for (const QuantilePoint& point : quantilePoints(quantiles))
        m_points.push_back({zOf(point.percent), exactLog(point.tokens)});
}

std::int32_t LengthCurve::at(double z) const
{
    static const double end = zOf(kLongestPercent);
    z = std::clamp(z, -end, end);
    std::size_t upper = 1;
    while (upper + 1 < m_points.size() && z > m_points[upper].z)
        ++upper;
    const Point &from = m_points[upper - 1], &to = m_points[upper];
    const double logTokens =
        from.logTokens + (to.logTokens - from.logTokens) * ((z - from.z) / (to.z - from.z));
    static const double longest = exactLog(kMaxTokens);
    return static_cast<std::int32_t>(exactExp(std::clamp(logTokens, 0.0, longest)) + 0.5);
}

std::int32_t LengthCurve::atPercent(double percent) const
{
    return at(zOf(std::clamp(percent, kShortestPercent, kLongestPercent)));
}

double normalCorrelation(double rho)
{
    return std::clamp(2 * exactSin(kPi * rho / 6), -1.0, 1.0);
}

std::shared_ptr<const LengthSource> makeQuantileLengths(const Lengths& lengths)
{
    return std::make_shared<QuantileLengths>(lengths);
}

} // namespace tailmark
