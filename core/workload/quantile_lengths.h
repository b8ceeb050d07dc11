// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/lengths.h"

#include <vector>

namespace tailmark {

/// The distribution of a length through given quantiles. Between two of them the logarithm of the length goes
/// straight over the normal quantile, so that each stretch is one of a log-normal distribution: it rises with the
/// points, and a tail is as heavy as they say. Beyond the first and the last point the line goes on, up to p0.01
/// and p99.99: what would be drawn beyond has that length, so that no request is longer than the tail's end. The
/// ends can be given as "min" and "max".
class LengthCurve
{
public:
    explicit LengthCurve(const LengthQuantiles& quantiles); ///< that quantilesFault() finds right

    /// The length in tokens at a normal quantile z.
    std::int32_t at(double z) const;
    std::int32_t atPercent(double percent) const; ///< 0 and 100 are the ends

private:
    struct Point
    {
        double z, logTokens;
    };
    std::vector<Point> m_points;
};

/// Pearson's coefficient of two normal variables whose rank correlation (Spearman) is `rho`: 2 sin(π ρ / 6)
/// (Kruskal, Ordinal measures of association, 1958).
double normalCorrelation(double rho);

/// Lengths of kind Quantiles: both curves, coupled by a Gaussian copula. The same on every machine (exact_math.h).
std::shared_ptr<const LengthSource> makeQuantileLengths(const Lengths& lengths);

} // namespace tailmark
