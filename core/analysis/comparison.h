// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/operating_point.h"
#include "plan/matrix.h"
#include "record/run_card.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailmark {

/// One entry of card, workload or measurement that is not the same, or not known, in two runs.
struct Difference
{
    std::string key;      ///< "card.flags.max_num_seqs", "workload.cache", …
    std::string a, b;     ///< "unknown" where it is not known
    bool unknown = false; ///< at least one side does not know it, so that it may differ
    /// Another difference of which this one is a part, empty else: another engine has another version, and
    /// flags that the first does not know ("card.engine"). It is listed, and not counted for itself.
    std::string partOf;
    bool operator==(const Difference&) const = default;
};

struct RunFacts
{
    Matrix matrix;
    RunCard card;
    /// Of a run that another tool measured: nothing that a matrix says of it is known.
    bool matrixUnknown = false;
    /// Fields of requests that rows of a prompts file give, and of how many; empty: none do.
    std::string extrasOfRows = {};
};

/// Every difference of card, workload, measurement, limits, and of what tests of the same name ask for,
/// quantization first. Target URL, names and notes are no difference, nor are the levels of a sweep (only
/// shared levels are compared). An entry unknown on both sides is listed last.
std::vector<Difference> differences(const RunFacts& a, const RunFacts& b);
/// Controlled: exactly one known difference and no entry unknown on one side only.
bool isControlled(std::span<const Difference> differences);
/// "Controlled: only flags.max_num_seqs differs" / "Uncontrolled: 3 things differ".
std::string comparisonSentence(std::span<const Difference> differences);

/// B/A with a 95 % interval. The interval combines those of the two sides on the logarithm (MOVER: Zou and
/// Donner, Statistics in Medicine 27, 2008); absent where a side has none.
struct Ratio
{
    double value = 1;
    std::optional<Interval> ci95;
    /// Chance alone does not explain it: there is an interval, and 1 is outside.
    bool isDistinguishable() const { return ci95 && (ci95->low > 1 || ci95->high < 1); }
    bool operator==(const Ratio&) const = default;
};
struct Estimate
{
    double value = 0;
    std::optional<Interval> ci95;
};
/// Absent unless the first is above 0; a second of 0 gives 0 without an interval.
std::optional<Ratio> ratioOf(const Estimate& a, const Estimate& b);

/// How the two runs were taken. Paired (run/paired.h): the same requests on the same schedule, each level on one engine
/// and at once on the other, the order changing from level to level and from repeat to repeat. What drifts meanwhile
/// falls on both alike, so that with repeats a ratio is taken pair by pair, and its interval from the spread of these.
enum class Pairing { Apart, Paired };

/// By how much two runs of one and the same engine are taken to differ, up and down, beyond the noise inside each:
/// machines warm up, share their host, place memory otherwise. It is an assumption, used and said where a run has no
/// repeats that show it. Paired runs share what changes with time.
inline constexpr double kAssumedBetweenRuns = 0.05;
inline constexpr double kAssumedBetweenPairs = 0.02;

/// One level that both runs have; medians of the repeats that may be believed (of all where none may). Intervals
/// as in CapacityComparison.
struct LevelComparison
{
    std::string test;
    Load load;
    std::optional<double> throughputA, throughputB, throughputRatio; ///< output tok/s; ratio B/A
    /// The latency that the SLO limits first, else the p99 of the headline latency.
    Metric latencyMetric = Metric::Ttft;
    double latencyPercent = 99;
    std::optional<double> latencyA, latencyB, latencyRatio;          ///< ms
    bool weakA = false, weakB = false; ///< fewer than ten values beyond the latency in one of the repeats
    std::optional<double> goodputA, goodputB, goodputRatio;          ///< requests/s
    std::optional<Interval> throughputRatioCi95, latencyRatioCi95, goodputRatioCi95;
    bool validA = false, validB = false;
    bool checkedA = true, checkedB = true; ///< false: another tool measured it, which nothing could check
};
/// Whose points of a level may be believed: "both", "A", "neither", "A, B not checked", "not checked".
std::string believedText(const LevelComparison& level, const std::string& nameA, const std::string& nameB);
std::vector<LevelComparison> compareLevels(std::span<const PointSummary> a, std::span<const PointSummary> b,
                                           Pairing pairing = Pairing::Apart);

/// Capacity at the SLO of two runs: output tok/s where the limit is crossed. Where a run has but one repeat, the
/// interval of the ratio holds what is assumed of the noise between runs (or pairs) beside the noise within them.
struct CapacityComparison
{
    std::string test;
    std::optional<Ratio> ratio; ///< absent unless both operating points have a crossing with a throughput
    /// Without it: bounds of B/A of the loads that meet the limit, and of the output tok/s there, from the levels that pass
    /// and fail; they hold no noise. Absent where no level bounds it; those of the load for numbers of clients, which are no
    /// capacity.
    std::optional<double> leastLoadRatio, mostLoadRatio, leastThroughputRatio, mostThroughputRatio;
    std::string sentence;       ///< what may be said of the two, with latency and interval in it
};
/// Two operating points of one test under one SLO; `nameA` and `nameB` name the runs in the sentence.
CapacityComparison compareCapacity(const OperatingPoint& a, const OperatingPoint& b, const std::string& nameA,
                                   const std::string& nameB);
/// The same of paired runs. `ratios`: B/A of the repeats that have a capacity on both sides.
CapacityComparison comparePairedCapacity(const OperatingPoint& a, const OperatingPoint& b,
                                         std::span<const double> ratios, const std::string& nameA,
                                         const std::string& nameB);
/// The same for each test that has an operating point in both runs.
std::vector<CapacityComparison> compareCapacities(std::span<const OperatingPoint> a,
                                                  std::span<const OperatingPoint> b, const std::string& nameA,
                                                  const std::string& nameB);
/// And of paired runs, from the points that both were summarised to under one SLO.
std::vector<CapacityComparison> comparePairedCapacities(std::span<const PointSummary> a,
                                                        std::span<const PointSummary> b, const Slo& slo,
                                                        const std::string& nameA, const std::string& nameB);

/// "25 % more throughput (20 % less time for the same work)": the two percentages of one ratio, each by its
/// name.
std::string gainText(double throughputRatio);

} // namespace tailmark
