// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/comparison.h"
#include "models/table_model.h"
#include "report/run_results.h"

#include <span>
#include <string>

namespace tailmark::ui {

/// One row a level of `test` that both runs have: throughput, latency and goodput of both with their ratio
/// and its interval.
Table levelsTable(std::span<const LevelComparison> levels, const std::string& test);
/// What differs between two runs, unknown entries marked.
Table differencesTable(std::span<const Difference> differences);
/// Capacity at the SLO of both runs, test by test.
Table capacityTable(const RunResults& a, const RunResults& b);

} // namespace tailmark::ui
