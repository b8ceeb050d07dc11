// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/point_digest.h"

#include "analysis/token_flow.h"
#include "analysis/verdict.h"
#include "base/sort_values.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tailmark {

namespace {

static_assert(std::endian::native == std::endian::little, "digests are kept little-endian");

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool isNumber(double value)
{
    return value == value;
}

template <typename T> void put(std::string& out, std::span<const T> values)
{
    static_assert(std::is_trivially_copyable_v<T>);
    out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

/// Takes values from the front of what is read; false where there are not so many.
template <typename T> bool take(std::span<const std::byte>& from, std::size_t n, std::vector<T>& values)
{
    if (n > from.size() / sizeof(T))
        return false;
    values.resize(n);
    if (n > 0)
        std::memcpy(values.data(), from.data(), n * sizeof(T));
    from = from.subspan(n * sizeof(T));
    return true;
}

} // namespace

MetricColumn metricColumn(Metric metric, const PointFrame& frame)
{
    MetricColumn column;
    column.values.reserve(frame.byStart.size());
    for (const RequestRecord* r : frame.byStart) {
        std::optional<double> value;
        if (r->outcome == Outcome::Completed)
            value = requestValue(metric, *r);
        else if (r->outcome == Outcome::Cancelled)
            value = valueAtLeast(metric, *r);
        column.values.push_back(value.value_or(kNone));
    }
    for (std::size_t i = 0; i < frame.inWindow.size(); ++i) {
        const double value = column.values[frame.firstInWindow() + i];
        if (frame.inWindow[i]->outcome == Outcome::Completed && isNumber(value))
            column.sorted.push_back(value);
    }
    sortValues(column.sorted);
    return column;
}

PointDigest::PointDigest(const PointFrame& frame, const RecordBatch& records)
    : m_windowStart(frame.windowStart), m_windowEnd(frame.windowEnd)
{
    m_requests.reserve(frame.byStart.size());
    const WindowRate window(m_windowStart, m_windowEnd);
    for (const RequestRecord* r : frame.byStart) {
        Request request;
        const bool completed = r->outcome == Outcome::Completed;
        request.flags = static_cast<std::uint8_t>(
            (completed ? Completed : 0) | (r->outcome == Outcome::Cancelled ? Cancelled : 0) |
            (isAccepted(*r) ? Accepted : 0) | (frame.covers(r->intended) ? InWindow : 0));
        if (completed) {
            request.completedIn =
                static_cast<std::uint8_t>(window.sliceOf(completionTime(*r)).value_or(kWindowSlices));
            const SliceAmounts tokens = slicedTokens(*r, records.chunksOf(*r), window).amounts;
            for (std::size_t slice = tokens.first; slice < tokens.end; ++slice)
                m_tokens.push_back(tokens.of[slice]);
            if (tokens.first < tokens.end) {
                request.tokensFrom = static_cast<std::uint8_t>(tokens.first);
                request.tokensEnd = static_cast<std::uint8_t>(tokens.end);
            }
        }
        m_requests.push_back(request);
    }
}

void PointDigest::addColumn(Metric metric, MetricColumn column)
{
    m_columns.insert_or_assign(metric, Column{std::move(column), {}});
}

bool PointDigest::answers(const Slo& slo)
{
    return std::ranges::all_of(slo, [](const SloLimit& limit) {
        const std::optional<Metric> metric = metricOf(limit);
        return metric && metricInfo(*metric).scope == MetricScope::Request;
    });
}

const LimitedQuantile& PointDigest::quantileOf(Column& column, const SloLimit& limit) const
{
    const auto [it, isNew] = column.quantiles.try_emplace(limit.percentile);
    if (!isNew)
        return it->second;
    std::vector<double> inOrder;
    inOrder.reserve(column.sorted.size());
    constexpr std::uint8_t kCounts = Completed | InWindow;
    for (std::size_t i = 0; i < m_requests.size(); ++i)
        if ((m_requests[i].flags & kCounts) == kCounts && isNumber(column.values[i]))
            inOrder.push_back(column.values[i]);
    it->second = limitedQuantile(limit, column.sorted, inOrder);
    return it->second;
}

/// Leaves in m_good and m_broken what a limit says of each request.
ConstraintResult PointDigest::constraint(const SloLimit& limit)
{
    const Metric metric = *metricOf(limit);
    Column& column = m_columns.at(metric);
    ConstraintResult c;
    c.limit = limit;
    const LimitedQuantile& quantile = quantileOf(column, limit);
    c.value = quantile.value;
    c.ci95 = quantile.ci95;
    const auto walk = [&](auto&& breaks) {
        for (std::size_t i = 0; i < m_requests.size(); ++i) {
            const bool breaksIt = breaks(column.values[i]); // false of no number
            m_good[i] &= !breaksIt;
            m_broken[i] |= breaksIt;
        }
    };
    if (metricInfo(metric).lowerIsBetter)
        walk([most = limit.limit](double value) { return value > most; });
    else
        walk([least = limit.limit](double value) { return value < least; });
    return c;
}

void PointDigest::setRates(const Slo& slo, PointSummary& summary) const
{
    for (const Metric metric :
         {Metric::GoodputRequestsPerS, Metric::GoodputTokensPerS, Metric::SloAttainment}) {
        summary.rates.erase(metric);
        summary.rateIntervals.erase(metric);
    }
    if (slo.empty() || !summary.slo.measured())
        return;
    if (summary.slo.denominator > 0)
        summary.rates[Metric::SloAttainment] = summary.slo.attainment;
    if (m_windowEnd <= m_windowStart)
        return;
    WindowRate requests(m_windowStart, m_windowEnd), tokens(m_windowStart, m_windowEnd);
    const double* amount = m_tokens.data();
    for (std::size_t i = 0; i < m_requests.size(); ++i) {
        const Request& request = m_requests[i];
        if (!m_good[i]) {
            amount += request.tokensEnd - request.tokensFrom;
            continue;
        }
        if (request.completedIn < kWindowSlices)
            requests.addTo(request.completedIn, 1);
        for (std::size_t slice = request.tokensFrom; slice < request.tokensEnd; ++slice)
            tokens.addTo(slice, *amount++);
    }
    const auto set = [&](Metric metric, const WindowRate& rate) {
        summary.rates[metric] = rate.perSecond();
        summary.rateIntervals[metric] = rate.interval();
    };
    set(Metric::GoodputRequestsPerS, requests);
    if (summary.rate(Metric::OutputTokensPerS))
        set(Metric::GoodputTokensPerS, tokens);
}

void PointDigest::evaluate(const Slo& slo, FailureDenominator denominator, PointSummary& summary)
{
    const std::size_t n = m_requests.size();
    m_good.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        m_good[i] = m_requests[i].flags & Completed;
    m_broken.assign(n, 0);
    const auto counted =
        static_cast<std::uint8_t>(InWindow | (denominator == FailureDenominator::Accepted ? Accepted : 0));

    SloResult result;
    for (const SloLimit& limit : slo)
        result.constraints.push_back(constraint(limit));
    std::vector<std::uint32_t> whole; // the requests of the denominator, by time
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint8_t flags = m_requests[i].flags;
        if (!(flags & InWindow))
            continue;
        if ((flags & Cancelled) && !m_broken[i]) {
            ++result.undecided;
        } else if ((flags & counted) == counted) {
            whole.push_back(static_cast<std::uint32_t>(i));
            result.good += m_good[i];
        }
    }
    result.denominator = whole.size();
    if (result.denominator > 0)
        result.attainment = static_cast<double>(result.good) / static_cast<double>(result.denominator);
    std::vector<double> inOrder(whole.size());
    for (ConstraintResult& c : result.constraints) {
        const Column& column = m_columns.at(*metricOf(c.limit));
        for (std::size_t i = 0; i < whole.size(); ++i)
            inOrder[i] = m_requests[whole[i]].flags & Completed ? column.values[whole[i]] : beyondEveryLimit(c.limit);
        holdAgainst(c, column.sorted, inOrder);
    }
    result.met = !slo.empty() && std::all_of(result.constraints.begin(), result.constraints.end(),
                                             [](const ConstraintResult& c) { return c.met; });
    summary.slo = std::move(result);
    setRates(slo, summary);
    summary.verdict = judgeUnder(slo, summary);
}

