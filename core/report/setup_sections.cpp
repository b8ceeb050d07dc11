// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/distribution.h"
#include "analysis/foreign_summary.h"
#include "analysis/length_match.h"
#include "analysis/operating_sentence.h"
#include "analysis/text.h"
#include "plan/plan_json.h"
#include "report/document.h"
#include "report/share_safe.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

ReportTable keyValueTable(const char* key, const char* value)
{
    return {{{key, {}, false}, {value, {}, false}}, {}};
}

const char* originText(CardOrigin origin, bool foreign)
{
    switch (origin) {
    case CardOrigin::Typed:
        return "typed";
    case CardOrigin::Read:
        return foreign ? "read from the file" : "read from the target";
    case CardOrigin::Sent:
        return "sent with the requests";
    case CardOrigin::Unknown:
        break;
    }
    return "";
}

ReportSection cardSection(const RunResults& results)
{
    const RunCard card = shareSafeCard(results.run.card);
    std::vector<std::string> keys = RunCard::fixedKeys();
    for (const auto& [key, entry] : card.entries()) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            keys.push_back(key);
    }
    ReportTable table{{{"Entry", {}, false}, {"Value", {}, false}, {"Where from", {}, false}}, {}};
    for (const std::string& key : keys) {
        const CardEntry entry = card.entry(key);
        const bool known = entry.origin != CardOrigin::Unknown;
        std::string from = originText(entry.origin, !results.run.info.foreign.empty());
        if (!entry.source.empty())
            from += ", " + entry.source;
        if (!entry.standard.empty())
            from += "; default: " + entry.standard;
        table.rows.push_back({key, known ? entry.value : "unknown", from});
    }
    return {"Run card: what was measured", {std::move(table)}};
}

/// The pooled lengths of all points of a kind: quantiles of each point, since a point is what was asked at
/// once.
void addLengths(ReportTable& table, const std::string& test, const char* what,
                const std::optional<Distribution>& d)
{
    if (!d)
        return;
    const auto at = [&](double percent) {
        const Distribution::Quantile* q = d->at(percent);
        return q ? figureText(q->value) : std::string();
    };
    table.rows.push_back({test, what, countText(d->n), figureText(d->min), at(50), at(90), at(95), at(99),
                          figureText(d->max), figureText(d->mean)});
}

/// Of each test the point with the most requests stands for its lengths.
ReportTable lengthsTable(const RunResults& results)
{
    ReportTable table{{{"Test", {}, false},
                       {"Tokens", {}, false},
                       {"n", {}, true},
                       {"min", {}, true},
                       {"p50", {}, true},
                       {"p90", {}, true},
                       {"p95", {}, true},
                       {"p99", {}, true},
                       {"max", {}, true},
                       {"mean", {}, true}},
                      {}};
    for (const PointSummary* p : largestPoints(results.points)) {
        addLengths(table, p->point.test, "prompt, planned", p->promptTokensPlanned);
        addLengths(table, p->point.test, "prompt, as the server counted", p->promptTokens);
        addLengths(table, p->point.test, "output, cap", p->outputTokensCap);
        addLengths(table, p->point.test, "output, realised", p->outputTokens);
    }
    return table;
}

ReportTable promptErrorTable(const RunResults& results)
{
    ReportTable table{{{"Test", {}, false},
                       {"Load", {}, false},
                       {"n", {}, true},
                       {"Exact", {}, true},
                       {"min", {}, true},
                       {"p50", {}, true},
                       {"p99", {}, true},
                       {"max", {}, true}},
                      {}};
    for (const PointSummary& p : results.points) {
        if (const auto e = summarizeErrors(p.promptErrors))
            table.rows.push_back({p.point.test, loadText(p.point.load), countText(e->n), percentText(e->exactShare()),
                                  std::to_string(e->min), std::to_string(e->p50), std::to_string(e->p99),
                                  std::to_string(e->max)});
    }
    return table;
}

void addJson(ReportTable& table, const std::string& path, const nlohmann::ordered_json& json)
{
    if (json.is_object() && !json.empty()) {
        for (const auto& [key, value] : json.items())
            addJson(table, path.empty() ? key : path + "." + key, value);
    } else {
        table.rows.push_back({path, json.is_string() ? json.get<std::string>() : json.dump()});
    }
}

