// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/peer_definitions.h"

#include "analysis/metrics.h"
#include "analysis/quantile.h"
#include "base/sort_values.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tailmark {

namespace {

using Value = std::optional<double>;
using Of = Value (*)(const RequestRecord&);

Value ratio(const Value& value, double divisor)
{
    return value && divisor > 0 ? Value(*value / divisor) : std::nullopt;
}

Value firstEvent(const RequestRecord& r)
{
    return msBetween(r.sent, isPresent(r.firstEvent) ? r.firstEvent : r.firstToken);
}
Value firstToken(const RequestRecord& r)
{
    return msBetween(r.sent, r.firstToken);
}
Value firstAnswerToken(const RequestRecord& r)
{
    return msBetween(r.sent, r.firstAnswerToken);
}
Value lastToken(const RequestRecord& r)
{
    return msBetween(r.sent, r.lastToken);
}
Value streamEnd(const RequestRecord& r)
{
    return msBetween(r.sent, r.closed);
}
Value decodePerToken(const RequestRecord& r)
{
    return ratio(msBetween(r.firstToken, r.lastToken), r.outputTokens - 1);
}
Value decodeFromFirstEvent(const RequestRecord& r)
{
    const Value start = firstEvent(r);
    const Value end = lastToken(r);
    return start && end ? ratio(*end - *start, r.outputTokens - 1) : std::nullopt;
}
Value wholePerToken(const RequestRecord& r)
{
    return ratio(lastToken(r), r.outputTokens);
}
Value streamPerToken(const RequestRecord& r)
{
    return ratio(streamEnd(r), r.outputTokens);
}
Value none(const RequestRecord&)
{
    return std::nullopt;
}

/// Sum of time over sum of weight, over all requests.
struct Pooled
{
    Of time;
    double (*weight)(const RequestRecord&);
};
double gaps(const RequestRecord& r)
{
    return r.tokenEvents - 1;
}
double tokensAfterFirst(const RequestRecord& r)
{
    return r.outputTokens - 1;
}
Value decode(const RequestRecord& r)
{
    return msBetween(r.firstToken, r.lastToken);
}

/// Linear interpolation between the two values beside p x (n - 1), counted from 0: numpy.percentile, pandas' quantile.
std::optional<double> interpolated(std::span<const double> sorted, double percent)
{
    if (sorted.empty())
        return std::nullopt;
    const double place = percent / 100 * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

using Percentile = std::optional<double> (*)(std::span<const double>, double);

struct Peer
{
    std::string_view tool;
    std::string_view definition;
    Percentile percentile;
    Of ttft, tpot, e2e;
    Pooled itl; ///< no weight: the mean of `time` over requests
};

// How each takes its percentiles: numpy.percentile in vLLM's serve.py, SGLang's bench_serving.py and inference-perf's
// reportgen/base.py; virtual_idx in AIPerf's metric_dicts.py; pandas.Series.quantile in LLMPerf's
// token_benchmark_ray.py; searchsorted over the cumulated shares in GuideLLM's schemas/statistics.py.
constexpr Peer kPeers[] = {
    {"vllm",
     "TTFT ends at the first event, also one without a token; TPOT is (E2E - TTFT) / (tokens - 1); ITL is the gap "
     "between chunks; percentiles are interpolated.",
     interpolated,
     firstEvent,
     decodeFromFirstEvent,
     lastToken,
     {decode, gaps}},
    {"sglang",
     "TTFT ends at the first text or reasoning; TPOT is (E2E - TTFT) / (tokens - 1); ITL is the gap between chunks, "
     "which with its own API, and with its own backends under speculative decoding, it divides by the tokens of the "
     "chunk; E2E ends with the stream; percentiles are interpolated.",
     interpolated,
     firstToken,
     decodePerToken,
     streamEnd,
     {decode, gaps}},
    {"guidellm",
     "TPOT holds the first token: (last token - start) / tokens; ITL is what we call TPOT, weighted by tokens; E2E ends "
     "with the stream; percentiles by nearest rank, as ours.",
     quantile,
     firstToken,
     wholePerToken,
     streamEnd,
     {decode, tokensAfterFirst}},
    {"aiperf",
     "ITL is what we call TPOT, a mean over requests; it has no TPOT; percentiles are interpolated.",
     interpolated,
     firstToken,
     none,
     lastToken,
     {decodePerToken, nullptr}},
    {"inference-perf",
     "TTFT ignores reasoning; ITL is the time per token, zero inside a chunk; tokens are recounted by its own tokenizer; "
     "percentiles are interpolated.",
     interpolated,
     firstAnswerToken,
     decodePerToken,
     streamEnd,
     {decode, tokensAfterFirst}},
    {"llmperf",
     "Its inter-token latency holds the first token: E2E / tokens, a mean over requests; tokens are counted by one "
     "tokenizer for all models; percentiles are interpolated.",
     interpolated,
     firstAnswerToken,
     none,
     streamEnd,
     {streamPerToken, nullptr}},
};

std::optional<PeerFigures::Latency> latencyOf(std::span<const RequestRecord* const> records, Of of,
                                              Percentile percentile)
{
    std::vector<double> values;
    for (const RequestRecord* r : records) {
        if (const Value v = of(*r))
            values.push_back(*v);
    }
    if (values.empty())
        return std::nullopt;
    sortValues(values);
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    return PeerFigures::Latency{mean, *percentile(values, 50), *percentile(values, 99)};
}

Value pooledMean(std::span<const RequestRecord* const> records, const Pooled& pooled)
{
    double time = 0;
    double weight = 0;
    for (const RequestRecord* r : records) {
        const Value v = pooled.time(*r);
        const double w = pooled.weight ? pooled.weight(*r) : 1;
        if (!v || w <= 0)
            continue;
        time += *v;
        weight += w;
    }
    return weight > 0 ? Value(time / weight) : std::nullopt;
}

/// All output tokens over the wall clock from the first send to the last answer.
Value wallClockTokens(std::span<const RequestRecord* const> records)
{
    double tokens = 0;
    Nanoseconds first = Nanoseconds::max();
    Nanoseconds last = Nanoseconds::min();
    for (const RequestRecord* r : records) {
        if (r->outputTokens == kUnknownCount || !isPresent(r->sent))
            continue;
        tokens += r->outputTokens;
        first = std::min(first, r->sent);
        last = std::max(last, completionTime(*r));
    }
    return last > first ? Value(tokens / toSeconds(last - first)) : std::nullopt;
}

} // namespace

std::string_view peerDefinition(std::string_view tool)
{
    const auto it = std::ranges::find(kPeers, tool, &Peer::tool);
    return it == std::end(kPeers) ? std::string_view() : it->definition;
}

std::vector<PeerFigures> asOthersCount(std::span<const RequestRecord> records)
{
    std::vector<const RequestRecord*> successful;
    for (const RequestRecord& r : records) {
        if (r.outcome == Outcome::Completed)
            successful.push_back(&r);
    }
    if (successful.empty())
        return {};
    const Value tokens = wallClockTokens(successful);
    // Most are shared by several tools.
    std::map<std::pair<Of, Percentile>, std::optional<PeerFigures::Latency>> known;
    const auto latency = [&](const Peer& peer, Of of) {
        const auto [it, isNew] = known.try_emplace({of, peer.percentile});
        if (isNew)
            it->second = latencyOf(successful, of, peer.percentile);
        return it->second;
    };
    std::vector<PeerFigures> all;
    for (const Peer& peer : kPeers)
        all.push_back({std::string(peer.tool), std::string(peer.definition), latency(peer, peer.ttft),
                       latency(peer, peer.tpot), latency(peer, peer.e2e),
                       pooledMean(successful, peer.itl), tokens});
    return all;
}

} // namespace tailmark
