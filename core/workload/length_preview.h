// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/lengths.h"

#include <cstdint>
#include <vector>

namespace tailmark {

/// Shares of the requests by the length of one side, in bins of equal width on a logarithmic scale.
struct LengthHistogram
{
    /// Whole tokens, rising; bin i holds lengths from edges[i] to below edges[i + 1], so that there is one edge more
    /// than bins.
    std::vector<std::int64_t> edges;
    std::vector<double> shares; ///< 0..1, 1 together
};

/// What the lengths of a workload look like before anything is sent.
struct LengthPreview
{
    AskedLengths figures; ///< percentiles, means and rank correlation; of a mix also of each part
    struct Point
    {
        LengthPair pair;
        std::size_t part = 0; ///< of the source's parts()
    };
    std::vector<Point> scatter; ///< a picture of the joint distribution; of each part by its share
    LengthHistogram prompt, output;
    static constexpr std::size_t kScatterPoints = 1000; ///< about so many at most
};

/// Lengths of any kind. Pure; in proportion to the pairs of the source.
LengthPreview previewLengths(const LengthSource& source);

} // namespace tailmark
