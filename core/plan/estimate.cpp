// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/estimate.h"

namespace tailmark {

Result<TestEstimate> estimateTest(const Matrix& matrix, int testIndex)
{
    Matrix alone = matrix;
    alone.tests = {matrix.tests.at(static_cast<std::size_t>(testIndex))};
    alone.tests.front().enabled = true;
    const Result<Plan> plan = expand(alone);
    if (!plan.ok())
        return plan.error();
    TestEstimate estimate;
    estimate.points = static_cast<int>(plan.value().points.size());
    estimate.seconds = estimatedSeconds(plan.value());
    for (const PointPlan& point : plan.value().points)
        if (const std::optional<double> requests = expectedRequests(point))
            estimate.requests = estimate.requests.value_or(0) + *requests;
    return estimate;
}

} // namespace tailmark
