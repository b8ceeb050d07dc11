// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/request_record.h"

#include <optional>
#include <span>
#include <string_view>

namespace tailmark {

/// The metric catalogue (contract §2): the one place that knows ids, units, definitions and formulas. Screen, command
/// line, CSV, JSON and report all read it, so they cannot disagree.
enum class Metric {
    // one value a request
    Ttft, TtftIntended, Tpot, E2e, E2eIntended, SendLag, OutputTokensPerSUser, TokensPerChunk,
    // pooled over the chunks of all requests
    ChunkGap, Itl,
    // one value a point
    OutputTokensPerS, CompletedTokensPerS, RequestsPerS, OfferedPerS, SentPerS, AcceptedPerS, CompletedPerS,
    GoodputRequestsPerS, GoodputTokensPerS, SloAttainment,
};

enum class MetricScope { Request, Chunk, Point };

struct MetricInfo
{
    Metric metric;
    MetricScope scope;
    std::string_view id;    ///< "ttft_ms"
    std::string_view unit;  ///< "ms", "tok/s", "1/s", ""
    std::string_view title; ///< "Time to first token"
    std::string_view abbreviation; ///< "TTFT"
    std::string_view definition; ///< the formula and its note, one or two sentences, for tooltips and reports
    bool lowerIsBetter;
};

std::span<const MetricInfo> metricCatalogue();
const MetricInfo& metricInfo(Metric metric);
std::optional<Metric> metricFromId(std::string_view id);

/// The value of a Request-scope metric for one record; absent where a moment or count it needs is absent. Says nothing
/// about success: callers leave failed requests out.
std::optional<double> requestValue(Metric metric, const RequestRecord& record);

/// When the answer was complete: its last token, or the end of the response where no token was seen.
Nanoseconds completionTime(const RequestRecord& record);
/// When the request left the system, however it ended: the end of the response, else its last token; absent for a request
/// that was never sent and so waited to the end of the point.
Nanoseconds endTime(const RequestRecord& record);
/// The engine took it on: HTTP 200 and a first token, or an answer that was not streamed.
bool isAccepted(const RequestRecord& record);

/// The latency that a test is judged by: user view (from intended) for open loop, service view else.
Metric headlineMetric(bool openLoop);

} // namespace tailmark
