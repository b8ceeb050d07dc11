// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "plan/plan.h"

#include <optional>

namespace tailmark {

/// What one test will roughly take. An estimate of requests exists where the load fixes their number (open
/// loop): a closed loop sends as fast as the target answers.
struct TestEstimate
{
    int points = 0;
    double seconds = 0; ///< wall clock of all its points, as estimatedSeconds()
    std::optional<double> requests;
    bool operator==(const TestEstimate&) const = default;
};

/// Estimate of one test of the matrix, whether it is enabled or not. Pure. Errors: those of expand().
Result<TestEstimate> estimateTest(const Matrix& matrix, int testIndex);

} // namespace tailmark
