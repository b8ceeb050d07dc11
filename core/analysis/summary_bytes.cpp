// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/summary_bytes.h"

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tailmark {

namespace {

static_assert(std::endian::native == std::endian::little, "summaries are kept little-endian");

template <typename T, typename Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

/// The members of each structure, for writing and for reading. Each binding names all of them, so that a structure that
/// gets another member does not compile until it is here.
struct Members
{
    template <typename A> static void visit(A& a, Is<Interval> auto& s)
    {
        auto& [low, high] = s;
        a(low, high);
    }
    template <typename A> static void visit(A& a, Is<Distribution::Quantile> auto& s)
    {
        auto& [percent, value, ci95, weak] = s;
        a(percent, value, ci95, weak);
    }
    template <typename A> static void visit(A& a, Is<Distribution> auto& s)
    {
        auto& [n, mean, min, max, quantiles] = s;
        a(n, mean, min, max, quantiles);
    }
    template <typename A> static void visit(A& a, Is<Window> auto& s)
    {
        auto& [startS, endS, warmupS, plannedS, note] = s;
        a(startS, endS, warmupS, plannedS, note);
    }
    template <typename A> static void visit(A& a, Is<SteadyPart> auto& s)
    {
        auto& [startS, endS, pValue, looks] = s;
        a(startS, endS, pValue, looks);
    }
    template <typename A> static void visit(A& a, Is<ShortWarmup> auto& s)
    {
        auto& [ratio, pValue, spoils] = s;
        a(ratio, pValue, spoils);
    }
    template <typename A> static void visit(A& a, Is<SloLimit> auto& s)
    {
        auto& [metric, percentile, limit] = s;
        a(metric, percentile, limit);
    }
    template <typename A> static void visit(A& a, Is<ConstraintResult> auto& s)
    {
        auto& [limit, value, ci95, withinShare, withinCi95, counted, countedCi95, n, weak, met, measured] = s;
        a(limit, value, ci95, withinShare, withinCi95, counted, countedCi95, n, weak, met, measured);
    }
    template <typename A> static void visit(A& a, Is<SloResult> auto& s)
    {
        auto& [met, attainment, good, denominator, undecided, constraints] = s;
        a(met, attainment, good, denominator, undecided, constraints);
    }
    template <typename A> static void visit(A& a, Is<VerdictReason> auto& s)
    {
        auto& [code, text] = s;
        a(code, text);
    }
    template <typename A> static void visit(A& a, Is<Verdict> auto& s)
    {
        auto& [valid, failureStands, rising, reasons] = s;
        a(valid, failureStands, rising, reasons);
    }
    template <typename A> static void visit(A& a, Is<LawCheck> auto& s)
    {
        auto& [law, text, expected, observed, relativeDifference] = s;
        a(law, text, expected, observed, relativeDifference);
    }
    template <typename A> static void visit(A& a, Is<PhaseSummary> auto& s)
    {
        auto& [name, startS, endS, offeredPerS, sentPerS, completedPerS, metrics] = s;
        a(name, startS, endS, offeredPerS, sentPerS, completedPerS, metrics);
    }
    template <typename A> static void visit(A& a, Is<BurstSummary> auto& s)
    {
        auto& [baseline, peak, peakAtS, backlogRecoveredS, latencyRecoveredS, predicted, observed] = s;
        a(baseline, peak, peakAtS, backlogRecoveredS, latencyRecoveredS, predicted, observed);
    }
    template <typename A> static void visit(A& a, Is<TokenFigures> auto& s)
    {
        auto& [mean, p50, p90, p95, p99, max] = s;
        a(mean, p50, p90, p95, p99, max);
    }
    template <typename A> static void visit(A& a, Is<LengthFigures> auto& s)
    {
        auto& [prompt, output, rankCorrelation] = s;
        a(prompt, output, rankCorrelation);
    }
    template <typename A> static void visit(A& a, Is<AskedLengths::Part> auto& s)
    {
        auto& [name, share, figures] = s;
        a(name, share, figures);
    }
    template <typename A> static void visit(A& a, Is<AskedLengths> auto& s)
    {
        auto& [all, parts] = s;
        a(all, parts);
    }
    template <typename A> static void visit(A& a, Is<LengthMatch::Part> auto& s)
    {
        auto& [name, askedShare, requests, share] = s;
        a(name, askedShare, requests, share);
    }
    template <typename A> static void visit(A& a, Is<LengthMatch> auto& s)
    {
        auto& [asked, planned, measured, parts, clipped] = s;
        a(asked, planned, measured, parts, clipped);
    }
    template <typename A> static void visit(A& a, Is<CacheState> auto& s)
    {
        auto& [stated, standing, made, succeeded, requests, promptTokens, cachedTokens, sharedTokens, queries, hits,
               plannedShare, text] = s;
        a(stated, standing, made, succeeded, requests, promptTokens, cachedTokens, sharedTokens, queries, hits,
          plannedShare, text);
    }
    template <typename A> static void visit(A& a, Is<PrefixSharing> auto& s)
    {
        auto& [plannedTokens, plannedOf, source, measuredTokens, measuredOf] = s;
        a(plannedTokens, plannedOf, source, measuredTokens, measuredOf);
    }
    template <typename A> static void visit(A& a, Is<ServerFigure> auto& s)
    {
        auto& [n, mean, min, max, delta, perS, restarted, atRequestEnd] = s;
        a(n, mean, min, max, delta, perS, restarted, atRequestEnd);
    }
    template <typename A> static void visit(A& a, Is<Speculation> auto& s)
    {
        auto& [drafted, accepted, rejected, generated, useful] = s;
        a(drafted, accepted, rejected, generated, useful);
    }
    template <typename A> static void visit(A& a, Is<ServerSummary> auto& s)
    {
        auto& [startS, endS, readings, figures, generatedInPoint, speculation, remarks] = s;
        a(startS, endS, readings, figures, generatedInPoint, speculation, remarks);
    }
    template <typename A> static void visit(A& a, Is<CutOff> auto& s)
    {
        auto& [requests, tokenEvents, tokensPerS] = s;
        a(requests, tokenEvents, tokensPerS);
    }
    template <typename A> static void visit(A& a, Is<ColdStartSummary> auto& s)
    {
        auto& [command, connectedS, readyS, wasUp, firstTokenS, ttftMs, steadyTtftMs, steadyRequest, steadyS] = s;
        a(command, connectedS, readyS, wasUp, firstTokenS, ttftMs, steadyTtftMs, steadyRequest, steadyS);
    }
    template <typename A> static void visit(A& a, Is<PeerFigures::Latency> auto& s)
    {
        auto& [mean, p50, p99] = s;
        a(mean, p50, p99);
    }
    template <typename A> static void visit(A& a, Is<PeerFigures> auto& s)
    {
        auto& [tool, definition, ttft, tpot, e2e, itlMeanMs, outputTokensPerS] = s;
        a(tool, definition, ttft, tpot, e2e, itlMeanMs, outputTokensPerS);
    }
    template <typename A> static void visit(A& a, Is<PointSummary> auto& s)
    {
        auto& [point, window, steady, shortWarmup, rates, rateIntervals, metrics, outcomes, outcomesOfPoint,
               promptTokensPlanned, promptTokens, outputTokensCap, outputTokens, promptErrors, lengths, cache, sharing,
               meanInFlight, slo, verdict, laws, cpuCores, threadCpu, runDelayShare, loopLagMs, timerLagMs,
               newConnections, staleConnections, tokenEvents, coalescedEvents, stamps, server, cutOff, tokensUnknown,
               phases, burst, coldStart, asOthersCount, firstErrors] = s;
        static_cast<void>(point);
        a(window, steady, shortWarmup, rates, rateIntervals, metrics, outcomes, outcomesOfPoint, promptTokensPlanned,
          promptTokens, outputTokensCap, outputTokens, promptErrors, lengths, cache, sharing, meanInFlight, slo, verdict,
          laws, cpuCores, threadCpu, runDelayShare, loopLagMs, timerLagMs, newConnections, staleConnections,
          tokenEvents, coalescedEvents, stamps, server, cutOff, tokensUnknown, phases, burst, coldStart,
          asOthersCount, firstErrors);
    }
};

template <typename E> constexpr E kLast = E{};
template <> constexpr Metric kLast<Metric> = Metric::SloAttainment;
template <> constexpr ServerCounter kLast<ServerCounter> = ServerCounter::QueuedRequests;
template <> constexpr CachePolicy kLast<CachePolicy> = CachePolicy::AsIs;
template <> constexpr CacheStanding kLast<CacheStanding> = CacheStanding::Unverified;
template <> constexpr HitSource kLast<HitSource> = HitSource::Counters;

class Writer
{
public:
    template <typename... Ts> void operator()(const Ts&... values) { (one(values), ...); }
    std::string out;

private:
    template <typename T>
        requires std::is_arithmetic_v<T> || std::is_enum_v<T>
    void one(const T& value)
    {
        out.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void one(const std::string& text) { elements(text); }
    template <typename T> void one(const std::vector<T>& values) { elements(values); }
    template <typename K, typename V> void one(const std::map<K, V>& values) { elements(values); }
    template <typename T, std::size_t N> void one(const std::array<T, N>& values)
    {
        for (const T& value : values)
            one(value);
    }
    template <typename A, typename B> void one(const std::pair<A, B>& value)
    {
        one(value.first);
        one(value.second);
    }
    template <typename T> void one(const std::optional<T>& value)
    {
        one(value.has_value());
        if (value)
            one(*value);
    }
    template <typename T>
        requires std::is_class_v<T>
    void one(const T& structure)
    {
        Members::visit(*this, structure);
    }
    void elements(const auto& values)
    {
        one(static_cast<std::uint64_t>(values.size()));
        for (const auto& value : values)
            one(value);
    }
};

/// Reads no further once something was not there or cannot be.
class Reader
{
public:
    explicit Reader(std::span<const std::byte> bytes) : m_left(bytes) {}
    template <typename... Ts> void operator()(Ts&... values) { (one(values), ...); }
    bool isWhole() const { return m_good && m_left.empty(); }

private:
    template <typename T>
        requires std::is_arithmetic_v<T>
    void one(T& value)
    {
        if (!m_good || m_left.size() < sizeof value) {
            m_good = false;
            return;
        }
        std::memcpy(&value, m_left.data(), sizeof value);
        m_left = m_left.subspan(sizeof value);
    }
    void one(bool& value)
    {
        std::uint8_t byte = 0;
        one(byte);
        value = byte != 0;
    }
    template <typename T>
        requires std::is_enum_v<T>
    void one(T& value)
    {
        std::underlying_type_t<T> number = 0;
        one(number);
        if (std::cmp_less(number, 0) || std::cmp_greater(number, static_cast<std::underlying_type_t<T>>(kLast<T>)))
            m_good = false;
        else
            value = static_cast<T>(number);
    }
    void one(std::string& text)
    {
        text.resize(size());
        for (char& c : text)
            one(c);
    }
    template <typename T> void one(std::vector<T>& values)
    {
        for (std::size_t left = size(); left > 0 && m_good; --left)
            one(values.emplace_back());
    }
    template <typename K, typename V> void one(std::map<K, V>& values)
    {
        for (std::size_t left = size(); left > 0 && m_good; --left) {
            K key{};
            one(key);
            one(values[key]);
        }
    }
    template <typename T, std::size_t N> void one(std::array<T, N>& values)
    {
        for (T& value : values)
            one(value);
    }
    template <typename T> void one(std::optional<T>& value)
    {
        bool isThere = false;
        one(isThere);
        if (isThere)
            one(value.emplace());
    }
    template <typename T>
        requires std::is_class_v<T>
    void one(T& structure)
    {
        Members::visit(*this, structure);
    }
    /// Of what follows, each element of at least a byte.
    std::size_t size()
    {
        std::uint64_t n = 0;
        one(n);
        if (n > m_left.size())
            m_good = false;
        return m_good ? static_cast<std::size_t>(n) : 0;
    }

    std::span<const std::byte> m_left;
    bool m_good = true;
};

} // namespace

std::string summaryToBytes(const PointSummary& summary)
{
    Writer writer;
    writer(summary);
    return std::move(writer.out);
}

std::optional<PointSummary> summaryFromBytes(const PointPlan& point, std::span<const std::byte> bytes)
{
    PointSummary summary;
    Reader reader(bytes);
    reader(summary);
    if (!reader.isWhole())
        return std::nullopt;
    summary.point = point;
    return summary;
}

} // namespace tailmark
