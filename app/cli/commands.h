// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace tailmark::cli {

/// What the chosen subcommand does once its options have been read; gives the exit code.
using Action = std::function<int()>;

// Each adds one subcommand with its options to the application and, when it is chosen, sets `action`.
void addRun(CLI::App& app, Action& action);
void addValidate(CLI::App& app, Action& action);
void addProbe(CLI::App& app, Action& action);
void addImportTrace(CLI::App& app, Action& action);
void addImportResult(CLI::App& app, Action& action);
void addList(CLI::App& app, Action& action);
void addExport(CLI::App& app, Action& action);
void addCompare(CLI::App& app, Action& action);
void addBaseline(CLI::App& app, Action& action);
void addOperatingPoint(CLI::App& app, Action& action);
void addSanity(CLI::App& app, Action& action);

} // namespace tailmark::cli
