// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/operating_sentence.h"
#include "analysis/test_figures.h"
#include "analysis/text.h"
#include "base/percentile_text.h"
#include "report/document.h"
#include "report/frontier_svg.h"
#include "report/run_comparison.h"
#include "report/table_parts.h"

#include <algorithm>

namespace tailmark {

namespace {

/// "A (night run)": how the sentences call a run.
std::string nameOf(const ComparedRuns& compared, std::size_t i)
{
    const RunInfo& info = compared.runs[i].run.info;
    return runLetter(i) + " (" + (info.name.empty() ? "run " + std::to_string(info.id.value) : info.name) + ")";
}

/// "1.25 (1.21 to 1.29)", and whether that is a difference at all.
std::string ratioCell(const std::optional<double>& ratio, const std::optional<Interval>& ci95)
{
    if (!ratio)
        return {};
    if (!ci95)
        return figureText(*ratio) + ", no interval";
    const bool same = ci95->low <= 1 && ci95->high >= 1;
    return figureText(*ratio) + " (" + figureText(ci95->low) + " to " + figureText(ci95->high) + ")" +
           (same ? ", not distinguishable" : "");
}

ReportSection claimSection(const ComparedRuns& compared)
{
    ReportSection section{"What may be said", {}};
    for (const SloLimit& limit : compared.baseline().slo)
        section.blocks.push_back(Paragraph{"Limit: " + sloSentence(limit) + ".", Paragraph::Kind::Plain});
    for (std::size_t i = 1; i < compared.runs.size(); ++i) {
        const RunComparison c =
            compareRuns(compared.baseline(), compared.runs[i], nameOf(compared, 0), nameOf(compared, i));
        for (const CapacityComparison& capacity : c.capacities)
            section.blocks.push_back(Paragraph{capacity.test + ": " + capacity.sentence, Paragraph::Kind::Claim});
        if (c.capacities.empty())
            section.blocks.push_back(
                Paragraph{nameOf(compared, i) + " and " + nameOf(compared, 0) +
                              " have no sweep in common, so that there is no capacity to compare.",
                          Paragraph::Kind::Plain});
        section.blocks.push_back(Paragraph{c.nameB + " against " + c.nameA + ". " + c.conditions() + ".",
                                           c.controlled() ? Paragraph::Kind::Plain : Paragraph::Kind::Warning});
    }
    return section;
}

ReportSection runsSection(const ComparedRuns& compared)
{
    ReportTable table{{textColumn("Entry")}, {}};
    for (std::size_t i = 0; i < compared.runs.size(); ++i)
        table.columns.push_back(textColumn(runLetter(i) + (i == 0 ? " (baseline)" : "")));
    const auto row = [&](const std::string& title, auto&& of) {
        std::vector<std::string> cells = {title};
        for (const RunResults& r : compared.runs)
            cells.push_back(of(r.run));
        table.rows.push_back(std::move(cells));
    };
    row("run", [](const StoredRun& r) { return std::to_string(r.info.id.value) + ", " + r.info.name; });
    row("started", [](const StoredRun& r) { return r.info.startedAt; });
    for (const char* key : {"engine", "engine_version", "model", "model_revision", "quantization", "accelerator",
                            "accelerator_count", "parallelism"})
        row(key, [&](const StoredRun& r) {
            const CardEntry entry = r.card.entry(key);
            return entry.origin == CardOrigin::Unknown ? std::string(kUnknownText) : entry.value;
        });
    row("points measured", [](const StoredRun& r) {
        return std::to_string(r.info.pointsDone) + " of " + std::to_string(r.info.pointsPlanned) +
               (r.info.state == RunState::Done ? std::string() : std::string(", run ") + runStateId(r.info.state));
    });
    return {"The runs", {std::move(table)}};
}

ReportSection capacitySection(const ComparedRuns& compared)
{
    ReportTable table{{textColumn("Test"), textColumn("Run"), textColumn("At the SLO"),
                       {"Output tok/s", "Output throughput where the limit is crossed", true},
                       {"95 %", {}, true},
                       {"Requests/s", {}, true},
                       textColumn("In words")},
                      {}};
    for (const OperatingPoint& first : compared.baseline().operatingPoints) {
        for (std::size_t i = 0; i < compared.runs.size(); ++i) {
            for (const OperatingPoint& op : compared.runs[i].operatingPoints) {
                if (op.test != first.test)
                    continue;
                const std::optional<CapacityAt>& at = op.crossing ? op.crossing : op.lastPassing;
                table.rows.push_back({op.test, runLetter(i), at ? loadText({op.axis, at->load}) : std::string(),
                                      cell(at ? at->outputTokensPerS : std::nullopt),
                                      op.crossing && op.crossingTokensPerS
                                          ? crossingRangeText(*op.crossingTokensPerS)
                                          : std::string(),
                                      cell(at ? at->requestsPerS : std::nullopt), op.sentence});
            }
        }
    }
    ReportSection section{"Capacity at the SLO", {}};
    if (!table.rows.empty())
        section.blocks.push_back(std::move(table));
    return section;
}

ReportTable levelTable(const RunComparison& c, const std::string& test)
{
    const std::string a = c.nameA, b = c.nameB, ratio = b + "/" + a + " (95 %)";
    ReportTable table{{textColumn("Load"),
                       {a + " tok/s", std::string(metricInfo(Metric::OutputTokensPerS).definition), true},
                       {b + " tok/s", std::string(metricInfo(Metric::OutputTokensPerS).definition), true},
                       textColumn(ratio),
                       {a + " latency (ms)", "The latency that the SLO limits first, else the headline's p99", true},
                       {b + " latency (ms)", "The latency that the SLO limits first, else the headline's p99", true},
                       textColumn(ratio),
                       textColumn("Believed")},
                      {}};
    for (const LevelComparison& level : c.levels) {
        if (level.test != test)
            continue;
        table.columns[4].title = a + " " + percentileText(level.latencyPercent) + " " +
                                 std::string(metricInfo(level.latencyMetric).abbreviation) + " (ms)";
        table.columns[5].title = b + table.columns[4].title.substr(a.size());
        table.rows.push_back({loadText(level.load), cell(level.throughputA), cell(level.throughputB),
                              ratioCell(level.throughputRatio, level.throughputRatioCi95), cell(level.latencyA) + (level.weakA ? " weak" : ""),
                              cell(level.latencyB) + (level.weakB ? " weak" : ""), ratioCell(level.latencyRatio, level.latencyRatioCi95),
                              believedText(level, a, b)});
    }
    return table;
}

std::vector<std::string> testsInCommon(const ComparedRuns& compared)
{
    std::vector<std::string> tests;
    for (const RunComparison& c : compared.comparisons)
        for (const LevelComparison& level : c.levels)
            if (std::find(tests.begin(), tests.end(), level.test) == tests.end())
                tests.push_back(level.test);
    return tests;
}

ReportSection testSection(const ComparedRuns& compared, const std::string& test)
{
    ReportSection section{test + ", level by level", {}};
    std::vector<std::vector<Curve>> curves;
    for (const RunResults& r : compared.runs)
        curves.push_back(makeCurves(r.points, compared.baseline().slo));
    std::vector<NamedFrontier> frontiers;
    for (std::size_t i = 0; i < curves.size(); ++i)
        for (const Curve& curve : curves[i])
            if (curve.test == test)
                frontiers.push_back({runLetter(i), &curve, compared.runs[i].points});
    if (!frontiers.empty())
        section.blocks.push_back(overlaidFrontiers(frontiers));
    for (const RunComparison& c : compared.comparisons)
        if (ReportTable table = levelTable(c, test); !table.rows.empty())
            section.blocks.push_back(std::move(table));
    return section;
}

ReportSection figureSection(const ComparedRuns& compared)
{
    std::vector<std::vector<TestFigure>> figures;
    ReportTable table{{textColumn("Test"), textColumn("Figure")}, {}};
    for (std::size_t i = 0; i < compared.runs.size(); ++i) {
        figures.push_back(testFigures(compared.runs[i].points));
        table.columns.push_back({runLetter(i), {}, true});
    }
    for (const TestFigure& row : figures.front()) {
        std::vector<std::string> cells = {row.test, row.title + " (" + row.unit + ")"};
        for (const std::vector<TestFigure>& of : figures) {
            const auto same = std::find_if(of.begin(), of.end(), [&](const TestFigure& f) {
                return f.test == row.test && f.id == row.id;
            });
            cells.push_back(same == of.end() ? std::string() : same->text);
        }
        table.rows.push_back(std::move(cells));
    }
    ReportSection section{"Bursts and cold starts, side by side", {}};
    if (!table.rows.empty())
        section.blocks.push_back(std::move(table));
    return section;
}

ReportSection differenceSection(const ComparedRuns& compared)
{
    ReportSection section{"What differs", {}};
    for (const RunComparison& c : compared.comparisons) {
        ReportTable table{{textColumn("Entry"), textColumn(c.nameA), textColumn(c.nameB), textColumn("Counts")}, {}};
        for (const Difference& d : c.differences)
            table.rows.push_back({d.key, d.a, d.b,
                                  d.unknown              ? "may differ: unknown"
                                  : !d.partOf.empty()    ? "belongs to " + d.partOf
                                                         : "differs"});
        if (!table.rows.empty())
            section.blocks.push_back(std::move(table));
    }
    return section;
}

ReportSection methodSection()
{
    return {"How it was compared",
            {Paragraph{"Of each level the median of the repeats that may be believed stands, of all where none may. A "
                       "ratio is the second run divided by the baseline. Its 95 % interval combines the intervals of "
                       "both sides on the logarithm; where it holds 1 the two are not distinguishable. More throughput "
                       "and less time are two percentages of one ratio: a ratio of 1.25 is 25 % more throughput and "
                       "20 % less time for the same work.",
                       Paragraph::Kind::Plain},
             Paragraph{"One repeat does not show how runs of one engine differ from each other: " +
                           percentText(kAssumedBetweenRuns) + " are assumed then, " +
                           percentText(kAssumedBetweenPairs) +
                           " between paired runs, which share what changes with time. Paired runs with repeats "
                           "are compared pair by pair.",
                       Paragraph::Kind::Plain},
             Paragraph{"Controlled: exactly one entry of the run cards, the workload and the measurement differs. An "
                       "entry that one run does not know may differ.",
                       Paragraph::Kind::Plain}}};
}

} // namespace

ReportDocument makeComparisonReport(const ComparedRuns& compared)
{
    ReportDocument document;
    document.title = "Comparison";
    for (std::size_t i = 0; i < compared.runs.size(); ++i)
        document.subtitle += (i == 0 ? "" : " \u00b7 ") + nameOf(compared, i);
    std::vector<ReportSection> sections = {claimSection(compared), runsSection(compared), capacitySection(compared)};
    for (const std::string& test : testsInCommon(compared))
        sections.push_back(testSection(compared, test));
    sections.push_back(figureSection(compared));
    sections.push_back(differenceSection(compared));
    sections.push_back(methodSection());
    for (ReportSection& section : sections)
        if (!section.blocks.empty())
            document.sections.push_back(std::move(section));
    return document;
}

} // namespace tailmark
