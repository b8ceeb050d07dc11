// SPDX-License-Identifier: GPL-3.0-or-later
// What the two ends tell of themselves: the engine by its counters, the load generator by its own condition.
#include "analysis/text.h"
#include "report/document.h"
#include "report/table_parts.h"

#include <algorithm>
#include <set>

namespace tailmark {

namespace {

std::string p99(const std::optional<Distribution>& d)
{
    return d ? figureText(d->at(99)->value) : std::string();
}

std::vector<std::string> rowOf(const PointSummary& p)
{
    return {p.point.test, pointName(p)};
}

constexpr std::size_t kMostColumns = 8; ///< beside those of the point, so that a table fits a page
const std::vector<ReportTable::Column> kPointColumns = {{"Test", {}, false}, {"Load", {}, false}};

ReportTable countersTable(const RunResults& results)
{
    std::set<ServerCounter> told;
    for (const PointSummary& p : results.points)
        if (p.server)
            for (const auto& [counter, figure] : p.server->figures)
                told.insert(counter);
    ReportTable table{kPointColumns, {}};
    for (const ServerCounterInfo& info : serverCounters()) {
        if (!told.contains(info.counter))
            continue;
        const std::string title(info.title);
        const std::string unit = info.unit.empty() ? "" : " (" + std::string(info.unit) + ")";
        if (info.gauge) {
            table.columns.push_back({title + ", mean" + unit, std::string(info.definition), true});
            table.columns.push_back({title + ", max" + unit, std::string(info.definition), true});
        } else {
            table.columns.push_back({title + unit, std::string(info.definition), true});
        }
    }
    table.columns.push_back(
        {"Prefix hits", "Share of the queried prompt tokens (or blocks) that the cache had", true});
    table.columns.push_back(
        {"Mean wait in the queue (s)", "Time in the queue / requests that left it", true});
    for (const PointSummary& p : results.points) {
        if (!p.server || p.server->figures.empty())
            continue;
        std::vector<std::string> row = rowOf(p);
        for (const ServerCounter counter : told) {
            const ServerFigure* figure = p.server->figure(counter);
            if (serverCounterInfo(counter).gauge) {
                row.push_back(cell(figure ? figure->mean : std::nullopt));
                row.push_back(cell(figure ? figure->max : std::nullopt));
            } else {
                row.push_back(figure && figure->restarted ? "restarted"
                                                          : cell(figure ? figure->delta : std::nullopt));
            }
        }
        const std::optional<double> hits = p.server->prefixHitShare();
        row.push_back(hits ? percentText(*hits) : std::string());
        row.push_back(cell(p.server->meanQueueS()));
        table.rows.push_back(std::move(row));
    }
    return table;
}

ReportTable speculationTable(const RunResults& results)
{
    ReportTable table = {kPointColumns, {}};
    table.columns.push_back({"Latency there", {}, true});
    table.columns.push_back({"Useful (tok/s)", "Useful output tokens that arrived at the client", true});
    table.columns.push_back({"Generated (tok/s)", "Output tokens by the engine's counter", true});
    table.columns.push_back({"Drafted (tok/s)", "Tokens proposed by the draft", true});
    table.columns.push_back({"Accepted (tok/s)", "Drafted tokens that became output", true});
    table.columns.push_back({"Rejected (tok/s)", "Drafted tokens that were thrown away", true});
    for (const PointSummary& p : results.points) {
        if (!p.server || !p.server->speculation)
            continue;
        const Speculation& s = *p.server->speculation;
        std::vector<std::string> row = rowOf(p);
        row.push_back(latencyBeside(p));
        row.push_back(s.usefulPerS > 0 ? figureText(s.usefulPerS) : std::string());
        row.push_back(cell(s.generatedPerS));
        for (const double rate : {s.draftedPerS, s.acceptedPerS, s.rejectedPerS})
            row.push_back(figureText(rate));
        table.rows.push_back(std::move(row));
    }
    return table;
}

ReportSection serverSection(const RunResults& results)
{
    ReportSection section{"Counters of the server", {}};
    ReportTable counters = countersTable(results);
    if (!counters.rows.empty()) {
        section.blocks.push_back(Paragraph{
            "As the engine told them once a second: means of its state, and differences of its "
            "counters between the readings at the edges of the window. What it did not tell is empty.",
            Paragraph::Kind::Plain});
        for (ReportTable& part : splitWide(counters, kPointColumns.size(), kMostColumns))
            section.blocks.push_back(std::move(part));
    }
    if (ReportTable speculation = speculationTable(results); !speculation.rows.empty()) {
        section.blocks.push_back(
            Paragraph{"Speculative decoding, tokens per second of wall clock:", Paragraph::Kind::Plain});
        section.blocks.push_back(std::move(speculation));
    }
    for (const PointSummary& p : results.points)
        if (p.server)
            for (const std::string& remark : p.server->remarks)
                section.blocks.push_back(Paragraph{p.point.test + ", " + rowOf(p)[1] + ": " + remark + ".",
                                                   Paragraph::Kind::Warning});
    return section;
}

ReportSection generatorSection(const RunResults& results)
{
    ReportSection section{"The load generator itself", {}};
    ReportTable table = {kPointColumns, {}};
    const std::vector<ReportTable::Column> columns = {
        {"Threads", "Generator threads", true},
        {"Cores used", "CPU time of all threads / wall time, spinning before a send apart", true},
        {"Busiest thread", "Share of a core; above 85 % a point may not be believed", true},
        {"Waited for a core", "Run delay / (run delay + CPU time) of the thread that waited most", true},
        {"Send lag p99 (ms)", "Sent - intended", true},
        {"Loop lag p99 (ms)", "From the kernel's receive stamp of data to its processing", true},
        {"Timer lag p99 (ms)", "How late a timer that waits its turn among the sockets was served", true},
        {"New connections", {}, true},
        {"Stale connections", "Reused ones that the server had closed; the request was sent again once",
         true},
        {"Coalesced events", "Token events that came in one read with the one before, of all", true},
        {"Times from the kernel", "Requests whose times are kernel receive stamps, of all", true}};
    table.columns.insert(table.columns.end(), columns.begin(), columns.end());
    for (const PointSummary& p : results.points) {
        if (!p.cpuCores)
            continue;
        const auto busiest = std::max_element(p.threadCpu.begin(), p.threadCpu.end());
        const bool known = busiest != p.threadCpu.end();
        const Distribution* lag = p.distribution(Metric::SendLag);
        std::uint64_t stamped = 0;
        for (const std::uint64_t n : p.stamps)
            stamped += n;
        std::vector<std::string> row = rowOf(p);
        row.push_back(known ? countText(p.threadCpu.size()) : std::string());
        row.push_back(cell(p.cpuCores));
        row.push_back(known ? percentText(*busiest) : std::string());
        row.push_back(p.runDelayShare ? percentText(*p.runDelayShare) : std::string());
        row.push_back(lag ? figureText(lag->at(99)->value) : std::string());
        row.push_back(p99(p.loopLagMs));
        row.push_back(p99(p.timerLagMs));
        row.push_back(countText(p.newConnections));
        row.push_back(countText(p.staleConnections));
        row.push_back(countText(p.coalescedEvents) + " of " + countText(p.tokenEvents));
        row.push_back(countText(p.stamped(StampSource::Kernel)) + " of " + countText(stamped));
        table.rows.push_back(std::move(row));
    }
    if (!table.rows.empty())
        for (ReportTable& part : splitWide(table, kPointColumns.size(), kMostColumns))
            section.blocks.push_back(std::move(part));
    return section;
}

} // namespace

std::vector<ReportSection> engineSections(const RunResults& results)
{
    return {serverSection(results), generatorSection(results)};
}

} // namespace tailmark
