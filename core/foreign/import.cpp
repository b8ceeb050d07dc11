// SPDX-License-Identifier: GPL-3.0-or-later
#include "foreign/import.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

constexpr double kMostConcurrency = 65'536;
constexpr double kMostRatePerS = 100'000;

Error badInput(const std::string& file, std::string message)
{
    return {ErrorCode::BadInput, file, std::move(message)};
}

/// A matrix counts workers in whole numbers; a tool may tell a mean.
double levelOf(const Load& load)
{
    return load.axis == LoadAxis::Concurrency ? std::max(1.0, std::round(load.value)) : load.value;
}

Status check(std::span<const ForeignLevel> levels)
{
    if (levels.empty())
        return badInput("import", "there is no level to import");
    const std::string& tool = levels.front().figures.tool;
    for (const ForeignLevel& level : levels) {
        const ForeignFigures& f = level.figures;
        if (f.tool != tool)
            return badInput(f.file, "is of " + f.tool + ", and " + levels.front().figures.file + " of " + tool +
                                        "; a run is of one tool");
        const double most = level.load.axis == LoadAxis::Concurrency ? kMostConcurrency : kMostRatePerS;
        if (!(level.load.value > 0) || level.load.value > most)
            return badInput(f.file, "has a load that is out of range");
    }
    return success();
}

/// The sweep of one axis, empty where no level has it.
void addTest(Plan& plan, LoadAxis axis, const std::string& name, std::span<const ForeignLevel> levels,
             std::vector<const ForeignFigures*>& figures)
{
    std::set<double> loads;
    for (const ForeignLevel& level : levels) {
        if (level.load.axis == axis)
            loads.insert(levelOf(level.load));
    }
    if (loads.empty())
        return;
    Test test;
    test.kind = axis == LoadAxis::Concurrency ? TestKind::ConcurrencySweep : TestKind::ArrivalSweep;
    test.name = name;
    if (axis == LoadAxis::RatePerS) {
        test.ratesPerS.assign(loads.begin(), loads.end());
    } else {
        test.levels.clear();
        for (const double load : loads)
            test.levels.push_back(static_cast<int>(load));
    }
    plan.matrix.tests.push_back(test);
    for (const double load : loads) {
        int repeat = 0;
        for (const ForeignLevel& level : levels) {
            if (level.load.axis != axis || levelOf(level.load) != load)
                continue;
            PointPlan point;
            point.index = PointIndex{static_cast<decltype(point.index.value)>(plan.points.size())};
            point.testIndex = static_cast<int>(plan.matrix.tests.size()) - 1;
            point.kind = test.kind;
            point.load = {axis, load};
            point.repeat = repeat++;
            if (axis == LoadAxis::Concurrency)
                point.concurrency = static_cast<int>(load);
            else
                point.phases = {{"steady", load, level.figures.durationS.value_or(0)}};
            plan.points.push_back(std::move(point));
            figures.push_back(&level.figures);
        }
    }
}

/// Where the run comes from, in the place of the environment that the load of our own runs is made in.
nlohmann::json originOf(std::span<const ForeignLevel> levels)
{
    const ForeignLevel& first = levels.front();
    nlohmann::json origin = {{"tool", first.figures.tool}, {"files", nlohmann::json::array()}};
    const auto told = [&](const char* key, const std::string& value) {
        if (!value.empty())
            origin[key] = value;
    };
    told("tool_version", first.toolVersion);
    told("target", first.target);
    told("started_at", first.startedAt);
    for (const ForeignLevel& level : levels) {
        if (std::ranges::find(origin["files"], nlohmann::json(level.figures.file)) == origin["files"].end())
            origin["files"].push_back(level.figures.file);
    }
    return {{"foreign", std::move(origin)}};
}

RunCard cardOf(std::span<const ForeignLevel> levels)
{
    RunCard card;
    for (const ForeignLevel& level : levels)
        for (const auto& [key, value] : level.card)
            card.read(key, value, level.figures.file);
    return card;
}

} // namespace

Result<RunId> importForeignRun(Store& store, const std::string& name, const std::string& test,
                               std::span<const ForeignLevel> levels)
{
    if (const Status status = check(levels); !status)
        return status.error();
    Plan plan;
    plan.matrix.name = name;
    plan.matrix.slo.clear();
    std::vector<const ForeignFigures*> figures;
    addTest(plan, LoadAxis::Concurrency, test, levels, figures);
    addTest(plan, LoadAxis::RatePerS, plan.matrix.tests.empty() ? test : std::string(), levels, figures);
    const std::vector<std::string> names = testNames(plan.matrix.tests);
    for (PointPlan& point : plan.points)
        point.test = names[static_cast<std::size_t>(point.testIndex)];

    const Result<RunId> run = store.createRun(name, plan, cardOf(levels), originOf(levels));
    if (!run)
        return run;
    for (std::size_t i = 0; i < plan.points.size(); ++i) {
        PointFacts facts;
        facts.endedS = figures[i]->durationS.value_or(0);
        facts.foreign = *figures[i];
        if (Status status = store.startPoint(run.value(), plan.points[i], {}); !status)
            return status.error();
        if (Status status = store.finishPoint(run.value(), plan.points[i].index, facts); !status)
            return status.error();
    }
    if (Status status = store.finishRun(run.value(), RunState::Done); !status)
        return status.error();
    return run;
}

} // namespace tailmark
