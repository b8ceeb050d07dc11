// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/run_comparison.h"

#include <iosfwd>

namespace tailmark::cli {

/// What a person reads of a comparison: the runs by their letters, of each against the baseline what differs, the levels,
/// the capacities; and what bursts and cold starts did, side by side.
void printComparison(const ComparedRuns& compared, std::ostream& out);

} // namespace tailmark::cli
