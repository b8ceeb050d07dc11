// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace/trace.h"

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// What a log holds and shows, with the keys of the contract (`import-trace --json`). What is not known is
/// null. Times in ms with four decimals unless a key says otherwise.
nlohmann::ordered_json traceToJson(const Trace& trace);

/// The same for a person: one fact a line, without the file's name.
std::vector<std::string> traceLines(const Trace& trace);

} // namespace tailmark
