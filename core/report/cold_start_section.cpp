// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/cold_start_section.h"

#include "analysis/text.h"
#include "report/run_results.h"

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Json = nlohmann::ordered_json;

Json orNull(const std::optional<double>& value)
{
    return value ? Json(*value) : Json();
}

/// Which request it is beside its TTFT: the first that is steady stands out.
std::string markOf(const ColdStartSummary& s, std::size_t index)
{
    if (!s.ttftMs[index])
        return "failed";
    return s.steadyRequest && static_cast<int>(index) + 1 == *s.steadyRequest ? "steady from here on" : "";
}

} // namespace

ReportSection coldStartSection(const RunResults& results)
{
    ReportSection section{"Cold start", {}};
    for (const PointSummary& p : results.points) {
        if (!p.coldStart)
            continue;
        const ColdStartSummary& s = *p.coldStart;
        section.blocks.push_back(Paragraph{coldStartSentence(s), Paragraph::Kind::Claim});
        if (!s.command.empty())
            section.blocks.push_back(Paragraph{"Started by: " + s.command, Paragraph::Kind::Plain});
        ReportTable table{{{"Request", {}, true},
                           {"TTFT (ms)", "From the send to the first token; requests one after another", true},
                           {"", {}, false}},
                          {}};
        for (std::size_t i = 0; i < s.ttftMs.size(); ++i)
            table.rows.push_back({countText(i + 1), s.ttftMs[i] ? figureText(*s.ttftMs[i]) : "", markOf(s, i)});
        section.blocks.push_back(std::move(table));
        section.blocks.push_back(
            Paragraph{"Ready: the target lists its models and has no /health that says otherwise, asked every 50 ms. "
                      "Steady: the first request which, like every running median of three behind it, lies at most "
                      "10 % above the median of the last half of the requests.",
                      Paragraph::Kind::Plain});
    }
    return section;
}

nlohmann::ordered_json coldStartJson(const std::optional<ColdStartSummary>& summary)
{
    if (!summary)
        return nullptr;
    const ColdStartSummary& s = *summary;
    Json json = {{"command", s.command},
                 {"was_up", s.wasUp},
                 {"connected_s", s.connectedS},
                 {"ready_s", s.readyS},
                 {"first_token_s", orNull(s.firstTokenS)},
                 {"ttft_ms", Json::array()},
                 {"steady_ttft_ms", orNull(s.steadyTtftMs)},
                 {"steady_request", s.steadyRequest ? Json(*s.steadyRequest) : Json()},
                 {"steady_s", orNull(s.steadyS)}};
    for (const std::optional<double>& ttft : s.ttftMs)
        json["ttft_ms"].push_back(orNull(ttft));
    return json;
}

} // namespace tailmark
