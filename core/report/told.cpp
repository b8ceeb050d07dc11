// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/told.h"

#include <algorithm>
#include <numeric>

namespace tailmark {

const ForeignFigures* toldOf(const RunResults& results, const PointSummary& point)
{
    if (results.run.info.foreign.empty())
        return nullptr;
    const auto stored = std::ranges::find_if(
        results.run.points, [&](const StoredPoint& p) { return p.point.index == point.point.index; });
    return stored != results.run.points.end() && stored->facts.foreign ? &*stored->facts.foreign : nullptr;
}

std::optional<std::uint64_t> countOf(const RunResults& results, const PointSummary& point, Outcome outcome)
{
    const ForeignFigures* told = toldOf(results, point);
    if (!told)
        return point.count(outcome);
    return outcome == Outcome::Completed ? told->completed : std::nullopt;
}

std::optional<std::uint64_t> failedOf(const RunResults& results, const PointSummary& point)
{
    if (const ForeignFigures* told = toldOf(results, point))
        return told->failed;
    return std::accumulate(point.outcomes.begin(), point.outcomes.end(), std::uint64_t{0}) -
           point.count(Outcome::Completed);
}

} // namespace tailmark
