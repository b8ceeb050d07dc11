// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/matrix.h"
#include "report/run_results.h"
#include "store/store.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tailmark::cli {

/// The options of every command that reads the database.
struct Library
{
    std::string database; ///< empty = the default place
    void addTo(CLI::App& command);
    std::string path() const;
    Result<Store> open() const; ///< for reading
};

inline constexpr const char* kRunHelp = "Run: its number, its name where only one has it, or latest";
inline constexpr const char* kSloHelp = "Limit in place of the run's own, like 'ttft_ms:p99<=1000'; may be repeated";

/// The run that the user means: its number, its name where only one has it, or "latest".
Result<RunId> findRun(const Store& store, const std::string& text);

/// Limits of the form 'ttft_ms:p99<=1000'; none = empty.
Result<Slo> parseSlo(const std::vector<std::string>& texts);

// What a person reads of a run: its points as a table, the state of the cache and how far prompts were off
// their lengths, operating points as sentences.
void printPoints(const RunResults& results, std::ostream& out);
/// Why points may not be believed, with the figures, what a throughput leaves out, and what is to be known of their windows;
/// one line a reason.
void printReasons(const RunResults& results, std::ostream& out);
/// Of each law and test the point that is furthest from it.
void printLaws(const RunResults& results, std::ostream& out);
void printConditions(const RunResults& results, std::ostream& out);
/// Of each burst its phases, and what became of the backlog.
void printBursts(const RunResults& results, std::ostream& out);
/// Of a cold start its requests, and how long the target took.
void printColdStart(const RunResults& results, std::ostream& out);
void printOperatingPoints(const RunResults& results, std::ostream& out);

} // namespace tailmark::cli
