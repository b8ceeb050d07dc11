// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"
#include "exit_code.h"

#include "analysis/metrics.h"

#include <iostream>

#include <CLI/CLI.hpp>

using namespace tailmark;

namespace {

void printMetrics()
{
    for (const MetricInfo& metric : metricCatalogue())
        std::cout << metric.id << (metric.unit.empty() ? "" : " (") << metric.unit
                  << (metric.unit.empty() ? "" : ")") << "  " << metric.title << "\n    " << metric.definition
                  << '\n';
    throw CLI::Success();
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app(
        "Tailmark measures how an LLM serving engine behaves under a stated load: throughput against tail "
        "latency, the\noperating point where a latency limit is crossed, and what differs between two runs.",
        "tailmark-cli");
    app.set_version_flag("--version", std::string("tailmark-cli " TAILMARK_VERSION));
    app.add_flag_callback("--help-metrics", printMetrics, "Explain every metric: its id, unit and formula")
        ->trigger_on_parse();
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    app.footer("Exit codes: 0 done; 1 fault of ours; 2 wrong usage or bad input file; 3 target not reachable "
               "or refuses;\n"
               "4 finished, but no point is valid; 5 a --fail-if condition holds.\n"
               "Progress goes to standard error, results to standard output.");
    cli::Action action;
    cli::addRun(app, action);
    cli::addValidate(app, action);
    cli::addProbe(app, action);
    cli::addImportTrace(app, action);
    cli::addList(app, action);
    cli::addExport(app, action);
    cli::addCompare(app, action);
    cli::addOperatingPoint(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        return cli::fail({ErrorCode::BadInput, "", std::string(error.what()) + "; see tailmark-cli --help"});
    }
    return action();
}
