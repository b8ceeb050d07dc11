// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/paired.h"

#include "run/run_steps.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>

namespace tailmark {

namespace {

constexpr std::array kSides = {Side::A, Side::B};

/// How many loads of its test lie below that of the point.
std::size_t levelOf(const Plan& plan, const PointPlan& point)
{
    std::set<double> below;
    for (const PointPlan& other : plan.points)
        if (other.test == point.test && other.load.value < point.load.value)
            below.insert(other.load.value);
    return below.size();
}

class Pair
{
public:
    Pair(const Plan& plan, Store& store, const RunOptions& options, RunControl& control,
         const std::function<void(Side, const RunEvent&)>& onEvent)
        : m_store(store), m_control(control), m_sequence(pairSequence(plan)),
          m_oneServer(isSameTarget(plan.matrix.target.baseUrl, plan.matrix.pairedWith->target.baseUrl))
    {
        for (const Side side : kSides)
            half(side).steps =
                makeRunSteps(side == Side::A ? plan : partnerPlan(plan), store,
                             {options.name + (side == Side::A ? " [A]" : " [B]"), options.database, {}}, control,
                             [&onEvent, side](const RunEvent& event) { onEvent(side, event); });
    }

    Result<PairReport> run();

private:
    struct Half
    {
        std::unique_ptr<RunSteps> steps;
        std::optional<RunReport> report; ///< once it has ended
    };

    Status begin();
    Status setUp();
    void measure();
    Half& half(Side side) { return m_halves[static_cast<std::size_t>(side)]; }
    bool goesOn(Side side) { return !half(side).report; }
    double secondsFrom(std::size_t step);
    void end(Side side, const std::optional<Error>& failure = {})
    {
        if (goesOn(side))
            half(side).report = half(side).steps->finish(failure);
    }

    Store& m_store;
    RunControl& m_control;
    std::vector<PairStep> m_sequence;
    bool m_oneServer;
    std::array<Half, 2> m_halves;
};

Result<PairReport> Pair::run()
{
    if (Status status = begin(); !status)
        return status.error();
    if (Status status = setUp(); !status) {
        for (const Side side : kSides)
            end(side, status.error());
    }
    measure();
    for (const Side side : kSides)
        end(side);
    return PairReport{*half(Side::A).report, *half(Side::B).report};
}

/// Both runs, or none.
Status Pair::begin()
{
    for (const Side side : kSides)
        if (Status status = half(side).steps->prepare(); !status)
            return status;
    RunSteps& a = *half(Side::A).steps;
    RunSteps& b = *half(Side::B).steps;
    if (!m_oneServer && !a.salt().empty() && !b.salt().empty())
        b.setSalt(a.salt());
    const Result<RunId> runA = a.create();
    if (!runA)
        return runA.error();
    const Result<RunId> runB = b.create();
    if (!runB) {
        end(Side::A, runB.error());
        return runB.error();
    }
    const Status status = m_store.pairRuns(runA.value(), runB.value());
    for (const Side side : kSides)
        if (!status)
            end(side, status.error());
    return status;
}

Status Pair::setUp()
{
    for (const Side side : kSides)
        if (Status status = half(side).steps->setUp(secondsFrom(0)); !status)
            return status;
    RunSteps& a = *half(Side::A).steps;
    RunSteps& b = *half(Side::B).steps;
    const PromptFit fit = a.fit().method == PromptMethod::Unchecked ? b.fit() : a.fit();
    for (RunSteps* steps : {&a, &b}) {
        if (steps->fit() == fit)
            continue;
        if (Status status = steps->setFit(fit); !status)
            return status;
        if (Status status = steps->warn("Prompts are written as fits the other target of the pair, so that both get the "
                                        "same: their lengths here may be others than planned");
            !status)
            return status;
    }
    if (m_oneServer)
        return b.warn("Both targets of the pair are one server: it compares the server with itself, and what the first "
                      "of each level leaves in its cache the second may find");
    return success();
}

void Pair::measure()
{
    std::optional<std::size_t> skipped; // the point of the plan
    for (std::size_t i = 0; i < m_sequence.size(); ++i) {
        const PairStep& step = m_sequence[i];
        if (!goesOn(step.side) || skipped == step.point)
            continue;
        if (i == 0 || m_sequence[i - 1].point != step.point) // between both sides of a point a wait would part them
            holdWhilePaused(m_control);
        if (m_control.stop)
            return;
        RunSteps& steps = *half(step.side).steps;
        const PointPlan& point = steps.plan().points[step.point];
        const Result<bool> measured = steps.measurePoint(point, secondsFrom(i + 1));
        if (!measured) {
            end(step.side, measured.error());
            continue;
        }
        if (measured.value())
            skipped = step.point;
        if (i + 1 == m_sequence.size())
            return;
        if (Status status = steps.settle(point); !status)
            end(step.side, status.error());
    }
}

/// What the rest of the sequence will take.
double Pair::secondsFrom(std::size_t step)
{
    double seconds = 0;
    for (std::size_t i = step; i < m_sequence.size(); ++i) {
        if (!goesOn(m_sequence[i].side))
            continue;
        const Plan& plan = half(m_sequence[i].side).steps->plan();
        seconds += estimatedSeconds({plan.matrix, {plan.points[m_sequence[i].point]}});
    }
    return seconds;
}

} // namespace

Plan partnerPlan(const Plan& plan)
{
    Plan partner = plan;
    partner.matrix.target = plan.matrix.pairedWith->target;
    partner.matrix.card = plan.matrix.pairedWith->card;
    partner.matrix.pairedWith.reset();
    return partner;
}

std::vector<PairStep> pairSequence(const Plan& plan)
{
    std::vector<PairStep> sequence;
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
        const PointPlan& point = plan.points[i];
        if (point.kind == TestKind::ColdStart)
            continue; // before all else, in setUp()
        const bool aFirst = (levelOf(plan, point) + static_cast<std::size_t>(point.repeat)) % 2 == 0;
        sequence.push_back({aFirst ? Side::A : Side::B, i});
        sequence.push_back({aFirst ? Side::B : Side::A, i});
    }
    return sequence;
}

Result<PairReport> executePair(const Plan& plan, Store& store, const RunOptions& options, RunControl& control,
                               const std::function<void(Side, const RunEvent&)>& onEvent)
{
    return Pair(plan, store, options, control, onEvent).run();
}

} // namespace tailmark
