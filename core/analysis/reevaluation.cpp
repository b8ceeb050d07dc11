// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/reevaluation.h"

#include "analysis/point_data.h"
#include "analysis/slo.h"
#include "analysis/summarize.h"
#include "analysis/token_flow.h"
#include "analysis/verdict.h"
#include "analysis/window_rate.h"
#include "base/sort_values.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace tailmark {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint8_t kOutside = 0xff;

/// One metric of every record, in their order. A value that a request cannot have is no number and breaks no
/// limit; that of one that was cut off is the least that it would have been.
struct Column
{
    std::vector<double> values;
    std::vector<double> inOrder, sorted;         ///< of successful requests in the window
    std::map<double, LimitedQuantile> quantiles; ///< by percentile
};

bool isRequestScope(const SloLimit& limit)
{
    const std::optional<Metric> metric = metricOf(limit);
    return metric && metricInfo(*metric).scope == MetricScope::Request;
}

} // namespace

class Reevaluation::Point
{
public:
    Point(const PointSummary& summary, std::shared_ptr<const RecordBatch> records, const PointFacts& facts);
    void evaluate(const Slo& slo, FailureDenominator denominator, PointSummary& summary);

private:
    enum Flag : std::uint8_t { Completed = 1, Cancelled = 2, Accepted = 4, InWindow = 8 };

    Column& column(Metric metric);
    const LimitedQuantile& quantileOf(Column& column, const SloLimit& limit);
    ConstraintResult constraint(const SloLimit& limit, std::uint8_t belongs);
    void setRates(const Slo& slo, PointSummary& summary) const;

    PointPlan m_point;
    PointFacts m_facts;
    std::shared_ptr<const RecordBatch> m_records;
    Nanoseconds m_windowStart{0}, m_windowEnd{0};
    std::vector<std::uint32_t> m_order; ///< successful requests in the window by intended start
    std::vector<std::uint8_t> m_flags;
    std::vector<std::uint8_t> m_completedIn; ///< slice of the window
    std::vector<std::uint32_t> m_tokensFrom; ///< of each record, and one more; into the two below
    std::vector<std::uint8_t> m_tokenSlices;
    std::vector<double> m_tokens;
    std::map<Metric, Column> m_columns;

    std::vector<std::uint8_t> m_good, m_broken; ///< under the SLO that is being evaluated
};

Reevaluation::Point::Point(const PointSummary& summary, std::shared_ptr<const RecordBatch> records,
                           const PointFacts& facts)
    : m_point(summary.point), m_facts(facts), m_records(std::move(records))
{
    const Slo none;
    const PointData data(m_point, none, *m_records, m_facts);
    m_windowStart = data.windowStart;
    m_windowEnd = data.windowEnd;
    const std::size_t n = m_records->records.size();
    m_flags.resize(n);
    m_completedIn.assign(n, kOutside);
    m_tokensFrom.assign(n + 1, 0);
    const WindowRate slices(m_windowStart, m_windowEnd);
    for (std::size_t i = 0; i < n; ++i) {
        const RequestRecord& r = m_records->records[i];
        const bool completed = r.outcome == Outcome::Completed;
        m_flags[i] = static_cast<std::uint8_t>(
            (completed ? Completed : 0) | (r.outcome == Outcome::Cancelled ? Cancelled : 0) |
            (isAccepted(r) ? Accepted : 0) | (data.covers(r.intended) ? InWindow : 0));
        if (completed) {
            if (const auto slice = slices.sliceOf(completionTime(r)))
                m_completedIn[i] = static_cast<std::uint8_t>(*slice);
            forEachTokenArrival(r, m_records->chunksOf(r), [&](Nanoseconds at, double amount) {
                const auto slice = slices.sliceOf(at);
                if (!slice)
                    return;
                const bool same = m_tokens.size() > m_tokensFrom[i] && m_tokenSlices.back() == *slice;
                if (same) {
                    m_tokens.back() += amount;
                    return;
                }
                m_tokenSlices.push_back(static_cast<std::uint8_t>(*slice));
                m_tokens.push_back(amount);
            });
        }
        m_tokensFrom[i + 1] = static_cast<std::uint32_t>(m_tokens.size());
    }
    for (const RequestRecord* r : data.inWindow)
        if (r->outcome == Outcome::Completed)
            m_order.push_back(static_cast<std::uint32_t>(r - m_records->records.data()));
}

Column& Reevaluation::Point::column(Metric metric)
{
    const auto [it, isNew] = m_columns.try_emplace(metric);
    Column& column = it->second;
    if (!isNew)
        return column;
    column.values.reserve(m_flags.size());
    for (const RequestRecord& r : m_records->records) {
        std::optional<double> value;
        if (r.outcome == Outcome::Completed)
            value = requestValue(metric, r);
        else if (r.outcome == Outcome::Cancelled)
            value = valueAtLeast(metric, r);
        column.values.push_back(value.value_or(kNone));
    }
    for (const std::uint32_t i : m_order)
        if (column.values[i] == column.values[i])
            column.inOrder.push_back(column.values[i]);
    column.sorted = column.inOrder;
    sortValues(column.sorted);
    return column;
}

const LimitedQuantile& Reevaluation::Point::quantileOf(Column& column, const SloLimit& limit)
{
    const auto [it, isNew] = column.quantiles.try_emplace(limit.percentile);
    if (isNew)
        it->second = limitedQuantile(limit, column.sorted, column.inOrder);
    return it->second;
}

