// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/evidence.h"

#include "base/percentile_text.h"
#include "plan/json_visitors.h"
#include "plan/rate_curve.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

constexpr double kTail = 0.025; ///< of a two-sided 95 % interval
constexpr double kTwoNormal = 2 * 1.959964;
constexpr double kRounding = 1e-6;

/// Of an interval around a quantile at one request, in units of the quantile.
double widthOfOne(double percent)
{
    const double above = 1 - percent / 100;
    return kTwoNormal * std::sqrt((1 - above) / above) / std::log(1 / above);
}

double decidingPercentile(const Slo& slo)
{
    double percent = 0;
    for (const SloLimit& limit : slo)
        percent = std::max(percent, limit.percentile);
    return percent > 0 && percent < 100 ? percent : 99;
}

/// Two significant digits, since what stands behind is an assumption.
std::string roughly(double value)
{
    const double digit = std::pow(10, std::floor(std::log10(value)) - 1);
    return keys::exactText(std::round(value / digit) * digit);
}

std::string openText(const LevelEvidence& level)
{
    const double n = *level.requests;
    const Evidence evidence = evidenceOf(level.percent, n);
    const std::string spread =
        level.spread > kMostCountSpread ? ", give or take " + roughly(100 * level.spread) + " %," : std::string();
    std::string text = keys::exactText(std::round(n)) + " requests" + spread + " in " + keys::exactText(level.windowS) +
                       " s: " + percentileText(level.percent) + " ";
    if (evidence == Evidence::None)
        return text + "has no interval, which needs " + keys::exactText(level.neededForInterval);
    text += evidence == Evidence::Weak ? "is weak below " + keys::exactText(level.neededToBeFirm) : "is firm";
    return text + ", its interval about " + roughly(100 * widthOfSamples(level.percent, n)) +
           " % wide where latencies fall off exponentially";
}

std::string closedText(const LevelEvidence& level)
{
    return percentileText(level.percent) + " has an interval from " +
           roughly(level.neededForInterval / level.windowS) + " requests/s on and is firm from " +
           roughly(level.neededToBeFirm / level.windowS) + " requests/s on (" +
           keys::exactText(level.neededToBeFirm) + " in " + keys::exactText(level.windowS) + " s)";
}

/// Expected in the window; of a burst in its baseline.
double requestsInWindow(const PointPlan& point, double windowS)
{
    const double requests = requestsBetween(point, point.warmupS, point.warmupS + windowS);
    return point.maxRequests > 0 ? std::min(requests, static_cast<double>(point.maxRequests)) : requests;
}

} // namespace

double samplesForInterval(double percent)
{
    const double p = std::max(percent, 100 - percent) / 100;
    return std::ceil(std::log(kTail) / std::log(p) - kRounding);
}

double samplesForPercentile(double percent)
{
    return std::ceil(10 / (1 - percent / 100) - kRounding);
}

double samplesForWidth(double percent, double width)
{
    return std::ceil(std::pow(widthOfOne(percent) / width, 2));
}

double widthOfSamples(double percent, double n)
{
    return widthOfOne(percent) / std::sqrt(n);
}

double countSpread(ArrivalProcess process, double cv, int fanOut, double n)
{
    if (n <= 0 || process == ArrivalProcess::Recorded)
        return 0;
    if (process == ArrivalProcess::Constant)
        return fanOut > 1 ? fanOut / n : 0;
    return (process == ArrivalProcess::Poisson ? 1 : cv) * std::sqrt(fanOut / n);
}

const char* evidenceWords(Evidence evidence)
{
    switch (evidence) {
    case Evidence::None:
        return "no interval";
    case Evidence::Weak:
        return "weak";
    case Evidence::Firm:
        break;
    }
    return "firm";
}

Evidence evidenceOf(double percent, double n)
{
    if (n < samplesForInterval(percent))
        return Evidence::None;
    return n < samplesForPercentile(percent) ? Evidence::Weak : Evidence::Firm;
}

std::vector<LevelEvidence> expectedEvidence(const Plan& plan)
{
    std::vector<LevelEvidence> levels;
    for (const PointPlan& point : plan.points) {
        const bool known = std::any_of(levels.begin(), levels.end(), [&](const LevelEvidence& l) {
            return l.test == point.test && l.load == point.load;
        });
        if (known)
            continue;
        LevelEvidence level{point.test, point.load, decidingPercentile(plan.matrix.slo),
                            point.longestWindowS()};
        if (point.kind == TestKind::ColdStart)
            continue;
        if (point.kind == TestKind::FixedShape)
            level.percent = 50;
        if (point.kind == TestKind::BurstRecovery && !point.phases.empty())
            level.windowS = point.phases.front().durationS - point.warmupS;
        if (level.windowS <= 0)
            continue;
        level.neededForInterval = samplesForInterval(level.percent);
        level.neededToBeFirm = samplesForPercentile(level.percent);
        if (point.openLoop()) {
            level.requests = requestsInWindow(point, level.windowS);
            level.spread = countSpread(point.process, point.cv, point.fanOut, *level.requests);
        }
        level.text = level.requests ? openText(level) : closedText(level);
        levels.push_back(std::move(level));
    }
    return levels;
}

} // namespace tailmark
