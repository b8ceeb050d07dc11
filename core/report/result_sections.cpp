// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bound.h"
#include "analysis/burst.h"
#include "analysis/foreign_summary.h"
#include "analysis/operating_sentence.h"
#include "analysis/text.h"
#include "base/percentile_text.h"
#include "report/bound_results.h"
#include "report/cold_start_section.h"
#include "report/document.h"
#include "report/frontier_svg.h"
#include "report/table_parts.h"
#include "report/told.h"

#include <algorithm>
#include <cmath>

namespace tailmark {

namespace {

std::string verdictCodes(const Verdict& verdict)
{
    std::string text;
    for (const VerdictReason& reason : verdict.reasons)
        text += (text.empty() ? "" : ", ") + reason.code;
    return text.empty() ? "valid" : text;
}

std::string countCell(const std::optional<std::uint64_t>& count)
{
    return count ? countText(*count) : std::string();
}

std::vector<std::string> testsOf(const RunResults& results)
{
    std::vector<std::string> tests;
    for (const PointSummary& p : results.points) {
        if (std::find(tests.begin(), tests.end(), p.point.test) == tests.end())
            tests.push_back(p.point.test);
    }
    return tests;
}

/// A quantile as a column of the points' table.
struct QuantileColumn
{
    Metric metric;
    double percent;
    std::optional<std::size_t> constraint; ///< its place in the SLO, of a column that is there for a limit
};

/// The usual ones, and those that the SLO limits, beside others of the same metric.
std::vector<QuantileColumn> quantileColumns(const Slo& slo, Metric headline)
{
    const Metric whole = headline == Metric::TtftIntended ? Metric::E2eIntended : Metric::E2e;
    std::vector<QuantileColumn> columns = {{headline, 50, {}},     {headline, 99, {}}, {Metric::Tpot, 50, {}},
                                           {Metric::Tpot, 99, {}}, {whole, 99, {}},    {Metric::OutputTokensPerSUser, 50, {}}};
    for (std::size_t i = 0; i < slo.size(); ++i) {
        const auto metric = metricFromId(slo[i].metric);
        if (!metric || metricInfo(*metric).scope == MetricScope::Point)
            continue;
        const bool lower = metricInfo(*metric).lowerIsBetter;
        const auto same = [&](const QuantileColumn& c) { return c.metric == *metric; };
        if (lower && std::any_of(columns.begin(), columns.end(), [&](const QuantileColumn& c) {
                return same(c) && c.percent == slo[i].percentile;
            }))
            continue;
        // Before the first of the same metric with a higher percentile, else behind the last of it, else first of all.
        auto place = std::find_if(columns.begin(), columns.end(), [&](const QuantileColumn& c) {
            return same(c) && c.percent > slo[i].percentile;
        });
        if (place == columns.end())
            place = std::find_if(columns.rbegin(), columns.rend(), same).base();
        columns.insert(place, {*metric, slo[i].percentile, i});
    }
    return columns;
}

std::string quantileCell(const PointSummary& p, const QuantileColumn& column)
{
    const bool lower = metricInfo(column.metric).lowerIsBetter;
    const Distribution* d = p.distribution(column.metric);
    if (!column.constraint || (lower && d && d->at(column.percent)))
        return quantileCell(d, column.percent);
    return *column.constraint < p.slo.constraints.size() ? cell(p.slo.constraints[*column.constraint].value)
                                                         : std::string();
}

/// The curve in figures: throughput with the latency that it was had at.
ReportTable curveTable(const RunResults& results, const std::string& test, bool openLoop)
{
    ReportTable table;
    table.columns = {textColumn("Load"), metricColumn(Metric::OutputTokensPerS)};
    std::vector<std::size_t> limits; // those that are latencies
    for (std::size_t i = 0; i < results.slo.size(); ++i) {
        const auto metric = metricFromId(results.slo[i].metric);
        if (!metric || metricInfo(*metric).scope == MetricScope::Point)
            continue;
        limits.push_back(i);
        table.columns.push_back(metricColumn(*metric, percentileText(results.slo[i].percentile) + " "));
    }
    const Metric headline = headlineMetric(openLoop);
    if (limits.empty())
        table.columns.push_back(metricColumn(headline, "p99 "));
    for (const ReportTable::Column& column :
         {metricColumn(Metric::RequestsPerS), metricColumn(Metric::GoodputRequestsPerS),
          metricColumn(Metric::GoodputTokensPerS), metricColumn(Metric::SloAttainment), textColumn("SLO"),
          textColumn("Verdict")})
        table.columns.push_back(column);
    for (const PointSummary& p : results.points) {
        if (p.point.test != test)
            continue;
        const auto attainment = p.rate(Metric::SloAttainment);
        std::vector<std::string> row = {pointName(p), cell(p.rate(Metric::OutputTokensPerS))};
        for (const std::size_t i : limits)
            row.push_back(i < p.slo.constraints.size() ? cell(p.slo.constraints[i].value) : std::string());
        if (limits.empty())
            row.push_back(quantileCell(p.distribution(headline), 99));
        row.insert(row.end(),
                   {cell(p.rate(Metric::RequestsPerS)), cell(p.rate(Metric::GoodputRequestsPerS)),
                    cell(p.rate(Metric::GoodputTokensPerS)), attainment ? percentText(*attainment) : std::string(),
                    results.slo.empty() ? "" : sloResultText(p.slo), verdictCodes(p.verdict)});
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// What was asked of the target and what became of it.
ReportTable loadTable(const RunResults& results, const std::string& test)
{
    ReportTable table;
    table.columns = {textColumn("Load"),
                     metricColumn(Metric::OfferedPerS),
                     metricColumn(Metric::SentPerS),
                     metricColumn(Metric::AcceptedPerS),
                     metricColumn(Metric::CompletedPerS),
                     {"In flight", "Mean requests sent and not yet ended", true},
                     {"Completed", "Successful requests intended inside the window", true},
                     {"Failed", "Requests intended inside the window that ended otherwise, never sent or cut off included",
                      true}};
    for (const PointSummary& p : results.points) {
        if (p.point.test != test)
            continue;
        table.rows.push_back({pointName(p), cell(p.rate(Metric::OfferedPerS)), cell(p.rate(Metric::SentPerS)),
                              cell(p.rate(Metric::AcceptedPerS)), cell(p.rate(Metric::CompletedPerS)),
                              std::isfinite(p.meanInFlight) ? figureText(p.meanInFlight) : std::string(),
                              countCell(countOf(results, p, Outcome::Completed)), countCell(failedOf(results, p))});
    }
    return table;
}

ReportTable latencyTable(const RunResults& results, const std::string& test, bool openLoop)
{
    const std::vector<QuantileColumn> quantiles = quantileColumns(results.slo, headlineMetric(openLoop));
    ReportTable table;
    table.columns = {textColumn("Load")};
    for (const QuantileColumn& q : quantiles)
        table.columns.push_back(metricColumn(q.metric, percentileText(q.percent) + " "));
    table.columns.push_back({"n", "Successful requests intended inside the window", true});
    for (const PointSummary& p : results.points) {
        if (p.point.test != test)
            continue;
        std::vector<std::string> row = {pointName(p)};
        for (const QuantileColumn& q : quantiles)
            row.push_back(quantileCell(p, q));
        row.push_back(countCell(countOf(results, p, Outcome::Completed)));
        table.rows.push_back(std::move(row));
    }
    return table;
}

ReportSection summarySection(const RunResults& results)
{
    ReportSection section{"What was found", {}};
    for (const SloLimit& limit : results.slo)
        section.blocks.push_back(Paragraph{"Limit: " + sloSentence(limit) + ".", Paragraph::Kind::Plain});
    for (const OperatingPoint& op : results.operatingPoints)
        section.blocks.push_back(Paragraph{op.test + ": " + op.sentence, Paragraph::Kind::Claim});
    for (const PointSummary& p : results.points)
        if (p.burst)
            section.blocks.push_back(Paragraph{p.point.test + ": " + burstSentence(*p.burst), Paragraph::Kind::Claim});
    for (const OperatingBound& bound :
         operatingBounds(boundFiguresOf(results), results.operatingPoints, results.points))
        section.blocks.push_back(
            Paragraph{bound.test + ", " + loadText(bound.load) + ": " + bound.check.sentence + ".", Paragraph::Kind::Claim});
    if (!results.run.info.foreign.empty())
        section.blocks.push_back(
            Paragraph{"Measured by " + toolTitle(results.run.info.foreign) +
                          ", not by Tailmark: nothing of it could be checked.",
                      Paragraph::Kind::Warning});
    else if (!results.points.empty()) {
        const CacheState cache = cacheOf(results);
        if (cache.standing == CacheStanding::Contradicted)
            section.blocks.push_back(Paragraph{"Prefix cache: " + cache.text + ".", Paragraph::Kind::Warning});
    }
    if (const std::string text = prefixSharingText(sharingOf(results)); !text.empty())
        section.blocks.push_back(Paragraph{"Prefix hit rate: " + text + ".", Paragraph::Kind::Plain});
    if (const auto errors = summarizeErrors(promptErrorsOf(results)))
        section.blocks.push_back(
            Paragraph{"Prompt lengths: " + lengthErrorText(*errors) + ".", Paragraph::Kind::Plain});
    std::uint64_t failed = 0;
    std::uint64_t all = 0;
    for (const PointSummary& p : results.points) {
        if (const ForeignFigures* told = toldOf(results, p)) {
            failed += told->failed.value_or(0);
            all += told->completed.value_or(0) + told->failed.value_or(0);
            continue;
        }
        for (int i = 0; i < kOutcomeCount; ++i) {
            const auto outcome = static_cast<Outcome>(i);
            all += p.outcomesOfPoint[static_cast<std::size_t>(i)];
            if (outcome != Outcome::Completed && outcome != Outcome::Cancelled)
                failed += p.outcomesOfPoint[static_cast<std::size_t>(i)];
        }
    }
    if (failed > 0)
        section.blocks.push_back(
            Paragraph{countText(failed) + " of " + countText(all) + " requests failed or were never sent.",
                      Paragraph::Kind::Warning});
    for (const PointSummary& p : results.points) {
        for (const std::string& error : p.firstErrors)
            section.blocks.push_back(
                Paragraph{p.point.test + ", " + pointName(p) + ": " + error, Paragraph::Kind::Warning});
    }
    for (const std::string& warning : results.run.warnings)
        section.blocks.push_back(Paragraph{warning, Paragraph::Kind::Warning});
    return section;
}

ReportSection testSection(const RunResults& results, const std::string& test)
{
    ReportSection section{test, {}};
    const auto point = std::find_if(results.points.begin(), results.points.end(),
                                    [&](const PointSummary& p) { return p.point.test == test; });
    for (const Curve& curve : makeCurves(results.points, results.slo)) {
        if (curve.test != test)
            continue;
        const auto op = std::find_if(results.operatingPoints.begin(), results.operatingPoints.end(),
                                     [&](const OperatingPoint& o) { return o.test == test; });
        if (op != results.operatingPoints.end())
            section.blocks.push_back(frontierFigure(
                curve, *op, results.points, boundAlong(boundFiguresOf(results), curve, results.points)));
    }
    section.blocks.push_back(
        curveTable(results, test, point->point.openLoop() && results.run.info.foreign.empty()));
    for (const PointSummary& p : results.points) {
        if (p.point.test != test)
            continue;
        if (const std::string missing = cutOffText(p.cutOff, p.rate(Metric::OutputTokensPerS)); !missing.empty())
            section.blocks.push_back(
                Paragraph{"The throughput at " + pointName(p) + " " + missing + ".", Paragraph::Kind::Warning});
        if (p.tokensUnknown > 0)
            section.blocks.push_back(Paragraph{"The throughput at " + pointName(p) + " leaves out " +
                                                   countText(p.tokensUnknown) +
                                                   " successful answers whose tokens nobody told.",
                                               Paragraph::Kind::Warning});
    }
    section.blocks.push_back(loadTable(results, test));
    section.blocks.push_back(latencyTable(
        results, test, point->point.openLoop() && results.run.info.foreign.empty()));
    section.blocks.push_back(
        Paragraph{(results.run.info.foreign.empty()
                       ? "Latencies of successful requests; failures stand in the table of outcomes and count "
                         "against the SLO."
                       : "Latencies as " + toolTitle(results.run.info.foreign) + " has them in its file.") +
                      std::string(" \"weak\": fewer than ten values above the quantile."),
                  Paragraph::Kind::Plain});
    return section;
}

ReportSection verdictSection(const RunResults& results)
{
    ReportSection section{results.run.info.foreign.empty() ? "Points that may not be believed"
                                                            : "What is not known of the points",
                          {}};
    ReportTable table{
        {textColumn("Test"), textColumn("Load"), textColumn("Reason"), textColumn("With its figures")}, {}};
    for (const PointSummary& p : results.points) {
        for (const VerdictReason& reason : p.verdict.reasons)
            table.rows.push_back({p.point.test, pointName(p), reason.code, reason.text});
    }
    if (!table.rows.empty())
        section.blocks.push_back(std::move(table));
    return section;
}

/// What each test claims of the prefix cache, and how the claim stands; point by point where it is contradicted.
ReportSection cacheSection(const RunResults& results)
{
    ReportSection section{"Prefix cache", {}};
    if (!results.run.info.foreign.empty())
        return section; // another tool's file claims nothing of it
    ReportTable table{{textColumn("Test"), textColumn("Load"), textColumn("State"),
                       {"Hit rate planned", "Share of the prompt tokens that a prefix cache of endless size serves", true},
                       {"Hit rate measured", "By the cached tokens in the answers, else by the server's counters", true},
                       textColumn("How it was made")},
                      {}};
    const auto rate = [](std::optional<double> share) { return share ? percentText(*share) : std::string(); };
    for (const std::string& test : testsOf(results)) {
        std::vector<CacheState> states;
        std::vector<PrefixSharing> sharings;
        for (const PointSummary& p : results.points) {
            if (p.point.test != test)
                continue;
            states.push_back(p.cache);
            sharings.push_back(p.sharing);
        }
        const CacheState all = pooled(states);
        if (all.standing != CacheStanding::Contradicted) {
            const PrefixSharing sharing = pooled(sharings);
            table.rows.push_back({test, "all", all.text, rate(sharing.planned()), rate(sharing.measured()), all.made});
            continue;
        }
        for (const PointSummary& p : results.points)
            if (p.point.test == test)
                table.rows.push_back({test, pointName(p), p.cache.text, rate(p.sharing.planned()),
                                      rate(p.sharing.measured()), p.cache.made});
    }
    if (!table.rows.empty())
        section.blocks.push_back(std::move(table));
    return section;
}

ReportSection outcomeSection(const RunResults& results)
{
    if (!results.run.info.foreign.empty())
        return {}; // how requests ended is not told
    ReportTable table{{textColumn("Test"), textColumn("Load")}, {}};
    std::vector<Outcome> seen;
    for (int i = 0; i < kOutcomeCount; ++i) {
        const auto outcome = static_cast<Outcome>(i);
        if (std::any_of(results.points.begin(), results.points.end(),
                        [&](const PointSummary& p) { return p.count(outcome) > 0; }))
            seen.push_back(outcome);
    }
    for (const Outcome outcome : seen)
        table.columns.push_back({std::string(outcomeId(outcome)), {}, true});
    for (const PointSummary& p : results.points) {
        std::vector<std::string> row = {p.point.test, pointName(p)};
        for (const Outcome outcome : seen)
            row.push_back(countText(p.count(outcome)));
        table.rows.push_back(std::move(row));
    }
    ReportSection section{"Outcomes of the requests intended inside the window", {}};
    if (seen == std::vector{Outcome::Completed})
        section.blocks.push_back(Paragraph{"Every one of them was completed.", Paragraph::Kind::Plain});
    else if (!seen.empty())
        section.blocks.push_back(std::move(table));
    return section;
}

void addBurst(ReportSection& section, const PointSummary& p)
{
    const Metric headline = headlineMetric(true);
    ReportTable table{{textColumn("Phase"),
                       {"From (s)", {}, true},
                       {"To (s)", {}, true},
                       metricColumn(Metric::OfferedPerS),
                       metricColumn(Metric::SentPerS),
                       metricColumn(Metric::CompletedPerS),
                       metricColumn(headline, "p50 "),
                       metricColumn(headline, "p99 ")},
                      {}};
    for (const PhaseSummary& phase : p.phases) {
        const auto latency = phase.metrics.find(headline);
        const Distribution* d = latency == phase.metrics.end() ? nullptr : &latency->second;
        table.rows.push_back({phase.name, figureText(phase.startS), figureText(phase.endS),
                              figureText(phase.offeredPerS), figureText(phase.sentPerS),
                              figureText(phase.completedPerS), quantileCell(d, 50), quantileCell(d, 99)});
    }
    section.blocks.push_back(std::move(table));
}

ReportSection burstSection(const RunResults& results)
{
    ReportSection section{"Burst and recovery", {}};
    for (const PointSummary& p : results.points) {
        if (!p.phases.empty())
            addBurst(section, p);
    }
    return section;
}

/// Of each test the point that is furthest from each law.
ReportSection lawSection(const RunResults& results)
{
    struct Furthest
    {
        const PointSummary* point;
        const LawCheck* law;
    };
    std::vector<Furthest> shown;
    for (const PointSummary& p : results.points) {
        for (const LawCheck& law : p.laws) {
            const auto same = std::find_if(shown.begin(), shown.end(), [&](const Furthest& f) {
                return f.law->law == law.law && f.point->point.test == p.point.test;
            });
            if (same == shown.end())
                shown.push_back({&p, &law});
            else if (std::fabs(law.relativeDifference) > std::fabs(same->law->relativeDifference))
                *same = {&p, &law};
        }
    }
    ReportSection section{"Laws checked", {}};
    ReportTable table{{textColumn("Test"), textColumn("Load"), textColumn("Expected and observed")}, {}};
    for (const Furthest& f : shown)
        table.rows.push_back({f.point->point.test, pointName(*f.point), f.law->text});
    if (table.rows.empty())
        return section;
    section.blocks.push_back(Paragraph{
        "Of each test the point that is furthest from the law; those of all points are in the JSON export.", {}});
    section.blocks.push_back(std::move(table));
    return section;
}

/// Where a number from another tool would be looked for: the last level that passes, else the first of the
/// test.
const PointSummary* typicalPoint(const RunResults& results, const std::string& test)
{
    const auto op = std::find_if(results.operatingPoints.begin(), results.operatingPoints.end(),
                                 [&](const OperatingPoint& o) { return o.test == test && o.lastPassing; });
    const PointSummary* first = nullptr;
    for (const PointSummary& p : results.points) {
        if (p.point.test != test || p.asOthersCount.empty())
            continue;
        if (op != results.operatingPoints.end() && p.point.load.value == op->lastPassing->load)
            return &p;
        if (!first)
            first = &p;
    }
    return first;
}

ReportSection peerSection(const RunResults& results)
{
    ReportSection section{"As other tools count it", {}};
    ReportTable table{{textColumn("Test"),
                       textColumn("Load"),
                       textColumn("Tool"),
                       {"Mean TTFT (ms)", {}, true},
                       {"p99 TTFT (ms)", {}, true},
                       {"Mean \"TPOT\" (ms)", {}, true},
                       {"Mean \"ITL\" (ms)", {}, true},
                       {"Mean E2E (ms)", {}, true},
                       {"Throughput (tok/s)", {}, true},
                       textColumn("Its definitions")},
                      {}};
    const auto part = [](const std::optional<PeerFigures::Latency>& l, double PeerFigures::Latency::*value) {
        return l ? figureText((*l).*value) : std::string();
    };
    using Latency = PeerFigures::Latency;
    for (const std::string& test : testsOf(results)) {
        const PointSummary* p = typicalPoint(results, test);
        if (!p)
            continue;
        for (const PeerFigures& peer : p->asOthersCount)
            table.rows.push_back(
                {test, pointName(*p), std::string(peer.tool), part(peer.ttft, &Latency::mean),
                 part(peer.ttft, &Latency::p99), part(peer.tpot, &Latency::mean), cell(peer.itlMeanMs),
                 part(peer.e2e, &Latency::mean), cell(peer.outputTokensPerS), std::string(peer.definition)});
    }
    if (table.rows.empty())
        return section;
    section.blocks.push_back(
        Paragraph{"The same records by the definitions of other tools, over the whole point with ramp "
                  "and drain, so that a number from elsewhere can be matched.",
                  Paragraph::Kind::Plain});
    for (ReportTable& part : splitWide(table, 3, 6))
        section.blocks.push_back(std::move(part));
    return section;
}

} // namespace

std::vector<ReportSection> resultSections(const RunResults& results)
{
    std::vector<ReportSection> sections = {summarySection(results), glanceSection(results)};
    for (const std::string& test : testsOf(results))
        sections.push_back(testSection(results, test));
    sections.push_back(burstSection(results));
    sections.push_back(coldStartSection(results));
    sections.push_back(verdictSection(results));
    sections.push_back(windowSection(results));
    sections.push_back(cacheSection(results));
    sections.push_back(lengthSection(results));
    sections.push_back(outcomeSection(results));
    sections.push_back(boundSection(results));
    sections.push_back(lawSection(results));
    for (ReportSection& section : engineSections(results))
        sections.push_back(std::move(section));
    sections.push_back(peerSection(results));
    return sections;
}

} // namespace tailmark
