// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/trace_summary.h"

#include "analysis/quantile.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Json = nlohmann::ordered_json;

double msOf(double ns)
{
    return std::round(ns / 100.0) / 10'000.0;
}

Json lengthsJson(std::vector<double> values)
{
    if (values.empty())
        return nullptr;
    std::ranges::sort(values);
    const auto whole = [&](double percent) { return static_cast<std::int64_t>(*quantile(values, percent)); };
    return {{"n", values.size()}, {"min", static_cast<std::int64_t>(values.front())},
            {"p50", whole(50)},   {"p90", whole(90)},
            {"p99", whole(99)},   {"max", static_cast<std::int64_t>(values.back())}};
}

/// Of the gaps in ns between successive arrivals.
Json gapsJson(std::vector<double> gaps)
{
    if (gaps.empty())
        return nullptr;
    const double sum = std::accumulate(gaps.begin(), gaps.end(), 0.0);
    std::ranges::sort(gaps);
    return {{"n", gaps.size()},
            {"mean_ms", msOf(sum / static_cast<double>(gaps.size()))},
            {"min_ms", msOf(gaps.front())},
            {"p50_ms", msOf(*quantile(gaps, 50))},
            {"p90_ms", msOf(*quantile(gaps, 90))},
            {"p99_ms", msOf(*quantile(gaps, 99))},
            {"max_ms", msOf(gaps.back())}};
}

/// Pearson's coefficient; null where one side does not vary.
Json pearson(const std::vector<double>& a, const std::vector<double>& b)
{
    const auto n = static_cast<double>(a.size());
    const double meanA = std::accumulate(a.begin(), a.end(), 0.0) / n;
    const double meanB = std::accumulate(b.begin(), b.end(), 0.0) / n;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - meanA) * (b[i] - meanB);
        aa += (a[i] - meanA) * (a[i] - meanA);
        bb += (b[i] - meanB) * (b[i] - meanB);
    }
    return aa > 0 && bb > 0 ? Json(ab / std::sqrt(aa * bb)) : Json();
}

/// Ranks from 1, equal values sharing the mean of theirs, as Spearman's coefficient wants them.
std::vector<double> ranks(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> result(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        while (end < order.size() && values[order[end]] == values[order[begin]])
            ++end;
        for (std::size_t i = begin; i < end; ++i)
            result[order[i]] = static_cast<double>(begin + end + 1) / 2;
        begin = end;
    }
    return result;
}

} // namespace

nlohmann::ordered_json traceToJson(const Trace& trace)
{
    Json rejected = Json::array();
    for (const RejectedRow& row : trace.rejected)
        rejected.push_back({{"line", row.line}, {"field", row.field}, {"reason", row.reason}});
    std::vector<double> prompt, output, gaps;
    bool timed = true;
    for (std::size_t i = 0; i < trace.rows.size(); ++i) {
        const TraceRow& row = trace.rows[i];
        prompt.push_back(row.lengths.promptTokens);
        output.push_back(row.lengths.outputTokens);
        timed = timed && isPresent(row.arrival);
        if (timed && i > 0)
            gaps.push_back(static_cast<double>((row.arrival - trace.rows[i - 1].arrival).count()));
    }
    timed = timed && !trace.rows.empty();
    const Json duration = timed ? Json(msOf(static_cast<double>(
                                      (trace.rows.back().arrival - trace.rows.front().arrival).count())))
                                : Json();
    return {{"format", trace.format},
            {"length_unit", "tokens"},
            {"rows_accepted", trace.rows.size()},
            {"rows_rejected", trace.rejected.size()},
            {"rejected", std::move(rejected)},
            {"warnings", trace.warnings},
            {"prompt", lengthsJson(prompt)},
            {"output", lengthsJson(output)},
            {"inter_arrival", timed ? gapsJson(std::move(gaps)) : Json()},
            {"duration_ms", duration},
            {"correlation",
             {{"pearson", pearson(prompt, output)}, {"spearman", pearson(ranks(prompt), ranks(output))}}},
            {"prefix", nullptr}};
}

} // namespace tailmark
