// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/length_preview.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

constexpr int kBins = 32;

LengthHistogram histogram(const std::vector<LengthPart>& parts, std::int32_t LengthPair::*side)
{
    std::int32_t least = parts.front().pairs.front().*side, most = least;
    for (const LengthPart& part : parts) {
        for (const LengthPair& pair : part.pairs) {
            least = std::min(least, pair.*side);
            most = std::max(most, pair.*side);
        }
    }
    LengthHistogram h;
    const double from = std::max(1, least), factor = (static_cast<double>(most) + 1) / from;
    h.edges.push_back(least);
    for (int i = 1; i < kBins; ++i) {
        const auto edge = static_cast<std::int64_t>(std::lround(from * std::pow(factor, double(i) / kBins)));
        if (edge > h.edges.back() && edge <= most)
            h.edges.push_back(edge);
    }
    h.edges.push_back(std::int64_t{most} + 1);
    h.shares.assign(h.edges.size() - 1, 0);
    for (const LengthPart& part : parts) {
        const double weight = part.share / static_cast<double>(part.pairs.size());
        for (const LengthPair& pair : part.pairs) {
            const auto above = std::upper_bound(h.edges.begin(), h.edges.end(), pair.*side);
            h.shares[static_cast<std::size_t>(above - h.edges.begin()) - 1] += weight;
        }
    }
    return h;
}

} // namespace

LengthPreview previewLengths(const LengthSource& source)
{
    const std::vector<LengthPart>& parts = source.parts();
    LengthPreview preview{askedLengths(parts), {}, histogram(parts, &LengthPair::promptTokens),
                          histogram(parts, &LengthPair::outputTokens)};
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const std::vector<LengthPair>& pairs = parts[p].pairs;
        const auto points = std::min(
            pairs.size(), static_cast<std::size_t>(std::ceil(parts[p].share * LengthPreview::kScatterPoints)));
        for (std::size_t i = 0; i < points; ++i)
            preview.scatter.push_back({pairs[i * pairs.size() / points], p});
    }
    return preview;
}

} // namespace tailmark
