// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/cold_start.h"

#include "analysis/metrics.h"
#include "analysis/quantile.h"
#include "analysis/text.h"

#include <algorithm>
#include <cstddef>

namespace tailmark {

namespace {

constexpr double kSteadyWithin = 1.1;
constexpr std::size_t kLeastRequests = 4; // two for each half

/// Nearest rank, like every quantile.
double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return *quantile(values, 50);
}

/// Where the values become steady at `level`, if they do.
std::optional<std::size_t> steadyFrom(const std::vector<double>& values, double level)
{
    const auto isSteady = [&](double value) { return value <= level * kSteadyWithin; };
    std::size_t from = values.size();
    for (std::size_t i = values.size(); i-- > 0;) {
        const std::size_t end = std::min(values.size(), i + 3);
        const std::vector<double> three(values.begin() + static_cast<std::ptrdiff_t>(i),
                                        values.begin() + static_cast<std::ptrdiff_t>(end));
        if (three.size() == 3 && !isSteady(median(three)))
            break;
        if (isSteady(values[i]))
            from = i;
    }
    return from < values.size() / 2 + values.size() % 2 ? std::optional(from) : std::nullopt;
}

} // namespace

std::optional<ColdStartSummary> summarizeColdStart(const RecordBatch& batch, const PointFacts& facts)
{
    if (!facts.coldStart)
        return std::nullopt;
    ColdStartSummary s;
    s.command = facts.coldStart->command;
    s.connectedS = facts.coldStart->connectedS;
    s.readyS = facts.coldStart->readyS;
    s.wasUp = s.command.empty() && facts.coldStart->failedAttempts == 0;

    std::vector<const RequestRecord*> requests;
    for (const RequestRecord& record : batch.records)
        requests.push_back(&record);
    std::sort(requests.begin(), requests.end(),
              [](const RequestRecord* a, const RequestRecord* b) { return a->request < b->request; });
    std::vector<double> values;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const RequestRecord& r = *requests[i];
        const auto ttft = r.outcome == Outcome::Completed ? requestValue(Metric::Ttft, r) : std::nullopt;
        s.ttftMs.push_back(ttft);
        if (!ttft)
            continue;
        if (!s.firstTokenS)
            s.firstTokenS = facts.coldStart->requestsFromS + toSeconds(r.firstToken);
        values.push_back(*ttft);
        numbers.push_back(i);
    }
    if (values.size() < kLeastRequests)
        return s;
    s.steadyTtftMs =
        median({values.begin() + static_cast<std::ptrdiff_t>(values.size() - values.size() / 2), values.end()});
    if (const auto from = steadyFrom(values, *s.steadyTtftMs)) {
        const std::size_t number = numbers[*from];
        s.steadyRequest = static_cast<int>(number) + 1;
        s.steadyS = facts.coldStart->requestsFromS + toSeconds(requests[number]->sent);
    }
    return s;
}

std::string coldStartSentence(const ColdStartSummary& s)
{
    std::string text = s.command.empty() ? "From the start of the wait for the target"
                                         : "From the start of the command";
    text += ": connected after " + figureText(s.connectedS) + " s, ready after " + figureText(s.readyS) + " s";
    text += s.firstTokenS ? ", first token after " + figureText(*s.firstTokenS) + " s." : ", and no request had a token.";
    if (s.wasUp)
        text += " It answered at the first attempt, so that it may have been warm.";
    if (!s.steadyTtftMs)
        return text + " Too few requests succeeded to tell when TTFT is steady.";
    const std::string steady = durationText(*s.steadyTtftMs);
    if (!s.steadyRequest)
        return text + " TTFT was not steady within the first half of " + countText(s.ttftMs.size()) +
               " requests; over the other half its median was " + steady + ".";
    if (s.ttftMs.front())
        text += " The first request had a TTFT of " + durationText(*s.ttftMs.front()) + ".";
    return text + " TTFT was steady at " + steady + " from request " + countText(static_cast<std::uint64_t>(*s.steadyRequest)) + " on, " +
           figureText(*s.steadyS) + " s after the start.";
}

} // namespace tailmark
