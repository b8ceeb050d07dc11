// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "load/load_generator.h"
#include "plan/plan.h"
#include "record/point_facts.h"
#include "run/run_event.h"
#include "run/runner.h"
#include "store/store.h"
#include "target/counter_scraper.h"

#include <functional>
#include <memory>
#include <string_view>

namespace tailmark {

/// What the points of a run share.
struct PointContext
{
    LoadGenerator& generator;
    Store& store;
    RunId run;
    RunControl& control;
    const std::function<void(const RunEvent&)>& notify;
    const Slo& slo;                          ///< what the running point is shown under
    const std::vector<std::string>& secrets; ///< what no stored text may hold, whoever wrote it
    CounterScraper* counters = nullptr;      ///< nullptr: the server tells none
    /// Asked when the first request to end was refused (HTTP 400 or 422): the point's requests without the field
    /// that this refusal names, null where it names none. Empty once the target has taken a request.
    std::function<std::shared_ptr<const RequestSource>(std::string_view refusal)> withoutRefused;
};

/// All that was measured of one point.
struct PointMeasurement
{
    RecordBatch batch;
    PointFacts facts;
    Nanoseconds origin{0}; ///< of the records' times, on the monotonic clock
};

/// Takes the generator through one point: drains its records into the store in small transactions, keeps them
/// in memory for the summary, tells progress. A point whose first request was refused for a field is begun again
/// without it; of the first attempt nothing is kept. `restS`: estimated time of the points after this one. Blocks
/// until every request of the point has ended. Errors: of the generator or the store; the load is stopped
/// then.
Result<PointMeasurement> executePoint(const PointContext& context, const PointPlan& point,
                                      std::shared_ptr<const RequestSource> source, double restS);

} // namespace tailmark