ReportSection workloadSection(const RunResults& results)
{
    const nlohmann::ordered_json matrix = shareSafeMatrix(results.run.plan.matrix);
    ReportTable settings = keyValueTable("Setting", "Value");
    addJson(settings, "", matrix.at("workload"));
    ReportSection section{"Workload: what was asked", {std::move(settings)}};
    ReportTable lengths = lengthsTable(results);
    if (!lengths.rows.empty()) {
        section.blocks.push_back(std::move(lengths));
        section.blocks.push_back(Paragraph{"Lengths of the point with the most requests of each test.", {}});
    }
    if (const ReportTable errors = promptErrorTable(results); !errors.rows.empty()) {
        section.blocks.push_back(errors);
        section.blocks.push_back(Paragraph{
            "Prompt tokens that the server reported less those planned, of successful requests in the window.", {}});
    }
    return section;
}

ReportSection measurementSection(const RunResults& results)
{
    const nlohmann::ordered_json matrix = shareSafeMatrix(results.run.plan.matrix);
    const Measurement& m = results.run.plan.matrix.measurement;
    ReportTable settings = keyValueTable("Setting", "Value");
    addJson(settings, "", matrix.at("measurement"));
    addJson(settings, "limits", matrix.at("limits"));
    const bool attempted = m.failureDenominator == FailureDenominator::Attempted;
    return {"Measurement: how it was measured",
            {Paragraph{"The first " + figureText(m.warmupS) +
                           " s of each point are warm-up and left out; the window after it "
                           "is " +
                           figureText(m.durationS) +
                           " s long (a burst test: its phases)" +
                           (m.untilStable ? ", and longer, up to " + figureText(m.maxDurationS) +
                                                " s, until the interval of every limited quantile was at most " +
                                                percentText(m.stableWidth) + " of it wide"
                                          : std::string()) +
                           ". A request belongs to the "
                           "window by its intended start; tokens and completions by when they arrived. "
                           "Requests in flight at "
                           "its end may finish for " +
                           figureText(m.drainS) + " s more. " +
                           (attempted ? "Failures and requests never sent count against the SLO."
                                      : "Requests that the engine never accepted are left out of the SLO."),
                       Paragraph::Kind::Plain},
             std::move(settings)}};
}

ReportSection environmentSection(const RunResults& results)
{
    ReportTable table = keyValueTable("Entry", "Value");
    if (results.run.environment.is_object()) {
        nlohmann::json environment = results.run.environment;
        // Long, and in the JSON export; the card has what matters of them.
        environment.erase("server_documents");
        addJson(table, "", environment);
    }
    ReportSection section{"Where the load came from", {}};
    if (!table.rows.empty())
        section.blocks.push_back(std::move(table));
    return section;
}

/// Of a run that another tool measured: in the place of workload, measurement and environment, which nobody told.
ReportSection originSection(const RunResults& results)
{
    const std::string& tool = results.run.info.foreign;
    ReportTable table = keyValueTable("Entry", "Value");
    if (results.run.environment.is_object() && results.run.environment.contains("foreign"))
        addJson(table, "", results.run.environment["foreign"]);
    return {"Where the figures come from",
            {Paragraph{"Measured by " + toolTitle(tool) + " and read from its result file.", Paragraph::Kind::Plain},
             Paragraph{"No such file tells the records of single requests, how late its load generator was, what the "
                       "prefix cache had, warm-up and window, or the flags of the engine.",
                       Paragraph::Kind::Warning},
             std::move(table)}};
}

ReportSection definitionSection(const RunResults& results)
{
    if (const std::string& tool = results.run.info.foreign; !tool.empty())
        return {"Definitions",
                {Paragraph{toolTitle(tool) + " counts: " + std::string(peerDefinition(tool)), Paragraph::Kind::Plain}}};
    ReportTable table{
        {{"Metric", {}, false}, {"Id", {}, false}, {"Unit", {}, false}, {"Definition", {}, false}}, {}};
    for (const MetricInfo& info : metricCatalogue())
        table.rows.push_back({std::string(info.title), std::string(info.id), std::string(info.unit),
                              std::string(info.definition)});
    return {"Definitions",
            {Paragraph{"Quantiles are exact: nearest rank, the value with rank ceil(p x n). Their 95 % "
                       "intervals come from the "
                       "order statistics (binomial) and take requests as independent; they are absent where "
                       "there are too "
                       "few values. Failures never enter latency quantiles; their number stands beside.",
                       Paragraph::Kind::Plain},
             Paragraph{"The interval of a limited quantile comes from a moving-block bootstrap inside the run: sixteen "
                       "stretches of requests that follow each other are drawn again and again, so that it is wider "
                       "where neighbours are alike, as in a queue. The interval of a capacity holds that, the "
                       "noise of the throughput between twenty slices of the window, and with repeats Student's t "
                       "interval of the logarithms of what each repeat gives: only repeats know the noise between runs.",
                       Paragraph::Kind::Plain},
             std::move(table)}};
}

