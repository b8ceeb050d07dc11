// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "analysis/text.h"
#include "base/clock.h"
#include "control.h"
#include "exit_code.h"
#include "output.h"
#include "plan/validate.h"
#include "report/trace_summary.h"
#include "run/kept_traces.h"
#include "store/store.h"
#include "workload/trace/trace_import.h"

#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stop_token>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace tailmark::cli {

namespace {

struct TraceArguments
{
    std::string file;
    TraceOptions options;
    std::vector<std::string> columns;
    std::string timeUnit;
    std::string database;
    bool json = false;
};

Status readColumns(const TraceArguments& arguments, TraceOptions& options)
{
    for (const std::string& assignment : arguments.columns) {
        const std::size_t equals = assignment.find('=');
        const std::optional<Field> field = fieldFromId(assignment.substr(0, equals));
        if (equals == std::string::npos || equals + 1 == assignment.size() || !field) {
            std::string fields;
            for (std::size_t i = 0; i < kFieldCount; ++i)
                fields += (i == 0 ? "" : ", ") + std::string(fieldId(static_cast<Field>(i)));
            return Error{ErrorCode::BadInput, "--column " + assignment,
                         "must be FIELD=NAME; fields: " + fields};
        }
        options.columns[*field] = assignment.substr(equals + 1);
    }
    if (!arguments.timeUnit.empty()) {
        options.timeUnit = timeUnitFromId(arguments.timeUnit);
        if (!options.timeUnit)
            return Error{ErrorCode::BadInput, "--time-unit " + arguments.timeUnit, "must be s, ms, us or ns"};
    }
    return success();
}

/// What is not committed is not kept: nothing has to be undone.
void endAtOnce(int)
{
    constexpr std::string_view kStopped = "tailmark-cli: stopped\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kStopped.data(), kStopped.size());
    ::_exit(kNothingValid);
}

/// Tells how far the reading of a large file has come, and ends it and the keeping of its rows on Ctrl-C.
class ReadingProgress
{
public:
    explicit ReadingProgress(TraceOptions& options) : m_terminal(isatty(STDERR_FILENO) == 1)
    {
        stopOnSignals(s_control, "stopping; a second signal stops at once");
        options.stop = m_stop.get_token();
        options.progress = [this](double fraction, std::uint64_t rows) { tell(fraction, rows); };
    }
    ~ReadingProgress()
    {
        if (m_lineOpen)
            std::fputs("\r\033[K", stderr);
    }
    /// The file is read; until kept() a signal ends the process before the commit.
    void keeping(std::uint64_t rows)
    {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP})
            if (std::signal(signal, endAtOnce) == SIG_IGN)
                std::signal(signal, SIG_IGN); // started by nohup
        if (s_control.stop) // it came before the handler was there
            endAtOnce(SIGINT);
        if (m_clock.now() < m_slowFrom)
            return;
        std::fprintf(stderr, "%skeeping %s rows%s", m_terminal ? "\r" : "", countText(rows).c_str(),
                     m_terminal ? "\033[K" : "\n");
        m_lineOpen = m_terminal;
    }
    void kept()
    {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP})
            if (std::signal(signal, SIG_DFL) == SIG_IGN)
                std::signal(signal, SIG_IGN);
    }

