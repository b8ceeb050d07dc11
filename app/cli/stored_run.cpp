// SPDX-License-Identifier: GPL-3.0-or-later
#include "stored_run.h"

#include "analysis/burst.h"
#include "analysis/length_match.h"
#include "analysis/metrics.h"
#include "analysis/operating_point.h"
#include "analysis/operating_sentence.h"
#include "analysis/text.h"
#include "base/percentile_text.h"
#include "output.h"
#include "report/told.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>
#include <utility>

#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

namespace tailmark::cli {

void Library::addTo(CLI::App& command)
{
    command.add_option("--db", database, "Database of runs; default: $XDG_DATA_HOME/tailmark/runs.sqlite")
        ->type_name("FILE");
}

std::string Library::path() const
{
    return database.empty() ? Store::defaultPath() : database;
}

Result<Store> Library::open() const
{
    return Store::open(path(), Store::Mode::ReadOnly);
}

Result<RunId> findRun(const Store& store, const std::string& text)
{
    const Result<std::vector<RunInfo>> runs = store.listRuns();
    if (!runs)
        return runs.error();
    const auto refuse = [&](const std::string& message) { return Error{ErrorCode::BadInput, text, message}; };
    if (runs.value().empty())
        return refuse("there is no run yet");
    if (text == "latest")
        return runs.value().front().id;

    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isNumber = error == std::errc() && end == text.data() + text.size();
    std::vector<RunId> named;
    for (const RunInfo& run : runs.value()) {
        if (isNumber && run.id.value == number)
            return run.id;
        if (run.name == text)
            named.push_back(run.id);
    }
    if (named.size() == 1)
        return named.front();
    if (named.empty())
        return refuse("there is no such run; give a number or name of `tailmark-cli list`, or latest");
    std::string numbers;
    for (const RunId id : named)
        numbers += (numbers.empty() ? "" : ", ") + std::to_string(id.value);
    return refuse("several runs have this name; give a number: " + numbers);
}

Result<Slo> parseSlo(const std::vector<std::string>& texts)
{
    Slo slo;
    for (const std::string& text : texts) {
        Result<SloLimit> limit = parseSloLimit(text);
        if (!limit)
            return Error{ErrorCode::BadInput, "--slo", limit.error().message};
        slo.push_back(std::move(limit).value());
    }
    return slo;
}

namespace {

/// With the mark of one that has fewer than ten values beyond it.
std::string quantileText(const PointSummary& point, Metric metric, double percent)
{
    const Distribution* distribution = point.distribution(metric);
    const Distribution::Quantile* quantile = distribution ? distribution->at(percent) : nullptr;
    return quantile ? figure(quantile->value) + (quantile->weak ? " weak" : "") : figure({});
}

/// "8", "25/s", of a burst "4 to 25/s".
std::string loadText(const PointPlan& point)
{
    if (point.kind == TestKind::BurstRecovery && point.phases.size() > 1)
        return figure(point.phases[0].ratePerS) + " to " + figure(point.phases[1].ratePerS) + "/s";
    return figure(point.load.value) + (point.load.axis == LoadAxis::Concurrency ? "" : "/s");
}

/// Whether the table of points has a column for this limit anyway.
bool isUsualColumn(const SloLimit& limit)
{
    const auto metric = metricFromId(limit.metric);
    if (metric == Metric::Ttft || metric == Metric::TtftIntended)
        return limit.percentile == 50 || limit.percentile == 99;
    return limit.percentile == 99 &&
           (metric == Metric::Tpot || metric == Metric::E2e || metric == Metric::E2eIntended);
}

std::string columnTitle(const SloLimit& limit)
{
    const MetricInfo& info = metricInfo(*metricFromId(limit.metric));
    return std::string(info.abbreviation) + " " + percentileText(limit.percentile) +
           (info.unit.empty() ? "" : " " + std::string(info.unit));
}

std::string countText(const std::optional<std::uint64_t>& count)
{
    return count ? std::to_string(*count) : figure({});
}

std::string verdictText(const PointSummary& point)
{
    std::string text;
    for (const VerdictReason& reason : point.verdict.reasons)
        text += (text.empty() ? "" : ", ") + reason.code;
    return text.empty() ? "valid" : text;
}

} // namespace

void printPoints(const RunResults& results, std::ostream& out)
{
    const bool repeats =
        std::ranges::any_of(results.points, [](const PointSummary& point) { return point.point.repeat > 0; });
    std::vector<Table::Column> columns = {{"test", false}, {"load"}};
    if (repeats)
        columns.push_back({"repeat"});
    for (const char* title :
         {"req/s", "out tok/s", "TTFT p50 ms", "TTFT p99 ms", "TPOT p99 ms", "E2E p99 ms", "done", "failed"})
        columns.push_back({title});
    std::vector<std::size_t> limits;
    for (std::size_t i = 0; i < results.slo.size(); ++i) {
        if (isUsualColumn(results.slo[i]))
            continue;
        limits.push_back(i);
        columns.push_back({columnTitle(results.slo[i])});
    }
    columns.insert(columns.end(), {{"SLO", false}, {"verdict", false}});
    Table table(std::move(columns));
    for (const PointSummary& point : results.points) {
        // Other tools know no intended start.
        const bool fromIntended = point.point.openLoop() && results.run.info.foreign.empty();
        const Metric ttft = headlineMetric(fromIntended);
        const Metric e2e = fromIntended ? Metric::E2eIntended : Metric::E2e;
        std::vector<std::string> row = {point.point.test, loadText(point.point)};
        if (repeats)
            row.push_back(std::to_string(point.point.repeat + 1));
        row.insert(row.end(),
                   {figure(point.rate(Metric::RequestsPerS)), figure(point.rate(Metric::OutputTokensPerS)),
                    quantileText(point, ttft, 50), quantileText(point, ttft, 99),
                    quantileText(point, Metric::Tpot, 99), quantileText(point, e2e, 99),
                    countText(countOf(results, point, Outcome::Completed)), countText(failedOf(results, point))});
        for (const std::size_t i : limits)
            row.push_back(figure(point.slo.constraints[i].value) + (point.slo.constraints[i].weak ? " weak" : ""));
        row.push_back(results.slo.empty() ? "–" : sloResultText(point.slo));
        row.push_back(verdictText(point));
        table.addRow(std::move(row));
    }
    if (!table.empty())
        table.print(out);
}

void printReasons(const RunResults& results, std::ostream& out)
{
    for (const PointSummary& point : results.points) {
        const std::string where = oneLine(point.point.test) + ", " + loadText(point.point) + ": ";
        for (const VerdictReason& reason : point.verdict.reasons)
            out << where << reason.code << ": " << oneLine(reason.text) << '\n';
        if (const std::string missing = cutOffText(point.cutOff, point.rate(Metric::OutputTokensPerS)); !missing.empty())
            out << where << "out tok/s " << missing << '\n';
        if (!point.window.note.empty())
            out << where << "the window " << point.window.note << '\n';
        if (point.shortWarmup && point.verdict.valid)
            out << where
                << shortWarmupText(*point.steady, *point.shortWarmup, point.window.startS,
                                   metricInfo(headlineMetric(point.point.openLoop())).abbreviation)
                << '\n';
    }
}

void printLaws(const RunResults& results, std::ostream& out)
{
    struct Furthest
    {
        const PointSummary* point;
        const LawCheck* law;
    };
    std::vector<Furthest> shown;
    for (const PointSummary& point : results.points) {
        for (const LawCheck& law : point.laws) {
            const auto same = std::ranges::find_if(shown, [&](const Furthest& f) {
                return f.law->law == law.law && f.point->point.test == point.point.test;
            });
            if (same == shown.end())
                shown.push_back({&point, &law});
            else if (std::fabs(law.relativeDifference) > std::fabs(same->law->relativeDifference))
                *same = {&point, &law};
        }
    }
    for (const Furthest& f : shown)
        out << oneLine(f.point->point.test) << ", " << loadText(f.point->point) << ": " << f.law->text
            << '\n';
}

void printConditions(const RunResults& results, std::ostream& out)
{
    if (results.points.empty())
        return;
    out << "prefix cache: " << cacheOf(results).text << '\n';
    if (const std::string text = prefixSharingText(sharingOf(results)); !text.empty())
        out << "prefix hit rate: " << text << '\n';
    if (const auto& environment = results.run.environment; environment.is_object() && environment.contains("requests"))
        if (const auto& names = environment["requests"]; names.contains("sha256") && names.contains("hashed"))
            out << "requests: sha256 " << names["sha256"].get<std::string>() << ", of "
                << tailmark::countText(names["hashed"].get<std::uint64_t>()) << " requests\n";
    if (const auto errors = summarizeErrors(promptErrorsOf(results)))
        out << "prompt lengths: " << lengthErrorText(*errors) << '\n';
    for (const PointSummary* point : largestPoints(results.points))
        if (const std::string text = lengthMatchText(*point); !text.empty())
            out << oneLine(point->point.test) << ", " << loadText(point->point) << ": " << oneLine(text) << '\n';
}

void printBursts(const RunResults& results, std::ostream& out)
{
    Table table({{"test", false},
                 {"phase", false},
                 {"from s"},
                 {"to s"},
                 {"offered/s"},
                 {"done/s"},
                 {"TTFT p50 ms"},
                 {"TTFT p99 ms"}});
    for (const PointSummary& point : results.points)
        for (const PhaseSummary& phase : point.phases) {
            const auto latency = phase.metrics.find(headlineMetric(true));
            const auto quantile = [&](double percent) {
                return latency == phase.metrics.end() ? std::nullopt
                                                      : std::optional(latency->second.at(percent)->value);
            };
            table.addRow({point.point.test, phase.name, figure(phase.startS), figure(phase.endS),
                          figure(phase.offeredPerS), figure(phase.completedPerS), figure(quantile(50)),
                          figure(quantile(99))});
        }
    if (!table.empty())
        table.print(out);
    for (const PointSummary& point : results.points)
        if (point.burst)
            out << oneLine(point.point.test) << ": " << burstSentence(*point.burst) << '\n';
}

void printColdStart(const RunResults& results, std::ostream& out)
{
    for (const PointSummary& point : results.points) {
        if (!point.coldStart)
            continue;
        Table table({{"request"}, {"TTFT ms"}, {"", false}});
        const ColdStartSummary& s = *point.coldStart;
        for (std::size_t i = 0; i < s.ttftMs.size(); ++i)
            table.addRow({std::to_string(i + 1), figure(s.ttftMs[i]),
                          !s.ttftMs[i]                                                            ? "failed"
                          : s.steadyRequest && std::cmp_equal(*s.steadyRequest, i + 1) ? "steady from here on"
                                                                                                  : ""});
        table.print(out);
        out << oneLine(point.point.test) << ": " << coldStartSentence(s) << '\n';
    }
}

void printOperatingPoints(const RunResults& results, std::ostream& out)
{
    for (const OperatingPoint& point : results.operatingPoints)
        out << point.test << ": " << point.sentence << '\n';
    for (const OperatingBound& bound :
         operatingBounds(boundFiguresOf(results), results.operatingPoints, results.points))
        out << oneLine(bound.test) << ", " << tailmark::loadText(bound.load) << ": " << bound.check.sentence << '\n';
}

} // namespace tailmark::cli
