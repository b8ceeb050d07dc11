// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/server_summary.h"

#include "analysis/point_data.h"
#include "analysis/text.h"
#include "analysis/token_flow.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

using Samples = std::span<const ServerSample>;

/// A reading so near to an edge of the window stands for it.
constexpr Nanoseconds kNear{500'000'000};

std::vector<Nanoseconds> readingTimes(Samples samples)
{
    std::vector<Nanoseconds> times;
    for (const ServerSample& s : samples)
        times.push_back(s.at);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
}

/// The values of one counter between two times, both included.
std::vector<const ServerSample*> valuesOf(Samples samples, ServerCounter counter, Nanoseconds from,
                                          Nanoseconds to)
{
    std::vector<const ServerSample*> values;
    for (const ServerSample& s : samples)
        if (s.counter == counter && s.at >= from && s.at <= to)
            values.push_back(&s);
    std::sort(values.begin(), values.end(),
              [](const ServerSample* a, const ServerSample* b) { return a->at < b->at; });
    return values;
}

/// Where a counter fell: the place behind the fall, or the end.
auto findFall(const std::vector<const ServerSample*>& values)
{
    const auto fall =
        std::adjacent_find(values.begin(), values.end(),
                           [](const ServerSample* a, const ServerSample* b) { return b->value < a->value; });
    return fall == values.end() ? fall : fall + 1;
}

ServerFigure gaugeFigure(const std::vector<const ServerSample*>& values)
{
    ServerFigure figure;
    double sum = 0;
    double low = values.front()->value;
    double high = low;
    for (const ServerSample* s : values) {
        sum += s->value;
        low = std::min(low, s->value);
        high = std::max(high, s->value);
    }
    figure.n = values.size();
    figure.mean = sum / static_cast<double>(values.size());
    figure.min = low;
    figure.max = high;
    return figure;
}

ServerFigure counterFigure(const std::vector<const ServerSample*>& values)
{
    ServerFigure figure;
    figure.n = values.size();
    figure.restarted = findFall(values) != values.end();
    if (figure.restarted || values.size() < 2)
        return figure;
    figure.delta = values.back()->value - values.front()->value;
    figure.perS = *figure.delta / toSeconds(values.back()->at - values.front()->at);
    return figure;
}

double usefulPerS(const PointData& data, Nanoseconds from, Nanoseconds to)
{
    double tokens = 0;
    for (const RequestRecord& r : data.batch.records) {
        if (hasUsefulTokens(r))
            forEachTokenArrival(r, data.batch.chunksOf(r), [&](Nanoseconds at, double amount) {
                tokens += at >= from && at < to ? amount : 0;
            });
    }
    return tokens / toSeconds(to - from);
}

/// All counters of an engine fall together; the first tells of it.
void noteRestart(ServerSummary& summary, Samples samples)
{
    for (const ServerCounterInfo& info : serverCounters()) {
        if (info.gauge)
            continue;
        const auto values = valuesOf(samples, info.counter, Nanoseconds::min(), Nanoseconds::max());
        const auto fall = findFall(values);
        if (fall == values.end())
            continue;
        summary.remarks.push_back("The engine's counters fell at " + figureText(toSeconds((*fall)->at)) +
                                  " s (" + std::string(info.title) + ": from " +
                                  figureText((*(fall - 1))->value) + " to " + figureText((*fall)->value) +
                                  "): it was started again, and no difference is taken across that moment");
        return;
    }
}

/// From the last reading before the first request to the last one of all.
std::optional<double> generatedInPoint(Samples samples)
{
    const auto values =
        valuesOf(samples, ServerCounter::GeneratedTokens, Nanoseconds::min(), Nanoseconds::max());
    if (values.size() < 2 || values.front()->at > Nanoseconds(0) || findFall(values) != values.end())
        return std::nullopt;
    return values.back()->value - values.front()->value;
}

} // namespace

const ServerFigure* ServerSummary::figure(ServerCounter counter) const
{
    const auto found = figures.find(counter);
    return found == figures.end() ? nullptr : &found->second;
}

std::optional<double> ServerSummary::delta(ServerCounter counter) const
{
    const ServerFigure* found = figure(counter);
    return found ? found->delta : std::nullopt;
}

std::optional<double> ServerSummary::prefixHitShare() const
{
    const std::optional<double> queries = delta(ServerCounter::PrefixQueries);
    const std::optional<double> hits = delta(ServerCounter::PrefixHits);
    return queries && hits && *queries > 0 ? std::optional(*hits / *queries) : std::nullopt;
}

std::optional<double> ServerSummary::meanQueueS() const
{
    const std::optional<double> time = delta(ServerCounter::QueueTime);
    const std::optional<double> requests = delta(ServerCounter::QueuedRequests);
    return time && requests && *requests > 0 ? std::optional(*time / *requests) : std::nullopt;
}

std::optional<ServerSummary> summarizeServer(const PointData& data)
{
    const Samples samples = data.facts.serverSamples;
    ServerSummary summary;
    if (!data.facts.serverNote.empty())
        summary.remarks.push_back(data.facts.serverNote);
    const std::vector<Nanoseconds> times = readingTimes(samples);
    if (times.empty())
        return summary.remarks.empty() ? std::nullopt : std::optional(summary);
    const auto begin = std::lower_bound(times.begin(), times.end(), data.windowStart - kNear);
    const auto end = std::upper_bound(times.begin(), times.end(), data.windowEnd + kNear);
    // of the readings near an edge the nearest
    const auto nearest = [&](Nanoseconds edge) {
        return std::min_element(begin, end, [&](Nanoseconds a, Nanoseconds b) {
            return std::chrono::abs(a - edge) < std::chrono::abs(b - edge);
        });
    };
    noteRestart(summary, samples);
    summary.generatedInPoint = generatedInPoint(samples);
    if (begin >= end)
        return summary; // none inside the window
    const Nanoseconds from = *nearest(data.windowStart);
    const Nanoseconds to = *nearest(data.windowEnd);
    summary.startS = toSeconds(from);
    summary.endS = toSeconds(to);
    summary.readings = static_cast<std::size_t>(
        std::count_if(times.begin(), times.end(), [&](Nanoseconds t) { return t >= from && t <= to; }));
    for (const ServerCounterInfo& info : serverCounters()) {
        const auto values = valuesOf(samples, info.counter, from, to);
        if (values.empty())
            continue;
        ServerFigure& figure = summary.figures[info.counter] =
            info.gauge ? gaugeFigure(values) : counterFigure(values);
        figure.atRequestEnd =
            std::find(data.facts.countedAtRequestEnd.begin(), data.facts.countedAtRequestEnd.end(),
                      info.counter) != data.facts.countedAtRequestEnd.end();
    }
    const ServerFigure* drafted = summary.figure(ServerCounter::SpecDrafted);
    const ServerFigure* accepted = summary.figure(ServerCounter::SpecAccepted);
    if (drafted && accepted && drafted->delta.value_or(0) > 0 && accepted->perS) {
        Speculation& s = summary.speculation.emplace();
        s.draftedPerS = *drafted->perS;
        s.acceptedPerS = *accepted->perS;
        s.rejectedPerS = s.draftedPerS - s.acceptedPerS;
        if (const ServerFigure* generated = summary.figure(ServerCounter::GeneratedTokens))
            s.generatedPerS = generated->perS;
        s.usefulPerS = usefulPerS(data, from, to);
    }
    return summary;
}

} // namespace tailmark
