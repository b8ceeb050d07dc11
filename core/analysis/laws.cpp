// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/laws.h"

#include "analysis/text.h"

#include <cmath>
#include <optional>

namespace tailmark {

namespace {

LawCheck lawCheck(const char* law, std::string formula, double expected, double observed, const char* unit)
{
    LawCheck check{law, {}, expected, observed, (observed - expected) / expected};
    check.text = std::move(formula) + " = " + figureText(expected) + unit + ", observed " +
                 figureText(observed) + unit + " (" + (check.relativeDifference > 0 ? "+" : "") +
                 percentText(check.relativeDifference) + ")";
    return check;
}

/// Mean from the moment a worker was free to the end of its request, over those that ended inside the window,
/// however they ended; in seconds.
std::optional<double> meanCycle(const PointData& data)
{
    double sum = 0;
    double n = 0;
    for (const RequestRecord& r : data.batch.records) {
        const Nanoseconds end = endTime(r);
        if (!data.covers(end) || !isPresent(r.intended))
            continue;
        sum += toSeconds(end - r.intended);
        ++n;
    }
    return n > 0 ? std::optional(sum / n) : std::nullopt;
}

} // namespace

std::vector<LawCheck> checkLaws(const PointData& data, const PointSummary& summary)
{
    std::vector<LawCheck> laws;
    const double completed = summary.rate(Metric::CompletedPerS).value_or(0);
    const Distribution* e2e = summary.distribution(Metric::E2e);
    if (completed > 0 && e2e && e2e->mean > 0) {
        const double response = e2e->mean / 1000;
        laws.push_back(lawCheck("little",
                                "Little: completed/s x mean response = " + figureText(completed) + "/s x " +
                                    figureText(response) + " s",
                                completed * response, data.answering.mean(data.windowStart, data.windowEnd),
                                " in flight"));
    }
    const std::optional<double> cycle = meanCycle(data);
    if (!data.point.openLoop() && completed > 0 && cycle) {
        const double think = data.point.thinkTimeS;
        laws.push_back(lawCheck("closed_loop",
                                "Closed loop: N / (R + Z) = " + figureText(data.point.concurrency) + " / (" +
                                    figureText(*cycle) + " s + " + figureText(think) + " s)",
                                data.point.concurrency / (*cycle + think), completed, "/s"));
    }
    const double offered = summary.rate(Metric::OfferedPerS).value_or(0);
    const double expected = (offered - completed) * data.window.lengthS();
    constexpr double kPastCapacity = 10; // requests; below that it is the edge of the window
    if (data.point.openLoop() && expected >= kPastCapacity) {
        const double observed = static_cast<double>(data.backlog.at(data.windowEnd)) -
                                static_cast<double>(data.backlog.at(data.windowStart));
        laws.push_back(lawCheck("backlog",
                                "Backlog: (offered - completed) x time = (" + figureText(offered) + "/s - " +
                                    figureText(completed) + "/s) x " + figureText(data.window.lengthS()) +
                                    " s",
                                expected, observed, " requests"));
        const std::uint64_t rejected = summary.count(Outcome::Rejected);
        if (rejected > 0)
            laws.back().text += "; " + countText(rejected) + " were rejected instead of queued";
    }
    return laws;
}

} // namespace tailmark
