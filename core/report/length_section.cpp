// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/length_match.h"
#include "analysis/operating_sentence.h"
#include "analysis/text.h"
#include "report/document.h"

namespace tailmark {

namespace {

std::string correlationText(const std::optional<double>& value)
{
    return value ? figureText(*value) : std::string();
}

ReportTable quantileTable(const std::vector<const PointSummary*>& points)
{
    ReportTable table{{{"Test", {}, false},
                       {"Load", {}, false},
                       {"Tokens", "Asked / realised", false},
                       {"p50", {}, true},
                       {"p90", {}, true},
                       {"p95", {}, true},
                       {"p99", {}, true}},
                      {}};
    for (const PointSummary* p : points) {
        const auto add = [&](const std::string& what, const std::vector<AskedAndRealised>& matches) {
            std::vector<std::string> row = {p->point.test, loadText(p->point.load), what};
            for (const AskedAndRealised& each : matches)
                row.push_back(each.text);
            table.rows.push_back(std::move(row));
        };
        add("prompt", promptMatch(*p));
        add(std::string("output, ") + outputPolicyId(p->point.output), outputMatch(*p));
    }
    return table;
}

ReportTable correlationTable(const std::vector<const PointSummary*>& points)
{
    ReportTable table{{{"Test", {}, false},
                       {"Load", {}, false},
                       {"Asked", "Rank correlation (Spearman) of prompt and output lengths", true},
                       {"Planned", "Of the requests as they were sent", true},
                       {"Measured", "Of the successful requests as the server counted", true}},
                      {}};
    for (const PointSummary* p : points)
        if (p->lengths.asked->all.rankCorrelation)
            table.rows.push_back({p->point.test, loadText(p->point.load),
                                  correlationText(p->lengths.asked->all.rankCorrelation),
                                  correlationText(p->lengths.plannedCorrelation),
                                  correlationText(p->lengths.measuredCorrelation)});
    return table;
}

ReportTable partTable(const std::vector<const PointSummary*>& points)
{
    ReportTable table{{{"Test", {}, false},
                       {"Load", {}, false},
                       {"Part", {}, false},
                       {"Share asked", {}, true},
                       {"Share realised", "Of the requests intended inside the window", true},
                       {"Requests", {}, true}},
                      {}};
    for (const PointSummary* p : points)
        for (const LengthMatch::Part& part : p->lengths.parts)
            table.rows.push_back({p->point.test, loadText(p->point.load), part.name,
                                  percentText(part.askedShare), percentText(part.share),
                                  countText(part.requests)});
    return table;
}

ReportTable sharingTable(const std::vector<const PointSummary*>& points)
{
    ReportTable table{
        {{"Test", {}, false},
         {"Load", {}, false},
         {"Prefix sharing planned", "Of the prompt tokens, what a prefix cache of endless size serves", true},
         {"Realised", "What the engine took from its cache", true},
         {"Told by", {}, false}},
        {}};
    for (const PointSummary* p : points)
        if (const auto planned = p->sharing.planned()) {
            const auto measured = p->sharing.measured();
            table.rows.push_back({p->point.test, loadText(p->point.load), percentText(*planned),
                                  measured ? percentText(*measured) : std::string(),
                                  std::string(hitSourceId(p->sharing.source))});
        }
    return table;
}

} // namespace

ReportSection lengthSection(const RunResults& results)
{
    ReportSection section{"Lengths, asked and realised", {}};
    std::vector<const PointSummary*> points = largestPoints(results.points);
    std::erase_if(points, [](const PointSummary* p) { return !p->lengths.asked; });
    if (points.empty())
        return section;
    section.blocks.push_back(
        Paragraph{"What the workload states, before anything was cut to the target's context, and what came "
                  "out: prompts as the server counted them, else as planned; outputs as they were generated. "
                  "Of each test the point with the most requests.",
                  Paragraph::Kind::Plain});
    section.blocks.push_back(quantileTable(points));
    for (ReportTable table : {correlationTable(points), partTable(points), sharingTable(points)})
        if (!table.rows.empty())
            section.blocks.push_back(std::move(table));
    std::uint64_t clipped = 0;
    for (const PointSummary& p : results.points)
        clipped += p.lengths.clipped;
    if (clipped > 0)
        section.blocks.push_back(Paragraph{countText(clipped) +
                                               (clipped == 1 ? " request was" : " requests were") +
                                               " cut to fit the target's context.",
                                           Paragraph::Kind::Warning});
    return section;
}

} // namespace tailmark
