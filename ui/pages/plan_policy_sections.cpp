// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_policy_sections.h"

#include "models/format.h"

namespace tailmark::ui {

PlanSection* makeMeasurementSection(PlanDocument& document, QWidget* parent)
{
    auto* section = new PlanSection(PlanSection::tr("Measurement"), document, parent);
    PlanForm* form = section->addForm(4);
    form->setPathPrefix("measurement");
    const QString seconds = PlanSection::tr("s");
    form->addNumber(
        "warmup_s", PlanSection::tr("&Warm-up"), seconds,
        [](auto& m) -> auto& { return m.measurement.warmupS; },
        PlanSection::tr("Load that is sent before the window and left out of every number"));
    form->addNumber(
        "duration_s", PlanSection::tr("W&indow"), seconds,
        [](auto& m) -> auto& { return m.measurement.durationS; },
        PlanSection::tr("How long each point is measured; a burst test has its own times"));
    form->addNumber(
        "drain_s", PlanSection::tr("Drain"), seconds, [](auto& m) -> auto& { return m.measurement.drainS; },
        PlanSection::tr(
            "After the window: how long requests in flight may still finish before they are cancelled"));
    form->addNumber(
        "cooldown_s", PlanSection::tr("Cool-down"), seconds,
        [](auto& m) -> auto& { return m.measurement.cooldownS; },
        PlanSection::tr("Pause after each point, so that the next begins with an idle engine"));
    form->addNumber(
        "repeats", PlanSection::tr("Repeats"), {}, [](auto& m) -> auto& { return m.measurement.repeats; },
        PlanSection::tr("How often every point is measured; the spread is shown with the result"));
    form->addNumber(
        "max_requests", PlanSection::tr("Most requests"), {},
        [](auto& m) -> auto& { return m.measurement.maxRequests; },
        PlanSection::tr("A point ends after so many requests; 0 is no limit"));
    form->addChoice(
        "order", PlanSection::tr("Order of points"),
        {{PlanSection::tr("One test after another"), PlanSection::tr("Each test by ascending load")},
         {PlanSection::tr("Interleaved"),
          PlanSection::tr("Tests take turns level by level, so that a drift falls on all alike")},
         {PlanSection::tr("Shuffled"),
          PlanSection::tr("All points of a repeat in random order, from the seed")}},
        [](auto& m) -> auto& { return m.measurement.order; }, {}, 2);
    form->addChoice(
        "failure_denominator", PlanSection::tr("Failures are counted against"),
        {{PlanSection::tr("All attempted requests"),
          PlanSection::tr("A request that failed or was never sent misses the objective: what users see")},
         {PlanSection::tr("Accepted requests"),
          PlanSection::tr("Only requests that the engine took on: rejections are left out")}},
        [](auto& m) -> auto& { return m.measurement.failureDenominator; }, {}, 2);
    PlanForm* more = section->addFoldedForm(PlanSection::tr("Until stable, refinement"), 4);
    more->setPathPrefix("measurement");
    more->addCheck(
        "until_stable", PlanSection::tr("Go on until stable"),
        [](auto& m) -> auto& { return m.measurement.untilStable; },
        PlanSection::tr("A point goes on beyond its window until the interval of every limited percentile is narrow"));
    more->addNumber(
        "stable_width", PlanSection::tr("Interval width"), {},
        [](auto& m) -> auto& { return m.measurement.stableWidth; },
        PlanSection::tr("Stable: the 95 % interval is at most this share of the percentile wide"));
    more->addNumber(
        "max_duration_s", PlanSection::tr("Longest window"), seconds,
        [](auto& m) -> auto& { return m.measurement.maxDurationS; },
        PlanSection::tr("Where it is not stable by then, the window ends and says so"));
    more->addNumber(
        "refine", PlanSection::tr("Levels to add"), {}, [](auto& m) -> auto& { return m.measurement.refine; },
        PlanSection::tr("Levels that may be added to each sweep between the last that passes and the first that fails"));
    more->addNumber(
        "refine_to", PlanSection::tr("Bracket"), {}, [](auto& m) -> auto& { return m.measurement.refineTo; },
        PlanSection::tr("Levels are added until those two are so close: (failing - passing) / passing"));
    section->setSummary([](const Matrix& matrix) {
        const Measurement& measurement = matrix.measurement;
        return PlanSection::tr("%1 + %2, %n repeat(s)", nullptr, measurement.repeats)
            .arg(formatSeconds(measurement.warmupS), formatSeconds(measurement.durationS));
    });
    return section;
}

PlanSection* makeLimitsSection(PlanDocument& document, QWidget* parent)
{
    auto* section = new PlanSection(PlanSection::tr("Limits"), document, parent);
    PlanForm* form = section->addForm(3);
    form->setPathPrefix("limits");
    const QString seconds = PlanSection::tr("s");
    form->addNumber(
        "connect_timeout_s", PlanSection::tr("Connect"), seconds,
        [](auto& m) -> auto& { return m.limits.connectTimeoutS; },
        PlanSection::tr("A connection that is not up by then is a failed request"));
    form->addNumber(
        "first_token_timeout_s", PlanSection::tr("First token"), seconds,
        [](auto& m) -> auto& { return m.limits.firstTokenTimeoutS; },
        PlanSection::tr("A request without a token by then has failed"));
    form->addNumber(
        "stall_timeout_s", PlanSection::tr("Stall"), seconds,
        [](auto& m) -> auto& { return m.limits.stallTimeoutS; },
        PlanSection::tr("A stream that is silent for so long has failed"));
    form->addNumber(
        "total_timeout_s", PlanSection::tr("Total"), seconds,
        [](auto& m) -> auto& { return m.limits.totalTimeoutS; },
        PlanSection::tr("A request that is not over by then has failed"));
    form->addNumber(
        "max_in_flight", PlanSection::tr("In flight at most"), {},
        [](auto& m) -> auto& { return m.limits.maxInFlight; },
        PlanSection::tr(
            "The generator keeps at most so many requests open; what it cannot send counts as not sent"));
    form->addNumber(
        "generator_threads", PlanSection::tr("Generator threads"), {},
        [](auto& m) -> auto& { return m.limits.generatorThreads; },
        PlanSection::tr("Threads that send and receive; 0 takes as many as the load asks for"));
    section->setSummary([](const Matrix& matrix) {
        return PlanSection::tr("first token %1, total %2")
            .arg(formatSeconds(matrix.limits.firstTokenTimeoutS), formatSeconds(matrix.limits.totalTimeoutS));
    });
    return section;
}

} // namespace tailmark::ui
