// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/comparison.h"
#include "models/table_model.h"
#include "report/run_results.h"

#include <span>
#include <string>

namespace tailmark::ui {

/// One row a level of `test` that both runs have: throughput, latency and goodput of the baseline and of a
/// run that is called by its letter, with their ratio and its interval.
Table levelsTable(std::span<const LevelComparison> levels, const std::string& test, const QString& letter);
/// What differs between the baseline and a run that is called by its letter, unknown entries marked.
Table differencesTable(std::span<const Difference> differences, const QString& letter);
/// Capacity at the SLO of all runs, test by test, the baseline first.
Table capacityTable(std::span<const RunResults* const> runs);

} // namespace tailmark::ui
