// SPDX-License-Identifier: GPL-3.0-or-later
#include "compared_runs.h"

#include "analysis/test_figures.h"
#include "base/percentile_text.h"
#include "output.h"

#include <algorithm>
#include <ostream>

namespace tailmark::cli {

namespace {

/// The ratio, marked where chance alone may explain it.
std::string ratioText(const std::optional<double>& ratio, const std::optional<Interval>& ci95)
{
    if (!ratio)
        return figure(ratio);
    if (!ci95)
        return figure(ratio) + " no interval";
    return figure(ratio) + " (" + figure(ci95->low) + " to " + figure(ci95->high) + ")" +
           (ci95->low <= 1 && ci95->high >= 1 ? " ~" : "");
}

void printLevels(const RunComparison& comparison, std::ostream& out)
{
    const std::string a = comparison.nameA, b = comparison.nameB, ratio = b + "/" + a;
    Table table({{"test", false},
                 {"load"},
                 {"tok/s " + a},
                 {"tok/s " + b},
                 {ratio},
                 {"latency", false},
                 {a + " ms"},
                 {b + " ms"},
                 {ratio},
                 {"goodput/s " + a},
                 {"goodput/s " + b},
                 {ratio},
                 {"believed", false}});
    for (const LevelComparison& level : comparison.levels)
        table.addRow({level.test, figure(level.load.value), figure(level.throughputA), figure(level.throughputB),
                      ratioText(level.throughputRatio, level.throughputRatioCi95),
                      percentileText(level.latencyPercent) + " " +
                          std::string(metricInfo(level.latencyMetric).abbreviation),
                      figure(level.latencyA) + (level.weakA ? " weak" : ""),
                      figure(level.latencyB) + (level.weakB ? " weak" : ""),
                      ratioText(level.latencyRatio, level.latencyRatioCi95), figure(level.goodputA),
                      figure(level.goodputB), ratioText(level.goodputRatio, level.goodputRatioCi95),
                      believedText(level, a, b)});
    if (table.empty()) {
        out << "The runs have no level in common.\n";
        return;
    }
    table.print(out);
    if (std::ranges::any_of(comparison.levels, [](const LevelComparison& level) {
            return level.throughputRatioCi95 || level.latencyRatioCi95 || level.goodputRatioCi95;
        }))
        out << "(95 % interval; ~: it holds 1, not distinguishable)\n";
}

void printFigures(const ComparedRuns& compared, std::ostream& out)
{
    std::vector<std::vector<TestFigure>> figures;
    for (const RunResults& results : compared.runs)
        figures.push_back(testFigures(results.points));
    std::vector<Table::Column> columns = {{"test", false}, {"figure", false}};
    for (std::size_t i = 0; i < figures.size(); ++i)
        columns.push_back({runLetter(i)});
    columns.push_back({"unit", false});
    Table table(std::move(columns));
    for (const TestFigure& row : figures.front()) {
        std::vector<std::string> cells = {row.test, row.title};
        for (const std::vector<TestFigure>& of : figures) {
            const auto same = std::find_if(of.begin(), of.end(), [&](const TestFigure& f) {
                return f.test == row.test && f.id == row.id;
            });
            cells.push_back(same == of.end() ? figure(std::nullopt) : same->text);
        }
        cells.push_back(row.unit);
        table.addRow(std::move(cells));
    }
    if (!table.empty())
        table.print(out);
}

} // namespace

void printComparison(const ComparedRuns& compared, std::ostream& out)
{
    for (std::size_t i = 0; i < compared.runs.size(); ++i) {
        const RunInfo& info = compared.runs[i].run.info;
        out << runLetter(i) << ": run " << info.id.value << ", " << oneLine(info.name)
            << (i == 0 && compared.runs.size() > 2 ? " (baseline)" : "") << '\n';
    }
    for (const RunComparison& comparison : compared.comparisons) {
        if (compared.comparisons.size() > 1)
            out << '\n' << comparison.nameB << " against " << comparison.nameA << '\n';
        out << oneLine(comparison.conditions()) << '\n';
        for (const Difference& difference : comparison.differences)
            out << "  " << oneLine(difference.key) << ": " << oneLine(difference.a) << " | "
                << oneLine(difference.b) << '\n';
        printLevels(comparison, out);
        for (const CapacityComparison& capacity : comparison.capacities)
            out << capacity.test << ": " << capacity.sentence << '\n';
    }
    printFigures(compared, out);
}

} // namespace tailmark::cli