private:
    void tell(double fraction, std::uint64_t rows)
    {
        if (s_control.stop)
            m_stop.request_stop();
        const Nanoseconds now = m_clock.now();
        if (now < m_next)
            return;
        m_next = now + (m_terminal ? std::chrono::milliseconds(200) : std::chrono::milliseconds(5'000));
        std::fprintf(stderr, "%s%3.0f %% read, %s rows%s", m_terminal ? "\r" : "", 100 * fraction,
                     countText(rows).c_str(), m_terminal ? "\033[K" : "\n");
        m_lineOpen = m_terminal;
    }

    static inline RunControl s_control; ///< a signal may come until the process ends
    std::stop_source m_stop;
    MonotonicClock m_clock;
    bool m_terminal;
    bool m_lineOpen = false;
    Nanoseconds m_slowFrom = m_clock.now() + std::chrono::seconds(1); ///< most files are read before
    Nanoseconds m_next = m_slowFrom;
};

int readTrace(const TraceArguments& arguments)
{
    TraceOptions options = arguments.options;
    if (Status status = readColumns(arguments, options); !status)
        return fail(status.error());
    auto progress = std::make_unique<ReadingProgress>(options);
    const Result<Trace> trace = importTrace(arguments.file, options);
    if (!trace) {
        progress.reset();
        return fail(trace.error());
    }
    const std::string notKept = arguments.database.empty() ? std::string() : whyNotKept(trace.value());
    if (!notKept.empty()) {
        progress.reset();
        fail({ErrorCode::BadInput, arguments.file, notKept});
    } else if (!arguments.database.empty()) {
        Result<Store> store = Store::open(arguments.database);
        if (!store)
            return fail(store.error());
        progress->keeping(trace.value().rows.size());
        const Status status = keepTrace(store.value(), arguments.file, trace.value());
        progress->kept();
        progress.reset();
        if (!status)
            return fail(status.error());
    }
    progress.reset();
    if (arguments.json) {
        printJson(traceToJson(trace.value()));
        return notKept.empty() ? kDone : kBadInput;
    }
    std::cout << oneLine(arguments.file) << ": format " << trace.value().format << ", "
              << trace.value().rowsAccepted << (trace.value().rowsAccepted == 1 ? " row" : " rows") << " accepted, " << trace.value().rowsRejected
              << " rejected\n";
    for (const std::string& line : traceLines(trace.value()))
        std::cout << oneLine(line) << '\n';
    return notKept.empty() ? kDone : kBadInput;
}

} // namespace

void addImportTrace(CLI::App& app, Action& action)
{
    auto arguments = std::make_shared<TraceArguments>();
    CLI::App* command = app.add_subcommand(
        "import-trace", "Read a log of requests and say what is in it, refused rows included");
    std::string formats;
    for (const std::string_view format : traceFormatIds())
        formats += (formats.empty() ? "" : ", ") + std::string(format);
    TraceOptions& options = arguments->options;
    command->add_option("file", arguments->file, "Trace file, plain or gzip")->required()->type_name("FILE");
    command->add_option("--format", options.format, formats)->capture_default_str()->type_name("NAME");
    command
        ->add_option(
            "--column", arguments->columns,
            "Where a field is found: prompt=NAME, output=NAME, timestamp=NAME and others; a column, or a "
            "path like usage.prompt_tokens; repeatable")
        ->type_name("FIELD=NAME");
    command->add_option("--time-unit", arguments->timeUnit, "Unit of numeric timestamps: s, ms, us or ns")
        ->type_name("UNIT");
    command->add_option("--block-size", options.blockSize, "Tokens that a block id stands for")
        ->check(CLI::Range(1, 65'536))
        ->type_name("TOKENS");
    command->add_option("--output-tokens", options.outputTokens, "Output length of rows that tell none")
        ->check(CLI::Range(1, 2'000'000))
        ->type_name("TOKENS");
    command->add_option("--only-model", options.model, "Rows of this model only")->type_name("NAME");
    command->add_flag("--keep-zero-output", options.keepZeroOutput,
                      "Keep rows without output, mostly failed requests");
    command->add_flag("--dequantise", options.dequantise,
                      "Spread arrivals that sit on a grid inside their tick");
    command->add_option("--db", arguments->database, "Keep the rows in this database, under their hash; a log with too many rows to hold is refused")
        ->type_name("FILE");
    command->add_flag("--json", arguments->json, "Print JSON");
    command->callback([&action, arguments] { action = [arguments] { return readTrace(*arguments); }; });
}

} // namespace tailmark::cli
