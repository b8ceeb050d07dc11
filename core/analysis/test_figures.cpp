// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/test_figures.h"

#include "analysis/repeats.h"
#include "analysis/text.h"

#include <algorithm>
#include <limits>

namespace tailmark {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Of the repeats; one that has no value counts as the worst.
template <typename Of> std::optional<double> medianOver(const Repeats& repeats, Of&& of)
{
    std::vector<double> values;
    for (const PointSummary* p : repeats)
        values.push_back(std::optional<double>(of(*p)).value_or(kNever));
    return medianOf(std::move(values));
}

TestFigure figureOf(const std::string& test, std::string id, std::string title, std::string unit,
                    std::optional<double> value, const std::string& absent)
{
    std::string text = value ? figureText(*value) : absent;
    return {test, std::move(id), std::move(title), std::move(unit), value, std::move(text)};
}

void addBurst(std::vector<TestFigure>& figures, const Repeats& repeats)
{
    const PointSummary& first = *repeats.front();
    const std::string& test = first.point.test;
    const MetricInfo& headline = metricInfo(headlineMetric(true));
    for (std::size_t i = 0; i < first.phases.size(); ++i) {
        const std::string& phase = first.phases[i].name;
        const auto p99 = [&](const PointSummary& p) -> std::optional<double> {
            if (i >= p.phases.size())
                return std::nullopt;
            const auto metric = p.phases[i].metrics.find(headline.metric);
            const Distribution::Quantile* q = metric == p.phases[i].metrics.end() ? nullptr : metric->second.at(99);
            return q ? std::optional(q->value) : std::nullopt;
        };
        figures.push_back(figureOf(test, phase + "_" + std::string(headline.id) + "_p99",
                                   "p99 " + std::string(headline.abbreviation) + ", " + phase,
                                   std::string(headline.unit), medianOver(repeats, p99), "nothing succeeded"));
    }
    const double recoveryS = first.phases.empty() ? 0 : first.phases.back().endS - first.phases.back().startS;
    const std::string notWithin = "not within the " + figureText(recoveryS) + " s of recovery";
    const auto ofBurst = [&](auto member) {
        return medianOver(repeats, [&](const PointSummary& p) -> std::optional<double> {
            return p.burst ? std::optional<double>((*p.burst).*member) : std::nullopt;
        });
    };
    figures.push_back(figureOf(test, "peak_backlog", "Backlog at its peak", "requests",
                               ofBurst(&BurstSummary::peakBacklog), "unknown"));
    figures.push_back(figureOf(test, "backlog_recovered_s", "Backlog back at the level of before, after the burst", "s",
                               ofBurst(&BurstSummary::backlogRecoveredS), notWithin));
    figures.push_back(figureOf(test, "latency_recovered_s", "p99 back at the level of before, after the burst", "s",
                               ofBurst(&BurstSummary::latencyRecoveredS), notWithin));
}

void addColdStart(std::vector<TestFigure>& figures, const Repeats& repeats)
{
    const std::string& test = repeats.front()->point.test;
    const auto add = [&](const char* id, const char* title, const char* unit, const std::string& absent, auto of) {
        figures.push_back(figureOf(test, id, title, unit, medianOver(repeats, [&](const PointSummary& p) {
                                       return std::optional<double>(of(*p.coldStart));
                                   }),
                                   absent));
    };
    using Cold = ColdStartSummary;
    add("ready_s", "Ready, since the start", "s", "unknown", [](const Cold& c) { return c.readyS; });
    add("first_token_s", "First token, since the start", "s", "none", [](const Cold& c) { return c.firstTokenS; });
    add("steady_s", "Steady TTFT, since the start", "s", "not within its requests",
        [](const Cold& c) { return c.steadyS; });
    add("steady_ttft_ms", "TTFT once it is steady", "ms", "unknown", [](const Cold& c) { return c.steadyTtftMs; });
}

} // namespace

std::vector<TestFigure> testFigures(std::span<const PointSummary> points)
{
    std::vector<TestFigure> figures;
    std::vector<std::string> done;
    for (const PointSummary& p : points) {
        if ((!p.burst && !p.coldStart) || std::find(done.begin(), done.end(), p.point.test) != done.end())
            continue;
        done.push_back(p.point.test);
        Repeats repeats;
        for (const PointSummary& other : points)
            if (other.point.test == p.point.test && (other.burst || other.coldStart))
                repeats.push_back(&other);
        if (p.burst)
            addBurst(figures, repeats);
        else
            addColdStart(figures, repeats);
    }
    return figures;
}

} // namespace tailmark
