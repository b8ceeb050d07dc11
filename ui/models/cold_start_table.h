// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/cold_start.h"
#include "models/table_model.h"

namespace tailmark::ui {

/// What a cold start went through: when each phase was over and how long it took. What was not reached has no
/// time.
Table coldStartPhases(const ColdStartSummary& summary);

} // namespace tailmark::ui
