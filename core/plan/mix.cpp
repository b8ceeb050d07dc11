// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/mix.h"

#include "base/rng.h"

namespace tailmark {

std::size_t partOf(const Lengths& lengths, std::uint64_t seed, std::uint32_t request)
{
    if (lengths.kind != LengthsKind::Mix || lengths.parts.empty())
        return 0;
    double total = 0;
    for (const MixPart& part : lengths.parts)
        total += part.weight;
    // Uniform in [0, total).
    double left = static_cast<double>(deriveSeed(deriveSeed(seed, 7), request) >> 11) * 0x1p-53 * total;
    for (std::size_t i = 0; i + 1 < lengths.parts.size(); ++i) {
        left -= lengths.parts[i].weight;
        if (left < 0)
            return i;
    }
    return lengths.parts.size() - 1;
}

const Prefix& prefixOf(const PointPlan& point, std::uint32_t request)
{
    if (point.lengths.kind != LengthsKind::Mix || point.lengths.parts.empty())
        return point.prefix;
    const MixPart& part = point.lengths.parts[partOf(point.lengths, point.seeds.lengths, request)];
    return part.prefix ? *part.prefix : point.prefix;
}

} // namespace tailmark
