// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"
#include "record/request_record.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tailmark {

/// Watches whether the window of a point is long enough already: whether the 95 % interval of every limited quantile (of the
/// headline p99 where no limit is stated; for a fixed shape its median) is at most `stableWidth` of it wide, by the block
/// bootstrap that judges the point later. A rough view while it goes on, of the requests that have ended; cheap, since it
/// is worked out anew only when the sample has grown by a tenth.
class Stability
{
public:
    Stability(const PointPlan& point, const Slo& slo);

    void add(const RecordBatch& finished);
    bool isReached();
    /// "p99 TTFT has an interval 14 % wide", of the widest; empty before anything is known.
    std::string text();

private:
    struct Watched
    {
        SloLimit limit;
        std::vector<std::pair<Nanoseconds, double>> values = {}; ///< by intended start, once worked out
        std::size_t computedAt = 0;
        std::optional<double> width = {}; ///< (upper - lower) / value
        void refresh(bool anew);
    };
    const Watched* widest(bool anew);

    Nanoseconds m_windowStart;
    double m_stableWidth;
    std::vector<Watched> m_watched;
};

} // namespace tailmark
