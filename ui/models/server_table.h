// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/summary.h"
#include "models/table_model.h"

namespace tailmark::ui {

/// What the engine's own counters say of a point: means of its state, differences of its counters over the
/// window and what follows from them; empty where it told nothing.
Table serverTable(const PointSummary& point);

} // namespace tailmark::ui
