// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/foreign_summary.h"
#include "analysis/operating_point.h"
#include "analysis/repeats.h"
#include "analysis/slo.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

namespace tailmark {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::optional<double> medianRate(const Repeats& repeats, Metric metric)
{
    std::vector<double> values;
    for (const PointSummary* p : repeats) {
        if (const auto rate = p->rate(metric))
            values.push_back(*rate);
    }
    return medianOf(std::move(values));
}

const ConstraintResult* constraintOf(const PointSummary& p, std::size_t i)
{
    return i < p.slo.constraints.size() ? &p.slo.constraints[i] : nullptr;
}

/// The repeats that measured what a limit is of.
Repeats measuring(const Repeats& repeats, std::size_t constraint)
{
    Repeats those;
    std::copy_if(repeats.begin(), repeats.end(), std::back_inserter(those), [&](const PointSummary* p) {
        const ConstraintResult* c = constraintOf(*p, constraint);
        return !c || c->measured;
    });
    return those;
}

/// A repeat in which nothing succeeded has no value; it counts as one beyond every limit.
double valueOrWorst(const ConstraintResult* c)
{
    if (!c)
        return kNever;
    const std::optional<Metric> metric = metricOf(c->limit);
    const double worst = metric && !metricInfo(*metric).lowerIsBetter ? -kNever : kNever;
    return c->value.value_or(worst);
}

/// The envelope of one figure of a limit and its interval over the repeats; absent where one has no figure.
template <typename Value, typename Bounds>
std::optional<Interval> intervalOf(const Repeats& repeats, std::size_t constraint, Value&& value, Bounds&& bounds)
{
    std::vector<double> values;
    std::vector<std::optional<Interval>> intervals;
    for (const PointSummary* p : repeats) {
        const ConstraintResult* c = constraintOf(*p, constraint);
        const std::optional<double> own = c ? value(*c) : std::nullopt;
        if (!own)
            return std::nullopt;
        values.push_back(*own);
        intervals.push_back(bounds(*c));
    }
    return envelope(values, intervals);
}

/// The quantile that decides. Where it was not counted, as of pooled gaps, it is that of the successes, beyond every limit
/// where failures alone break this one.
double countedOf(const ConstraintResult& c)
{
    if (c.counted)
        return *c.counted;
    const bool byFailures = c.value && isWithinLimit(c.limit, *c.value) && !isEnoughWithin(c.limit, c.withinShare);
    return c.value && !byFailures ? *c.value : beyondEveryLimit(c.limit);
}

/// 95 % of a rate within each repeat's window, and all repeats.
std::optional<Interval> rateInterval(const Repeats& repeats, Metric metric)
{
    std::vector<double> values;
    std::vector<std::optional<Interval>> intervals;
    for (const PointSummary* p : repeats) {
        const auto rate = p->rate(metric);
        const auto interval = p->rateIntervals.find(metric);
        if (!rate || interval == p->rateIntervals.end())
            return std::nullopt;
        values.push_back(*rate);
        intervals.push_back(interval->second);
    }
    return envelope(values, intervals);
}

void addDoubts(std::vector<std::string>& doubts, const Repeats& counting)
{
    for (const PointSummary* p : counting) {
        if (p->verdict.valid)
            continue;
        for (const VerdictReason& reason : p->verdict.reasons) {
            if (std::find(doubts.begin(), doubts.end(), reason.code) == doubts.end())
                doubts.push_back(reason.code);
        }
    }
}

/// See CurveLevel::notTold.
std::string notToldOf(const Repeats& repeats)
{
    for (const PointSummary* p : repeats) {
        const auto reason = std::find_if(p->verdict.reasons.begin(), p->verdict.reasons.end(),
                                         [](const VerdictReason& r) { return r.code == kNotTold; });
        if (reason != p->verdict.reasons.end())
            return reason->text;
    }
    return {};
}

/// By the median of the repeats: the value within the limit, or enough requests within it where it is not finite.
HeldLimit heldLimit(const Repeats& repeats, std::size_t constraint, const SloLimit& limit)
{
    HeldLimit held;
    std::vector<double> values, shares;
    for (const PointSummary* p : repeats) {
        const ConstraintResult* c = constraintOf(*p, constraint);
        values.push_back(c ? countedOf(*c) : beyondEveryLimit(limit));
        shares.push_back(c ? c->withinShare : 0);
        held.weak |= c && c->weak;
        if (c && c->n > 0 && (held.n == 0 || c->n < held.n))
            held.n = c->n;
    }
    if (repeats.empty())
        return held;
    held.measured = true;
    held.value = medianOf(std::move(values));
    held.share = *medianOf(std::move(shares));
    held.interval = intervalOf(
        repeats, constraint,
        [](const ConstraintResult& c) { return c.value ? std::optional(countedOf(c)) : std::nullopt; },
        [](const ConstraintResult& c) { return c.counted ? c.countedCi95 : c.ci95; });
    held.shareInterval = intervalOf(
        repeats, constraint, [](const ConstraintResult& c) { return std::optional(c.withinShare); },
        [](const ConstraintResult& c) { return c.withinCi95; });
    held.meets = meetsLimit(limit, held.value, held.share);
    return held;
}

CurveLevel makeLevel(const Load& load, const Repeats& all, const Slo& slo)
{
    Repeats counting;
    std::copy_if(all.begin(), all.end(), std::back_inserter(counting),
                 [](const PointSummary* p) { return p->verdict.valid || p->verdict.failureStands; });
    CurveLevel level;
    level.load = load;
    level.repeats = static_cast<int>(all.size());
    level.valid = !counting.empty();
    addDoubts(level.doubts, counting);
    if (!level.valid)
        level.notTold = notToldOf(all);
    const Repeats& used = level.valid ? counting : all;
    level.passes = !slo.empty();
    bool broken = false;
    for (std::size_t i = 0; i < slo.size(); ++i) {
        const Repeats those = measuring(used, i);
        std::vector<double> values;
        for (const PointSummary* p : those)
            values.push_back(valueOrWorst(constraintOf(*p, i)));
        level.values.push_back(medianOf(std::move(values)));
        level.intervals.push_back(intervalOf(
            those, i, [](const ConstraintResult& c) { return c.value; },
            [](const ConstraintResult& c) { return c.ci95; }));
        level.held.push_back(heldLimit(those, i, slo[i]));
        const HeldLimit& held = level.held.back();
        level.judged = level.judged && held.measured;
        level.passes = level.passes && held.meets;
        broken |= held.measured && !held.meets;
    }
    level.judged = level.judged || broken;
    level.requestsPerS = medianRate(used, Metric::RequestsPerS);
    level.outputTokensPerS = medianRate(used, Metric::OutputTokensPerS);
    level.goodputRequestsPerS = medianRate(used, Metric::GoodputRequestsPerS);
    level.goodputTokensPerS = medianRate(used, Metric::GoodputTokensPerS);
    level.requestsInterval = rateInterval(used, Metric::RequestsPerS);
    level.outputTokensInterval = rateInterval(used, Metric::OutputTokensPerS);
    return level;
}

Curve makeCurve(Curve curve, const Repeats& points)
{
    std::vector<Load> loads;
    for (const PointSummary* p : points) {
        if (std::find(loads.begin(), loads.end(), p->point.load) == loads.end())
            loads.push_back(p->point.load);
    }
    std::sort(loads.begin(), loads.end(), [](const Load& a, const Load& b) { return a.value < b.value; });
    for (const Load& load : loads) {
        Repeats repeats;
        std::copy_if(points.begin(), points.end(), std::back_inserter(repeats),
                     [&](const PointSummary* p) { return p->point.load == load; });
        curve.levels.push_back(makeLevel(load, repeats, curve.slo));
    }
    return curve;
}

} // namespace

std::vector<Curve> makeCurves(std::span<const PointSummary> points, const Slo& slo)
{
    std::vector<Curve> curves;
    for (const PointSummary& p : points) {
        const TestKind kind = p.point.kind;
        if (kind != TestKind::ConcurrencySweep && kind != TestKind::ArrivalSweep)
            continue;
        const bool known =
            std::any_of(curves.begin(), curves.end(), [&](const Curve& c) { return c.test == p.point.test; });
        if (!known)
            curves.push_back({p.point.test, kind, p.point.load.axis, slo, {}, {}});
    }
    for (Curve& curve : curves) {
        const Curve bare = curve;
        Repeats all;
        std::map<int, Repeats> byRepeat;
        for (const PointSummary& p : points) {
            if (p.point.test != curve.test)
                continue;
            all.push_back(&p);
            byRepeat[p.point.repeat].push_back(&p);
        }
        curve = makeCurve(bare, all);
        if (byRepeat.size() < 2)
            continue;
        for (const auto& [repeat, its] : byRepeat)
            curve.repeats.push_back(makeCurve(bare, its));
    }
    return curves;
}

} // namespace tailmark