/// Counts who is within the limit, and leaves in m_good and m_broken what it says of each request.
ConstraintResult Reevaluation::Point::constraint(const SloLimit& limit, std::uint8_t belongs)
{
    const Metric metric = *metricOf(limit);
    Column& values = column(metric);
    ConstraintResult c;
    c.limit = limit;
    const LimitedQuantile& quantile = quantileOf(values, limit);
    c.value = quantile.value;
    c.ci95 = quantile.ci95;
    std::size_t within = 0;
    const auto walk = [&](auto&& breaks) {
        for (std::size_t i = 0; i < m_flags.size(); ++i) {
            const bool breaksIt = breaks(values.values[i]); // false of no number
            m_good[i] &= !breaksIt;
            m_broken[i] |= breaksIt;
            within += !breaksIt && (m_flags[i] & belongs) == belongs;
        }
    };
    if (metricInfo(metric).lowerIsBetter)
        walk([most = limit.limit](double value) { return value > most; });
    else
        walk([least = limit.limit](double value) { return value < least; });
    c.withinShare = static_cast<double>(within); // a share once the denominator is known
    return c;
}

void Reevaluation::Point::setRates(const Slo& slo, PointSummary& summary) const
{
    for (const Metric metric :
         {Metric::GoodputRequestsPerS, Metric::GoodputTokensPerS, Metric::SloAttainment}) {
        summary.rates.erase(metric);
        summary.rateIntervals.erase(metric);
    }
    if (slo.empty())
        return;
    if (summary.slo.denominator > 0)
        summary.rates[Metric::SloAttainment] = summary.slo.attainment;
    if (m_windowEnd <= m_windowStart)
        return;
    WindowRate requests(m_windowStart, m_windowEnd), tokens(m_windowStart, m_windowEnd);
    for (std::size_t i = 0; i < m_flags.size(); ++i) {
        if (!m_good[i])
            continue;
        if (m_completedIn[i] != kOutside)
            requests.addTo(m_completedIn[i], 1);
        for (std::uint32_t at = m_tokensFrom[i]; at < m_tokensFrom[i + 1]; ++at)
            tokens.addTo(m_tokenSlices[at], m_tokens[at]);
    }
    const auto put = [&](Metric metric, const WindowRate& rate) {
        summary.rates[metric] = rate.perSecond();
        summary.rateIntervals[metric] = rate.interval();
    };
    put(Metric::GoodputRequestsPerS, requests);
    if (summary.rate(Metric::OutputTokensPerS))
        put(Metric::GoodputTokensPerS, tokens);
}

void Reevaluation::Point::evaluate(const Slo& slo, FailureDenominator denominator, PointSummary& summary)
{
    if (!std::all_of(slo.begin(), slo.end(), isRequestScope)) {
        summary = summarize(m_point, slo, denominator, *m_records, m_facts);
        return;
    }
    const std::size_t n = m_flags.size();
    m_good.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        m_good[i] = m_flags[i] & Completed;
    m_broken.assign(n, 0);
    const auto counted =
        static_cast<std::uint8_t>(InWindow | (denominator == FailureDenominator::Accepted ? Accepted : 0));

    SloResult result;
    for (const SloLimit& limit : slo)
        result.constraints.push_back(constraint(limit, counted | Completed));
    for (std::size_t i = 0; i < n; ++i) {
        if (!(m_flags[i] & InWindow))
            continue;
        if ((m_flags[i] & Cancelled) && !m_broken[i]) {
            ++result.undecided;
        } else if ((m_flags[i] & counted) == counted) {
            ++result.denominator;
            result.good += m_good[i];
        }
    }
    if (result.denominator > 0)
        result.attainment = static_cast<double>(result.good) / static_cast<double>(result.denominator);
    for (ConstraintResult& c : result.constraints) {
        const auto within = static_cast<std::size_t>(c.withinShare);
        c.withinShare = result.denominator > 0
                            ? static_cast<double>(within) / static_cast<double>(result.denominator)
                            : 0;
        c.met = c.value && isWithinLimit(c.limit, *c.value) &&
                reaches(within, result.denominator, c.limit.percentile);
    }
    result.met = !slo.empty() && std::all_of(result.constraints.begin(), result.constraints.end(),
                                             [](const ConstraintResult& c) { return c.met; });
    summary.slo = std::move(result);
    setRates(slo, summary);
    summary.verdict = judgeUnder(slo, summary);
}

Reevaluation::Reevaluation(FailureDenominator denominator) : m_denominator(denominator) {}
Reevaluation::Reevaluation(Reevaluation&&) noexcept = default;
Reevaluation& Reevaluation::operator=(Reevaluation&&) noexcept = default;
Reevaluation::~Reevaluation() = default;

void Reevaluation::add(const PointSummary& summary, std::shared_ptr<const RecordBatch> records,
                       const PointFacts& facts)
{
    m_points.push_back(std::make_unique<Point>(summary, std::move(records), facts));
    m_summaries.push_back(summary);
}

const std::vector<PointSummary>& Reevaluation::under(const Slo& slo)
{
    for (std::size_t i = 0; i < m_points.size(); ++i)
        m_points[i]->evaluate(slo, m_denominator, m_summaries[i]);
    return m_summaries;
}

std::vector<OperatingPoint> Reevaluation::operatingPoints(const Slo& slo)
{
    std::vector<OperatingPoint> points;
    for (const Curve& curve : makeCurves(under(slo), slo))
        points.push_back(findOperatingPoint(curve));
    return points;
}

} // namespace tailmark