std::string PointDigest::bytes() const
{
    const std::int64_t head[] = {m_windowStart.count(), m_windowEnd.count(),
                                 static_cast<std::int64_t>(m_requests.size())};
    std::string out;
    put(out, std::span<const std::int64_t>(head));
    put(out, std::span(m_requests));
    put(out, std::span(m_tokens));
    return out;
}

std::optional<PointDigest> PointDigest::fromBytes(std::span<const std::byte> bytes)
{
    PointDigest digest;
    std::vector<std::int64_t> head;
    if (!take(bytes, 3, head) || head[2] < 0 ||
        !take(bytes, static_cast<std::size_t>(head[2]), digest.m_requests))
        return std::nullopt;
    digest.m_windowStart = Nanoseconds(head[0]);
    digest.m_windowEnd = Nanoseconds(head[1]);
    std::size_t tokens = 0;
    for (const Request& request : digest.m_requests) {
        if (request.completedIn > kWindowSlices || request.tokensEnd > kWindowSlices ||
            request.tokensFrom > request.tokensEnd)
            return std::nullopt;
        tokens += request.tokensEnd - request.tokensFrom;
    }
    if (!take(bytes, tokens, digest.m_tokens) || !bytes.empty())
        return std::nullopt;
    return digest;
}

std::string PointDigest::columnBytes(const MetricColumn& column)
{
    std::string out;
    put(out, std::span(column.values));
    put(out, std::span(column.sorted));
    return out;
}

bool PointDigest::addColumn(Metric metric, std::span<const std::byte> bytes)
{
    MetricColumn column;
    if (!take(bytes, m_requests.size(), column.values) ||
        !take(bytes, bytes.size() / sizeof(double), column.sorted) || !bytes.empty())
        return false;
    addColumn(metric, std::move(column));
    return true;
}

} // namespace tailmark
