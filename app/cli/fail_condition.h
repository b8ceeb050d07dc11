// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/comparison.h"
#include "base/result.h"
#include "plan/plan.h"
#include "report/run_comparison.h"
#include "report/run_results.h"

#include <optional>
#include <span>
#include <string>

namespace tailmark::cli {

/// A gate for scripts: `--fail-if 'operating_point.load<32'`, `--fail-if 'ttft_ms:p99@8>500'`.
///   operating_point.load|output_tokens_per_s|requests_per_s|goodput_requests_per_s OP VALUE
///   METRIC[:pNN][@LOAD] OP VALUE     at any point, or at the points of this load
/// With "TEST/" before it, of this test only.
/// OP is one of < <= > >=. A gate that cannot be told (its level was not reached, no operating point) counts as
/// holding: what was not measured has not passed.
struct FailCondition
{
    std::string text;
    std::string test;    ///< empty = of every test
    std::string subject; ///< a metric's id, or "operating_point.…"
    std::optional<double> percentile;
    std::optional<double> load;
    bool below = false, orEqual = false; ///< the operator
    double value = 0;

    static Result<FailCondition> parse(const std::string& text);
    /// Of two runs, ratios B/A: `compare … --fail-if 'capacity<0.95'`, of the throughputs at the SLO;
    /// `throughput|latency|goodput[@LOAD]`, at any level that both have, or at those of this load.
    static Result<FailCondition> parseComparison(const std::string& text);
    /// Refuses a gate that no result of this plan can answer: a test or load that is not in it, an operating
    /// point where none will be.
    Status check(const Plan& plan) const;
    /// Why it holds, in words; nothing when it does not.
    std::optional<std::string> holds(const RunResults& results) const;
    std::optional<std::string> holds(const RunComparison& comparison) const;

private:
    std::optional<std::string> holds(std::span<const CapacityComparison> capacities) const;
    std::optional<std::string> holds(std::span<const LevelComparison> levels) const;
    /// What stands on both sides of the operator; the subject is not looked at.
    static Result<FailCondition> parseSides(const std::string& text, const std::string& example);
    Error refused(const std::string& message) const;
    bool fires(double measured) const;
    bool concerns(const std::string& name) const { return test.empty() || test == name; }
};

} // namespace tailmark::cli
