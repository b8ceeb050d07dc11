// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/operating_point.h"
#include "base/ids.h"
#include "base/result.h"
#include "load/load_generator.h"
#include "plan/plan.h"

#include <map>
#include <optional>
#include <string>
#include <variant>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// Of two runs that are measured in turn (run/paired.h), whose event it is: the key "side", "a" or "b". Lines of a run
/// by itself have none.
enum class Side { A, B };
const char* sideId(Side side);

// What a run tells while it goes on: to the terminal, and as newline-delimited JSON (`--events -`) to the
// workbench. Each event is one JSON object with the key "event" (the names below) and the members in
// snake_case.

struct RunStarted /* "run_started" */
{
    RunId run;
    std::string name, database;
    int points = 0;
    double estimatedS = 0;
    std::string target, engine, version, model;
};
struct Preparation /* "preparation": before the load, or before a point; at most 20 a second */
{
    std::string what; ///< "fitting prompt lengths"
    int done = 0, total = 0;
};
struct PointStarted /* "point_started" */
{
    PointIndex point;
    std::string test;
    TestKind kind = TestKind::ConcurrencySweep;
    Load load;
    int repeat = 0;
    double warmupS = 0, durationS = 0;
};
struct Progress /* "progress", at most 20 a second */
{
    PointIndex point;
    LoadSnapshot load;
    double remainingS = 0;   ///< of the whole run, estimated
    double sendLagP99Ms = 0; ///< of the requests finished so far in this point
    double cpuCores = 0;
    // the moving mark on the frontier: over the window so far, absent before the window begins
    std::optional<double> outputTokensPerS, requestsPerS;
    std::map<double, double> headlineMs; ///< percentile -> value, for p50, p90, p95, p99 and those of the SLO
    // as the server told last, once a second; absent where it does not
    std::optional<double> serverRunning, serverWaiting, serverKvUse;
};
struct PlanExtended /* "plan_extended": levels were added between the last passing and the first failing */
{
    int points = 0; ///< of the run from now on
};
struct PointFinished /* "point_finished": its records are in the store */
{
    PointIndex point;
    bool valid = false;
    std::string verdict; ///< reasons joined, "valid" when there are none
};
struct OperatingPointFound /* "operating_point": after each point that changes it */
{
    std::string test;
    std::string state;
    std::optional<double> load, outputTokensPerS;
    std::string sentence;
};
struct RunWarning /* "warning" */
{
    std::string text;
};
struct RunFinished /* "run_finished" */
{
    RunId run;
    std::string state; ///< runStateId
    int validPoints = 0, points = 0;
    std::string error; ///< why it failed; empty else
};

using RunEvent = std::variant<RunStarted, Preparation, PointStarted, Progress, PlanExtended, PointFinished,
                              OperatingPointFound, RunWarning, RunFinished>;

nlohmann::ordered_json eventToJson(const RunEvent& event);
/// The same as one line of the stream, without the line break.
std::string eventToLine(const RunEvent& event, std::optional<Side> side = {});
/// One line of the stream. An unknown event or a missing member is an error (the workbench and the engine are
/// one version).
Result<RunEvent> eventFromLine(const std::string& line);
std::optional<Side> sideOfLine(const std::string& line);

} // namespace tailmark
