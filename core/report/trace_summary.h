// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/trace_import.h"

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// What a trace holds, with the keys of the contract (`import-trace --json`): rows accepted and rejected,
/// each with its line and reason; nearest-rank percentiles of both lengths; gaps between arrivals (null below
/// two rows); duration; correlation of the two lengths (null where one does not vary). Times in ms with four
/// decimals.
nlohmann::ordered_json traceToJson(const Trace& trace);

} // namespace tailmark
