// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics.h"

#include <algorithm>
#include <array>

namespace tailmark {

namespace {

using enum Metric;
constexpr MetricScope kRequest = MetricScope::Request;
constexpr MetricScope kChunk = MetricScope::Chunk;
constexpr MetricScope kPoint = MetricScope::Point;

// In the order of the enumeration.
constexpr std::array kCatalogue = {
    MetricInfo{Ttft, kRequest, "ttft_ms", "ms", "Time to first token", "TTFT",
               "First token minus sent: the service's view. The first token is the first event that proves a "
               "generated "
               "token (text, reasoning, tool call), never a role-only or empty chunk.",
               true},
    MetricInfo{TtftIntended, kRequest, "ttft_intended_ms", "ms",
               "Time to first token from the intended start", "TTFT (intended)",
               "First token minus the moment the schedule wanted the request sent: the user's view, in which "
               "a late send "
               "counts. Headline latency of every open-loop test.",
               true},
    MetricInfo{Tpot, kRequest, "tpot_ms", "ms", "Time per output token", "TPOT",
               "(Last token - first token) / (output tokens - tokens of the first token event, 1 where "
               "unknown), one value "
               "a request. Absent below two output tokens and where one event carried everything.",
               true},
    MetricInfo{E2e, kRequest, "e2e_ms", "ms", "End-to-end latency", "E2E",
               "Last token minus sent. A usage chunk or [DONE] after the last token lengthens nothing.",
               true},
    MetricInfo{E2eIntended, kRequest, "e2e_intended_ms", "ms", "End-to-end latency from the intended start",
               "E2E (intended)", "Last token minus the moment the schedule wanted the request sent.", true},
    MetricInfo{SendLag, kRequest, "send_lag_ms", "ms", "Send lag", "Lag",
               "Sent minus intended, without the time to connect: the load generator's own delay. Taken over "
               "every request "
               "that was sent, also over those that failed.",
               true},
    MetricInfo{
        OutputTokensPerSUser, kRequest, "output_tokens_per_s_user", "tok/s", "Output rate of one user",
        "Per user",
        "Output tokens of a request / its end-to-end latency. A user's rate; such rates are never added up.",
        false},
    MetricInfo{TokensPerChunk, kRequest, "tokens_per_chunk", "tokens", "Tokens per chunk", "Tokens/chunk",
               "Output tokens of a request / its token-bearing events. Above 1 under speculative decoding or "
               "a stream "
               "interval: then a gap between chunks is not a time per token.",
               false},
    MetricInfo{ChunkGap, kChunk, "chunk_gap_ms", "ms", "Gap between chunks", "Chunk gap",
               "Time between successive token-bearing events, pooled over all requests: what a user sees. A "
               "chunk is not a "
               "token. Gaps of one request depend on each other, so no interval is given.",
               true},
    MetricInfo{Itl, kChunk, "itl_ms", "ms", "Inter-token latency", "ITL",
               "Gap before a chunk / tokens of the chunk, weighted by the tokens. Only of requests whose "
               "tokens per chunk "
               "are all known.",
               true},
    MetricInfo{OutputTokensPerS, kPoint, "output_tokens_per_s", "tok/s", "Output throughput", "Throughput",
               "Useful output tokens that arrived inside the window / length of the window, over one shared "
               "wall clock, "
               "never a sum or mean of rates. Useful: of requests that succeeded, or that were cancelled "
               "only because the "
               "point ended; failed requests give nothing. Where the tokens of a chunk are unknown the "
               "request's reported "
               "total is spread evenly over its token events.",
               false},
    MetricInfo{CompletedTokensPerS, kPoint, "completed_tokens_per_s", "tok/s",
               "Output throughput of finished requests", "Finished",
               "As the output throughput, but of requests that succeeded alone: nothing of those cut off by "
               "the end of the "
               "point.",
               false},
    MetricInfo{RequestsPerS, kPoint, "requests_per_s", "1/s", "Request throughput", "Requests/s",
               "Requests whose answer was complete inside the window / length of the window.", false},
    MetricInfo{OfferedPerS, kPoint, "offered_per_s", "1/s", "Offered rate", "Offered",
               "Requests intended inside the window / length of the window.", false},
    MetricInfo{SentPerS, kPoint, "sent_per_s", "1/s", "Sent rate", "Sent",
               "Requests sent inside the window / length of the window.", false},
    MetricInfo{
        AcceptedPerS, kPoint, "accepted_per_s", "1/s", "Accepted rate", "Accepted",
        "Requests answered with HTTP 200 whose first token came inside the window / length of the window.",
        false},
    MetricInfo{CompletedPerS, kPoint, "completed_per_s", "1/s", "Completed rate", "Completed",
               "Requests that succeeded, by the moment of their last token inside the window / length of the "
               "window.",
               false},
    MetricInfo{
        GoodputRequestsPerS, kPoint, "goodput_requests_per_s", "1/s", "Goodput in requests", "Goodput",
        "As the completed rate, but only requests that met every limit of the SLO, each measured on its own.",
        false},
    MetricInfo{
        GoodputTokensPerS, kPoint, "goodput_tokens_per_s", "tok/s", "Goodput in tokens", "Goodput (tokens)",
        "As the output throughput, but only of requests that succeeded and met every limit of the SLO.",
        false},
    MetricInfo{
        SloAttainment, kPoint, "slo_attainment", "", "SLO attainment", "Attainment",
        "Good requests / requests of the stated denominator, by intended start. Attempted: failures and "
        "requests "
        "never sent are misses. Accepted: requests without HTTP 200 and a first token are left out. A "
        "request "
        "cancelled by the end of the point before it had broken a limit is undecided and in neither number.",
        false},
};

constexpr bool inEnumerationOrder()
{
    for (std::size_t i = 0; i < kCatalogue.size(); ++i) {
        if (kCatalogue[i].metric != static_cast<Metric>(i))
            return false;
    }
    return true;
}
static_assert(inEnumerationOrder());

/// Useful tokens over which the time between first and last token is spread; absent where the client cannot
/// see it.
std::optional<double> timePerOutputToken(const RequestRecord& r)
{
    const std::optional<double> span = msBetween(r.firstToken, r.lastToken);
    if (!span || r.outputTokens < 2 || r.tokenEvents < 2)
        return std::nullopt;
    const int first = r.firstEventTokens == kUnknownCount ? 1 : r.firstEventTokens;
    const int rest = r.outputTokens - first;
    if (rest < 1)
        return std::nullopt;
    return *span / rest;
}

} // namespace

std::span<const MetricInfo> metricCatalogue()
{
    return kCatalogue;
}

const MetricInfo& metricInfo(Metric metric)
{
    return kCatalogue[static_cast<std::size_t>(metric)];
}

std::optional<Metric> metricFromId(std::string_view id)
{
    const auto it =
        std::find_if(kCatalogue.begin(), kCatalogue.end(), [&](const MetricInfo& m) { return m.id == id; });
    return it == kCatalogue.end() ? std::nullopt : std::optional(it->metric);
}

std::optional<double> requestValue(Metric metric, const RequestRecord& r)
{
    switch (metric) {
    case Ttft:
        return msBetween(r.sent, r.firstToken);
    case TtftIntended:
        return msBetween(r.intended, r.firstToken);
    case Tpot:
        return timePerOutputToken(r);
    case E2e:
        return msBetween(r.sent, r.lastToken);
    case E2eIntended:
        return msBetween(r.intended, r.lastToken);
    case SendLag: {
        if (!isPresent(r.intended) || !isPresent(r.sent))
            return std::nullopt;
        return toMs(std::max(Nanoseconds(0), r.sent - r.intended - r.connect));
    }
    case OutputTokensPerSUser: {
        const std::optional<double> e2e = msBetween(r.sent, r.lastToken);
        if (!e2e || *e2e <= 0 || r.outputTokens < 1)
            return std::nullopt;
        return r.outputTokens / (*e2e / 1000);
    }
    case TokensPerChunk:
        if (r.outputTokens < 1 || r.tokenEvents < 1)
            return std::nullopt;
        return static_cast<double>(r.outputTokens) / r.tokenEvents;
    default:
        return std::nullopt;
    }
}

Nanoseconds completionTime(const RequestRecord& r)
{
    return isPresent(r.lastToken) ? r.lastToken : r.closed;
}

Nanoseconds endTime(const RequestRecord& r)
{
    return isPresent(r.closed) ? r.closed : r.lastToken;
}

bool isAccepted(const RequestRecord& r)
{
    return r.httpStatus == 200 && (isPresent(r.firstToken) || r.outcome == Outcome::Completed);
}

Metric headlineMetric(bool openLoop)
{
    return openLoop ? TtftIntended : Ttft;
}

} // namespace tailmark
