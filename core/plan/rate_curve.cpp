// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/rate_curve.h"

#include <algorithm>

namespace tailmark {

namespace {

/// The factor at `atS`, where a jump has two values: the later, or with `before` the earlier.
double factorAt(const std::vector<RateFactor>& shape, double atS, bool before)
{
    const auto next = std::find_if(shape.begin(), shape.end(), [&](const RateFactor& corner) {
        return before ? corner.atS >= atS : corner.atS > atS;
    });
    if (next == shape.begin())
        return shape.front().factor;
    const RateFactor& last = *(next - 1);
    if (next == shape.end())
        return last.factor;
    return last.factor + (next->factor - last.factor) * (atS - last.atS) / (next->atS - last.atS);
}

/// A phase from `startS` of the shape's clock on, cut where the shape has its corners.
void addShaped(std::vector<RateSegment>& segments, const Phase& phase, std::uint8_t number, double startS,
               const std::vector<RateFactor>& shape)
{
    double fromS = startS;
    const double endS = startS + phase.durationS;
    const auto until = [&](double toS) {
        if (toS <= fromS)
            return;
        segments.push_back({toS - fromS, phase.ratePerS * factorAt(shape, fromS, false),
                            phase.ratePerS * factorAt(shape, toS, true), number});
        fromS = toS;
    };
    for (const RateFactor& corner : shape)
        until(std::min(corner.atS, endS));
    until(endS);
}

} // namespace

std::vector<RateSegment> rateSegments(const PointPlan& point)
{
    std::vector<RateSegment> segments;
    double startS = -point.warmupS;
    for (std::size_t i = 0; i < point.phases.size(); ++i) {
        const Phase& phase = point.phases[i];
        const auto number = static_cast<std::uint8_t>(i);
        if (point.shape.empty())
            segments.push_back({phase.durationS, phase.ratePerS, phase.ratePerS, number});
        else
            addShaped(segments, phase, number, startS, point.shape);
        startS += phase.durationS;
    }
    return segments;
}

double requestsBetween(const PointPlan& point, double startS, double endS)
{
    double requests = 0, fromS = 0;
    for (const RateSegment& segment : rateSegments(point)) {
        const double toS = fromS + segment.durationS;
        const double begin = std::max(startS, fromS), end = std::min(endS, toS);
        if (end > begin) { // the rate in the middle of what they share, as it goes straight
            const double share = ((begin + end) / 2 - fromS) / segment.durationS;
            requests += (segment.fromPerS + (segment.toPerS - segment.fromPerS) * share) * (end - begin);
        }
        fromS = toS;
    }
    return requests;
}

double meanFactor(const std::vector<RateFactor>& shape, double durationS)
{
    if (shape.empty())
        return 1;
    std::vector<RateSegment> segments;
    addShaped(segments, Phase{"", 1, durationS}, 0, 0, shape);
    double sum = 0;
    for (const RateSegment& segment : segments)
        sum += segment.requests();
    return sum / durationS;
}

} // namespace tailmark