/// The tests that were run, where that was not all.
std::string onlyOptions(const Plan& plan)
{
    std::set<std::string> run;
    for (const PointPlan& point : plan.points)
        run.insert(point.test);
    const std::vector<std::string> names = testNames(plan.matrix.tests);
    std::string options;
    bool all = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (run.contains(names[i]))
            options += " --only '" + names[i] + "'";
        else
            all = all && !plan.matrix.tests[i].enabled;
    }
    return all ? std::string() : options;
}

/// Starts the simulated engine where the matrix looks for it; empty for any other engine.
std::string simulatorCommand(const StoredRun& run, const std::string& baseUrl)
{
    if (run.card.entry("engine").value != "sim")
        return {};
    std::string options;
    const nlohmann::json documents = run.environment.value("server_documents", nlohmann::json::object());
    for (const nlohmann::json& document : documents)
        if (document.is_object() && document.value("engine", "") == "tailmark-sim")
            options = document.value("started_with", "");
    if (const CardEntry profile = run.card.entry("flags.profile");
        options.find("--profile") == std::string::npos && profile.origin != CardOrigin::Unknown)
        options = "--profile " + profile.value + (options.empty() ? "" : " ") + options;
    const std::string authority = baseUrl.substr(0, baseUrl.find('/', baseUrl.find("://") + 3));
    const std::size_t colon = authority.rfind(':');
    const std::string port = authority.substr(colon + 1);
    const bool numbered = !port.empty() && port.find_first_not_of("0123456789") == std::string::npos;
    return "tailmark-sim" + (options.empty() ? "" : " " + options) + (numbered ? " --port " + port : std::string());
}

ReportSection rerunSection(const RunResults& results)
{
    const Matrix& matrix = results.run.plan.matrix;
    const nlohmann::ordered_json safe = shareSafeMatrix(matrix);
    ReportSection section{
        "How to run it again",
        {Paragraph{"Save the matrix below as matrix.tailmark.json. It holds every setting that the run had, also those of "
                   "the command line; the same seeds give the same schedule, lengths and prompts.",
                   Paragraph::Kind::Plain}}};
    if (!matrix.target.apiKeyEnv.empty())
        section.blocks.push_back(Paragraph{"The API key comes from the environment variable " + matrix.target.apiKeyEnv +
                                               ", which is to be set first.",
                                           Paragraph::Kind::Plain});
    if (safe != matrixToJson(matrix))
        section.blocks.push_back(Paragraph{
            "Secrets are hidden in it (\u2022\u2022\u2022); they are to be put back first.", Paragraph::Kind::Warning});
    if (results.run.info.partner)
        section.blocks.push_back(Paragraph{
            "It was measured in turn with run " + std::to_string(results.run.info.partner->value) +
                (matrix.pairedWith ? ", whose target is `paired_with`."
                                   : ", whose report has the matrix of both; by itself this one gives one run."),
            Paragraph::Kind::Plain});
    std::string commands = "tailmark-cli run matrix.tailmark.json" + onlyOptions(results.run.plan);
    if (const std::string simulator = simulatorCommand(results.run, matrix.target.baseUrl); !simulator.empty()) {
        section.blocks.push_back(Paragraph{"The simulated engine is to be started first, where the matrix looks for it.",
                                           Paragraph::Kind::Plain});
        commands = simulator + " &\n" + commands;
    } else {
        section.blocks.push_back(Paragraph{
            "An engine that answers elsewhere by now is given with --base-url.", Paragraph::Kind::Plain});
    }
    section.blocks.push_back(Listing{"Command", commands});
    section.blocks.push_back(Listing{"matrix.tailmark.json", safe.dump(2)});
    return section;
}

} // namespace

std::vector<ReportSection> setupSections(const RunResults& results)
{
    if (!results.run.info.foreign.empty())
        return {cardSection(results), originSection(results), definitionSection(results)};
    return {cardSection(results),        workloadSection(results), measurementSection(results),
            environmentSection(results), definitionSection(results), rerunSection(results)};
}

} // namespace tailmark
