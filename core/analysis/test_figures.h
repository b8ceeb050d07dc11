// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailmark {

/// One figure of a test that has no capacity, so that runs can be set side by side: what a burst did and how long the
/// recovery took, how long a cold start was.
struct TestFigure
{
    std::string test;
    std::string id; ///< "backlog_recovered_s"
    std::string title, unit;
    std::optional<double> value; ///< median of the repeats
    std::string text;            ///< the value, or what its absence means: "not within the 60 s of recovery"
    bool operator==(const TestFigure&) const = default;
};

/// Of each burst/recovery and cold-start test.
std::vector<TestFigure> testFigures(std::span<const PointSummary> points);

} // namespace tailmark
