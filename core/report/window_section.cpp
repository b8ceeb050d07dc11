// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/operating_sentence.h"
#include "analysis/text.h"
#include "report/document.h"

namespace tailmark {

namespace {

std::string remarkOf(const PointSummary& p)
{
    std::string text = p.window.note;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    if (p.point.added)
        add("level added between last passing and first failing");
    if (p.shortWarmup)
        add(shortWarmupText(*p.steady, *p.shortWarmup, p.window.startS,
                            metricInfo(headlineMetric(p.point.openLoop())).abbreviation));
    return text;
}

} // namespace

ReportSection windowSection(const RunResults& results)
{
    if (!results.run.info.foreign.empty())
        return {}; // another tool's file tells neither warm-up nor records
    ReportTable table{
        {{"Test", {}, false},
         {"Load", {}, false},
         {"Window (s)", "Measured, since the start of the point", false},
         {"Steady from (s)", "Where the latency has no trend from, as the records themselves show", true},
         {"p of a trend", "In the steady part, by chance, for all looks together", true},
         {"Remark", {}, false}},
        {}};
    for (const PointSummary& p : results.points)
        table.rows.push_back(
            {p.point.test,
             loadText(p.point.load) + (p.point.repeat > 0 ? " #" + std::to_string(p.point.repeat + 1) : ""),
             figureText(p.window.startS) + " to " + figureText(p.window.endS),
             p.steady ? figureText(p.steady->startS) : std::string("none found"),
             p.steady ? figureText(p.steady->pValue) : std::string(), remarkOf(p)});
    ReportSection section{"Windows", {}};
    if (table.rows.empty())
        return section;
    section.blocks.push_back(
        Paragraph{"The planned window counts. The steady part is found from the records: a start that MSER-5 "
                  "proposes and a Mann-Kendall test moves on while there is a trend.",
                  Paragraph::Kind::Plain});
    section.blocks.push_back(std::move(table));
    return section;
}

} // namespace tailmark
