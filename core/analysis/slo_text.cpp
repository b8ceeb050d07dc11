// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/operating_point.h"
#include "analysis/text.h"
#include "base/percentile_text.h"

#include <charconv>
#include <cmath>

namespace tailmark {

namespace {

Error wrong(const std::string& text, const std::string& what)
{
    return {ErrorCode::BadInput, "slo",
            "\"" + text + "\": " + what + "; a limit looks like ttft_ms:p99<=1000 (rates: >=)"};
}

std::optional<double> numberFrom(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::string limitableIds()
{
    std::string ids;
    for (const MetricInfo& info : metricCatalogue()) {
        if (info.scope != MetricScope::Point)
            ids += (ids.empty() ? "" : ", ") + std::string(info.id);
    }
    return ids;
}

std::string withoutBlanks(const std::string& text)
{
    std::string kept;
    for (const char c : text) {
        if (c != ' ' && c != '\t')
            kept += c;
    }
    return kept;
}

} // namespace

Result<SloLimit> parseSloLimit(const std::string& text)
{
    const std::string t = withoutBlanks(text);
    const std::size_t colon = t.find(':');
    const std::size_t sign = t.find_first_of("<>");
    if (colon == std::string::npos || sign == std::string::npos || sign < colon || sign + 1 >= t.size() ||
        t[sign + 1] != '=')
        return wrong(text, "not a limit");
    SloLimit limit;
    limit.metric = t.substr(0, colon);
    const std::optional<Metric> metric = metricFromId(limit.metric);
    if (!metric || metricInfo(*metric).scope == MetricScope::Point)
        return wrong(text, "no metric of a request is called \"" + limit.metric + "\"; there are " +
                               limitableIds());
    const bool lower = metricInfo(*metric).lowerIsBetter;
    if ((t[sign] == '<') != lower)
        return wrong(text,
                     std::string(limit.metric) + (lower ? " is limited with <=" : " is limited with >="));
    const std::string_view percentile = std::string_view(t).substr(colon + 1, sign - colon - 1);
    const auto percent = percentile.starts_with('p') ? numberFrom(percentile.substr(1)) : std::nullopt;
    if (!percent || *percent <= 0 || *percent >= 100)
        return wrong(text, "the percentile must be p and a number above 0 and below 100");
    const auto value = numberFrom(std::string_view(t).substr(sign + 2));
    if (!value || *value <= 0)
        return wrong(text, "the limit must be a number above 0");
    limit.percentile = *percent;
    limit.limit = *value;
    return limit;
}

std::string notMeasuredText(Metric metric)
{
    const MetricInfo& info = metricInfo(metric);
    switch (metric) {
    case Metric::Itl:
        return "no time between tokens was measured; workload.token_evidence asks the engine for it";
    case Metric::Tpot:
        return "no time per output token was measured: it needs answers of two tokens or more, in several chunks, whose "
               "number the engine tells";
    case Metric::OutputTokensPerSUser:
    case Metric::TokensPerChunk:
        return "no " + std::string(info.id) + " was measured: the engine told no number of output tokens";
    case Metric::ChunkGap:
        return "no gap between chunks was measured: every answer came in one chunk";
    default:
        return "no " + std::string(info.id) + " was measured";
    }
}

std::string sloSentence(const SloLimit& limit)
{
    const std::optional<Metric> metric = metricFromId(limit.metric);
    const std::string share = percentileText(limit.percentile).substr(1) + " % of ";
    const std::string time = durationText(limit.limit);
    const std::string value = figureText(limit.limit);
    if (!metric)
        return limit.metric + " is no metric";
    switch (*metric) {
    case Metric::Ttft:
        return share + "requests see their first token within " + time;
    case Metric::TtftIntended:
        return share + "requests see their first token within " + time + " of their intended start";
    case Metric::Tpot:
        return share + "requests take at most " + time + " per output token";
    case Metric::E2e:
        return share + "requests are answered in full within " + time;
    case Metric::E2eIntended:
        return share + "requests are answered in full within " + time + " of their intended start";
    case Metric::SendLag:
        return share + "requests are sent within " + time + " of their intended start";
    case Metric::ChunkGap:
        return share + "gaps between chunks are at most " + time;
    case Metric::Itl:
        return share + "tokens come within " + time + " of the one before";
    case Metric::OutputTokensPerSUser:
        return share + "requests get at least " + value + " tok/s";
    case Metric::TokensPerChunk:
        return share + "requests get at least " + value + " tokens per chunk";
    default:
        break;
    }
    const MetricInfo& info = metricInfo(*metric);
    return std::string(info.title) + " is at " + (info.lowerIsBetter ? "most " : "least ") + value +
           (info.unit.empty() ? "" : " " + std::string(info.unit));
}

} // namespace tailmark
