// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/rng.h"
#include "plan/plan.h"
#include "plan/rate_curve.h"
#include "plan/validate.h"

#include <algorithm>
#include <bit>

#include <boost/random/uniform_int_distribution.hpp>

namespace tailmark {

namespace {

/// Dimensions of randomness; their numbers are part of what a seed means and never change.
enum Dimension : std::uint64_t { Arrivals = 1, LengthsOf = 2, Prompts = 3, ThinkTimes = 4, Order = 5 };

/// Seeds depend on the test's name, the load and the repeat only, so that nothing else in the matrix moves
/// them. 53 bits, which every JSON reader holds exactly.
PointSeeds seedsFor(std::uint64_t seed, const PointPlan& point)
{
    const std::uint64_t place =
        deriveSeed(hashText(point.test), std::bit_cast<std::uint64_t>(point.load.value),
                   static_cast<std::uint64_t>(point.repeat));
    const auto of = [&](Dimension dimension) { return deriveSeed(seed, place, dimension) >> 11; };
    return {of(Arrivals), of(LengthsOf), of(Prompts), of(ThinkTimes)};
}

/// The points of one test in the order of their load, for one repeat.
std::vector<PointPlan> pointsOf(const Matrix& matrix, int testIndex, const std::string& name, int repeat)
{
    const Test& test = matrix.tests[static_cast<std::size_t>(testIndex)];
    PointPlan base;
    base.testIndex = testIndex;
    base.test = name;
    base.kind = test.kind;
    base.repeat = repeat;
    base.lengths = matrix.workload.lengths;
    base.prefix = matrix.workload.prefix;
    base.sessions = matrix.workload.sessions;
    base.output = matrix.workload.output;
    base.cache = matrix.workload.cache;
    base.warmupS = matrix.measurement.warmupS;
    base.durationS = matrix.measurement.durationS;
    if (matrix.measurement.untilStable && test.kind != TestKind::BurstRecovery && test.kind != TestKind::ColdStart) {
        base.maxDurationS = matrix.measurement.maxDurationS;
        base.stableWidth = matrix.measurement.stableWidth;
    }
    base.maxRequests = matrix.measurement.maxRequests;
    base.drainS = matrix.measurement.drainS;
    base.cooldownS = matrix.measurement.cooldownS;

    std::vector<PointPlan> points;
    const auto closedLoop = [&](int concurrency) {
        base.load = {LoadAxis::Concurrency, static_cast<double>(concurrency)};
        base.concurrency = concurrency;
        points.push_back(base);
    };
    const auto openLoop = [&](double rate, std::vector<Phase> phases) {
        base.load = {LoadAxis::RatePerS, rate};
        base.phases = std::move(phases);
        base.process = test.process;
        const bool hasCv = test.process == ArrivalProcess::Gamma || test.process == ArrivalProcess::Weibull;
        base.cv = hasCv ? test.cv : PointPlan().cv;
        if (test.process == ArrivalProcess::Recorded)
            base.recorded = test.recorded;
        base.fanOut = test.fanOut;
        points.push_back(base);
    };
    switch (test.kind) {
    case TestKind::FixedShape:
        base.lengths = fixedLengths(test.promptTokens, test.outputTokens);
        base.sessions = {}; // one shape: no turn that is longer than the one before it
        if (base.prefix.kind == PrefixKind::Trace)
            base.prefix = {};
        closedLoop(test.concurrency);
        break;
    case TestKind::ConcurrencySweep:
        base.thinkTimeS = test.thinkTimeS;
        base.thinkTime = test.thinkTime;
        for (const int level : test.levels)
            closedLoop(level);
        break;
    case TestKind::ArrivalSweep:
        base.shape = test.shape;
        for (const double rate : test.ratesPerS)
            openLoop(rate, {{"steady", rate, base.warmupS + base.longestWindowS()}});
        break;
    case TestKind::BurstRecovery:
        base.durationS = test.baselineS + test.burstS + test.recoveryS;
        openLoop(test.burstRatePerS, {{"baseline", test.baseRatePerS, base.warmupS + test.baselineS},
                                      {"burst", test.burstRatePerS, test.burstS},
                                      {"recovery", test.baseRatePerS, test.recoveryS}});
        break;
    case TestKind::ColdStart:
        base.warmupS = 0;
        base.durationS = test.timeoutS;
        base.maxRequests = test.requests;
        closedLoop(1);
        break;
    }
    return points;
}

/// One repeat of several tests, level by level: the first level of each, the second of each…
std::vector<PointPlan> interleaved(const std::vector<std::vector<PointPlan>>& sweeps)
{
    std::vector<PointPlan> points;
    std::size_t longest = 0;
    for (const auto& sweep : sweeps)
        longest = std::max(longest, sweep.size());
    for (std::size_t level = 0; level < longest; ++level) {
        for (const auto& sweep : sweeps) {
            if (level < sweep.size())
                points.push_back(sweep[level]);
        }
    }
    return points;
}

void shuffle(std::vector<PointPlan>& points, std::uint64_t seed)
{
    Rng rng(seed);
    for (std::size_t left = points.size(); left > 1; --left) {
        boost::random::uniform_int_distribution<std::size_t> pick(0, left - 1);
        std::swap(points[left - 1], points[pick(rng)]);
    }
}

} // namespace

Result<Plan> expand(const Matrix& matrix, const std::vector<std::string>& only)
{
    for (const Finding& finding : validate(matrix)) {
        if (finding.severity == Finding::Severity::Error)
            return Error{ErrorCode::BadInput, finding.path, finding.message};
    }
    const std::vector<std::string> names = testNames(matrix.tests);
    std::vector<int> chosen;
    std::string enabledNames;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!matrix.tests[i].enabled)
            continue;
        enabledNames += (enabledNames.empty() ? "" : ", ") + names[i];
        if (only.empty() || std::find(only.begin(), only.end(), names[i]) != only.end())
            chosen.push_back(static_cast<int>(i));
    }
    for (const std::string& name : only) {
        const bool known = std::any_of(chosen.begin(), chosen.end(),
                                       [&](int i) { return names[static_cast<std::size_t>(i)] == name; });
        if (!known)
            return Error{ErrorCode::BadInput, "tests",
                         "there is no enabled test \"" + name + "\"; there are: " + enabledNames};
    }

    Plan plan{matrix, {}};
    const auto add = [&](const std::vector<PointPlan>& points) {
        plan.points.insert(plan.points.end(), points.begin(), points.end());
    };
    const auto sweep = [&](int test, int repeat) {
        return pointsOf(matrix, test, names[static_cast<std::size_t>(test)], repeat);
    };
    // Whatever else is sent would warm the target up, and once it is warm there is nothing to repeat.
    const auto isCold = [&](int test) {
        return matrix.tests[static_cast<std::size_t>(test)].kind == TestKind::ColdStart;
    };
    for (const int test : chosen)
        if (isCold(test))
            add(sweep(test, 0));
    std::erase_if(chosen, isCold);

    const int repeats = matrix.measurement.repeats;
    if (matrix.measurement.order == PointOrder::Sequential) {
        for (const int test : chosen) {
            for (int repeat = 0; repeat < repeats; ++repeat)
                add(sweep(test, repeat));
        }
    } else {
        // Each repeat is a block with every point once: a drift of the target then falls on all loads alike.
        for (int repeat = 0; repeat < repeats; ++repeat) {
            std::vector<std::vector<PointPlan>> sweeps;
            for (const int test : chosen)
                sweeps.push_back(sweep(test, repeat));
            std::vector<PointPlan> block = interleaved(sweeps);
            if (matrix.measurement.order == PointOrder::Shuffled)
                shuffle(block, deriveSeed(matrix.workload.seed, Order, static_cast<std::uint64_t>(repeat)));
            add(block);
        }
    }
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
        plan.points[i].index = PointIndex{static_cast<std::int32_t>(i)};
        plan.points[i].seeds = seedsFor(matrix.workload.seed, plan.points[i]);
    }
    return plan;
}

PointPlan atLoad(const Matrix& matrix, const PointPlan& point, const Load& load)
{
    PointPlan other = point;
    other.load = load;
    if (!point.openLoop())
        other.concurrency = static_cast<int>(load.value);
    for (Phase& phase : other.phases)
        phase.ratePerS = phase.ratePerS / point.load.value * load.value;
    other.seeds = seedsFor(matrix.workload.seed, other);
    return other;
}

double estimatedSeconds(const Plan& plan)
{
    double seconds = 0;
    for (const PointPlan& point : plan.points)
        if (point.kind != TestKind::ColdStart)
            seconds += point.warmupS + point.durationS + point.cooldownS;
    return seconds;
}

std::optional<double> expectedRequests(const PointPlan& point)
{
    if (!point.openLoop())
        return std::nullopt;
    double requests = 0;
    for (const RateSegment& segment : rateSegments(point))
        requests += segment.requests();
    if (point.maxRequests > 0)
        requests = std::min(requests, static_cast<double>(point.maxRequests));
    return requests;
}

} // namespace tailmark
