// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics.h"
#include "commands.h"
#include "exit_code.h"
#include "output.h"
#include "plan/key_list.h"

#include <iostream>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

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

void printMatrixKeys()
{
    for (const MatrixKey& key : matrixKeys()) {
        std::cout << key.path << "  " << key.allowed;
        if (!key.sameAs.empty())
            std::cout << " with the keys of " << key.sameAs;
        if (key.mandatory)
            std::cout << "; must be given";
        else if (!key.fallback.empty())
            std::cout << "; default " << key.fallback;
        std::cout << (key.with.empty() ? "" : "; only with ") << key.with << "\n    " << key.meaning << '\n';
    }
    throw CLI::Success();
}

/// A standard stream that was closed by the caller would leave its number to the next file or socket, and
/// what is meant for the caller would be written into that. Opened so that output to it still fails.
void occupyStandardStreams()
{
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) < 0)
            ::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

/// CLI11 complains of the missing command before it complains of the unknown one.
std::string usageText(const CLI::App& app, const CLI::ParseError& error)
{
    const std::vector<std::string> unknown =
        app.get_subcommands().empty() ? app.remaining() : std::vector<std::string>();
    if (unknown.empty())
        return error.what();
    std::string names;
    for (const CLI::App* command : app.get_subcommands({}))
        names += (names.empty() ? "" : ", ") + command->get_name();
    return unknown.front() + ": is not a command; allowed: " + names;
}

} // namespace

int main(int argc, char** argv)
{
    occupyStandardStreams();
    CLI::App app(
        "Tailmark measures how an LLM serving engine behaves under a stated load: throughput against tail "
        "latency, the\noperating point where a latency limit is crossed, and what differs between two runs.",
        "tailmark-cli");
    app.set_version_flag("--version", std::string("tailmark-cli " TAILMARK_VERSION));
    app.add_flag_callback("--help-metrics", printMetrics, "Explain every metric: its id, unit and formula")
        ->trigger_on_parse();
    app.add_flag_callback("--help-matrix", printMatrixKeys,
                          "Explain every key of the matrix file: what is allowed, its default and its meaning")
        ->trigger_on_parse();
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    app.footer("Exit codes: 0 done; 1 fault of ours; 2 wrong usage or bad input file; 3 target not reachable "
               "or refuses;\n"
               "4 finished or stopped, but no point is valid; 5 a --fail-if condition holds.\n"
               "Progress goes to standard error, results to standard output.");
    cli::Action action;
    cli::addRun(app, action);
    cli::addValidate(app, action);
    cli::addProbe(app, action);
    cli::addImportTrace(app, action);
    cli::addImportResult(app, action);
    cli::addList(app, action);
    cli::addExport(app, action);
    cli::addCompare(app, action);
    cli::addBaseline(app, action);
    cli::addOperatingPoint(app, action);
    cli::addSanity(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {
        const int code = app.exit(asked);
        const Status told = cli::flushOutput();
        return told ? code : cli::fail(told.error());
    } catch (const CLI::ParseError& error) {
        return cli::fail({ErrorCode::BadInput, "", usageText(app, error) + "; see tailmark-cli --help"});
    }
    const int code = action();
    const Status told = cli::flushOutput();
    return told || code != cli::kDone ? code : cli::fail(told.error());
}
