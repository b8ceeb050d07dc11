// SPDX-License-Identifier: GPL-3.0-or-later
#include "progress_view.h"

#include "output.h"

#include <cstdio>
#include <utility>
#include <variant>

#include <unistd.h>

namespace tailmark::cli {

namespace {

constexpr double kPlainLineEveryS = 5;
constexpr double kRateOverS = 1;

double perSecond(std::uint64_t from, std::uint64_t to, double seconds)
{
    return static_cast<double>(to - from) / seconds;
}

} // namespace

ProgressView::ProgressView(const Plan& plan) : m_plan(plan), m_terminal(isatty(STDERR_FILENO) == 1) {}

ProgressView::~ProgressView()
{
    if (m_lineOpen)
        std::fputs("\n", stderr);
}

void ProgressView::print(const std::string& line)
{
    std::fprintf(stderr, "%s%s%s\n", m_lineOpen ? "\r\033[K" : "", m_side.c_str(), oneLine(line).c_str());
    m_lineOpen = false;
}

std::string ProgressView::pointText() const
{
    const bool closed = m_point.load.axis == LoadAxis::Concurrency;
    std::string text = "[" + std::to_string(m_point.point.value + 1) + "/" + std::to_string(m_points) + "] " +
                       m_point.test + (closed ? ", concurrency " : ", rate ") + figure(m_point.load.value) +
                       (closed ? "" : "/s");
    if (m_plan.matrix.measurement.repeats > 1)
        text += ", repeat " + std::to_string(m_point.repeat + 1);
    return text;
}

std::string ProgressView::phaseText(double elapsedS) const
{
    if (elapsedS < m_point.warmupS)
        return "warm-up";
    if (elapsedS >= m_point.warmupS + m_point.durationS)
        return m_plan.matrix.measurement.untilStable ? "until stable, and drain" : "drain";
    const auto index = static_cast<std::size_t>(m_point.point.value);
    if (m_point.kind != TestKind::BurstRecovery || index >= m_plan.points.size())
        return "steady";
    double end = 0;
    for (const Phase& phase : m_plan.points[index].phases) {
        end += phase.durationS;
        if (elapsedS < end)
            return phase.name;
    }
    return "steady";
}

void ProgressView::show(const RunEvent& event, std::optional<Side> side)
{
    m_side = side ? std::string(*side == Side::A ? "A " : "B ") : std::string();
    if (const auto* started = std::get_if<RunStarted>(&event)) {
        m_points = started->points;
        print("run " + std::to_string(started->run.value) + " \"" + started->name + "\" on " +
              started->target + " (" + started->engine +
              (started->version.empty() ? "" : " " + started->version) + ", " + started->model +
              "): " + std::to_string(started->points) + (started->points == 1 ? " point, about " : " points, about ") + duration(started->estimatedS));
    } else if (const auto* preparation = std::get_if<Preparation>(&event)) {
        show(*preparation);
    } else if (const auto* point = std::get_if<PointStarted>(&event)) {
        m_preparing.clear();
        m_rateFrom = {};
        m_sentPerS = m_completedPerS = m_toldAtS = 0;
        m_point = *point;
        if (!m_terminal)
            print(pointText());
    } else if (const auto* progress = std::get_if<Progress>(&event)) {
        show(*progress);
    } else if (const auto* extended = std::get_if<PlanExtended>(&event)) {
        print("refining: " + std::to_string(extended->points - m_points) + " more, " +
              std::to_string(extended->points) + " points");
        m_points = extended->points;
    } else if (const auto* finished = std::get_if<PointFinished>(&event)) {
        print(pointText() + ": " + finished->verdict);
    } else if (const auto* warning = std::get_if<RunWarning>(&event)) {
        print("warning: " + warning->text);
    }
}

void ProgressView::show(const Preparation& preparation)
{
    if (!m_terminal) { // once is enough
        if (std::exchange(m_preparing, preparation.what) != preparation.what)
            print(preparation.what);
        return;
    }
    std::fprintf(stderr, "\r\033[K%s%s: %d of %d", m_side.c_str(), preparation.what.c_str(), preparation.done, preparation.total);
    std::fflush(stderr);
    m_lineOpen = true;
}

void ProgressView::show(const Progress& progress)
{
    const LoadSnapshot& load = progress.load;
    const double elapsedS = toSeconds(load.elapsed);
    // Over the last second; in the first one, over what there is.
    const double over = elapsedS - toSeconds(m_rateFrom.elapsed);
    if (over >= kRateOverS || (over > 0 && elapsedS < kRateOverS)) {
        m_sentPerS = perSecond(m_rateFrom.sent, load.sent, over);
        m_completedPerS = perSecond(m_rateFrom.completed, load.completed, over);
        if (over >= kRateOverS)
            m_rateFrom = load;
    }
    if (!m_terminal && elapsedS - m_toldAtS < kPlainLineEveryS)
        return;
    m_toldAtS = elapsedS;
    const auto found = progress.headlineMs.find(99);
    const std::optional<double> p99 =
        found == progress.headlineMs.end() ? std::nullopt : std::optional(found->second);
    const std::string line = pointText() + ": " + phaseText(elapsedS) + ", sent " +
                             figure(m_sentPerS) + "/s, done " + figure(m_completedPerS) + "/s, in flight " +
                             std::to_string(load.inFlight) +
                             (load.failed > 0 ? ", failed " + std::to_string(load.failed) : "") +
                             ", p99 TTFT " + figure(p99) + " ms, " + duration(progress.remainingS) + " left";
    if (!m_terminal)
        return print(line);
    std::fprintf(stderr, "\r\033[K%s%s", m_side.c_str(), line.c_str());
    std::fflush(stderr);
    m_lineOpen = true;
}

} // namespace tailmark::cli
