// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/compare_tables.h"

#include "models/format.h"
#include "models/frontier_data.h"
#include "report/run_comparison.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace tailmark::ui {

namespace {

QString tr(const char* source)
{
    return QCoreApplication::translate("CompareTables", source);
}

Cell number(std::optional<double> value)
{
    return {formatNumber(value), value ? QVariant(*value) : QVariant(-HUGE_VAL), {}, Badge::None};
}

/// Better or worse only where chance alone does not explain it.
Cell ratioCell(std::optional<double> ratio, const std::optional<Interval>& ci95, bool lowerIsBetter)
{
    if (!ratio)
        return {absentText(), -HUGE_VAL, tr("One of the two values is missing or zero."), Badge::None};
    Cell cell{formatRatio(ratio), *ratio, {}, Badge::None};
    if (!ci95) {
        cell.toolTip = tr("No interval: too few samples on one side.");
        return cell;
    }
    cell.text += QStringLiteral("  (%1 – %2)").arg(formatNumber(ci95->low, 3), formatNumber(ci95->high, 3));
    if (ci95->low <= 1 && ci95->high >= 1) {
        cell.toolTip = tr("Not distinguishable: the 95 % interval holds 1.");
        cell.badge = Badge::Neutral;
    } else {
        const bool better = (*ratio > 1) != lowerIsBetter;
        cell.toolTip = better ? tr("Candidate is better; 1 lies outside the 95 % interval.")
                              : tr("Candidate is worse; 1 lies outside the 95 % interval.");
        cell.badge = better ? Badge::Good : Badge::Bad;
    }
    return cell;
}

} // namespace

Table levelsTable(std::span<const LevelComparison> levels, const std::string& test, const QString& letter)
{
    Table table;
    const QString ratio = tr("%1/A").arg(letter);
    const QString ratioTip = tr("Candidate / baseline with its 95 % interval. Grey: the interval holds 1, "
                                "the two cannot be told apart.");
    const auto first = std::find_if(levels.begin(), levels.end(),
                                    [&](const LevelComparison& level) { return level.test == test; });
    const QString latency =
        first == levels.end() ? tr("latency") : quantileName(first->latencyMetric, first->latencyPercent);
    const QString latencyTip =
        tr("The latency that the SLO limits first, else the p99 of the test's headline latency.");
    table.columns = {{tr("Load"), {}, true},
                     {tr("A: throughput [tok/s]"), {}, true},
                     {tr("%1: throughput [tok/s]").arg(letter), {}, true},
                     {ratio, ratioTip, true},
                     {tr("A: %1 [ms]").arg(latency), latencyTip, true},
                     {tr("%1: %2 [ms]").arg(letter, latency), latencyTip, true},
                     {tr("%1 latency").arg(ratio), ratioTip, true},
                     {tr("A: goodput [1/s]"), {}, true},
                     {tr("%1: goodput [1/s]").arg(letter), {}, true},
                     {tr("%1 goodput").arg(ratio), ratioTip, true},
                     {tr("Believed"), tr("Whether the points of this level may be believed."), false}};
    for (const LevelComparison& level : levels) {
        if (level.test != test)
            continue;
        const bool both = level.validA && level.validB;
        table.rows << QList<Cell>{Cell{formatLoad(level.load), level.load.value, {}, Badge::None},
                                  number(level.throughputA),
                                  number(level.throughputB),
                                  ratioCell(level.throughputRatio, level.throughputRatioCi95, false),
                                  number(level.latencyA),
                                  number(level.latencyB),
                                  ratioCell(level.latencyRatio, level.latencyRatioCi95, true),
                                  number(level.goodputA),
                                  number(level.goodputB),
                                  ratioCell(level.goodputRatio, level.goodputRatioCi95, false),
                                  Cell{QString::fromStdString(believedText(level, "A", letter.toStdString())),
                                       {},
                                       {},
                                       !level.checkedA || !level.checkedB ? Badge::Neutral
                                       : both                             ? Badge::Good
                                                                          : Badge::Warning}};
    }
    return table;
}

Table differencesTable(std::span<const Difference> differences, const QString& letter)
{
    Table table;
    table.columns = {{tr("What differs"), {}, false},
                     {tr("A (baseline)"), {}, false},
                     {tr("%1 (candidate)").arg(letter), {}, false},
                     {tr("Counts"), {}, false}};
    for (const Difference& d : differences) {
        Cell counts{tr("differs"), {}, {}, Badge::None};
        if (d.unknown)
            counts = {tr("unknown"),
                      {},
                      tr("At least one side does not know it, so that it may differ."),
                      Badge::Warning};
        else if (!d.partOf.empty())
            counts = {tr("part of %1").arg(text(d.partOf)),
                      {},
                      tr("Follows from another difference and is not counted for itself."),
                      Badge::Neutral};
        table.rows << QList<Cell>{Cell{text(d.key), {}, {}, Badge::None},
                                  Cell{text(d.a), {}, {}, Badge::None}, Cell{text(d.b), {}, {}, Badge::None},
                                  counts};
    }
    return table;
}

Table capacityTable(std::span<const RunResults* const> runs)
{
    Table table;
    table.columns = {{tr("Test"), {}, false},    {tr("Run"), {}, false},
                     {tr("State"), {}, false},   {tr("Load at the SLO"), {}, true},
                     {tr("95 %"), {}, false},    {tr("Throughput [tok/s]"), {}, true},
                     {tr("95 %"), {}, false},    {tr("Requests/s [1/s]"), {}, true},
                     {tr("In words"), {}, false}};
    const auto state = [](OperatingState s) {
        switch (s) {
        case OperatingState::Found:
            return tr("found");
        case OperatingState::NotReached:
            return tr("not reached: at least");
        case OperatingState::BelowFirst:
            return tr("below the first level");
        case OperatingState::Ambiguous:
            return tr("ambiguous");
        case OperatingState::NoValidPoints:
            return tr("no valid points");
        case OperatingState::NotMeasured:
            return tr("not known");
        case OperatingState::NoSlo:
            return tr("no SLO");
        }
        return QString();
    };
    const auto range = [](const std::optional<CrossingInterval>& interval) {
        return interval ? text(crossingRangeText(*interval)) : formatInterval(std::nullopt);
    };
    if (runs.empty())
        return table;
    for (const OperatingPoint& baseline : runs.front()->operatingPoints)
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const RunResults* results = runs[i];
            const OperatingPoint* op = operatingPointOf(*results, baseline.test);
            if (!op)
                continue;
            const auto& at = op->crossing ? op->crossing : op->lastPassing;
            table.rows << QList<Cell>{
                Cell{text(op->test), {}, {}, Badge::None},
                Cell{QStringLiteral("%1: %2").arg(text(runLetter(i)), text(results->run.info.name)),
                     {},
                     {},
                     Badge::None},
                Cell{state(op->state),
                     {},
                     {},
                     op->state == OperatingState::Found ? Badge::Good : Badge::Warning},
                at ? Cell{formatLoad({op->axis, at->load}), at->load, {}, Badge::None} : number({}),
                Cell{range(op->crossingLoad), {}, {}, Badge::None},
                number(at ? at->outputTokensPerS : std::nullopt),
                Cell{range(op->crossingTokensPerS), {}, {}, Badge::None},
                number(at ? at->requestsPerS : std::nullopt),
                Cell{text(op->sentence), {}, text(op->sentence), Badge::None}};
        }
    return table;
}

} // namespace tailmark::ui
