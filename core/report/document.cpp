// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/document.h"

#include "report/report.h"

namespace tailmark {

ReportDocument makeReport(const RunResults& results)
{
    const RunInfo& info = results.run.info;
    ReportDocument document;
    document.title = info.name.empty() ? "Run " + std::to_string(info.id.value) : info.name;
    const auto add = [&](const std::string& text) {
        if (!text.empty())
            document.subtitle += (document.subtitle.empty() ? "" : " \u00b7 ") + text;
    };
    const RunCard& card = results.run.card;
    add(card.entry("engine").value + (card.entry("engine_version").value.empty()
                                          ? std::string()
                                          : " " + card.entry("engine_version").value));
    add(card.entry("model").value);
    add(info.startedAt);
    if (info.state != RunState::Done)
        add(std::string("run ") + runStateId(info.state));
    for (const auto& sections : {resultSections(results), setupSections(results)}) {
        for (const ReportSection& section : sections) {
            if (!section.blocks.empty())
                document.sections.push_back(section);
        }
    }
    return document;
}

std::string htmlReport(const RunResults& results)
{
    return htmlOf(makeReport(results));
}

std::string markdownReport(const RunResults& results)
{
    return markdownOf(makeReport(results));
}

std::string comparisonHtml(const ComparedRuns& compared)
{
    return htmlOf(makeComparisonReport(compared));
}

std::string comparisonMarkdown(const ComparedRuns& compared)
{
    return markdownOf(makeComparisonReport(compared));
}

} // namespace tailmark
