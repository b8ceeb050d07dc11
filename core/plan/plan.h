// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "plan/matrix.h"

#include <string>
#include <vector>

namespace tailmark {

enum class LoadAxis { Concurrency, RatePerS };
/// "concurrency", "rate_per_s": the contract's `load.axis`.
const char* loadAxisId(LoadAxis axis);

/// Where on its axis a point stands.
struct Load
{
    LoadAxis axis = LoadAxis::Concurrency;
    double value = 1;
    bool operator==(const Load&) const = default;
};

/// A stretch of an open-loop schedule with one rate. Sweeps have one ("steady"); burst/recovery has three.
struct Phase
{
    std::string name = "steady"; ///< "steady", "baseline", "burst", "recovery"
    double ratePerS = 0;
    double durationS = 0; ///< warm-up included in the first
    bool operator==(const Phase&) const = default;
};

/// A seed for each dimension, so that one can change without the others. Two engines compared under one
/// matrix get the same four.
struct PointSeeds
{
    std::uint64_t arrivals = 0, lengths = 0, prompts = 0, thinkTimes = 0;
    bool operator==(const PointSeeds&) const = default;
};

/// One load level of one test in one repeat, fully resolved.
struct PointPlan
{
    PointIndex index;
    int testIndex = 0; ///< into Plan::matrix.tests
    std::string test;  ///< its name
    TestKind kind = TestKind::ConcurrencySweep;
    Load load;
    int repeat = 0; ///< from 0

    // closed loop (fixed_shape, concurrency_sweep, cold_start)
    int concurrency = 0; ///< 0 = open loop
    double thinkTimeS = 0;
    ThinkTime thinkTime = ThinkTime::Constant;
    // open loop (arrival_sweep, burst_recovery)
    std::vector<Phase> phases;
    ArrivalProcess process = ArrivalProcess::Poisson;
    double cv = 1.0;
    RecordedArrivals recorded;
    std::vector<RateFactor> shape;
    int fanOut = 1;

    Lengths lengths;
    Prefix prefix;
    Sessions sessions;
    OutputPolicy output = OutputPolicy::Natural;
    CachePolicy cache = CachePolicy::AsIs;
    double warmupS = 0;
    double durationS = 0; ///< of the window
    /// The window goes on beyond `durationS` until it is stable, at most so long; 0 = it does not. An open loop's
    /// schedule is made for all of it.
    double maxDurationS = 0;
    double stableWidth = 0; ///< stable: the interval of every limited quantile is at most this share of it wide
    std::int64_t maxRequests = 0;
    double drainS = 0;
    double cooldownS = 0;
    PointSeeds seeds;
    bool added = false; ///< not of the matrix: between two levels of a sweep that bracket its operating point

    bool openLoop() const { return concurrency == 0; }
    double longestWindowS() const { return durationS > maxDurationS ? durationS : maxDurationS; }
    bool operator==(const PointPlan&) const = default;
};

/// The matrix with no default left open: an ordered list of points. Saved with the run.
struct Plan
{
    Matrix matrix;
    std::vector<PointPlan> points;
    bool operator==(const Plan&) const = default;
};

/// Resolves a matrix. A cold start comes first, and once whatever the repeats. Only tests named in `only` (all
/// when empty). Errors: the first error of validate(), a name in `only` that no enabled test has, or no test
/// left to run.
Result<Plan> expand(const Matrix& matrix, const std::vector<std::string>& only = {});

/// The same point at another level of its sweep, with the seeds that the matrix gives it there; its index is the caller's
/// to set.
PointPlan atLoad(const Matrix& matrix, const PointPlan& point, const Load& load);

/// What the plan will roughly take: seconds of wall clock (warm-up, window, cooldown; a cold start takes as long
/// as the target needs and counts as nothing), and per point the expected number of requests where the load
/// fixes it (open loop; of the longest window), else no value.
double estimatedSeconds(const Plan& plan);
std::optional<double> expectedRequests(const PointPlan& point);

} // namespace tailmark
